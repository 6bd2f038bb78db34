"""A project that an older version made can be listed, shown, resumed and run again."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from old_stores import unpack_project

from fewtaps.cli.main import main
from fewtaps.store.database import open_store

Capture = pytest.CaptureFixture[str]

EVENTS_OF_VERSION_3 = "6b8d9663cb6aef856df7c478a9c88e42"
"""The digest of all 700 events if version 3 resumes its own project."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of version 3."""
    return unpack_project(tmp_path / "p")


def test_an_old_project_is_listed(project: Path, capsys: Capture) -> None:
    assert main(["crashes", str(project), "--json"]) == 0
    (crash,) = json.loads(capsys.readouterr().out)["crashes"]
    assert (crash["id"], crash["times"], crash["shortest"]) == ("3b8874a700d7", 5, 20)
    assert main(["states", str(project), "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["states"]) == 3


def test_an_old_project_has_a_report(project: Path) -> None:
    assert main(["report", str(project)]) == 0
    page = (project / "report" / "index.html").read_text("utf-8")
    assert "all 400 events are used" in page


def test_an_old_exploration_is_resumed(project: Path, capsys: Capture) -> None:
    assert main(["explore", "sim:flakylock", "-o", str(project), "--resume", "--events", "700", "--json"]) == 0
    summary = json.loads(capsys.readouterr().out.splitlines()[-1])["summary"]
    assert (summary["reason"], summary["progress"]["events"]) == ("all 700 events are used", 700)
    with open_store(project) as store:
        (run,) = store.runs.all()
        assert [part.events_given for part in store.runs.parts(run.run_id)] == [150, 400, 700]
        episodes = list(store.runs.iter_episodes(run.run_id))
    whole = replace(episodes[0].trace, steps=tuple(step for each in episodes for step in each.trace.steps))
    assert whole.events_digest == EVENTS_OF_VERSION_3


@pytest.mark.slow
def test_an_old_run_goes_on_and_reduces_nothing_twice(project: Path, capsys: Capture) -> None:
    with open_store(project) as store:
        before = store.results.reductions()
    options = ["--events", "500", "--worlds", "6", "--minutes", "1", "--json"]
    assert main(["run", "sim:flakylock", "-o", str(project), *options]) == 0
    summary = json.loads(capsys.readouterr().out.splitlines()[-1])["summary"]
    assert summary["reason"] == "all 500 events are used"
    with open_store(project) as store:
        assert store.results.reductions() == before

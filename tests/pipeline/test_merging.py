"""Project folders of one build become one: what is new is added once, what does not belong is named."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from fewtaps.cli.main import main
from fewtaps.config import ExploreLimits, ExploreSettings, RunSettings
from fewtaps.errors import UsageError
from fewtaps.pipeline.cases import read_cases
from fewtaps.pipeline.exploring import explore_app
from fewtaps.pipeline.merging import merge_projects
from fewtaps.pipeline.running import run_app
from fewtaps.store.database import open_store

pytestmark = pytest.mark.slow


def shard(folder: Path, seed: int, app: str = "sim:bill", events: int = 150) -> Path:
    explore_app(app, ExploreSettings(folder, limits=ExploreLimits(events=events), seed=seed))
    return folder


def counts(folder: Path) -> tuple[int, int, int]:
    """Runs, episodes and kinds of crashes of a project."""
    with open_store(folder) as store:
        return len(store.runs.all()), store.runs.totals().episodes, len(store.runs.crashes())


def test_shards_become_one_project_and_a_second_merge_adds_nothing(tmp_path: Path) -> None:
    one, two = shard(tmp_path / "1", 1), shard(tmp_path / "2", 2)
    merged = merge_projects(tmp_path / "all", [one, two])
    assert [part.runs for part in merged.parts] == [1, 1]
    assert counts(tmp_path / "all")[:2] == (2, counts(one)[1] + counts(two)[1])
    with open_store(one) as first, open_store(two) as second, open_store(tmp_path / "all") as joined:
        expected = {row.crash.signature for store in (first, second) for row in store.runs.crashes()}
        assert {row.crash.signature for row in joined.runs.crashes()} == expected
        assert joined.runs.coverage() == first.runs.coverage() | second.runs.coverage()
        assert list(joined.runs.iter_episodes(joined.runs.all()[0].run_id)) == list(
            first.runs.iter_episodes(first.runs.all()[0].run_id)
        )
        pictures = [joined.runs.pictures(joined.runs.all()[0].run_id, number) for number in range(3)]
        assert any(pictures)
    again = merge_projects(tmp_path / "all", [one, two])
    assert [(part.runs, part.episodes) for part in again.parts] == [(0, 0), (0, 0)]
    assert counts(tmp_path / "all")[0] == 2


def test_a_run_that_went_on_since_adds_only_its_new_episodes(tmp_path: Path) -> None:
    folder = shard(tmp_path / "1", 1)
    merge_projects(tmp_path / "all", [folder])
    before = counts(folder)[1]
    explore_app("sim:bill", ExploreSettings(folder, limits=ExploreLimits(events=250), resume=True))
    (part,) = merge_projects(tmp_path / "all", [folder]).parts
    assert part.episodes == counts(folder)[1] - before > 0
    assert counts(tmp_path / "all")[:2] == counts(folder)[:2]


def test_reductions_and_replays_come_along(tmp_path: Path) -> None:
    run_app("sim:bill", RunSettings(tmp_path / "1", events=200, minutes=60, jobs=1, makes_suite=False))
    (part,) = merge_projects(tmp_path / "all", [tmp_path / "1"]).parts
    assert part.reductions and part.replays
    with open_store(tmp_path / "1") as source, open_store(tmp_path / "all") as joined:
        first, second = (read_cases(store, store.runs.all()[-1].app) for store in (source, joined))
        assert [(case.row.fingerprint, case.trace, case.reproduction) for case in second] == [
            (case.row.fingerprint, case.trace, case.reproduction) for case in first
        ]


def test_other_apps_and_other_folders_are_named_and_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = shard(tmp_path / "1", 1), shard(tmp_path / "2", 1, "sim:feed", 40)
    (tmp_path / "empty").mkdir()
    merged = merge_projects(tmp_path / "all", [one, other, tmp_path / "empty"])
    assert [part.reason.partition(" (")[0] for part in merged.parts] == [
        "",
        "another build",
        "nothing has been explored here",
    ]
    assert not any(str(part.folder) in part.reason for part in merged.parts), "the folder is named beside the reason"
    with pytest.raises(UsageError, match="with itself"):
        merge_projects(one, [one])
    with pytest.raises(UsageError, match="no such folder"):
        merge_projects(tmp_path / "none", [tmp_path / "missing"])
    assert not (tmp_path / "none").exists()
    shutil.rmtree(tmp_path / "all")
    assert main(["merge", str(tmp_path / "all"), str(one), str(other)]) == 0
    printed = capsys.readouterr().out
    assert "another build (com.example.feed" in printed and "1 run, " in printed

"""Slices of real recordings, through the real command: the paper's example, a run's crashes, and after a kill."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from integration.conftest import SAMPLES
from processes import started

from fewtaps.cli.main import main
from fewtaps.config import DeviceSettings, SliceSettings
from fewtaps.device.pool import open_pool
from fewtaps.model.run_record import RecordedRun, RecordWish
from fewtaps.model.trace import Aim, Trace
from fewtaps.pipeline.opening import open_session, plan_app
from fewtaps.pipeline.slicing import Slicing
from fewtaps.store.database import FILE, open_store
from fewtaps.tracefile import read_trace

pytestmark = pytest.mark.jvm

Capture = pytest.CaptureFixture[str]
CALC, LONG = SAMPLES / "calc.apk", SAMPLES / "calc" / "crash-long.jsonl"


def documents(capsys: Capture, *arguments: object) -> list[dict[str, object]]:
    assert main([*map(str, arguments), "--json"]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def lines_of(document: dict[str, object]) -> list[int]:
    made = document["slice"]
    assert isinstance(made, dict)
    return sorted({line["place"]["line"] for line in made["lines"]})


def test_a_resource_has_the_name_of_the_sources(capsys: Capture) -> None:
    (document,) = documents(capsys, "slice", CALC, LONG, "MainActivity.java:27")
    made = document["slice"]
    assert isinstance(made, dict)
    assert made["criterion"] == "MainActivity.java:27: text = findViewById(R.id.height)"


@pytest.mark.parametrize(
    ("arguments", "lines", "steps"),
    [
        ((LONG,), [11, 26, 32], [0, 2, 3]),
        ((LONG, "MainActivity.java:32"), [10, 11, 20, 26, 32], [0, 1, 2, 3]),
        ((LONG, "--as-paper"), [10, 11, 20, 21, 22, 26, 27, 28, 32], None),
        ((LONG.with_name("crash.jsonl"),), [11, 26, 32], [0, 1, 2]),
        ((LONG.with_name("crash.jsonl"), "MainActivity.java:32"), [10, 11, 26, 32], [0, 1, 2]),
        ((LONG.with_name("crash.jsonl"), "--as-paper"), [10, 11, 26, 27, 28, 32], None),
    ],
)
def test_the_papers_example_has_exactly_its_lines(
    capsys: Capture, arguments: tuple[object, ...], lines: list[int], steps: list[int] | None
) -> None:
    (document,) = documents(capsys, "slice", CALC, *arguments)
    assert lines_of(document) == lines
    made = document["slice"]
    assert isinstance(made, dict)
    assert steps is None or made["steps"] == steps


def test_values_reasons_and_sources_stand_beside_the_lines(capsys: Capture) -> None:
    assert main(["slice", str(CALC), str(LONG), "--sources", str(SAMPLES / "calc" / "src")]) == 0
    output = capsys.readouterr().out
    assert re.search(
        r"MainActivity.java:26 +.*height.*  = 0\n +value: writes height, read at MainActivity.java:32", output
    )
    assert "another build" not in output and "not found in the sources" not in output


def test_a_line_that_never_ran_is_answered_with_the_nearest_that_did(capsys: Capture) -> None:
    assert main(["slice", str(CALC), str(LONG), "MainActivity.java:99"]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "MainActivity.java:99 did not run" in error and "32" in error


def test_every_read_of_the_example_shows_what_the_slice_says(capsys: Capture) -> None:
    assert main(["slice", str(CALC), str(LONG), "--check"]) == 0
    assert re.search(r"Checked: (\d+) of \1 reads", capsys.readouterr().out)


def test_a_flaky_crash_is_compared_with_a_world_in_which_it_does_not_happen(capsys: Capture) -> None:
    orders = SAMPLES / "orders.apk"
    assert main(["slice", str(orders), str(SAMPLES / "orders" / "crash.jsonl")]) == 0
    output = capsys.readouterr().out
    assert "recorded in world 1: in world 0 step 2 (Tap #send) does not crash" in output
    _, _, omissions = output.partition("What did not happen")
    assert "in world 0, where it does not crash, this writes ticket in step 2" in omissions
    assert "TableActivity.java:115" in omissions


def test_a_mapping_of_another_build_is_one_line(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "mapping.txt").write_text("x.Y -> q.r:\n", "utf-8")
    assert main(["slice", str(CALC), str(LONG), "--mapping", str(tmp_path / "mapping.txt")]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "a mapping of another build" in error


def test_damaged_summaries_are_one_line(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "mine.txt").write_text("this is no summary at all !!\n", "utf-8")
    assert main(["slice", str(CALC), str(LONG), "--summaries", str(tmp_path / "mine.txt")]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "mine.txt" in error and "1" in error


def kill_while_recording(project: Path, folder: Path) -> None:
    """Begins `fewtaps slice` for a project, and kills it when the file of a recording is there."""
    command = [sys.executable, "-m", "fewtaps", "slice", str(project)]
    with started(command, env={**os.environ, "TMPDIR": str(folder)}) as running:
        end = time.monotonic() + 120
        while not any(path.stat().st_size for path in folder.rglob("record")):
            assert running.poll() is None and time.monotonic() < end
            time.sleep(0.005)
        running.kill()
        running.wait(timeout=60)
    assert running.returncode == -signal.SIGKILL


@pytest.mark.timeout(600)
def test_a_run_slices_its_crash_and_makes_a_lost_slice_again_without_exploring(tmp_path: Path, capsys: Capture) -> None:
    run = ("run", CALC, "-o", tmp_path, "--events", 200, "--minutes", 5, "--worlds", 2, "--no-suite", "-j", 1)
    told = documents(capsys, *run)
    (sliced,) = (each["sliced"] for each in told if "sliced" in each)
    assert isinstance(sliced, dict) and [line["place"]["line"] for line in sliced["lines"]] == [32, 26, 11]
    (summary,) = (each["summary"] for each in told if "summary" in each)
    assert isinstance(summary, dict) and summary["crashes"][0]["slice"]["lines"]
    (page,) = (tmp_path / "report").glob("crash-*.html")
    assert "Why it happened" in page.read_text("utf-8")
    assert main(["export", "issue", str(tmp_path), sliced["id"]]) == 0
    assert "## Why it happens" in capsys.readouterr().out
    with open_store(tmp_path) as store:
        events = sum(episode.events for episode in store.runs.iter_episodes(store.runs.all()[-1].run_id))
    with closing(sqlite3.connect(tmp_path / FILE)) as connection:
        connection.execute("DELETE FROM slice")
        connection.commit()
    (tmp_path / "killed").mkdir()
    kill_while_recording(tmp_path, tmp_path / "killed")
    with open_store(tmp_path) as store:
        assert store.runs.crashes()
    assert any("sliced" in each for each in documents(capsys, *run))
    with open_store(tmp_path) as store:
        assert sum(each.events for each in store.runs.iter_episodes(store.runs.all()[-1].run_id)) == events
    with closing(sqlite3.connect(tmp_path / FILE)) as connection:
        connection.execute("UPDATE slice SET content = ?", (b"no slice",))
        connection.commit()
    (again,) = documents(capsys, "slice", tmp_path)
    assert lines_of(again) == [11, 26, 32], "a damaged slice is made again"


def test_a_run_without_slices_makes_none(tmp_path: Path, capsys: Capture) -> None:
    run = ("run", CALC, "-o", tmp_path, "--events", 100, "--worlds", 1, "--no-suite", "--no-slice", "-j", 1)
    assert not any("sliced" in each or "not_sliced" in each for each in documents(capsys, *run))


class OneEventAtATime(Slicing):
    """As if each recording had room for one event."""

    def record(self, trace: Trace, world: int, aim: Aim, wish: RecordWish) -> RecordedRun:
        run = super().record(trace, world, aim, wish)
        last = len(run.trace.steps) - 1 if wish.last_event is None else wish.last_event
        is_whole = wish.values is not None or last == wish.first_event
        return run if is_whole else replace(run, record=replace(run.record, complete=False))


@pytest.mark.parametrize("name", ["calc/crash-long", "tipsplit/crash", "notes/crash"])
def test_a_recording_made_in_windows_gives_the_same_slice(name: str) -> None:
    trace = read_trace(SAMPLES / f"{name}.jsonl")
    plan = plan_app(str(SAMPLES / f"{name.partition('/')[0]}.apk"), DeviceSettings(), trace=trace)
    with open_pool(lambda: open_session(plan)) as pool:
        whole = Slicing(plan, pool, SliceSettings()).make(trace, None).slice
        parts = OneEventAtATime(plan, pool, SliceSettings()).make(trace, None).slice
    assert len(whole.steps) > 1
    assert replace(parts, notes=()) == replace(whole, notes=())

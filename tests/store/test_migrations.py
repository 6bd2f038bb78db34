"""A migrated store has the schema of a fresh one and all rows; a failed migration changes nothing."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from old_stores import make_store, unpack_project
from slices import bill_slice

from fewtaps.errors import StoreError
from fewtaps.explore.parameters import read_parameters
from fewtaps.model.app import AppRef
from fewtaps.model.coverage import NO_COVERAGE, ProbeSet
from fewtaps.model.episode import EpisodeEnd
from fewtaps.model.exploration_end import EndKind, ExplorationEnd
from fewtaps.model.goal import GoalKind, GoalSpec
from fewtaps.model.result import ReductionState, Verdict
from fewtaps.model.trace import Aim
from fewtaps.model.trial import Trial
from fewtaps.store import schema
from fewtaps.store.database import FILE, open_store
from fewtaps.store.migrations import _renamed, episode_end_of, goal_of, run_end_of
from fewtaps.store.rows import RunPart
from fewtaps.store.slices import KeptSlice

CRASH = "java.lang.IllegalStateException at com.example.flakylock.Samples.press"
APP = "INSERT INTO app VALUES (1, 'a.b', '1', '', NULL)"
RUN = "INSERT INTO run VALUES (1, 1, 'explore', {settings!r}, 7, '2026-01-02T03:04:05+00:00', NULL, 'running', NULL)"
REDUCTION = (
    "INSERT INTO reduction VALUES ({id}, 1, 'q', 'o', {goal!r}, NULL, {strategy!r}, 9, 3, 2, 20, 1, {state!r}, x'')"
)


def texts(folder: Path) -> dict[str, str]:
    """The SQL of everything in a store, by name."""
    with closing(sqlite3.connect(folder / FILE)) as connection:
        return dict(connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall())


def dump(folder: Path) -> tuple[object, ...]:
    """The SQL dump of a store, and its version."""
    with closing(sqlite3.connect(folder / FILE)) as connection:
        return tuple(connection.iterdump()), connection.execute("PRAGMA user_version").fetchone()


@pytest.mark.parametrize("version", [1, 2, 3, 4, 5])
def test_an_old_store_gets_the_schema_text_of_a_fresh_one(tmp_path: Path, version: int) -> None:
    with open_store(tmp_path / "fresh", create=True):
        pass
    old = make_store(tmp_path / "old", version)
    assert texts(old) != texts(tmp_path / "fresh")
    with open_store(old, write=True):
        pass
    assert texts(old) == texts(tmp_path / "fresh")


def test_a_project_of_version_3_gets_the_schema_text_of_a_fresh_one(tmp_path: Path) -> None:
    with open_store(tmp_path / "fresh", create=True):
        pass
    with open_store(unpack_project(tmp_path / "old"), write=True):
        pass
    assert texts(tmp_path / "old") == texts(tmp_path / "fresh")


def content(table: str, columns: str, text: str) -> str:
    """The statement that inserts row 1 of a table whose contents have a digest."""
    digest = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
    return f"INSERT INTO {table} VALUES (1, x'{digest}', {columns}'{text}')"


EPISODE_OF_4 = (
    APP,
    "INSERT INTO run VALUES (1, 1, 'explore', '{}', 7, '2026-01-02T03:04:05+00:00', NULL, 'running', NULL, NULL, NULL)",
    content("event", "", '{"kind":"launch"}'),
    content(
        "screen", "NULL, 'p', ", '{"height":1,"keyboard":false,"package":"a.b","rotation":0,"width":1,"windows":[]}'
    ),
    content("coverage", "", '{"lines":[7]}'),
    "INSERT INTO episode VALUES (1, 1, 0, 1, 0, 'default', NULL, 0, 1, 'stopped', '', 'running', 1, 0.5)",
    "INSERT INTO step VALUES (1, 0, 1, NULL, 1, 1, NULL, NULL, NULL, 3000)",
)


def test_a_step_of_version_4_does_not_know_what_ran_in_it_nor_whether_the_world_was_asked(tmp_path: Path) -> None:
    with open_store(make_store(tmp_path, 4, *EPISODE_OF_4)) as store:
        (episode,) = store.runs.iter_episodes(store.runs.all()[0].run_id)
    (step,) = episode.trace.steps
    assert (step.covered.lines, step.clock_ms) == (ProbeSet.of([7]), 3000)
    assert (step.ran, step.asked_world) == (NO_COVERAGE, None)


def test_a_store_of_version_2_gets_room_for_trials(tmp_path: Path) -> None:
    trial = Trial(Verdict(True, 3, "", "a.Crash", 4), 12, "device 1", True)
    with open_store(make_store(tmp_path, 2), write=True) as store:
        store.trials.on("question").add("candidate", trial)
        assert store.trials.counts() == ((1, 0),)


def test_a_store_of_version_5_gets_room_for_slices(tmp_path: Path) -> None:
    app = AppRef("a.b", "1", "")
    with open_store(make_store(tmp_path, 5, APP), write=True) as store:
        assert store.slices.find(app, "a.Crash", "trace") is None
        store.slices.save(app, "a.Crash", "trace", bill_slice())
        assert store.slices.find(app, "a.Crash", "trace") == KeptSlice(bill_slice())


def test_a_store_of_version_1_gets_room_for_replays(tmp_path: Path) -> None:
    with open_store(make_store(tmp_path, 1), write=True) as store:
        store.results.save_replays("a.Crash", "trace", {4: True, 5: False})
        assert store.results.replays("a.Crash", "trace") == {4: True, 5: False}


def test_a_project_of_version_3_keeps_why_episodes_ended(tmp_path: Path) -> None:
    with open_store(unpack_project(tmp_path)) as store:
        (run,) = store.runs.all()
        episodes = list(store.runs.iter_episodes(run.run_id))
    assert Counter(episode.end for episode in episodes) == {
        EpisodeEnd.CRASHED: 5,
        EpisodeEnd.NOTHING_NEW: 7,
        EpisodeEnd.MORE_ELSEWHERE: 1,
        EpisodeEnd.STOPPED: 2,
    }
    assert not any(episode.detail for episode in episodes)
    assert sum(episode.events for episode in episodes) == 400


def test_a_project_of_version_3_keeps_how_its_run_went(tmp_path: Path) -> None:
    with open_store(unpack_project(tmp_path)) as store:
        (run,) = store.runs.all()
        parts = store.runs.parts(run.run_id)
    assert run.end == ExplorationEnd(EndKind.EVENTS_USED, 400)
    assert [(part.seconds_given, part.events_given) for part in parts] == [(None, 150), (60.0, 400)]
    assert parts[0].seconds_used is None and parts[1].seconds_used is not None
    assert "budget" not in run.settings
    assert run.settings["parameters"] == ["loop_free_paths=0"]
    assert (run.settings["strategy"], run.settings["seed"], run.seed) == ("frontier", 1, 1)


def test_a_project_of_version_3_keeps_its_reductions(tmp_path: Path) -> None:
    with open_store(unpack_project(tmp_path)) as store:
        rows = store.results.reductions()
        found = [(row.strategy, row.is_repeated, row.is_by_intent, row.state, row.after) for row in rows]
        histories = [len(store.results.improvements(row)) for row in rows]
    assert {row.goal for row in rows} == {GoalSpec(GoalKind.CRASH, CRASH)}
    assert found == [
        ("auto", False, False, ReductionState.FINISHED, 3),
        ("auto", True, False, ReductionState.FINISHED, 3),
        ("ddmin", False, False, ReductionState.STOPPED, 20),
    ]
    assert sum(histories) == 7 and all(histories)


def test_a_reduction_of_version_3_counts_as_aimed_by_selector(tmp_path: Path) -> None:
    with open_store(unpack_project(tmp_path)) as store:
        assert [row.aim for row in store.results.reductions()] == [Aim.SELECTOR] * 3


def test_an_extra_of_version_3_is_a_finished_reduction_by_intent(tmp_path: Path) -> None:
    rows = (
        REDUCTION.format(id=1, goal="reaches a.Main", strategy="auto", state="running"),
        REDUCTION.format(id=2, goal="reaches a.Main", strategy="auto, intent", state="extra"),
        "INSERT INTO improvement VALUES ('q', 'o', 'auto', 3, 2)",
        "INSERT INTO improvement VALUES ('q', 'o', 'auto, intent', 3, 5)",
    )
    make_store(tmp_path, 3, APP, *rows)
    with closing(sqlite3.connect(tmp_path / FILE, isolation_level=None)) as connection:
        connection.execute("UPDATE reduction SET content = ?", (b"x\x9c\x03\x00\x00\x00\x00\x01",))
    with open_store(tmp_path) as store:
        plain, extra = store.results.reductions()
        histories = store.results.improvements(plain), store.results.improvements(extra)
    assert (plain.strategy, plain.is_by_intent, plain.state) == ("auto", False, ReductionState.RUNNING)
    assert (extra.strategy, extra.is_by_intent, extra.state) == ("auto", True, ReductionState.FINISHED)
    assert plain.goal == extra.goal == GoalSpec(GoalKind.ACTIVITY, "a.Main")
    assert histories == (((2, 3),), ((5, 3),))


def test_a_run_without_a_budget_has_no_parts(tmp_path: Path) -> None:
    make_store(tmp_path, 3, APP, RUN.format(settings='{"seed":7,"parameters":["max_away=3"]}'))
    with open_store(tmp_path) as store:
        (run,) = store.runs.all()
        assert store.runs.parts(run.run_id) == ()
    assert (run.end, run.is_finished) == (None, False)
    assert run.settings == {"seed": 7, "parameters": ["max_away=3"]}


def test_a_part_with_odd_values_is_kept_without_them(tmp_path: Path) -> None:
    settings = '{"budget":[{"seconds":"many","used":2},7,{"events":9}]}'
    make_store(tmp_path, 3, APP, RUN.format(settings=settings))
    with open_store(tmp_path) as store:
        (run,) = store.runs.all()
        assert store.runs.parts(run.run_id) == (RunPart(None, None, 2.0), RunPart(None, 9))


@pytest.mark.parametrize(
    ("sentence", "end"),
    [
        ("limit of events", (EpisodeEnd.EVENT_LIMIT, "")),
        ("no answer", (EpisodeEnd.NOT_RESPONDING, "")),
        ("the device failed: no answer\nat all", (EpisodeEnd.DEVICE_FAILED, "no answer\nat all")),
        ("the device failed", (EpisodeEnd.UNKNOWN, "the device failed")),
        ("something else", (EpisodeEnd.UNKNOWN, "something else")),
        ("", (EpisodeEnd.UNKNOWN, "")),
    ],
)
def test_a_sentence_about_an_episode_becomes_its_end(sentence: str, end: tuple[EpisodeEnd, str]) -> None:
    assert episode_end_of(sentence) == end


@pytest.mark.parametrize(
    ("sentence", "end"),
    [
        ("all 600 events are used", (EndKind.EVENTS_USED, 600, "")),
        ("a crash is found", (EndKind.CRASHES_FOUND, 1, "")),
        ("3 crashes are found", (EndKind.CRASHES_FOUND, 3, "")),
        ("61.5 % of the lines are covered", (EndKind.COVERAGE_REACHED, 61.5, "")),
        ("nothing new in the last 5000 events", (EndKind.NOTHING_NEW, 5000, "")),
        ("the app never shows a window", (EndKind.NEVER_A_WINDOW, 0, "")),
        ("reduced", (EndKind.REDUCED, 0, "")),
        ("limit of events", (EndKind.UNKNOWN, 0, "limit of events")),
    ],
)
def test_a_sentence_about_a_run_becomes_its_end(sentence: str, end: tuple[EndKind, float, str]) -> None:
    assert run_end_of(sentence) == end


@pytest.mark.parametrize(
    ("sentence", "crash", "goal"),
    [
        ("a.Crash at b", "a.Crash at b", (GoalKind.CRASH, "a.Crash at b")),
        ("reaches a.Main", None, (GoalKind.ACTIVITY, "a.Main")),
        ("reaches the state 12ab", None, (GoalKind.STATE, "12ab")),
        ("shows 'it\\'s \\n \"here\"'", None, (GoalKind.TEXT, 'it\'s \n "here"')),
        ("shows 'cut", None, (GoalKind.TEXT, "'cut")),
        ("covers Main.java:12", None, (GoalKind.LINE, "Main.java:12")),
        ("satisfies sh -c 'x\ny'", None, (GoalKind.COMMAND, "sh -c 'x\ny'")),
        ("something else", None, (GoalKind.OTHER, "something else")),
    ],
)
def test_a_sentence_about_a_goal_becomes_its_kind_and_value(
    sentence: str, crash: str | None, goal: tuple[GoalKind, str]
) -> None:
    assert goal_of(sentence, crash) == goal


KILLED = """
import os, sqlite3, sys
from pathlib import Path
from fewtaps.store import migrations
from fewtaps.store.database import open_store
make_indexes = migrations._make_indexes
def die(connection):
    make_indexes(connection)
    os._exit(9)
migrations._make_indexes = die
with open_store(sys.argv[1], write=True):
    pass
"""


@pytest.mark.slow
def test_a_program_that_is_killed_while_it_migrates_leaves_the_old_version(tmp_path: Path) -> None:
    project = unpack_project(tmp_path)
    before = dump(project)
    done = subprocess.run([sys.executable, "-c", KILLED, str(project)], env={**os.environ}, timeout=60)
    assert done.returncode == 9
    assert dump(project) == before
    with open_store(project) as store:
        assert store.runs.totals().events == 400


def test_after_the_migration_every_reference_has_its_row(tmp_path: Path) -> None:
    with open_store(unpack_project(tmp_path)):
        pass
    with closing(sqlite3.connect(tmp_path / FILE)) as connection:
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_a_damaged_row_does_not_keep_an_old_store_from_being_opened(tmp_path: Path) -> None:
    project = make_store(tmp_path, 3, "PRAGMA foreign_keys = OFF", APP, RUN.format(settings="["))
    with open_store(project) as store:
        assert store.results.reductions() == ()
        with pytest.raises(StoreError, match="run 1 is damaged"):
            store.runs.all()


def test_an_old_store_that_may_not_be_written_is_refused_with_both_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = make_store(tmp_path, 3)
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(StoreError, match=f"version 3 of the store, now {schema.VERSION}"), open_store(project):
        pass


@pytest.mark.parametrize("written", ["brief_ways=0", "brief-ways=0", " brief_ways =0"])
def test_a_parameter_that_was_renamed_keeps_its_value_however_it_was_typed(written: str) -> None:
    kept = _renamed({"parameters": [written, "reward=0.2"]})
    assert read_parameters(kept["parameters"]).loop_free_paths == 0

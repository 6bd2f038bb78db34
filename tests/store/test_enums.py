"""Every member of an enum that is stored comes back equal, and a value of a newer version is a one-line error."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from builders import APP, crash, trace
from store import writer

from fewtaps.cli.main import main
from fewtaps.errors import StoreError
from fewtaps.model.crash import Crash
from fewtaps.model.ending import Ending
from fewtaps.model.episode import Episode, EpisodeEnd
from fewtaps.model.event import Tap
from fewtaps.model.exploration_end import EndKind, ExplorationEnd
from fewtaps.model.goal import GoalKind, GoalSpec
from fewtaps.model.result import ReductionState
from fewtaps.model.trace import Aim, Step
from fewtaps.store.database import FILE, Store, open_store
from fewtaps.store.rows import ReductionRow

GOAL = GoalSpec(GoalKind.CRASH, "java.lang.Error at a.B")
ROW = ReductionRow("q", "o", GOAL, "auto", 90, 7, 12, 345, False, ReductionState.FINISHED, b"x")


def read_runs(store: Store) -> object:
    return store.runs.all()


def read_episodes(store: Store) -> object:
    return list(store.runs.iter_episodes(store.runs.all()[0].run_id))


def read_reductions(store: Store) -> object:
    return store.results.reductions()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a finished run of one episode, and a reduction."""
    with open_store(tmp_path, create=True) as store:
        run = store.runs.start(writer.THE_APP, "explore", {"seed": 1})
        store.runs.add_episode(run, writer.episode(0))
        store.runs.finish(run, ExplorationEnd(EndKind.EVENTS_USED, 400))
        store.results.save_reduction(APP, ROW)
    return tmp_path


def test_every_end_of_an_episode_comes_back_equal(tmp_path: Path) -> None:
    with open_store(tmp_path, create=True) as store:
        run = store.runs.start(writer.THE_APP, "explore", {})
        kept = [replace(writer.episode(1), number=n, end=end, pictures=()) for n, end in enumerate(EpisodeEnd)]
        for episode in kept:
            store.runs.add_episode(run, episode)
    with open_store(tmp_path) as store:
        assert list(store.runs.iter_episodes(run)) == kept


@pytest.mark.parametrize("ending", Ending)
def test_every_ending_of_a_step_comes_back_equal(ending: Ending, tmp_path: Path) -> None:
    death: Crash | None = crash("com.example.app.A.b") if ending is Ending.CRASHED else None
    kept = Episode(0, trace(Step(Tap(1, 1), crash=death, ending=ending)))
    with open_store(tmp_path, create=True) as store:
        run = store.runs.start(writer.THE_APP, "explore", {})
        store.runs.add_episode(run, kept)
    with open_store(tmp_path) as store:
        assert list(store.runs.iter_episodes(run)) == [kept]


def test_every_end_of_a_run_comes_back_equal(tmp_path: Path) -> None:
    ends = [ExplorationEnd(kind, number, f"{kind} {number}") for number, kind in enumerate(EndKind)]
    with open_store(tmp_path, create=True) as store:
        for end in ends:
            store.runs.finish(store.runs.start(writer.THE_APP, "explore", {}), end)
    with open_store(tmp_path) as store:
        assert [run.end for run in store.runs.all()] == ends


def test_every_kind_of_goal_and_every_state_of_a_reduction_comes_back_equal(tmp_path: Path) -> None:
    goals = [GoalSpec(kind, f"value \ud800 of {kind}") for kind in GoalKind]
    pairs = [(goal, state) for goal in goals for state in ReductionState]
    rows = tuple(replace(ROW, question=f"{n}", goal=goal, state=state) for n, (goal, state) in enumerate(pairs))
    with open_store(tmp_path, create=True) as store:
        for row in rows:
            store.results.save_reduction(APP, row)
    with open_store(tmp_path) as store:
        assert store.results.reductions() == rows


def test_every_aim_of_a_reduction_comes_back_equal(tmp_path: Path) -> None:
    rows = tuple(replace(ROW, question=aim.value, aim=aim) for aim in Aim)
    with open_store(tmp_path, create=True) as store:
        for row in rows:
            store.results.save_reduction(APP, row)
    with open_store(tmp_path) as store:
        assert store.results.reductions() == rows


NEWER = [
    ("UPDATE run SET end_kind = 'moon\nrise'", read_runs, "run 1", "EndKind"),
    ("UPDATE episode SET end_kind = 'moon\nrise'", read_episodes, "episode 1", "EpisodeEnd"),
    ("UPDATE step SET ending = 'moon\nrise' WHERE number = 1", read_episodes, "step 1 of episode 1", "Ending"),
    ("UPDATE reduction SET goal_kind = 'moon\nrise'", read_reductions, "a reduction", "GoalKind"),
    ("UPDATE reduction SET state = 'moon\nrise'", read_reductions, "a reduction", "ReductionState"),
    ("UPDATE reduction SET aim = 'moon\nrise'", read_reductions, "a reduction", "Aim"),
]


def change(project: Path, statement: str) -> None:
    with closing(sqlite3.connect(project / FILE, isolation_level=None)) as connection:
        connection.execute(statement)


@pytest.mark.parametrize(("statement", "read", "row", "kind"), NEWER, ids=[kind for *_, kind in NEWER])
def test_a_value_of_a_newer_version_is_an_error_of_one_line(
    statement: str, read: Callable[[Store], object], row: str, kind: str, project: Path
) -> None:
    change(project, statement)
    with pytest.raises(StoreError) as caught, open_store(project) as store:
        read(store)
    message = str(caught.value)
    assert f"{row} is damaged: 'moon\\nrise' is no {kind} that this version of fewtaps knows" in message
    assert message.startswith(str(project / FILE)) and "\n" not in message


@pytest.mark.slow
@pytest.mark.parametrize("statement", [statement for statement, read, *_ in NEWER if read is not read_episodes])
def test_a_command_reports_a_value_of_a_newer_version_without_a_traceback(
    statement: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(project, statement)
    assert main(["report", str(project)]) == 3
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "that this version of fewtaps knows" in error

"""The goal of a trace: to crash as it did, or the one that the settings wish for."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from fewtaps.config import GoalWish
from fewtaps.device.jobs import InspectApp
from fewtaps.device.pool import SessionPool
from fewtaps.errors import NotFound, UsageError
from fewtaps.model.app import App
from fewtaps.model.coverage import Coverage, ProbeSet
from fewtaps.model.crash import Crash
from fewtaps.model.event import printable
from fewtaps.model.goal import Covers, Goal, GoalKind, GoalSpec, Reaches, ReachesState, SameCrash, ShowsText
from fewtaps.model.numerals import whole_number
from fewtaps.model.state import StateId, page_state
from fewtaps.model.trace import Trace
from fewtaps.pipeline.candidates import CandidatePlayer
from fewtaps.store.database import Store, open_store
from fewtaps.temporary import temporary_folder
from fewtaps.tracefile import write_trace

TEST_TIMEOUT_SECONDS = 300


States: TypeAlias = Callable[[], Collection[str]]
"""Asks for the states that the project has seen."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A goal, its spec, and the run of the trace in which it was seen, if it had to be played to find out."""

    goal: Goal
    spec: GoalSpec
    seen: Trace | None = None


def goal_for(
    wish: GoalWish, trace: Trace, pool: SessionPool, app: App, states: States, player: CandidatePlayer
) -> Wanted:
    """The goal that a reduced trace must still meet; without any wish, to crash as the trace did.

    A trace that remembers no crash is played once to see it. Raises UsageError if there is none, or if the wish makes
    no sense for the app.
    """
    wished = wished_goal(wish, trace, pool, app, states)
    if wished is not None:
        return Wanted(*wished)
    crash = remembered_crash(trace)
    if crash is not None:
        return Wanted(SameCrash(crash.signature), GoalSpec(GoalKind.CRASH, crash.signature))
    seen = player.play([(trace.events, trace.world)])[0].trace
    crash = remembered_crash(seen)
    if crash is None:
        raise UsageError(
            "the trace remembers no crash and does not crash when it is played; say what it must do "
            "with --reaches, --state, --shows, --covers or --test"
        )
    return Wanted(SameCrash(crash.signature), GoalSpec(GoalKind.CRASH, crash.signature), seen)


def wished_goal(
    wish: GoalWish, trace: Trace, pool: SessionPool, app: App, states: States
) -> tuple[Goal, GoalSpec] | None:
    """The goal of a wish, and its spec; None if the wish is the usual one, the crash of the trace.

    Raises UsageError if the wish makes no sense for the app: no trace could meet it.
    """
    value = wish.value
    match wish.kind:
        case "reaches":
            _require_activity(value, app, trace)
            return Reaches(value), GoalSpec(GoalKind.ACTIVITY, value)
        case "state":
            _require_state(value, states, trace)
            return ReachesState(StateId(value), "page"), GoalSpec(GoalKind.STATE, value)
        case "shows":
            return ShowsText(value), GoalSpec(GoalKind.TEXT, value)
        case "covers":
            return _covers(value, pool), GoalSpec(GoalKind.LINE, value)
        case "test":
            return Command(value), GoalSpec(GoalKind.COMMAND, value)
    return None


def remembered_crash(trace: Trace) -> Crash | None:
    """The crash that a trace remembers, the last if there are several."""
    return next((step.crash for step in reversed(trace.steps) if step.crash is not None), None)


def _require_activity(name: str, app: App, trace: Trace) -> None:
    """Refuses an activity that neither the app declares nor the trace shows; it may be one of another app."""
    declared = {each.name for each in app.activities}
    # A manifest without activities may be incomplete, so that nothing is refused then.
    if declared and name not in declared and all(step.after.activity != name for step in trace.steps):
        raise UsageError(f"--reaches {printable(name, 160)}: the app has no such activity")


def _require_state(name: str, states: States, trace: Trace) -> None:
    if all(page_state(step.after) != name for step in trace.steps) and name not in states():
        raise UsageError(
            f"--state {printable(name, 160)}: neither the project nor the trace has seen such a state; "
            "fewtaps states DIR --json names those of the project"
        )


def states_in(folder: Path) -> Collection[str]:
    """The states that were seen in a project; none if there is no project."""
    try:
        with open_store(folder) as store:
            return states_of(store)
    except NotFound:
        return ()


def states_of(store: Store) -> Collection[str]:
    """The states that were seen in a project that is open."""
    return {row.state for row in store.runs.graph().states}


def _covers(place: str, pool: SessionPool) -> Goal:
    """The goal to reach a line, named as File.java:123 or package.Class:123."""
    name, _, number = place.rpartition(":")
    line = whole_number(number)
    if not name or line is None:
        raise UsageError(f"--covers {place}: not FILE:LINE or CLASS:LINE")
    probes = pool.ask(InspectApp()).probes
    if probes is None:
        raise UsageError(f"--covers {place}: the device does not measure coverage")
    numbers = [
        probe.number
        for each in probes.classes
        if name in (each.name, each.name.rpartition(".")[2], each.file)
        for probe in each.lines
        if probe.line == line
    ]
    if not numbers:
        raise UsageError(f"--covers {place}: the app has no such line, as far as it says")
    return Covers(Coverage(lines=ProbeSet.of(numbers[:1])))


@dataclass(frozen=True, slots=True)
class Command:
    """A goal that a program of the user decides: exit code 0 is yes. It is given the path of a trace file."""

    command: str

    @property
    def missed(self) -> str:
        return f"the program said no, {printable(self.command, 160)}"

    def met_by(self, trace: Trace) -> bool:
        """Whether the program exits with 0. Raises UsageError if it cannot run, is killed or exceeds its time."""
        with temporary_folder() as folder:
            path = folder / "trace.jsonl"
            write_trace(path, trace)
            try:
                done = subprocess.run([*self._words(), str(path)], capture_output=True, timeout=TEST_TIMEOUT_SECONDS)
            except OSError as error:
                raise UsageError(f"--test {self.command}: {error.strerror or error}") from error
            except subprocess.TimeoutExpired as error:
                raise UsageError(f"--test {self.command}: no answer within {TEST_TIMEOUT_SECONDS} seconds") from error
        if done.returncode < 0:
            raise UsageError(f"--test {self.command}: it was killed by signal {-done.returncode}")
        return done.returncode == 0

    def _words(self) -> list[str]:
        try:
            return shlex.split(self.command)
        except ValueError as error:
            raise UsageError(f"--test {self.command}: {error}") from error

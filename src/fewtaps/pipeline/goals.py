"""What a trace must do: crash as it did, or what somebody wishes instead."""

from __future__ import annotations

import shlex
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from fewtaps.config import GoalWish
from fewtaps.device.pool import SessionPool
from fewtaps.device.session import Session
from fewtaps.errors import UsageError
from fewtaps.model.coverage import Coverage, ProbeMap, ProbeSet
from fewtaps.model.crash import Crash
from fewtaps.model.goal import Covers, Goal, Reaches, ReachesState, SameCrash, ShowsText
from fewtaps.model.state import StateId
from fewtaps.model.trace import Trace
from fewtaps.replay import Aim, play
from fewtaps.tracefile import write_trace

TEST_TIMEOUT_SECONDS = 300


def goal_for(wish: GoalWish, trace: Trace, pool: SessionPool, aim: Aim = "selector") -> tuple[Goal, str]:
    """What the trace must still do, as a goal and in words; without any wish, crash as it did.

    A trace that remembers no crash is played once to see it. Raises UsageError if there is none, or if the wish makes
    no sense for the app.
    """
    wished = wished_goal(wish, pool)
    if wished is not None:
        return wished
    crash = remembered_crash(trace) or _crash_when_played(trace, pool, aim)
    return SameCrash(crash.signature), crash.signature


def wished_goal(wish: GoalWish, pool: SessionPool) -> tuple[Goal, str] | None:
    """The goal of a wish, and in words; None if the wish is the usual one, the crash of the trace."""
    value = wish.value
    match wish.kind:
        case "reaches":
            return Reaches(value), f"reaches {value}"
        case "state":
            return ReachesState(StateId(value), "page"), f"reaches the state {value}"
        case "shows":
            return ShowsText(value), f"shows {value!r}"
        case "covers":
            return _covers(value, pool), f"covers {value}"
        case "test":
            return Command(value), f"satisfies {value}"
    return None


def remembered_crash(trace: Trace) -> Crash | None:
    """The crash that a trace remembers, the last if there are several."""
    return next((step.crash for step in reversed(trace.steps) if step.crash is not None), None)


def _crash_when_played(trace: Trace, pool: SessionPool, aim: Aim) -> Crash:
    def work(session: Session, each: Trace) -> Trace:
        return play(session, each.events, by=aim, world=each.world)

    seen = pool.map(work, [trace])[0]
    crash = next((step.crash for step in seen.steps if step.crash is not None), None)
    if crash is None:
        raise UsageError(
            "the trace remembers no crash and does not crash when it is played; say what it must do "
            "with --reaches, --state, --shows, --covers or --test"
        )
    return crash


def _covers(place: str, pool: SessionPool) -> Goal:
    """The goal to reach a line, named as File.java:123 or package.Class:123."""
    name, _, line = place.rpartition(":")
    if not name or not line.isdigit():
        raise UsageError(f"--covers {place}: not FILE:LINE or CLASS:LINE")
    probes: ProbeMap = pool.map(lambda session, _: session.probe_map(), [None])[0]
    numbers = [
        probe.number
        for each in probes.classes
        if name in (each.name, each.name.rpartition(".")[2], each.file)
        for probe in each.lines
        if probe.line == int(line)
    ]
    if not numbers:
        raise UsageError(f"--covers {place}: the app has no such line, as far as it says")
    return Covers(Coverage(lines=ProbeSet.of(numbers[:1])))


@dataclass(frozen=True, slots=True)
class Command:
    """A goal that a program of the user decides: exit code 0 is yes. It is given the path of a trace file."""

    command: str

    def met_by(self, trace: Trace) -> bool:
        """Runs the program."""
        with tempfile.TemporaryDirectory(prefix="fewtaps-") as folder:
            path = Path(folder) / "trace.jsonl"
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

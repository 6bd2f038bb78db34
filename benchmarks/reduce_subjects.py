"""What the reduction benchmark reduces: crash traces of simulated apps and of the samples, with what plays them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

import shaped_apps
from recorded import Recorded, SampleSessions, read_recorded

from fewtaps.device.session import Session
from fewtaps.device.twin.device import TwinDevice
from fewtaps.model.event import Event
from fewtaps.model.trace import Aim, Step, Trace
from fewtaps.reducing.oracle import content_key
from fewtaps.replay import play


class Subject(Protocol):
    """A crash trace and a device that plays its candidates."""

    @property
    def name(self) -> str:
        """Names it in tables."""
        ...

    @property
    def trace(self) -> Trace:
        """What is to be reduced."""
        ...

    @property
    def shows_all(self) -> bool:
        """Whether the crash depends only on the way to it and on what was done there last."""
        ...

    @property
    def device(self) -> str:
        """Where it is played: simulated or twin."""
        ...

    def player(self, *, coverage: bool = True) -> Player:
        """Plays candidates of the trace."""
        ...


@dataclass(frozen=True, slots=True)
class SimulatedSubject:
    """A crash of a simulated app, which is fast enough to be played as often as is asked."""

    shaped: shaped_apps.Subject

    @property
    def name(self) -> str:
        """Shape, defect, length, number."""
        return self.shaped.name

    @property
    def trace(self) -> Trace:
        """As the monkey made it."""
        return self.shaped.trace

    @property
    def shows_all(self) -> bool:
        """That depends on the defect."""
        return self.shaped.shows_all

    @property
    def device(self) -> str:
        """The simulated one."""
        return "simulated"

    def player(self, *, coverage: bool = True) -> Player:
        """A new session of the app."""
        return Player(self.shaped.open(coverage=coverage), self.trace.world)


@dataclass(frozen=True, slots=True)
class SampleSubject:
    """A recorded crash of a sample app, on the twin; `memory` holds what was played before, for all strategies."""

    recorded: Recorded
    sessions: SampleSessions
    memory: dict[str, tuple[Trace, float]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name of its file."""
        return self.recorded.name

    @property
    def trace(self) -> Trace:
        """As it was recorded."""
        return self.recorded.trace

    @property
    def shows_all(self) -> bool:
        """Real apps remember."""
        return False

    @property
    def device(self) -> str:
        """The twin."""
        return "twin"

    def player(self, *, coverage: bool = True) -> Player:
        """The sample on the twin, which measures coverage in any case."""
        session = self.sessions.open(self.recorded.sample)
        if not self.memory:
            # The first run of a JVM is slower than any other: no strategy is to pay for it.
            play(session, self.trace.events, by=Aim.COORDINATES, world=self.trace.world)
        return Player(session, self.trace.world, self.memory)


class Player:
    """Plays candidates on one session and keeps the computing time, which a busy machine does not stretch.

    With a memory, what is in it is not played again: `saved_seconds` is what that would have taken.
    """

    def __init__(self, session: Session, world: int, memory: dict[str, tuple[Trace, float]] | None = None) -> None:
        self._session = session
        self._world = world
        self._memory = memory
        self._digests: dict[Event, bytes] = {}
        self.cpu_seconds = self.saved_seconds = 0.0

    def __call__(self, candidates: Sequence[tuple[Event, ...]]) -> list[Trace]:
        """One trace for each."""
        started = time.process_time()
        traces = [self._recall(candidate) for candidate in candidates]
        self.cpu_seconds += time.process_time() - started
        return traces

    def _recall(self, candidate: tuple[Event, ...]) -> Trace:
        if self._memory is None:
            return self._play(candidate)
        key = content_key(candidate, self._digests)
        if key in self._memory:
            trace, seconds = self._memory[key]
            self.saved_seconds += seconds
            return trace
        started = time.perf_counter()
        trace = self._play(candidate)
        self._memory[key] = _without_needless_screens(trace), time.perf_counter() - started
        return trace

    def _play(self, candidate: tuple[Event, ...]) -> Trace:
        return play(self._session, candidate, by=Aim.COORDINATES, world=self._world)


def _without_needless_screens(trace: Trace) -> Trace:
    """Where the app did not crash, no more is asked for than the number of steps and the last screen."""
    if trace.crash is not None:
        return trace
    return replace(trace, steps=(*[Step(step.event) for step in trace.steps[:-1]], trace.steps[-1]))


def iter_subjects(per_trace: int, recorded: Path | None) -> Iterator[Subject]:
    """The simulated ones, and those of a folder of recorded traces, on the twin: the shortest traces first."""
    yield from map(SimulatedSubject, shaped_apps.subjects(per_trace))
    if recorded is not None:
        with TwinDevice() as device, closing(SampleSessions(device)) as sessions:
            for each in sorted(read_recorded(recorded), key=lambda each: len(each.trace.steps)):
                yield SampleSubject(each, sessions)

"""Where the seconds of a run went, by stage."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from threading import Lock

from fewtaps.device.jobs import Work as Work


class RunStage(Enum):
    """A part of a run that takes time. The values are written to JSON and never change."""

    STARTING = "starting"
    """The first device and its first launch."""
    EXPLORING = "exploring"
    REDUCING = "reducing"
    REPLAYING = "replaying"
    """Pictures of the steps, and the reproduction rate."""
    SLICING = "slicing"
    SUITE = "suite"
    REPORT = "report"
    REST = "rest"
    """Reading the store, deciding, ending devices."""


@dataclass(frozen=True, slots=True)
class WorkTime:
    """The seconds of one kind of work, all devices together, and how many pieces of it there were."""

    work: Work
    seconds: float
    times: int


@dataclass(frozen=True, slots=True)
class StageTime:
    """The seconds of a stage, how many times it was begun, and what its devices worked on."""

    stage: RunStage
    seconds: float
    times: int
    works: tuple[WorkTime, ...] = ()


class StageClock:
    """Adds up the seconds of the stages of one run; only one stage is under way at a time."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, *, gone: float = 0.0) -> None:
        """`gone` are seconds that have passed by now; they count as the rest."""
        self._clock = clock
        self._began = clock() - gone
        self._seconds: dict[RunStage, float] = {}
        self._times: dict[RunStage, int] = {}
        self._stage = RunStage.REST
        self._works: dict[tuple[RunStage, Work], WorkTime] = {}
        self._lock = Lock()

    @contextmanager
    def during(self, stage: RunStage) -> Iterator[None]:
        """Counts the time of its block for the stage, however the block ends."""
        began, self._stage = self._clock(), stage
        try:
            yield
        finally:
            self._stage = RunStage.REST
            self._seconds[stage] = self._seconds.get(stage, 0.0) + self._clock() - began
            self._times[stage] = self._times.get(stage, 0) + 1

    def worked(self, work: Work, seconds: float) -> None:
        """Counts a piece of work for the stage that is under way; called by the threads of the devices."""
        with self._lock:
            key = self._stage, work
            before = self._works.get(key, WorkTime(work, 0.0, 0))
            self._works[key] = WorkTime(work, before.seconds + seconds, before.times + 1)

    def times(self) -> tuple[StageTime, ...]:
        """The stages so far in their order, and what is left of the time since the beginning as the rest."""
        stages = [
            StageTime(each, self._seconds[each], self._times[each], self._works_of(each))
            for each in RunStage
            if each in self._seconds
        ]
        rest = self._clock() - self._began - sum(self._seconds.values())
        return (*stages, StageTime(RunStage.REST, max(0.0, rest), 1))

    def _works_of(self, stage: RunStage) -> tuple[WorkTime, ...]:
        return tuple(self._works[stage, work] for work in Work if (stage, work) in self._works)

"""Where the seconds of a run went, by stage."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum


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
class StageTime:
    """The seconds of a stage, and how many times it was begun."""

    stage: RunStage
    seconds: float
    times: int


class StageClock:
    """Adds up the seconds of the stages of one run; only one stage is under way at a time."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began = clock()
        self._seconds: dict[RunStage, float] = {}
        self._times: dict[RunStage, int] = {}

    @contextmanager
    def during(self, stage: RunStage) -> Iterator[None]:
        """Counts the time of its block for the stage, however the block ends."""
        began = self._clock()
        try:
            yield
        finally:
            self._seconds[stage] = self._seconds.get(stage, 0.0) + self._clock() - began
            self._times[stage] = self._times.get(stage, 0) + 1

    def times(self) -> tuple[StageTime, ...]:
        """The stages so far in their order, and what is left of the time since the beginning as the rest."""
        stages = [StageTime(each, self._seconds[each], self._times[each]) for each in RunStage if each in self._seconds]
        rest = self._clock() - self._began - sum(self._seconds.values())
        return (*stages, StageTime(RunStage.REST, max(0.0, rest), 1))

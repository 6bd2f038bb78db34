"""The runs of ND3MIN on devices: in worlds, stored, and none made twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from fewtaps.model.result import Verdict
from fewtaps.model.trace import Trace
from fewtaps.model.trial import Trial
from fewtaps.reducing.player import LOST_IN_A_ROW, Player
from fewtaps.reducing.problem import keep_finding
from fewtaps.reducing.trials import Trials

T = TypeVar("T")


class TrialBatch(Generic[T]):
    """Runs candidates for ND3MIN: the k-th run of every candidate is in the k-th world, unless it was made before.

    `runs` and `events` count what was played; `findings` are crashes of another kind than the goal's.
    """

    def __init__(self, player: Player[T], trials: Trials, first_world: int | None) -> None:
        self._player = player
        self._trials = trials
        self._first_world = first_world
        self._used: dict[str, int] = {}
        self._traces: dict[str, Trace] = {}
        self.runs = self.events = 0
        self.findings: dict[str, Trace] = {}

    def trials_of(self, items: Sequence[T]) -> Sequence[Trial]:
        """Every run of the candidate that counts for its tally."""
        return self._trials.of(self._player.key(items))

    def trace_of(self, items: Sequence[T]) -> Trace | None:
        """The trace of the last run that met the goal; None if no such run was made in this process."""
        return self._traces.get(self._player.key(items))

    def run(self, asked: Sequence[tuple[tuple[T, ...], int]]) -> Sequence[Sequence[Verdict]]:
        """As `RunBatch`: each candidate the given number of times."""
        return [[self._one(items).verdict for _ in range(count)] for items, count in asked]

    def _one(self, items: tuple[T, ...]) -> Trial:
        key = self._player.key(items)
        number = self._used.get(key, 0)
        self._used[key] = number + 1
        world = None if self._first_world is None else self._first_world + number
        known = self._trials.of(key)
        if world is None and number < len(known):
            return known[number]
        for trial in known:
            if world is not None and trial.world == world:
                return trial
        return self._play(key, items, world)

    def _play(self, key: str, items: tuple[T, ...], world: int | None) -> Trial:
        for _ in range(LOST_IN_A_ROW):
            run = self._player.run([(items, world)])[0]
            self.runs += 1
            self.events += run.seen.verdict.events
            if run.seen.certain:
                break
        trial = Trial(run.seen.verdict, world, run.device)
        self._trials.add(key, trial)
        keep_finding(self.findings, run.seen)
        if trial.met and run.seen.trace is not None:
            # An accepted candidate is cut to the length of its run, and has the same trace then.
            for name in {key, self._player.key(items[: run.seen.verdict.length])}:
                self._traces[name] = run.seen.trace
        return trial

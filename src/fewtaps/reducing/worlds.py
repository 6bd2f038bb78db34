"""Candidates of a trace in worlds, and in which worlds a trace does what it should."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from fewtaps.model.event import Event
from fewtaps.model.goal import Goal
from fewtaps.model.result import Reproduction, Verdict
from fewtaps.model.trace import Trace
from fewtaps.model.trial import Trial
from fewtaps.reducing.doubtful import LOST_IN_A_ROW, ObservedRun, Player, keep_finding
from fewtaps.reducing.oracle import Events, TraceOracle
from fewtaps.reducing.trials import Trials

T = TypeVar("T")

PlayInWorlds: TypeAlias = Callable[[Sequence[tuple[Events, int | None]]], Sequence[tuple[Trace, str]]]
"""Plays events, the launch first, each in its world; gives the traces and the names of the devices, in their order."""


class TracePlayer(TraceOracle):
    """Runs candidates of a trace, each in a world of its own or, where there are no worlds, as it comes."""

    def __init__(self, original: Trace, goal: Goal, play: PlayInWorlds) -> None:
        super().__init__(
            original, goal, lambda candidates: [trace for trace, _ in play([(c, None) for c in candidates])]
        )
        self._launch = original.steps[0].event
        self._play_in = play

    def run(self, tasks: Sequence[tuple[tuple[Event, ...], int | None]]) -> Sequence[ObservedRun]:
        """Plays each candidate once."""
        played = self._play_in([((self._launch, *items), world) for items, world in tasks])
        return [ObservedRun(self._seen(trace), device) for trace, device in played]


class TrialBatch(Generic[T]):
    """Runs for ND3MIN: the k-th run of every candidate is in the k-th world, and those made before are not made again.

    `runs` and `events` count what was really played; `findings` are crashes of another kind than the goal's.
    """

    def __init__(self, player: Player[T], trials: Trials, first_world: int | None) -> None:
        self._player = player
        self._trials = trials
        self._first_world = first_world
        self._used: dict[str, int] = {}
        self._traces: dict[str, Trace] = {}
        self.runs = self.events = 0
        self.findings: dict[str, Trace] = {}

    def key(self, items: Sequence[T]) -> str:
        """Names a candidate."""
        return self._player.key(items)

    def trace_of(self, items: Sequence[T]) -> Trace | None:
        """The longest trace of a run that met the goal, if one was made."""
        return self._traces.get(self.key(items))

    def run(self, asked: Sequence[tuple[tuple[T, ...], int]]) -> Sequence[Sequence[Verdict]]:
        """As `RunBatch`: each candidate as often as is said."""
        return [[self._one(items).verdict for _ in range(count)] for items, count in asked]

    def _one(self, items: tuple[T, ...]) -> Trial:
        key = self.key(items)
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
            # What the accepted candidate is cut to is the same run.
            for name in {key, self.key(items[: run.seen.verdict.length])}:
                self._traces[name] = run.seen.trace
        return trial


@dataclass(frozen=True, slots=True)
class WorldReport:
    """In which worlds a trace did what it should, and in which it did not."""

    met: tuple[int, ...]
    missed: tuple[int, ...]

    @property
    def reproduction(self) -> Reproduction:
        """The rate over these worlds."""
        return Reproduction(len(self.met), len(self.met) + len(self.missed))

    @property
    def is_flaky(self) -> bool:
        """Whether the world makes a difference."""
        return bool(self.met) and bool(self.missed)

    def words(self, verb: str = "crashes") -> str:
        """As one would say it: "crashes in 37 of 100 worlds; world 12 always"."""
        rate = self.reproduction
        told = f"{verb} in {rate.met} of {rate.runs} world{'' if rate.runs == 1 else 's'}"
        return f"{told}; world {self.met[0]} always" if self.is_flaky else told


def world_report(trials: Iterable[Trial]) -> WorldReport:
    """What trials say of worlds; those without a world say nothing."""
    outcomes = {trial.world: trial.met for trial in trials if trial.world is not None}
    return WorldReport(
        tuple(sorted(world for world, met in outcomes.items() if met)),
        tuple(sorted(world for world, met in outcomes.items() if not met)),
    )

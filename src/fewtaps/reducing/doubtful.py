"""Any reducer under a doubtful oracle: candidates are run as often as it takes to believe the answer.

`DoubtfulProblem` is a `Problem`, so every pass of the deterministic reducer works on it unchanged: shortcuts, levels,
detours, delta debugging. What differs is how a verdict comes about: from trials, by a sequential test. Trials are
never forgotten. A verdict is what they say at the moment it is asked for, so more trials can take it back.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, Protocol, TypeVar

from fewtaps.budget import Budget
from fewtaps.model.result import ReductionProgress, Verdict
from fewtaps.model.trace import Trace
from fewtaps.model.trial import Trial
from fewtaps.reducing.problem import Candidate, Problem, Seen, Trait
from fewtaps.reducing.sequential import Answer, CandidateBelief, Evidence, SequentialTest
from fewtaps.reducing.trials import Trials

T = TypeVar("T")
Played = TypeVar("Played", contravariant=True)

LOST_IN_A_ROW = 3
"""Each time the device has died under a candidate so often, that is a run that misses the goal: it must end once."""

HARD_TO_TELL = 8
"""A candidate that is refused after so many runs was nearly good enough."""

DOUBTED_AFTER = 60
"""After so many runs of such candidates the best one is doubted: perhaps they are as good as it is."""

DOUBT_RUNS, BEYOND_DOUBT = 20, 40
"""So many more runs the best one then gets; with so many in all it is not doubted any more."""

TRACES = 32
"""So many traces of candidates are kept at hand; another can always be had for a run."""


@dataclass(frozen=True, slots=True)
class ObservedRun:
    """One run as it was seen, and the device it was made on."""

    seen: Seen
    device: str = ""


class Player(Protocol[Played]):
    """Runs candidates, and knows of their items what an oracle knows."""

    @property
    def layers(self) -> int:
        """As for an oracle."""
        ...

    def run(self, tasks: Sequence[tuple[tuple[Played, ...], int | None]]) -> Sequence[ObservedRun]:
        """Runs each candidate once in its world, if there are worlds; perhaps several at once."""
        ...

    def states(self, trace: Trace | None, layer: int) -> Sequence[Hashable]:
        """As for an oracle."""
        ...

    def traits(self, trace: Trace | None) -> Sequence[Trait]:
        """As for an oracle."""
        ...

    def key(self, items: Sequence[Played]) -> str:
        """As for an oracle."""
        ...

    def weight(self, item: Played) -> int:
        """As for an oracle."""
        ...


class DoubtfulOracle(Generic[T]):
    """Answers for candidates by repeated runs. `worlds` is the list all candidates share; empty if there are none.

    `runs` and `events` count what was really played. `jobs` runs happen at once.
    """

    def __init__(
        self,
        player: Player[T],
        test: SequentialTest,
        trials: Trials,
        *,
        worlds: Sequence[int] = (),
        jobs: int = 1,
        budget: Budget | None = None,
    ) -> None:
        self.test = test
        self.trials = trials
        self.runs = self.events = 0
        self.best_rate = 1.0
        self.on_trial: Callable[[tuple[T, ...], Trial], None] = _nobody_hears
        self._player = player
        self._worlds = tuple(worlds)
        self._jobs = max(1, jobs)
        self._budget = budget or Budget()
        self._of_best: dict[int, bool] = {}
        self._lost: dict[str, int] = {}
        self._chain: list[str] = []
        self._traces: dict[str, Trace] = {}
        self.findings: dict[str, Trace] = {}

    # What an oracle knows.

    @property
    def layers(self) -> int:
        """As the player says."""
        return self._player.layers

    def states(self, trace: Trace | None, layer: int) -> Sequence[Hashable]:
        """As the player says."""
        return self._player.states(trace, layer)

    def traits(self, trace: Trace | None) -> Sequence[Trait]:
        """As the player says."""
        return self._player.traits(trace)

    def key(self, items: Sequence[T]) -> str:
        """As the player says."""
        return self._player.key(items)

    def weight(self, item: T) -> int:
        """As the player says."""
        return self._player.weight(item)

    # What it is asked.

    def judge(self, candidates: Sequence[tuple[T, ...]]) -> Sequence[Seen]:
        """Settles one after the other."""
        return [self.settle(candidate) for candidate in candidates]

    def settle(self, items: tuple[T, ...], others: Sequence[tuple[T, ...]] = ()) -> Seen:
        """Runs a candidate until the answer is clear; devices to spare meanwhile try the others."""
        while self.answer(items) is Answer.OPEN:
            self._budget.check()
            self.play([*self._wishes(items, others)][: self._jobs])
        return self._seen(items)

    def recall(self, items: Sequence[T]) -> Verdict | None:
        """The verdict, if the trials there are already make it clear."""
        return None if self.answer(items) is Answer.OPEN else self._verdict(items)

    def answer(self, items: Sequence[T]) -> Answer:
        """What the trials say so far."""
        return self.test.answer(self.evidence(items), self.best_rate, paired=bool(self._worlds))

    def belief(self, items: Sequence[T]) -> CandidateBelief:
        """What is believed of a candidate after its trials."""
        return self.test.belief(self.evidence(items), self.best_rate, paired=bool(self._worlds))

    def probability(self, items: Sequence[T], at_least: float) -> float:
        """How probable it is that a candidate's rate is at least so high."""
        return self.test.probability(self.evidence(items), self.best_rate, at_least, paired=bool(self._worlds))

    def evidence(self, items: Sequence[T]) -> Evidence:
        """The trials, counted."""
        counts = {(met, best): 0 for met in (True, False) for best in (True, False, None)}
        for trial in self.trials.of(self.key(items)):
            best = None if trial.world is None else self._of_best.get(trial.world)
            counts[trial.met, best] += 1
        return Evidence(
            *(counts[True, True], counts[False, True], counts[True, False], counts[False, False]),
            *(counts[True, None], counts[False, None]),
        )

    def refer(self, items: Sequence[T], rate: float | None = None) -> None:
        """Says which candidate is the best now: others are compared with it."""
        belief = self.belief(items)
        outcomes = {trial.world: trial.met for trial in self.trials.of(self.key(items)) if trial.world is not None}
        # What it did not show itself its forerunner did, as long as the two share the course of chance.
        self._of_best = {**self._of_best, **outcomes} if belief.coupled >= 0.5 else outcomes
        self.best_rate = belief.rate if self._worlds else self._pooled_rate(self.key(items))
        if rate is not None:
            self.best_rate = rate

    def _pooled_rate(self, key: str) -> float:
        """The rate of the best one by its own runs and those of its forerunners, of which it has most likely kept all.

        Only where runs have no worlds: otherwise the worlds they were made in were chosen.
        """
        if key in self._chain:
            del self._chain[self._chain.index(key) :]
        self._chain.append(key)
        outcomes = [trial.met for each in self._chain for trial in self.trials.of(each)]
        return (sum(outcomes) + 0.5) / (len(outcomes) + 1)

    def share(self, longer: Sequence[T], shorter: Sequence[T]) -> None:
        """Takes the trials of a sequence for those of its beginning, after which they never went."""
        known, key = {trial.world for trial in self.trials.of(self.key(shorter))}, self.key(shorter)
        shared = [
            trial for trial in self.trials.of(self.key(longer)) if trial.world is None or trial.world not in known
        ]
        self.trials.share(key, shared)
        trace = self._traces.get(self.key(longer))
        if trace is not None:
            self._traces[key] = trace

    def measure(self, items: tuple[T, ...], worlds: Sequence[int | None]) -> tuple[Trial, ...]:
        """Runs a candidate in each of these worlds, where that was not done before; the trials in their order."""
        done = {trial.world: trial for trial in self.trials.of(self.key(items)) if trial.world is not None}
        found = [done[world] for world in worlds if world is not None and world in done]
        missing = [world for world in worlds if world is None or world not in done]
        while missing:
            self._budget.check()
            played = self.play([(items, world) for world in missing[: self._jobs]])
            found += played
            for trial in played:
                missing.remove(trial.world)
        return tuple(found)

    def doubt(self, items: tuple[T, ...], runs: int) -> bool:
        """Runs a candidate that was accepted so many times more; whether it is still believed to be good."""
        trials = self.trials.of(self.key(items))
        played = {trial.world for trial in trials}
        left = [world for world in self._worlds if world not in played][:runs] if self._worlds else [None] * runs
        if len(trials) < BEYOND_DOUBT:
            self.measure(items, left)
        return self.belief(items).good >= 0.5

    def trace_of(self, items: tuple[T, ...]) -> Trace | None:
        """A trace of a run that met the goal; once more played if it is not at hand. None if there are no traces."""
        trace = self._traces.get(self.key(items))
        if trace is None:
            met = [trial for trial in self.trials.of(self.key(items)) if trial.met]
            if met and self._has_traces:
                longest = max(met, key=lambda trial: trial.verdict.length)
                self.play([(items, longest.world)], again=True)
                trace = self._traces.get(self.key(items))
        return trace

    # Runs.

    _has_traces = True

    def play(self, tasks: Sequence[tuple[tuple[T, ...], int | None]], *, again: bool = False) -> list[Trial]:
        """Makes the runs and notes what they showed; a run that was lost with its device is only counted."""
        noted: list[Trial] = []
        for (items, world), run in zip(tasks, self._player.run(tasks), strict=True):
            seen = run.seen
            self.runs += 1
            self.events += seen.verdict.events
            self._budget.spend(runs=1, events=seen.verdict.events)
            self._has_traces = seen.trace is not None
            if not seen.certain and self._is_worth_another_try(self.key(items)):
                continue
            best = None if world is None else self._of_best.get(world)
            trial = Trial(seen.verdict, world, run.device, best)
            self._keep_trace(self.key(items), seen)
            keep_finding(self.findings, seen)
            if not again or world is None:
                self.trials.add(self.key(items), trial)
            noted.append(trial)
            self.on_trial(items, trial)
        return noted

    def _is_worth_another_try(self, key: str) -> bool:
        """Whether the device died under a candidate for the first or second time."""
        lost = self._lost[key] = self._lost.get(key, 0) + 1
        return lost % LOST_IN_A_ROW != 0

    def _wishes(
        self, items: tuple[T, ...], others: Sequence[tuple[T, ...]]
    ) -> Iterable[tuple[tuple[T, ...], int | None]]:
        """What to run next: this candidate, then one run for each of the others, then more of each."""
        waiting = [items, *(other for other in others if self.answer(other) is Answer.OPEN)]
        orders = [self._order(each) for each in waiting]
        for place in range(self._jobs):
            for each, order in zip(waiting, orders, strict=True):
                if place < len(order):
                    yield each, order[place]

    def _order(self, items: Sequence[T]) -> Sequence[int | None]:
        """The worlds to play a candidate in, the most telling first."""
        if not self._worlds:
            return [None] * self._jobs
        played = {trial.world for trial in self.trials.of(self.key(items))}
        left = [world for world in self._worlds if world not in played]
        if self.belief(items).coupled >= 0.5:
            rank = {True: 0, None: 1, False: 2}
            left.sort(key=lambda world: rank[self._of_best.get(world)])
        return left

    def _seen(self, items: tuple[T, ...]) -> Seen:
        verdict = self._verdict(items)
        return Seen(verdict, self.trace_of(items) if verdict.met else None)

    def _verdict(self, items: Sequence[T]) -> Verdict:
        """One verdict for many: met if believed to be good; as long as the longest run that met the goal."""
        trials = self.trials.of(self.key(items))
        met = self.answer(items) is Answer.YES
        like = [trial.verdict for trial in trials if trial.met == met] or [trial.verdict for trial in trials]
        if not like:
            return Verdict(met=met, length=len(items))
        return replace(max(like, key=lambda verdict: verdict.length), met=met)

    def _keep_trace(self, key: str, seen: Seen) -> None:
        trace = self._traces.get(key)
        if not seen.verdict.met or seen.trace is None or (trace and len(trace.steps) >= len(seen.trace.steps)):
            return
        self._traces.pop(key, None)
        self._traces[key] = seen.trace
        while len(self._traces) > TRACES:
            del self._traces[next(iter(self._traces))]


def keep_finding(findings: dict[str, Trace], seen: Seen) -> None:
    """Adds the trace of a run that showed another crash than the goal's; of each crash the shortest stays."""
    crash, trace = seen.verdict.crash, seen.trace
    if crash is not None and trace is not None and not seen.verdict.met:
        found = findings.get(crash)
        if found is None or len(trace.steps) < len(found.steps):
            findings[crash] = trace


class DoubtfulProblem(Problem[T]):
    """A problem whose verdicts come from trials. `history` are the best ones so far, each shorter than the one before.

    `runs` and `events` are those of the oracle: all that was played, on all devices.
    """

    def __init__(self, items: Sequence[T], oracle: DoubtfulOracle[T], *, batch: int = 1) -> None:
        super().__init__(items, oracle, batch=batch)
        self.oracle = oracle
        self.history: list[Candidate] = []
        self.on_back: Callable[[Candidate], None] = _nobody_minds
        self._hard_runs = 0

    def start(self) -> None:
        """Begins with the original, whose trials are there already, cut to what its runs ever needed."""
        original = self.items(self.best)
        met = [trial.verdict.length for trial in self.oracle.trials.of(self.oracle.key(original)) if trial.met]
        length = max(met, default=len(original))
        if length < len(original):
            self.oracle.share(original, original[:length])
        trace = self.oracle.trace_of(original[:length])
        self._has_traces = trace is not None
        self._accept(self.best[:length], trace)

    def go_back(self, candidate: Candidate) -> None:
        """Makes an earlier best the best again; what came after it is forgotten as such, but not its trials."""
        while self.history and self.history[-1] != candidate:
            self.history.pop()
        self.best, self.trace = candidate, self.oracle.trace_of(self.items(candidate))
        self.oracle.refer(self.items(candidate))
        self.on_better()

    def _recalled(self, candidate: Candidate) -> Verdict | None:
        return self.oracle.recall(self.items(candidate))

    def _play_ahead(self, waiting: Sequence[Candidate]) -> None:
        """Settles the first candidate; devices to spare begin with the others."""
        first = waiting[0]
        if self._recalled(first) is None:
            others = [self.items(candidate) for candidate in list(waiting)[1:]]
            seen = self._ahead[self._content(first)] = self.oracle.settle(self.items(first), others)
            runs = self.oracle.evidence(self.items(first)).runs
            self._hard_runs += runs if not seen.verdict.met and runs >= HARD_TO_TELL else 0
            if self._hard_runs >= DOUBTED_AFTER:
                self._hard_runs = 0
                self._doubt_the_best()

    def _doubt_the_best(self) -> None:
        """Looks again at the best one, and goes back to the last one that holds if it does not.

        A wrong yes is found out early so: what is tried after it is hard to tell from it, and all of that is in vain.
        """
        refused = self.best
        while len(self.history) > 1 and not self.oracle.doubt(self.items(self.history[-1]), DOUBT_RUNS):
            self.history.pop()
        if self.history and self.history[-1] != refused:
            self.go_back(self.history[-1])
            kept = set(refused)
            self.on_back(tuple(number for number in self.best if number not in kept))

    def _take_note(self, candidate: Candidate, seen: Seen) -> None:
        length = seen.verdict.length
        if seen.verdict.met and length < len(candidate):
            self.oracle.share(self.items(candidate), self.items(candidate[:length]))
        if seen.verdict.met and seen.trace is None:
            seen = replace(seen, trace=self.oracle.trace_of(self.items(candidate)))
        super()._take_note(candidate, seen)

    def _count(self, candidate: Candidate, seen: Seen) -> None:
        self.runs, self.events = self.oracle.runs, self.oracle.events

    def _accept(self, candidate: Candidate, trace: Trace | None) -> None:
        self.oracle.refer(self.items(candidate))
        self.history.append(candidate)
        self._hard_runs = 0
        self.runs, self.events = self.oracle.runs, self.oracle.events
        super()._accept(candidate, trace)

    def _tell(self, candidate: int, met: bool) -> None:
        oracle = self.oracle
        self.on_run(ReductionProgress(self.stage, candidate, met, len(self.best), oracle.runs, oracle.events))


def _nobody_minds(left_out: Candidate) -> None:
    pass


def _nobody_hears(items: Sequence[object], trial: Trial) -> None:
    pass

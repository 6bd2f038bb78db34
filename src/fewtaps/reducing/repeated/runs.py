"""Verdicts by repeated runs: a candidate is run until a sequential test is sure of the answer.

Every pass of the reducer works with these verdicts as with those of single runs. Every run is kept as a trial. A
verdict is what the trials say when it is asked for, so that later trials can reverse it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Generic, TypeVar

from fewtaps.budget import Budget
from fewtaps.model.result import Verdict
from fewtaps.model.trace import Trace
from fewtaps.model.trial import Trial
from fewtaps.reducing.player import LOST_IN_A_ROW, Player
from fewtaps.reducing.problem import Candidate, EarlierBest, ItemFacts, Judged, Proposal, Seen, keep_finding
from fewtaps.reducing.repeated.sequential import Answer, CandidateBelief, Evidence, SequentialTest
from fewtaps.reducing.trials import Trials

T = TypeVar("T")

HARD_TO_TELL = 8
"""Runs after which a refused candidate counts as nearly good enough."""

DOUBTED_AFTER = 60
"""Runs of such candidates since the best was accepted, after which the best is checked again: it may be no better."""

DOUBT_RUNS, BEYOND_DOUBT = 20, 40
"""Further runs of the best in that check; none if it already has that many trials."""

TRACES = 32
"""Traces of candidates that are kept in memory; another one costs a run."""

COUPLED_FROM = 0.5
"""From this probability on, a candidate is taken to share the course of chance with the best one."""


class RepeatedRuns(Generic[T]):
    """Answers for candidates by repeated runs, `jobs` of them at once.

    `worlds` are the worlds that all candidates share; empty on devices without worlds. `history` are the candidates
    that were accepted, each shorter than the one before. `runs` and `events` count everything that was played.
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
        self.lookahead = max(1, jobs)
        self.findings: dict[str, Trace] = {}
        self.history: list[Proposal[T]] = []
        self._player = player
        self._worlds = tuple(worlds)
        self._jobs = max(1, jobs)
        self._budget = budget or Budget()
        self._of_best: dict[int, bool] = {}
        self._lost: dict[str, int] = {}
        self._chain: list[str] = []
        self._traces: dict[str, Trace] = {}
        self._has_traces = True
        self._hard_runs = 0

    @property
    def facts(self) -> ItemFacts[T]:
        """What is known of the items without running them."""
        return self._player

    # As a verdict source.

    def judge_original(self, original: Proposal[T]) -> Judged:
        """That the original meets the goal, by the trials that were made of it before, and how much of it they needed.

        Makes no run, except for a trace if none is in memory.
        """
        met = [trial.verdict.length for trial in self.trials_of(original.items) if trial.met]
        length = max(met, default=len(original.items))
        if length < len(original.items):
            self._copy_trials(original.items, original.items[:length])
        trace = self._trace_of(original.items[:length])
        return Judged(Seen(Verdict(met=True, length=length), trace), is_new=False)

    def judge(self, proposal: Proposal[T], following: Sequence[Proposal[T]]) -> Judged:
        """Runs a candidate until the answer is clear; devices that are free meanwhile run those that follow it."""
        verdict = self.recall(proposal)
        if verdict is not None:
            return Judged(self._with_trace(proposal.items, Seen(verdict)), is_new=False)
        seen = self.decide(proposal.items, [other.items for other in following])
        runs = self.evidence(proposal.items).runs
        if not seen.verdict.met and runs >= HARD_TO_TELL:
            self._hard_runs += runs
        back_to = None
        if self._hard_runs >= DOUBTED_AFTER:
            self._hard_runs = 0
            back_to = self._check_best_again()
        return Judged(self._with_trace(proposal.items, seen), back_to=back_to)

    def recall(self, proposal: Proposal[T]) -> Verdict | None:
        """The verdict, if the trials that were made already make it clear."""
        return None if self.answer(proposal.items) is Answer.OPEN else self._verdict(proposal.items)

    def replay(self, proposal: Proposal[T]) -> Seen:
        """The verdict, with a trace of a run that met the goal."""
        return self.decide(proposal.items)

    def accepted(self, proposal: Proposal[T]) -> None:
        """From now on candidates are compared with this one."""
        self.compare_with(proposal.items)
        self.history.append(proposal)
        self._hard_runs = 0

    # The answers of the test.

    def decide(self, items: tuple[T, ...], others: Sequence[tuple[T, ...]] = ()) -> Seen:
        """Runs a candidate until the answer is clear; devices that are free meanwhile run the others."""
        while self.answer(items) is Answer.OPEN:
            self._budget.check()
            self._play([*self._next_runs(items, others)][: self._jobs])
        verdict = self._verdict(items)
        return Seen(verdict, self._trace_of(items) if verdict.met else None)

    def answer(self, items: Sequence[T]) -> Answer:
        """The answer of the test to the trials so far."""
        return self.test.answer(self.evidence(items), self.best_rate, paired=bool(self._worlds))

    def belief(self, items: Sequence[T]) -> CandidateBelief:
        """How good a candidate probably is, by its trials."""
        return self.test.belief(self.evidence(items), self.best_rate, paired=bool(self._worlds))

    def probability(self, items: Sequence[T], at_least: float) -> float:
        """The probability that a candidate's rate is at least this high."""
        return self.test.probability(self.evidence(items), self.best_rate, at_least, paired=bool(self._worlds))

    def evidence(self, items: Sequence[T]) -> Evidence:
        """The trials of a candidate, counted by their outcome and by that of the best one in the same world."""
        counts = {(met, best): 0 for met in (True, False) for best in (True, False, None)}
        for trial in self.trials_of(items):
            best = None if trial.world is None else self._of_best.get(trial.world)
            counts[trial.met, best] += 1
        return Evidence(
            *(counts[True, True], counts[False, True], counts[True, False], counts[False, False]),
            *(counts[True, None], counts[False, None]),
        )

    def trials_of(self, items: Sequence[T]) -> Sequence[Trial]:
        """Every run of the candidate that counts for its tally."""
        return self.trials.of(self._player.key(items))

    # The best one, with which others are compared.

    def compare_with(self, items: Sequence[T], rate: float | None = None) -> None:
        """Makes this candidate the one that others are compared with; `rate` is its rate if that was measured."""
        belief = self.belief(items)
        outcomes = {trial.world: trial.met for trial in self.trials_of(items) if trial.world is not None}
        # Where it was not run itself, the outcomes of the best before it count, if the two share the course of chance.
        self._of_best = {**self._of_best, **outcomes} if belief.coupled >= COUPLED_FROM else outcomes
        self.best_rate = belief.rate if self._worlds else self._pooled_rate(self._player.key(items))
        if rate is not None:
            self.best_rate = rate

    def return_to(self, candidate: Candidate) -> EarlierBest:
        """Makes an earlier best the one that others are compared with. Those after it leave the history."""
        while self.history[-1].candidate != candidate:
            self.history.pop()
        items = self.history[-1].items
        trace = self._trace_of(items)
        self.compare_with(items)
        return EarlierBest(candidate, trace)

    def _check_best_again(self) -> EarlierBest | None:
        """Runs the best more often; if it turns out not to meet the goal, the last one before it that does.

        A wrong yes is found out early this way: candidates that are as good as a wrong best are hard to tell from it.
        """
        refused = self.history[-1].candidate
        while len(self.history) > 1 and not self._still_holds(self.history[-1].items):
            self.history.pop()
        held = self.history[-1].candidate
        return None if held == refused else self.return_to(held)

    def _still_holds(self, items: tuple[T, ...]) -> bool:
        """Runs an accepted candidate more often; whether it is still believed to be good."""
        trials = self.trials_of(items)
        played = {trial.world for trial in trials}
        worlds: Sequence[int | None] = [None] * DOUBT_RUNS
        if self._worlds:
            worlds = [world for world in self._worlds if world not in played][:DOUBT_RUNS]
        if len(trials) < BEYOND_DOUBT:
            self.measure(items, worlds)
        return self.belief(items).good >= 0.5

    def _pooled_rate(self, key: str) -> float:
        """The rate of the best one by its own trials and those of the bests before it, whose rate it has probably kept.

        Only where runs have no worlds: otherwise the worlds of the trials were chosen, and are no sample.
        """
        if key in self._chain:
            del self._chain[self._chain.index(key) :]
        self._chain.append(key)
        outcomes = [trial.met for each in self._chain for trial in self.trials.of(each)]
        return (sum(outcomes) + 0.5) / (len(outcomes) + 1)

    # Runs.

    def measure(self, items: tuple[T, ...], worlds: Sequence[int | None]) -> tuple[Trial, ...]:
        """Runs a candidate in each of these worlds in which it was not run before; the trials of all of them."""
        done = {trial.world: trial for trial in self.trials_of(items) if trial.world is not None}
        found = [done[world] for world in worlds if world is not None and world in done]
        missing = [world for world in worlds if world is None or world not in done]
        while missing:
            self._budget.check()
            played = self._play([(items, world) for world in missing[: self._jobs]])
            found += played
            for trial in played:
                missing.remove(trial.world)
        return tuple(found)

    def _play(self, tasks: Sequence[tuple[tuple[T, ...], int | None]], *, again: bool = False) -> list[Trial]:
        """Makes the runs and keeps their trials. A run whose device died is counted and gives no trial.

        With `again`, the runs repeat trials that are kept already, for their traces.
        """
        made: list[Trial] = []
        for (items, world), run in zip(tasks, self._player.run(tasks), strict=True):
            seen, key = run.seen, self._player.key(items)
            self.runs += 1
            self.events += seen.verdict.events
            self._budget.spend(runs=1, events=seen.verdict.events)
            self._has_traces = seen.trace is not None
            if not seen.certain and self._is_to_be_repeated(key):
                continue
            best = None if world is None else self._of_best.get(world)
            trial = Trial(seen.verdict, world, run.device, best)
            self._keep_trace(key, seen)
            keep_finding(self.findings, seen)
            if not again or world is None:
                self.trials.add(key, trial)
            made.append(trial)
        return made

    def _is_to_be_repeated(self, key: str) -> bool:
        """Whether the device died under a candidate for the first or second time in a row."""
        lost = self._lost[key] = self._lost.get(key, 0) + 1
        return lost % LOST_IN_A_ROW != 0

    def _next_runs(
        self, items: tuple[T, ...], others: Sequence[tuple[T, ...]]
    ) -> Iterable[tuple[tuple[T, ...], int | None]]:
        """The runs to make next: one of this candidate, one of each of the others, then a second one of each."""
        waiting = [items, *(other for other in others if self.answer(other) is Answer.OPEN)]
        orders = [self._worlds_left(each) for each in waiting]
        for place in range(self._jobs):
            for each, order in zip(waiting, orders, strict=True):
                if place < len(order):
                    yield each, order[place]

    def _worlds_left(self, items: Sequence[T]) -> Sequence[int | None]:
        """The worlds to run a candidate in, those that decide most first."""
        if not self._worlds:
            return [None] * self._jobs
        played = {trial.world for trial in self.trials_of(items)}
        left = [world for world in self._worlds if world not in played]
        if self.belief(items).coupled >= COUPLED_FROM:
            rank = {True: 0, None: 1, False: 2}
            left.sort(key=lambda world: rank[self._of_best.get(world)])
        return left

    # Verdicts and traces from trials.

    def _verdict(self, items: Sequence[T]) -> Verdict:
        """One verdict from many: met if the test says yes; as long as the longest run that met the goal."""
        trials = self.trials_of(items)
        met = self.answer(items) is Answer.YES
        like = [trial.verdict for trial in trials if trial.met == met] or [trial.verdict for trial in trials]
        if not like:
            return Verdict(met=met, length=len(items))
        return replace(max(like, key=lambda verdict: verdict.length), met=met)

    def _with_trace(self, items: tuple[T, ...], seen: Seen) -> Seen:
        """A verdict with a trace if the goal is met; a shorter run is then also a trial of the shorter candidate."""
        length = seen.verdict.length
        if seen.verdict.met and length < len(items):
            self._copy_trials(items, items[:length])
        if seen.verdict.met and seen.trace is None:
            return replace(seen, trace=self._trace_of(items))
        return seen

    def _copy_trials(self, longer: Sequence[T], shorter: Sequence[T]) -> None:
        """Takes the trials of a sequence for those of its beginning, because they never went beyond it."""
        known = {trial.world for trial in self.trials_of(shorter)}
        copied = [trial for trial in self.trials_of(longer) if trial.world is None or trial.world not in known]
        key = self._player.key(shorter)
        self.trials.share(key, copied)
        trace = self._traces.get(self._player.key(longer))
        if trace is not None:
            self._traces[key] = trace

    def _trace_of(self, items: tuple[T, ...]) -> Trace | None:
        """A trace of a run that met the goal, by one more run if none is in memory; None if runs have no traces."""
        key = self._player.key(items)
        trace = self._traces.get(key)
        if trace is None and self._has_traces:
            met = [trial for trial in self.trials.of(key) if trial.met]
            if met:
                longest = max(met, key=lambda trial: trial.verdict.length)
                self._play([(items, longest.world)], again=True)
                trace = self._traces.get(key)
        return trace

    def _keep_trace(self, key: str, seen: Seen) -> None:
        trace = self._traces.get(key)
        if not seen.verdict.met or seen.trace is None or (trace and len(trace.steps) >= len(seen.trace.steps)):
            return
        self._traces.pop(key, None)
        self._traces[key] = seen.trace
        while len(self._traces) > TRACES:
            del self._traces[next(iter(self._traces))]

"""A whole reduction by repeated runs: check the original, reduce, make sure of it, and go back where that fails.

The paper's frame (ND3MIN, sections 3 and 5.2): a pre-check of the original and a final check of the result, each by
runs of their own. In between any strategy of the deterministic reducer works under a doubtful oracle. Wrong answers
add up over a long reduction; the paper accepts what the final check then says. Here, where it is too bad, the
reduction goes back to the shortest trace that still holds and goes on from there, more carefully.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from fewtaps.budget import Budget
from fewtaps.errors import BudgetSpent, NotReproduced, UsageError
from fewtaps.model.result import ReductionProgress, Stage
from fewtaps.model.trace import Trace
from fewtaps.model.trial import Trial
from fewtaps.reducing.ddmin import delete_one_by_one, without
from fewtaps.reducing.doubtful import DoubtfulOracle, DoubtfulProblem, Player
from fewtaps.reducing.flaky.parameters import Nd3minParameters
from fewtaps.reducing.flaky.prior import Prior
from fewtaps.reducing.flaky.tally import Tally
from fewtaps.reducing.plan import Pass, check_strategy, run_passes, run_strategy
from fewtaps.reducing.probable import leave_out_the_needless, one_is_needed
from fewtaps.reducing.problem import Problem
from fewtaps.reducing.sequential import Evidence, SequentialTest
from fewtaps.reducing.shortcuts import cut_detours, shortcuts
from fewtaps.reducing.trials import Trials, TrialsInMemory

T = TypeVar("T")

TIMES_BACK = 1
"""So often the reduction goes back; then the result is what it is, and its check says so."""

HOLDS = 0.3
"""How probable the rate has to be after the final check: a miss more than it may have is no reason to go back."""

LONGEST_MADE_SURE = 30
"""Longer sequences are too dear to be tried without each single item until that is certain."""

RUNS_FOR_YES, RUNS_FOR_NO = 6.0, 2.0
"""What the two answers cost on average."""

LEFT_IS_NEEDED = 0.9
"""How probably an item is needed that was left in a result which did not hold."""

KEPT_SHARE = 0.75
"""What is asked for of an original that replays seldom, if nobody says: this share of its own rate."""


@dataclass(frozen=True, slots=True)
class Shorter(Generic[T]):
    """A sequence that is shorter than the result and does not do it as often as it should, by its check."""

    items: tuple[T, ...]
    check: Tally


@dataclass(frozen=True, slots=True)
class Repeated(Generic[T]):
    """What a reduction by repeated runs found, and how sure that is.

    `precheck` and `check` are the runs of the original before and of the result after, `check` None if it was stopped
    before. `needed` is the rate that was asked for. `rate_holds` is how probably the result has it, less the slack;
    `minimal` how probably no single item can be left out. `is_always` says that the original never failed to meet the
    goal and that one run per candidate was enough; `went_back` how often a check was not passed. `shorter` is what then
    was refused: shorter, and too seldom successful. `trials` are all runs of the result.
    """

    items: tuple[T, ...]
    trace: Trace | None
    precheck: Tally
    needed: float
    check: Tally | None
    rate_holds: float
    minimal: float
    runs: int
    events: int
    is_always: bool
    went_back: int
    trials: tuple[Trial, ...]
    shorter: Shorter[T] | None = None
    stages: tuple[Stage, ...] = ()
    findings: tuple[Trace, ...] = ()


def reduce_repeatedly(
    items: Sequence[T],
    player: Player[T],
    parameters: Nd3minParameters,
    *,
    prior: Prior | None = None,
    strategy: str = "auto",
    adapt: bool = False,
    worlds: Sequence[int] = (),
    trials: Trials | None = None,
    jobs: int = 1,
    budget: Budget | None = None,
    confidence: float = 0.6,
    last_passes: Sequence[Pass] = (),
    on_better: Callable[[Repeated[T]], None] | None = None,
    on_run: Callable[[ReductionProgress], None] | None = None,
) -> Repeated[T]:
    """A short sequence that meets its goal in at least `needed` of `runs` runs, as far as runs can tell.

    `worlds` are enough for all checks, twice `parameters.runs` at least, or none. With `adapt`, an original that does
    it less often than the parameters ask for is measured by its own rate instead of being refused. `confidence` is how
    probable it has to be that no single item can be left out; runs are made until it is. `last_passes` run when all
    else is done.

    Raises NotReproduced if the original meets the goal too seldom, and BudgetSpent, with the `Repeated` so far, when
    the budget is used up.
    """
    check_strategy(strategy)
    if worlds and len(worlds) < 2 * parameters.runs:
        raise UsageError(f"{len(worlds)} worlds are too few: {2 * parameters.runs} are needed for both checks")
    kept = TrialsInMemory() if trials is None else trials
    work = _Work(items, player, parameters, prior or Prior.paper(), worlds, kept, jobs, budget or Budget())
    work.strategy, work.adapt, work.confidence, work.last_passes = strategy, adapt, confidence, last_passes
    work.listen(on_better, on_run)
    return work.reduce()


class _Work(Generic[T]):
    """One reduction."""

    def __init__(
        self,
        items: Sequence[T],
        player: Player[T],
        parameters: Nd3minParameters,
        prior: Prior,
        worlds: Sequence[int],
        trials: Trials,
        jobs: int,
        budget: Budget,
    ) -> None:
        self.strategy = "auto"
        self.adapt = False
        self.confidence = 0.6
        self.last_passes: Sequence[Pass] = ()
        self._parameters = parameters
        self._worlds = tuple(worlds)
        self._strict = SequentialTest(prior, parameters.rate, margin=parameters.slack, most=parameters.runs)
        self._oracle = DoubtfulOracle(
            player, self._strict, trials, worlds=self._worlds[: parameters.runs], jobs=jobs, budget=budget
        )
        self._problem = DoubtfulProblem(items, self._oracle, batch=jobs)
        self._on_better: Callable[[Repeated[T]], None] | None = None
        self._precheck = Tally()
        self._check: Tally | None = None
        self._checked_worlds = parameters.runs
        self._is_always = False
        self._went_back = 0
        self._shorter: Shorter[T] | None = None
        self._needed: dict[int, float] = {}
        self._problem.on_back = lambda left_out: one_is_needed(self._needed, left_out)

    def listen(
        self, on_better: Callable[[Repeated[T]], None] | None, on_run: Callable[[ReductionProgress], None] | None
    ) -> None:
        """Says who is told."""
        self._on_better = on_better
        self._problem.on_better = self._tell_better
        if on_run is not None:
            self._problem.on_run = on_run

    def reduce(self) -> Repeated[T]:
        """From the original to the shortest, or to a limit."""
        try:
            self._check_original()
            self._problem.start()
            self._run()
        except BudgetSpent as spent:
            self._leave_what_never_works()
            raise BudgetSpent(spent.limit, self._result() if self._problem.history else None) from None
        return self._result()

    def _check_original(self) -> None:
        """The paper's pre-check, ended as soon as it is decided; how often it does it becomes the measure."""
        parameters = self._parameters
        original = self._problem.items(self._problem.best)
        seen = self._measured(original, self._places(0, parameters.precheck))
        if seen.missed or not seen.runs:
            more = self._measured(original, self._places(seen.runs, parameters.runs - seen.runs))
            seen = Tally(seen.met + more.met, seen.missed + more.missed)
        self._precheck = seen
        if seen.met < max(1, 0 if self.adapt else parameters.precheck):
            raise NotReproduced(_too_seldom(seen, parameters))
        if self.adapt and seen.rate < parameters.rate:
            self._strict = replace(self._strict, needed=KEPT_SHARE * seen.rate)
        # Without worlds, runs that all went well prove little: the next may go otherwise.
        self._is_always = bool(self._worlds) and not seen.missed
        self._oracle.test = replace(self._strict, optimistic=self._is_always)
        self._oracle.refer(original, (seen.met + 0.5) / (seen.runs + 0.5))
        self._strict.require_open(self._oracle.best_rate)

    def _run(self) -> None:
        while True:
            self._reduce_by_strategy()
            if self._holds() or self._went_back == TIMES_BACK or not self._go_back():
                break
        if self._never_works:
            self._go_back_to_what_works()

    def _reduce_by_strategy(self) -> None:
        """The strategy's passes; then everything is tried without each single item until that is believed."""
        size = None
        while size != len(self._problem.best):
            self._run_strategy()
            if self.last_passes:
                run_passes(self._problem, self.last_passes)
                self._run_strategy()
            size = len(self._problem.best)
            self._make_sure_of_minimality()

    def _run_strategy(self) -> None:
        """The strategy that was asked for; `auto` leaves to chance what the deterministic one does by levels."""
        if self.strategy != "auto":
            run_strategy(self._problem, self.strategy)
            return
        size = None
        while size != len(self._problem.best):
            size = len(self._problem.best)
            run_passes(self._problem, (shortcuts, self.probably_needless, cut_detours))

    def probably_needless(self, problem: Problem[T]) -> None:
        """Leaves out what is probably needless, remembering from pass to pass what was learned."""
        cost = 1.0 if self._oracle.test.optimistic else RUNS_FOR_YES
        leave_out_the_needless(problem, self._needed, yes_cost=cost, no_cost=min(cost, RUNS_FOR_NO))

    def _make_sure_of_minimality(self) -> None:
        count = max(1, len(self._problem.best))
        if count > LONGEST_MADE_SURE:
            return
        doubt = 1 - self.confidence ** (1 / count)
        usual = self._oracle.test
        self._oracle.test = replace(self._strict, wrong_no=min(self._strict.wrong_no, doubt))
        try:
            run_passes(self._problem, (delete_one_by_one,))
        finally:
            self._oracle.test = usual

    def _holds(self) -> bool:
        """The final check, by runs that nothing was chosen by."""
        self._check = self._checked(self._problem.items(self._problem.best))
        return self._rate_holds(self._check) >= HOLDS

    def _rate_holds(self, check: Tally) -> float:
        evidence = Evidence(met_alone=check.met, missed_alone=check.missed)
        test = self._strict
        return test.probability(evidence, max(self._precheck.rate, test.needed), test.at_least)

    def _go_back(self) -> bool:
        """Makes the shortest earlier best that still holds the best again; false if there is none to go back to."""
        self._went_back += 1
        self._is_always = False
        self._note_shorter()
        self._oracle.test = self._strict
        # What was left is not enough, but hardly a mistake: something else is needed too.
        self._needed = dict.fromkeys(self._problem.best, LEFT_IS_NEEDED)
        history = self._problem.history
        refused, held = len(history) - 1, 0
        while held + 1 < refused:
            middle = (held + refused) // 2
            if self._oracle.settle(self._problem.items(history[middle])).verdict.met:
                held = middle
            else:
                refused = middle
        if not history or held == len(history) - 1:
            return False
        self._oracle.refer(self._problem.items(history[0]), self._precheck.rate)
        self._problem.go_back(history[held])
        self._check = None
        # Other worlds for the next check: it must not be passed by what was chosen to pass this one.
        if self._worlds and self._checked_worlds + 2 * self._parameters.runs <= len(self._worlds):
            self._checked_worlds += self._parameters.runs
        return True

    @property
    def _never_works(self) -> bool:
        """Whether the best one failed all runs of its check: that is no result, however it was come by."""
        return self._check is not None and not self._check.met and len(self._problem.history) > 1

    def _go_back_to_what_works(self) -> None:
        """Makes an earlier best the best again that did it in some run of the same check; at worst the original."""
        self._note_shorter()
        history = self._problem.history
        refused, held, checks = len(history) - 1, 0, dict[int, Tally]()
        while held + 1 < refused:
            middle = (held + refused) // 2
            checks[middle] = self._checked(self._problem.items(history[middle]))
            held, refused = (middle, refused) if checks[middle].met else (held, middle)
        self._leave_for(held)
        self._check = checks[held] if held in checks else self._checked(self._problem.items(history[held]))

    def _leave_what_never_works(self) -> None:
        """The same when nothing may be played any more: the original."""
        if self._never_works:
            self._leave_for(0)
            self._check = None

    def _leave_for(self, place: int) -> None:
        self._went_back += 1
        self._is_always = False
        self._problem.go_back(self._problem.history[place])

    def _note_shorter(self) -> None:
        """Keeps what is refused: it may do it too, but too seldom."""
        best = self._problem.items(self._problem.best)
        if self._check is not None and (self._shorter is None or len(best) < len(self._shorter.items)):
            self._shorter = Shorter(best, self._check)

    def _checked(self, items: tuple[T, ...]) -> Tally:
        return self._measured(items, self._places(self._checked_worlds, self._parameters.runs))

    def _measured(self, items: tuple[T, ...], places: Sequence[int | None]) -> Tally:
        trials = self._oracle.measure(items, places)
        met = sum(trial.met for trial in trials)
        return Tally(met, len(trials) - met)

    def _places(self, start: int, count: int) -> Sequence[int | None]:
        return self._worlds[start : start + count] if self._worlds else [None] * count

    def _tell_better(self) -> None:
        if self._on_better is not None:
            self._on_better(self._result())

    def _result(self) -> Repeated[T]:
        problem, oracle = self._problem, self._oracle
        best = problem.items(problem.best)
        return Repeated(
            items=best,
            trace=problem.trace,
            precheck=self._precheck,
            needed=self._strict.needed,
            check=self._check,
            rate_holds=0.0 if self._check is None else self._rate_holds(self._check),
            minimal=self._minimal(),
            runs=oracle.runs,
            events=oracle.events,
            is_always=self._is_always,
            went_back=self._went_back,
            trials=tuple(oracle.trials.of(oracle.key(best))),
            shorter=self._shorter if self._shorter and len(self._shorter.items) < len(best) else None,
            stages=tuple(problem.stages),
            findings=tuple(oracle.findings.values()),
        )

    def _minimal(self) -> float:
        """How probably no single item can be left out: as Lemma 1, but with what was really seen of each."""
        best, probable = self._problem.best, 1.0
        for place in range(len(best)):
            shorter = self._problem.items(without(best, place, place + 1))
            probable *= 1 - self._oracle.probability(shorter, self._strict.needed)
        return probable


def _too_seldom(seen: Tally, parameters: Nd3minParameters) -> str:
    if not seen.met:
        return f"the original does not meet the goal in any of {seen.runs} runs"
    return (
        f"the original meets the goal in {seen.met} of {seen.runs} runs only, and {parameters.precheck} are asked for"
    )

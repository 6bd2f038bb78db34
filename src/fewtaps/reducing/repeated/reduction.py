"""A whole reduction by repeated runs: check the original, reduce, check the result, and go back if that fails.

The frame is that of the paper (ND3MIN, sections 3 and 5.2): a pre-check of the original and a final check of the
result, each by runs of their own. In between any strategy of the reducer works with verdicts by repeated runs. Wrong
verdicts add up over a long reduction; the paper accepts whatever the final check then says. Here, if the check is
failed, the reduction goes back to the shortest sequence that passes it and goes on from there with more runs.
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
from fewtaps.reducing.nd3min.parameters import Nd3minParameters
from fewtaps.reducing.nd3min.prior import Prior
from fewtaps.reducing.nd3min.tally import Tally
from fewtaps.reducing.plan import Pass, check_strategy, run_passes, run_strategy
from fewtaps.reducing.player import Player
from fewtaps.reducing.problem import Problem
from fewtaps.reducing.repeated.probable import leave_out_the_needless, one_is_needed
from fewtaps.reducing.repeated.runs import RepeatedRuns
from fewtaps.reducing.repeated.sequential import Evidence, SequentialTest
from fewtaps.reducing.shortcuts import cut_detours, shortcuts
from fewtaps.reducing.trials import Trials, TrialsInMemory

T = TypeVar("T")

TIMES_BACK = 1
"""How often a failed final check leads back; after that the result stays, whatever its check says."""

HOLDS = 0.3
"""The least probability of the needed rate, after the final check, with which the check is passed.

It is low because one miss more than allowed is no reason to go back.
"""

LONGEST_MADE_SURE = 30
"""Most items of a result that is tried without each single item until that is certain: more take too many runs."""

RUNS_FOR_YES, RUNS_FOR_NO = 6.0, 2.0
"""Runs that the two answers take on average."""

LEFT_IS_NEEDED = 0.9
"""The probability that an item is needed if it is in a result that failed its check."""

KEPT_SHARE = 0.75
"""The share of its own rate that is asked for if the original meets the goal less often than the parameters ask."""


@dataclass(frozen=True, slots=True)
class RefusedResult(Generic[T]):
    """A sequence that is shorter than the result and meets the goal too seldom, by its check."""

    items: tuple[T, ...]
    check: Tally


@dataclass(frozen=True, slots=True)
class RepeatedReduction(Generic[T]):
    """The result of a reduction by repeated runs, and how sure it is.

    `precheck` and `check` are the runs of the original before and of the result after, `check` None if it was stopped
    before. `needed` is the rate that was asked for. `rate_holds` is the probability that the result has it, less the
    slack; `minimal` the probability that no single item can be left out. `is_always` says that the original met the
    goal in every run and that one run per candidate was enough; `went_back` how often a check was failed. `shorter` is
    the shortest sequence that was refused then. `trials` are all runs of the result.
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
    shorter: RefusedResult[T] | None = None
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
    on_better: Callable[[RepeatedReduction[T]], None] | None = None,
    on_run: Callable[[ReductionProgress], None] | None = None,
) -> RepeatedReduction[T]:
    """A short sequence that meets its goal in at least `needed` of `runs` runs, as far as runs can tell.

    `worlds` are enough for all checks, twice `parameters.runs` at least, or none. With `adapt`, an original that meets
    the goal less often than the parameters ask for is measured by its own rate instead of being refused. `confidence`
    is the probability with which no single item can be left out; runs are made until it is reached. `last_passes` run
    after the strategy.

    Raises NotReproduced if the original meets the goal too seldom, and BudgetSpent, with the `RepeatedReduction` so
    far, when the budget is used up.
    """
    check_strategy(strategy)
    if worlds and len(worlds) < 2 * parameters.runs:
        raise UsageError(f"{len(worlds)} worlds are too few: {2 * parameters.runs} are needed for both checks")
    plan = _Plan(parameters, strategy, adapt, confidence, tuple(last_passes), tuple(worlds))
    test = SequentialTest(prior or Prior.paper(), parameters.rate, margin=parameters.slack, most=parameters.runs)
    source = RepeatedRuns(
        player,
        test,
        TrialsInMemory() if trials is None else trials,
        worlds=plan.worlds[: parameters.runs],
        jobs=jobs,
        budget=budget,
    )
    return _Search(items, source, plan, on_better, on_run).reduce()


@dataclass(frozen=True, slots=True)
class _Plan:
    """The settings of one call of `reduce_repeatedly`."""

    parameters: Nd3minParameters
    strategy: str
    adapt: bool
    confidence: float
    last_passes: tuple[Pass, ...]
    worlds: tuple[int, ...]


class _Search(Generic[T]):
    """The state of one reduction: the plan, the problem, and the tallies so far."""

    def __init__(
        self,
        items: Sequence[T],
        source: RepeatedRuns[T],
        plan: _Plan,
        on_better: Callable[[RepeatedReduction[T]], None] | None,
        on_run: Callable[[ReductionProgress], None] | None,
    ) -> None:
        self._plan = plan
        self._source = source
        self._strict = source.test
        self._problem = Problem(items, source)
        self._precheck = Tally()
        self._check: Tally | None = None
        self._checked_worlds = plan.parameters.runs
        self._is_always = False
        self._went_back = 0
        self._shorter: RefusedResult[T] | None = None
        self._needed: dict[int, float] = {}
        self._problem.on_back = lambda numbers: one_is_needed(self._needed, numbers)
        if on_better is not None:
            self._problem.on_better = lambda: on_better(self._result())
        if on_run is not None:
            self._problem.on_run = on_run

    def reduce(self) -> RepeatedReduction[T]:
        """From the original to the shortest, or to a limit."""
        try:
            self._check_original()
            self._problem.start()
            self._run()
        except BudgetSpent as spent:
            self._leave_what_never_works()
            raise BudgetSpent(spent.limit, self._result() if self._source.history else None) from None
        return self._result()

    def _check_original(self) -> None:
        """The paper's pre-check, ended as soon as it is decided; the rate it measures becomes that of the best."""
        parameters = self._plan.parameters
        original = self._problem.items(self._problem.best)
        seen = self._measured(original, self._places(0, parameters.precheck))
        if seen.missed or not seen.runs:
            more = self._measured(original, self._places(seen.runs, parameters.runs - seen.runs))
            seen = Tally(seen.met + more.met, seen.missed + more.missed)
        self._precheck = seen
        if seen.met < max(1, 0 if self._plan.adapt else parameters.precheck):
            raise NotReproduced(_too_seldom(seen, parameters))
        if self._plan.adapt and seen.rate < parameters.rate:
            self._strict = replace(self._strict, needed=KEPT_SHARE * seen.rate)
        # Without worlds, good runs alone prove little: the next one may be different.
        self._is_always = bool(self._plan.worlds) and not seen.missed
        self._source.test = replace(self._strict, optimistic=self._is_always)
        self._source.compare_with(original, (seen.met + 0.5) / (seen.runs + 0.5))
        self._strict.require_open(self._source.best_rate)

    def _run(self) -> None:
        while True:
            self._reduce_by_strategy()
            if self._holds() or self._went_back == TIMES_BACK or not self._go_back():
                break
        if self._never_works:
            self._go_back_to_what_works()

    def _reduce_by_strategy(self) -> None:
        """Runs the strategy's passes, then tries the result without each single item until the answers are sure."""
        size = None
        while size != len(self._problem.best):
            self._run_strategy()
            if self._plan.last_passes:
                run_passes(self._problem, self._plan.last_passes)
                self._run_strategy()
            size = len(self._problem.best)
            self._make_sure_of_minimality()

    def _run_strategy(self) -> None:
        """The strategy that was asked for. In `auto`, probabilities of items take the place of levels."""
        if self._plan.strategy != "auto":
            run_strategy(self._problem, self._plan.strategy)
            return
        size = None
        while size != len(self._problem.best):
            size = len(self._problem.best)
            run_passes(self._problem, (shortcuts, self.probably_needless, cut_detours))

    def probably_needless(self, problem: Problem[T]) -> None:
        """Leaves out probably needless items. Their probabilities are kept from pass to pass."""
        cost = 1.0 if self._source.test.optimistic else RUNS_FOR_YES
        leave_out_the_needless(problem, self._needed, yes_cost=cost, no_cost=min(cost, RUNS_FOR_NO))

    def _make_sure_of_minimality(self) -> None:
        count = max(1, len(self._problem.best))
        if count > LONGEST_MADE_SURE:
            return
        doubt = 1 - self._plan.confidence ** (1 / count)
        usual = self._source.test
        self._source.test = replace(self._strict, wrong_no=min(self._strict.wrong_no, doubt))
        try:
            run_passes(self._problem, (delete_one_by_one,))
        finally:
            self._source.test = usual

    def _holds(self) -> bool:
        """The final check, by runs of its own: no candidate was chosen because of them."""
        self._check = self._checked(self._problem.items(self._problem.best))
        return self._rate_holds(self._check) >= HOLDS

    def _rate_holds(self, check: Tally) -> float:
        evidence = Evidence(met_alone=check.met, missed_alone=check.missed)
        test = self._strict
        return test.probability(evidence, max(self._precheck.rate, test.needed), test.at_least)

    def _go_back(self) -> bool:
        """Goes back to the shortest earlier best that meets the goal; false if there is none."""
        self._went_back += 1
        self._is_always = False
        self._note_shorter()
        self._source.test = self._strict
        # The items of the failed result are probably needed, and some of those that were left out are needed too.
        self._needed = dict.fromkeys(self._problem.best, LEFT_IS_NEEDED)
        history = self._source.history
        refused, held = len(history) - 1, 0
        while held + 1 < refused:
            middle = (held + refused) // 2
            if self._source.decide(history[middle].items).verdict.met:
                held = middle
            else:
                refused = middle
        if not history or held == len(history) - 1:
            return False
        self._source.compare_with(history[0].items, self._precheck.rate)
        self._problem.go_back(self._source.return_to(history[held].candidate))
        self._check = None
        # The next check needs other worlds: the result is from now on chosen by those of this check.
        if self._plan.worlds and self._checked_worlds + 2 * self._plan.parameters.runs <= len(self._plan.worlds):
            self._checked_worlds += self._plan.parameters.runs
        return True

    @property
    def _never_works(self) -> bool:
        """Whether the best one missed the goal in all runs of its check, and there is an earlier one."""
        return self._check is not None and not self._check.met and len(self._source.history) > 1

    def _go_back_to_what_works(self) -> None:
        """Goes back to an earlier best that met the goal in some run of the same check; at worst the original."""
        self._note_shorter()
        history = self._source.history
        refused, held, checks = len(history) - 1, 0, dict[int, Tally]()
        while held + 1 < refused:
            middle = (held + refused) // 2
            checks[middle] = self._checked(history[middle].items)
            held, refused = (middle, refused) if checks[middle].met else (held, middle)
        self._leave_for(held)
        self._check = checks[held] if held in checks else self._checked(history[held].items)

    def _leave_what_never_works(self) -> None:
        """Goes back to the original if the best one missed every run of its check and the budget is spent."""
        if self._never_works:
            self._leave_for(0)
            self._check = None

    def _leave_for(self, place: int) -> None:
        self._went_back += 1
        self._is_always = False
        self._problem.go_back(self._source.return_to(self._source.history[place].candidate))

    def _note_shorter(self) -> None:
        """Keeps the refused result: it meets the goal too, but too seldom."""
        best = self._problem.items(self._problem.best)
        if self._check is not None and (self._shorter is None or len(best) < len(self._shorter.items)):
            self._shorter = RefusedResult(best, self._check)

    def _checked(self, items: tuple[T, ...]) -> Tally:
        return self._measured(items, self._places(self._checked_worlds, self._plan.parameters.runs))

    def _measured(self, items: tuple[T, ...], places: Sequence[int | None]) -> Tally:
        trials = self._source.measure(items, places)
        met = sum(trial.met for trial in trials)
        return Tally(met, len(trials) - met)

    def _places(self, start: int, count: int) -> Sequence[int | None]:
        return self._plan.worlds[start : start + count] if self._plan.worlds else [None] * count

    def _result(self) -> RepeatedReduction[T]:
        problem, source = self._problem, self._source
        best = problem.items(problem.best)
        return RepeatedReduction(
            items=best,
            trace=problem.trace,
            precheck=self._precheck,
            needed=self._strict.needed,
            check=self._check,
            rate_holds=0.0 if self._check is None else self._rate_holds(self._check),
            minimal=self._minimal(),
            runs=source.runs,
            events=source.events,
            is_always=self._is_always,
            went_back=self._went_back,
            trials=tuple(source.trials_of(best)),
            shorter=self._shorter if self._shorter and len(self._shorter.items) < len(best) else None,
            stages=tuple(problem.stages),
            findings=tuple(source.findings.values()),
        )

    def _minimal(self) -> float:
        """The probability that no single item can be left out: as Lemma 1, with the trials of each candidate."""
        best, probable = self._problem.best, 1.0
        for place in range(len(best)):
            shorter = self._problem.items(without(best, place, place + 1))
            probable *= 1 - self._source.probability(shorter, self._strict.needed)
        return probable


def _too_seldom(seen: Tally, parameters: Nd3minParameters) -> str:
    if not seen.met:
        return f"the original does not meet the goal in any of {seen.runs} runs"
    return (
        f"the original meets the goal in {seen.met} of {seen.runs} runs only, and {parameters.precheck} are asked for"
    )

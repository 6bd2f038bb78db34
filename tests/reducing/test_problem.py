"""The one door for better sequences: what it counts, remembers, announces and refuses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from builders import APP, crash, trace
from reducing.recordings import EXAMPLE, THE_CRASH, THE_GOAL, numbers_of

from fewtaps.budget import Budget
from fewtaps.errors import BudgetSpent, NotReproduced
from fewtaps.model.ending import Ending
from fewtaps.model.event import Event, Launch, Tap, Wait
from fewtaps.model.result import Reduction, ReductionProgress, Verdict
from fewtaps.model.trace import Step, Trace
from fewtaps.reducing.oracle import PredicateOracle
from fewtaps.reducing.plan import STRATEGIES, reduce, reduce_trace
from fewtaps.reducing.problem import EarlierBest, Judged, Problem, Proposal
from fewtaps.reducing.single_runs import SingleRuns


def started(items: Sequence[str], needed: str, batch: int = 1) -> tuple[Problem[str], list[str]]:
    """A problem whose goal is to hold these letters, and what its oracle is asked, as it is asked."""
    asked: list[str] = []

    def holds(candidate: tuple[str, ...]) -> bool:
        asked.append("".join(candidate))
        return set(needed) <= set(candidate)

    problem = Problem(items, SingleRuns(PredicateOracle(holds), batch=batch))
    problem.start()
    return problem, asked


def test_equal_contents_are_asked_about_once() -> None:
    problem, asked = started("aab", "b")
    assert problem.first([(0,), (1,), (0,)]) is None
    assert asked == ["aab", "a"]
    assert (problem.runs, problem.known) == (2, 2)


def test_items_that_cannot_be_hashed_are_all_different() -> None:
    result = reduce([[1], [1], [2]], lambda items: [2] in items)
    assert result.items == ([2],)


def test_only_shorter_sequences_are_let_in() -> None:
    problem, _ = started("abc", "b")
    assert problem.first([(0, 1)]) is not None
    assert problem.best == (0, 1)
    assert problem.first([(0, 1, 2)]) is not None
    assert problem.first([(1, 2)]) is not None
    assert problem.best == (0, 1)


def test_what_was_judged_ahead_counts_only_when_it_is_asked_for() -> None:
    problem, asked = started("abcd", "a", batch=4)
    found = problem.first([(1,), (0,), (2,), (3,)])
    assert found is not None and found.index == 1
    assert asked == ["abcd", "b", "a", "c", "d"]
    assert (problem.runs, problem.events) == (3, 6)
    assert problem.first([(2,)]) is None
    assert asked[5:] == []
    assert problem.runs == 4


def test_of_several_that_would_do_the_first_is_taken_however_many_are_judged_at_once() -> None:
    for batch in (1, 2, 3, 8):
        problem, _ = started("abcd", "d", batch=batch)
        found = problem.first([(0,), (1, 3), (2, 3), (3,)])
        assert found is not None and found.candidate == (1, 3)
        assert problem.best == (1, 3)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_four_at_once_give_the_result_and_the_counts_of_one(strategy: str) -> None:
    one, four = (
        reduce_trace(EXAMPLE.trace, THE_GOAL, EXAMPLE.play, strategy=strategy, batch=batch) for batch in (1, 4)
    )
    assert one == four


@pytest.mark.parametrize("runs", [1, 3, 5, 8, 13])
def test_a_budget_ends_at_the_same_place_with_four_at_once(runs: int) -> None:
    bests = []
    for batch in (1, 4):
        with pytest.raises(BudgetSpent) as caught:
            reduce_trace(EXAMPLE.trace, THE_GOAL, EXAMPLE.play, strategy="ddmin", batch=batch, budget=Budget(runs=runs))
        bests.append(caught.value.best)
    assert bests[0] == bests[1]
    assert isinstance(bests[0], Reduction)
    assert bests[0].runs == runs
    assert THE_GOAL.met_by(bests[0].trace)


def test_a_budget_of_nothing_is_spent_before_the_first_run() -> None:
    with pytest.raises(BudgetSpent) as caught:
        reduce_trace(EXAMPLE.trace, THE_GOAL, EXAMPLE.play, budget=Budget(runs=0))
    assert caught.value.best is None


def test_every_improvement_is_announced_and_meets_the_goal() -> None:
    heard: list[Reduction] = []
    reduction = reduce_trace(EXAMPLE.trace, THE_GOAL, EXAMPLE.play, strategy="hdd", on_better=heard.append)
    assert all(THE_GOAL.met_by(each.trace) for each in heard)
    assert [each.size for each in heard] == [35, 19, 15, 8, 5, 3]
    assert heard[-1].trace == reduction.trace


def test_every_run_is_told() -> None:
    told: list[ReductionProgress] = []
    reduction = reduce_trace(EXAMPLE.trace, THE_GOAL, EXAMPLE.play, strategy="lhdd", plainer=False, on_run=told.append)
    assert told == [
        ReductionProgress("original", candidate=35, met=True, size=35, runs=1, events=36),
        ReductionProgress("lhdd", candidate=1, met=False, size=35, runs=2, events=38),
        ReductionProgress("lhdd", candidate=2, met=False, size=35, runs=3, events=41),
        ReductionProgress("lhdd", candidate=3, met=True, size=3, runs=4, events=45),
    ]
    assert told[-1].events == reduction.events


def test_verdicts_outlive_a_reduction() -> None:
    known: dict[str, Verdict] = {}
    first = reduce_trace(EXAMPLE.trace, THE_GOAL, EXAMPLE.play, strategy="ddmin", known=known, plainer=False)
    second = reduce_trace(EXAMPLE.trace, THE_GOAL, EXAMPLE.play, strategy="ddmin", known=known, plainer=False)
    assert second.trace == first.trace
    # The original is always checked, and what was found is shown once more.
    assert second.runs == 2


@pytest.mark.parametrize("runs", [2, 4, 7, 11])
@pytest.mark.parametrize("strategy", ["auto", "ddmin"])
def test_a_reduction_that_was_cut_off_goes_on_to_the_same_end(strategy: str, runs: int) -> None:
    whole = reduce_trace(EXAMPLE.trace, THE_GOAL, EXAMPLE.play, strategy=strategy)
    known: dict[str, Verdict] = {}
    try:
        reduce_trace(EXAMPLE.trace, THE_GOAL, EXAMPLE.play, strategy=strategy, known=known, budget=Budget(runs=runs))
    except BudgetSpent:
        resumed = reduce_trace(EXAMPLE.trace, THE_GOAL, EXAMPLE.play, strategy=strategy, known=known)
        assert resumed.trace == whole.trace
        assert resumed.runs <= whole.runs
    else:
        assert whole.runs <= runs


def test_what_was_remembered_but_no_longer_holds_is_said() -> None:
    known: dict[str, Verdict] = {}
    reduce_trace(EXAMPLE.trace, THE_GOAL, EXAMPLE.play, strategy="hdd", known=known)

    def only_the_original(candidates: Sequence[tuple[Event, ...]]) -> list[Trace]:
        return [EXAMPLE.play_one(each if len(each) == 36 else each[:1]) for each in candidates]

    with pytest.raises(NotReproduced, match="known from earlier runs"):
        reduce_trace(EXAMPLE.trace, THE_GOAL, only_the_original, strategy="hdd", known=known)


ANOTHER = crash("com.example.app.Other.onClick")


def play_two_crashes(candidates: Sequence[tuple[Event, ...]]) -> list[Trace]:
    """Taps of 1, 2 and 3 crash as wanted; without 1, a 2 crashes otherwise."""
    traces = []
    for events in candidates:
        steps = [Step(Launch())]
        done: list[int] = []
        for event in events[1:]:
            if isinstance(event, Wait):
                steps.append(Step(event))
                continue
            assert isinstance(event, Tap)
            done.append(event.x)
            if event.x == 2 and 1 not in done:
                steps.append(Step(event, crash=ANOTHER, ending=Ending.CRASHED))
                break
            if {1, 2, 3} <= set(done):
                steps.append(Step(event, crash=THE_CRASH, ending=Ending.CRASHED))
                break
            steps.append(Step(event))
        traces.append(Trace(APP, tuple(steps)))
    return traces


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_another_crash_is_a_finding_and_never_taken_for_the_wanted_one(strategy: str) -> None:
    original = trace(*(Tap(x, 0) for x in (4, 1, 5, 6, 2, 7, 3)))
    reduction = reduce_trace(original, THE_GOAL, play_two_crashes, strategy=strategy)
    assert THE_GOAL.met_by(reduction.trace)
    for found in reduction.findings:
        assert found.crash == ANOTHER
    if strategy in ("auto", "ddmin", "segments"):
        assert numbers_of(reduction.trace) == (1, 1, 2, 3)
        assert [numbers_of(found) for found in reduction.findings] == [(1, 2)]


def test_an_original_that_crashes_otherwise_is_told_with_what_it_did() -> None:
    original = trace(Tap(2, 0), Tap(3, 0))
    with pytest.raises(NotReproduced, match=r"crashed otherwise, .*Other\.onClick") as caught:
        reduce_trace(original, THE_GOAL, play_two_crashes)
    seen = caught.value.traces[0]
    assert isinstance(seen, Trace) and seen.crash == ANOTHER


def test_an_original_that_does_nothing_is_told() -> None:
    with pytest.raises(NotReproduced, match="after 2 events the app is running"):
        reduce_trace(trace(Tap(1, 0), Tap(4, 0)), THE_GOAL, play_two_crashes)


def test_a_run_in_which_the_device_died_is_not_remembered() -> None:
    known: dict[str, Verdict] = {}

    def play(candidates: Sequence[tuple[Event, ...]]) -> list[Trace]:
        whole = EXAMPLE.play(candidates)
        return [each if len(each.steps) == 36 else dead(each) for each in whole]

    def dead(seen: Trace) -> Trace:
        return Trace(seen.app, (Step(Launch(), ending=Ending.LOST),))

    reduction = reduce_trace(EXAMPLE.trace, THE_GOAL, play, known=known)
    assert reduction.size == 35
    assert list(known.values()) == [Verdict(True, 35, crash=THE_CRASH.signature, events=36)]


class Forgetful(SingleRuns[str]):
    """A source that takes its yes to the last accepted candidate back when it refuses another."""

    def __init__(self, needed: str) -> None:
        super().__init__(PredicateOracle(lambda items: set(needed) <= set(items)))
        self.history: list[Proposal[str]] = []

    def accepted(self, proposal: Proposal[str]) -> None:
        self.history.append(proposal)

    def judge(self, proposal: Proposal[str], following: Sequence[Proposal[str]]) -> Judged:
        judged = super().judge(proposal, following)
        if judged.seen.verdict.met or len(self.history) < 2:
            return judged
        self.history.pop()
        return replace(judged, back_to=EarlierBest(self.history[-1].candidate, None))


def test_a_source_that_takes_a_yes_back_leads_back_to_the_best_before() -> None:
    problem = Problem("abcd", Forgetful("d"))
    back: list[tuple[int, ...]] = []
    bests: list[tuple[int, ...]] = []
    problem.on_back = back.append
    problem.on_better = lambda: bests.append(problem.best)
    problem.start()
    assert problem.first([(2, 3)]) is not None
    assert problem.first([(2,)]) is None
    assert problem.best == (0, 1, 2, 3)
    assert back == [(0, 1)]
    assert bests == [(0, 1, 2, 3), (2, 3), (0, 1, 2, 3)]


@pytest.mark.parametrize("batch", [1, 2])
def test_a_candidate_that_a_longer_run_settles_is_known_even_if_it_was_run_ahead(batch: int) -> None:
    def until_b(items: tuple[str, ...]) -> Verdict:
        length = items.index("b") + 1 if "b" in items else len(items)
        return Verdict("b" in items, length, events=length)

    problem = Problem("xabc", SingleRuns(PredicateOracle(until_b), batch=batch))
    problem.start()
    # The run of a, b, c ends after b, so that a, b is known.
    assert problem.first([(1, 2, 3), (1, 2)], accepts=lambda verdict: False) is None
    assert (problem.runs, problem.known) == (2, 1)

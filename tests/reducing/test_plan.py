"""What every reduction promises, on simulated apps and on predicates without any sense."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from random import Random

import pytest
from builders import OpenProgram, trace
from hypothesis import given
from hypothesis import strategies as st
from reducing.recordings import THE_GOAL, Recording

import fewtaps
from fewtaps.device.session import DEFAULT_SETTINGS
from fewtaps.device.simulated.device import SimulatedSession
from fewtaps.device.simulated.program import Phone, Program, View, button
from fewtaps.device.simulated.samples import bill, lock, notes_app, two_writes, wizard
from fewtaps.errors import BudgetSpent, NotReproduced, UsageError
from fewtaps.model.event import Event, Key, Launch, Tap
from fewtaps.model.goal import Goal, Reaches, SameCrash, ShowsText
from fewtaps.model.result import Reduction
from fewtaps.model.trace import Trace
from fewtaps.reducing.plan import STRATEGIES, ReducedSequence, reduce, reduce_trace
from fewtaps.replay import play

COMPLETE = ("auto", "ddmin", "segments")
"""The strategies whose results are 1-minimal."""


def is_subsequence(short: Sequence[object], long: Sequence[object]) -> bool:
    rest = iter(long)
    return all(item in rest for item in short)


def senseless(salt: int, share: int) -> Callable[[tuple[int, ...]], bool]:
    """A predicate that holds for one sequence in so many, and for the whole: nothing follows from anything."""

    def holds(items: tuple[int, ...]) -> bool:
        digest = hashlib.blake2b(repr((salt, items)).encode(), digest_size=4).digest()
        return len(items) == 14 or (bool(items) and int.from_bytes(digest, "big") % share == 0)

    return holds


predicates = st.builds(senseless, st.integers(0, 1000), st.integers(2, 30))
some_states = st.none() | st.lists(st.sampled_from("abcd"), min_size=14, max_size=14)


@given(predicates, some_states, st.sampled_from(sorted(STRATEGIES)))
def test_a_result_holds_and_is_a_subsequence(
    holds: Callable[[tuple[int, ...]], bool], states: list[str] | None, strategy: str
) -> None:
    result = reduce(range(14), holds, strategy=strategy, states=states, trivial=True)
    assert holds(result.items)
    assert is_subsequence(result.items, range(14))


@given(predicates, some_states, st.sampled_from(COMPLETE))
def test_a_complete_strategy_leaves_nothing_that_can_go_alone(
    holds: Callable[[tuple[int, ...]], bool], states: list[str] | None, strategy: str
) -> None:
    result = reduce(range(14), holds, strategy=strategy, states=states, trivial=True)
    items = result.items
    assert result.is_minimal
    assert not any(holds(items[:place] + items[place + 1 :]) for place in range(len(items)))


@given(predicates, some_states)
def test_reducing_what_was_reduced_changes_nothing(
    holds: Callable[[tuple[int, ...]], bool], states: list[str] | None
) -> None:
    first = reduce(range(14), holds, states=states, trivial=True)
    kept = [states[item] for item in first.items] if states is not None else None
    again = reduce(first.items, holds, states=kept, trivial=True)
    assert again.items == first.items


def test_is_minimal_is_said_only_where_it_was_seen() -> None:
    def holds(items: tuple[int, ...]) -> bool:
        return 5 in items and len(items) != 3

    assert reduce(range(6), holds, strategy="hdd", states="abcdef").is_minimal is False


# On simulated apps.

PROGRAMS = (bill(), two_writes(), notes_app(), lock((3, 1, 4)), wizard(3))
EVENTS: tuple[Event, ...] = (
    *(Tap(100, y) for y in range(100, 900, 40)),
    *(Key("BACK"), Key("MENU"), Key("HOME"), Launch()),
)


def random_crash(program: Program, seed: int, limit: int = 400) -> Trace | None:
    """A crash that random events lead to; None if they do not."""
    random = Random(seed)
    session = SimulatedSession(program, DEFAULT_SETTINGS)
    seen = play(session, [Launch(), *(random.choice(EVENTS) for _ in range(limit))])
    return seen if seen.crash is not None else None


def player(program: Program) -> Callable[[Sequence[tuple[Event, ...]]], list[Trace]]:
    session = SimulatedSession(program, DEFAULT_SETTINGS)
    return lambda candidates: [play(session, candidate) for candidate in candidates]


crashes = (
    st.tuples(st.sampled_from(PROGRAMS), st.integers(0, 10_000))
    .map(lambda drawn: (drawn[0], random_crash(*drawn)))
    .filter(lambda drawn: drawn[1] is not None)
)


def goal_of(seen: Trace) -> SameCrash:
    assert seen.crash is not None
    return SameCrash(seen.crash.signature)


@given(crashes, st.sampled_from(sorted(STRATEGIES)))
def test_a_reduced_trace_crashes_as_the_original_and_does_nothing_else(
    drawn: tuple[Program, Trace], strategy: str
) -> None:
    program, original = drawn
    reduction = reduce_trace(original, goal_of(original), player(program), strategy=strategy, plainer=False)
    assert goal_of(original).met_by(reduction.trace)
    assert is_subsequence(reduction.trace.events, original.events)
    assert reduction.size <= reduction.original_size


@pytest.mark.slow
@given(crashes)
def test_auto_is_minimal_its_own_end_and_the_same_on_four_devices(drawn: tuple[Program, Trace]) -> None:
    program, original = drawn
    goal = goal_of(original)
    reduction = reduce_trace(original, goal, player(program), plainer=False)
    events = reduction.trace.events
    for place in range(1, len(events)):
        (seen,) = player(program)([events[:place] + events[place + 1 :]])
        assert not goal.met_by(seen)
    assert reduction.is_minimal
    assert reduce_trace(reduction.trace, goal, player(program), plainer=False).trace == reduction.trace
    assert reduce_trace(original, goal, player(program), plainer=False, batch=4) == reduction


@pytest.mark.slow
@given(crashes)
def test_plainer_events_change_neither_crash_nor_minimality_agree_on_four_devices_and_stay(
    drawn: tuple[Program, Trace],
) -> None:
    program, original = drawn
    reduction = reduce_trace(original, goal_of(original), player(program))
    assert goal_of(original).met_by(reduction.trace)
    assert reduction.is_minimal
    assert reduce_trace(original, goal_of(original), player(program), batch=4) == reduction
    again = reduce_trace(reduction.trace, goal_of(original), player(program))
    assert again.trace.events == reduction.trace.events


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_other_goals_than_crashes_can_be_reduced_to(open_program: OpenProgram, strategy: str) -> None:
    goal: Goal = Reaches("com.example.wizard.Page2")
    program = wizard(3)
    accept, proceed = (_middle(program, text) for text in ("Accept", "Next"))
    original = play(open_program(program), [Launch(), proceed, accept, accept, proceed, accept, proceed, accept])
    reduction = reduce_trace(original, goal, player(program), strategy=strategy, plainer=False)
    assert reduction.trace.events[-1] == proceed
    assert goal.met_by(reduction.trace)
    # What came after the goal is never needed.
    assert reduction.trace.steps[-1].after.activity == "com.example.wizard.Page2"
    if strategy in COMPLETE:
        assert reduction.trace.events == (Launch(), accept, proceed)


def _middle(program: Program, text: str) -> Tap:
    first = SimulatedSession(program, DEFAULT_SETTINGS).launch().after
    widget = next(each for each in first.iter_widgets() if each.text == text)
    return Tap(*widget.bounds.centre)


# Bad input.


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_predicate_that_always_holds_is_refused_unless_allowed(strategy: str) -> None:
    with pytest.raises(UsageError, match="holds for nothing at all"):
        reduce(range(20), lambda items: True, strategy=strategy)
    assert reduce(range(20), lambda items: True, strategy=strategy, trivial=True).items == ()


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_predicate_that_never_holds_is_not_reproduced(strategy: str) -> None:
    with pytest.raises(NotReproduced, match="the original does not meet the goal"):
        reduce(range(20), lambda items: False, strategy=strategy)


def test_a_goal_that_the_launch_meets_is_refused_unless_allowed() -> None:
    program = bill()
    original = play(SimulatedSession(program, DEFAULT_SETTINGS), [Launch(), Key("BACK")])
    with pytest.raises(UsageError, match="already the launch"):
        reduce_trace(original, ShowsText("Split"), player(program))
    assert reduce_trace(original, ShowsText("Split"), player(program), trivial=True).size == 0


def test_an_app_that_crashes_at_launch_comes_down_to_the_launch() -> None:
    def broken(phone: Phone) -> None:
        raise RuntimeError

    program = Program("com.example.broken", [View("Main", [button("Go")])], on_create=broken)
    original = play(SimulatedSession(program, DEFAULT_SETTINGS), [Launch()])
    assert reduce_trace(original, goal_of(original), player(program)).trace.events == (Launch(),)


def test_an_unknown_strategy_is_refused_with_those_there_are() -> None:
    with pytest.raises(UsageError, match="no strategy 'best'; there are auto, ddmin, hdd, bhdd, lhdd"):
        reduce("abc", lambda items: True, strategy="best")
    with pytest.raises(UsageError, match="no strategy"):
        reduce_trace(trace(Tap(1, 1)), THE_GOAL, Recording(("A",)).play, strategy="best")


def test_states_have_to_be_as_many_as_items() -> None:
    with pytest.raises(UsageError, match="3 items, but 2 states"):
        reduce("abc", lambda items: True, states="ab")


def test_an_error_of_the_predicate_comes_through_and_the_best_was_announced() -> None:
    heard: list[tuple[int, ...]] = []

    def dies(items: tuple[int, ...]) -> bool:
        if len(items) < 5:
            raise RuntimeError("died")
        return 9 in items

    with pytest.raises(RuntimeError, match="died"):
        reduce(range(10), dies, strategy="hdd", states="a" * 10, on_better=heard.append)
    assert heard[-1] == (5, 6, 7, 8, 9)


def test_a_spent_budget_carries_the_best_so_far() -> None:
    with pytest.raises(BudgetSpent, match="all 5 runs are used") as caught:
        reduce(range(100), lambda items: {3, 50} <= set(items), budget=fewtaps.Budget(runs=5))
    best = caught.value.best
    assert isinstance(best, ReducedSequence)
    assert best.runs == 5
    assert {3, 50} <= set(best.items)
    assert not best.is_minimal


# As a library.


def test_reduce_is_a_function_of_the_package_whatever_was_imported_before() -> None:
    assert fewtaps.reduce is reduce
    assert fewtaps.reduce("a needle in hay", lambda letters: "d" in letters).items == ("d",)


def test_stages_tell_what_each_pass_did() -> None:
    reduction: Reduction = reduce_trace(EXAMPLE_TRACE, THE_GOAL, EXAMPLE_RECORDING.play, strategy="auto")
    names = [stage.name for stage in reduction.stages]
    assert names[:4] == ["shortcuts", "rest_by_levels", "cut_detours", "delete_one_by_one"]
    assert sum(stage.runs for stage in reduction.stages) == reduction.runs - 1
    assert sum(stage.events for stage in reduction.stages) == reduction.events - len(EXAMPLE_TRACE.steps)


EXAMPLE_RECORDING = Recording(("A", "B", "B", "A", "C", "A", "B", "C"))
EXAMPLE_TRACE = EXAMPLE_RECORDING.trace

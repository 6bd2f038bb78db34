"""Reductions of machines: what the suite promises, what is played, and how it ends early."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st
from suite.machines import Hidden, Machine, Names, Seen, file_browser, table_machine

from fewtaps.suite import selection
from fewtaps.suite.paper import PaperReduction
from fewtaps.suite.reduction import Phase, SuiteProgress, SuiteReduction, SuiteRules
from fewtaps.suite.runs import RunAnswer, RunRequest, SuiteRun, cost_of, coverage_of

ORDERS = pytest.mark.parametrize("order", [PaperReduction, SuiteReduction])
Order = type[PaperReduction] | type[SuiteReduction]
ACTIONS = "abc"


class Numbers:
    """A machine with some states, of which two hidden ones may look the same, drawn as numbers."""

    def __init__(self, table: Sequence[tuple[int, int]], looks: Sequence[int], flaky_world: int | None) -> None:
        self.names = Names(actions=list(ACTIONS))
        self._table = table
        self._looks = looks
        self._flaky_world = flaky_world
        self.machine = Machine(self.names, lambda world: ((0,), self._look(0), "launch", False), self._move)

    def _look(self, state: int) -> str:
        return f"s{self._looks[state]}"

    def _move(self, hidden: Hidden, action: str, world: int) -> Seen | None:
        states = len(self._looks)
        number = hidden[0] * len(ACTIONS) + ACTIONS.index(action)
        target, covered = self._table[number % len(self._table)]
        if covered == 7:
            return None
        state = target % states
        asks = self._flaky_world is not None and covered == 3
        if asks and world == self._flaky_world:
            state = (state + 1) % states
        return (state,), self._look(state), f"C{covered} D{number}", asks


@st.composite
def numbers(draw: st.DrawFn, *, is_flaky: bool = False) -> Numbers:
    looks = draw(st.lists(st.integers(0, 3), min_size=2, max_size=6))
    table = draw(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 7)), min_size=4, max_size=18))
    return Numbers(table, looks, 2 if is_flaky else None)


TRACES = st.lists(
    st.tuples(st.text(ACTIONS, min_size=1, max_size=10).map(" ".join), st.integers(0, 2)), min_size=1, max_size=4
)


def reduced_runs(order: Order, recorded: Sequence[SuiteRun], machine: Machine, worlds: int = 3) -> list[SuiteRun]:
    return [each.run for each in order(recorded, machine.play, SuiteRules(worlds=worlds)).reduce().runs]


@pytest.mark.slow
@ORDERS
@given(numbers(), TRACES)
def test_all_of_the_result_replays_and_coverage_is_equal(
    order: Order, drawn: Numbers, traces: list[tuple[str, int]]
) -> None:
    recorded = [drawn.machine.record(actions, world) for actions, world in traces]
    runs = reduced_runs(order, recorded, drawn.machine)
    assert not coverage_of(recorded) & ~coverage_of(runs)
    for run in runs:
        spelled = drawn.names.spelled(run)
        assert all(drawn.machine.record(spelled, world).steps == run.steps for world in range(4))


@pytest.mark.slow
@given(numbers(), TRACES)
def test_a_suite_is_never_dearer_than_its_recordings(drawn: Numbers, traces: list[tuple[str, int]]) -> None:
    recorded = [drawn.machine.record(actions, world) for actions, world in traces]
    runs = reduced_runs(SuiteReduction, recorded, drawn.machine)
    assert cost_of(runs).weighed(20) <= cost_of(recorded).weighed(20)


@pytest.mark.slow
@ORDERS
@given(numbers(is_flaky=True), TRACES)
def test_what_differs_between_worlds_is_not_in_the_result(
    order: Order, drawn: Numbers, traces: list[tuple[str, int]]
) -> None:
    recorded = [drawn.machine.record(actions, world) for actions, world in traces]
    result = order(recorded, drawn.machine.play, SuiteRules(worlds=3)).reduce()
    runs = [each.run for each in result.runs]
    assert coverage_of(runs) & coverage_of(recorded) | result.flaky | result.unreplayed == coverage_of(recorded)
    assert not result.covered & (result.flaky | result.unreplayed)
    for run in runs:
        spelled = drawn.names.spelled(run)
        for world in (0, 1, 2):
            assert drawn.machine.record(spelled, world).states == run.states


@pytest.mark.slow
@given(numbers(), TRACES)
def test_reducing_again_changes_nothing(drawn: Numbers, traces: list[tuple[str, int]]) -> None:
    recorded = [drawn.machine.record(actions, world) for actions, world in traces]
    once = reduced_runs(SuiteReduction, recorded, drawn.machine)
    twice = reduced_runs(SuiteReduction, once, drawn.machine)
    assert sorted(run.actions for run in once) == sorted(run.actions for run in twice)


class PlaysAhead:
    """A player with idle devices: it plays what is foreseen, and keeps it until it is requested."""

    def __init__(self, machine: Machine, idle: int) -> None:
        self._machine = machine
        self._idle = idle
        self._foreseen: Iterator[RunRequest] = iter(())
        self._kept: dict[RunRequest, RunAnswer] = {}
        self.ahead = 0

    def foresee(self, requests: Iterable[RunRequest]) -> None:
        self._foreseen = iter(requests)

    def __call__(self, requests: Sequence[RunRequest]) -> list[RunAnswer]:
        if not all(request in self._kept for request in requests):
            unknown = (request for request in self._foreseen if request not in self._kept)
            for request in islice(unknown, self._idle):
                self._kept[request] = self._machine.play([request])[0]
                self.ahead += 1
        return [self._kept.get(request) or self._machine.play([request])[0] for request in requests]


@pytest.mark.slow
@ORDERS
@given(numbers(is_flaky=True), TRACES, st.integers(1, 4))
def test_what_idle_devices_play_ahead_changes_nothing(
    order: Order, drawn: Numbers, traces: list[tuple[str, int]], idle: int
) -> None:
    recorded = [drawn.machine.record(actions, world) for actions, world in traces]
    alone = order(recorded, drawn.machine.play, SuiteRules(worlds=3)).reduce()
    player = PlaysAhead(drawn.machine, idle)
    assert order(recorded, player, SuiteRules(worlds=3, foresee=player.foresee)).reduce() == alone


@ORDERS
def test_the_other_worlds_of_a_run_are_played_ahead(order: Order) -> None:
    asks = Machine(Names(), lambda world: ((0,), "s0", "", True), lambda hidden, action, world: ((1,), "s1", "x", True))
    player = PlaysAhead(asks, 2)
    order([asks.record("a")], player, SuiteRules(worlds=7, foresee=player.foresee)).reduce()
    # Of seven worlds three are waited for, and four are played meanwhile.
    assert player.ahead == 4


@pytest.mark.slow
@given(numbers(), TRACES)
def test_recordings_that_tell_only_what_ran_first_give_the_same_coverage(
    drawn: Numbers, traces: list[tuple[str, int]]
) -> None:
    recorded = [drawn.machine.record(actions, world) for actions, world in traces]
    firsts = [_first_only(run) for run in recorded]
    assert not coverage_of(recorded) & ~coverage_of(reduced_runs(SuiteReduction, firsts, drawn.machine))


def _first_only(run: SuiteRun) -> SuiteRun:
    covered = 0
    steps = []
    for step in run.steps:
        steps.append(step._replace(covered=step.covered & ~covered))
        covered |= step.covered
    return SuiteRun(run.world, tuple(steps))


@pytest.mark.slow
@given(numbers(), TRACES, st.integers(0, 12))
def test_a_stopped_reduction_tells_what_is_missing(drawn: Numbers, traces: list[tuple[str, int]], runs: int) -> None:
    recorded = [drawn.machine.record(actions, world) for actions, world in traces]
    drawn.machine.runs = 0
    rules = SuiteRules(worlds=3, should_stop=lambda: drawn.machine.runs >= runs)
    result = SuiteReduction(recorded, drawn.machine.play, rules).reduce()
    assert not coverage_of(recorded) & ~(result.covered | result.unreplayed | result.flaky)
    assert result.covered == coverage_of([each.run for each in result.runs])
    if runs == 0:
        assert not result.runs and not result.is_whole


@pytest.mark.slow
@ORDERS
def test_nothing_is_played_twice(order: Order) -> None:
    names = Names()
    machine = file_browser(names, deviating_world=5)
    recorded = [
        machine.record("Menu Menu Menu Option"),
        machine.record("foo foo Menu Menu foo"),
        machine.record("foo Menu Option"),
    ]
    machine.asked.clear()
    order(recorded, machine.play, SuiteRules(worlds=10)).reduce()
    asked = [(request.world, request.actions) for request in machine.asked]
    assert len(asked) == len(set(asked))


@ORDERS
def test_a_run_that_never_asked_the_world_is_played_in_one(order: Order) -> None:
    names = Names()
    machine = file_browser(names)
    recorded = [machine.record("foo foo foo")]
    machine.asked.clear()
    result = order(recorded, machine.play, SuiteRules(worlds=10)).reduce()
    assert {request.world for request in machine.asked} == {0}
    assert result.runs[0].worlds == tuple(range(10))


@ORDERS
def test_a_world_that_deviates_cuts_the_run_before_the_step(order: Order) -> None:
    """The file browser of Figure 1: in world 5 its menu has no Option."""
    names = Names()
    machine = file_browser(names, menu_covers=True, deviating_world=5)
    recorded = [machine.record("Menu Menu Menu Option")]
    result = order(recorded, machine.play, SuiteRules(worlds=10)).reduce()
    assert [names.spelled(each.run) for each in result.runs] == ["Menu Menu"]
    assert result.flaky == names.bits("Co s2") and not result.unreplayed
    assert sum(count for _, count in result.deviations_by_run) >= 1


def test_decisions_are_made_in_one_world_and_only_the_result_sees_ten() -> None:
    names = Names()
    machine = file_browser(names, menu_covers=True, deviating_world=99)
    recorded = [machine.record("foo Menu Option"), machine.record("foo foo Menu Option")]
    machine.asked.clear()
    result = SuiteReduction(recorded, machine.play, SuiteRules(worlds=10)).reduce()
    [run] = result.runs
    others = [request for request in machine.asked if request.world != 0]
    assert len(others) == 9 and {request.actions for request in others} == {run.run.actions}
    assert run.worlds == tuple(range(10))


def test_coverage_that_some_worlds_lack_is_flaky() -> None:
    names = Names()

    def move(hidden: Hidden, action: str, world: int) -> Seen | None:
        return (0,), "s1", "C1 C2" if world != 4 else "C1", True

    machine = Machine(names, lambda world: ((0,), "s0", "", False), move)
    names.action("a")
    result = SuiteReduction([machine.record("a")], machine.play, SuiteRules(worlds=10)).reduce()
    assert result.flaky == names.bits("C2")
    assert result.covered == names.bits("s0 s1 C1")


def test_measured_coverage_decides_where_a_step_runs_something_only_the_first_time() -> None:
    """Slip (e): a class initialiser runs once. The prediction that `b` alone covers it is wrong, and refused."""
    names = Names()

    def move(hidden: Hidden, action: str, world: int) -> Seen | None:
        count = hidden[0]
        match action:
            case "a":
                return (count + 1,), "s0", "Ca", False
            case "b":
                return (count,), "s1", "Cb Cold" if count == 0 else "Cb Cwarm", False
        return None

    machine = Machine(names, lambda world: ((0,), "s0", "", False), move)
    names.action("a"), names.action("b")
    recorded = [machine.record("a b"), names.run("s0 -b,Cb Cwarm-> s1")]
    result = SuiteReduction(recorded, machine.play, SuiteRules(worlds=2)).reduce()
    assert [names.spelled(each.run) for each in result.runs] == ["a b"]
    assert result.covered == coverage_of(recorded)


def test_algorithm_2_adds_to_its_result() -> None:
    """Slip (c): with `T_m ← {τ}` only the last of these two would be left."""
    names = Names()
    table = {("s0", "a"): ("s1", "Ca"), ("s0", "b"): ("s2", "Cb")}
    machine = table_machine(names, table)
    for name in "ab":
        names.action(name)
    recorded = [machine.record("a"), machine.record("b")]
    assert sorted(map(names.spelled, reduced_runs(PaperReduction, recorded, machine))) == ["a", "b"]


def test_progress_tells_of_every_phase() -> None:
    names = Names()
    machine = file_browser(names)
    recorded = [machine.record("Menu Menu Menu Option"), machine.record("foo foo foo")]
    told: list[SuiteProgress] = []
    result = SuiteReduction(recorded, machine.play, SuiteRules(worlds=2, on_progress=told.append)).reduce()
    assert {each.phase for each in told} == {Phase.LOOPS, Phase.SPLICING, Phase.SELECTING, Phase.WORLDS}
    assert told[-1].covered == told[-1].wanted == coverage_of(recorded).bit_count()
    assert told[-1].played == result.played.restarts


def test_a_recording_that_deviates_is_told_and_its_way_is_found_again() -> None:
    names = Names()
    machine = file_browser(names)
    recorded = names.run("s0 -foo,Cf1-> s0 -foo,Cf1-> s9 -foo,Cf2-> s3")
    result = SuiteReduction([recorded], machine.play, SuiteRules(worlds=2)).reduce()
    assert [names.spelled(each.run) for each in result.runs] == ["foo foo foo"], (
        "what it covered is reached by what really runs"
    )
    [deviation] = result.deviations
    assert (deviation.recording, deviation.step, deviation.expected, deviation.seen) == (0, 2, "s9", "s0")
    assert result.unreplayed == names.bits("s9")


@pytest.mark.slow
@pytest.mark.parametrize("text", ["one state", "a new state at each step", "a few states"])
def test_fifty_thousand_actions_take_seconds(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    names = Names()
    states = {"one state": 1, "a new state at each step": 60_000, "a few states": 23}[text]

    def move(hidden: Hidden, action: str, world: int) -> Seen | None:
        state = (hidden[0] * 7 + 3 + len(action)) % states if states < 100 else hidden[0] + 1
        return (state,), f"s{state}", "", False

    machine = Machine(names, lambda world: ((0,), "s0", "", False), move)
    for number in range(30):
        names.action("x" * (number + 1))

    def play(requests: Sequence[RunRequest]) -> list[RunAnswer]:
        return [RunAnswer(covering(answer.run)) for answer in machine.play(requests)]

    def covering(run: SuiteRun) -> SuiteRun:
        return SuiteRun(
            run.world,
            tuple(
                step._replace(covered=1 << (zlib.crc32(f"{step.state} {step.action}".encode()) % 997))
                for step in run.steps
            ),
        )

    # Names of elements would be searched for linearly: coverage is made of state and action instead.
    monkeypatch.setattr(names, "bits", lambda text: 0)
    actions = " ".join("x" * (number * number % 29 + 1) for number in range(50_000))
    recorded = covering(machine.record(actions))
    runs = [each.run for each in SuiteReduction([recorded], play, SuiteRules(worlds=2)).reduce().runs]
    assert coverage_of(runs) == recorded.covered


def test_without_scipy_the_choice_is_greedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selection, "_solver", lambda: None)
    names = Names()
    machine = file_browser(names)
    recorded = [machine.record("Menu Menu Menu Option"), machine.record("foo foo foo")]
    result = SuiteReduction(recorded, machine.play, SuiteRules(worlds=2)).reduce()
    assert result.gap is None
    assert result.covered == coverage_of(recorded)


def test_a_limit_costs_no_crash() -> None:
    table = {
        **{("home", f"open{number}"): (f"page{number}", f"C{number}") for number in range(30)},
        **{(f"page{number}", "back"): ("home", "") for number in range(30)},
        ("page7", "crash"): ("crashed:boom", "Cx"),
        ("page9", "crash"): ("crashed:bang", "Cy"),
    }
    names = Names()
    machine = table_machine(names, table, start="home")
    tour = " ".join(f"open{number} back" for number in range(30))
    recorded = [machine.record(f"{tour} {tour} " * 3 + f"open{number} crash") for number in (7, 9)]
    machine.runs = 0
    rules = SuiteRules(worlds=1, should_settle=lambda: machine.runs >= 6)
    result = SuiteReduction(recorded, machine.play, rules).reduce()
    assert not result.is_whole
    assert not names.bits("Cx Cy") & ~result.covered

"""The examples 2.1 to 2.4 of DetReduce, word for word."""

from __future__ import annotations

import pytest
from suite.machines import Names, file_browser, table_machine

from fewtaps.suite.paper import PaperReduction
from fewtaps.suite.reduction import SuiteReduction, SuiteRules
from fewtaps.suite.runs import Cost, SuiteRun, cost_of
from fewtaps.suite.splicing import TransitionSystem

ORDERS = pytest.mark.parametrize("order", [PaperReduction, SuiteReduction])
Order = type[PaperReduction] | type[SuiteReduction]


def reduced(order: Order, recorded: list[SuiteRun], machine: object, **rules: int) -> list[SuiteRun]:
    suite = order(recorded, machine.play, SuiteRules(**rules)).reduce()  # type: ignore[attr-defined, arg-type]
    assert suite.is_whole and not suite.unreplayed and not suite.flaky
    return [each.run for each in suite.runs]


@pytest.mark.slow
@ORDERS
def test_a_loop_that_adds_nothing_is_removed(order: Order) -> None:
    """Example 2.1."""
    names = Names()
    recorded = names.run("s0 -Menu-> s1 -Menu-> s0 -Menu-> s1 -Option,Co-> s2")
    [run] = reduced(order, [recorded], file_browser(names))
    assert names.spelled(run) == "Menu Option"


@ORDERS
def test_a_loop_with_coverage_of_its_own_stays(order: Order) -> None:
    """Example 2.2."""
    names = Names()
    recorded = names.run("s0 -Menu,Cp-> s1 -Menu,Cc-> s0 -Menu,Cp-> s1 -Option,Co-> s2")
    [run] = reduced(order, [recorded], file_browser(names, menu_covers=True))
    assert names.spelled(run) == "Menu Menu Menu Option"


@ORDERS
def test_a_loop_that_changes_what_is_not_seen_stays(order: Order) -> None:
    """Example 2.3: coverage refuses `foo`, replay refuses `foo foo`; playing all three shows that of both."""
    names = Names()
    machine = file_browser(names)
    recorded = names.run("s0 -foo,Cf1-> s0 -foo,Cf1-> s0 -foo,Cf2-> s3")
    [run] = reduced(order, [recorded], machine)
    assert names.spelled(run) == "foo foo foo"
    played = {" ".join(names.actions[action] for action in request.actions) for request in machine.asked}
    assert played == {"foo foo foo"}


def spliceable(names: Names) -> list[SuiteRun]:
    return [
        names.run("s0 -a,C1-> s1 -b,C2-> s2 -c,C3-> s3 -d,C4-> s4"),
        names.run("s0 -a,C1-> s1 -d,C4-> s4 -e,C5-> s2 -c,C3-> s3 -d,C4-> s4"),
        names.run("s0 -a,C1-> s1 -b,C2-> s2 -c,C3-> s3 -f,C6-> s5"),
    ]


TABLE = {
    ("s0", "a"): ("s1", "C1"), ("s1", "b"): ("s2", "C2"), ("s2", "c"): ("s3", "C3"), ("s3", "d"): ("s4", "C4"),
    ("s1", "d"): ("s4", "C4"), ("s4", "e"): ("s2", "C5"), ("s3", "f"): ("s5", "C6"),
}  # fmt: skip


@pytest.mark.parametrize(("fragments", "traces"), [(3, 24), (2, 16)])
def test_t_k_has_the_traces_that_the_example_allows(fragments: int, traces: int) -> None:
    splices = TransitionSystem(spliceable(Names()), fragments).splices()
    assert splices is not None
    assert len({splice.run.actions for splice in splices}) == len(splices) == traces


@ORDERS
def test_three_fragments_become_one_trace(order: Order) -> None:
    """Example 2.4 with k = 3."""
    names = Names()
    recorded = spliceable(names)
    assert cost_of(recorded) == Cost(13, 3)
    [run] = reduced(order, recorded, table_machine(names, TABLE), fragments=3)
    assert names.spelled(run) == "a b c d e c f"
    assert cost_of([run]) == Cost(13 - 6, 3 - 2)


def test_two_fragments_become_two_traces() -> None:
    """Example 2.4 with k = 2."""
    names = Names()
    runs = reduced(PaperReduction, spliceable(names), table_machine(names, TABLE), fragments=2)
    assert sorted(map(names.spelled, runs)) == ["a b", "a d e c f"]

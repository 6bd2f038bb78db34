"""Tours: one long run by the shortest ways through everything that is to be covered."""

from __future__ import annotations

import pytest
from suite.machines import Names, file_browser, table_machine

from fewtaps.model.state import StateId
from fewtaps.suite.reduction import SuiteReduction, SuiteRules
from fewtaps.suite.runs import MISSED, SuiteRun, coverage_of
from fewtaps.suite.touring import TourPlanner, TransitionMap

HOME = {
    **{("home", f"open{number}"): (f"page{number}", f"C{number}") for number in range(5)},
    **{(f"page{number}", "back"): ("home", "") for number in range(5)},
    ("home", "crash"): ("crashed:boom", "Cx"),
}


def test_the_cheapest_way_avoids_an_action_that_led_elsewhere() -> None:
    known = TransitionMap()
    a, b, c = StateId("a"), StateId("b"), StateId("c")
    known.learn(a, 1, c)
    known.learn(a, 2, b)
    known.learn(b, 3, c)

    def way() -> list[tuple[int, StateId]]:
        ways = known.ways_from(a)
        assert c in {state for _, state in ways.nearest()}
        return ways.to(c)

    assert way() == [(1, c)]
    known.learn(a, 1, MISSED, 2.0)
    assert way() == [(2, b), (3, c)]


def test_steps_that_end_the_app_come_last() -> None:
    names = Names()
    machine = table_machine(names, HOME, start="home")
    recorded = [machine.record("crash"), machine.record("open1 back open2 back")]
    planner = TourPlanner(recorded, coverage_of(recorded))
    leg = planner.leg(StateId("home"), coverage_of(recorded))
    assert leg is not None
    assert leg.actions == (names.action("open1"),)


def test_a_leg_that_costs_too_much_is_not_looked_for() -> None:
    names = Names()
    machine = table_machine(names, HOME, start="home")
    recorded = [machine.record("open1 back open2 back")]
    planner = TourPlanner(recorded, coverage_of(recorded))
    wanted = names.bits("C2")
    leg = planner.leg(StateId("page1"), wanted)
    assert leg is not None and leg.cost == 2
    assert planner.leg(StateId("page1"), wanted, below=2) is None
    assert planner.leg(StateId("page1"), wanted, below=2.5) == leg


def test_many_recordings_become_one_run_with_one_restart() -> None:
    names = Names()
    machine = table_machine(names, HOME, start="home")
    recorded = [machine.record(f"open{number} back open{number} back") for number in range(5)]
    recorded.append(machine.record("open1 back open1 back open1 back crash"))
    result = SuiteReduction(recorded, machine.play, SuiteRules(worlds=1)).reduce()
    [run] = [each.run for each in result.runs]
    assert not coverage_of(recorded) & ~run.covered
    assert run.transitions == 11


def test_the_steps_that_a_leg_goes_on_from_are_not_counted_as_played() -> None:
    names = Names()
    machine = table_machine(names, HOME, start="home")
    recorded = [machine.record("open1 back " * 9 + f"open{number} back") for number in range(5)]
    machine.asked.clear()
    result = SuiteReduction(recorded, machine.play, SuiteRules(worlds=1)).reduce()
    legs = [request for request in machine.asked if request.begun]
    assert legs
    in_full = sum(len(request.actions) for request in machine.asked)
    assert result.played.transitions <= in_full - sum(request.begun - 1 for request in legs)


@pytest.mark.slow
def test_a_tour_goes_on_from_where_a_leg_really_led() -> None:
    """`foo` looks the same three times: the map cannot know that, and the tour finds the way all the same."""
    names = Names()
    machine = file_browser(names)
    recorded = [machine.record("Menu Menu " * 12 + "foo foo foo"), machine.record("Menu Menu " * 12 + "Menu Option")]
    result = SuiteReduction(recorded, machine.play, SuiteRules(worlds=1)).reduce()
    assert not coverage_of(recorded) & ~result.covered
    assert sum(each.run.transitions for each in result.runs) <= 6


def test_a_step_that_did_not_cover_what_it_should_is_tried_with_more_of_its_steps() -> None:
    names = Names()
    step = "s0 -more,-> s0"
    recorded = names.run("s0" + step.removeprefix("s0") * 20 + " -more,C-> s0")
    wanted = names.bits("C")
    planner = TourPlanner([recorded], wanted)
    run = recorded.prefix(0)
    lengths: list[int] = []
    while (leg := planner.leg(StateId("s0"), wanted)) is not None:
        lengths.append(len(leg.actions))
        # The app covers it nowhere else.
        after = SuiteRun(0, (*run.steps, *[recorded.steps[1]] * len(leg.actions)))
        planner.learn(run, leg, after, False)
        run = after
    assert lengths == [1, 2, 4, 8, 16, 21]
    planner.try_again()
    assert planner.leg(StateId("s0"), wanted) is not None

"""Which decision of the world tells crashing runs from the others."""

from __future__ import annotations

from fewtaps.model.decision import Decision
from fewtaps.reducing.repeated.cause import RunDecisions, find_cause

CLOCKS = (3000, 3500, 4000)


def run(met: bool, **due_ms: int) -> RunDecisions:
    """A run in which work of these names, begun at 3100, is due at these times."""
    return RunDecisions(met, CLOCKS, tuple(Decision(name, 3100, due) for name, due in due_ms.items()))


def test_the_order_of_two_pieces_of_work_is_named_with_exact_counts() -> None:
    runs = [run(True, minutes=3110 + n, ticket=3150 + 2 * n) for n in range(5)]
    runs += [run(False, ticket=3110 + n, minutes=3150 + 2 * n) for n in range(3)]
    found = find_cause(runs)
    assert found is not None
    assert found.words() == "minutes is due before ticket: in 5 of 5 crashing worlds, and in 0 of 3 others"


def test_work_that_is_late_for_a_step_is_named_by_the_step() -> None:
    runs = [run(True, load=due) for due in (3600, 4100)] + [run(False, load=due) for due in (3200, 3400)]
    found = find_cause(runs)
    assert found is not None
    assert found.statement == "load is not due before step 2"
    assert (found.true_met, found.met, found.true_missed, found.missed) == (2, 2, 0, 2)


def test_a_choice_is_named_by_what_came_out() -> None:
    runs = [
        RunDecisions(value == "yes", CLOCKS, (Decision("chance of 0.5", 3100, value=value),)) for value in ("yes", "no")
    ]
    found = find_cause(runs * 3)
    assert found is not None
    assert found.statement == "the chance of 0.5 comes out yes"
    assert (found.true_met, found.met, found.true_missed, found.missed) == (3, 3, 0, 3)


def test_what_was_decided_twice_is_told_apart() -> None:
    def twice(met: bool, second: int) -> RunDecisions:
        return RunDecisions(met, CLOCKS, (Decision("tick", 3100, 3200), Decision("tick", 3300, second)))

    found = find_cause([twice(True, 3600), twice(True, 3700), twice(False, 3350), twice(False, 3390)])
    assert found is not None
    assert "tick, time 2" in found.statement


def test_an_imperfect_rule_says_how_imperfect_it_is() -> None:
    runs = [run(True, load=3600)] * 9 + [run(True, load=3200)] + [run(False, load=3200)] * 10
    found = find_cause(runs)
    assert found is not None
    assert (found.true_met, found.met, found.true_missed, found.missed) == (9, 10, 0, 10)


def test_runs_that_end_alike_or_decisions_that_say_nothing_have_no_cause() -> None:
    assert find_cause([run(True, load=3200), run(True, load=3900)]) is None
    assert find_cause([run(True, load=3200), run(False, load=3200)]) is None
    assert find_cause([]) is None

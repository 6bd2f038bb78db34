"""Tests of the widget-aware random strategy."""

from __future__ import annotations

from collections import Counter

from builders import OpenProgram

from fewtaps.device.simulated.samples import bill, notes_app
from fewtaps.explore.exploration import Exploration
from fewtaps.explore.loop import run_excursion
from fewtaps.explore.parameters import Parameters
from fewtaps.explore.widget import OUTING_EVENTS, WidgetStrategy
from fewtaps.model.outing import Outing


def outings(open_program: OpenProgram, seed: int, number: int) -> list[Outing]:
    program = notes_app()
    session = open_program(program)
    exploration = Exploration(program.app, WidgetStrategy(program.app, Parameters()), seed=seed)
    found = []
    for excursion in exploration.excursions():
        found.append(run_excursion(session, excursion, lambda: False))
        exploration.absorb(found[-1])
        if len(found) == number:
            break
    return found


def test_it_does_a_bit_of_everything_and_mostly_taps(open_program: OpenProgram) -> None:
    kinds = Counter(step.event.kind for outing in outings(open_program, 1, 60) for step in outing.trace.steps[1:])
    assert {"tap", "text", "key", "swipe", "rotate", "wait", "system", "long_press"} <= kinds.keys()
    assert kinds.most_common(1)[0][0] == "tap"


def test_it_never_goes_back_and_starts_afresh_now_and_then(open_program: OpenProgram) -> None:
    found = outings(open_program, 2, 20)
    assert all(outing.replayed == 0 and outing.events <= OUTING_EVENTS + 1 for outing in found)


def test_the_same_seed_gives_the_same_outings(open_program: OpenProgram) -> None:
    assert outings(open_program, 3, 8) == outings(open_program, 3, 8)


def test_it_finds_a_shallow_crash_at_once(open_program: OpenProgram) -> None:
    session = open_program(bill())
    exploration = Exploration(bill().app, WidgetStrategy(bill().app, Parameters()), seed=4)
    outing = run_excursion(session, next(exploration.excursions()), lambda: False)
    assert outing.trace.crash is not None and outing.events < 100

"""Which containers of a screen count as lists with several rows."""

from __future__ import annotations

from dataclasses import replace

from fewtaps.model.app import AppRef
from fewtaps.model.event import Launch, Tap
from fewtaps.model.screen import Screen, Widget, Window, WindowKind
from fewtaps.model.suite import CoverageKind
from fewtaps.model.trace import Step, Trace
from fewtaps.suite.lists import long_lists
from fewtaps.suite.observing import Observer


def row(text: str, resource_id: str = "name") -> Widget:
    return Widget("Row", children=(Widget("TextView", resource_id=resource_id, text=text),))


ONE_TWO = ((row("Bread"),), (row("Bread"), row("Soap")))


def screen(*rows: Widget, kind: WindowKind = WindowKind.ACTIVITY) -> Screen:
    listed = Widget("ListView", resource_id="cart", children=rows)
    root = Widget("FrameLayout", children=(listed, Widget("TextView", text="Total")))
    return Screen("com.example", "com.example.Main", 720, 1280, windows=(Window("", kind, root),))


def test_two_rows_of_one_kind_are_a_list() -> None:
    assert long_lists(screen(row("Bread"), row("Soap"))) == ("com.example.Main cart",)


def test_none_one_or_different_rows_are_no_list() -> None:
    assert long_lists(screen()) == ()
    assert long_lists(screen(row("Bread"))) == ()
    assert long_lists(screen(row("Bread"), row("Soap", resource_id="price"))) == ()
    assert long_lists(screen(row(""), row(""))) == ()


def test_a_toast_has_no_list() -> None:
    assert long_lists(screen(row("Bread"), row("Soap"), kind=WindowKind.TOAST)) == ()


def test_texts_and_the_number_of_rows_do_not_count() -> None:
    many = screen(row("Bread"), row("Soap"), row("Honey"))
    assert long_lists(many) == long_lists(replace(many, windows=screen(row("A"), row("B")).windows))


def test_a_step_that_shows_the_second_row_covers_the_list() -> None:
    steps = [Step(Launch(), after=screen()), *(Step(Tap(1, 1), after=screen(*rows)) for rows in ONE_TWO)]
    trace = Trace(AppRef("com.example", "1", "0"), tuple(steps), 0)
    observer = Observer((CoverageKind.SCREENS, CoverageKind.LISTS), "actionable", None)
    run = observer.run_of(trace)
    assert len({step.state for step in run.steps}) == 1
    assert [observer.elements(step.covered).lists for step in run.steps] == [(), (), ("com.example.Main cart",)]
    without = Observer((CoverageKind.SCREENS,), "actionable", None).run_of(trace)
    assert len({step.covered for step in without.steps}) == 1

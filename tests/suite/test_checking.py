"""Steps against expectations, and what may be healed: above all, that no healing turns red into green."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders import crash, row_of, screen, widget
from hypothesis import given
from hypothesis import strategies as st

from fewtaps.model.app import AppRef
from fewtaps.model.crash import Crash, CrashKind, ExceptionInfo, Frame
from fewtaps.model.ending import Ending
from fewtaps.model.event import Key, Launch, Selector
from fewtaps.model.expectation import Expectation, ExpectedWidget
from fewtaps.model.screen import Bounds, Located, Screen, Widget, WidgetFlags, Window, WindowKind
from fewtaps.model.shape import shape_of
from fewtaps.model.state import StateId, actionable_state
from fewtaps.model.suite import NamedCoverage, Suite, SuiteTest
from fewtaps.model.suite_result import DifferenceKind
from fewtaps.model.target import target_of_selector
from fewtaps.model.trace import Step, Trace
from fewtaps.suite.checking import (
    ExpectationChecker,
    healed,
    nearest,
    only_id_differs,
    proves_healing,
)
from fewtaps.suite.renaming import renamed_classes

TEXT_VIEW = "android.widget.TextView"
BUTTON = "android.widget.Button"
ENABLED = WidgetFlags.ENABLED


def label(text: str, identifier: str | None = None) -> Widget:
    return widget(text, class_name=TEXT_VIEW, flags=ENABLED, resource_id=identifier)


def button(text: str | None, identifier: str | None = None, **fields: object) -> Widget:
    return widget(text, resource_id=identifier, **fields)


def shown(*widgets: Widget, **fields: object) -> Step:
    return Step(Key("MENU"), after=screen(*widgets, **fields))  # type: ignore[arg-type]


def dialog(*widgets: Widget) -> Window:
    return Window("Sure?", WindowKind.DIALOG, screen(*widgets).windows[0].root, focused=True)


def state_of(step: Step) -> StateId:
    return actionable_state(step.after)


def checker(*known: Step) -> ExpectationChecker:
    return ExpectationChecker("actionable", [shape_of(step.after, state_of(step)) for step in known])


def kinds(step: Step, expectation: Expectation | None, *known: Step) -> list[DifferenceKind]:
    return [each.kind for each in checker(*known).check(1, step, expectation).differences]


def texts(identifier: str | None, text: str, path: tuple[int, ...] = (0, 0)) -> Expectation:
    return Expectation(widgets=(ExpectedWidget(Selector(identifier, TEXT_VIEW, path=path), text),))


# ---- what a step shows


def test_the_expected_text_is_compared() -> None:
    assert kinds(shown(label("6", "app:id/total")), texts("app:id/total", "6")) == []
    check = checker().check(1, shown(label("7", "app:id/total")), texts("app:id/total", "6"))
    assert [(each.kind, each.expected, each.seen, each.path) for each in check.differences] == [
        (DifferenceKind.TEXT, "6", "7", (0, 0))
    ]


def test_a_widget_that_moved_is_found_by_its_id() -> None:
    assert kinds(shown(button("New"), label("6", "app:id/total")), texts("app:id/total", "6")) == []


def test_check_marks_are_compared() -> None:
    box = widget("Round", class_name="Box", flags=ENABLED | WidgetFlags.CHECKABLE, resource_id="app:id/round")
    expected = Expectation(widgets=(ExpectedWidget(Selector("app:id/round", "Box", "Round"), checked=True),))
    assert kinds(shown(replace(box, flags=box.flags | WidgetFlags.CHECKED)), expected) == []
    assert kinds(shown(box), expected) == [DifferenceKind.CHECKED]
    assert kinds(shown(label("Round", "app:id/round")), expected) == [DifferenceKind.CHECKED]


def test_activity_package_and_ending_are_compared() -> None:
    assert kinds(shown(activity="a.B"), Expectation(activity="a.C")) == [DifferenceKind.ACTIVITY]
    left = replace(shown(), ending=Ending.LEFT)
    assert kinds(left, Expectation()) == [DifferenceKind.ENDING]
    assert kinds(left, Expectation(ending=Ending.LEFT, package="com.example.app")) == []
    assert kinds(left, Expectation(ending=Ending.LEFT, package="other")) == [DifferenceKind.PACKAGE]


def test_a_known_crash_is_expected_and_another_one_is_not() -> None:
    step = replace(shown(), ending=Ending.CRASHED, crash=crash("a.B.c"))
    known = Expectation(ending=Ending.CRASHED, crash=crash("a.B.c").signature)
    assert kinds(step, known) == []
    assert kinds(replace(step, crash=crash("a.B.d")), known) == [DifferenceKind.CRASH]
    assert kinds(step, Expectation()) == [DifferenceKind.ENDING]
    assert kinds(shown(), known) == [DifferenceKind.ENDING]


def test_a_step_without_expectation_may_show_anything_but_a_crash() -> None:
    assert kinds(shown(label("anything")), None) == []
    assert kinds(replace(shown(), ending=Ending.LEFT), None) == []
    assert kinds(replace(shown(), ending=Ending.CRASHED, crash=crash("a.B.c")), None) == [DifferenceKind.ENDING]


def test_a_masked_widget_is_not_compared() -> None:
    expected = texts("app:id/total", "6")
    masked = replace(expected, masked=(Selector("app:id/total", TEXT_VIEW, path=(0, 0)),))
    assert kinds(shown(label("7", "app:id/total")), masked) == []


# ---- texts that must not be found elsewhere


def test_the_same_text_in_another_widget_is_no_match() -> None:
    """A calculator shows 7 instead of 5, and a key with a 5 is there as before."""
    before = shown(label("2"), label("5"))
    after = shown(label("7"), label("5"))
    check = checker()
    check.check(0, before, None)
    found = check.check(1, after, texts(None, "5", (0, 0)))
    assert [each.kind for each in found.differences] == [DifferenceKind.TEXT]


def test_a_text_without_an_id_may_move_if_the_step_brought_it() -> None:
    check = checker()
    check.check(0, shown(button("New"), label("2"), label("5")), None)
    assert check.check(1, shown(button("New"), label("9"), label("5")), texts(None, "9", (0, 0))).is_fine


def test_rows_in_another_order_differ() -> None:
    rows = [("a", (0, 0)), ("b", (0, 1)), ("c", (0, 2))]
    expected = Expectation(
        widgets=tuple(ExpectedWidget(Selector("app:id/row", TEXT_VIEW, path=path), text) for text, path in rows)
    )
    assert kinds(shown(*(label(text, "app:id/row") for text in "abc")), expected) == []
    assert kinds(shown(*(label(text, "app:id/row") for text in "xabc")), expected) == []
    assert DifferenceKind.TEXT in kinds(shown(*(label(text, "app:id/row") for text in "bac")), expected)


def test_one_row_does_not_stand_for_two_equal_ones() -> None:
    expected = Expectation(
        widgets=tuple(
            ExpectedWidget(Selector("app:id/row", TEXT_VIEW, path=(0, number)), "Untitled") for number in (1, 2)
        )
    )
    seen = shown(label("a", "app:id/row"), label("b", "app:id/row"), label("Untitled", "app:id/row"))
    assert kinds(seen, expected) == [DifferenceKind.WIDGET]


def test_a_row_that_is_gone_differs() -> None:
    expected = Expectation(
        widgets=tuple(
            ExpectedWidget(Selector("app:id/row", TEXT_VIEW, path=(0, number)), text)
            for number, text in enumerate("abc")
        )
    )
    assert kinds(shown(*(label(text, "app:id/row") for text in "ac")), expected) != []


def test_an_expected_widget_whose_id_is_gone_needs_two_other_facts() -> None:
    expected = texts("app:id/total", "6", (0, 0))
    check = checker().check(1, shown(label("6", "app:id/sum")), expected)
    assert check.is_fine
    assert [(each.old.resource_id, each.new.resource_id, each.is_target) for each in check.healings] == [
        ("app:id/total", "app:id/sum", False)
    ]
    assert kinds(shown(label("7", "app:id/sum")), expected) == [DifferenceKind.WIDGET]
    assert kinds(shown(button("New"), label("6", "app:id/sum")), expected) == [DifferenceKind.WIDGET]


# ---- states


def test_the_same_state_is_as_expected_and_another_is_not() -> None:
    one, other = shown(button("A", "app:id/a")), shown(button("A", "app:id/a"), button("B", "app:id/b"))
    assert kinds(one, Expectation(state=state_of(one))) == []
    assert kinds(one, Expectation(state=state_of(other))) == [DifferenceKind.STATE]


def test_widgets_in_other_places_are_the_same_state() -> None:
    before = shown(button("A", "app:id/a"), button("B", "app:id/b"))
    moved = shown(label("Title"), button("B", "app:id/b"), button("A", "app:id/a"))
    assert state_of(before) != state_of(moved)
    check = checker(before).check(1, moved, Expectation(state=state_of(before)))
    assert check.is_fine and check.is_moved


def test_a_missing_widget_is_another_state() -> None:
    before = shown(button("A", "app:id/a"), button("B", "app:id/b"))
    after = shown(label("Title"), button("A", "app:id/a"))
    (difference,) = checker(before).check(1, after, Expectation(state=state_of(before))).differences
    assert difference.expected == "android.widget.Button#app:id/b"


def test_a_disabled_widget_is_another_state() -> None:
    before = shown(button("A", "app:id/a"))
    after = shown(label("x"), button("A", "app:id/a", flags=WidgetFlags.CLICKABLE))
    assert kinds(after, Expectation(state=state_of(before)), before) == [DifferenceKind.STATE]


def test_a_lost_check_mark_is_another_state() -> None:
    flags = ENABLED | WidgetFlags.CHECKABLE
    before = shown(widget("A", resource_id="app:id/a", flags=flags | WidgetFlags.CHECKED))
    after = shown(label("x"), widget("A", resource_id="app:id/a", flags=flags))
    assert kinds(after, Expectation(state=state_of(before)), before) == [DifferenceKind.STATE]


def test_a_missing_or_additional_dialog_is_another_state() -> None:
    plain = shown(button("A", "app:id/a"))
    asked = shown(button("A", "app:id/a"), above=[dialog(button("Yes", "app:id/yes"))])
    assert kinds(plain, Expectation(state=state_of(asked)), plain, asked) == [DifferenceKind.STATE]
    assert kinds(asked, Expectation(state=state_of(plain)), plain, asked) == [DifferenceKind.STATE]


def rows(count: int, *more: Widget) -> Step:
    return shown(*(button(f"Row {number}", "app:id/row") for number in range(count)), *more)


def test_a_delete_that_does_nothing_is_seen_although_more_widgets_than_expected_are_there() -> None:
    check = checker(rows(3), rows(2))
    assert check.check(0, rows(3), Expectation(state=state_of(rows(3)))).is_fine
    assert not check.check(1, rows(3), Expectation(state=state_of(rows(2)))).is_fine


def test_a_delete_that_does_nothing_is_seen_in_a_build_with_one_more_row() -> None:
    check = checker(rows(3), rows(2))
    assert check.check(0, rows(4), Expectation(state=state_of(rows(3)))).is_moved
    assert not check.check(1, rows(4), Expectation(state=state_of(rows(2)))).is_fine


def test_an_addition_that_does_nothing_is_seen_in_a_build_with_one_more_row() -> None:
    check = checker(rows(3), rows(4))
    assert check.check(0, rows(4), Expectation(state=state_of(rows(3)))).is_moved
    assert not check.check(1, rows(4), Expectation(state=state_of(rows(4)))).is_fine


def test_a_build_with_one_more_row_passes() -> None:
    check = checker(rows(3), rows(2))
    assert check.check(0, rows(4), Expectation(state=state_of(rows(3)))).is_fine
    assert check.check(1, rows(3), Expectation(state=state_of(rows(2)))).is_fine


def test_a_delete_that_leaves_one_row_is_seen() -> None:
    check = checker(rows(3), rows(0))
    assert check.check(0, rows(3), Expectation(state=state_of(rows(3)))).is_fine
    assert not check.check(1, rows(1), Expectation(state=state_of(rows(0)))).is_fine


ROW, LIST = "android.widget.TwoLineListItem", "android.widget.ListView"


def listed(*titles: str, is_full: bool = False) -> Step:
    """A list with a row for each title, each with a text of a shared id; a full list is cut off after its last row."""
    rows = row_of(*(widget(class_name=ROW, children=(label(title, "app:id/title"),)) for title in titles))
    flags = ENABLED | WidgetFlags.SCROLLABLE if is_full else ENABLED
    return shown(replace(rows, class_name=LIST, resource_id="app:id/list", flags=flags))


def titles(state: Step, **wanted: str) -> Expectation:
    """The state of a list, and the texts of some of its rows: `r2="Milk"` is the third."""
    return Expectation(
        state=state_of(state),
        widgets=tuple(
            ExpectedWidget(Selector("app:id/title", TEXT_VIEW, path=(0, 0, int(row[1:]), 0)), text)
            for row, text in wanted.items()
        ),
    )


SHORT, LONG = listed("a", "b"), listed("a", "b", "Untitled", "Untitled")
TWO_UNTITLED = titles(LONG, r2="Untitled", r3="Untitled")


@pytest.mark.parametrize(
    ("first", "second", "is_fine"),
    [
        (("a", "b", "new"), ("a", "b", "new", "Untitled", "Untitled"), True),
        (("new", "a", "b"), ("new", "a", "b", "Untitled", "Untitled"), True),
        (("a", "b"), ("a", "b", "Untitled", "Untitled"), True),
        # One of the two has another title, or stands where no additional row explains it.
        (("a", "b", "new"), ("a", "b", "new", "Untitled", "Untidy"), False),
        (("a", "b", "new"), ("Untitled", "a", "b", "new", "Untitled"), False),
        (("a", "b"), ("a", "Untitled", "b", "Untitled"), False),
    ],
)
def test_equal_rows_are_found_behind_a_row_that_was_added(
    first: tuple[str, ...], second: tuple[str, ...], is_fine: bool
) -> None:
    check = checker(SHORT, LONG)
    assert check.check(0, listed(*first), titles(SHORT)).is_fine
    assert check.check(1, listed(*second), TWO_UNTITLED).is_fine is is_fine


def test_one_of_two_equal_rows_is_found_by_how_far_it_may_have_moved() -> None:
    check = checker(listed("a", "Done"), listed("a", "Done", "c", "Done"))
    assert check.check(0, listed("a", "Done", "new"), titles(listed("a", "Done"))).is_fine
    four = listed("a", "Done", "c", "Done")
    assert check.check(1, listed("a", "Done", "new", "c", "Done"), titles(four, r3="Done")).is_fine


def test_another_row_that_shows_what_one_of_two_equal_rows_should_is_seen() -> None:
    before, after = listed("Done", "b", "c"), listed("Done", "Done", "c")
    check = checker(before)
    assert check.check(0, before, titles(before)).is_fine
    assert not check.check(1, listed("Done", "b", "Done"), titles(after, r1="Done")).is_fine


def test_a_row_that_an_added_one_pushes_out_of_a_full_list_is_not_missing() -> None:
    """Three rows fit: the added one hides the third, which the step added in its place."""
    two, three = listed("a", "b"), listed("a", "b", "c", is_full=True)
    check = checker(two, three)
    full = listed("a", "b", "new", is_full=True)
    assert check.check(0, full, titles(two, r0="a", r1="b")).is_fine
    second = check.check(1, full, titles(three, r0="a", r1="b", r2="c"))
    assert second.is_fine and second.is_moved
    assert check.check(2, full, titles(two)).is_fine


def test_a_missing_row_is_seen_in_a_full_list_to_which_nothing_was_added() -> None:
    two, three = listed("a", "b", is_full=True), listed("a", "b", "c", is_full=True)
    check = checker(two, three)
    assert check.check(0, two, titles(two)).is_fine
    assert not check.check(1, two, titles(three, r2="c")).is_fine
    check = checker(three)
    assert not check.check(0, listed("a", "b", "x", is_full=True), titles(three, r2="c")).is_fine


def test_a_missing_row_is_seen_where_the_list_has_room_for_it() -> None:
    two, three = listed("a", "b"), listed("a", "b", "c")
    check = checker(two, three)
    assert check.check(0, listed("a", "b", "new"), titles(two)).is_fine
    assert not check.check(1, listed("a", "b", "new"), titles(three)).is_fine


def test_a_row_that_would_still_be_shown_behind_the_added_one_is_missing() -> None:
    two, three = listed("a", "b"), listed("a", "b", "c", is_full=True)
    check = checker(two, three)
    full = listed("a", "b", "new", is_full=True)
    assert check.check(0, full, titles(two)).is_fine
    assert not check.check(1, listed("a", "x", "new", is_full=True), titles(three, r1="b")).is_fine


def form(*texts: str) -> Step:
    """A form with a button below each text, in a view that scrolls, and a note without another like it at its end."""
    parts = [part for text in texts for part in (label(text, "app:id/field"), button("Change", "app:id/change"))]
    inside = row_of(*parts, widget("Note", class_name="Note", flags=ENABLED))
    scroll = replace(inside, class_name="Scroll", flags=ENABLED | WidgetFlags.SCROLLABLE, children=(inside,))
    return shown(scroll)


def test_what_is_no_row_of_a_list_is_missing_although_a_widget_was_added() -> None:
    before, after = form("a"), form("a", "new")
    check = checker(before)
    expected = Expectation(
        state=state_of(before),
        widgets=(ExpectedWidget(Selector(None, "Total", path=(0, 0, 0, 2)), "Total 5"),),
    )
    assert not check.check(0, after, expected).is_fine


def test_a_list_hides_no_more_rows_than_were_added() -> None:
    two, four = listed("a", "b"), listed("a", "b", "c", "d", is_full=True)
    check = checker(two, four)
    full = listed("a", "b", "new", is_full=True)
    assert check.check(0, full, titles(two)).is_fine
    assert not check.check(1, full, titles(four)).is_fine


def on_its_side(*widgets: Widget) -> Step:
    step = shown(*widgets)
    return replace(step, after=replace(step.after, rotation=1))


def test_a_rotation_may_show_what_was_shown_before_it() -> None:
    start, log = button("Start", "app:id/start"), button("Log", "app:id/log")
    upright, aside = shown(start, log), on_its_side(start)
    newer, turned = shown(label("x"), start, log), on_its_side(label("x"), start, log)
    check = checker(upright, aside)
    assert check.check(0, newer, Expectation(state=state_of(upright))).is_moved
    assert check.check(1, turned, Expectation(state=state_of(aside))).is_moved
    assert check.check(2, newer, Expectation(state=state_of(upright))).is_fine


def test_a_deleted_row_that_comes_back_with_a_rotation_is_seen() -> None:
    aside = on_its_side(*(button(f"Row {number}", "app:id/row") for number in range(2)), label("x"))
    back = on_its_side(*(button(f"Row {number}", "app:id/row") for number in range(3)))
    check = checker(rows(3), rows(2), aside)
    assert check.check(0, rows(3), Expectation(state=state_of(rows(3)))).is_fine
    assert check.check(1, rows(2), Expectation(state=state_of(rows(2)))).is_fine
    assert not check.check(2, back, Expectation(state=state_of(aside))).is_fine


def test_a_row_that_was_added_is_there_on_both_sides_although_the_list_grew_in_between() -> None:
    aside = [on_its_side(*(button(f"Row {number}", "app:id/row") for number in range(count))) for count in (4, 5)]
    for seen, is_fine in zip(aside, (True, False), strict=True):
        check = checker(rows(2), on_its_side(*rows(3).after.windows[0].root.children))
        assert check.check(0, rows(3), Expectation(state=state_of(rows(2)))).is_moved
        assert check.check(1, seen, Expectation(state=state_of(rows(3)))).is_fine is is_fine


def test_what_a_rotation_showed_may_not_become_more_on_that_side() -> None:
    one = on_its_side(button("Row", "app:id/row"), label("x"))
    two = on_its_side(*(button(f"Row {number}", "app:id/row") for number in range(2)))
    check = checker(rows(1), one)
    assert check.check(0, rows(1), Expectation(state=state_of(rows(1)))).is_fine
    assert check.check(1, one, Expectation(state=state_of(one))).is_fine
    assert not check.check(2, two, Expectation(state=state_of(one))).is_fine


CRASH = "java.lang.IllegalStateException at app.Cart.line < app.Cart.lines"


def crashed(signature: str) -> Step:
    """A step that ends in a crash with this signature."""
    kind, _, where = signature.partition(" at ")
    frames = [(name.rpartition(".")[0], name.rpartition(".")[2]) for name in where.split(" < ")]
    found = Crash(
        CrashKind.EXCEPTION,
        "main",
        (ExceptionInfo(kind, None, tuple(Frame(name, method, "x.java", 1) for name, method in frames)),),
    )
    assert found.signature == signature
    return Step(Key("MENU"), crash=found, ending=Ending.CRASHED)


@pytest.mark.parametrize(
    ("seen", "is_taken"),
    [
        ("java.lang.IllegalStateException at f.a", True),
        ("java.lang.IllegalStateException at f.a < app.Main.onClick", True),
        ("java.lang.NullPointerException at f.a", False),
        # A class that was there before and has another name only where it crashes is another place.
        ("java.lang.IllegalStateException at app.Main.onClick", False),
    ],
)
def test_a_known_crash_is_known_in_a_class_that_was_renamed(seen: str, is_taken: bool) -> None:
    test = SuiteTest("t", Trace(AppRef("app"), (Step(Launch(), expect=known_crash()),)))
    before = NamedCoverage(frozenset({("app.Cart", "line()V", 0), ("app.Main", "onClick()V", 0)}))
    suite = Suite(AppRef("app"), "actionable", (test,), covered=before)
    renamed = renamed_classes(suite, ["app.Main", "f", "g"])
    check = ExpectationChecker("actionable", (), renamed).check(1, crashed(seen), known_crash())
    assert (check.is_fine, check.is_renamed) == (is_taken, is_taken)
    same_names = renamed_classes(suite, ["app.Main", "app.Cart", "f"])
    assert not ExpectationChecker("actionable", (), same_names).check(1, crashed(seen), known_crash()).is_fine


def known_crash() -> Expectation:
    return Expectation(ending=Ending.CRASHED, crash=CRASH)


def test_a_screen_that_should_have_no_widgets_gets_none() -> None:
    empty = shown(label("Nothing here"))
    assert kinds(rows(2), Expectation(state=state_of(empty)), empty) == [DifferenceKind.STATE]


def test_a_screen_with_many_more_widgets_is_another_one() -> None:
    assert kinds(rows(2, button("A", "app:id/a")), Expectation(state=state_of(rows(2))), rows(2)) == []
    many = [button(str(number), f"app:id/{number}") for number in range(5)]
    assert kinds(rows(2, *many), Expectation(state=state_of(rows(2))), rows(2)) == [DifferenceKind.STATE]


def test_states_with_texts_are_never_taken_for_one_another() -> None:
    from fewtaps.model.state import content_state

    before, after = shown(button("A", "app:id/a")), shown(button("B", "app:id/a"))
    expected = Expectation(state=content_state(before.after))
    shapes = [shape_of(before.after, content_state(before.after))]
    assert not ExpectationChecker("content", shapes).check(1, after, expected).is_fine


# ---- healing


SPLIT = Selector("app:id/split", BUTTON, "Split", "Splits it", (0, 0))


@pytest.mark.parametrize(
    ("found", "heals"),
    [
        (button("Split", "app:id/other"), True),
        (button("Divide", "app:id/other", description="Splits it"), True),
        (button("Divide", "app:id/other"), False),
        (button("Split", "app:id/other", flags=WidgetFlags.CLICKABLE), False),
        (button("Split", "app:id/other", class_name="a.Other"), False),
    ],
)
def test_two_facts_heal_and_one_does_not(found: Widget, heals: bool) -> None:
    assert (healed(SPLIT, screen(found)) is not None) is heals


def test_two_candidates_heal_nothing() -> None:
    first = button("Split", "app:id/a")
    second = button("Split", "app:id/b", description="Splits it")
    assert healed(SPLIT, screen(first, second)) is None
    assert healed(SPLIT, screen(first, button("Other"))) is not None


def test_a_widget_behind_a_dialog_heals_nothing() -> None:
    behind = screen(button("Split", "app:id/a"), above=[dialog(button("OK", "app:id/ok"))])
    assert healed(SPLIT, behind) is None


def test_a_widget_without_size_heals_nothing() -> None:
    seen = screen(button("Split", "app:id/a"))
    root = seen.windows[0].root
    flat = replace(root, children=tuple(replace(child, bounds=Bounds(0, 0, 0, 0)) for child in root.children))
    assert healed(SPLIT, replace(seen, windows=(replace(seen.windows[0], root=flat),))) is None


def test_empty_facts_do_not_count() -> None:
    bare = Selector("app:id/x", BUTTON, path=(0, 0))
    assert healed(bare, screen(button(None, "app:id/y"))) is None


def test_a_selector_whose_id_is_gone_finds_nothing_although_its_text_is_there() -> None:
    assert target_of_selector(SPLIT, screen(button("Split", "app:id/other", description="Splits it"))) is None
    assert target_of_selector(SPLIT, screen(button("Divide", "app:id/split"))) is not None


def test_a_button_with_another_label_in_the_same_place_is_another_button() -> None:
    selector = Selector(None, BUTTON, "Save", path=(0, 0))
    assert target_of_selector(selector, screen(button("Delete"))) is None
    assert target_of_selector(selector, screen(button("Save"))) is not None


def test_another_row_in_the_place_of_a_row_that_is_gone_is_not_taken() -> None:
    milk = Selector("app:id/row", BUTTON, "Milk", path=(0, 0))
    seen = screen(button("Eggs", "app:id/row"), button("Bread", "app:id/row"))
    assert target_of_selector(milk, seen) is None
    assert healed(milk, seen) is None
    moved = screen(button("Eggs", "app:id/row"), button("Milk", "app:id/row"))
    found = target_of_selector(milk, moved)
    assert found is not None and found.path == (0, 1)


def test_a_text_box_with_another_content_is_the_same_text_box() -> None:
    box = widget("17", class_name="Box", flags=ENABLED | WidgetFlags.EDITABLE)
    assert target_of_selector(Selector(None, "Box", "4", path=(0, 0)), screen(box)) is not None


def test_a_step_that_changes_nothing_proves_no_healing() -> None:
    step = shown(button("A", "app:id/a"))
    assert not proves_healing(step, None, "actionable")
    assert not proves_healing(step, Expectation(activity="a.B"), "actionable")
    assert not proves_healing(step, Expectation(state=state_of(step)), "actionable")
    assert proves_healing(step, Expectation(state=StateId("another")), "actionable")
    assert proves_healing(step, replace(texts("app:id/total", "6"), state=state_of(step)), "actionable")
    masked = Expectation(
        state=state_of(step),
        widgets=(ExpectedWidget(Selector("app:id/total"), "6"),),
        masked=(Selector("app:id/total"),),
    )
    assert not proves_healing(step, masked, "actionable")


def test_a_renamed_id_alone_is_healed_without_proof() -> None:
    seen = screen(button("Split", "app:id/split_button"), button(None, "app:id/box"))
    split = healed(Selector("app:id/split", BUTTON, "Split", path=(0, 0)), seen)
    assert split is not None
    assert only_id_differs(Selector("app:id/split", BUTTON, "Split", path=(0, 0)), split)
    # Another text, another place or a description that is gone is more than a renamed id.
    for other in (
        Selector("app:id/split", BUTTON, "Share", path=(0, 0)),
        Selector("app:id/split", BUTTON, "Split", path=(0, 1)),
        Selector("app:id/split", BUTTON, "Split", "Splits the bill", path=(0, 0)),
    ):
        assert not only_id_differs(other, split)
    box = Located(seen.windows[0].root.children[1], (0, 1))
    assert not only_id_differs(Selector("app:id/field", BUTTON, path=(0, 1)), box)


def test_the_nearest_candidates_have_the_most_facts() -> None:
    seen = screen(button("Other"), button("Split", "app:id/x"), label("Title"))
    assert nearest(SPLIT, seen)[0].text == "Split"
    assert len(nearest(SPLIT, screen(*(button(str(number)) for number in range(9))))) == 3


some_widgets = st.lists(
    st.builds(
        lambda text, identifier, description, enabled: button(
            text, identifier, description=description, flags=WidgetFlags.CLICKABLE | (ENABLED if enabled else 0)
        ),
        st.sampled_from([None, "Split", "Other"]),
        st.sampled_from([None, "app:id/split", "app:id/other"]),
        st.sampled_from([None, "Splits it", "Other"]),
        st.booleans(),
    ),
    max_size=4,
)


@given(some_widgets)
def test_what_is_healed_fits_in_two_facts_and_is_the_only_one(widgets: list[Widget]) -> None:
    seen: Screen = screen(*widgets)

    is_unique = [each.resource_id for each in widgets].count(SPLIT.resource_id) == 1

    def facts(number: int, each: Widget) -> int:
        return (
            (is_unique and each.resource_id == SPLIT.resource_id)
            + (each.text == SPLIT.text)
            + (each.description == SPLIT.description)
            + ((0, number) == SPLIT.path)
        )

    fitting = [number for number, each in enumerate(widgets) if each.flags & ENABLED and facts(number, each) >= 2]
    found = healed(SPLIT, seen)
    assert (found.path[1] if found is not None else None) == (fitting[0] if len(fitting) == 1 else None)

"""Compares a step with its expectation, and decides what may be healed.

A selector that finds nothing is healed only if exactly one widget that is shown and enabled fits it in two of id, text,
description, and class with path, and only if the step then shows what is expected. All else is broken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from fewtaps.model.crash import Crash
from fewtaps.model.ending import Ending
from fewtaps.model.event import Selector
from fewtaps.model.expectation import Expectation, ExpectedWidget
from fewtaps.model.screen import Located, Screen, WidgetFlags, selector_of
from fewtaps.model.shape import COMPARABLE, StateShape, added, lacking, shape_of
from fewtaps.model.state import StateId
from fewtaps.model.step_state import step_state
from fewtaps.model.suite_result import Difference, DifferenceKind, Healing
from fewtaps.model.target import NAMING_FACTS, is_shared_id, shared_facts
from fewtaps.model.trace import Step
from fewtaps.suite.expecting import unmasked
from fewtaps.suite.renaming import NOTHING_RENAMED, RenamedClasses, is_renamed_crash
from fewtaps.suite.rows import AddedRows

_ScreenKey: TypeAlias = tuple[str | None, tuple[str, ...], int]
"""Activity, kinds of the windows, and side of a screen."""

FACTS_TO_HEAL = 2
"""So many of id, text, description, and class with path a widget has to share with a selector that finds nothing."""
MOST_ADDED = 1.0
"""Widgets at most that a newer build may add to a screen, for each that is expected: none where none is expected."""
MOST_CANDIDATES = 3
"""Widgets at most that are named beside a selector that finds nothing."""


def healed(selector: Selector, screen: Screen) -> Located | None:
    """The one widget that may stand in for a selector that finds nothing; None if there is none or more than one."""
    # An id that several widgets share says nothing of one of them.
    uncounted = frozenset({"id"}) if is_shared_id(selector.resource_id, screen) else frozenset[str]()
    fitting = [
        located
        for located in screen.iter_touchable()
        if _is_usable(located) and len(shared_facts(selector, located) - uncounted) >= FACTS_TO_HEAL
    ]
    return fitting[0] if len(fitting) == 1 else None


def only_id_differs(selector: Selector, located: Located) -> bool:
    """Whether text, description, class and path are all as the selector says, as after the renaming of an id.

    Such a widget may be taken also where the step shows nothing that would prove it.
    """
    named = {
        *({"text"} if selector.text else ()),
        *({"description"} if selector.description else ()),
        "class with path",
    }
    return len(named) >= FACTS_TO_HEAL and named == shared_facts(selector, located) - {"id"}


def nearest(selector: Selector, screen: Screen) -> tuple[Selector, ...]:
    """The widgets that fit a selector best, for a person: by names first, then by place, targets before others."""
    scored = [
        (_closeness(shared_facts(selector, located)), located.widget.class_name == selector.class_name, located)
        for located in screen.iter_touchable()
        if _is_usable(located) and (located.widget.is_target or located.widget.text)
    ]
    scored.sort(key=lambda each: (-each[0][0], -each[0][1], not each[2].widget.is_target, not each[1]))
    return tuple(selector_of(located) for _, _, located in scored[:MOST_CANDIDATES])


@dataclass(frozen=True, slots=True)
class StepCheck:
    """What a step shows beside its expectation: differences, and expectations whose widget was healed.

    `is_moved` says that the widgets of the expected state are there in other places, `is_renamed` that the expected
    crash is there under new names.
    """

    differences: tuple[Difference, ...] = ()
    healings: tuple[Healing, ...] = ()
    is_moved: bool = False
    is_renamed: bool = False

    @property
    def is_fine(self) -> bool:
        """Whether all is as expected."""
        return not self.differences


class ExpectationChecker:
    """Compares the steps of one run with their expectations, in order.

    A state that differs by its id is accepted under three conditions. All its expected widgets are there, with their
    check marks. One state stands for one: within the run, neither does an expected state become two, nor two become
    one; but a list that is full shows no more rows, so that a longer one may look the same if rows were added. And
    widgets beyond the expected are there since the screen was first seen, and are not more than the
    expected: no later step adds more. An upright screen and a screen on its side are two, each with a layout of its
    own: what was shown before the rotation and is shown after it is no addition.
    """

    def __init__(
        self, abstraction: str, shapes: Iterable[StateShape] = (), renamed: RenamedClasses = NOTHING_RENAMED
    ) -> None:
        self._abstraction = abstraction
        self._shapes = {shape.state: shape for shape in shapes} if abstraction in COMPARABLE else {}
        self._renamed = renamed
        self._seen_as: dict[tuple[StateId, int], StateId] = {}
        self._stands_for: dict[tuple[StateId, int], StateId] = {}
        self._additions: dict[_ScreenKey, Counter[str]] = {}
        self._shown: dict[_ScreenKey, Counter[str]] = {}
        self._before = Screen("", None, 0, 0)

    def check(self, number: int, step: Step, expectation: Expectation | None) -> StepCheck:
        """Compares one step. Without an expectation only a crash differs."""
        expected = expectation if expectation is not None else Expectation()
        before, self._before = self._before, step.after
        differences = list(_ending_differences(step, expected, free=expectation is None))
        if self._is_renamed(step, expected, differences):
            return StepCheck(is_renamed=True)
        if differences or step.ending.is_final or expectation is None:
            return StepCheck(tuple(differences))
        if expected.package is not None and step.after.package != expected.package:
            differences.append(Difference(DifferenceKind.PACKAGE, expected.package, step.after.package))
        if expected.activity is not None and step.after.activity != expected.activity:
            differences.append(Difference(DifferenceKind.ACTIVITY, expected.activity, step.after.activity or ""))
        is_moved = False
        additions: Counter[str] = Counter()
        if expected.state is not None:
            reason = self._state_difference(step, expected.state)
            is_moved = reason is None and step_state(step, self._abstraction) != expected.state
            if reason is not None:
                differences.append(reason)
            else:
                additions = self._additions.get(_screen_of(step), additions)
        found, healings, is_cut = _widget_differences(number, step.after, before, unmasked(expected), additions)
        differences.extend(found)
        return StepCheck(tuple(differences), tuple(healings), is_moved or is_cut)

    def _is_renamed(self, step: Step, expected: Expectation, differences: list[Difference]) -> bool:
        return (
            [each.kind for each in differences] == [DifferenceKind.CRASH]
            and expected.crash is not None
            and step.crash is not None
            and is_renamed_crash(expected.crash, step.crash.signature, self._renamed)
        )

    def _state_difference(self, step: Step, expected: StateId) -> Difference | None:
        seen = step_state(step, self._abstraction)
        if seen is None:
            return Difference(DifferenceKind.STATE, expected, "")
        shape = shape_of(step.after, seen) if step.ending is Ending.RUNNING else None
        screen = _screen_of(step)
        _, kinds, side = screen
        another = Difference(DifferenceKind.STATE, f"state {expected}", "the state of another step")
        is_consistent = self._seen_as.get((expected, side), seen) == seen and (
            self._stands_for.get((seen, side), expected) == expected or self._is_another_full_list(step, expected, seen)
        )
        if seen == expected:
            if not is_consistent:
                return another
            self._stand(expected, seen, side)
            self._additions.setdefault(screen, Counter())
            self._shown[screen] = _names_in(shape)
            return None
        known = self._shapes.get(expected)
        if shape is None or known is None:
            return Difference(DifferenceKind.STATE, expected, seen)
        missing = lacking(known, shape)
        if missing:
            return Difference(DifferenceKind.STATE, _listed(missing), _listed(added(known, shape)) or "nothing else")
        if not is_consistent:
            return another
        more = Counter(added(known, shape))
        if more.total() > MOST_ADDED * sum(len(window.widgets) for window in known.windows):
            return Difference(DifferenceKind.STATE, "nothing more", _listed(more.elements()))
        other_side = (screen[0], kinds, 1 - side)
        turned = self._shown.get(other_side)
        # What was shown before the rotation, and what the build adds there: the list may have grown in between.
        first = more if turned is None else (turned - _names_in(known)) | self._additions.get(other_side, Counter())
        allowed = self._additions.get(screen, first)
        if more - allowed:
            return Difference(DifferenceKind.STATE, "nothing more", _listed((more - allowed).elements()))
        self._additions[screen] = allowed
        self._shown[screen] = _names_in(shape)
        self._stand(expected, seen, side)
        return None

    def _is_another_full_list(self, step: Step, expected: StateId, seen: StateId) -> bool:
        """Whether a screen that stands for another state is a full list whose additional rows hide the difference."""
        screen = _screen_of(step)
        shorter, longer = self._shapes.get(self._stands_for[seen, screen[2]]), self._shapes.get(expected)
        if shorter is None or longer is None or lacking(shorter, longer):
            return False
        additions = self._additions.get(screen, Counter())
        hidden = Counter(added(shorter, longer))
        more = Counter(added(longer, shape_of(step.after, seen))) + hidden
        return not more - additions and AddedRows(step.after, additions).hides(hidden)

    def _stand(self, expected: StateId, seen: StateId, side: int) -> None:
        self._seen_as.setdefault((expected, side), seen)
        self._stands_for.setdefault((seen, side), expected)


def _screen_of(step: Step) -> _ScreenKey:
    """What the additional widgets of a newer build are counted by."""
    kinds = tuple(window.kind.value for window in step.after.windows if window.touchable)
    return step.after.activity, kinds if step.ending is Ending.RUNNING else (), step.after.rotation % 2


def _names_in(shape: StateShape | None) -> Counter[str]:
    """The widgets of a state, as `added` and `lacking` name them."""
    return Counter(name for window in shape.windows for name in window.widgets) if shape is not None else Counter()


def proves_healing(before: Step, expectation: Expectation | None, abstraction: str) -> bool:
    """Whether a step that shows what is expected proves that the right widget was taken.

    A state has to be expected, and the step has to change something: the state, a text or a check mark.
    """
    if expectation is None:
        return False
    if expectation.ending is not Ending.RUNNING:
        return expectation.crash is not None or expectation.package is not None
    if expectation.state is None:
        return False
    return bool(unmasked(expectation)) or step_state(before, abstraction) != expectation.state


def _closeness(facts: frozenset[str]) -> tuple[int, int]:
    return len(facts & NAMING_FACTS), len(facts - NAMING_FACTS)


def _is_usable(located: Located) -> bool:
    bounds = located.widget.bounds
    return bool(located.widget.flags & WidgetFlags.ENABLED) and bounds.width > 0 and bounds.height > 0


def _ending_differences(step: Step, expected: Expectation, free: bool) -> Iterator[Difference]:
    """How the ending differs; a step without expectation is `free` to leave the app."""
    if step.ending is not expected.ending and not (free and not step.ending.is_final):
        yield Difference(DifferenceKind.ENDING, expected.ending.value, _ending_words(step))
    elif expected.crash is not None:
        seen = step.crash.signature if step.crash is not None else ""
        if seen != expected.crash:
            yield Difference(DifferenceKind.CRASH, expected.crash, seen)


def _ending_words(step: Step) -> str:
    crash: Crash | None = step.crash
    return step.ending.value if crash is None else f"{step.ending.value}: {crash.summary}"


def _widget_differences(
    number: int, screen: Screen, before: Screen, expected: tuple[ExpectedWidget, ...], additions: Counter[str]
) -> tuple[list[Difference], list[Healing], bool]:
    """The differences, what was healed, and whether rows are beyond the end of their list."""
    differences: list[Difference] = []
    healings: list[Healing] = []
    found: list[tuple[ExpectedWidget, Located]] = []
    everything = list(screen.iter_located())
    rows = _rows_elsewhere(expected, everything, before, AddedRows(screen, additions)) if additions else {}
    for place, widget in enumerate(expected):
        located, healing = (
            (rows[place], False) if place in rows else _expected_widget(widget, everything, screen, before)
        )
        if located is None:
            if place not in rows:
                differences.append(Difference(DifferenceKind.WIDGET, _shown(widget), "no such widget", widget.selector))
            continue
        difference = _content_difference(widget, located)
        if difference is None and _is_taken(located, widget, found):
            difference = Difference(DifferenceKind.WIDGET, _shown(widget), "no such widget", widget.selector)
        if difference is not None:
            differences.append(difference)
            continue
        found.append((widget, located))
        if healing:
            healings.append(Healing(number, widget.selector, selector_of(located), is_target=False))
    differences.extend(_order_differences(found))
    return differences, healings, None in rows.values()


def _rows_elsewhere(
    expected: tuple[ExpectedWidget, ...], everything: list[Located], before: Screen, added_rows: AddedRows
) -> dict[int, Located | None]:
    """The widgets of expected rows with the same text, by number; None for a row beyond the end of its list.

    Left out are rows of which it cannot be said, widgets whose id no other widget has, and texts without an id that
    stood elsewhere before the step.
    """
    groups: dict[tuple[str | None, str | None, str], list[int]] = {}
    for number, widget in enumerate(expected):
        text = widget.text or widget.selector.text
        if text and widget.selector.path:
            groups.setdefault((widget.selector.resource_id, widget.selector.class_name, text), []).append(number)
    rows: dict[int, Located | None] = {}
    for (resource_id, class_name, text), numbers in groups.items():
        same_id = [each for each in everything if (each.widget.resource_id or None) == (resource_id or None)]
        if resource_id and len(same_id) == len(numbers) == 1:
            continue
        alike = [
            each
            for each in same_id
            if each.widget.text == text and (not class_name or each.widget.class_name == class_name)
        ]
        selectors = [expected[number].selector for number in numbers]
        if not resource_id:
            paths = {selector.path for selector in selectors}
            alike = [each for each in alike if each.path in paths or not _showed_before(each, before)]
        found = added_rows.counterparts(selectors, alike)
        if found is not None:
            rows.update(zip(numbers, found, strict=True))
    return rows


def _expected_widget(
    expected: ExpectedWidget, everything: list[Located], screen: Screen, before: Screen
) -> tuple[Located | None, bool]:
    """The widget whose content is expected, and whether it was healed."""
    selector = expected.selector
    wanted = replace(selector, text=expected.text or selector.text)
    same_id = [each for each in everything if selector.resource_id and each.widget.resource_id == selector.resource_id]
    if len(same_id) == 1:
        return same_id[0], False
    in_place = next((each for each in same_id or everything if each.path == selector.path), None)
    if in_place is not None and selector.class_name and in_place.widget.class_name != selector.class_name:
        in_place = None
    if in_place is not None and in_place.widget.text == wanted.text and (same_id or not selector.resource_id):
        return in_place, False
    alike = [
        each
        for each in same_id or everything
        if each.widget.text == wanted.text
        and (not selector.class_name or each.widget.class_name == selector.class_name)
    ]
    if same_id:
        return (alike[0] if len(alike) == 1 else in_place), False
    if selector.resource_id:
        # The id is gone from the screen: two other facts are needed.
        fitting = [each for each in everything if len(shared_facts(wanted, each)) >= FACTS_TO_HEAL]
        return (fitting[0] if len(fitting) == 1 else None), True
    # A text without an id that is elsewhere has to be new there: one that stood there before is another widget's.
    new = [each for each in alike if wanted.text and not _showed_before(each, before)]
    return (new[0] if len(alike) == len(new) == 1 else in_place), False


def _showed_before(located: Located, before: Screen) -> bool:
    widget = before.widget(located.path)
    return widget is not None and widget.text == located.widget.text


def _content_difference(expected: ExpectedWidget, located: Located) -> Difference | None:
    widget = located.widget
    if expected.text is not None and (widget.text or "") != expected.text:
        return Difference(DifferenceKind.TEXT, expected.text, widget.text or "", expected.selector, located.path)
    if expected.checked is not None:
        checked = bool(widget.flags & WidgetFlags.CHECKED) if widget.flags & WidgetFlags.CHECKABLE else None
        if checked is not expected.checked:
            return Difference(
                DifferenceKind.CHECKED, _mark(expected.checked), _mark(checked), expected.selector, located.path
            )
    return None


def _is_taken(located: Located, widget: ExpectedWidget, found: list[tuple[ExpectedWidget, Located]]) -> bool:
    """Whether the widget stands for another one that is expected already, such as an equal row of the list."""
    place = widget.selector.path
    return bool(place) and any(
        theirs.path == located.path and other.selector.path and other.selector.path != place for other, theirs in found
    )


def _order_differences(found: list[tuple[ExpectedWidget, Located]]) -> Iterator[Difference]:
    """Widgets of one id, such as the rows of a list, have to be in the order in which they are expected."""
    rows: dict[str, list[tuple[ExpectedWidget, Located]]] = {}
    for widget, located in found:
        if widget.selector.resource_id and widget.selector.path:
            rows.setdefault(widget.selector.resource_id, []).append((widget, located))
    for members in rows.values():
        expected = sorted(members, key=lambda each: each[0].selector.path)
        seen = sorted(members, key=lambda each: each[1].path)
        for mine, theirs in zip(expected, seen, strict=True):
            if mine is not theirs:
                yield Difference(
                    DifferenceKind.TEXT, _shown(mine[0]), _shown(theirs[0]), mine[0].selector, theirs[1].path
                )
                break


def _shown(widget: ExpectedWidget) -> str:
    return widget.text if widget.text is not None else _mark(widget.checked)


def _mark(checked: bool | None) -> str:
    return {True: "checked", False: "unchecked", None: "no check mark"}[checked]


def _listed(names: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(names))

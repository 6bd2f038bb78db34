"""Makes the expectations of a test from runs of it in several worlds and on another date.

A step expects its activity, its state, and of the texts and check marks those that the step changed. What differs
between the runs is not expected: the widget is listed as masked instead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from fewtaps.model.ending import Ending
from fewtaps.model.event import AimedEvent, Event, Launch, Rotate, Selector, SystemEvent
from fewtaps.model.expectation import Expectation, ExpectedWidget
from fewtaps.model.screen import Located, Screen, Widget, WidgetFlags
from fewtaps.model.shape import COMPARABLE, StateShape, common_shape, shape_of
from fewtaps.model.state import StateId
from fewtaps.model.step_state import step_state
from fewtaps.model.target import selector_anew, target_of_selector
from fewtaps.model.trace import Step, Trace

MOST_WIDGETS = 12
"""Widgets at most whose texts and check marks a step expects."""
LONGEST_TEXT = 300
"""Characters of the longest text that is expected."""

WidgetPlace: TypeAlias = tuple[int, tuple[int, ...]]
"""The number of a step and the path of a widget on the screen after it."""


def with_expectations(runs: Sequence[Trace], abstraction: str, telling: frozenset[WidgetPlace] = frozenset()) -> Trace:
    """The first run with the expectations that all runs meet.

    The runs have the same events. `telling` names widgets whose texts are expected although the step did not change
    them, because they tell a fault from the app without it. A run that ended earlier than the first leaves the steps
    after its end without expectations. Selectors are taken anew from the first run; the text of one that does not fit
    the widget in every run is taken out.
    Raises ValueError without a run.
    """
    if not runs:
        raise ValueError("expectations are made from at least one run")
    first = runs[0]
    common = min(len(run.steps) for run in runs)
    changed_before: set[tuple[str, str]] = set()
    steps: list[Step] = []
    for number, step in enumerate(first.steps):
        event = _without_varying_text([run.steps[number] for run in runs if number < len(run.steps)])
        if number >= common:
            steps.append(replace(step, event=event, expect=None))
            continue
        seen = [run.steps[number] for run in runs]
        # The screen before the launch of a trace is not recorded, so that everything on the first screen is new.
        before = first.steps[number - 1].after if number else step.before
        also = {path for told, path in telling if told == number}
        expect = _expectation(seen, before, abstraction, changed_before, also)
        changed_before.update((_key(each.selector), each.text) for each in expect.widgets if each.text is not None)
        steps.append(replace(step, event=event, expect=expect))
    return replace(first, steps=tuple(steps))


def state_shapes(runs: Iterable[Trace], abstraction: str) -> tuple[StateShape, ...]:
    """Which widgets the states of the runs have, by state; empty under an abstraction of which shapes do not tell all.

    Of a state that was seen several times, what all its screens have in common.
    """
    if abstraction not in COMPARABLE:
        return ()
    shapes: dict[StateId, StateShape] = {}
    for run in runs:
        for step in run.steps:
            state = step_state(step, abstraction)
            if state is None or step.ending is not Ending.RUNNING:
                continue
            shape = shape_of(step.after, state)
            known = shapes.get(state)
            shapes[state] = shape if known is None else common_shape(known, shape) or known
    return tuple(shapes[state] for state in sorted(shapes))


def masks_everything(trace: Trace) -> bool:
    """Whether the steps of a test expect no text and no check mark, although widgets are masked."""
    expected = [step.expect for step in trace.steps if step.expect is not None]
    return any(each.masked for each in expected) and not any(unmasked(each) for each in expected)


def unmasked(expectation: Expectation) -> tuple[ExpectedWidget, ...]:
    """The expected widgets that no mask hides."""
    masks = {_place(selector) for selector in expectation.masked}
    return tuple(widget for widget in expectation.widgets if _place(widget.selector) not in masks)


def _expectation(
    seen: Sequence[Step],
    before: Screen,
    abstraction: str,
    changed_before: set[tuple[str, str]],
    also: set[tuple[int, ...]],
) -> Expectation:
    first = seen[0]
    if len({step.ending for step in seen}) > 1 or first.ending is Ending.LOST:
        return Expectation()
    crashes = {None if step.crash is None else step.crash.signature for step in seen}
    if first.ending.is_final:
        return Expectation(ending=first.ending, crash=crashes.pop() if len(crashes) == 1 else None)
    states = {step_state(step, abstraction) for step in seen}
    packages = {step.after.package for step in seen}
    if first.ending is Ending.LEFT:
        return Expectation(ending=first.ending, package=packages.pop() if len(packages) == 1 else None)
    activities = {step.after.activity for step in seen}
    chosen = _chosen(first, before, changed_before, also)
    widgets = tuple(each.expected for each in chosen if _is_same_in_all(each, seen[1:]))
    masked = tuple(each.expected.selector for each in chosen if not _is_same_in_all(each, seen[1:]))
    return Expectation(
        activity=activities.pop() if len(activities) == 1 else None,
        state=states.pop() if len(states) == 1 else None,
        widgets=widgets,
        masked=masked,
    )


@dataclass(frozen=True, slots=True)
class _Choice:
    """A widget that a step changed, and what would be expected of it. `rank` is smaller for what tells more."""

    located: Located
    expected: ExpectedWidget
    rank: int


def _chosen(
    step: Step, before: Screen, changed_before: set[tuple[str, str]], also: set[tuple[int, ...]]
) -> list[_Choice]:
    """What the step changed, in the order of the tree; of many, those that tell the most."""
    is_same_page = before.activity == step.after.activity and len(before.windows) == len(step.after.windows)
    texts = Counter(_text_key(each.widget) for each in _readable(before))
    marks = Counter(_mark_key(each) for each in _readable(before))
    recreates = isinstance(step.event, Rotate | Launch | SystemEvent)
    choices: list[_Choice] = []
    for located in _readable(step.after):
        widget = located.widget
        text: str | None = widget.text or None
        if text is not None and not _is_told(widget, text):
            text = None
        text_key, mark_key = _text_key(widget), _mark_key(located)
        is_new_text = texts[text_key] == 0
        is_new_mark = marks[mark_key] == 0
        texts[text_key] -= texts[text_key] > 0
        marks[mark_key] -= marks[mark_key] > 0
        is_kept = recreates and text is not None and (_key(_selector(located)), text) in changed_before
        if not is_new_text and not is_kept and located.path not in also:
            text = None
        checked = _checked(widget) if is_new_mark or recreates else None
        if text is None and checked is None:
            continue
        expected = ExpectedWidget(_selector(located, keeps_text=text is None), text, checked)
        is_sure = is_same_page or is_kept or located.path in also
        choices.append(_Choice(located, expected, 0 if is_sure else _rank(widget)))
    best = sorted(choices, key=lambda each: each.rank)[:MOST_WIDGETS]
    kept = {each.located.path for each in best}
    return [each for each in choices if each.located.path in kept]


def _readable(screen: Screen) -> Iterable[Located]:
    """The widgets whose texts belong to the app: not those inside a web view."""
    for number, window in enumerate(screen.windows):
        stack = [Located(window.root, (number,))]
        while stack:
            located = stack.pop()
            yield located
            if not located.widget.flags & WidgetFlags.WEB:
                children = enumerate(located.widget.children)
                stack.extend(reversed([Located(child, (*located.path, index)) for index, child in children]))


def _is_told(widget: Widget, text: str) -> bool:
    return len(text) <= LONGEST_TEXT and not widget.flags & WidgetFlags.PASSWORD and bool(text.strip())


def _rank(widget: Widget) -> int:
    """0 for texts with numbers, then check marks, then other texts, then the labels of buttons."""
    if any(char.isdigit() for char in widget.text or ""):
        return 1
    if widget.flags & WidgetFlags.CHECKABLE:
        return 2
    return 4 if widget.is_target else 3


def _checked(widget: Widget) -> bool | None:
    return bool(widget.flags & WidgetFlags.CHECKED) if widget.flags & WidgetFlags.CHECKABLE else None


def _text_key(widget: Widget) -> tuple[str, str, str]:
    return widget.resource_id or "", widget.class_name, widget.text or ""


def _mark_key(located: Located) -> tuple[str, str, str, bool | None]:
    widget = located.widget
    return widget.resource_id or "", widget.class_name, widget.text or "", _checked(widget)


def _selector(located: Located, keeps_text: bool = False) -> Selector:
    """A selector without the text that is expected; a check mark's widget keeps its label."""
    widget = located.widget
    return Selector(
        resource_id=widget.resource_id or None,
        class_name=widget.class_name or None,
        text=(widget.text or None) if keeps_text else None,
        description=widget.description or None,
        path=located.path,
    )


def _key(selector: Selector) -> str:
    """What stays of a widget when its screen is made anew: the id, or else its class."""
    return selector.resource_id or selector.class_name or ""


def _place(selector: Selector) -> tuple[str | None, str | None, tuple[int, ...]]:
    return selector.resource_id, selector.class_name, selector.path


def _is_same_in_all(choice: _Choice, others: Sequence[Step]) -> bool:
    path, expected = choice.located.path, choice.expected
    for step in others:
        widget = step.after.widget(path)
        if widget is None or widget.class_name != choice.located.widget.class_name:
            return False
        if expected.text is not None and widget.text != expected.text:
            return False
        if expected.checked is not None and _checked(widget) != expected.checked:
            return False
        if expected.selector.text is not None and widget.text != expected.selector.text:
            return False
    return True


def _with_selector_anew(step: Step) -> Event:
    """The event with its selector as the widget is in this run; the fields that the selector has stay the same.

    An event may come from a trace in which its widget was in another place or showed another text.
    """
    event = step.event
    if not isinstance(event, AimedEvent) or event.selector is None or event.selector.is_empty:
        return event
    selector = event.selector
    located = target_of_selector(selector, step.before)
    if located is None:
        return event
    anew = selector_anew(selector, located)
    return event if anew == selector else replace(event, selector=anew)


def _without_varying_text(seen: Sequence[Step]) -> Event:
    """The event of the first run, without the text of its selector if the widget shows another one in some run."""
    event = _with_selector_anew(seen[0])
    if not isinstance(event, AimedEvent) or event.selector is None:
        return event
    selector = event.selector
    if not selector.text or not selector.path:
        return event
    shown = {widget.shown_text for step in seen if (widget := step.before.widget(selector.path)) is not None}
    if selector.text in shown and len(shown) > 1:
        return replace(event, selector=replace(selector, text=None))
    return event

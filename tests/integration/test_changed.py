"""The changed builds do what `samples/changed/changes.toml` says, at the step that it says, in several worlds."""

from __future__ import annotations

from collections import Counter

import pytest
from integration.conftest import OpenSample
from samples.changes import Change, of_kind

from fewtaps.model.ending import Ending
from fewtaps.model.event import Event, Selector
from fewtaps.model.screen import Screen, Widget, WidgetFlags
from fewtaps.model.trace import Step, Trace
from fewtaps.replay import play
from fewtaps.tracefile import read_trace

pytestmark = pytest.mark.jvm

WORLDS = range(3)

FLAGS = {
    "enabled": (WidgetFlags.ENABLED, True),
    "disabled": (WidgetFlags.ENABLED, False),
    "checked": (WidgetFlags.CHECKED, True),
    "unchecked": (WidgetFlags.CHECKED, False),
}
"""What `expected` and `seen` say of a widget, as a flag and its value."""


def visible_facts(step: Step) -> Counter[object]:
    """Activity, ending, and the texts, check marks and enabled widgets, in any order and at any place."""
    flags = WidgetFlags.ENABLED | WidgetFlags.CHECKED
    shown: Counter[object] = Counter(
        (widget.text, widget.description, int(widget.flags & flags))
        for widget in step.after.iter_widgets()
        if widget.text or widget.description
    )
    shown[step.after.activity, step.ending] += 1
    return shown


def named(screen: Screen, text: str) -> Widget:
    (widget,) = (widget for widget in screen.iter_widgets() if widget.text == text)
    return widget


def says(step: Step, change: Change, fact: str) -> bool:
    """Whether the screen after the step has the fact that `expected` or `seen` names."""
    if change.widget is None:
        return any(widget.text == fact for widget in step.after.iter_widgets())
    flag, value = FLAGS[fact]
    return bool(named(step.after, change.widget).flags & flag) is value


def played(open_sample: OpenSample, change: Change, world: int) -> tuple[Trace, Trace]:
    """The runs of the base and of the changed build, with the same events."""
    events = read_trace(change.steps).events
    base = play(open_sample(change.base), events, world=world)
    return base, play(open_sample(f"changed/{change.name}"), events, world=world)


def names_a_lost_id(event: Event, before: Screen) -> bool:
    """Whether the event's selector has an id that no widget of the screen has."""
    selector: Selector | None = getattr(event, "selector", None)
    return (
        selector is not None
        and selector.resource_id is not None
        and all(widget.resource_id != selector.resource_id for widget in before.iter_widgets())
    )


@pytest.mark.parametrize("change", of_kind("regression"), ids=lambda change: change.name)
@pytest.mark.parametrize("world", WORLDS)
def test_a_regression_is_seen_at_its_step_and_not_before(open_sample: OpenSample, change: Change, world: int) -> None:
    base, newer = played(open_sample, change, world)
    assert (base.ending, base.crash) == (Ending.RUNNING, None)
    assert not [note for step in base.steps for note in step.notes]
    assert len(base.steps) == len(newer.steps)
    different = [
        number
        for number, (before, after) in enumerate(zip(base.steps, newer.steps, strict=True))
        if visible_facts(before) != visible_facts(after)
    ]
    assert different == [change.step]
    assert change.expected is not None
    assert says(base.steps[-1], change, change.expected)
    if change.crash is not None:
        assert newer.crash is not None and newer.crash.root is not None
        assert newer.crash.root.type == change.crash
    else:
        assert newer.crash is None
        assert not says(newer.steps[-1], change, change.expected)
        assert change.seen is not None
        assert says(newer.steps[-1], change, change.seen)
        assert not says(base.steps[-1], change, change.seen)


@pytest.mark.parametrize("change", of_kind("harmless"), ids=lambda change: change.name)
@pytest.mark.parametrize("world", WORLDS)
def test_a_harmless_change_shows_the_same_at_every_step(open_sample: OpenSample, change: Change, world: int) -> None:
    base, newer = played(open_sample, change, world)
    assert (base.ending, newer.ending) == (Ending.RUNNING, Ending.RUNNING)
    assert len(base.steps) == len(newer.steps)
    added: set[str] = set()
    for before, after in zip(base.steps, newer.steps, strict=True):
        was, now = visible_facts(before), visible_facts(after)
        assert not was - now
        added.update(fact[0] for fact in now - was if isinstance(fact, tuple))
    assert added == set(change.added)
    healed = [
        number
        for number in range(1, len(newer.steps))
        if names_a_lost_id(newer.steps[number].event, newer.steps[number - 1].after)
    ]
    assert healed == [*change.healed]

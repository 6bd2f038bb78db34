"""One-line builders for traces and screens, and hypothesis strategies for every value of the model."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hypothesis import strategies as st

from fewtaps.device.simulated.device import SimulatedSession
from fewtaps.model.app import AppRef
from fewtaps.model.coverage import Coverage, ProbeSet
from fewtaps.model.crash import NATIVE, Crash, CrashKind, ExceptionInfo, Frame
from fewtaps.model.ending import Ending
from fewtaps.model.event import (
    ORIENTATIONS,
    DoubleTap,
    Event,
    Key,
    Launch,
    LongPress,
    Pinch,
    Rotate,
    Selector,
    StartIntent,
    Swipe,
    SystemEvent,
    Tap,
    Text,
    Wait,
)
from fewtaps.model.graph import StateGraph
from fewtaps.model.screen import UNSEEN, Bounds, Screen, Widget, WidgetFlags, Window, WindowKind
from fewtaps.model.trace import Step, Trace
from fewtaps.model.vocabulary import SYSTEM_EVENTS

OpenProgram = Callable[..., SimulatedSession]
"""The type of the fixture `open_program`."""

APP = AppRef("com.example.app", "1.0", "ab" * 32)
CLICKABLE = WidgetFlags.CLICKABLE | WidgetFlags.ENABLED


def widget(text: str | None = None, **fields: object) -> Widget:
    """A button of 100 by 50 pixels, unless told otherwise."""
    values: dict[str, object] = {
        "class_name": "android.widget.Button",
        "bounds": Bounds(0, 0, 100, 50),
        "flags": CLICKABLE,
        **fields,
    }
    return Widget(text=text, **values)  # type: ignore[arg-type]


def row_of(*widgets: Widget) -> Widget:
    """The widgets one below the other, 50 pixels each, in a layout."""
    placed = tuple(
        Widget(
            each.class_name,
            each.resource_id,
            each.text,
            each.description,
            each.hint,
            Bounds(0, 50 * number, 100, 50 * number + 50),
            each.flags,
            each.input_type,
            each.children,
        )
        for number, each in enumerate(widgets)
    )
    return Widget("android.widget.LinearLayout", bounds=Bounds(0, 0, 100, 50 * len(widgets)), children=placed)


def screen(*widgets: Widget, activity: str = "com.example.app.Main", above: Sequence[Window] = ()) -> Screen:
    """A screen of 100 by 200 pixels with these widgets in its activity's window."""
    window = Window("Main", WindowKind.ACTIVITY, row_of(*widgets), focused=not above)
    return Screen("com.example.app", activity, 100, 200, windows=(*above, window))


def trace(*steps: Step | Event, world: int = 0) -> Trace:
    """A trace that starts with a launch; bare events become steps without screens."""
    made = [each if isinstance(each, Step) else Step(each) for each in steps]
    return Trace(APP, (Step(Launch()), *made), world=world)


def crash(*frames: str, type: str = "java.lang.IllegalStateException", **fields: object) -> Crash:
    """A crash on the main thread with frames written as "a.b.C.method"."""
    info = ExceptionInfo(type, "message", tuple(frame(name) for name in frames))
    values: dict[str, object] = {"kind": CrashKind.EXCEPTION, "thread": "main", "exceptions": (info,), **fields}
    return Crash(**values)  # type: ignore[arg-type]


def frame(name: str, line: int | None = None) -> Frame:
    """A frame from "a.b.C.method"."""
    class_name, _, method = name.rpartition(".")
    return Frame(class_name, method, None, line)


# Texts of an app may hold anything, halves of characters included.
texts = st.text(st.characters(exclude_categories=()), max_size=12)
some_text = st.none() | texts
numbers = st.integers(-(2**31), 2**31 - 1)
small = st.integers(0, 5000)
names = st.text("abcXYZ0123._$é", min_size=1, max_size=10)

selectors = st.builds(
    Selector, some_text, some_text, some_text, some_text, st.lists(st.integers(0, 50), max_size=5).map(tuple)
)
some_selector = st.none() | selectors

_extras = st.dictionaries(names, texts | numbers | st.booleans() | st.floats(allow_nan=False, allow_infinity=False))

events: st.SearchStrategy[Event] = st.one_of(
    st.builds(Tap, numbers, numbers, some_selector),
    st.builds(LongPress, numbers, numbers, some_selector),
    st.builds(DoubleTap, numbers, numbers, some_selector),
    st.builds(Swipe, numbers, numbers, numbers, numbers, small, small, some_selector),
    st.builds(Pinch, numbers, numbers, small, small, some_selector),
    st.builds(Text, texts, st.booleans(), some_selector),
    st.builds(Key, st.sampled_from(["BACK", "HOME", "VOLUME_UP", "0", "DPAD_DOWN"])),
    st.builds(Rotate, st.sampled_from(ORIENTATIONS)),
    st.builds(Wait, small),
    st.just(Launch()),
    st.builds(
        StartIntent,
        some_text,
        some_text,
        some_text,
        st.lists(texts, max_size=3).map(tuple),
        _extras.map(lambda extras: tuple(extras.items())),
        some_text,
    ),
    st.builds(
        SystemEvent,
        st.sampled_from(sorted(SYSTEM_EVENTS)),
        st.dictionaries(names, texts).map(lambda items: tuple(items.items())),
    ),
)

bounds = st.builds(Bounds, numbers, numbers, numbers, numbers)
flags = st.integers(0, 4095).map(WidgetFlags)


def _widgets(children: st.SearchStrategy[tuple[Widget, ...]]) -> st.SearchStrategy[Widget]:
    return st.builds(
        Widget, names, some_text, some_text, some_text, some_text, bounds, flags, st.integers(0, 2**20), children
    )


widgets = st.recursive(
    _widgets(st.just(())),
    lambda inner: _widgets(st.lists(inner, max_size=3).map(tuple)),
    max_leaves=6,
)
windows = st.builds(Window, texts, st.sampled_from(WindowKind), widgets, st.booleans(), st.booleans())
screens = st.builds(
    Screen,
    texts,
    some_text,
    small,
    small,
    st.integers(0, 3),
    st.booleans(),
    st.lists(windows, max_size=3).map(tuple),
)

probe_sets = st.sets(st.integers(0, 3000)).map(ProbeSet.of)
coverages = st.builds(Coverage, probe_sets, probe_sets, probe_sets)

frames = st.builds(Frame, names, names, some_text, st.none() | st.just(NATIVE) | st.integers(0, 10**6))
exceptions = st.builds(ExceptionInfo, names, some_text, st.lists(frames, max_size=4).map(tuple))
crashes = st.builds(
    Crash, st.sampled_from(CrashKind), texts, st.lists(exceptions, max_size=3).map(tuple), st.none() | texts
)

some_screen = st.just(UNSEEN) | screens
steps = st.builds(
    Step,
    events,
    some_screen,
    some_screen,
    coverages,
    st.lists(texts, max_size=3).map(tuple),
    st.none() | crashes,
    st.sampled_from(Ending),
    st.lists(texts, max_size=3).map(tuple),
    st.integers(0, 2**40),
)
launches = st.builds(Step, st.just(Launch()), some_screen, some_screen, coverages)
traces = st.builds(
    lambda app, first, others, world, profile, measures: Trace(app, (first, *others), world, profile, measures),
    st.builds(AppRef, texts, texts, texts),
    launches,
    st.lists(steps, max_size=3),
    st.integers(-(2**63), 2**63 - 1),
    names,
    st.none() | st.tuples(small, small, small),
)


def transition_count(graph: StateGraph) -> int:
    """The number of transitions that the graph holds, also those from states it forgot; its own count is the same."""
    count = sum(map(len, graph._transitions.values()))
    assert count == graph._transition_count
    return count

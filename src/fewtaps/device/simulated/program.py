"""A small language for pretend apps: views of items, handlers, hidden state, background work, seeded chance, faults.

A program is data: views, each a column of items, each with handlers. A handler is a plain function that gets the
`Phone` it runs on. Whatever a handler raises is a crash of the app, shown as the Java exception it resembles: `1 // 0`
in a handler is an ArithmeticException on the phone. `Throw` raises any other one; `Hang` stops the main thread for
ever; `AppExit` ends the process.

    def split(phone: Phone) -> None:
        phone.toast(str(int(phone.state["total"]) // int(phone.state["people"])))

    bill = Program("com.example.bill", [View("Main", [field("total"), field("people"), button("Split", split)])])
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from random import Random
from typing import Any, Protocol, TypeAlias

from fewtaps.device.simulated.entry import PATH_PREFIX
from fewtaps.model.app import App, Component
from fewtaps.model.screen import WidgetFlags, WindowKind

State: TypeAlias = dict[str, Any]
"""What the app remembers; a field or checkbox keeps its value here under its own name.

A fresh process gets the same objects again, so replace values; do not change them in place.
"""


class Phone(Protocol):
    """What a handler may do and ask."""

    state: State

    @property
    def random(self) -> Random:
        """Random numbers; the world decides them."""
        ...

    @property
    def clock_ms(self) -> int:
        """Time since launch."""
        ...

    def chance(self, probability: float) -> bool:
        """True as often as that; the world decides when."""
        ...

    def go(self, view: str) -> None:
        """Opens a view on top of the others: an activity, or a dialog."""
        ...

    def back(self) -> None:
        """Closes the topmost view; the app is left if it was the last one."""
        ...

    def later(self, ms: int, work: Handler, *, jitter_ms: int = 0, thread: str | None = None) -> None:
        """Runs the work after so long and, as the world decides, up to `jitter_ms` more; thread None is main."""
        ...

    def toast(self, text: str) -> None:
        """Shows a short message for two seconds."""
        ...

    def log(self, line: str) -> None:
        """Writes a line to the device's log."""
        ...

    def reach(self, branch: int) -> None:
        """Says that a branch of the program was taken, for coverage; branches are numbered from 0."""
        ...


Handler: TypeAlias = Callable[[Phone], None]


class Throw(Exception):
    """Raises a Java exception by name; `raise Throw(...) from other` gives it a cause."""

    def __init__(self, java_type: str, message: str | None = None) -> None:
        super().__init__(java_type, message)
        self.java_type = java_type
        self.message = message


class Hang(Exception):
    """The main thread never comes back: the app does not respond."""


class AppExit(Exception):
    """The app ends its own process, as System.exit does."""


@dataclass(frozen=True, slots=True)
class Item:
    """One widget of a view. A `text` that is a function of the state is asked after each event; so is `shown`."""

    class_name: str
    name: str
    text: str | Callable[[State], str] | None = None
    hint: str | None = None
    flags: WidgetFlags = WidgetFlags.ENABLED
    on_tap: Handler | None = None
    on_long_press: Handler | None = None
    shown: Callable[[State], bool] | None = None
    initial: object = None

    @property
    def is_field(self) -> bool:
        """Whether text can be typed into it."""
        return bool(self.flags & WidgetFlags.EDITABLE)

    @property
    def is_checkbox(self) -> bool:
        """Whether a tap turns it on and off."""
        return bool(self.flags & WidgetFlags.CHECKABLE)


def button(
    text: str | Callable[[State], str],
    on_tap: Handler | None = None,
    *,
    name: str | None = None,
    on_long_press: Handler | None = None,
    shown: Callable[[State], bool] | None = None,
) -> Item:
    """Something to tap; without a name it is named after its text."""
    if name is None:
        if not isinstance(text, str):
            raise ValueError("a button whose text changes needs a name")
        name = text.lower().replace(" ", "_")
    flags = WidgetFlags.ENABLED | WidgetFlags.CLICKABLE | WidgetFlags.FOCUSABLE
    if on_long_press is not None:
        flags |= WidgetFlags.LONG_CLICKABLE
    return Item(
        "android.widget.Button", name, text, flags=flags, on_tap=on_tap, on_long_press=on_long_press, shown=shown
    )


def label(
    text: str | Callable[[State], str], *, name: str = "label", shown: Callable[[State], bool] | None = None
) -> Item:
    """Something to read."""
    return Item("android.widget.TextView", name, text, shown=shown)


def field(name: str, *, initial: str = "", hint: str | None = None, password: bool = False) -> Item:
    """Something to type into; `state[name]` is the text in it."""
    flags = WidgetFlags.ENABLED | WidgetFlags.CLICKABLE | WidgetFlags.FOCUSABLE | WidgetFlags.EDITABLE
    if password:
        flags |= WidgetFlags.PASSWORD
    return Item("android.widget.EditText", name, hint=hint or name, flags=flags, initial=initial)


def checkbox(name: str, text: str, *, initial: bool = False, on_tap: Handler | None = None) -> Item:
    """Something to tick; `state[name]` is whether it is. `on_tap` runs after the change."""
    flags = WidgetFlags.ENABLED | WidgetFlags.CLICKABLE | WidgetFlags.CHECKABLE
    return Item("android.widget.CheckBox", name, text, flags=flags, on_tap=on_tap, initial=initial)


@dataclass(frozen=True, slots=True)
class View:
    """An activity or a dialog: a column of items. A dialog closes before the handler of its button runs."""

    name: str
    items: Sequence[Item] = ()
    kind: WindowKind = WindowKind.ACTIVITY
    on_open: Handler | None = None
    on_back: Handler | None = None
    """Instead of closing the view."""
    on_rotate: Handler | None = None
    on_swipe: Handler | None = None
    keys: Mapping[str, Handler] = dataclass_field(default_factory=dict)
    """Handlers of keys by name, MENU and VOLUME_UP for instance."""


@dataclass(frozen=True, slots=True)
class Program:
    """A pretend app. The first view is what a launch opens; `state` is what it remembers at first.

    Raises ValueError if two views have one name, or if there is no view, or if the first is a dialog.
    """

    package: str
    views: Sequence[View]
    state: Mapping[str, Any] = dataclass_field(default_factory=dict)
    branches: int = 0
    on_create: Handler | None = None
    on_intent: Mapping[str, Handler] = dataclass_field(default_factory=dict)
    on_system: Mapping[str, Handler] = dataclass_field(default_factory=dict)
    version: str = "1.0"
    label: str = ""

    def __post_init__(self) -> None:
        names = [view.name for view in self.views]
        if len(set(names)) != len(names):
            raise ValueError(f"{self.package}: two views have one name: {names}")
        if not names or self.views[0].kind is not WindowKind.ACTIVITY:
            raise ValueError(f"{self.package}: the first view has to be an activity")

    @property
    def app(self) -> App:
        """The program as an app that `SimulatedDevice.open` takes."""
        activities = tuple(
            Component(f"{self.package}.{view.name}", exported=number == 0)
            for number, view in enumerate(self.views)
            if view.kind is WindowKind.ACTIVITY
        )
        return App(
            package=self.package,
            path=f"{PATH_PREFIX}{self.package}",
            version_name=self.version,
            digest=hashlib.sha256(f"{self.package} {self.version}".encode()).hexdigest(),
            label=self.label or self.package.rpartition(".")[2],
            launcher=activities[0].name,
            activities=activities,
        )

    def initial_state(self) -> State:
        """What a fresh process remembers: the program's own state and the first values of all fields and checkboxes."""
        fields = {
            item.name: item.initial for view in self.views for item in view.items if item.is_field or item.is_checkbox
        }
        return {**fields, **self.state}

"""A small language for simulated apps: views of items, handlers, hidden state, background work, seeded chance, faults.

A program is data: views, each a column of items, each with handlers. A handler is a plain function that gets the
`Phone` it runs on. An exception of a handler is a crash of the app, shown as the corresponding Java exception: `1 // 0`
in a handler is an ArithmeticException on the phone. `Throw` raises any other Java exception; `Hang` blocks the main
thread for ever; `AppExit` ends the process.

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

from fewtaps.device.simulated.entry import APP_PREFIX
from fewtaps.model.app import App, Component
from fewtaps.model.screen import WidgetFlags, WindowKind

State: TypeAlias = dict[str, Any]
"""The state of the app; a field or checkbox has its value here under its own name.

A new process gets the same initial objects, so handlers must replace values and not change them in place.
"""


class Phone(Protocol):
    """The interface of handlers to the device."""

    state: State

    @property
    def random(self) -> Random:
        """Random numbers, seeded by the world."""
        ...

    @property
    def clock_ms(self) -> int:
        """Milliseconds of the app's time since the launch."""
        ...

    @property
    def differences(self) -> Mapping[str, str]:
        """The settings in which this phone differs from the ordinary one, by name."""
        ...

    def chance(self, probability: float) -> bool:
        """True with this probability, decided by the world."""
        ...

    def go(self, view: str) -> None:
        """Opens a view on top of the others: an activity, or a dialog."""
        ...

    def back(self) -> None:
        """Closes the topmost view; closing the last one leaves the app."""
        ...

    def later(self, ms: int, work: Handler, *, jitter_ms: int = 0, thread: str | None = None) -> None:
        """Runs the work after `ms` and up to `jitter_ms` more, decided by the world; thread None is main."""
        ...

    def toast(self, text: str) -> None:
        """Shows a short message for two seconds."""
        ...

    def log(self, line: str) -> None:
        """Writes a line to the device's log."""
        ...

    def reach(self, branch: int) -> None:
        """Records for coverage that a branch of the program was taken; branches are numbered from 0."""
        ...


Handler: TypeAlias = Callable[[Phone], None]


class Throw(Exception):
    """Raises a Java exception by name; `raise Throw(...) from other` gives it a cause."""

    def __init__(self, java_type: str, message: str | None = None) -> None:
        super().__init__(java_type, message)
        self.java_type = java_type
        self.message = message


class Hang(Exception):
    """Blocks the main thread for ever: the app does not respond."""


class AppExit(Exception):
    """Ends the process of the app, as System.exit does."""


@dataclass(frozen=True, slots=True)
class Item:
    """One widget of a view. `text` may be a function of the state, as may `shown`; both are called after each event."""

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
        """Whether a tap toggles it."""
        return bool(self.flags & WidgetFlags.CHECKABLE)


def button(
    text: str | Callable[[State], str],
    on_tap: Handler | None = None,
    *,
    name: str | None = None,
    on_long_press: Handler | None = None,
    shown: Callable[[State], bool] | None = None,
) -> Item:
    """A button; without a name it is named after its text."""
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
    """A text that cannot be edited."""
    return Item("android.widget.TextView", name, text, shown=shown)


def field(name: str, *, initial: str = "", hint: str | None = None, password: bool = False) -> Item:
    """A text field; `state[name]` is its text."""
    flags = WidgetFlags.ENABLED | WidgetFlags.CLICKABLE | WidgetFlags.FOCUSABLE | WidgetFlags.EDITABLE
    if password:
        flags |= WidgetFlags.PASSWORD
    return Item("android.widget.EditText", name, hint=hint or name, flags=flags, initial=initial)


def checkbox(name: str, text: str, *, initial: bool = False, on_tap: Handler | None = None) -> Item:
    """A checkbox; `state[name]` is whether it is checked. `on_tap` runs after the change."""
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
    """Handler of Back; without one, Back closes the view."""
    on_rotate: Handler | None = None
    on_swipe: Handler | None = None
    keys: Mapping[str, Handler] = dataclass_field(default_factory=dict)
    """Handlers of keys by name, MENU and VOLUME_UP for instance."""


@dataclass(frozen=True, slots=True)
class Program:
    """A simulated app. A launch opens the first view; `state` is the initial state.

    Raises ValueError if two views have one name, or if there is no view, or if the first is a dialog.
    """

    package: str
    views: Sequence[View]
    state: Mapping[str, Any] = dataclass_field(default_factory=dict)
    branches: int = 0
    on_create: Handler | None = None
    on_intent: Mapping[str, Handler] = dataclass_field(default_factory=dict)
    on_system: Mapping[str, Handler] = dataclass_field(default_factory=dict)
    memory: Sequence[str] = ()
    """The names of the state that is lost with the process, as static fields are."""
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
            path=f"{APP_PREFIX}{self.package}",
            version_name=self.version,
            digest=hashlib.sha256(f"{self.package} {self.version}".encode()).hexdigest(),
            label=self.label or self.package.rpartition(".")[2],
            launcher=activities[0].name,
            activities=activities,
        )

    def initial_state(self) -> State:
        """The state of a new process: the program's own and the initial values of all fields and checkboxes."""
        fields = {
            item.name: item.initial for view in self.views for item in view.items if item.is_field or item.is_checkbox
        }
        return {**fields, **self.state}

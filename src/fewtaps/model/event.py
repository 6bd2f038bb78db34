"""Events of a user or of the system: small frozen values, each with a JSON form and a one-line text form.

A GUI event carries coordinates and, where it is known, a `Selector` of the widget that was meant; replay can use
either. Devices perform events; this module only describes them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar, Literal, TypeAlias, get_args

from fewtaps.model.phone import ORDINARY, Differences, describe_phone, differences
from fewtaps.model.record import as_int, as_list, as_number, as_object, as_text, as_truth

Orientation: TypeAlias = Literal["portrait", "landscape", "reverse_portrait", "reverse_landscape"]
ORIENTATIONS: tuple[Orientation, ...] = get_args(Orientation)

ExtraValue: TypeAlias = str | int | float | bool

_KEY_NAME = re.compile(r"[A-Z0-9][A-Z0-9_]*")


@dataclass(frozen=True, slots=True)
class Selector:
    """Names a widget independently of screen size and position; any field may be unknown.

    `text` is the widget's own text or, for one that can be tapped but has none, the first text inside it. `path`
    starts with the number of the window, topmost first, and goes on with child numbers from that window's root; it is
    empty if unknown.
    """

    resource_id: str | None = None
    class_name: str | None = None
    text: str | None = None
    description: str | None = None
    path: tuple[int, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether all fields are unknown."""
        return not (self.resource_id or self.class_name or self.text or self.description or self.path)


@dataclass(frozen=True, slots=True)
class Tap:
    """A short touch at a point, in pixels of the screen."""

    kind: ClassVar[str] = "tap"
    x: int
    y: int
    selector: Selector | None = None


@dataclass(frozen=True, slots=True)
class LongPress:
    """A touch held until the system takes it for a long press."""

    kind: ClassVar[str] = "long_press"
    x: int
    y: int
    selector: Selector | None = None


@dataclass(frozen=True, slots=True)
class DoubleTap:
    """Two short touches at one point within the system's double-tap time."""

    kind: ClassVar[str] = "double_tap"
    x: int
    y: int
    selector: Selector | None = None


@dataclass(frozen=True, slots=True)
class Swipe:
    """A finger moves from one point to another; with `hold_ms` it rests at the start first, which makes it a drag."""

    kind: ClassVar[str] = "swipe"
    x1: int
    y1: int
    x2: int
    y2: int
    duration_ms: int = 300
    hold_ms: int = 0
    selector: Selector | None = None

    def __post_init__(self) -> None:
        if self.duration_ms < 0 or self.hold_ms < 0:
            raise ValueError(f"{'duration_ms' if self.duration_ms < 0 else 'hold_ms'}: less than nothing")


@dataclass(frozen=True, slots=True)
class Pinch:
    """Two fingers around a centre; their distance goes from `from_span` to `to_span` pixels."""

    kind: ClassVar[str] = "pinch"
    x: int
    y: int
    from_span: int
    to_span: int
    selector: Selector | None = None


@dataclass(frozen=True, slots=True)
class Text:
    """Text typed into the focused field, or into the selector's field, which is tapped first.

    With `replace` the field is emptied before; `Text("", replace=True)` therefore clears it.
    """

    kind: ClassVar[str] = "text"
    text: str
    replace: bool = False
    selector: Selector | None = None


@dataclass(frozen=True, slots=True)
class Key:
    """A key by Android's name without KEYCODE_: BACK, HOME, MENU, VOLUME_UP, ENTER, DPAD_DOWN and so on."""

    kind: ClassVar[str] = "key"
    name: str

    def __post_init__(self) -> None:
        if not _KEY_NAME.fullmatch(self.name):
            raise ValueError(f"name: not a key name: {self.name!r}")


@dataclass(frozen=True, slots=True)
class Rotate:
    """The device is turned until its screen has the orientation `to`."""

    kind: ClassVar[str] = "rotate"
    to: Orientation

    def __post_init__(self) -> None:
        if self.to not in ORIENTATIONS:
            raise ValueError(f"to: not an orientation: {self.to!r}")

    @property
    def is_landscape(self) -> bool:
        """Whether the screen is wider than high afterwards."""
        return self.to in ("landscape", "reverse_landscape")

    @property
    def is_reversed(self) -> bool:
        """Whether the screen is turned by 180 degrees from the usual portrait or landscape."""
        return self.to in ("reverse_portrait", "reverse_landscape")


@dataclass(frozen=True, slots=True)
class Wait:
    """No input for `ms` milliseconds of the app's time."""

    kind: ClassVar[str] = "wait"
    ms: int

    def __post_init__(self) -> None:
        if self.ms < 0:
            raise ValueError(f"ms: less than nothing: {self.ms}")


@dataclass(frozen=True, slots=True)
class Launch:
    """Starts the app from the launcher; as a trace's first event, on a device without data of earlier runs.

    As the first event it also says in which settings the phone differs from the ordinary one; later events do not.
    """

    kind: ClassVar[str] = "launch"
    phone: Differences = ORDINARY


@dataclass(frozen=True, slots=True)
class StartIntent:
    """Another app, or a link, starts a component of this app. The names of extras are unique."""

    kind: ClassVar[str] = "intent"
    action: str | None = None
    data: str | None = None
    component: str | None = None
    categories: tuple[str, ...] = ()
    extras: tuple[tuple[str, ExtraValue], ...] = ()
    mime: str | None = None


@dataclass(frozen=True, slots=True)
class SystemEvent:
    """An event of the system: "broadcast", "airplane_mode", "battery_low", "low_memory", "locale", "permission"…

    `process_death` ends the app's process in the background and comes back to the app, whose state was saved.
    """

    kind: ClassVar[str] = "system"
    name: str
    arguments: tuple[tuple[str, str], ...] = ()


Event: TypeAlias = (
    Tap | LongPress | DoubleTap | Swipe | Pinch | Text | Key | Rotate | Wait | Launch | StartIntent | SystemEvent
)

_SYSTEM_ACTIONS = ("android.", "com.android.", "com.google.")
"""Beginnings of the actions of broadcasts that the system sends, most of which no app may send."""


def is_from_outside(event: Event) -> bool:
    """Whether only another app can cause the event: an intent, or a broadcast that is not the system's."""
    if isinstance(event, SystemEvent) and event.name == "broadcast":
        return not dict(event.arguments).get("action", "").startswith(_SYSTEM_ACTIONS)
    return isinstance(event, StartIntent)


def needs_another_app(events: Sequence[Event], *, is_reduced: bool) -> bool:
    """Whether steps to a crash need an intent or a broadcast of another app.

    Steps that were not reduced may hold such events without need: of them only the last counts, which caused the crash.
    """
    return any(map(is_from_outside, events if is_reduced else events[-1:]))


AimedEvent: TypeAlias = Tap | LongPress | DoubleTap | Swipe | Pinch | Text
"""The events that may have a selector."""

EVENT_TYPES: tuple[type[Event], ...] = get_args(Event)
KINDS: dict[str, type[Event]] = {event_type.kind: event_type for event_type in EVENT_TYPES}


def event_to_json(event: Event) -> dict[str, Any]:
    """The event as JSON data; fields that have their default are left out."""
    record: dict[str, Any] = {"kind": event.kind}
    for name, default in _FIELDS[type(event)]:
        value = getattr(event, name)
        if default is not MISSING and value == default and type(value) is type(default):
            continue
        record[name] = _to_json(value)
    return record


def event_from_json(record: object) -> Event:
    """The event that `event_to_json` wrote. Raises ValueError, naming the bad field."""
    data = as_object("event", record)
    kind = data.get("kind")
    event_type = KINDS.get(kind) if isinstance(kind, str) else None
    if event_type is None:
        raise ValueError(f"kind: not an event: {kind!r}")
    known = _FIELDS[event_type]
    names = [name for name, _ in known]
    for name in data:
        if name != "kind" and name not in names:
            raise ValueError(f"{name}: a {kind} has no such field")
    arguments: dict[str, Any] = {}
    for name, default in known:
        if data.get(name) is not None:
            arguments[name] = _READERS[name](name, data[name])
        elif default is MISSING:
            raise ValueError(f"{name}: missing in a {kind}")
    return event_type(**arguments)


def selector_to_json(selector: Selector) -> dict[str, Any]:
    """The selector as JSON data; unknown fields are left out."""
    record: dict[str, Any] = {}
    for key, name in _SELECTOR_KEYS:
        value = getattr(selector, name)
        if value is not None:
            record[key] = value
    if selector.path:
        record["path"] = list(selector.path)
    return record


def selector_from_json(record: object) -> Selector:
    """The selector that `selector_to_json` wrote. Raises ValueError, naming the bad field."""
    return _read_selector("selector", record)


def describe(event: Event, widget: str = "") -> str:
    """One line for a person, safe to print: "Tap 'Split bill'". `widget` takes the place of its selector in words."""
    match event:
        case Tap() | LongPress() | DoubleTap():
            return f"{_VERBS[event.kind]} {widget or describe_selector(event.selector) or f'({event.x}, {event.y})'}"
        case Swipe():
            verb = "Drag" if event.hold_ms else "Swipe"
            on = widget or describe_selector(event.selector)
            way = f"({event.x1}, {event.y1}) to ({event.x2}, {event.y2})"
            return f"{verb} {on} {_direction(event)}" if on else f"{verb} {way}"
        case Pinch():
            verb = "Pinch open" if event.to_span > event.from_span else "Pinch close"
            return f"{verb} {widget or describe_selector(event.selector) or f'at ({event.x}, {event.y})'}"
        case Text():
            into = widget or describe_selector(event.selector)
            if event.replace and not event.text:
                return f"Clear {into or 'the field'}"
            return f"{'Replace by' if event.replace else 'Type'} {quoted(event.text)}" + (f" in {into}" if into else "")
        case Key():
            return f"Press {event.name.replace('_', ' ').title()}"
        case Rotate():
            return f"Rotate to {event.to.replace('_', ' ')}"
        case Wait():
            return f"Wait {event.ms} ms"
        case Launch():
            return f"Launch on a phone {describe_phone(event.phone)}" if event.phone else "Launch"
        case StartIntent():
            parts = [event.action, event.data, event.component]
            return "Start " + (" ".join(printable(part, 80) for part in parts if part) or "an empty intent")
        case SystemEvent(name="process_death"):
            return "Leave the app, let the system end its process, and come back"
        case SystemEvent():
            words = [event.name.replace("_", " "), *(f"{name}={value}" for name, value in event.arguments)]
            return "System: " + " ".join(printable(word, 80) for word in words)


def printable(text: str, limit: int = 40) -> str:
    """The text on one line of at most `limit` characters, with control characters escaped: safe to print."""
    # Texts of an app can be megabytes long, so only the part that can be shown is read.
    line = " ".join(text[: 4 * limit + 1].split())
    safe = "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in line)
    return safe if len(safe) <= limit and len(text) <= 4 * limit + 1 else safe[: limit - 1] + "…"


def quoted(text: str, limit: int = 40) -> str:
    """As `printable`, in single quotes."""
    return f"'{printable(text, limit)}'"


_VERBS = {"tap": "Tap", "long_press": "Long press", "double_tap": "Double tap"}
_SELECTOR_KEYS = (("id", "resource_id"), ("class", "class_name"), ("text", "text"), ("description", "description"))


def describe_selector(selector: Selector | None) -> str | None:
    """The widget in words, by its text, description, id or class: "'Split bill'"; None if the selector is empty."""
    if selector is None or selector.is_empty:
        return None
    if selector.text:
        return quoted(selector.text)
    if selector.description:
        return quoted(selector.description)
    if selector.resource_id:
        return "#" + printable(selector.resource_id.rpartition("/")[2])
    if selector.class_name:
        return f"the {printable(selector.class_name.rpartition('.')[2])} at {'.'.join(map(str, selector.path)) or '?'}"
    return f"the widget at {'.'.join(map(str, selector.path))}"


def _direction(swipe: Swipe) -> str:
    across, down = swipe.x2 - swipe.x1, swipe.y2 - swipe.y1
    if abs(across) > abs(down):
        return "right" if across > 0 else "left"
    return "down" if down > 0 else "up"


def _to_json(value: Any) -> Any:
    if isinstance(value, Selector):
        return selector_to_json(value)
    if isinstance(value, tuple):
        return dict(value) if value and isinstance(value[0], tuple) else list(value)
    return value


def _read_strings(name: str, value: object) -> tuple[str, ...]:
    return tuple(as_text(name, item) for item in as_list(name, value))


def _read_extras(name: str, value: object) -> tuple[tuple[str, ExtraValue], ...]:
    return tuple((key, _read_extra(f"{name}.{key}", item)) for key, item in as_object(name, value).items())


def _read_extra(name: str, value: object) -> ExtraValue:
    if isinstance(value, str | int | float | bool):
        return value
    raise ValueError(f"{name}: neither text, number nor truth: {value!r:.60}")


def _read_arguments(name: str, value: object) -> tuple[tuple[str, str], ...]:
    return tuple((key, as_text(f"{name}.{key}", item)) for key, item in as_object(name, value).items())


def _read_phone(name: str, value: object) -> Differences:
    pairs = _read_arguments(name, value)
    try:
        return differences(pairs)
    except ValueError as error:
        raise ValueError(f"{name}.{error}") from error


def _read_selector(name: str, value: object) -> Selector:
    data = as_object(name, value)
    for key in data:
        if key not in ("id", "class", "text", "description", "path"):
            raise ValueError(f"{name}.{key}: a selector has no such field")
    texts = {
        attribute: as_text(f"{name}.{key}", data[key]) for key, attribute in _SELECTOR_KEYS if data.get(key) is not None
    }
    path = tuple(as_number(f"{name}.path", item) for item in as_list(f"{name}.path", data.get("path") or []))
    return Selector(**texts, path=path)


_READERS: dict[str, Callable[[str, object], object]] = {
    **dict.fromkeys(("x", "y", "x1", "y1", "x2", "y2", "duration_ms", "hold_ms", "from_span", "to_span", "ms"), as_int),
    **dict.fromkeys(("text", "name", "to", "action", "data", "component", "mime"), as_text),
    "replace": as_truth,
    "categories": _read_strings,
    "extras": _read_extras,
    "arguments": _read_arguments,
    "phone": _read_phone,
    "selector": _read_selector,
}

# `dataclasses.fields` is slow and traces have thousands of events, so the fields are read once per type.
_FIELDS: dict[type, tuple[tuple[str, Any], ...]] = {
    event_type: tuple((field.name, field.default) for field in fields(event_type)) for event_type in EVENT_TYPES
}

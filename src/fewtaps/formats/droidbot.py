"""DroidBot's output folder: `events/event_*.json` in the order of their names, `states/state_*.json`, `utg.js`.

An event file holds the event, with the whole view it was meant for, and the names of the states before and after it.
DroidBot stores each state once; its views are a flat list in which children are given by their indices.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from fewtaps.errors import UsageError
from fewtaps.formats.keycodes import key_name
from fewtaps.formats.losses import Losses
from fewtaps.formats.recording import Recording, in_package
from fewtaps.formats.screens import Measures
from fewtaps.formats.source import MAX_EVENTS, broken, read_whole
from fewtaps.formats.touches import pixel, swipe
from fewtaps.formats.views import screen_of_state
from fewtaps.model.ending import Ending
from fewtaps.model.event import (
    Event,
    Key,
    Launch,
    LongPress,
    Selector,
    StartIntent,
    Swipe,
    SystemEvent,
    Tap,
    Text,
    printable,
)
from fewtaps.model.record import as_int, as_object, as_text, text_in
from fewtaps.model.screen import UNSEEN, Screen, selector_of
from fewtaps.model.trace import Step

MAX_JSON_BYTES = 32 << 20
SWIPE_MS = 1000
SCROLL_MS = 500
"""The durations that DroidBot uses for its own swipes and scrolls."""
WITHOUT_CRASHES = "DroidBot does not record crashes with their events; what its logcat.txt holds is not read"


_T = TypeVar("_T")


def read_droidbot(folder: Path) -> Recording:
    """The recording in a folder. Raises UsageError, naming the file, if something in it is broken."""
    run = _DroidbotRun(folder)
    run.read_graph()
    run.read_states()
    for number, path in enumerate(_event_files(folder), 1):
        if number > MAX_EVENTS:
            raise UsageError(f"{folder}: more than {MAX_EVENTS} events")
        run.read_event(number, path)
    return run.finish()


def looks_like_droidbot(folder: Path) -> bool:
    """Whether the folder has DroidBot's event files."""
    return next(_event_files(folder, sort=False), None) is not None


def _event_files(folder: Path, *, sort: bool = True) -> Iterator[Path]:
    found = (folder / "events").glob("event_*.json")
    return iter(sorted(found)) if sort else found


@dataclass(slots=True)
class _DroidbotRun:
    folder: Path
    package: str = ""
    main_activity: str = ""
    digest: str = ""
    screen: Measures | None = None
    screens: dict[str, Screen] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    losses: Losses = field(default_factory=lambda: Losses("event"))

    def read_graph(self) -> None:
        """Reads the app from `utg.js`; without that file the app is taken from the first start command."""
        path = self.folder / "utg.js"
        if not path.is_file():
            return
        text = read_whole(path, MAX_JSON_BYTES).decode("utf-8", "replace")
        graph = _checked(path, lambda: as_object("utg", _parsed(text.partition("=")[2])))
        self.package = _checked(path, lambda: text_in(graph, "app_package")) or ""
        self.main_activity = _checked(path, lambda: text_in(graph, "app_main_activity")) or ""
        self.digest = _checked(path, lambda: text_in(graph, "app_sha256")) or ""

    def read_states(self) -> None:
        for path in sorted((self.folder / "states").glob("state_*.json")):
            self._read_state(path)

    def _read_state(self, path: Path) -> None:
        data = _checked(path, lambda: as_object("state", _parsed(_text(path))))
        name = _checked(path, lambda: as_text("state_str", data.get("state_str")))
        screen = _checked(path, lambda: screen_of_state(data))
        self.screens.setdefault(name, screen)
        if self.screen is None and screen.width and screen.height:
            short, long = sorted((screen.width, screen.height))
            self.screen = short, long, None

    def read_event(self, number: int, path: Path) -> None:
        data = _checked(path, lambda: as_object("event file", _parsed(_text(path))))
        record = _checked(path, lambda: as_object("event", data.get("event")))
        event = _checked(path, lambda: self._event(number, record))
        if event is None:
            return
        before = self.screens.get(str(data.get("start_state")), UNSEEN)
        event = _named_on(before, event, record)
        after = self.screens.get(str(data.get("stop_state")), UNSEEN)
        if not self.steps and not isinstance(event, Launch):
            self.losses.add(number, "the recording does not start the app; a launch is put in front")
            self.steps.append(Step(Launch(), after=before))
        elif not self.steps:
            before = UNSEEN
        gone = after.package and self.package and after.package != self.package
        self.steps.append(Step(event, before, after, ending=Ending.LEFT if gone else Ending.RUNNING))

    def finish(self) -> Recording:
        if not self.steps:
            raise UsageError(f"{self.folder}: nothing was recorded: no event that a trace can say")
        losses = (*self.losses.lines(), WITHOUT_CRASHES)
        return Recording(self.package, tuple(self.steps), self.screen, self.digest, None, losses)

    def _event(self, number: int, record: Mapping[str, Any]) -> Event | None:
        kind = as_text("event_type", record.get("event_type"))
        match kind:
            case "touch" | "select" | "unselect":
                return Tap(*_point(record), selector=_selector(record.get("view")))
            case "long_touch":
                return LongPress(*_point(record), selector=_selector(record.get("view")))
            case "swipe":
                return _swipe(record)
            case "scroll":
                return self._scroll(record)
            case "set_text":
                text = text_in(record, "text") or ""
                return Text(text, replace=True, selector=_selector(record.get("view")))
            case "key":
                return self._key(number, as_text("name", record.get("name")))
            case "intent":
                return self._intent(number, as_text("intent", record.get("intent")))
            case "manual" | "exit" | "spawn" | "kill_app":
                self.losses.add(number, f"an event of kind {kind} cannot be said in a trace")
                return None
        raise ValueError(f"event_type: not an event of DroidBot: {kind!r:.60}")

    def _scroll(self, record: Mapping[str, Any]) -> Swipe:
        """The swipe that DroidBot makes: over four fifths of the view, against the direction of the scroll."""
        view = record.get("view")
        if view is not None:
            left, top, right, bottom = _bounds(view)
        else:
            width, height, _ = self.screen or (0, 0, None)
            left, top, right, bottom = 0, 0, width, height
        x, y = _point(record, ((left + right) / 2, (top + bottom) / 2))
        across, down = (right - left) * 2 / 5, (bottom - top) * 2 / 5
        signs = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
        direction = as_text("direction", record.get("direction")).lower()
        if direction not in signs:
            raise ValueError(f"direction: neither up, down, left nor right: {direction!r:.60}")
        dx, dy = signs[direction][0] * across, signs[direction][1] * down
        return swipe((x + dx, y + dy), (x - dx, y - dy), SCROLL_MS, selector=_selector(view))

    def _key(self, number: int, key: str) -> Key | None:
        name = key_name(key)
        if name is None:
            self.losses.add(number, f"Android has no key {printable(key)}")
            return None
        return Key(name)

    def _intent(self, number: int, command: str) -> Event | None:
        """The event for an `am` command; None if there is none."""
        words = shlex.split(command[:4096])
        verb, rest = (words[1], words[2:]) if len(words) > 1 and words[0] == "am" else ("", [])
        options, target = _options(rest)
        if verb == "start" and target and not {"-a", "-d", "-t"} & options.keys():
            return self._start(number, target)
        if verb == "start":
            component = options.get("-n") or (target if "/" in target else None)
            category = options.get("-c")
            return StartIntent(
                options.get("-a"), options.get("-d"), component, (category,) if category else (), (), options.get("-t")
            )
        if verb == "broadcast" and "-a" in options:
            return SystemEvent("broadcast", (("action", options["-a"]),))
        self.losses.add(number, f"cannot be said in a trace: {printable(command, 60)}")
        return None

    def _start(self, number: int, target: str) -> Event | None:
        package, _, activity = target.partition("/")
        if self.package and package != self.package:
            self.losses.add(number, f"starts another app, {printable(package)}: that cannot be said in a trace")
            return None
        self.package = package
        full = in_package(package, activity)
        if not self.main_activity or full in ("", self.main_activity):
            self.main_activity = full
            return Launch()
        return StartIntent(component=f"{package}/{full}")


def _options(words: list[str]) -> tuple[dict[str, str], str]:
    """The options of `am` with one value each, and the target at the end."""
    options: dict[str, str] = {}
    rest = iter(words)
    target = ""
    for word in rest:
        if word.startswith("-"):
            options[word] = next(rest, "")
        else:
            target = word
    return options, target


def _swipe(record: Mapping[str, Any]) -> Swipe:
    start = _place(record.get("start_x"), record.get("start_y"), record.get("start_view"))
    end = _place(record.get("end_x"), record.get("end_y"), record.get("end_view"))
    duration = record.get("duration")
    milliseconds = int(duration) if isinstance(duration, int | float) and 0 <= duration < 1 << 31 else SWIPE_MS
    return Swipe(*start, *end, duration_ms=milliseconds, selector=_selector(record.get("start_view")))


def _point(record: Mapping[str, Any], otherwise: tuple[float, float] | None = None) -> tuple[int, int]:
    x, y = record.get("x"), record.get("y")
    if otherwise is not None and not (_is_number(x) and _is_number(y)):
        return pixel(otherwise[0]), pixel(otherwise[1])
    return _place(x, y, record.get("view"))


def _place(x: object, y: object, view: object) -> tuple[int, int]:
    """The given point or, as in DroidBot, the centre of the view if no point is given."""
    if isinstance(x, int | float) and isinstance(y, int | float) and _is_number(x) and _is_number(y):
        return pixel(x), pixel(y)
    if view is None:
        raise ValueError("view: neither a view nor a point is given")
    left, top, right, bottom = _bounds(view)
    return pixel((left + right) / 2), pixel((top + bottom) / 2)


def _is_number(value: object) -> bool:
    # In DroidBot a coordinate of zero means "not given".
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < abs(value) < 1 << 31


def _bounds(view: object) -> tuple[int, int, int, int]:
    match as_object("view", view).get("bounds"):
        case [[left, top], [right, bottom]]:
            name = "view.bounds"
            return as_int(name, left), as_int(name, top), as_int(name, right), as_int(name, bottom)
    raise ValueError("view.bounds: not two points")


def _selector(view: object) -> Selector | None:
    if view is None:
        return None
    data = as_object("view", view)
    selector = Selector(
        resource_id=text_in(data, "resource_id") or None,
        class_name=text_in(data, "class") or None,
        text=text_in(data, "text") or None,
        description=text_in(data, "content_description") or None,
    )
    return None if selector.is_empty else selector


def _named_on(screen: Screen, event: Event, record: Mapping[str, Any]) -> Event:
    """The event with a selector from the screen; it names a list's row by the text inside it, for instance."""
    if not isinstance(event, Tap | LongPress) or event.selector is None or not isinstance(record.get("view"), Mapping):
        return event
    bounds = _bounds(record["view"])
    for located in screen.iter_located():
        widget = located.widget
        if widget.bounds == bounds and widget.class_name == event.selector.class_name:
            # Without the path: DroidBot's states lack windows and views that a device reports, so paths differ.
            return replace(event, selector=replace(selector_of(located), path=()))
    return event


def _text(path: Path) -> str:
    return read_whole(path, MAX_JSON_BYTES).decode("utf-8", "replace")


def _parsed(text: str) -> object:
    return json.loads(text.strip().removesuffix(";"))


def _checked(path: Path, read: Callable[[], _T]) -> _T:
    """The result of `read`; its ValueErrors become UsageErrors with the name of the file and, for JSON, the line."""
    try:
        return read()
    except json.JSONDecodeError as error:
        raise broken(path, error.lineno, f"not JSON: {error.msg} at column {error.colno}") from None
    except RecursionError:
        raise broken(path, 1, "nested too deeply") from None
    except UsageError:
        raise
    except ValueError as error:
        raise broken(path, 1, printable(str(error), 200)) from None

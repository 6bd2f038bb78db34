"""Runs that others recorded on phones: Monkey scripts of raw coordinates, and what the phone said to each event.

The files are not part of the project; `RECORDINGS` names the folder beside the checkout where they may lie, one folder
per app and run. Where it is absent, tests that read them skip.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fewtaps.model.event import Event, Key, Swipe, Tap
from fewtaps.model.profile import PROFILES, DeviceProfile

RECORDINGS = Path(__file__).resolve().parents[2] / "shared" / "data" / "simplydroid"

PHONES = {"Tippy": "mi5", "Dalvik": "mi1", "Chart": "mi1", "Yahtzee": "mi1"}
"""The profile of the phone of each app's recordings. Yahtzee's is not named; its points and its stacks are a Mi 1's."""

KEYS = {"3": "HOME", "4": "BACK", "24": "VOLUME_UP", "25": "VOLUME_DOWN"}
# Monkey sends all points of a drag at once: much faster than a finger, and enough for a fling.
DRAG_MS = 16


@dataclass(frozen=True, slots=True)
class Recording:
    """One recorded run: its events after the launch, the activity in front before each, and the crash at its end."""

    app: str
    number: int
    package: str
    events: tuple[Event, ...]
    fronts: tuple[str, ...]
    exception: str
    message: str

    @property
    def name(self) -> str:
        """How a test calls it."""
        return f"{self.app}/{self.number}"

    @property
    def profile(self) -> DeviceProfile:
        """The phone it was recorded on."""
        return PROFILES[PHONES[self.app]]

    @property
    def leaves_the_app(self) -> bool:
        """Whether the user went to another app: what was tapped there, and when this one came back, is not told."""
        return not all(front.startswith(self.package + ".") for front in self.fronts)


def iter_recordings() -> Iterator[Recording]:
    """Every recorded run, by app and number; none where the folder is absent."""
    for app in sorted(PHONES):
        folders = [path for path in (RECORDINGS / app).glob("*") if path.name.isdigit()]
        for folder in sorted(folders, key=lambda path: int(path.name)):
            yield read_recording(folder)


def read_recording(folder: Path) -> Recording:
    """Reads `script.log` and `execute.log`; raises ValueError for a line that is none of theirs."""
    script = (folder / "script.log").read_text()
    calls = [_call(line) for line in script.partition("start data >>")[2].splitlines() if line.strip()]
    (verb, (package, _)), *rest = calls
    if verb != "LaunchActivity":
        raise ValueError(f"{folder.name}: begins with {verb}")
    executed = (folder / "execute.log").read_text(errors="replace")
    crash = re.search(r"^// CRASH: // ([\w.$]+)(?:: (.*?))?\s*\$\$", executed, re.MULTILINE)
    if crash is None:
        raise ValueError(f"{folder.name}: no crash")
    return Recording(
        app=folder.parent.name,
        number=int(folder.name),
        package=package,
        events=tuple(_event(verb, arguments) for verb, arguments in rest),
        fronts=fronts_of(executed)[1:],
        exception=crash[1],
        message=crash[2] or "",
    )


def _call(line: str) -> tuple[str, list[str]]:
    match = re.fullmatch(r"(\w+)\((.*)\)", line.strip())
    if match is None:
        raise ValueError(f"not a line of a script: {line!r}")
    return match[1], [argument.strip() for argument in match[2].split(",")]


def _event(verb: str, arguments: list[str]) -> Event:
    match verb:
        case "Tap":
            return Tap(*_point(arguments[:2]))
        case "Drag":
            return Swipe(*_point(arguments[:2]), *_point(arguments[2:4]), duration_ms=DRAG_MS)
        case "DispatchPress":
            return Key(KEYS[arguments[0]])
    raise ValueError(f"unknown verb {verb!r}")


def _point(numbers: list[str]) -> tuple[int, int]:
    x, y = (max(0, int(float(number))) for number in numbers)
    return x, y


def fronts_of(executed: str) -> tuple[str, ...]:
    """The activity in front when each event began: its first line after a pause of the script."""
    fronts, paused = [], True
    for line in executed.splitlines():
        parts = line.split(";")
        if line.startswith("//") or len(parts) < 4:
            continue
        if parts[1] == "MonkeyThrottleEvent":
            paused = True
        elif paused:
            fronts.append(parts[3])
            paused = False
    return tuple(fronts)

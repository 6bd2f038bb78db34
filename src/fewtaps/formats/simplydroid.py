"""Reads runs that SimplyDroid's authors recorded: `script.log`, a Monkey script, and `execute.log`, its execution.

`execute.log` has a line for each internal event of Monkey, `number;kind;package;activity;taken`. The activity is the
one in the foreground when the event was sent. The lines of one command of the script end with a MonkeyThrottleEvent.
The crash is one line, in which `$$` joins the lines of its stack. Only the script has the coordinates of touches.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fewtaps.errors import UsageError
from fewtaps.formats.monkeyscript import read_monkey_script
from fewtaps.formats.recording import Recording
from fewtaps.formats.source import broken, numbered_lines
from fewtaps.formats.stacks import crash_from_stack
from fewtaps.model.crash import Crash
from fewtaps.model.ending import Ending
from fewtaps.model.screen import Screen
from fewtaps.model.trace import Step

SCRIPT, EXECUTED = "script.log", "execute.log"
CRASH = "// CRASH: //"

_LINE = re.compile(r"\d+;Monkey\w+Event;[^;]*;[^;]*;[01]")


@dataclass(frozen=True, slots=True)
class ForegroundActivity:
    """The activity in the foreground when a command was sent, and whether the phone accepted all of its events."""

    package: str
    name: str
    was_taken: bool = True


def read_simplydroid(path: Path) -> Recording:
    """The run in a folder of both logs, or beside its `execute.log`. Raises UsageError."""
    folder = path if path.is_dir() else path.parent
    executed = folder / EXECUTED if path.is_dir() else path
    script = folder / SCRIPT
    if not script.is_file():
        raise UsageError(f"{script}: missing; {executed.name} does not say where the screen was touched")
    recording = read_monkey_script(script)
    activities, crash = _executed(executed)
    return _joined(recording, activities, crash, executed)


def looks_like_execute_log(head: str) -> bool:
    """Whether a file with this beginning is an `execute.log`."""
    return _LINE.match(head.lstrip()) is not None


def _executed(path: Path) -> tuple[list[ForegroundActivity], Crash | None]:
    """The activity before each command and the one after the last, and the first crash."""
    activities: list[ForegroundActivity] = []
    crash: Crash | None = None
    is_new = True
    last: ForegroundActivity | None = None
    for number, line in numbered_lines(path):
        text = line.strip()
        if not text:
            continue
        if text.startswith(CRASH):
            crash = crash or crash_from_stack(re.split(r"\$\$(?=\s|$)", text.removeprefix(CRASH)))
            continue
        if _LINE.fullmatch(text) is None:
            raise broken(path, number, "not a line of an execute.log: it needs number;kind;package;activity;taken")
        _, kind, package, activity, taken = text.split(";")
        last = ForegroundActivity(package, activity)
        if kind == "MonkeyThrottleEvent":
            is_new = True
        elif is_new:
            activities.append(replace(last, was_taken=taken == "1"))
            is_new = False
        elif taken == "0":
            activities[-1] = replace(activities[-1], was_taken=False)
    if last is None:
        raise broken(path, 1, "nothing was recorded: no event in the file")
    return [*activities, last], crash


def _joined(
    recording: Recording, activities: Sequence[ForegroundActivity], crash: Crash | None, path: Path
) -> Recording:
    steps = recording.steps
    losses = list(recording.losses)
    if len(activities) - 1 != len(steps):
        losses.append(
            f"{path.name} tells of {len(activities) - 1} events, the script has {len(steps)}: "
            "what was seen is left out where they do not meet"
        )
    screens = [Screen(activity.package, activity.name, *(recording.screen or (0, 0))[:2]) for activity in activities]
    seen = [
        _observed(step, number, screens, activities, recording.package) if number + 1 < len(screens) else step
        for number, step in enumerate(steps)
    ]
    if crash is not None:
        seen[-1] = replace(seen[-1], crash=crash, ending=Ending.CRASHED)
    else:
        losses.append(f"{path.name} tells of no crash")
    return replace(recording, steps=tuple(seen), losses=tuple(losses))


def _observed(
    step: Step, number: int, screens: Sequence[Screen], activities: Sequence[ForegroundActivity], package: str
) -> Step:
    after = screens[number + 1]
    return replace(
        step,
        # The log does not name the app that was in the foreground before the launch.
        before=screens[number] if number else step.before,
        after=after,
        ending=Ending.RUNNING if after.package == package else Ending.LEFT,
        notes=step.notes if activities[number].was_taken else (*step.notes, "the phone did not take all of this event"),
    )

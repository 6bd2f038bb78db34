"""Runs as SimplyDroid's authors recorded them: `script.log`, a Monkey script, and `execute.log`, what the phone did.

`execute.log` has a line for each internal event of Monkey, `number;kind;package;activity;taken`, the activity being
the one in front when the event was sent. The lines of one command of the script end with a MonkeyThrottleEvent. The
crash is one line, the lines of its stack joined by `$$`. Where was touched stands only in the script.
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
from fewtaps.model.screen import Screen
from fewtaps.model.trace import Ending, Step

SCRIPT, EXECUTED = "script.log", "execute.log"
CRASH = "// CRASH: //"

_LINE = re.compile(r"\d+;Monkey\w+Event;[^;]*;[^;]*;[01]")


@dataclass(frozen=True, slots=True)
class Front:
    """What was in front when a command of the script was sent, and whether the phone took all of it."""

    package: str
    activity: str
    was_taken: bool = True


def read_simplydroid(path: Path) -> Recording:
    """The run in a folder of both logs, or beside its `execute.log`. Raises UsageError."""
    folder = path if path.is_dir() else path.parent
    executed = folder / EXECUTED if path.is_dir() else path
    script = folder / SCRIPT
    if not script.is_file():
        raise UsageError(f"{script}: missing; {executed.name} does not say where the screen was touched")
    recording = read_monkey_script(script)
    fronts, crash = _executed(executed)
    return _joined(recording, fronts, crash, executed)


def looks_like_execute_log(head: str) -> bool:
    """Whether a file that begins so is an `execute.log`."""
    return _LINE.match(head.lstrip()) is not None


def _executed(path: Path) -> tuple[list[Front], Crash | None]:
    """What was in front before each command and after the last, and the first crash."""
    fronts: list[Front] = []
    crash: Crash | None = None
    is_new = True
    last: Front | None = None
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
        last = Front(package, activity)
        if kind == "MonkeyThrottleEvent":
            is_new = True
        elif is_new:
            fronts.append(replace(last, was_taken=taken == "1"))
            is_new = False
        elif taken == "0":
            fronts[-1] = replace(fronts[-1], was_taken=False)
    if last is None:
        raise broken(path, 1, "nothing was recorded: no event in the file")
    return [*fronts, last], crash


def _joined(recording: Recording, fronts: Sequence[Front], crash: Crash | None, path: Path) -> Recording:
    steps = recording.steps
    losses = list(recording.losses)
    if len(fronts) - 1 != len(steps):
        losses.append(
            f"{path.name} tells of {len(fronts) - 1} events, the script has {len(steps)}: "
            "what was seen is left out where they do not meet"
        )
    screens = [Screen(front.package, front.activity, *(recording.screen or (0, 0))[:2]) for front in fronts]
    seen = [
        _seen(step, number, screens, fronts, recording.package) if number + 1 < len(screens) else step
        for number, step in enumerate(steps)
    ]
    if crash is not None:
        seen[-1] = replace(seen[-1], crash=crash, ending=Ending.CRASHED)
    else:
        losses.append(f"{path.name} tells of no crash")
    return replace(recording, steps=tuple(seen), losses=tuple(losses))


def _seen(step: Step, number: int, screens: Sequence[Screen], fronts: Sequence[Front], package: str) -> Step:
    after = screens[number + 1]
    return replace(
        step,
        # Before the launch somebody else was in front, whom the log does not name.
        before=screens[number] if number else step.before,
        after=after,
        ending=Ending.RUNNING if after.package == package else Ending.LEFT,
        notes=step.notes if fronts[number].was_taken else (*step.notes, "the phone did not take all of this event"),
    )

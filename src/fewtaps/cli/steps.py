"""Prints the steps of a trace as numbered lines, and the course of a replay with the first difference."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fewtaps.cli.play import ENDINGS, print_trace_crash, short_activity
from fewtaps.cli.terminal import Terminal
from fewtaps.model.ending import Ending
from fewtaps.model.event import printable
from fewtaps.model.phone import describe_phone
from fewtaps.model.told import describe_step
from fewtaps.model.trace import Trace

LONGEST = 60
ENDS = 12
"""Of a trace with more than `LONGEST` steps this many are printed at each end, and those around the first difference.
"""


def print_steps(terminal: Terminal, trace: Trace, pictures: Sequence[Path | None] = ()) -> None:
    """Prints the events, numbered, without the launch that begins every trace; a long trace is shortened."""
    if trace.phone:
        terminal.line("      ", (f"On a phone {describe_phone(trace.phone)}:", "bold"))
    printed = 0
    for place in _shown_steps(len(trace.events) - 1, None):
        number = place + 1
        if number != printed + 1:
            terminal.line("      ", (f"… {number - printed - 1} steps", "dim"))
        printed = number
        picture = pictures[number - 1] if number <= len(pictures) else None
        shown = f"   {printable(str(picture), 200)}" if picture is not None else ""
        terminal.line(f"{number:4}. ", (describe_step(trace.steps[place + 1]), "bold"), (shown, "dim"))
    if len(trace.events) == 1:
        terminal.line("      ", ("Launch the app.", "bold"))


def print_course(terminal: Terminal, seen: Trace, recorded: Trace | None = None) -> None:
    """Prints the steps of a run with their results, and marks the first that differs from the recording."""
    difference = first_difference(seen, recorded) if recorded is not None else None
    printed = -1
    for number in _shown_steps(len(seen.steps), difference):
        if number != printed + 1:
            terminal.line("      ", (f"… {number - printed - 1} steps", "dim"))
        printed = number
        _print_step(terminal, seen, number, recorded if number == difference else None)
    missing = len(recorded.steps) - len(seen.steps) if recorded is not None else 0
    if missing > 0:
        terminal.line("      ", (f"… {missing} more steps were not reached", "dim"))


def first_difference(seen: Trace, recorded: Trace) -> int | None:
    """The first step after which another activity was shown than when it was recorded; None if there is none."""
    for number, (now, then) in enumerate(zip(seen.steps, recorded.steps, strict=False)):
        if then.after.activity is not None and now.after.activity != then.after.activity:
            return number
    return None


def _shown_steps(count: int, difference: int | None) -> list[int]:
    if count <= LONGEST:
        return list(range(count))
    middle = range(max(0, difference - 2), min(count, difference + 3)) if difference is not None else range(0)
    return sorted({*range(ENDS), *middle, *range(count - ENDS, count)})


def _print_step(terminal: Terminal, seen: Trace, number: int, recorded: Trace | None) -> None:
    step = seen.steps[number]
    where = f"  → {short_activity(step)}" if short_activity(step) else ""
    terminal.line(f"{number:4}. ", (describe_step(step), "bold"), (where, "dim"))
    for note in step.notes:
        terminal.line(" " * 6, (f"note: {printable(note, 200)}", "warn"))
    if recorded is not None:
        expected = short_activity(recorded.steps[number])
        terminal.line(" " * 6, (f"here it went another way: the recording shows {expected}", "warn"))
    if step.ending is not Ending.RUNNING:
        terminal.line(" " * 6, (ENDINGS[step.ending], "warn" if step.ending is Ending.LEFT else "bad"))
    if step.crash is not None:
        print_trace_crash(terminal, step.crash)

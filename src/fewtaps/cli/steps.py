"""Steps for a person: numbered, as one would tell them, and what became of them step by step."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fewtaps.cli.play import ENDINGS, print_trace_crash, short_activity
from fewtaps.cli.terminal import Terminal
from fewtaps.model.event import describe, printable
from fewtaps.model.trace import Ending, Trace

LONGEST = 60
ENDS = 12
"""Of a longer trace only so many steps at each end are told, and those around the first difference."""


def print_steps(terminal: Terminal, trace: Trace, pictures: Sequence[Path | None] = ()) -> None:
    """The steps for a person, numbered; the launch that begins every trace is not one of them. Of many, not all."""
    told = 0
    for place in _worth_telling(len(trace.events) - 1, None):
        number, event = place + 1, trace.events[place + 1]
        if number != told + 1:
            terminal.line("      ", (f"… {number - told - 1} steps", "dim"))
        told = number
        picture = pictures[number - 1] if number <= len(pictures) else None
        shown = f"   {printable(str(picture), 200)}" if picture is not None else ""
        terminal.line(f"{number:4}. ", (describe(event), "bold"), (shown, "dim"))
    if len(trace.events) == 1:
        terminal.line("      ", ("Launch the app.", "bold"))


def print_course(terminal: Terminal, seen: Trace, recorded: Trace | None = None) -> None:
    """What happened step by step, and where it first went another way than it was recorded."""
    parting = first_difference(seen, recorded) if recorded is not None else None
    told = -1
    for number in _worth_telling(len(seen.steps), parting):
        if number != told + 1:
            terminal.line("      ", (f"… {number - told - 1} steps", "dim"))
        told = number
        _print_step(terminal, seen, number, recorded if number == parting else None)
    missing = len(recorded.steps) - len(seen.steps) if recorded is not None else 0
    if missing > 0:
        terminal.line("      ", (f"… {missing} more steps were not reached", "dim"))


def first_difference(seen: Trace, recorded: Trace) -> int | None:
    """The first step after which another activity was shown than when it was recorded; None if there is none."""
    for number, (now, then) in enumerate(zip(seen.steps, recorded.steps, strict=False)):
        if then.after.activity is not None and now.after.activity != then.after.activity:
            return number
    return None


def _worth_telling(count: int, parting: int | None) -> list[int]:
    if count <= LONGEST:
        return list(range(count))
    middle = range(max(0, parting - 2), min(count, parting + 3)) if parting is not None else range(0)
    return sorted({*range(ENDS), *middle, *range(count - ENDS, count)})


def _print_step(terminal: Terminal, seen: Trace, number: int, recorded: Trace | None) -> None:
    step = seen.steps[number]
    where = f"  → {short_activity(step)}" if short_activity(step) else ""
    terminal.line(f"{number:4}. ", (describe(step.event), "bold"), (where, "dim"))
    for note in step.notes:
        terminal.line(" " * 6, (f"note: {printable(note, 200)}", "warn"))
    if recorded is not None:
        expected = short_activity(recorded.steps[number])
        terminal.line(" " * 6, (f"here it went another way: the recording shows {expected}", "warn"))
    if step.ending is not Ending.RUNNING:
        terminal.line(" " * 6, (ENDINGS[step.ending], "warn" if step.ending is Ending.LEFT else "bad"))
    if step.crash is not None:
        print_trace_crash(terminal, step.crash)

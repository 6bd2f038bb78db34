"""`fewtaps play`: prints the steps as they happen, the crash, the coverage, the reproduction rate."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from fewtaps.cli.terminal import Terminal, show_download
from fewtaps.config import PlaySettings
from fewtaps.device.registry import DEFAULT_BACKEND
from fewtaps.model.crash import Crash, crash_to_json
from fewtaps.model.ending import Ending
from fewtaps.model.event import event_to_json, printable
from fewtaps.model.result import Reproduction
from fewtaps.model.told import describe_step
from fewtaps.model.trace import Step
from fewtaps.pipeline.playing import Play, PlayReport, is_same_crash, play_file

LONGEST_RUN = 5
ENDINGS = {
    Ending.LEFT: "the app went to the background",
    Ending.CRASHED: "CRASH",
    Ending.ANR: "the app does not answer (ANR)",
    Ending.EXITED: "the app ended itself",
    Ending.LOST: "the device died",
}


def run_play(apk: str, trace_path: Path, settings: PlaySettings, fail_on_crash: bool, as_json: bool) -> int:
    """Plays a trace file and prints its steps; returns 1 if the app crashed and `fail_on_crash` is set, else 0."""
    terminal = Terminal(as_json)
    printer = StepPrinter(terminal, settings.worlds)
    terminal.busy(f"opening {printable(apk, 200)}")
    report = play_file(apk, trace_path, settings, printer.step, show_download)
    printer.finish()
    for note in report.notes:
        terminal.line(("note: ", "warn"), printable(note, 300))
    if settings.worlds == 1:
        _print_crash(terminal, report.plays[0].crash)
        if report.remembered is not None and report.reproduction.met == 0:
            terminal.line(("The crash that the trace remembers did not come back: ", "warn"), _summary(report.wanted))
    else:
        _print_worlds(terminal, report)
    _print_coverage(terminal, report)
    terminal.document({"summary": summary_to_json(report)})
    crashed = any(play.crash is not None and play.crash.suspect is None for play in report.plays)
    return 1 if fail_on_crash and crashed else 0


class StepPrinter:
    """Prints steps as they happen: with one world every step, with several a line for each world that ends."""

    def __init__(self, terminal: Terminal, worlds: int) -> None:
        self._terminal = terminal
        self._worlds = worlds

    def step(self, world: int, number: int, step: Step) -> None:
        """Prints a step; with several worlds only one that ends the app."""
        self._terminal.document({"step": step_to_json(world, number, step)})
        if self._worlds == 1:
            print_step(self._terminal, number, step)
            return
        if step.crash is not None:
            self._terminal.line(f"  world {world}: step {number}, ", (printable(step.crash.summary, 160), "bad"))
        elif step.ending.is_final:
            self._terminal.line(f"  world {world}: step {number}, ", (ENDINGS[step.ending], "bad"))

    def finish(self) -> None:
        """Prints an empty line after the steps."""
        self._terminal.line()


def print_step(terminal: Terminal, number: int, step: Step) -> None:
    """Prints a step as a numbered line, with its notes and its ending below."""
    where = f"  → {short_activity(step)}" if short_activity(step) else ""
    covered = len(step.covered.branches) or len(step.covered.lines)
    new = (f"  +{covered}", "dim") if covered else ""
    terminal.line(f"{number:4}  ", (describe_step(step), "bold"), (where, "dim"), new)
    for note in step.notes:
        terminal.line(" " * 6, (f"note: {printable(note, 200)}", "warn"))
    if step.ending is not Ending.RUNNING:
        terminal.line(" " * 6, (ENDINGS[step.ending], "warn" if step.ending is Ending.LEFT else "bad"))


def short_activity(step: Step) -> str:
    """The activity after a step, without its package."""
    return printable((step.after.activity or "").rpartition(".")[2], 60)


def print_trace_crash(terminal: Terminal, crash: Crash) -> None:
    """Prints the crash in the form of Android's log."""
    doubt = "" if crash.suspect is None else f", but the {DEFAULT_BACKEND} may be the cause"
    terminal.line((f"The app crashed{doubt}:", "bad"))
    for line in folded(crash):
        terminal.line("  ", line.expandtabs(4))


def folded(crash: Crash) -> Iterator[str]:
    """The lines of a crash in the form of Android's log; more than `LONGEST_RUN` platform frames in a row are cut."""
    for is_platform, run in groupby(crash.lines(), lambda line: line[1] is not None and not line[1].is_app):
        kept = [text for text, _ in run]
        if is_platform and len(kept) > LONGEST_RUN:
            yield from kept[:2]
            yield f"\t… {len(kept) - 2} more frames that are not the app's (all with --json)"
        else:
            yield from kept


def _print_crash(terminal: Terminal, crash: Crash | None) -> None:
    if crash is None:
        terminal.line(("No crash.", "good"))
    else:
        print_trace_crash(terminal, crash)


def _summary(crash: Crash | None) -> str:
    return printable(crash.summary, 160) if crash else ""


def _print_worlds(terminal: Terminal, report: PlayReport) -> None:
    if report.wanted is None:
        terminal.line((f"No crash in {len(report.plays)} {run_word(report.has_worlds)}s.", "good"))
        return
    print_trace_crash(terminal, report.wanted)
    terminal.line()
    terminal.line("Reproduction rate: ", (rate_text(report.reproduction, report.has_worlds), "bold"))
    others = [play for play in report.plays if play.crash is not None and not is_same_crash(play.crash, report.wanted)]
    if others:
        numbers = ", ".join(str(play.world) for play in others[:10]) + (", …" if len(others) > 10 else "")
        where = f"{run_word(report.has_worlds)}{'s' if len(others) > 1 else ''} {numbers}"
        terminal.line(("Other crashes", "warn"), f" in {where}", "; look with --world N" if report.has_worlds else "")


def run_word(has_worlds: bool) -> str:
    """What several plays of a trace differ by: the world or, where there are none, only the number of the run."""
    return "world" if has_worlds else "run"


def rate_text(reproduction: Reproduction, has_worlds: bool = True) -> str:
    """A rate for a person: 18 of 20 worlds (90%, 95% interval 70–97%)."""
    low, high = reproduction.interval
    share = f"{reproduction.rate:.0%}, 95% interval {low:.0%}–{high:.0%}"
    return f"{reproduction.met} of {reproduction.runs} {run_word(has_worlds)}s ({share})"


def _print_coverage(terminal: Terminal, report: PlayReport) -> None:
    if report.totals is None:
        return
    parts = []
    for name in ("lines", "branches", "methods"):
        covered, total = len(getattr(report.coverage, name)), getattr(report.totals, name)
        if total:
            parts.append(f"{covered} of {total} {name} ({covered / total:.0%})")
    if parts:
        terminal.line("Coverage: ", ", ".join(parts))


def step_to_json(world: int, number: int, step: Step) -> dict[str, Any]:
    """A step without its screens, for a line of a stream."""
    return {
        "world": world,
        "number": number,
        "event": event_to_json(step.event),
        "text": describe_step(step),
        "activity": step.after.activity,
        "screen": step.after.digest(),
        "ending": step.ending.value,
        "new": {name: len(getattr(step.covered, name)) for name in ("branches", "lines", "methods")},
        "crash": crash_json(step.crash),
        "log": list(step.log),
        "notes": list(step.notes),
        "clock_ms": step.clock_ms,
    }


def crash_json(crash: Crash | None) -> dict[str, Any] | None:
    """A crash as the store keeps it, with its signature, by which programs compare crashes; None if there is none."""
    return None if crash is None else {**crash_to_json(crash), "signature": crash.signature}


def summary_to_json(report: PlayReport) -> dict[str, Any]:
    """The last line of a stream: all worlds together."""
    reproduction = report.reproduction
    low, high = reproduction.interval
    return {
        "package": report.app.package,
        "worlds": [play_json(play) for play in report.plays],
        "crash": crash_json(report.wanted),
        "reproduction": {"met": reproduction.met, "runs": reproduction.runs, "low": low, "high": high},
        "coverage": None if report.totals is None else {
            name: {"covered": len(getattr(report.coverage, name)), "total": getattr(report.totals, name)}
            for name in ("branches", "lines", "methods")
        },
        "notes": list(report.notes),
    }  # fmt: skip


def play_json(play: Play) -> dict[str, Any]:
    """A play in one world as JSON data, without its steps."""
    crash = play.crash
    return {
        "world": play.world,
        "steps": len(play.trace.steps),
        "planned": play.planned,
        "ending": play.trace.ending.value,
        "signature": crash.signature if crash else None,
    }

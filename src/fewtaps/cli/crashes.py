"""`fewtaps crashes`: the crashes of a project, how often each was seen, and its shortest steps."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fewtaps.cli.play import print_trace_crash
from fewtaps.cli.terminal import Terminal, counted
from fewtaps.errors import UsageError
from fewtaps.model.crash import Crash
from fewtaps.model.event import printable
from fewtaps.model.suspicion import RULES
from fewtaps.model.told import describe_step
from fewtaps.pipeline.findings import CrashFinding, read_crash, read_findings
from fewtaps.pipeline.playing import save_trace

ID_LETTERS = 8


OUTSIDE = "from outside: needs an intent or a broadcast of another app"


def run_crashes(folder: Path, name: str | None, save: Path | None, why_suspect: bool, as_json: bool) -> None:
    """Prints the table, or one crash with its steps; with `why_suspect`, the rule below each that is suspect."""
    terminal = Terminal(as_json)
    if name is not None:
        _print_one(terminal, folder, name, save, why_suspect)
        return
    if save is not None:
        raise UsageError("--save: say which crash with --show ID")
    findings = read_findings(folder)
    crash_table(terminal, findings, why_suspect=why_suspect)
    terminal.document({"folder": str(folder), "crashes": [finding.to_json() for finding in findings]})


def crash_table(terminal: Terminal, findings: Sequence[CrashFinding], *, why_suspect: bool = False) -> None:
    """One line per crash: its id, exception, place, count and fewest steps."""
    if not findings:
        terminal.line(("No crash was found.", "good"))
        return
    width = max(len(what_text(finding.row.crash)) for finding in findings)
    for finding in findings:
        row = finding.row
        style = "warn" if row.suspect is not None else "bad"
        times = "once" if row.times == 1 else f"{row.times} times"
        counts = f"{times}, {counted(row.shortest - 1, 'step')}"
        known_mark = " (known)" if finding.is_known else ""
        terminal.line(
            (row.fingerprint[:ID_LETTERS], "bold"),
            "  ",
            (f"{what_text(row.crash):{width}}", style),
            f"  {counts}{known_mark}",
        )
        terminal.line(" " * (ID_LETTERS + 2), (f"at {where_text(row.crash)}", "dim"))
        if finding.phone_words:
            terminal.line(" " * (ID_LETTERS + 2), (finding.phone_words, "warn"))
        if finding.is_from_outside:
            terminal.line(" " * (ID_LETTERS + 2), (OUTSIDE, "dim"))
        if row.suspect is not None:
            terminal.line(" " * (ID_LETTERS + 2), (f"suspect: {printable(row.suspect, 160)}", "warn"))
        if row.suspect is not None and why_suspect:
            terminal.line(" " * (ID_LETTERS + 2), (rule_text(row.crash), "dim"))
    terminal.line()


def rule_text(crash: Crash) -> str:
    """The rule that made a crash suspect."""
    if crash.rule is None:
        return "rule: not known; the version that found the crash did not keep it"
    return f"rule {crash.rule.value}: {RULES[crash.rule]}"


def what_text(crash: Crash) -> str:
    """The root cause and its message, short enough for a table."""
    root = crash.root
    if root is None:
        return crash.kind.value
    name = root.type.rpartition(".")[2]
    return printable(f"{name}: {root.message}" if root.message else name, 70)


def where_text(crash: Crash) -> str:
    """The innermost frame of the app's own code in the root cause, else the innermost of all."""
    return printable(str(crash.place), 120) if crash.place is not None else "an unknown place"


def _print_one(terminal: Terminal, folder: Path, name: str, save: Path | None, why_suspect: bool) -> None:
    finding = read_crash(folder, name)
    print_trace_crash(terminal, finding.row.crash)
    if why_suspect and finding.is_suspect:
        terminal.line((rule_text(finding.row.crash), "dim"))
    if finding.phone_words:
        terminal.line((finding.phone_words, "warn"))
    if finding.is_from_outside:
        terminal.line((OUTSIDE, "dim"))
    terminal.line()
    terminal.line(("Shortest steps", "bold"), f" (world {finding.trace.world}):")
    for number, step in enumerate(finding.trace.steps[1:], 1):
        terminal.line(f"{number:4}. {describe_step(step)}")
    if save is not None:
        save_trace(save, finding.trace)
        terminal.line(f"saved to {printable(str(save), 200)}")
    terminal.document({"crash": finding.to_json()})

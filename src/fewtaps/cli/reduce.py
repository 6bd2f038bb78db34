"""`fewtaps reduce`: prints the steps that are left and the cost of finding them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fewtaps.cli.crashes import ID_LETTERS
from fewtaps.cli.flaky import first_crash, flaky_summary, print_figures
from fewtaps.cli.play import crash_json, print_trace_crash, rate_text
from fewtaps.cli.shrinking import show_reduction
from fewtaps.cli.steps import print_steps
from fewtaps.cli.terminal import Terminal, show_download
from fewtaps.config import ReduceSettings
from fewtaps.model import words
from fewtaps.model.event import event_to_json, printable
from fewtaps.model.result import Reduction
from fewtaps.model.told import describe_steps
from fewtaps.model.trace import Trace
from fewtaps.pipeline.advice import flaky_words
from fewtaps.pipeline.reducing import reduce_file
from fewtaps.pipeline.reduction_job import Direct, Reduced


def run_reduce(apk: str, path: str, settings: ReduceSettings, as_json: bool) -> int:
    """Reduces a trace, by one run per candidate or by repeated runs, and prints its course and its result."""
    terminal = Terminal(as_json)
    reduced = show_reduction(
        apk, settings, terminal, lambda tell: reduce_file(apk, path, settings, tell, show_download)
    )
    print_reduced(terminal, reduced)
    figures = reduced.repeated
    terminal.document({"summary": _summary(reduced) if figures is None else flaky_summary(reduced, figures)})
    return 0


def print_reduced(terminal: Terminal, reduced: Reduced) -> None:
    """The steps, their crash, and the figures."""
    reduction, figures = reduced.reduction, reduced.repeated
    terminal.line()
    if reduced.stopped is not None:
        terminal.line((f"Stopped: {reduced.stopped}. {so_far(reduction)}", "warn"))
    print_steps(terminal, reduction.trace)
    terminal.line()
    crash = reduction.trace.crash if figures is None else first_crash(reduction.trace)
    if crash is not None:
        print_trace_crash(terminal, crash)
        terminal.line()
    if figures is None:
        _print_cost(terminal, reduced)
    else:
        print_figures(terminal, reduced, figures)
    print_findings(terminal, reduction, reduced.known_before)
    if figures is None:
        _print_rate(terminal, reduced)
    terminal.line(f"Saved to {printable(str(reduced.output), 200)}")


def _print_cost(terminal: Terminal, reduced: Reduced) -> None:
    reduction = reduced.reduction
    certainty = "no single step can be left out" if reduction.is_minimal else "some step may still be superfluous"
    terminal.line((f"{reduction.original_size} → {reduction.size} steps", "good"), f" ({certainty})")
    known = f", {reduction.known} known before" if reduction.known else ""
    terminal.line(f"{reduction.runs} runs, {reduction.events} events played{known}")
    if reduced.direct is not None:
        _print_direct(terminal, reduced.direct)


def print_findings(terminal: Terminal, reduction: Reduction, known_before: Mapping[str, str]) -> None:
    """Crashes of another kind that were met on the way, and whether the project knew them before."""
    for trace in reduction.findings:
        if trace.crash is not None:
            fingerprint = known_before.get(trace.crash.signature)
            status = "kept" if fingerprint is None else f"already known as {fingerprint[:ID_LETTERS]}"
            terminal.line(("Another crash on the way: ", "warn"), printable(trace.crash.summary, 160), f" ({status})")


def so_far(reduction: Reduction) -> str:
    """The heading of the steps that were found when a limit was reached."""
    return "The shortest so far:" if reduction.is_news else "Nothing left out yet, this is the original:"


def _print_direct(terminal: Terminal, direct: Direct) -> None:
    """The trace that begins with an intent, marked as an extra: a user cannot begin there."""
    access = "" if direct.is_exported else "; it is not exported, so only a test of the app or a root shell can"
    terminal.line(
        ("Extra: ", "bold"), f"an intent gets there directly, in the place of {direct.replaced} steps{access}"
    )
    print_steps(terminal, direct.reduction.trace)


def _print_rate(terminal: Terminal, reduced: Reduced) -> None:
    rate = reduced.reproduction
    if rate is None:
        return
    terminal.line("Reproduction rate: ", (rate_text(rate, reduced.has_worlds), "bold"))
    if 0 < rate.met < rate.runs:
        terminal.line((f"It {flaky_words(rate, reduced.has_worlds)}.", "dim"))


def _steps(trace: Trace) -> list[str]:
    return describe_steps(trace)


def _summary(reduced: Reduced) -> dict[str, Any]:
    reduction, rate = reduced.reduction, reduced.reproduction
    return {
        "goal": words.goal(reduced.goal),
        "before": reduction.original_size,
        "after": reduction.size,
        "minimal": reduction.is_minimal,
        "runs": reduction.runs,
        "events": reduction.events,
        "known": reduction.known,
        "simplified": reduction.simplified,
        "stopped": None if reduced.stopped is None else str(reduced.stopped),
        "output": str(reduced.output),
        "steps": _steps(reduction.trace),
        "trace": [event_to_json(event) for event in reduction.trace.events],
        "crash": crash_json(reduction.trace.crash),
        "stages": [
            {"name": stage.name, "size": stage.size, "runs": stage.runs, "events": stage.events}
            for stage in reduction.stages
        ],
        "findings": [crash_json(trace.crash) for trace in reduction.findings],
        "reproduction": None if rate is None else {"met": rate.met, "runs": rate.runs},
        "extra": None if reduced.direct is None else _direct_json(reduced.direct),
    }


def _direct_json(direct: Direct) -> dict[str, Any]:
    trace = direct.reduction.trace
    return {
        "kind": "intent",
        "activity": direct.activity,
        "exported": direct.is_exported,
        "replaced": direct.replaced,
        "steps": _steps(trace),
        "trace": [event_to_json(event) for event in trace.events],
    }

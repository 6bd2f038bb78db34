"""`fewtaps reduce`: a trace becomes short while one watches; the steps that are left, and what finding them cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fewtaps.cli.crashes import ID_LETTERS
from fewtaps.cli.play import crash_json, print_trace_crash, rate_text
from fewtaps.cli.shrinking import PlainSpectator, spectator_for
from fewtaps.cli.steps import print_course, print_steps
from fewtaps.cli.terminal import Terminal, show_download
from fewtaps.config import ReduceSettings
from fewtaps.errors import NotReproduced
from fewtaps.model.event import describe, event_to_json, printable
from fewtaps.model.result import Reduction
from fewtaps.model.trace import Trace
from fewtaps.pipeline.reducing import Direct, Reduced, flaky_words, reduce_file


def run_reduce(apk: str, path: str, settings: ReduceSettings, as_json: bool) -> int:
    """Reduces a trace and prints what happens."""
    terminal = Terminal(as_json)
    terminal.busy(f"opening {printable(apk, 200)}")
    with spectator_for(terminal, settings) as spectator:
        try:
            reduced = reduce_file(apk, path, settings, spectator, show_download)
        except NotReproduced as error:
            spectator.close()
            print_instead(terminal, error)
            raise
        except BaseException:
            # Interrupted, or a device failed for good: what was found until then is not lost.
            spectator.close()
            print_so_far(terminal, spectator)
            raise
    _print(terminal, reduced)
    return 0


def _print(terminal: Terminal, reduced: Reduced) -> None:
    reduction = reduced.reduction
    terminal.line()
    if reduced.stopped is not None:
        terminal.line((f"Stopped: {reduced.stopped}. {so_far(reduction)}", "warn"))
    print_steps(terminal, reduction.trace)
    terminal.line()
    crash = reduction.trace.crash
    if crash is not None:
        print_trace_crash(terminal, crash)
        terminal.line()
    certainty = "no single step can be left out" if reduction.is_minimal else "some step may still be superfluous"
    terminal.line((f"{reduction.original_size} → {reduction.size} steps", "good"), f" ({certainty})")
    known = f", {reduction.known} known before" if reduction.known else ""
    terminal.line(f"{reduction.runs} runs, {reduction.events} events played{known}")
    if reduced.direct is not None:
        _print_direct(terminal, reduced.direct)
    print_findings(terminal, reduction, reduced.known_before)
    _print_rate(terminal, reduced)
    terminal.line(f"Saved to {printable(str(reduced.output), 200)}")
    terminal.document({"summary": _summary(reduced)})


def print_findings(terminal: Terminal, reduction: Reduction, known_before: Mapping[str, str]) -> None:
    """Crashes of another kind that were met on the way, and whether the project knew them before."""
    for trace in reduction.findings:
        if trace.crash is not None:
            fingerprint = known_before.get(trace.crash.signature)
            remark = "kept" if fingerprint is None else f"already known as {fingerprint[:ID_LETTERS]}"
            terminal.line(("Another crash on the way: ", "warn"), printable(trace.crash.summary, 160), f" ({remark})")


def so_far(reduction: Reduction) -> str:
    """What the steps are that were found when a limit was reached."""
    return "The shortest so far:" if reduction.is_news else "Nothing left out yet, this is the original:"


def _print_direct(terminal: Terminal, direct: Direct) -> None:
    """The extra, marked as what it is: not a person's way."""
    access = "" if direct.is_exported else "; it is not exported, so only a test of the app or a root shell can"
    terminal.line(
        ("Extra: ", "bold"), f"an intent gets there directly, in the place of {direct.replaced} steps{access}"
    )
    print_steps(terminal, direct.reduction.trace)


def _print_rate(terminal: Terminal, reduced: Reduced) -> None:
    rate = reduced.reproduction
    if rate is None:
        return
    terminal.line("Reproduction rate: ", (rate_text(rate), "bold"))
    if 0 < rate.met < rate.runs:
        terminal.line((f"It {flaky_words(rate)}.", "dim"))


def print_instead(terminal: Terminal, error: NotReproduced) -> None:
    """What a trace did that does not do what it should."""
    for trace in error.traces[:1]:
        assert isinstance(trace, Trace)
        recorded = error.traces[1] if len(error.traces) > 1 else None
        terminal.line("What happened instead:")
        print_course(terminal, trace, recorded if isinstance(recorded, Trace) else None)


def print_so_far(terminal: Terminal, spectator: PlainSpectator) -> None:
    """What was found until the reduction was interrupted."""
    best = spectator.best
    if best is not None and not best.is_news:
        terminal.line((f"Nothing left out yet of {best.size} steps", "warn"), "; the same command goes on from there.")
        terminal.document({"interrupted": {"size": best.size, "output": None, "steps": _steps(best.trace)}})
        return
    if best is None or spectator.output is None:
        return
    terminal.line((f"The shortest so far, {best.size} of {best.original_size} steps:", "warn"))
    print_steps(terminal, best.trace)
    terminal.line(f"Saved to {printable(str(spectator.output), 200)}; the same command goes on from there.")
    terminal.document(
        {"interrupted": {"size": best.size, "output": str(spectator.output), "steps": _steps(best.trace)}}
    )


def _steps(trace: Trace) -> list[str]:
    return [describe(event) for event in trace.events]


def _summary(reduced: Reduced) -> dict[str, Any]:
    reduction, rate = reduced.reduction, reduced.reproduction
    return {
        "goal": reduced.goal,
        "before": reduction.original_size,
        "after": reduction.size,
        "minimal": reduction.is_minimal,
        "runs": reduction.runs,
        "events": reduction.events,
        "known": reduction.known,
        "simplified": reduction.simplified,
        "stopped": reduced.stopped,
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

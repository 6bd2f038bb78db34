"""`fewtaps reduce --flaky`: the steps that are left, how often they do it, and how sure all that is."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from fewtaps.cli.live import clock
from fewtaps.cli.play import crash_json, print_trace_crash
from fewtaps.cli.reduce import print_findings, so_far
from fewtaps.cli.shrinking import show_reduction
from fewtaps.cli.steps import print_steps
from fewtaps.cli.terminal import Terminal, show_download
from fewtaps.config import ReduceSettings
from fewtaps.model.event import describe, event_to_json, printable
from fewtaps.model.result import Reproduction
from fewtaps.pipeline.flaky import FlakyReduced, reduce_flaky_file


def run_reduce_flaky(apk: str, path: str, settings: ReduceSettings, as_json: bool) -> int:
    """Reduces a flaky trace and prints what happens."""
    terminal = Terminal(as_json)
    reduced = show_reduction(
        apk, settings, terminal, lambda tell: reduce_flaky_file(apk, path, settings, tell, show_download)
    )
    _print(terminal, reduced)
    terminal.document({"summary": _summary(reduced)})
    return 0


def _print(terminal: Terminal, reduced: FlakyReduced) -> None:
    reduction = reduced.reduction
    terminal.line()
    if reduced.stopped is not None:
        terminal.line((f"Stopped: {reduced.stopped}. {so_far(reduction)}", "warn"))
    print_steps(terminal, reduction.trace)
    terminal.line()
    crash = next((step.crash for step in reduction.trace.steps if step.crash is not None), None)
    if crash is not None:
        print_trace_crash(terminal, crash)
        terminal.line()
    certainty = f"with probability {cut(reduced.minimal)} no single step can be left out"
    terminal.line((f"{reduction.original_size} → {reduction.size} steps", "good"), f" ({certainty})")
    _print_rates(terminal, reduced)
    spent = f"{reduction.runs} runs, {reduction.events} events played, {clock(reduced.seconds)}"
    terminal.line(spent if reduced.steps is None else f"{spent}, {reduced.steps} steps of the schedule")
    for each in reduced.odd:
        terminal.line((f"Note: {each}. Look at that device.", "warn"))
    print_findings(terminal, reduction, reduced.known_before)
    terminal.line(f"Saved to {printable(str(reduced.output), 200)}")


def _print_rates(terminal: Terminal, reduced: FlakyReduced) -> None:
    if reduced.is_always:
        terminal.line(
            f"The original did it in {reduced.precheck.met} of {reduced.precheck.runs} runs:"
            " it was reduced the deterministic way, one run per candidate."
        )
    else:
        terminal.line(f"The original did it in {rate_words(reduced.precheck)}.")
    if reduced.check is not None:
        terminal.line("Reproduction rate: ", (rate_words(reduced.check), "bold"), f" ({_trust(reduced)})")
    if reduced.worlds is not None:
        verb = "crashes" if reduced.is_crash else "does it"
        terminal.line(f"It {reduced.worlds.words(verb)}.")
    if reduced.worlds is not None and reduced.worlds.is_flaky:
        terminal.line((f"Where it is certain: --world {reduced.worlds.met[0]}", "dim"))
    if reduced.cause is not None:
        terminal.line(("What makes it flaky: ", "bold"), printable(_cause_words(reduced), 400))
    if reduced.shorter is not None:
        events, rate = reduced.shorter
        terminal.line(f"Fewer steps do it less often: {len(events)}, in {rate_words(rate)}.")


def _cause_words(reduced: FlakyReduced) -> str:
    assert reduced.cause is not None
    return reduced.cause.words("crashing" if reduced.is_crash else "successful")


def _trust(reduced: FlakyReduced) -> str:
    wanted = f"at least {max(reduced.needed - 0.05, reduced.needed / 2):.0%}"
    return f"{wanted} with probability {cut(reduced.rate_holds)}"


def rate_words(rate: Reproduction) -> str:
    """A rate for a person: 18 of 20 runs (90%, 95% interval 70–97%)."""
    low, high = rate.interval
    return f"{rate.met} of {rate.runs} runs ({rate.rate:.0%}, 95% interval {low:.0%}–{high:.0%})"


def cut(probability: float) -> str:
    """Two digits, cut off and not rounded: a bound must not look better than it is."""
    return f"{int(probability * 100 + 1e-9) / 100:.2f}"


def _rate_json(rate: Reproduction | None) -> dict[str, Any] | None:
    if rate is None:
        return None
    low, high = rate.interval
    return {"met": rate.met, "runs": rate.runs, "low": round(low, 4), "high": round(high, 4)}


def _summary(reduced: FlakyReduced) -> dict[str, Any]:
    reduction, worlds = reduced.reduction, reduced.worlds
    return {
        "goal": reduced.goal,
        "schedule": reduced.schedule,
        "before": reduction.original_size,
        "after": reduction.size,
        "needed": reduced.needed,
        "always": reduced.is_always,
        "precheck": _rate_json(reduced.precheck),
        "reproduction": _rate_json(reduced.check),
        "rate_holds": round(reduced.rate_holds, 4),
        "minimal": round(reduced.minimal, 4),
        "runs": reduction.runs,
        "events": reduction.events,
        "schedule_steps": reduced.steps,
        "seconds": round(reduced.seconds, 1),
        "went_back": reduced.went_back,
        "worlds": None if worlds is None else {"met": list(worlds.met), "missed": list(worlds.missed)},
        "cause": None if reduced.cause is None else asdict(reduced.cause),
        "shorter": None if reduced.shorter is None else _shorter_json(*reduced.shorter),
        "odd_devices": [{"device": odd.device, "runs": odd.runs, "expected": odd.expected} for odd in reduced.odd],
        "stopped": reduced.stopped,
        "output": str(reduced.output),
        "steps": [describe(event) for event in reduction.trace.events],
        "trace": [event_to_json(event) for event in reduction.trace.events],
        "crash": crash_json(next((step.crash for step in reduction.trace.steps if step.crash is not None), None)),
        "stages": [
            {"name": stage.name, "size": stage.size, "runs": stage.runs, "events": stage.events}
            for stage in reduction.stages
        ],
        "findings": [crash_json(trace.crash) for trace in reduction.findings],
    }


def _shorter_json(events: tuple[Any, ...], rate: Reproduction) -> dict[str, Any]:
    return {"trace": [event_to_json(event) for event in events], "reproduction": _rate_json(rate)}

"""`fewtaps reduce --flaky`: prints how often the steps that are left meet the goal, and how sure that is."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from fewtaps.cli.live import clock
from fewtaps.cli.play import crash_json
from fewtaps.cli.terminal import Terminal
from fewtaps.model import words
from fewtaps.model.crash import Crash
from fewtaps.model.event import event_to_json, printable
from fewtaps.model.result import Reproduction
from fewtaps.model.told import describe_steps
from fewtaps.model.trace import Trace
from fewtaps.pipeline.reduction_job import Reduced, RepeatedFigures


def print_figures(terminal: Terminal, reduced: Reduced, figures: RepeatedFigures) -> None:
    """Sizes, rates, worlds and costs."""
    reduction = reduced.reduction
    certainty = f"with probability {cut(figures.minimal)} no single step can be left out"
    terminal.line((f"{reduction.original_size} → {reduction.size} steps", "good"), f" ({certainty})")
    _print_rates(terminal, reduced.reproduction, figures)
    spent = f"{reduction.runs} runs, {reduction.events} events played, {clock(figures.seconds)}"
    terminal.line(spent if figures.steps is None else f"{spent}, {figures.steps} steps of the schedule")
    for each in figures.odd:
        terminal.line((f"Note: {each}. Look at that device.", "warn"))


def _print_rates(terminal: Terminal, check: Reproduction | None, figures: RepeatedFigures) -> None:
    if figures.is_always:
        terminal.line(
            f"The original did it in {figures.precheck.met} of {figures.precheck.runs} runs:"
            " it was reduced the deterministic way, one run per candidate."
        )
    else:
        terminal.line(f"The original did it in {rate_words(figures.precheck)}.")
    if check is not None:
        terminal.line("Reproduction rate: ", (rate_words(check), "bold"), f" ({_trust(figures)})")
    if figures.worlds is not None:
        verb = "crashes" if figures.is_crash else "does it"
        terminal.line(f"It {figures.worlds.words(verb)}.")
    if figures.worlds is not None and figures.worlds.is_flaky:
        terminal.line((f"Where it is certain: --world {figures.worlds.met[0]}", "dim"))
    if figures.cause is not None:
        terminal.line(("What makes it flaky: ", "bold"), printable(_cause_words(figures), 400))
    if figures.shorter is not None:
        events, rate = figures.shorter
        terminal.line(f"Fewer steps do it less often: {len(events)}, in {rate_words(rate)}.")


def _cause_words(figures: RepeatedFigures) -> str:
    assert figures.cause is not None
    return figures.cause.words("crashing" if figures.is_crash else "successful")


def _trust(figures: RepeatedFigures) -> str:
    wanted = f"at least {max(figures.needed - 0.05, figures.needed / 2):.0%}"
    return f"{wanted} with probability {cut(figures.rate_holds)}"


def first_crash(trace: Trace) -> Crash | None:
    """The first crash of a trace. After it there may be steps that other runs needed."""
    return next((step.crash for step in trace.steps if step.crash is not None), None)


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


def flaky_summary(reduced: Reduced, figures: RepeatedFigures) -> dict[str, Any]:
    """The result for a program."""
    reduction, worlds = reduced.reduction, figures.worlds
    return {
        "goal": words.goal(reduced.goal),
        "schedule": figures.schedule,
        "before": reduction.original_size,
        "after": reduction.size,
        "needed": figures.needed,
        "always": figures.is_always,
        "precheck": _rate_json(figures.precheck),
        "reproduction": _rate_json(reduced.reproduction),
        "rate_holds": round(figures.rate_holds, 4),
        "minimal": round(figures.minimal, 4),
        "runs": reduction.runs,
        "events": reduction.events,
        "schedule_steps": figures.steps,
        "seconds": round(figures.seconds, 1),
        "went_back": figures.went_back,
        "worlds": None if worlds is None else {"met": list(worlds.met), "missed": list(worlds.missed)},
        "cause": None if figures.cause is None else asdict(figures.cause),
        "shorter": None if figures.shorter is None else _shorter_json(*figures.shorter),
        "odd_devices": [{"device": odd.device, "runs": odd.runs, "expected": odd.expected} for odd in figures.odd],
        "stopped": None if reduced.stopped is None else str(reduced.stopped),
        "output": str(reduced.output),
        "steps": describe_steps(reduction.trace),
        "trace": [event_to_json(event) for event in reduction.trace.events],
        "crash": crash_json(first_crash(reduction.trace)),
        "stages": [
            {"name": stage.name, "size": stage.size, "runs": stage.runs, "events": stage.events}
            for stage in reduction.stages
        ],
        "findings": [crash_json(trace.crash) for trace in reduction.findings],
    }


def _shorter_json(events: tuple[Any, ...], rate: Reproduction) -> dict[str, Any]:
    return {"trace": [event_to_json(event) for event in events], "reproduction": _rate_json(rate)}

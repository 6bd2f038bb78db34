"""Adds to the error of an original that does not meet its goal: its rate in other worlds, and options to try."""

from __future__ import annotations

from collections.abc import Sequence

from fewtaps.errors import NotReproduced
from fewtaps.model.result import Reproduction
from fewtaps.model.trial import Trial
from fewtaps.pipeline.keeping import ReductionTask
from fewtaps.pipeline.news import OtherWorldsTried
from fewtaps.pipeline.replaying import count_met
from fewtaps.reducing.trials import odd_devices

CHECKED_WORLDS = 20
"""Most worlds in which an original that does not meet its goal is tried; at least three are."""

CHECKED_EVENTS = 20_000
"""Events to spend on that. An original that is longer is not tried in other worlds."""


def advise_other_worlds(error: NotReproduced, task: ReductionTask) -> NotReproduced:
    """The error after one run, with the rate over other worlds: the goal may be met in some of them."""
    if task.best.reduction is not None:
        return error
    trace = task.trace
    has_worlds = task.context.plan.has_worlds
    unit = "worlds" if has_worlds else "runs"
    if task.budget.exhausted is not None or len(trace.steps) > CHECKED_EVENTS:
        return NotReproduced(f"{error} (it was not tried in other {unit})", [*error.traces, trace])
    worlds = min(max(CHECKED_EVENTS // len(trace.steps), 3), CHECKED_WORLDS)
    others = [world for world in range(worlds) if world != trace.world][: worlds - 1]
    task.tell(OtherWorldsTried(len(others), has_worlds))
    rate, met = count_met(task.pool, trace.events, task.goal, others, task.job.aim)
    if not met:
        return NotReproduced(f"{error} (nor does it in {rate.runs} other {unit})", [*error.traces, trace])
    words = f"{error}. But it {flaky_words(Reproduction(rate.met, worlds), has_worlds)}"
    if has_worlds:
        words = f"{words}; --world {met[0]} is one of them"
    return NotReproduced(words, [*error.traces, trace])


def advise_lower_rate(
    error: NotReproduced, original: Sequence[Trial], made: Sequence[Sequence[Trial]]
) -> NotReproduced:
    """The error after repeated runs, with the options that ask for less, and the device that may be broken.

    `original` are the trials of the original, `made` those of all candidates that were made now.
    """
    blame = "".join(f". {each}" for each in odd_devices(made))
    advice = "; ask for less with --needed and --precheck" if any(trial.met for trial in original) else ""
    return NotReproduced(f"{error}{advice}{blame}", error.traces)


def flaky_words(rate: Reproduction, has_worlds: bool = True) -> str:
    """For steps that meet their goal in some worlds or runs only: the rate, and the command for such steps."""
    unit = "worlds" if has_worlds else "runs"
    return f"replays in {rate.met} of {rate.runs} {unit}: fewtaps reduce --flaky reduces it by its rate"

"""Ways into the middle of an app: an intent in the place of all that led to an activity.

Nobody taps an intent, so such a way never replaces the steps of a person. It is an extra for whoever looks for the
cause, with a debugger or a test.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from fewtaps.model.event import StartIntent
from fewtaps.model.trace import Step, Trace


@dataclass(frozen=True, slots=True)
class DirectStart:
    """A trace, not played yet, whose first event starts an activity; it stands for `replaced` events."""

    activity: str
    replaced: int
    trace: Trace


def direct_starts(trace: Trace, activities: Collection[str]) -> Iterator[DirectStart]:
    """Every way to begin in one of the activities that the trace comes to, the one that saves most first.

    One event that leads to an activity is as good as an intent: at least two have to be saved.
    """
    home = trace.steps[0].after.activity
    for place in range(len(trace.steps) - 2, 1, -1):
        activity = trace.steps[place].after.activity
        was_there = trace.steps[place - 1].after.activity == activity
        if activity is None or activity == home or was_there or activity not in activities:
            continue
        intent = StartIntent(component=f"{trace.app.package}/{activity}")
        rest = [Step(step.event) for step in trace.steps[place + 1 :]]
        yield DirectStart(activity, place, replace(trace, steps=(Step(trace.steps[0].event), Step(intent), *rest)))

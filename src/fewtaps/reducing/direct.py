"""Starts in the middle of an app: an intent in the place of all events that led to an activity.

A user cannot tap an intent, so such a trace never replaces the result. It is an extra for debuggers and tests.
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
    """A trace for each activity that the trace comes to and that can be started, the one that saves most events first.

    An intent is an event too, so that a start is yielded only if it replaces at least two.
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

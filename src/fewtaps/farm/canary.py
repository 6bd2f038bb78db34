"""The canary: a short trace that every slot plays before its first job of an app, compared with that of the others."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from fewtaps.device.capability import Capability
from fewtaps.device.jobs import Job, JobContext
from fewtaps.device.session import Session
from fewtaps.errors import BridgeError, DeviceLost, DeviceTimeout
from fewtaps.model.event import Event, Key, Tap
from fewtaps.model.screen import Screen
from fewtaps.model.trace import Step, Trace
from fewtaps.tracefile import trace_to_records

EVENTS = 4
"""Events after the launch."""

CanaryAccount: TypeAlias = list[dict[str, str]]
"""Of each step, short digests of what was observed, by the names of the trace format."""


@dataclass(frozen=True, slots=True)
class PlayCanary(Job[CanaryAccount]):
    """Launches the app in world 0 and taps some widgets; the account is empty on a device without worlds."""

    def run(self, session: Session, context: JobContext) -> CanaryAccount:
        """What was seen."""
        if Capability.WORLDS not in session.capabilities:
            return []
        try:
            steps = [session.launch(0)]
            while len(steps) <= EVENTS and not steps[-1].ending.is_final:
                steps.append(session.perform(next_event(steps[-1].after, len(steps))))
        except (DeviceLost, DeviceTimeout, BridgeError):
            # The job finds out by itself, and tells the run.
            return []
        return account_of(steps, session)


def next_event(screen: Screen, number: int) -> Event:
    """A tap on some widget that reacts to it, another one each time; Back where there is none."""
    targets = [located.widget for located in screen.iter_touchable() if located.widget.is_target]
    return Tap(*targets[number * 7 % len(targets)].bounds.centre) if targets else Key("BACK")


def account_of(steps: Sequence[Step], session: Session) -> CanaryAccount:
    """Digests of all that a trace file would hold."""
    profile = session.settings.profile
    trace = Trace(session.app.ref, tuple(steps), 0, profile.name, profile.screen)
    return [
        {
            name: hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]
            for name, value in each.items()
        }
        for each in trace_to_records(trace)
    ]


def canary_difference(first: CanaryAccount, seen: CanaryAccount) -> str:
    """The first step that differs, and in what; empty if none does. The first record is that of the device."""
    for number, (one, other) in enumerate(zip(first, seen, strict=False)):
        names = sorted(name for name in {*one, *other} if one.get(name) != other.get(name))
        if names:
            where = ("the device", "the launch")[number] if number < 2 else f"event {number - 1} after the launch"
            return f"{where} differs in {', '.join(names)}"
    if len(first) != len(seen):
        return f"it ended after {len(seen) - 1} steps and should end after {len(first) - 1}"
    return ""

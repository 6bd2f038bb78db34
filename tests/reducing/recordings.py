"""Recorded runs as little machines: the 36-event example of SimplyDroid, and the logs its authors published."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from builders import APP, crash, screen
from recordings import fronts_of

from fewtaps.model.ending import Ending
from fewtaps.model.event import Event, Launch, Tap, Wait
from fewtaps.model.goal import SameCrash
from fewtaps.model.screen import Screen
from fewtaps.model.trace import Step, Trace

THE_CRASH = crash("com.example.app.Main.onClick")
THE_GOAL = SameCrash(THE_CRASH.signature)


@cache
def shown(activity: str) -> Screen:
    """The empty screen of an activity."""
    return screen(activity=activity)


@dataclass(frozen=True)
class Recording:
    """The activity before each event after the launch; the last event crashes. Event numbers count the launch as 1."""

    activities: tuple[str, ...]

    @property
    def events(self) -> tuple[Event, ...]:
        """The launch, and a tap per event whose x is the event's number."""
        return (Launch(), *(Tap(number, 0) for number in range(2, len(self.activities) + 2)))

    def play(self, candidates: Sequence[tuple[Event, ...]]) -> list[Trace]:
        """An event does what it did when it was recorded if the app shows what it showed then; else nothing."""
        return [self.play_one(candidate) for candidate in candidates]

    def play_one(self, events: Sequence[Event]) -> Trace:
        activity = self.activities[0]
        steps = [Step(Launch(), after=shown(activity))]
        for event in events[1:]:
            if isinstance(event, Wait):
                steps.append(Step(event, after=shown(activity)))
                continue
            assert isinstance(event, Tap)
            place = event.x - 2
            if self.activities[place] == activity:
                if place == len(self.activities) - 1:
                    steps.append(Step(event, crash=THE_CRASH, ending=Ending.CRASHED))
                    break
                activity = self.activities[place + 1]
            steps.append(Step(event, after=shown(activity)))
        return Trace(APP, tuple(steps))

    @property
    def trace(self) -> Trace:
        """All of it, as it was recorded."""
        return self.play_one(self.events)


def numbers_of(trace: Trace) -> tuple[int, ...]:
    """The numbers of a trace's events, the launch being 1."""
    return (1, *(event.x for event in trace.events if isinstance(event, Tap)))


EXAMPLE = Recording(
    ("Explorer",)
    + 4 * ("Build",)
    + ("Explorer",)
    + 9 * ("Device",)
    + 2 * ("Explorer",)
    + 2 * ("Environment",)
    + 2 * ("Explorer",)
    + ("TimeZones",)
    + 13 * ("TimeZone",)
)
"""SimplyDroid's example (section II, Fig. 1), as its recording has it."""


def read_recording(folder: Path) -> Recording:
    """The activities of a published log: the one in front before each event of the script, the launch left out."""
    return Recording(fronts_of((folder / "execute.log").read_text("utf-8", "replace"))[1:])

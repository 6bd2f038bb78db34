"""Step and Trace: the events of one run and the observations after each."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from enum import Enum

from fewtaps.model.app import AppRef
from fewtaps.model.coverage import NO_COVERAGE, Coverage
from fewtaps.model.crash import Crash
from fewtaps.model.ending import Ending
from fewtaps.model.event import Event, Launch, event_to_json
from fewtaps.model.expectation import Expectation
from fewtaps.model.phone import Differences
from fewtaps.model.record import as_object
from fewtaps.model.screen import UNSEEN, Screen


class Aim(Enum):
    """How an event finds its widget when it is played. The values are kept in stores and never change."""

    SELECTOR = "selector"
    """At the widget that its selector describes, wherever the widget is on the screen at that time."""
    COORDINATES = "coordinates"
    """At the point of the screen that the event names."""


@dataclass(frozen=True, slots=True)
class Step:
    """One event and its complete observation, so that later stages need no device.

    `covered` is the code that ran in this step and in no earlier step of the run. `log` are the lines the app logged.
    `notes` are messages of the device about its own limits. `clock_ms` is the app's time since launch at the end of
    the step. `ran` is all code that ran in this step, recorded only in a session with `step_coverage`. `asked_world`
    says whether anything was drawn from the world's seed since the launch: a run that never asked is the same in every
    world. It is None where the device does not tell. `expect` is what a test of a suite expects after the step.
    """

    event: Event
    before: Screen = UNSEEN
    after: Screen = UNSEEN
    covered: Coverage = NO_COVERAGE
    log: tuple[str, ...] = ()
    crash: Crash | None = None
    ending: Ending = Ending.RUNNING
    notes: tuple[str, ...] = ()
    clock_ms: int = 0
    ran: Coverage = NO_COVERAGE
    asked_world: bool | None = None
    expect: Expectation | None = None


SESSION_SETTINGS: dict[str, tuple[str, ...]] = {
    "content": ("furnished", "empty"),
    "neighbours": ("present", "absent"),
    "network": ("offline", "faked", "online", "slow", "failing", "served"),
    "permissions": ("granted", "denied", "asked"),
}
"""The settings of a session that a trace carries, sorted, and their values. The first one is usual and not carried."""


def session_from_json(value: object) -> tuple[tuple[str, str], ...]:
    """The settings of a session in a JSON object, without the usual ones. Raises ValueError."""
    record = as_object("session", {} if value is None else value)
    for name, chosen in record.items():
        if name not in SESSION_SETTINGS:
            raise ValueError(f"session.{name:.60}: not one of {', '.join(SESSION_SETTINGS)}")
        if chosen not in SESSION_SETTINGS[name]:
            raise ValueError(f"session.{name}: not one of {', '.join(SESSION_SETTINGS[name])}: {chosen!r:.60}")
    return tuple(
        (name, record[name]) for name, values in SESSION_SETTINGS.items() if record.get(name, values[0]) != values[0]
    )


@dataclass(frozen=True, slots=True)
class Trace:
    """Steps from launch on, and the data needed to play them again: the app, the world, the device profile.

    `screen` is width, height and dpi of the screen they were played on, None if unknown. `session` are those of the
    `SESSION_SETTINGS` that were not the usual ones: name and value, sorted by name. The first event is always a
    `Launch`; a trace with other steps, or with none, raises ValueError.
    """

    app: AppRef
    steps: tuple[Step, ...]
    world: int = 0
    profile: str = "default"
    screen: tuple[int, int, int] | None = None
    session: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        if not self.steps or not isinstance(self.steps[0].event, Launch):
            raise ValueError("a trace starts with a launch")

    @property
    def events(self) -> tuple[Event, ...]:
        return tuple(step.event for step in self.steps)

    @property
    def phone(self) -> Differences:
        """The settings in which the phone that they were played on differed from an ordinary one."""
        launch = self.steps[0].event
        assert isinstance(launch, Launch)
        return launch.phone

    def on_phone(self, phone: Differences) -> Trace:
        """The same steps after a launch on this phone."""
        if phone == self.phone:
            return self
        return replace(self, steps=(replace(self.steps[0], event=Launch(phone)), *self.steps[1:]))

    @property
    def events_digest(self) -> str:
        """A hash of the events without the observations; the same in every process and on every machine."""
        events = json.dumps([event_to_json(event) for event in self.events])
        return hashlib.blake2b(events.encode(), digest_size=16).hexdigest()

    @property
    def ending(self) -> Ending:
        return self.steps[-1].ending

    @property
    def crash(self) -> Crash | None:
        """The crash of the last step, if it has one."""
        return self.steps[-1].crash

    @property
    def coverage(self) -> Coverage:
        """The union of the steps' coverage."""
        covered = NO_COVERAGE
        for step in self.steps:
            if step.covered:
                covered = covered | step.covered
        return covered

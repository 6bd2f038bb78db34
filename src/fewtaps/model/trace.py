"""Step and Trace: what was done and what was seen because of it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from enum import Enum

from fewtaps.model.app import AppRef
from fewtaps.model.coverage import NO_COVERAGE, Coverage
from fewtaps.model.crash import Crash
from fewtaps.model.event import Event, Launch, event_to_json
from fewtaps.model.screen import UNSEEN, Screen


class Ending(Enum):
    """How the app was after a step: still there, or gone in one of five ways."""

    RUNNING = "running"
    LEFT = "left"
    """In the background or finished; the device shows something else, and the app can come back."""
    CRASHED = "crashed"
    ANR = "anr"
    """The main thread did not answer."""
    EXITED = "exited"
    """It ended its own process."""
    LOST = "lost"
    """The device died under it, and nobody knows what the app did."""

    @property
    def is_final(self) -> bool:
        """Whether only a launch can follow."""
        return self not in (Ending.RUNNING, Ending.LEFT)


@dataclass(frozen=True, slots=True)
class Step:
    """One event and all that was seen because of it: a complete observation, so that nobody need ask the device again.

    `covered` is what this step reached first in its run, `log` the lines the app logged, `notes` what the device has
    to say of itself, `clock_ms` the app's time since launch when the step ended.
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

    def with_notes(self, *notes: str) -> Step:
        """The same step with more notes."""
        return replace(self, notes=self.notes + notes) if notes else self


@dataclass(frozen=True, slots=True)
class Trace:
    """Steps from launch on, and what is needed to play them again: the app, the world, the device profile.

    `screen` is width, height and dpi of the screen they were played on, None if unknown. The first event is always a
    `Launch`; a trace with other steps, or with none, raises ValueError.
    """

    app: AppRef
    steps: tuple[Step, ...]
    world: int = 0
    profile: str = "default"
    screen: tuple[int, int, int] | None = None

    def __post_init__(self) -> None:
        if not self.steps or not isinstance(self.steps[0].event, Launch):
            raise ValueError("a trace starts with a launch")

    @property
    def events(self) -> tuple[Event, ...]:
        """What was done, the launch first."""
        return tuple(step.event for step in self.steps)

    @property
    def events_digest(self) -> str:
        """A hash of what was done, whatever was seen; the same in every process and on every machine."""
        events = json.dumps([event_to_json(event) for event in self.events])
        return hashlib.blake2b(events.encode(), digest_size=16).hexdigest()

    @property
    def ending(self) -> Ending:
        """How the app was after the last step."""
        return self.steps[-1].ending

    @property
    def crash(self) -> Crash | None:
        """The crash of the last step, if it has one."""
        return self.steps[-1].crash

    @property
    def coverage(self) -> Coverage:
        """All that the trace reached."""
        covered = NO_COVERAGE
        for step in self.steps:
            if step.covered:
                covered = covered | step.covered
        return covered

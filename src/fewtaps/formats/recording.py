"""Recording: the result of an importer; Recorder, which collects it; and its conversion to a trace."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from fewtaps.formats.losses import Losses
from fewtaps.formats.screens import Measures, choose_profile
from fewtaps.formats.source import MAX_EVENTS, broken
from fewtaps.model.app import AppRef
from fewtaps.model.crash import Crash, CrashKind
from fewtaps.model.ending import Ending
from fewtaps.model.event import Event, Launch, StartIntent
from fewtaps.model.trace import Step, Trace


@dataclass(frozen=True, slots=True)
class Recording:
    """Steps from a launch on, with the app and the screen as far as the file names them.

    `losses` are lines about parts of the file that are not in the steps, and about assumptions. `profile` is the device
    profile that the file names.
    """

    package: str
    steps: tuple[Step, ...]
    screen: Measures | None = None
    digest: str = ""
    profile: str | None = None
    losses: tuple[str, ...] = ()


def recording_to_trace(
    recording: Recording, *, profile: str | None = None, package: str | None = None
) -> tuple[Trace, tuple[str, ...]]:
    """The recording as a trace for the given or the likeliest profile and app, and all losses."""
    choice = choose_profile(recording.steps, recording.screen, profile or recording.profile)
    losses = [*recording.losses, *choice.losses]
    app = package or recording.package
    if not app:
        losses.append("its app is not named, so the trace fits any; --package names it")
    trace = Trace(
        app=AppRef(app, digest="" if package and package != recording.package else recording.digest),
        steps=recording.steps,
        profile=choice.profile.name,
        screen=choice.screen,
    )
    return trace, tuple(losses)


def in_package(package: str, class_name: str) -> str:
    """The full name of a class that may be written with a leading dot."""
    return package + class_name if class_name.startswith(".") else class_name


@dataclass(slots=True)
class Recorder:
    """Collects events while a file is read; the steps start with a launch and end at the first crash."""

    path: Path
    package: str = ""
    losses: Losses = field(default_factory=lambda: Losses("line"))
    steps: list[Step] = field(default_factory=list)
    activity: str = ""
    is_over: bool = False
    _after_crash: int = 0
    _first_after: int = 0

    def start(self, package: str, activity: str, line: int) -> None:
        """Adds a start of the app: the first time as a `Launch`, later as the launcher's intent."""
        activity = in_package(package, activity)
        if not self.activity:
            if self.package and package != self.package:
                self.losses.add(line, f"starts another app, {package}: that cannot be said in a trace")
                return
            if self.steps:
                self.losses.add(line, "a trace begins with the launch; what was done before it is left out")
            self.steps = []
            self.package, self.activity = package, activity or package
            self.add(Launch(), line)
        elif package != self.package:
            self.losses.add(line, f"starts another app, {package}: that cannot be said in a trace")
        elif activity in ("", self.activity):
            self.add(Launch(), line)
        else:
            self.add(StartIntent(action="android.intent.action.MAIN", component=f"{package}/{activity}"), line)

    def add(self, event: Event, line: int) -> None:
        """Adds an event; after a crash it is only counted. Raises UsageError if there are too many."""
        if self.is_over:
            self._after_crash += 1
            self._first_after = self._first_after or line
            return
        if len(self.steps) >= MAX_EVENTS:
            raise broken(self.path, line, f"more than {MAX_EVENTS} events")
        self.steps.append(Step(event))

    def extend(self, events: Iterable[Event], line: int) -> None:
        for event in events:
            self.add(event, line)

    def crash(self, crash: Crash, line: int) -> None:
        """Adds a crash to the last event and ends the trace."""
        self.add_launch_if_missing(line)
        if not self.is_over:
            ending = Ending.ANR if crash.kind is CrashKind.ANR else Ending.CRASHED
            self.steps[-1] = replace(self.steps[-1], crash=crash, ending=ending)
            self.is_over = True

    def add_launch_if_missing(self, line: int) -> None:
        """Puts a launch in front of a recording that has none."""
        if not self.steps or not isinstance(self.steps[0].event, Launch):
            self.losses.add(line, "the recording does not start the app; a launch is put in front")
            self.steps.insert(0, Step(Launch()))

    def finish(self, line: int, **known: Measures | str | None) -> Recording:
        """The recording. Raises UsageError if nothing was recorded."""
        if not self.steps:
            raise broken(self.path, line, "nothing was recorded: no event in the file")
        self.add_launch_if_missing(1)
        if self._after_crash:
            what = f"a trace ends with its crash; {self._after_crash} events after it are left out"
            self.losses.add(self._first_after, what)
        return Recording(self.package, tuple(self.steps), losses=self.losses.lines(), **known)  # type: ignore[arg-type]

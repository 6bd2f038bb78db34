"""Recording: what an importer found, and how it becomes a trace."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from fewtaps.formats.losses import Losses
from fewtaps.formats.screens import Measures, choose_profile
from fewtaps.formats.source import MAX_EVENTS, broken
from fewtaps.model.app import AppRef
from fewtaps.model.crash import Crash, CrashKind
from fewtaps.model.event import Event, Launch, StartIntent
from fewtaps.model.trace import Ending, Step, Trace


@dataclass(frozen=True, slots=True)
class Recording:
    """Steps from a launch on, and what is known of app and screen.

    `losses` tell, a line each, what was in the file and is not in the steps, or was assumed. `profile` is the profile
    that the file itself names.
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
    """Gathers events while a file is read; sees to it that the steps start with a launch and end with a crash."""

    path: Path
    package: str = ""
    losses: Losses = field(default_factory=lambda: Losses("line"))
    steps: list[Step] = field(default_factory=list)
    activity: str = ""
    is_over: bool = False
    _after_crash: int = 0
    _first_after: int = 0

    def start(self, package: str, activity: str, line: int) -> None:
        """The app is started: the first time a launch, later as the launcher does it."""
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
        """One more event. Raises UsageError if there are too many."""
        if self.is_over:
            self._after_crash += 1
            self._first_after = self._first_after or line
            return
        if len(self.steps) >= MAX_EVENTS:
            raise broken(self.path, line, f"more than {MAX_EVENTS} events")
        self.steps.append(Step(event))

    def extend(self, events: Iterable[Event], line: int) -> None:
        """As `add`, for several."""
        for event in events:
            self.add(event, line)

    def crash(self, crash: Crash, line: int) -> None:
        """The app died of the last event; what follows is not part of the trace."""
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

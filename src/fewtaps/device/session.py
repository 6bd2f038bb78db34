"""The Device and Session protocols: all that a backend has to offer, and all that the rest of fewtaps may ask of one.

A device opens an app; a session is the app while it is open. After `launch()` there is one verb,
`perform(event) -> Step`. All that the app does, crash and hang included, is data in the step; an exception from
`fewtaps.errors` means that the device failed.

What only some backends have lies in protocols of its own: `TakesScreenshots`, `TellsProbes`, `RecordsExecution`,
`TellsDecisions`, `RunsMutants`, `RecordsInstructions`, `ReportsCoverage`, `TellsProbeHits`, `KeepsMoments`,
`InstrumentsApps`. A caller gets them from `screenshot_taker`, `probe_teller`, `execution_recorder`, `decision_teller`,
`mutant_runner`, `instruction_recorder`, `coverage_reporter`, `hit_teller`, `moment_keeper` and `app_instrumenter`,
which look at the capabilities.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, TypeAlias, cast

from fewtaps.device.capability import Capabilities as Capabilities
from fewtaps.device.capability import Capability as Capability
from fewtaps.model.app import App
from fewtaps.model.coverage import ProbeMap, ProbeSet
from fewtaps.model.decision import Decision
from fewtaps.model.event import Event
from fewtaps.model.mapping import ObfuscationMap
from fewtaps.model.mutant import LoopTurns, Mutant
from fewtaps.model.phone import ORDINARY, Differences
from fewtaps.model.profile import PROFILES, DeviceProfile
from fewtaps.model.run_record import RECORD_ALL, RecordWish, RunRecord
from fewtaps.model.served import ServedAnswer
from fewtaps.model.trace import SESSION_SETTINGS, Step

Permissions: TypeAlias = Literal["granted", "denied", "asked"]
Neighbours: TypeAlias = Literal["present", "absent"]
Content: TypeAlias = Literal["furnished", "empty"]
Network: TypeAlias = Literal["offline", "faked", "online", "slow", "failing", "served"]
CoverageScope: TypeAlias = Literal["app", "all", "off"]


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """How an app is opened. `api` is Android's API level, None for the one that suits the app.

    `served` is what servers answer if the network is `served`.
    `phone` are the settings in which the phone differs from an ordinary one, unless a launch names others.
    With `step_coverage` every step tells all code that ran in it (`Step.ran`), also code that ran in earlier steps.
    `think_ms` is the time a user takes after an event, `launch_ms` after a launch: so much of the app's time passes in
    such a step. With `names` crashes and the probe map have the names and lines of the sources, and the coverage of the
    app is that of the classes that are the app's own by these names.
    """

    world: int = 0
    profile: DeviceProfile = PROFILES["default"]
    api: int | None = None
    permissions: Permissions = "granted"
    neighbours: Neighbours = "present"
    content: Content = "furnished"
    phone: Differences = ORDINARY
    network: Network = "offline"
    served: tuple[ServedAnswer, ...] = ()
    coverage: CoverageScope = "app"
    step_coverage: bool = False
    think_ms: int = 500
    launch_ms: int = 3000
    names: ObfuscationMap | None = None


DEFAULT_SETTINGS = SessionSettings()


def unusual(settings: SessionSettings) -> tuple[tuple[str, str], ...]:
    """The settings that a trace of the session carries."""
    chosen = ((name, str(getattr(settings, name)), values[0]) for name, values in SESSION_SETTINGS.items())
    return tuple((name, value) for name, value, usual in chosen if value != usual)


@dataclass(frozen=True, slots=True)
class InstrumentedCode:
    """The files of an APK that change when probes are put in, by name, and the table of the probes.

    `methods` have probes, `skipped` could not be given any; `notes` say why, and what else is left out.
    """

    files: Mapping[str, bytes]
    table: bytes
    probes: int
    methods: int
    skipped: int
    notes: tuple[str, ...] = ()


class Session(Protocol):
    """A live app. Not for use by several threads at once."""

    @property
    def app(self) -> App:
        """The app that was opened."""
        ...

    @property
    def settings(self) -> SessionSettings:
        """The settings with which the session was opened."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """What this session can do."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What was found at opening that will not work as on a phone, one line each."""
        ...

    def launch(self, world: int = 0, phone: Differences | None = None) -> Step:
        """Starts the app in a fresh process with fresh data, in the given world; legal at any time.

        Nothing of the run before remains. The step's event is `Launch(phone)`, its screen before is `UNSEEN`, and its
        clock starts at 0. A session without worlds ignores the number. Until the next launch the phone differs from the
        ordinary one in the settings that `phone` names; None stands for those of the session's settings. Raises
        Unsupported for differences without `Capability.PHONES`.
        """
        ...

    def perform(self, event: Event) -> Step:
        """Makes the event happen and returns, once the app is quiet, what was seen.

        Raises UsageError before the first launch, after a step whose ending is final, and for a value that is no
        event. `Launch()` as an event is the user's tap on the icon of an app that may be in the background; it resets
        nothing.
        """
        ...

    def listening(self) -> frozenset[str]:
        """The broadcast actions for which running code of the app has registered a receiver.

        Those of the manifest are not among them. Empty after the run's end, and where the device cannot tell.
        """
        ...


class Device(Protocol):
    """A place where apps can run; serves many, one after the other."""

    @property
    def name(self) -> str:
        """The backend's name, as in the registry."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """What its sessions can do."""
        ...

    def open(self, app: App, settings: SessionSettings = DEFAULT_SETTINGS) -> AbstractContextManager[Session]:
        """A session of the app, closed with the `with` block. Raises UnsupportedApp if the app cannot run here."""
        ...

    def close(self) -> None:
        """Gives back everything the device holds; harmless if called twice."""
        ...


class TakesScreenshots(Protocol):
    """A session that takes pictures of the screen; there is one with `Capability.SCREENSHOTS`."""

    def screenshot(self) -> bytes:
        """The screen as a PNG. Raises UsageError before the first launch."""
        ...


class TellsProbes(Protocol):
    """A session that tells what the numbers in coverage mean; there is one with `Capability.COVERAGE`."""

    def probe_map(self) -> ProbeMap:
        """Every probe of the app, with its class, method and line."""
        ...


class RecordsExecution(Protocol):
    """A session that tells what was executed; there is one with `Capability.JACOCO`."""

    def execution_data(self) -> bytes:
        """What the app has executed since its launch, in JaCoCo's exec format; several in a row are such data again.

        Can be asked after the run's end too. Raises UsageError before the first launch, and DeviceLost if what was
        executed is lost.
        """
        ...


class TellsDecisions(Protocol):
    """A session that tells what its world decided; there is one with `Capability.DECISIONS`."""

    def decisions(self) -> tuple[Decision, ...]:
        """What the world decided since the launch, in the order of deciding; asking changes nothing.

        Can be asked after the run's end too. Empty before the first launch.
        """
        ...


class RunsMutants(Protocol):
    """A session that puts faults into the app; there is one with `Capability.MUTATIONS`."""

    def mutants(self, operators: Sequence[str] = ()) -> tuple[Mutant, ...]:
        """The faults that these operators can make in the measured classes, in the order of the code.

        Without operators, the standard ones. Code that a compiler added is left out. Nothing is launched.
        """
        ...

    def launch_mutant(
        self,
        mutant: Mutant | None,
        world: int = 0,
        *,
        phone: Differences | None = None,
        turns_limit: int | None = None,
    ) -> Step:
        """As `launch`, with this fault until the next launch; None for no fault.

        When the app's loops have made more than `turns_limit` jumps back, the run ends as a hang. Raises NotViable if
        the changed class cannot run.
        """
        ...

    def loop_turns(self) -> LoopTurns:
        """The jumps back of the app's loops since the launch. Raises DeviceLost if the process died with the app."""
        ...


class RecordsInstructions(Protocol):
    """A session that records what the app's code does; there is one with `Capability.RECORDING`."""

    def launch_recorded(
        self, world: int = 0, wish: RecordWish = RECORD_ALL, *, phone: Differences | None = None
    ) -> Step:
        """As `launch`, and records the run until the next launch.

        The steps are those of a run without a recording, but for coverage, which is not measured.
        """
        ...

    def record(self) -> RunRecord:
        """What was recorded since the launch, and the code that ran; can be asked after the run's end too.

        Raises UsageError if the run is not recorded, and DeviceLost if the process died with the app.
        """
        ...


class ReportsCoverage(Protocol):
    """A device that makes JaCoCo's reports; there is one with `Capability.JACOCO`."""

    def coverage_report(
        self,
        app: App,
        settings: SessionSettings,
        executions: Iterable[bytes],
        *,
        xml: Path | None = None,
        html: Path | None = None,
        sources: Sequence[Path] = (),
    ) -> tuple[str, ...]:
        """Writes JaCoCo's report on all that is in some execution data, whole or not at all; nothing is launched.

        `xml` becomes a file, `html` a folder of pages; an earlier report there is replaced. The pages show the source
        files found anywhere below the folders `sources`. Of the settings, `coverage` decides what is reported on.
        Returns notes for the user, one line each: data of another build of the app, sources that were not found. May
        end the runs of this device's sessions: they have to launch again. Raises UsageError for data that are not
        JaCoCo's and for targets that cannot be written.
        """
        ...


class TellsProbeHits(Protocol):
    """A session that tells what the probes of an instrumented app counted; there is one with `INSTRUMENTING`."""

    def probe_hits(self) -> ProbeSet:
        """The probes that were hit since the launch; can be asked after the run's end too.

        Raises Unsupported if the app is not instrumented.
        """
        ...


class KeepsMoments(Protocol):
    """A session that goes back to moments of earlier runs; there is one with `Capability.MOMENTS`."""

    def save_moment(self, way: tuple[Event, ...], steps: tuple[Step, ...]) -> None:
        """Keeps the present moment, to which these events led from launch on, with their steps; it may be forgotten."""
        ...

    def load_moment(self, way: tuple[Event, ...]) -> tuple[Step, ...] | None:
        """Goes to the moment at the end of a way, as if it had been played; its steps from launch on.

        None if the moment is not kept, or is not what it was: then the app has to be launched.
        """
        ...


class InstrumentsApps(Protocol):
    """A device that puts probes into apps; there is one with `Capability.INSTRUMENTING`."""

    def instrument(self, app: App, settings: SessionSettings) -> InstrumentedCode:
        """The app's code with probes; nothing is launched. Of the settings, `coverage` decides what is measured.

        May end the runs of this device's sessions: they have to launch again.
        """
        ...


def screenshot_taker(session: Session) -> TakesScreenshots | None:
    """The session as one that takes pictures; None without the capability."""
    return cast("TakesScreenshots", session) if Capability.SCREENSHOTS in session.capabilities else None


def probe_teller(session: Session) -> TellsProbes | None:
    """The session as one that tells what coverage means; None without the capability."""
    return cast("TellsProbes", session) if Capability.COVERAGE in session.capabilities else None


def execution_recorder(session: Session) -> RecordsExecution | None:
    """The session as one that tells what was executed; None without the capability."""
    return cast("RecordsExecution", session) if Capability.JACOCO in session.capabilities else None


def decision_teller(session: Session) -> TellsDecisions | None:
    """The session as one that tells what its world decided; None without the capability."""
    return cast("TellsDecisions", session) if Capability.DECISIONS in session.capabilities else None


def mutant_runner(session: Session) -> RunsMutants | None:
    """The session as one that puts faults into the app; None without the capability."""
    return cast("RunsMutants", session) if Capability.MUTATIONS in session.capabilities else None


def instruction_recorder(session: Session) -> RecordsInstructions | None:
    """The session as one that records what the app's code does; None without the capability."""
    return cast("RecordsInstructions", session) if Capability.RECORDING in session.capabilities else None


def coverage_reporter(device: Device) -> ReportsCoverage | None:
    """The device as one that makes JaCoCo's reports; None without the capability."""
    return cast("ReportsCoverage", device) if Capability.JACOCO in device.capabilities else None


def hit_teller(session: Session) -> TellsProbeHits | None:
    """The session as one that tells which probes were hit; None without the capability."""
    return cast("TellsProbeHits", session) if Capability.INSTRUMENTING in session.capabilities else None


def moment_keeper(session: Session) -> KeepsMoments | None:
    """The session as one that keeps moments; None without the capability."""
    return cast("KeepsMoments", session) if Capability.MOMENTS in session.capabilities else None


def app_instrumenter(device: Device) -> InstrumentsApps | None:
    """The device as one that puts probes into apps; None without the capability."""
    return cast("InstrumentsApps", device) if Capability.INSTRUMENTING in device.capabilities else None


def world_for(session: Session, world: int) -> int:
    """The world to launch in: the given one, or 0 on a device without worlds.

    All launches of known events and of explorations ask here. Without worlds, runs that are meant for several worlds
    are repeated runs: each is launched alike, and their traces name world 0.
    """
    return world if Capability.WORLDS in session.capabilities else 0

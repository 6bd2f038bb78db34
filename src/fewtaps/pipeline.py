"""One function per stage, wiring devices, files and values; the file to read first."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from fewtaps.config import DeviceSettings, PlaySettings
from fewtaps.device import registry
from fewtaps.device.session import Capability, Device, Session, SessionSettings
from fewtaps.errors import DeviceUnavailable, UnsupportedApp, UsageError
from fewtaps.model.app import App
from fewtaps.model.coverage import Coverage, ProbeTotals
from fewtaps.model.crash import Crash
from fewtaps.model.profile import PROFILES, DeviceProfile
from fewtaps.model.result import Reproduction
from fewtaps.model.trace import Step, Trace
from fewtaps.replay import Aim, play, play_to_count
from fewtaps.tracefile import read_trace, write_trace

if TYPE_CHECKING:
    from fewtaps.apk.reader import Inspection

SIMULATED = "sim:"
VERSION_TIMEOUT_SECONDS = 20

Progress = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]
"""Called with the name and size of a file to fetch; its context gives a function that is told of bytes received."""

OnStep = Callable[[int, int, Step], None]
"""Told of each step as it happens: the world, the step's number from 0, and the step."""


@dataclass(frozen=True, slots=True)
class Description:
    """An app and what the twin can do with it: `obstacles` stop it, `notes` say what will be missing.

    `api` is the API level the twin would choose for it, None if it has none that fits.
    """

    app: App
    obstacles: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    class_count: int = 0
    file_bytes: int = 0
    api: int | None = None

    @property
    def is_simulated(self) -> bool:
        """Whether it is a Python program rather than an APK."""
        return self.app.path.startswith("simulated:")

    @property
    def runs(self) -> bool:
        """Whether the twin can bring it up."""
        return not self.obstacles


@dataclass(frozen=True, slots=True)
class OpenedApp:
    """A live app: its session, and the profile it runs with."""

    app: App
    session: Session
    profile: DeviceProfile


@dataclass(frozen=True, slots=True)
class Play:
    """One play of a trace in one world; `planned` is how many events the trace has, the launch included."""

    world: int
    trace: Trace
    planned: int

    @property
    def crash(self) -> Crash | None:
        """The first crash of the play."""
        return next((step.crash for step in self.trace.steps if step.crash is not None), None)


@dataclass(frozen=True, slots=True)
class PlayReport:
    """All plays of one trace. `wanted` is the crash to reproduce: the one the trace remembers, else the commonest."""

    app: App
    plays: tuple[Play, ...]
    remembered: Crash | None
    wanted: Crash | None
    reproduction: Reproduction
    coverage: Coverage
    totals: ProbeTotals | None
    notes: tuple[str, ...]


def describe_app(name: str) -> Description:
    """Reads an app without running it."""
    if name.startswith(SIMULATED):
        return Description(simulated_app(name))
    from fewtaps.device.twin.device import choose_api

    inspection = _inspect(name)
    obstacles = list(inspection.limits.obstacles)
    api = None
    try:
        api = choose_api(inspection.app, SessionSettings())
    except UnsupportedApp as error:
        obstacles.append(str(error))
    return Description(
        app=inspection.app,
        obstacles=tuple(obstacles),
        api=api,
        notes=inspection.limits.notes,
        class_count=inspection.class_count,
        file_bytes=inspection.file_bytes,
    )


@contextmanager
def open_app(
    name: str, settings: DeviceSettings, *, trace: Trace | None = None, progress: Progress | None = None
) -> Iterator[OpenedApp]:
    """Reads an app, opens a device, and opens the app on it; all is closed again at the end.

    With a trace to be played, the phone is the one of the trace unless the settings name another, and a trace of
    another app is refused. Raises `UnsupportedApp` if it is known beforehand that nothing can come up.
    """
    if settings.profile is None and trace is not None:
        profile = _profile(trace.profile, "the trace's profile")
    else:
        profile = _profile(settings.profile or "default", "--profile")
    backend = settings.backend or ("simulated" if name.startswith(SIMULATED) else "twin")
    app = _app_for(backend, name, settings)
    if trace is not None:
        _require_same_app(trace, app)
    session_settings = SessionSettings(
        profile=profile,
        api=settings.api,
        permissions=settings.permissions,  # type: ignore[arg-type]
        neighbours=settings.neighbours,  # type: ignore[arg-type]
        network=settings.network,  # type: ignore[arg-type]
        coverage=settings.coverage,  # type: ignore[arg-type]
    )
    with open_device(backend, settings, progress) as device, device.open(app, session_settings) as session:
        yield OpenedApp(app, session, profile)


def open_device(
    backend: str, settings: DeviceSettings, progress: Progress | None = None
) -> AbstractContextManager[Device]:
    """A device by name, closed at the end of the `with` block; `progress` shows downloads."""
    options = {"jail": settings.jail, "progress": progress} if backend == "twin" else {}
    return registry.open_device(backend, **options)


def play_file(
    name: str, path: Path, settings: PlaySettings, on_step: OnStep | None = None, progress: Progress | None = None
) -> PlayReport:
    """Plays the trace in a file; see `play_trace`."""
    return play_trace(name, read_trace(path), settings, on_step, progress)


def save_trace(path: Path, trace: Trace) -> None:
    """Writes a trace with all that was seen, whole or not at all."""
    write_trace(path, trace)


def play_trace(
    name: str, trace: Trace, settings: PlaySettings, on_step: OnStep | None = None, progress: Progress | None = None
) -> PlayReport:
    """Plays a trace in one world or several and says what happened, and how often."""
    folder = _screenshot_folder(settings.screenshots)
    if settings.jacoco is not None and not settings.jacoco.parent.is_dir():
        raise UsageError(f"{settings.jacoco}: there is no folder {settings.jacoco.parent}")
    with open_app(name, settings.device, trace=trace, progress=progress) as opened:
        first = trace.world if settings.world is None else settings.world
        plays = tuple(
            _play_once(opened, trace, world, settings, folder, on_step)
            for world in range(first, first + settings.worlds)
        )
        totals = _totals(opened.session, settings)
        if settings.jacoco is not None:
            write_jacoco(opened.session, settings.jacoco)
        notes = (*opened.session.notes, *_differences(trace, opened.app))
    remembered = next((step.crash for step in trace.steps if step.crash is not None), None)
    wanted = remembered or _commonest(plays)
    coverage = Coverage()
    for each in plays:
        coverage = coverage | each.trace.coverage
    reproduced = sum(is_same_crash(each.crash, wanted) for each in plays)
    return PlayReport(
        opened.app, plays, remembered, wanted, Reproduction(reproduced, len(plays)), coverage, totals, notes
    )


def is_same_crash(crash: Crash | None, wanted: Crash | None) -> bool:
    """Whether both are there and have one signature."""
    return crash is not None and wanted is not None and crash.signature == wanted.signature


def write_jacoco(session: Session, path: Path) -> None:
    """Writes `jacoco.xml`, whole or not at all."""
    try:
        session.write_jacoco(path)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror or error})") from error


def simulated_app(name: str) -> App:
    """The simulated app behind `sim:NAME`, NAME being its package or the last part of it."""
    from fewtaps.device.simulated.device import SimulatedDevice

    wanted = name.removeprefix(SIMULATED)
    apps = SimulatedDevice().apps
    for app in apps:
        if wanted in (app.package, app.package.rpartition(".")[2]):
            return app
    known = ", ".join(sorted(app.package.rpartition(".")[2] for app in apps))
    raise UsageError(f"{name}: no such simulated app; there are: {known}")


def _inspect(name: str) -> Inspection:
    from fewtaps.apk.reader import inspect_apk

    return inspect_apk(Path(name))


def _app_for(backend: str, name: str, settings: DeviceSettings) -> App:
    if name.startswith(SIMULATED):
        if backend != "simulated":
            raise UsageError(f"{name}: a simulated app runs on --device simulated only")
        return simulated_app(name)
    if backend == "simulated":
        raise UsageError(f"{name}: --device simulated runs sim:NAME apps only, not APK files")
    inspection = _inspect(name)
    if backend == "twin" and not settings.anyway:
        from fewtaps.apk.reader import require_runnable

        require_runnable(inspection)
    return inspection.app


def _profile(name: str, origin: str) -> DeviceProfile:
    if name not in PROFILES:
        raise UsageError(f"{origin}: '{name}' is none of {', '.join(PROFILES)}")
    return PROFILES[name]


def _require_same_app(trace: Trace, app: App) -> None:
    if trace.app.package and trace.app.package != app.package:
        raise UsageError(f"the trace is for {trace.app.package}, the app is {app.package}")


def _differences(trace: Trace, app: App) -> tuple[str, ...]:
    if trace.app.version and trace.app.version != app.version:
        return (f"the trace was made with version {trace.app.version}, this is {app.version}",)
    if trace.app.digest and trace.app.digest != app.digest:
        return ("the trace was made with another build of this version",)
    return ()


def _screenshot_folder(folder: Path | None) -> Path | None:
    if folder is None:
        return None
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be made ({error.strerror or error})") from error
    return folder


def _play_once(
    opened: OpenedApp, trace: Trace, world: int, settings: PlaySettings, folder: Path | None, on_step: OnStep | None
) -> Play:
    def seen(number: int, step: Step) -> None:
        if folder is not None and not step.ending.is_final:
            place = folder if settings.worlds == 1 else folder / f"world-{world}"
            save_screenshot(opened.session, place / f"{number:03}.png")
        if on_step is not None:
            on_step(world, number, step)

    aim: Aim = "coordinates" if settings.by == "coordinates" else "selector"
    player = play_to_count if settings.worlds > 1 else play
    played = player(opened.session, trace.events, by=aim, world=world, on_step=seen)
    return Play(world, played, len(trace.events))


def save_screenshot(session: Session, path: Path) -> None:
    """Writes a PNG of the screen, whole or not at all."""
    picture = session.screenshot()
    part = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(picture)
        part.replace(path)
    except OSError as error:
        with suppress(OSError):
            part.unlink()
        raise UsageError(f"{path}: cannot be written ({error.strerror or error})") from error


def _totals(session: Session, settings: PlaySettings) -> ProbeTotals | None:
    if settings.device.coverage == "off" or Capability.COVERAGE not in session.capabilities:
        return None
    return session.probe_map().totals


def _commonest(plays: tuple[Play, ...]) -> Crash | None:
    seen = [each.crash for each in plays if each.crash is not None]
    if not seen:
        return None
    commonest = Counter(crash.signature for crash in seen).most_common(1)[0][0]
    return next(crash for crash in seen if crash.signature == commonest)


class Health(Enum):
    """What a check of the machine found."""

    GOOD = "good"
    LATER = "later"
    """Not there yet; fetched or made when first needed."""
    OPTIONAL = "optional"
    """Not there, and only some commands miss it."""
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing the machine should have: what was found, and what to do about it."""

    name: str
    health: Health
    found: str
    advice: str = ""


def diagnose() -> Iterator[Check]:
    """Looks at the machine, one check at a time; changes nothing and downloads nothing."""
    yield _check_java()
    yield _check_jars()
    yield _check_bridge()
    yield _check_jail()
    yield _check_adb()


def _check_java() -> Check:
    from fewtaps.device.twin.runtime import find_java

    try:
        java = find_java()
    except DeviceUnavailable as error:
        return Check("Java", Health.BAD, "not found", str(error))
    return Check("Java", Health.GOOD, f"{java.version} (from {java.origin}), {java.home}")


def _check_jars() -> Check:
    from fewtaps.device.twin.jars import JarStore
    from fewtaps.device.twin.runtime import DEFAULT_API

    store = JarStore()
    roles = ("run", "app", f"android-{DEFAULT_API}")
    wanted, missing = store.of_role(*roles), store.missing(*roles)
    if not missing:
        return Check("jars", Health.GOOD, f"all {len(wanted)} in {store.folder}")
    megabytes = sum(artifact.size for artifact in missing) / 1e6
    found = f"{len(wanted) - len(missing)} of {len(wanted)} in {store.folder}"
    advice = (
        f"{megabytes:.0f} MB are downloaded when the twin first starts; without network put {missing[0].download_name}"
    )
    more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
    return Check("jars", Health.LATER, found, f"{advice}{more} there")


def _check_bridge() -> Check:
    from fewtaps.device.twin import runtime
    from fewtaps.device.twin.jars import cache_dir

    carried = Path(runtime.__file__).with_name("bridge.jar")
    if carried.is_file():
        return Check("bridge", Health.GOOD, f"compiled, {carried}")
    compiled = sorted((cache_dir() / "bridge").glob("bridge-*.jar"), key=lambda jar: jar.stat().st_mtime)
    if compiled:
        return Check("bridge", Health.GOOD, f"compiled, {compiled[-1]}", "compiled again whenever its sources change")
    return Check("bridge", Health.LATER, "not compiled yet", "done in some seconds when the twin first starts")


def _check_jail() -> Check:
    from fewtaps.device.twin.jail import jail_problem

    problem = jail_problem()
    if problem is not None:
        return Check("jail", Health.BAD, "none", problem)
    return Check("jail", Health.GOOD, _first_line("bwrap", "--version") or "bubblewrap works")


def _check_adb() -> Check:
    version = _first_line("adb", "version")
    if version is None:
        return Check(
            "adb", Health.OPTIONAL, "not found", "only --device adb needs it: install Android's platform-tools"
        )
    return Check("adb", Health.GOOD, version)


def _first_line(program: str, argument: str) -> str | None:
    path = shutil.which(program)
    if path is None:
        return None
    try:
        done = subprocess.run([path, argument], capture_output=True, text=True, timeout=VERSION_TIMEOUT_SECONDS)
    except (OSError, subprocess.SubprocessError):
        return None
    return next(iter(done.stdout.strip().splitlines()), None) if done.returncode == 0 else None

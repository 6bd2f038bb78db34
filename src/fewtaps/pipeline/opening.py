"""Reads an app, chooses a device and opens the one on the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fewtaps.config import DeviceSettings
from fewtaps.device import registry
from fewtaps.device.session import Device, Session, SessionSettings
from fewtaps.errors import UnsupportedApp, UsageError
from fewtaps.files import write_whole
from fewtaps.model.app import App
from fewtaps.model.profile import PROFILES, DeviceProfile
from fewtaps.model.trace import Trace

if TYPE_CHECKING:
    from fewtaps.apk.reader import Inspection

SIMULATED = "sim:"

OnDownload = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]
"""Called with the name and size of a file to fetch; its context gives a function that is told of bytes received."""


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
    """A live app: its session, the profile it runs with, and the device."""

    app: App
    session: Session
    profile: DeviceProfile
    device: Device


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


@dataclass(frozen=True, slots=True)
class Plan:
    """An app that was read, and on what and how it is to be opened; any number of devices can open it."""

    app: App
    device: DeviceSettings
    backend: str
    session: SessionSettings


def plan_app(name: str, settings: DeviceSettings, *, trace: Trace | None = None) -> Plan:
    """Reads an app and decides where it will run.

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
        require_same_app(trace, app)
    session = SessionSettings(
        profile=profile,
        api=settings.api,
        permissions=settings.permissions,  # type: ignore[arg-type]
        neighbours=settings.neighbours,  # type: ignore[arg-type]
        network=settings.network,  # type: ignore[arg-type]
        coverage=settings.coverage,  # type: ignore[arg-type]
    )
    return Plan(app, settings, backend, session)


@contextmanager
def open_session(plan: Plan, progress: OnDownload | None = None) -> Iterator[Session]:
    """Opens a device of its own and the app on it; both are closed again at the end."""
    with open_device(plan.backend, plan.device, progress) as device, device.open(plan.app, plan.session) as session:
        yield session


@contextmanager
def open_app(
    name: str, settings: DeviceSettings, *, trace: Trace | None = None, progress: OnDownload | None = None
) -> Iterator[OpenedApp]:
    """Reads an app, opens a device, and opens the app on it; all is closed again at the end. Raises as `plan_app`."""
    plan = plan_app(name, settings, trace=trace)
    with open_device(plan.backend, plan.device, progress) as device, device.open(plan.app, plan.session) as session:
        yield OpenedApp(plan.app, session, plan.session.profile, device)


def open_device(
    backend: str, settings: DeviceSettings, progress: OnDownload | None = None
) -> AbstractContextManager[Device]:
    """A device by name, closed at the end of the `with` block; `progress` shows downloads."""
    options = {"jail": settings.jail, "progress": progress} if backend == "twin" else {}
    return registry.open_device(backend, **options)


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


def save_screenshot(session: Session, path: Path) -> None:
    """Writes a PNG of the screen, whole or not at all."""
    picture = session.screenshot()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror or error})") from error
    write_whole(path, picture)


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


def require_same_app(trace: Trace, app: App) -> None:
    """Raises UsageError for a trace of another app."""
    if trace.app.package and trace.app.package != app.package:
        raise UsageError(f"the trace is for {trace.app.package}, the app is {app.package}")

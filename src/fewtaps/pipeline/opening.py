"""Reads an app, chooses a device and opens the one on the other."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from fewtaps.apk.pieces import assemble, comes_in_pieces
from fewtaps.budget import CutOff
from fewtaps.config import DeviceSettings
from fewtaps.device import registry
from fewtaps.device.backend import Backend, Description
from fewtaps.device.backend import OnDownload as OnDownload
from fewtaps.device.registry import device_for, owner_of, parse_device
from fewtaps.device.session import (
    Capabilities,
    Capability,
    Device,
    Session,
    SessionSettings,
    screenshot_taker,
    world_for,
)
from fewtaps.errors import Unsupported, UsageError
from fewtaps.files import write_whole
from fewtaps.formats.har import read_har
from fewtaps.formats.openapi import read_openapi
from fewtaps.model.app import App
from fewtaps.model.phone import ORDINARY, phone_from_text, require_api
from fewtaps.model.profile import PROFILES, DeviceProfile
from fewtaps.model.served import ServedAnswer
from fewtaps.model.trace import Trace
from fewtaps.pipeline.mapping_files import mapping_of
from fewtaps.store.rows import RunRow

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class OpenedApp:
    """A live app: its session, the profile it runs with, and the device."""

    app: App
    session: Session
    profile: DeviceProfile
    device: Device

    def choose_world(self, world: int) -> int:
        """The world to launch in. Raises UsageError for any but 0 on a device without worlds."""
        require_worlds(self.session.capabilities, world or None)
        return world_for(self.session, world)


def describe_app(name: str) -> Description:
    """Reads an app without running it; one in pieces as the default phone would get it."""
    name = whole_app(name, PROFILES["default"])
    return device_for(name).backend.describe(name)


def whole_app(name: str, profile: DeviceProfile) -> str:
    """The name of the app in one file, which is made of the pieces that fit the phone if the app comes in pieces."""
    if owner_of(name) is None and comes_in_pieces(name):
        return str(assemble(name, profile))
    return name


@dataclass(frozen=True, slots=True)
class Plan:
    """An app that was read, and on what and how it is to be opened; any number of devices can open it.

    `backend` names the device as `--device` does, with its argument if there is one.
    """

    app: App
    device: DeviceSettings
    backend: str
    session: SessionSettings

    @property
    def capabilities(self) -> Capabilities:
        """What a session of this plan can do, as far as the backend alone decides it."""
        return parse_device(self.backend).backend.capabilities

    @property
    def has_worlds(self) -> bool:
        """Whether a world can be chosen; if not, runs can only be repeated."""
        return Capability.WORLDS in self.capabilities


def plan_app(name: str, settings: DeviceSettings, *, trace: Trace | None = None) -> Plan:
    """Reads an app and decides where it will run.

    With a trace to be played, the phone is the one of the trace unless the settings name another, and a trace of
    another app is refused. Raises `UnsupportedApp` if it is known beforehand that nothing can come up.
    """
    if settings.profile is None and trace is not None:
        profile = _profile(trace.profile, "the trace's profile")
    else:
        profile = _profile(settings.profile or "default", "--profile")
    name = whole_app(name, profile)
    choice = device_for(name, settings.backend)
    app = choice.backend.read_app(name, settings.anyway)
    if trace is not None:
        require_same_app(trace, app)
    settings = _as_in(trace, settings) if trace is not None else settings
    phone = phone_from_text(settings.phone) or (trace.phone if trace is not None else ORDINARY)
    if settings.api is not None:
        try:
            require_api(phone, settings.api)
        except ValueError as error:
            raise UsageError(f"--api {settings.api}: {error}") from error
    served = _served(settings.network)
    session = SessionSettings(
        profile=profile,
        api=settings.api,
        permissions=settings.permissions,  # type: ignore[arg-type]
        neighbours=settings.neighbours,  # type: ignore[arg-type]
        content=settings.content,  # type: ignore[arg-type]
        phone=phone_from_text(settings.phone),
        network="served" if served else settings.network,  # type: ignore[arg-type]
        served=served,
        coverage=settings.coverage,  # type: ignore[arg-type]
        names=mapping_of(app, settings.mapping),
    )
    for option in ignored_options(choice.backend, settings):
        log.info("--device %s does not take the setting %s and ignores it", choice.backend.name, option)
    return Plan(app, settings, settings.backend or choice.backend.name, session)


def _as_in(trace: Trace, settings: DeviceSettings) -> DeviceSettings:
    """The settings with those of the session in which the trace was played, where they name no others."""
    usual = DeviceSettings()
    taken = {name: value for name, value in trace.session if getattr(settings, name) == getattr(usual, name)}
    if taken.get("network") == "served":
        raise UsageError("the trace was played with the answers of a file: --network har:FILE or openapi:FILE names it")
    return replace(settings, **taken) if taken else settings  # type: ignore[arg-type]


def ignored_options(backend: Backend, settings: DeviceSettings) -> tuple[str, ...]:
    """The settings that differ from their defaults and have no effect on this backend."""
    usual = DeviceSettings(backend=settings.backend, farm=settings.farm)
    chosen = (each.name for each in fields(settings) if getattr(settings, each.name) != getattr(usual, each.name))
    return tuple(name for name in chosen if name not in backend.options)


def require_worlds(capabilities: Capabilities, world: int | None) -> None:
    """Raises UsageError if a world was asked for on a device that has none."""
    if world is not None and Capability.WORLDS not in capabilities:
        raise UsageError(f"--world {world}: this device has no worlds to choose from; leave the option out")


def had_worlds(run: RunRow) -> bool:
    """Whether the device of a run that is kept has worlds. One without worlds is used only if it is named."""
    named = run.settings.get("device", {}).get("backend")
    try:
        return named is None or Capability.WORLDS in parse_device(named).backend.capabilities
    except UsageError:
        # A backend that this version does not know.
        return True


@contextmanager
def open_session(plan: Plan, progress: OnDownload | None = None, cut_off: CutOff | None = None) -> Iterator[Session]:
    """Opens a device of its own and the app on it; both are closed again at the end."""
    with (
        open_configured_device(plan.backend, plan.device, progress, cut_off) as device,
        device.open(plan.app, plan.session) as session,
    ):
        yield session


@contextmanager
def open_app(
    name: str, settings: DeviceSettings, *, trace: Trace | None = None, progress: OnDownload | None = None
) -> Iterator[OpenedApp]:
    """Reads an app, opens a device, and opens the app on it; all is closed again at the end. Raises as `plan_app`."""
    plan = plan_app(name, settings, trace=trace)
    with (
        open_configured_device(plan.backend, plan.device, progress) as device,
        device.open(plan.app, plan.session) as session,
    ):
        yield OpenedApp(plan.app, session, plan.session.profile, device)


def open_configured_device(
    device: str, settings: DeviceSettings, progress: OnDownload | None = None, cut_off: CutOff | None = None
) -> AbstractContextManager[Device]:
    """A device by name, closed at the end of the `with` block; `progress` shows downloads.

    After the moment of `cut_off` it is not waited for, if its waits may be long.
    """
    backend = parse_device(device).backend
    of_device = {"jail": settings.jail, "reinstall": settings.reinstall}
    options: dict[str, Any] = {name: value for name, value in of_device.items() if name in backend.options}
    if backend.downloads:
        options["progress"] = progress
    if backend.can_be_cut_off and cut_off is not None:
        options["cut_off"] = cut_off
    return registry.open_device(device, **options)


def save_screenshot(session: Session, path: Path) -> None:
    """Writes a PNG of the screen, whole or not at all. Raises Unsupported without the capability."""
    taker = screenshot_taker(session)
    if taker is None:
        raise Unsupported("this device takes no screenshots")
    picture = taker.screenshot()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror or error})") from error
    write_whole(path, picture)


def _served(network: str) -> tuple[ServedAnswer, ...]:
    """What the file of `--network har:FILE` or `openapi:FILE` says. Raises UsageError if it cannot be used."""
    kind, colon, file = network.partition(":")
    if not colon:
        return ()
    return read_har(Path(file)) if kind == "har" else read_openapi(Path(file))


def _profile(name: str, origin: str) -> DeviceProfile:
    if name not in PROFILES:
        raise UsageError(f"{origin}: '{name}' is none of {', '.join(PROFILES)}")
    return PROFILES[name]


def require_same_app(trace: Trace, app: App) -> None:
    """Raises UsageError for a trace of another app."""
    if trace.app.package and trace.app.package != app.package:
        raise UsageError(f"the trace is for {trace.app.package}, the app is {app.package}")

"""The entry of the embedded Android, and what it needs of the machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fewtaps.device.backend import Backend, Description, Health, HealthCheck, first_line
from fewtaps.device.capability import Capability
from fewtaps.errors import DeviceUnavailable, UnsupportedApp
from fewtaps.model.app import App

if TYPE_CHECKING:
    from fewtaps.apk.reader import Inspection
    from fewtaps.device.session import Device


def _usual_api(app: App) -> int | None:
    from fewtaps.device.session import SessionSettings
    from fewtaps.device.twin.device import choose_api

    return choose_api(app, SessionSettings())


def _describe(name: str) -> Description:
    from fewtaps.apk.reader import inspect_apk

    inspection = inspect_apk(Path(name))
    obstacles = list(inspection.limits.obstacles)
    api = None
    try:
        api = _usual_api(inspection.app)
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


def _read_app(name: str, anyway: bool) -> App:
    from fewtaps.apk.reader import inspect_apk

    inspection = inspect_apk(Path(name))
    if not anyway:
        require_runnable(inspection)
    return inspection.app


def require_runnable(inspection: Inspection) -> None:
    """Raises `UnsupportedApp` with the first reason for which nothing of the app can come up."""
    for obstacle in inspection.limits.obstacles:
        raise UnsupportedApp(f"{inspection.app.path}: the twin cannot run {inspection.app.package}: {obstacle}")


def _make(argument: str = "", **options: Any) -> Device:
    from fewtaps.device.twin.device import TwinDevice

    return TwinDevice(**options)


def check_machine() -> Iterator[HealthCheck]:
    """Java, the jars, the compiled bridge and the jail, one at a time."""
    yield _check_java()
    yield _check_jars()
    yield _check_bridge()
    yield _check_jail()


def _check_java() -> HealthCheck:
    from fewtaps.device.twin.runtime import find_java

    try:
        java = find_java()
    except DeviceUnavailable as error:
        return HealthCheck("Java", Health.BAD, "not found", str(error))
    return HealthCheck("Java", Health.GOOD, f"{java.version} (from {java.origin}), {java.home}")


def _check_jars() -> HealthCheck:
    from fewtaps.device.twin.jars import JarStore
    from fewtaps.device.twin.runtime import DEFAULT_API

    store = JarStore()
    roles = ("run", "app", f"android-{DEFAULT_API}")
    wanted, missing = store.of_role(*roles), store.missing(*roles)
    if not missing:
        return HealthCheck("jars", Health.GOOD, f"all {len(wanted)} in {store.folder}")
    megabytes = sum(artifact.size for artifact in missing) / 1e6
    found = f"{len(wanted) - len(missing)} of {len(wanted)} in {store.folder}"
    advice = (
        f"{megabytes:.0f} MB are downloaded when the twin first starts; without network put {missing[0].download_name}"
    )
    more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
    return HealthCheck("jars", Health.LATER, found, f"{advice}{more} there")


def _check_bridge() -> HealthCheck:
    from fewtaps.cache import cache_dir
    from fewtaps.device.twin import runtime

    carried = Path(runtime.__file__).with_name("bridge.jar")
    if carried.is_file():
        return HealthCheck("bridge", Health.GOOD, f"compiled, {carried}")
    compiled = sorted((cache_dir() / "bridge").glob("bridge-*.jar"), key=lambda jar: jar.stat().st_mtime)
    if compiled:
        return HealthCheck(
            "bridge", Health.GOOD, f"compiled, {compiled[-1]}", "compiled again whenever its sources change"
        )
    return HealthCheck("bridge", Health.LATER, "not compiled yet", "done in some seconds when the twin first starts")


def _check_jail() -> HealthCheck:
    from fewtaps.device.twin.jail import jail_problem, protections

    problem = jail_problem()
    way_out = "--no-jail, which is for apps you trust: nothing would confine them"
    if problem is not None:
        return HealthCheck("jail", Health.BAD, "none", problem, way_out)
    version = first_line("bwrap", "--version") or "bubblewrap works"
    walls = protections()
    if not walls:
        return HealthCheck("jail", Health.BAD, version, "what protects in it cannot be found out", way_out)
    holding = ", ".join(wall.name for wall in walls if wall.holds)
    missing = [f"{wall.name} ({wall.instead})" if wall.instead else wall.name for wall in walls if not wall.holds]
    advice = f"holds: {holding}" + (f"; missing: {', '.join(missing)}" if missing else "")
    if any(not wall.holds and not wall.instead for wall in walls):
        return HealthCheck("jail", Health.BAD, f"{version}, with a gap", advice, way_out)
    return HealthCheck("jail", Health.GOOD, version, advice)


def _versions() -> Mapping[str, str]:
    from fewtaps.device.twin.jars import lock_digest
    from fewtaps.device.twin.runtime import find_java

    try:
        java = find_java()
        found = str(java.version)
    except DeviceUnavailable as error:
        found = f"none ({error})"
    return {"java": found, "jars": lock_digest()}


TWIN = Backend(
    name="twin",
    # Its runs are played again faster than a snapshot of it could be loaded.
    capabilities=frozenset(Capability) - {Capability.MOMENTS},
    options=frozenset(
        {
            "profile",
            "api",
            "permissions",
            "neighbours",
            "content",
            "phone",
            "network",
            "coverage",
            "mapping",
            "jail",
            "anyway",
        },
    ),  # fmt: skip
    describe=_describe,
    read_app=_read_app,
    make=_make,
    check_machine=check_machine,
    downloads=True,
    can_be_cut_off=True,
    versions=_versions,
    usual_api=_usual_api,
)

"""Looks at the machine: what is there, what is missing, what to do about it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from fewtaps.errors import DeviceUnavailable

VERSION_TIMEOUT_SECONDS = 20


class Health(Enum):
    """What a check of the machine found."""

    GOOD = "good"
    LATER = "later"
    """Not there yet; fetched or made when first needed."""
    OPTIONAL = "optional"
    """Not there, and only some commands miss it."""
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """One thing the machine should have: what was found, and what to do about it."""

    name: str
    health: Health
    found: str
    advice: str = ""


def diagnose() -> Iterator[HealthCheck]:
    """Looks at the machine, one check at a time; changes nothing and downloads nothing."""
    yield _check_java()
    yield _check_jars()
    yield _check_bridge()
    yield _check_jail()
    yield _check_adb()


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
    from fewtaps.device.twin import runtime
    from fewtaps.device.twin.jars import cache_dir

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
    from fewtaps.device.twin.jail import jail_problem

    problem = jail_problem()
    if problem is not None:
        return HealthCheck("jail", Health.BAD, "none", problem)
    return HealthCheck("jail", Health.GOOD, _first_line("bwrap", "--version") or "bubblewrap works")


def _check_adb() -> HealthCheck:
    version = _first_line("adb", "version")
    if version is None:
        return HealthCheck(
            "adb",
            Health.OPTIONAL,
            "not found",
            "not needed for the twin; for a phone of your own install Android's platform-tools",
        )
    return HealthCheck("adb", Health.GOOD, version)


def _first_line(program: str, argument: str) -> str | None:
    path = shutil.which(program)
    if path is None:
        return None
    try:
        done = subprocess.run([path, argument], capture_output=True, text=True, timeout=VERSION_TIMEOUT_SECONDS)
    except (OSError, subprocess.SubprocessError):
        return None
    return next(iter(done.stdout.strip().splitlines()), None) if done.returncode == 0 else None

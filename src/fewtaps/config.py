"""Settings as frozen dataclasses: what a caller may choose, with the defaults and the names that are allowed."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from fewtaps.errors import UsageError

BACKENDS = ("twin", "simulated", "adb")
AIMS = ("selector", "coordinates")
PERMISSIONS = ("granted", "denied", "asked")
NEIGHBOURS = ("present", "absent")
NETWORKS = ("offline", "faked")
COVERAGES = ("app", "all", "off")


@dataclass(frozen=True, slots=True)
class DeviceSettings:
    """On what an app runs.

    None leaves a choice open: the backend is then decided by the app (simulated for `sim:NAME`, else the twin), the
    profile by the trace, the API level by the backend. Without `jail` the app's code runs unconfined; `anyway` tries
    what is known not to work.
    """

    backend: str | None = None
    profile: str | None = None
    api: int | None = None
    permissions: str = "granted"
    neighbours: str = "present"
    network: str = "offline"
    coverage: str = "app"
    jail: bool = True
    anyway: bool = False

    def __post_init__(self) -> None:
        if self.backend is not None:
            require_one_of("--device", self.backend, BACKENDS)
        require_one_of("--permissions", self.permissions, PERMISSIONS)
        require_one_of("--neighbours", self.neighbours, NEIGHBOURS)
        require_one_of("--network", self.network, NETWORKS)
        require_one_of("--coverage", self.coverage, COVERAGES)


@dataclass(frozen=True, slots=True)
class PlaySettings:
    """How a trace is played: in which worlds (the first, and how many), aimed by what, and what is kept.

    `world` None means the world the trace was recorded in.
    """

    device: DeviceSettings = field(default_factory=DeviceSettings)
    world: int | None = None
    worlds: int = 1
    by: str = "selector"
    screenshots: Path | None = None
    jacoco: Path | None = None

    def __post_init__(self) -> None:
        require_one_of("--by", self.by, AIMS)
        if self.worlds < 1:
            raise UsageError(f"--worlds: at least one world, not {self.worlds}")
        if self.jacoco is not None and self.device.coverage == "off":
            raise UsageError("--jacoco needs coverage; leave out --coverage off")


def require_one_of(option: str, value: str, allowed: tuple[str, ...]) -> None:
    """Raises `UsageError` unless the value is one of those allowed."""
    if value not in allowed:
        raise UsageError(f"{option}: '{value}' is none of {', '.join(allowed)}")

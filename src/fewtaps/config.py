"""Settings as frozen dataclasses: what a caller may choose, with the defaults and the names that are allowed."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from fewtaps.errors import UsageError

BACKENDS = ("twin", "simulated", "adb")
AIMS = ("selector", "coordinates")
READABLE = ("trace", "monkey", "simplydroid", "monkey-log", "droidbot", "uiautomator")
WRITABLE = ("trace", "monkey", "adb")
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


STRATEGIES = ("frontier", "timemachine", "ms", "mr", "monkey", "widget")
FAIL_ON = ("never", "crash", "new-crash")
DEFAULT_MINUTES = 5.0


@dataclass(frozen=True, slots=True)
class ExploreLimits:
    """When an exploration ends: whichever comes first. `covered` is a share of the lines, in percent."""

    minutes: float | None = None
    events: int | None = None
    crashes: int | None = None
    covered: float | None = None

    def __post_init__(self) -> None:
        for option, value in (
            ("--minutes", self.minutes),
            ("--events", self.events),
            ("--until-crashes", self.crashes),
        ):
            if value is not None and not 0 < value < 1e9:
                raise UsageError(f"{option}: more than nothing, not {value:g}")
        if self.covered is not None and not 0 < self.covered <= 100:
            raise UsageError(f"--until-covered: a share in percent, above 0 and up to 100, not {self.covered:g}")

    @property
    def seconds(self) -> float | None:
        """The limit on time; without any limit at all, the default one."""
        if self.minutes is None and self.events is None and self.crashes is None and self.covered is None:
            return DEFAULT_MINUTES * 60
        return None if self.minutes is None else self.minutes * 60


@dataclass(frozen=True, slots=True)
class ExploreSettings:
    """How an app is explored and where what is found is kept.

    `parameters` are those of the strategies, each as NAME=VALUE. `jobs` devices share the work, by default one.
    `worlds` is how many worlds fresh starts take turns in. With `resume` the last exploration in the folder goes on,
    with the settings it was begun with; only limits and jobs are taken from here.
    """

    folder: Path
    device: DeviceSettings = field(default_factory=DeviceSettings)
    limits: ExploreLimits = field(default_factory=ExploreLimits)
    strategy: str = STRATEGIES[0]
    parameters: tuple[str, ...] = ()
    seed: int = 1
    jobs: int | None = None
    worlds: int = 4
    prelude: Path | None = None
    block: tuple[str, ...] = ()
    pictures: bool = True
    resume: bool = False

    def __post_init__(self) -> None:
        require_one_of("--strategy", self.strategy, STRATEGIES)
        if self.jobs is not None and not 1 <= self.jobs <= 64:
            raise UsageError(f"-j: between 1 and 64 devices, not {self.jobs}")
        if not 1 <= self.worlds <= 1000:
            raise UsageError(f"--worlds: between 1 and 1000 worlds, not {self.worlds}")


REDUCERS = ("auto", "ddmin", "hdd", "bhdd", "lhdd", "lhdd-nopre", "segments")
GOALS = ("crash", "reaches", "shows", "covers", "test")


@dataclass(frozen=True, slots=True)
class GoalWish:
    """What a reduced trace must still do: crash in the same way, or what `value` says for one of the other kinds."""

    kind: str = GOALS[0]
    value: str = ""

    def __post_init__(self) -> None:
        require_one_of("the goal", self.kind, GOALS)
        if (self.kind != GOALS[0]) != bool(self.value):
            raise UsageError(f"--{self.kind}: says nothing" if self.kind != GOALS[0] else "a crash needs no value")


@dataclass(frozen=True, slots=True)
class ReduceSettings:
    """How a trace is reduced, and where verdicts and the result are kept.

    `world` None means the one the trace was recorded in; `worlds` is in how many the result is replayed at the end.
    `seconds`, `runs` and `events` are limits. `plainer` also replaces events by simpler ones. `trivial` accepts a goal
    that the launch alone meets.
    """

    folder: Path
    device: DeviceSettings = field(default_factory=DeviceSettings)
    goal: GoalWish = field(default_factory=GoalWish)
    strategy: str = REDUCERS[0]
    output: Path | None = None
    world: int | None = None
    worlds: int = 1
    by: str = "selector"
    jobs: int = 1
    seconds: float | None = None
    runs: int | None = None
    events: int | None = None
    plainer: bool = True
    trivial: bool = False

    def __post_init__(self) -> None:
        require_one_of("--strategy", self.strategy, REDUCERS)
        require_one_of("--by", self.by, AIMS)
        if not 1 <= self.jobs <= 64:
            raise UsageError(f"-j: between 1 and 64 devices, not {self.jobs}")
        if self.worlds < 1:
            raise UsageError(f"--worlds: at least one world, not {self.worlds}")
        limits = {"--minutes": self.seconds, "--runs": self.runs, "--events": self.events}
        for option, value in limits.items():
            if value is not None and not 0 < value < 1e9:
                raise UsageError(f"{option}: more than nothing, not {value:g}")


def require_one_of(option: str, value: str, allowed: tuple[str, ...]) -> None:
    """Raises `UsageError` unless the value is one of those allowed."""
    if value not in allowed:
        raise UsageError(f"{option}: '{value}' is none of {', '.join(allowed)}")

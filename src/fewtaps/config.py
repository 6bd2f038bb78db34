"""Settings as frozen dataclasses: what a caller may choose, with the defaults and the names that are allowed."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from fewtaps.device.registry import parse_device, short_name
from fewtaps.errors import UsageError
from fewtaps.model.phone import GROUPS, phone_from_text, settings_in

AIMS = ("selector", "coordinates")
READABLE = ("trace", "monkey", "simplydroid", "monkey-log", "droidbot", "uiautomator")
WRITABLE = ("trace", "monkey", "adb")
EXPORTED = (
    *("robolectric-java", "robolectric-kotlin", "espresso-java", "espresso-kotlin", "uiautomator2", "appium"),
    *("maestro", "monkey", "adb", "robo", "issue"),
)
PERMISSIONS = ("granted", "denied", "asked")
NEIGHBOURS = ("present", "absent")
CONTENTS = ("furnished", "empty")
NETWORKS = ("offline", "faked", "online", "slow", "failing")
NETWORK_FILES = ("har", "openapi")
"""Kinds of files that say what servers answer, given as `har:FILE`."""
COVERAGES = ("app", "all", "off")
JAILS = ("auto", "bubblewrap", "none")
"""`auto` takes the best jail of the machine, which is bubblewrap where it works; nothing runs where there is none."""


def default_folder(apk: str) -> Path:
    """The default project folder: one in the current folder, named after the app's file."""
    first = apk.split(os.pathsep)[0]  # Of several pieces the first names the app.
    return Path(f"fewtaps-{short_name(apk) or Path(first).stem}")


@dataclass(frozen=True, slots=True)
class DeviceSettings:
    """On what an app runs.

    `backend` names one of `device/registry.py`, with its argument if it takes one. None leaves a choice open: the
    backend is then decided by the app, the profile by the trace, the API level by the backend. Without `jail` the app's
    code runs unconfined; `anyway` tries what is known not to work. `phone` are settings in which the phone differs from
    an ordinary one, as `phone_from_text` reads them; empty, it is the phone of the trace. `reinstall` removes an
    installed app of the same name with its data before another file of it is installed. `farm` is the address of the
    farm whose devices are used, empty for those of this machine; it is never kept with a run, as `reinstall`.
    `mapping` is a mapping file of ProGuard or R8: crashes and coverage then have the names of the sources.
    """

    backend: str | None = None
    profile: str | None = None
    api: int | None = None
    permissions: str = "granted"
    neighbours: str = "present"
    content: str = "furnished"
    phone: str = ""
    network: str = "offline"
    coverage: str = "app"
    mapping: str = ""
    jail: bool = True
    anyway: bool = False
    reinstall: bool = False
    farm: str = ""

    def __post_init__(self) -> None:
        if self.backend is not None:
            try:
                parse_device(self.backend)
            except UsageError as error:
                raise UsageError(f"--device: {error}") from error
        require_one_of("--permissions", self.permissions, PERMISSIONS)
        require_one_of("--neighbours", self.neighbours, NEIGHBOURS)
        require_one_of("--content", self.content, CONTENTS)
        kind, colon, file = self.network.partition(":")
        if not colon:
            require_one_of("--network", self.network, (*NETWORKS, *(f"{each}:FILE" for each in NETWORK_FILES)))
        elif kind not in NETWORK_FILES or not file:
            raise UsageError(
                f"--network: '{self.network:.60}' is none of {', '.join(NETWORKS)}, har:FILE, openapi:FILE"
            )
        try:
            phone_from_text(self.phone)
        except ValueError as error:
            raise UsageError(f"--phone: {error}") from error
        usual = {"permissions": PERMISSIONS[0], "network": NETWORKS[0], "content": CONTENTS[0]}
        for name, value in phone_from_text(self.phone):
            if name == "network" and colon and value != "faked":
                continue  # The answers of the file come slowly, fail, or there is no network.
            if name in usual and getattr(self, name) not in (value, usual[name]):
                raise UsageError(f"--{name} {getattr(self, name)} and --phone {name}={value}: one of them")
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


FIRST_ADB_PORT = 5555
"""adb looks for devices on the odd ports from this one to 5585 by itself."""


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """How an app is shown to adb as a device.

    `port` is that of the first of `count` devices; the next ones have every second port after it, 0 stands for any.
    `time` is `steps`, `real` or a factor. `record` is the folder for traces, `auth` a file of public keys that may
    connect. With `each_world` every run is in the next world, beginning with `world`. `adb_server` is a port on which
    clients find an adb server.
    """

    record: Path
    device: DeviceSettings = field(default_factory=DeviceSettings)
    port: int = FIRST_ADB_PORT
    count: int = 1
    time: str = "steps"
    world: int = 0
    each_world: bool = False
    auth: Path | None = None
    adb_server: int | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.count <= 16:
            raise UsageError(f"--count: between 1 and 16 devices, not {self.count}")
        last = self.port + 2 * (self.count - 1)
        if self.port < 0 or (self.port and last > 65535):
            raise UsageError(f"--port: between 1 and 65535, or 0 for any, not {self.port}")
        if self.adb_server is not None and not 0 <= self.adb_server <= 65535:
            raise UsageError(f"--adb-server: a port between 1 and 65535, or 0 for any, not {self.adb_server}")
        _ = self.factor

    @property
    def factor(self) -> float | None:
        """How much faster the app's time passes than real time; None if it passes in steps. Raises UsageError."""
        if self.time == "steps":
            return None
        if self.time == "real":
            return 1.0
        try:
            factor = float(self.time)
        except ValueError:
            factor = 0.0
        if not 0.01 <= factor <= 1000:
            raise UsageError(f"--time: steps, real or a factor between 0.01 and 1000, not '{self.time}'")
        return factor


STRATEGIES = ("frontier", "timemachine", "ms", "mr", "monkey", "widget")


class FailOn(Enum):
    """The crashes that fail a command. The values are those of `--fail-on`."""

    NEVER = "never"
    CRASH = "crash"
    NEW_CRASH = "new-crash"
    SCREEN_CRASH = "screen-crash"
    NEW_SCREEN_CRASH = "new-screen-crash"

    @property
    def only_new(self) -> bool:
        """Whether crashes of the baseline are no failure."""
        return self in (FailOn.NEW_CRASH, FailOn.NEW_SCREEN_CRASH)

    @property
    def only_on_screen(self) -> bool:
        """Whether crashes are no failure that need an intent or a broadcast of another app."""
        return self in (FailOn.SCREEN_CRASH, FailOn.NEW_SCREEN_CRASH)


DEFAULT_MINUTES = 5.0


DEFAULT_WIDTH = 8
"""Episodes planned ahead, on any number of devices. benchmarks/width.py measures what other widths cost and gain."""


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
                raise UsageError(f"{option}: more than nothing and less than a billion, not {value:g}")
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
    `width` is how many episodes are planned before the first of them is learned from, by default `DEFAULT_WIDTH`: seed
    and width decide an exploration, however many devices carry it out. No more than `width` devices are busy at once.
    `worlds` is how many worlds fresh starts take turns in. With `resume` the last exploration in the folder goes on,
    with the settings it was begun with; only limits and jobs are taken from here. `vary` names the settings in which
    the phones of some episodes differ, as `settings_in` takes them; None stands for all with the default strategy and
    for none with the others, which are baselines. `said` names the settings that were
    asked for: an exploration that is resumed and was begun with others is refused, also if they are the default ones.
    """

    folder: Path
    device: DeviceSettings = field(default_factory=DeviceSettings)
    limits: ExploreLimits = field(default_factory=ExploreLimits)
    strategy: str = STRATEGIES[0]
    parameters: tuple[str, ...] = ()
    seed: int = 1
    jobs: int | None = None
    width: int | None = None
    worlds: int = 4
    prelude: Path | None = None
    block: tuple[str, ...] = ()
    pictures: bool = True
    vary: tuple[str, ...] | None = None
    resume: bool = False
    said: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        require_one_of("--strategy", self.strategy, STRATEGIES)
        if self.limits.covered is not None and self.device.coverage == "off":
            raise UsageError("--until-covered needs coverage; leave out --coverage off")
        if self.jobs is not None and not 1 <= self.jobs <= 64:
            raise UsageError(f"-j: between 1 and 64 devices, not {self.jobs}")
        if self.width is not None and not 1 <= self.width <= 1000:
            raise UsageError(f"--width: between 1 and 1000 episodes, not {self.width}")
        if self.jobs is not None and self.jobs > self.episodes_ahead and (self.width is not None or not self.resume):
            kept_busy = f"--width {self.episodes_ahead} keeps {self.episodes_ahead} devices busy at most"
            hint = "" if self.width is not None else f"; add --width {self.jobs}"
            raise UsageError(f"-j {self.jobs}: {kept_busy}{hint}")
        if not 1 <= self.worlds <= 1000:
            raise UsageError(f"--worlds: between 1 and 1000 worlds, not {self.worlds}")
        try:
            settings_in(self.vary or ())
        except ValueError as error:
            raise UsageError(f"--vary: {error}") from error
        if self.vary and self.device.phone:
            raise UsageError(f"--vary and --phone {self.device.phone}: one of them")
        for name, fixed in (("neighbours", self.device.neighbours == "absent"), ("android", self.device.api)):
            if fixed and self.vary and settings_in([name]) & settings_in(self.vary):
                option = "--neighbours absent" if name == "neighbours" else f"--api {fixed}"
                raise UsageError(f"--vary {name} and {option}: one of them")

    @property
    def varied(self) -> tuple[str, ...]:
        """The settings that vary, as `settings_in` takes them."""
        if self.vary is not None:
            return self.vary
        return GROUPS if self.strategy == STRATEGIES[0] and not self.device.phone else ()

    @property
    def episodes_ahead(self) -> int:
        """The width that holds."""
        return self.width or DEFAULT_WIDTH


REDUCERS = ("auto", "ddmin", "hdd", "bhdd", "lhdd", "lhdd-nopre", "segments")
GOALS = ("crash", "reaches", "state", "shows", "covers", "test")


@dataclass(frozen=True, slots=True)
class GoalWish:
    """What a reduced trace must still do: crash in the same way, or what `value` says for one of the other kinds."""

    kind: str = GOALS[0]
    value: str = ""

    def __post_init__(self) -> None:
        require_one_of("the goal", self.kind, GOALS)
        if (self.kind != GOALS[0]) != bool(self.value):
            raise UsageError(f"--{self.kind}: says nothing" if self.kind != GOALS[0] else "a crash needs no value")


MOST_WORLDS = 10_000


@dataclass(frozen=True, slots=True)
class ReplaySettings:
    """How steps are replayed: in which worlds (the first, and how many), on how many devices, and what they should do.

    `world` None means the world the trace was recorded in. `folder` is the project whose crashes can be named. With
    `fewest` a crash is replayed by the fewest steps that are known for it, else as it was found.
    """

    folder: Path
    device: DeviceSettings = field(default_factory=DeviceSettings)
    goal: GoalWish = field(default_factory=GoalWish)
    world: int | None = None
    worlds: int = 20
    by: str = "selector"
    jobs: int = 1
    screenshots: Path | None = None
    fewest: bool = False

    def __post_init__(self) -> None:
        require_one_of("--by", self.by, AIMS)
        if not 1 <= self.jobs <= 64:
            raise UsageError(f"-j: between 1 and 64 devices, not {self.jobs}")
        if not 1 <= self.worlds <= MOST_WORLDS:
            raise UsageError(f"--worlds: between 1 and {MOST_WORLDS} worlds, not {self.worlds}")


MUTATION_OPERATORS = (
    *("CONDITIONALS_BOUNDARY", "NEGATE_CONDITIONALS", "INCREMENTS", "INVERT_NEGS", "MATH", "VOID_METHOD_CALLS"),
    *("TRUE_RETURNS", "FALSE_RETURNS", "NULL_RETURNS", "EMPTY_RETURNS", "PRIMITIVE_RETURNS"),
)
"""The mutation operators that PIT uses by default."""
MORE_MUTATION_OPERATORS = ("INLINE_CONSTS", "REMOVE_CONDITIONALS")
"""Those that have to be asked for."""
OPERATOR_GROUPS = {"default": MUTATION_OPERATORS, "all": MUTATION_OPERATORS + MORE_MUTATION_OPERATORS}
DEFAULT_MUTANTS = 500
"""Mutants that are played unless another number is asked for."""


@dataclass(frozen=True, slots=True)
class MutateSettings:
    """Which mutants of an app are played with a suite, and where their results are kept.

    `mutants` is the size of the sample, which `seed` decides. `operators` are PIT's names, `default` or `all`.
    `sources` are folders in which the lines of survivors are looked up. `with_states` also finds out what states,
    endings and crashes alone would notice. `keeps_kills` writes into suite.json how many mutants each test killed,
    `adds_texts` writes texts that tell survivors apart into the tests. `minutes` None means no limit. `said` names the
    settings of the device that were asked for: the others are those of the suite.
    """

    output: Path
    device: DeviceSettings = field(default_factory=DeviceSettings)
    mutants: int = DEFAULT_MUTANTS
    seed: int = 1
    operators: tuple[str, ...] = ("default",)
    sources: tuple[Path, ...] = ()
    with_states: bool = False
    keeps_kills: bool = False
    adds_texts: bool = False
    minutes: float | None = None
    jobs: int = 1
    said: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if not 1 <= self.mutants <= 1_000_000:
            raise UsageError(f"--mutants: between 1 and 1000000, not {self.mutants}")
        if not 1 <= self.jobs <= 64:
            raise UsageError(f"-j: between 1 and 64 devices, not {self.jobs}")
        if self.minutes is not None and not 0 < self.minutes < 1e6:
            raise UsageError(f"--minutes: more than nothing and less than a million, not {self.minutes:g}")
        for operator in self.operators:
            require_one_of("--operator", operator, (*OPERATOR_GROUPS, *OPERATOR_GROUPS["all"]))
        for folder in self.sources:
            if not folder.is_dir():
                raise UsageError(f"--sources {folder}: no such folder")
        if self.device.coverage == "off":
            raise UsageError("mutants need coverage; leave out --coverage off")

    @property
    def operator_names(self) -> tuple[str, ...]:
        """PIT's names of the operators, each once, in PIT's order."""
        asked = {name for each in self.operators for name in OPERATOR_GROUPS.get(each, (each,))}
        return tuple(name for name in OPERATOR_GROUPS["all"] if name in asked)


SCHEDULES = ("sequential", "heuristic", "mdp", "round-robin", "greedy")


@dataclass(frozen=True, slots=True)
class FlakySettings:
    """How a flaky trace is reduced: by repeated runs of every candidate.

    `sequential` is ours: as few runs as make the answer clear, with any strategy. The other schedules are ND3MIN's,
    whose letters are nr (`repeats`), st (`needed`), n (`parts`) and m (`per_step`). `needed` None asks for the paper's
    18 of 20, or for less if the original itself does it less often. `confidence` is how probable it has to be that no
    step is superfluous. `prior` is a file; None means the one learned in the project or, without any, the paper's.
    """

    schedule: str = SCHEDULES[0]
    repeats: int = 20
    needed: int | None = None
    parts: int = 5
    per_step: int = 15
    precheck: int | None = None
    confidence: float = 0.6
    prior: Path | None = None

    def __post_init__(self) -> None:
        require_one_of("--schedule", self.schedule, SCHEDULES)
        if not 1 <= self.repeats <= 1000:
            raise UsageError(f"--repeats: between 1 and 1000 runs of a candidate, not {self.repeats}")
        if self.needed is not None and not 1 <= self.needed <= self.repeats:
            raise UsageError(f"--needed: between 1 and --repeats, which is {self.repeats}, not {self.needed}")
        if self.precheck is not None and not 0 <= self.precheck <= self.repeats:
            raise UsageError(f"--precheck: between 0 and --repeats, which is {self.repeats}, not {self.precheck}")
        if not 2 <= self.parts <= 1000:
            raise UsageError(f"--parts: a trace is cut into at least 2 parts, not {self.parts}")
        if not 1 <= self.per_step <= 1000:
            raise UsageError(f"--per-step: at least one run at a time, not {self.per_step}")
        if not 0 < self.confidence < 1:
            raise UsageError(f"--confidence: a probability between 0 and 1, not {self.confidence:g}")


@dataclass(frozen=True, slots=True)
class ReduceSettings:
    """How a trace is reduced, and where verdicts and the result are kept.

    `world` None means the one the trace was recorded in; `worlds` is in how many the result is replayed at the end.
    `seconds`, `runs` and `events` are limits. `plainer` also replaces events by simpler ones. `trivial` accepts a goal
    that the launch alone meets. An earlier reduction in the folder goes on in any case; with `resume` there
    must be one. With `flaky`, candidates are run repeatedly, in many worlds.
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
    resume: bool = False
    flaky: FlakySettings | None = None

    def __post_init__(self) -> None:
        require_one_of("--strategy", self.strategy, REDUCERS)
        require_one_of("--by", self.by, AIMS)
        if self.flaky is not None and self.world is not None:
            raise UsageError(
                "--flaky plays in many worlds and --world in one, where nothing is flaky: leave one of them out"
            )
        if not 1 <= self.jobs <= 64:
            raise UsageError(f"-j: between 1 and 64 devices, not {self.jobs}")
        if self.worlds < 1:
            raise UsageError(f"--worlds: at least one world, not {self.worlds}")
        limits = {"--minutes": self.seconds, "--runs": self.runs, "--events": self.events}
        for option, value in limits.items():
            if value is not None and not 0 < value < 1e9:
                raise UsageError(f"{option}: more than nothing and less than a billion, not {value:g}")


COVERED = ("branches", "screens", "crashes", "lists", "lines", "methods")
USUALLY_COVERED = COVERED[:4]
SUITE_ABSTRACTIONS = ("actionable", "actionable-rows", "layout", "page", "content", "activity", "exact")


@dataclass(frozen=True, slots=True)
class SuiteSettings:
    """How traces are reduced to a suite.

    `folder` is the project, where the runs are kept; `output` is the suite's folder. A test has to replay in `worlds`
    worlds. `cover` names what is kept of the traces. `fragments` is the paper's k: a test is put together from at most
    so many fragments of others. `as_paper` does all in the order of the paper. `launch_cost` is how many events a
    restart is worth; None measures it. `onto` adds to the suite that is in the output folder. `seconds`, `runs` and
    `events` are limits. `said` names the settings that were asked for: of the others those of the project hold.
    """

    folder: Path
    output: Path
    device: DeviceSettings = field(default_factory=DeviceSettings)
    worlds: int = 10
    abstraction: str = SUITE_ABSTRACTIONS[0]
    cover: tuple[str, ...] = USUALLY_COVERED
    fragments: int = 3
    as_paper: bool = False
    launch_cost: int | None = None
    jobs: int = 1
    onto: bool = False
    seconds: float | None = None
    runs: int | None = None
    events: int | None = None
    said: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        require_one_of("--abstraction", self.abstraction, SUITE_ABSTRACTIONS)
        for each in self.cover:
            require_one_of("--cover", each, COVERED)
        if not self.cover:
            raise UsageError("--cover: nothing is left to be covered")
        if not 1 <= self.jobs <= 64:
            raise UsageError(f"-j: between 1 and 64 devices, not {self.jobs}")
        if not 1 <= self.worlds <= 1000:
            raise UsageError(f"--worlds: between 1 and 1000 worlds, not {self.worlds}")
        if not 1 <= self.fragments <= 20:
            raise UsageError(f"--fragments: between 1 and 20 fragments, not {self.fragments}")
        if self.launch_cost is not None and not 1 <= self.launch_cost <= 1_000_000:
            raise UsageError(f"--launch-cost: between 1 and a million events, not {self.launch_cost}")
        for option, value in (("--minutes", self.seconds), ("--runs", self.runs), ("--events", self.events)):
            if value is not None and not 0 < value < 1e9:
                raise UsageError(f"{option}: more than nothing and less than a billion, not {value:g}")


@dataclass(frozen=True, slots=True)
class SuiteRunSettings:
    """How the tests of a suite are run.

    `folder` is the suite's. A test is played in its own world and in those after it, `worlds` in all. `named` are parts
    of names: other tests are not run. `shard` is which of how many, from 1. `against` and `changed_since` are older
    builds: with the first both builds are played and compared, with the second only tests of changed classes are run.
    `stops_at_failure` ends the run with the first test that fails, `last_failed` runs those alone that failed the last
    time. With `strict` nothing is healed. `jacoco` is a file for JaCoCo's report. `pictures` asks for pictures of the
    tests that do not pass. `keeps_rates` writes the rates of flaky tests into `suite.json`. `updated` proposes new
    expectations for tests that failed or were healed: for all such tests if it is empty, for none if it is None.
    With `new_pictures` the steps of updated tests also expect a picture.
    `said` names the settings that were asked for: of the others those of the suite hold.
    """

    folder: Path
    device: DeviceSettings = field(default_factory=DeviceSettings)
    worlds: int = 1
    jobs: int = 1
    named: tuple[str, ...] = ()
    shard: tuple[int, int] | None = None
    stops_at_failure: bool = False
    last_failed: bool = False
    minutes: float | None = None
    strict: bool = False
    against: str | None = None
    changed_since: str | None = None
    jacoco: Path | None = None
    pictures: bool = False
    keeps_rates: bool = True
    updated: tuple[str, ...] | None = None
    new_pictures: bool = False
    said: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if not 1 <= self.jobs <= 64:
            raise UsageError(f"-j: between 1 and 64 devices, not {self.jobs}")
        if not 1 <= self.worlds <= MOST_WORLDS:
            raise UsageError(f"--worlds: between 1 and {MOST_WORLDS} worlds, not {self.worlds}")
        if self.minutes is not None and not 0 < self.minutes < 1e9:
            raise UsageError(f"--minutes: more than nothing and less than a billion, not {self.minutes:g}")
        if self.shard is not None and not 1 <= self.shard[0] <= self.shard[1] <= MOST_SHARDS:
            raise UsageError(
                f"--shard {self.shard[0]}/{self.shard[1]}: a shard of {self.shard[1]} is 1 to {self.shard[1]}"
            )
        if self.jacoco is not None and self.device.coverage == "off":
            raise UsageError("--jacoco needs coverage; leave out --coverage off")
        if self.updated is not None and self.against is not None:
            raise UsageError("--update and --against: expectations are made from one build; leave one of them out")
        if self.new_pictures and self.updated is None:
            raise UsageError("--pictures is for --update: give that too, or leave it out")
        if self.updated is not None and self.strict:
            raise UsageError("--update and --strict: what is healed is updated; leave one of them out")


MOST_SHARDS = 10_000


def parse_shard(text: str) -> tuple[int, int]:
    """Which shard of how many, as in `1/4`. Raises UsageError."""
    number, slash, count = text.partition("/")
    if not slash or not number.isdecimal() or not count.isdecimal() or len(text) > 20:
        raise UsageError(f"--shard: a shard is written as 1/4, the first of four, not '{text:.40}'")
    return int(number), int(count)


DEFAULT_PATIENCE = 5000
RATE_WORLDS = 20
MOST_USUAL_JOBS = 2
"""More devices have to be asked for: each takes half a gigabyte of memory."""


def usual_jobs(device: DeviceSettings | None = None) -> int:
    """How many devices a whole run takes by default: one for each core, two at most, and no more than are named."""
    usual = min(os.cpu_count() or 1, MOST_USUAL_JOBS)
    if device is None or device.backend is None:
        return usual
    choice = parse_device(device.backend)
    return min(usual, choice.backend.most_devices(choice.argument) or usual)


MOST_SLOTS = 1024
"""Devices that one machine may lend to a farm."""
FARM_JOBS = 8
"""Jobs that are given to a farm at once where several are due, by default; a farm of any size does the same."""

DEFAULT_RECORD_MEGABYTES = 512
"""The largest recording of one run; a longer one is made in parts, by several replays."""
MOST_RECORD_MEGABYTES = 1024
"""Numbers in a recording have 28 bits: a larger one could not be read."""
SLICE_FORMATS = ("json", "sarif", "graphml", "dot")
"""The files that `fewtaps slice` writes."""


@dataclass(frozen=True, slots=True)
class ScrubSettings:
    """What is removed from a project: its pictures, its texts, its logs, or of these what matches an expression."""

    pictures: bool = True
    texts: bool = True
    logs: bool = True
    matching: str | None = None

    def __post_init__(self) -> None:
        if self.pattern is not None and self.pattern.search(""):
            raise UsageError(f"--matching {self.matching}: it matches an empty text; to remove all, leave it out")

    @property
    def pattern(self) -> re.Pattern[str] | None:
        """The expression. Raises UsageError if it is none."""
        try:
            return None if self.matching is None else re.compile(self.matching)
        except (re.error, OverflowError, RecursionError) as error:
            raise UsageError(f"--matching {self.matching}: no regular expression ({error})") from error


@dataclass(frozen=True, slots=True)
class SliceSettings:
    """How a slice is made, and of what.

    `at` is the line to slice from as `FILE:LINE` or `FILE:LINE#EXECUTION`, None for the crash; `of` the name of a
    value, `event` the number of the step. `record` is `all` or `app`, or names of packages. `summaries` is
    a file, `sources` are folders. `why` is a line that is asked about. `world` None means the trace's own.
    """

    device: DeviceSettings = field(default_factory=DeviceSettings)
    at: str | None = None
    of: str | None = None
    event: int | None = None
    thin: bool = False
    as_paper: bool = False
    record: tuple[str, ...] = ("all",)
    megabytes: int = DEFAULT_RECORD_MEGABYTES
    summaries: Path | None = None
    sources: tuple[Path, ...] = ()
    why: str | None = None
    check: bool = False
    log: bool = False
    world: int | None = None
    by: str = "selector"

    def __post_init__(self) -> None:
        require_one_of("--by", self.by, AIMS)
        if not 1 <= self.megabytes <= MOST_RECORD_MEGABYTES:
            raise UsageError(f"--record-mb: between 1 and {MOST_RECORD_MEGABYTES}, not {self.megabytes}")
        if self.event is not None and self.event < 0:
            raise UsageError(f"--event: the number of a step, 0 for the launch, not {self.event}")
        if len(self.record) > 1 and {"all", "app"} & set(self.record):
            raise UsageError("--record: all, app, or names of packages, not both")
        if not all(re.fullmatch(r"\w+(\.\w+)*", name) for name in self.record):
            raise UsageError(f"--record: not the name of a package: {', '.join(self.record)!r:.80}")
        if self.event is not None and self.at is None:
            raise UsageError("--event is for a line: name it too, as FILE:LINE")
        for text in (self.at, self.why):
            if text is not None:
                _ = parse_line(text)

    @property
    def is_usual(self) -> bool:
        """Whether the slice is the one that `fewtaps run` makes of a crash, which is kept."""
        usual = SliceSettings()
        names = (
            "at",
            "of",
            "event",
            "as_paper",
            "record",
            "summaries",
            "check",
            "log",
            "why",
            "world",
            "by",
        )
        return not self.device.mapping and all(getattr(self, name) == getattr(usual, name) for name in names)


def parse_line(text: str) -> tuple[str, int, int]:
    """A line as file, line and execution (0 if none is named), from `FILE:LINE` or `FILE:LINE#EXECUTION`."""
    match = re.fullmatch(r"([^:#]+):(\d{1,9})(?:#(\d{1,9}))?", text)
    if match is None or match[2].strip("0") == "" or (match[3] is not None and match[3].strip("0") == ""):
        raise UsageError(
            f"{text!r:.80}: not a line; write it as Bill.java:19, or Bill.java:19#3 for its third execution"
        )
    return match[1], int(match[2]), int(match[3] or 0)


@dataclass(frozen=True, slots=True)
class RunSettings:
    """How an app is taken from its file to a report: explored, its crashes reduced and replayed, a suite made of it.

    `minutes` are for all of it, the opening of the first device aside. Exploring ends after `events`, or after
    `patience` events without anything new; 0 is endless patience. Each crash is replayed in `worlds` worlds for its
    reproduction rate. With `makes_slices`, each crash gets its slice. With `makes_suite`, what was explored becomes a
    suite of tests in the folder `suite` of the project. The rest is as for `ExploreSettings`.
    """

    folder: Path
    device: DeviceSettings = field(default_factory=DeviceSettings)
    minutes: float = DEFAULT_MINUTES
    events: int | None = None
    patience: int = DEFAULT_PATIENCE
    worlds: int = RATE_WORLDS
    seed: int = 1
    jobs: int = field(default_factory=usual_jobs)
    width: int | None = None
    prelude: Path | None = None
    block: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    makes_suite: bool = True
    makes_slices: bool = True
    pictures: bool = True
    vary: tuple[str, ...] | None = None
    said: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if not 0 < self.minutes < 1e9:
            raise UsageError(f"--minutes: more than nothing and less than a billion, not {self.minutes:g}")
        if not 0 <= self.patience < 1e9:
            raise UsageError(f"--patience: a number of events, 0 for ever, not {self.patience}")
        if not 1 <= self.worlds <= 1000:
            raise UsageError(f"--worlds: between 1 and 1000 worlds, not {self.worlds}")
        _ = self.exploring

    @property
    def exploring(self) -> ExploreSettings:
        """How it is explored. The limit on time is that of the whole run; the run itself ends exploring earlier."""
        return ExploreSettings(
            folder=self.folder, device=self.device, limits=ExploreLimits(minutes=self.minutes, events=self.events),
            seed=self.seed, jobs=self.jobs, width=self.width, prelude=self.prelude, block=self.block,
            parameters=self.parameters, pictures=self.pictures, vary=self.vary,
            # Here, worlds are those of the replays.
            said=self.said - {"worlds"},
        )  # fmt: skip


def require_one_of(option: str, value: str, allowed: tuple[str, ...]) -> None:
    """Raises `UsageError` unless the value is one of those allowed."""
    if value not in allowed:
        raise UsageError(f"{option}: '{value}' is none of {', '.join(allowed)}")

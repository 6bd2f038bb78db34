"""The options that several commands share: each is written once, and those that belong together are a group."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fewtaps.cli.logs import current_log
from fewtaps.config import (
    AIMS,
    CONTENTS,
    COVERAGES,
    COVERED,
    DEFAULT_MINUTES,
    DEFAULT_MUTANTS,
    DEFAULT_RECORD_MEGABYTES,
    DEFAULT_WIDTH,
    FARM_JOBS,
    FIRST_ADB_PORT,
    JAILS,
    MORE_MUTATION_OPERATORS,
    MOST_SLOTS,
    NEIGHBOURS,
    NETWORKS,
    PERMISSIONS,
    SCHEDULES,
    SLICE_FORMATS,
    SUITE_ABSTRACTIONS,
    USUALLY_COVERED,
    DeviceSettings,
    ExploreLimits,
    FailOn,
    FlakySettings,
    GoalWish,
    parse_shard,
    require_one_of,
)
from fewtaps.device.registry import DEFAULT_BACKEND, attached_device, owner_of, parse_device, usable
from fewtaps.errors import UsageError
from fewtaps.files import real_path
from fewtaps.model.phone import GROUPS

if TYPE_CHECKING:
    from fewtaps.cli.explore import Judging

BACKENDS = ", ".join(backend.written for backend in usable())
PROGRAMS = ", or ".join(f"{each.app_prefix}NAME for a {each.name} one" for each in usable() if each.app_prefix)
APK_HELP = f"The app: an APK file; its pieces, as files, a folder, .apks, .xapk or .apkm; or {PROGRAMS}."
TRACE_HELP = "A trace file, a recording of another tool, or the id of a crash of the project."
FOLDER_HELP = "The project folder that `fewtaps run` or `explore` wrote, or the APK it was made from."
VERBOSE_HELP = "Show what is done; twice: in detail."
LOG_TEXTS_HELP = "Keep texts of the app in the log too."

ApkArgument = Annotated[str, typer.Argument(metavar="APK", help=APK_HELP, show_default=False)]
TraceArgument = Annotated[str, typer.Argument(metavar="TRACE", help=TRACE_HELP, show_default=False)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for a program instead of text for a person.")]
JacocoFile = Annotated[Path | None, typer.Option("--jacoco", help="Write the coverage to this file as jacoco.xml.")]
Profile = Annotated[
    str | None, typer.Option("--profile", help="The kind of phone: default, mi1, mi5, small, tall, tablet7, tablet10.")
]
NoJail = Annotated[
    bool, typer.Option("--no-jail", help="Run the app's code without the jail. Only for apps you trust.")
]
Jail = Annotated[
    str | None,
    typer.Option("--jail", help=f"What confines the app's code: {', '.join(JAILS)} (as --no-jail). [default: auto]"),
]
Width = Annotated[
    int | None,
    typer.Option(
        "--width",
        help="Episodes planned ahead; seed and width decide an exploration, however many devices share it. "
        f"[default: {DEFAULT_WIDTH}]",
    ),
]
Folder = Annotated[str | None, typer.Argument(metavar="DIR|APK", help=FOLDER_HELP, show_default=False)]
NewProject = Annotated[
    Path | None, typer.Option("--output", "-o", "--dir", help="The project folder. [default: fewtaps-APK's name]")
]
Project = Annotated[Path | None, typer.Option("--dir", help="The project folder. [default: fewtaps-APK's name]")]
World = Annotated[int | None, typer.Option("--world", help="The world to play in. [default: the trace's own]")]
Aim = Annotated[str, typer.Option("--by", help=f"Find the widgets by {' or '.join(AIMS)}.")]


def is_jailed(jail: str | None, *, no_jail: bool) -> bool:
    """Whether the app's code is to be confined. Raises UsageError for an unknown jail, or if the two options differ."""
    if jail is not None:
        require_one_of("--jail", jail, JAILS)
        if no_jail and jail != "none":
            raise UsageError(f"--jail {jail} and --no-jail: one of them")
    return not no_jail and jail != "none"


@dataclass(frozen=True, slots=True)
class DeviceOptions:
    """Where and how the app runs."""

    device: Annotated[
        str | None, typer.Option("--device", help=f"Where the app runs: {BACKENDS}. [default: {DEFAULT_BACKEND}]")
    ] = None
    profile: Profile = None
    api: Annotated[int | None, typer.Option("--api", help="Android's API level. [default: one that suits the app]")] = (
        None
    )
    permissions: Annotated[
        str, typer.Option("--permissions", help=f"Dangerous permissions: {', '.join(PERMISSIONS)}.")
    ] = "granted"
    neighbours: Annotated[
        str, typer.Option("--neighbours", help=f"Contacts, browser, gallery and the like: {', '.join(NEIGHBOURS)}.")
    ] = "present"
    content: Annotated[
        str, typer.Option("--content", help=f"Contacts, pictures, messages and the like: {', '.join(CONTENTS)}.")
    ] = "furnished"
    phone: Annotated[
        str,
        typer.Option(
            "--phone", help="How the phone differs from an ordinary one, as NAME=VALUE,NAME=VALUE: browser=absent."
        ),
    ] = ""
    network: Annotated[
        str,
        typer.Option(
            "--network", help=f"What the app finds of the internet: {', '.join(NETWORKS)}, har:FILE, openapi:FILE."
        ),
    ] = "offline"
    coverage: Annotated[str, typer.Option("--coverage", help=f"Which code to observe: {', '.join(COVERAGES)}.")] = "app"
    mapping: Annotated[
        Path | None,
        typer.Option(
            "--mapping",
            metavar="FILE",
            resolve_path=True,
            help="The mapping file of ProGuard or R8, for a shrunk build: names of the sources everywhere.",
        ),
    ] = None
    no_jail: NoJail = False
    jail: Jail = None
    anyway: Annotated[bool, typer.Option("--anyway", help="Try an app that was found unable to run.")] = False
    reinstall: Annotated[
        bool,
        typer.Option(
            "--reinstall", help="On a phone: remove another build of the app, with its data, before installing."
        ),
    ] = False

    @property
    def settings(self) -> DeviceSettings:
        """As settings. Raises UsageError for a value that is none."""
        return self._settings_on("")

    def _settings_on(self, farm: str) -> DeviceSettings:
        return DeviceSettings(
            backend=self.device,
            profile=self.profile,
            api=self.api,
            permissions=self.permissions,
            neighbours=self.neighbours,
            content=self.content,
            phone=self.phone,
            network=self.network,
            coverage=self.coverage,
            mapping="" if self.mapping is None else str(self.mapping),
            jail=is_jailed(self.jail, no_jail=self.no_jail),
            anyway=self.anyway,
            reinstall=self.reinstall,
            farm=farm,
        )


@dataclass(frozen=True, slots=True)
class FarmDeviceOptions(DeviceOptions):
    """As `DeviceOptions`, on this machine or on a farm."""

    farm: Annotated[
        str | None,
        typer.Option("--farm", metavar="ADDRESS", help="Use the devices of this farm: tls://HOST:PORT; docs/farm.md."),
    ] = None

    @property
    def settings(self) -> DeviceSettings:
        """As settings. Raises UsageError for a value that is none, and for a farm that may not be spoken to."""
        if self.farm is not None:
            from fewtaps.farm.address import parse_address

            parse_address(self.farm)
        return self._settings_on(self.farm or "")

    @property
    def arguments(self) -> list[str]:
        """The options that differ from their defaults, as a user writes them: for a command that this one starts."""
        written: list[str] = []
        for each in fields(self):
            value = getattr(self, each.name)
            if value != each.default:
                option = f"--{each.name.replace('_', '-')}"
                written += [option] if value is True else [option, str(value)]
        return written

    def jobs(self, asked: int | None, usual: int, width: int | None = None) -> int:
        """How many jobs are given at once where several are due: as asked for, or `usual`, or a farm's number."""
        if asked is not None:
            return asked
        return min(FARM_JOBS, width or FARM_JOBS) if self.farm else usual


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """How an app is shown to adb."""

    port: Annotated[
        int, typer.Option("--port", help="The port of the first device; 0: any. adb finds 5555 to 5585 by itself.")
    ] = FIRST_ADB_PORT
    count: Annotated[int, typer.Option("--count", help="So many devices, on every second port.")] = 1
    time: Annotated[
        str, typer.Option("--time", help="How the app's time passes: steps, real, or a factor of real time.")
    ] = "steps"
    each_world: Annotated[
        bool, typer.Option("--each-world", help="Each run in the next world, as luck differs on a phone.")
    ] = False
    record: Annotated[
        Path | None,
        typer.Option("--record", help="Folder for a trace of each run. [default: fewtaps-APK's name/served]"),
    ] = None
    auth: Annotated[
        Path | None, typer.Option("--auth", help="Only hosts with a key of this file (adbkey.pub) may connect.")
    ] = None
    adb_server: Annotated[
        int | None, typer.Option("--adb-server", help="Answer as an adb server on this port, for clients without adb.")
    ] = None


@dataclass(frozen=True, slots=True)
class SlotOptions:
    """The devices that a machine lends to a farm; each is a slot."""

    twins: Annotated[
        int | None, typer.Option("--twins", help=f"For worker: lend so many devices of the kind {DEFAULT_BACKEND}.")
    ] = None
    adb: Annotated[
        str | None,
        typer.Option(
            "--adb", metavar="SERIALS", help="For worker: lend these phones, SERIAL,SERIAL; any: all that are there."
        ),
    ] = None
    device: Annotated[
        str | None, typer.Option("--device", help=f"For worker: lend devices of another kind: {BACKENDS}.")
    ] = None
    count: Annotated[int, typer.Option("--count", help="With --device: so many.")] = 1

    @property
    def names(self) -> tuple[str, ...]:
        """The device of each slot, as `--device` names it. Raises UsageError for one that is none, and for too many."""
        phones = [attached_device(serial) for serial in self.adb.split(",")] if self.adb is not None else []
        others = self.count * [self.device] if self.device is not None else []
        for name in (*phones, *others[:1]):
            parse_device(name)
        if len(set(phones)) < len(phones):
            raise UsageError(f"--adb {self.adb}: a phone is named twice")
        named = (*(self.twins or 0) * (DEFAULT_BACKEND,), *phones, *others)
        if len(named) > MOST_SLOTS or self.count < 1 or (self.twins is not None and self.twins < 1):
            raise UsageError(f"between 1 and {MOST_SLOTS} devices can be lent by one machine")
        return named


@dataclass(frozen=True, slots=True)
class ProjectOptions:
    """Which project is meant: one that is there."""

    named: Folder = None
    folder: Annotated[
        Path | None, typer.Option("--dir", help="The project folder, said as for `reduce` and `replay`.")
    ] = None

    @property
    def path(self) -> Path:
        """The project's folder. Raises UsageError if none is named, or two."""
        return project_folder(self.named, self.folder)


def project_folder(named: str | None, option: Path | None) -> Path:
    """The project that is meant: the folder an option or the argument names, or the usual one of an app.

    Raises UsageError if none is named, or two.
    """
    from fewtaps.cli.explore import default_folder

    if option is not None:
        if named is not None and Path(named).is_dir() and real_path(Path(named)) != real_path(option):
            raise UsageError(f"{named} and --dir {option}: one project at a time")
        return option
    if named is None:
        raise UsageError("say which project: its folder, the APK it was made from, or --dir DIR")
    path, usual = Path(named), default_folder(named)
    is_app = owner_of(named) is not None or path.suffix.lower() == ".apk" or (path.is_file() and usual.is_dir())
    return usual if is_app and not path.is_dir() else path


@dataclass(frozen=True, slots=True)
class StartOptions:
    """What an exploration plays first, what it keeps away from, and the numbers of its strategy."""

    prelude: Annotated[
        Path | None, typer.Option("--prelude", help="A trace to play first each time, a login for instance.")
    ] = None
    block: Annotated[
        list[str] | None,
        typer.Option("--block", help="Keep away from what matches: id:*logout*, text:Buy*, activity:*.Ads*, or any."),
    ] = None

    parameter: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the strategies; see docs/parameters.md."),
    ] = None

    @property
    def blocked(self) -> tuple[str, ...]:
        """The patterns of what is kept away from."""
        return tuple(self.block or ())

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters that are set, each as NAME=VALUE."""
        return tuple(self.parameter or ())


@dataclass(frozen=True, slots=True)
class VaryOptions:
    """In what the phones of an exploration differ."""

    vary: Annotated[
        str | None,
        typer.Option(
            "--vary",
            help=f"Play some episodes on other phones, which differ in: {', '.join(GROUPS)}. [default: all of them]",
        ),
    ] = None
    no_vary: Annotated[bool, typer.Option("--no-vary", help="Play all episodes on one phone.")] = False

    @property
    def names(self) -> tuple[str, ...] | None:
        """The settings that vary; None if nothing was said. Raises UsageError if both options were given."""
        if self.no_vary:
            if self.vary is not None:
                raise UsageError("--vary and --no-vary: one of them")
            return ()
        if self.vary is None:
            return None
        return tuple(name.replace("-", "_") for name in filter(None, map(str.strip, self.vary.split(","))))


@dataclass(frozen=True, slots=True)
class StageOptions:
    """Which stages a run leaves out, and whether it tells what each took."""

    no_suite: Annotated[bool, typer.Option("--no-suite", help="Make no suite of what was explored.")] = False
    no_slice: Annotated[bool, typer.Option("--no-slice", help="Do not find out why the crashes happen.")] = False
    no_pictures: Annotated[bool, typer.Option("--no-pictures", help="Keep no pictures of screens.")] = False
    budget_report: Annotated[
        bool, typer.Option("--budget-report", help="At the end, say where the seconds went, stage by stage.")
    ] = False


@dataclass(frozen=True, slots=True)
class FailureOptions:
    """When what was found is a failure, and where that is written for a CI server."""

    fail_on: Annotated[
        str, typer.Option("--fail-on", help=f"When to exit with 1: {', '.join(each.value for each in FailOn)}.")
    ] = FailOn.NEVER.value
    baseline: Annotated[
        Path | None,
        typer.Option("--baseline", help="Crashes that are known: what `fewtaps crashes DIR --json` printed."),
    ] = None
    junit: Annotated[Path | None, typer.Option("--junit", help="Write the crashes to this file as JUnit XML.")] = None

    @property
    def judging(self) -> Judging:
        """The same as a value. Raises UsageError for what makes no sense."""
        from fewtaps.cli.explore import Judging

        require_one_of("--fail-on", self.fail_on, tuple(each.value for each in FailOn))
        return Judging(FailOn(self.fail_on), self.baseline, self.junit)


@dataclass(frozen=True, slots=True)
class ExploreLimitOptions:
    """Limits of an exploration; the first that is reached ends it."""

    minutes: Annotated[
        float | None,
        typer.Option(
            "--minutes",
            help=f"Stop so many minutes after the device has started. [default: {DEFAULT_MINUTES:g} without any limit]",
        ),
    ] = None
    events: Annotated[
        int | None, typer.Option("--events", help="Stop after so many events, earlier parts included.")
    ] = None
    until_crashes: Annotated[
        int | None, typer.Option("--until-crashes", help="Stop when so many different crashes are found.")
    ] = None
    until_covered: Annotated[
        float | None, typer.Option("--until-covered", help="Stop when so many percent of the lines are covered.")
    ] = None

    @property
    def limits(self) -> ExploreLimits:
        """As settings. Raises UsageError for a limit that makes no sense."""
        return ExploreLimits(self.minutes, self.events, self.until_crashes, self.until_covered)


@dataclass(frozen=True, slots=True)
class ReduceLimitOptions:
    """When a reduction ends before its time."""

    minutes: Annotated[
        float | None,
        typer.Option(
            "--minutes", "--limit-time", help="Stop after so many minutes and keep the best; both names mean the same."
        ),
    ] = None
    runs: Annotated[int | None, typer.Option("--runs", help="Stop after so many runs.")] = None
    events: Annotated[int | None, typer.Option("--events", help="Stop after so many events.")] = None

    @property
    def seconds(self) -> float | None:
        """`--minutes` in seconds; None without a limit."""
        return None if self.minutes is None else self.minutes * 60


@dataclass(frozen=True, slots=True)
class ReduceMannerOptions:
    """What a reduction may change, and whether it may begin."""

    as_they_are: Annotated[
        bool, typer.Option("--as-they-are", help="Only leave events out; do not replace any by plainer ones.")
    ] = False
    trivial: Annotated[bool, typer.Option("--trivial", help="Accept that the launch alone does it.")] = False
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with an earlier reduction, and refuse to begin a new one.")
    ] = False


@dataclass(frozen=True, slots=True)
class GoalOptions:
    """What steps should do instead of crashing."""

    reaches: Annotated[str | None, typer.Option("--reaches", help="Instead of crashing: come to this activity.")] = None
    state: Annotated[
        str | None,
        typer.Option("--state", metavar="ID", help="Instead of crashing: come to this state (states --json)."),
    ] = None
    shows: Annotated[str | None, typer.Option("--shows", help="Instead of crashing: show this text.")] = None
    covers: Annotated[
        str | None, typer.Option("--covers", metavar="FILE:LINE", help="Instead of crashing: run this line.")
    ] = None
    test: Annotated[
        str | None,
        typer.Option(
            "--test",
            metavar="CMD",
            help="A program that is given a trace file; exit 0 is yes. Started without a shell: sh -c '…' has one.",
        ),
    ] = None

    @property
    def wish(self) -> GoalWish:
        """The one goal that is asked for. Raises UsageError for two."""
        wishes = {
            "reaches": self.reaches,
            "state": self.state,
            "shows": self.shows,
            "covers": self.covers,
            "test": self.test,
        }
        given = [GoalWish(kind, value) for kind, value in wishes.items() if value is not None]
        if len(given) > 1:
            raise UsageError(f"--{given[0].kind} and --{given[1].kind}: one goal at a time")
        return given[0] if given else GoalWish()


@dataclass(frozen=True, slots=True)
class FlakyOptions:
    """Whether and how candidates are run repeatedly."""

    flaky: Annotated[
        bool, typer.Option("--flaky", help="It happens only sometimes: run every candidate repeatedly, in many worlds.")
    ] = False
    schedule: Annotated[
        str, typer.Option("--schedule", help=f"With --flaky, what runs next: {', '.join(SCHEDULES)}.")
    ] = SCHEDULES[0]
    repeats: Annotated[int, typer.Option("--repeats", help="With --flaky: run a candidate at most so often.")] = 20
    needed: Annotated[
        int | None,
        typer.Option("--needed", help="With --flaky: of the repeats, so many have to do it. [default: 18 of 20]"),
    ] = None
    parts: Annotated[int, typer.Option("--parts", help="With --flaky and a schedule of ND3MIN: cut into so many.")] = 5
    per_step: Annotated[
        int, typer.Option("--per-step", help="With --flaky and a schedule of ND3MIN: plan so many runs at a time.")
    ] = 15
    precheck: Annotated[
        int | None,
        typer.Option("--precheck", help="With --flaky: of the repeats, so many of the original. [default: 15 of 20]"),
    ] = None
    confidence: Annotated[
        float, typer.Option("--confidence", help="With --flaky: how surely no step is superfluous.")
    ] = 0.6
    prior: Annotated[
        Path | None, typer.Option("--prior", metavar="FILE", help="With --flaky: a prior. [default: see fewtaps prior]")
    ] = None

    def settings(self, said: frozenset[str]) -> FlakySettings | None:
        """As settings, None without `--flaky`; `said` are the options on the command line.

        Raises UsageError for an option that would be ignored without `--flaky`.
        """
        if not self.flaky:
            for name in FlakySettings.__dataclass_fields__:
                if name in said:
                    option = name.replace("_", "-")
                    raise UsageError(f"--{option} is for flaky reductions: give --flaky too, or leave it out")
            return None
        return FlakySettings(
            self.schedule,
            self.repeats,
            self.needed,
            self.parts,
            self.per_step,
            self.precheck,
            self.confidence,
            self.prior,
        )


@dataclass(frozen=True, slots=True)
class SliceCriterionOptions:
    """What a slice starts from, besides a line."""

    of: Annotated[
        str | None, typer.Option("--of", metavar="NAME", help="Slice from this local, field or argument of the line.")
    ] = None
    event: Annotated[
        int | None, typer.Option("--event", metavar="N", help="Slice from the line as it ran in this step; 0: launch.")
    ] = None
    why: Annotated[
        str | None,
        typer.Option("--why", metavar="FILE:LINE", help="Say how this line led to the crash, or why it has no part."),
    ] = None


@dataclass(frozen=True, slots=True)
class SliceMannerOptions:
    """How a slice is made."""

    thin: Annotated[
        bool, typer.Option("--thin", help="Only the lines through which the value came: no conditions, no calls.")
    ] = False
    as_paper: Annotated[
        bool, typer.Option("--as-paper", help="Slice by ESDroid's Algorithm 2 as printed, for comparison.")
    ] = False
    record: Annotated[
        list[str] | None,
        typer.Option(
            "--record", metavar="all|app|PACKAGE", help="Record all classes of the APK, the app's own, or packages."
        ),
    ] = None
    record_mb: Annotated[
        int, typer.Option("--record-mb", help="Largest recording in MB; a longer run is recorded in several parts.")
    ] = DEFAULT_RECORD_MEGABYTES
    summaries: Annotated[
        Path | None,
        typer.Option("--summaries", metavar="FILE", help="Add these summaries of calls without code here."),
    ] = None
    check: Annotated[
        bool, typer.Option("--check", help="Replay once more: does each read see what the slice says was written?")
    ] = False

    @property
    def scope(self) -> tuple[str, ...]:
        """The code that is recorded, as `RecordWish.scope` has it; by default all."""
        return tuple(self.record or ("all",))


@dataclass(frozen=True, slots=True)
class SliceOutputOptions:
    """How a slice is shown or written."""

    sources: Annotated[
        list[Path] | None,
        typer.Option("--sources", metavar="DIR", help="Show source lines from this folder; can be repeated."),
    ] = None
    log: Annotated[bool, typer.Option("--log", help="Print every executed instruction instead of a slice.")] = False
    format: Annotated[str | None, typer.Option("--format", help=f"Write the slice as {', '.join(SLICE_FORMATS)}.")] = (
        None
    )
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="With --format: the file. [default: the standard output]")
    ] = None


@dataclass(frozen=True, slots=True)
class SuiteMannerOptions:
    """How traces are reduced to a suite."""

    worlds: Annotated[int, typer.Option("--worlds", help="A test has to replay in so many worlds.")] = 10
    abstraction: Annotated[
        str, typer.Option("--abstraction", help=f"Which screens are one state: {', '.join(SUITE_ABSTRACTIONS)}.")
    ] = SUITE_ABSTRACTIONS[0]
    cover: Annotated[str, typer.Option("--cover", help=f"What is kept, separated by commas: {', '.join(COVERED)}.")] = (
        ",".join(USUALLY_COVERED)
    )
    no_crashes: Annotated[bool, typer.Option("--no-crashes", help="Crashes need not be kept.")] = False
    fragments: Annotated[
        int, typer.Option("--fragments", metavar="K", help="Join at most so many fragments of traces to one test.")
    ] = 3
    as_paper: Annotated[
        bool, typer.Option("--as-paper", help="Do everything in the order of DetReduce, for comparison.")
    ] = False
    launch_cost: Annotated[
        int | None,
        typer.Option("--launch-cost", metavar="EVENTS", help="A restart is worth so many events. [default: measured]"),
    ] = None

    @property
    def covered(self) -> tuple[str, ...]:
        """The kinds of coverage to be kept."""
        names = [name.strip() for name in self.cover.split(",") if name.strip()]
        return tuple(name for name in names if name != "crashes" or not self.no_crashes)


@dataclass(frozen=True, slots=True)
class SuiteChoiceOptions:
    """Which tests of a suite are run."""

    name: Annotated[
        list[str] | None,
        typer.Option("-k", metavar="NAME", help="Run only tests with this in their names; * and ? stand for anything."),
    ] = None
    exitfirst: Annotated[bool, typer.Option("-x", "--exitfirst", help="Stop at the first test that fails.")] = False
    last_failed: Annotated[
        bool, typer.Option("--last-failed", "--lf", help="Run only the tests that failed the last time.")
    ] = False
    changed_since: Annotated[
        str | None,
        typer.Option("--changed-since", metavar="OLD.APK", help="Run only tests that reach classes changed since."),
    ] = None
    shard: Annotated[
        str | None, typer.Option("--shard", metavar="N/OF", help="Run one part of the suite, such as 1/4.")
    ] = None
    minutes: Annotated[
        float | None, typer.Option("--minutes", help="Begin no test after so many minutes, and say what is left out.")
    ] = None

    @property
    def names(self) -> tuple[str, ...]:
        """Parts of the names of the tests that run; none for all tests."""
        return tuple(self.name or ())

    @property
    def division(self) -> tuple[int, int] | None:
        """Which shard of how many. Raises UsageError for a text that is none."""
        return None if self.shard is None else parse_shard(self.shard)


@dataclass(frozen=True, slots=True)
class SuiteUpdateOptions:
    """Whether tests are rewritten to what was seen."""

    update: Annotated[
        bool,
        typer.Option("--update", help="Rewrite what failed or was healed: shows the changes first, and asks."),
    ] = False
    yes: Annotated[bool, typer.Option("--yes", help="With --update: do not ask.")] = False
    pictures: Annotated[
        bool, typer.Option("--pictures", help="With --update: expect a picture of each step too, of tests that pass.")
    ] = False


@dataclass(frozen=True, slots=True)
class MutantChoiceOptions:
    """Which mutants of an app are played."""

    mutants: Annotated[
        int, typer.Option("--mutants", help="Play so many mutants, each operator and class by its share.")
    ] = DEFAULT_MUTANTS
    seed: Annotated[int, typer.Option("--seed", help="Decides which mutants are played.")] = 1
    operator: Annotated[
        list[str] | None,
        typer.Option(
            "--operator",
            help=f"One of PIT's operators, default or all; can be repeated. Not among the default ones: "
            f"{', '.join(MORE_MUTATION_OPERATORS)}. [default: default]",
        ),
    ] = None
    minutes: Annotated[float | None, typer.Option("--minutes", help="Begin no mutant after so many minutes.")] = None


@dataclass(frozen=True, slots=True)
class SuiteOutputOptions:
    """Where the results of a suite's run go besides the terminal."""

    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="DIR", help="Write pages, and the results for `report --merge`, here."),
    ] = None
    junit: Annotated[Path | None, typer.Option("--junit", help="Write the results to this file as JUnit XML.")] = None


@dataclass(frozen=True, slots=True)
class LogOptions:
    """The options of the whole program that say what is logged, behind the name of a command too."""

    verbose: Annotated[int, typer.Option("--verbose", "-v", count=True, hidden=True, help=VERBOSE_HELP)] = 0
    log_texts: Annotated[bool, typer.Option("--log-texts", hidden=True, help=LOG_TEXTS_HELP)] = False

    def apply(self) -> None:
        """Adds to what the options before the command chose."""
        current_log().speak(self.verbose, with_texts=self.log_texts)


def is_ci() -> bool:
    """Whether the program runs on a CI server, which sets `CI`."""
    return os.environ.get("CI", "").lower() not in ("", "0", "false", "no")


_SETTINGS = {"device": "backend", "parameter": "parameters", "no_pictures": "pictures", "no_vary": "vary"}
"""The settings that are named otherwise than their options."""


def options_said(context: typer.Context) -> frozenset[str]:
    """The names of the settings whose options stand on the command line, also with default values."""
    names = (
        name
        for name in context.params
        if (source := context.get_parameter_source(name)) is not None and source.name == "COMMANDLINE"
    )
    return frozenset(_SETTINGS.get(name, name) for name in names)

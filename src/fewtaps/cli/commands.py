"""The commands with their options and help; each hands over to a module of its own, imported when it is called.

The late imports keep `fewtaps --help` fast: a device backend costs more time than printing the help.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from fewtaps.config import (
    AIMS,
    COVERAGES,
    DEFAULT_MINUTES,
    DEFAULT_PATIENCE,
    EXPORTED,
    FAIL_ON,
    NEIGHBOURS,
    NETWORKS,
    PERMISSIONS,
    RATE_WORLDS,
    READABLE,
    REDUCERS,
    SCHEDULES,
    STRATEGIES,
    WRITABLE,
    DeviceSettings,
    ExploreLimits,
    ExploreSettings,
    FlakySettings,
    GoalWish,
    PlaySettings,
    ReduceSettings,
    ReplaySettings,
    RunSettings,
    usual_jobs,
)
from fewtaps.device.registry import DEFAULT_BACKEND, owner_of, usable
from fewtaps.errors import UsageError

BACKENDS = ", ".join(backend.written for backend in usable())
PROGRAMS = ", or ".join(f"{each.app_prefix}NAME for a {each.name} one" for each in usable() if each.app_prefix)
APK_HELP = f"The app: an APK file, or {PROGRAMS}."
Width = Annotated[
    int | None,
    typer.Option(
        "--width",
        help="Episodes planned ahead; seed and width decide an exploration, however many devices share it. "
        "[default: 1 for one device, 8 for several]",
    ),
]

ApkArgument = Annotated[str, typer.Argument(metavar="APK", help=APK_HELP, show_default=False)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for a program instead of text for a person.")]
Device = Annotated[
    str | None, typer.Option("--device", help=f"Where the app runs: {BACKENDS}. [default: {DEFAULT_BACKEND}]")
]
Profile = Annotated[
    str | None, typer.Option("--profile", help="The kind of phone: default, mi1, mi5, small, tall, tablet7, tablet10.")
]
Api = Annotated[int | None, typer.Option("--api", help="Android's API level. [default: one that suits the app]")]
Permissions = Annotated[str, typer.Option("--permissions", help=f"Dangerous permissions: {', '.join(PERMISSIONS)}.")]
Neighbours = Annotated[
    str, typer.Option("--neighbours", help=f"Contacts, browser, gallery and the like: {', '.join(NEIGHBOURS)}.")
]
Network = Annotated[str, typer.Option("--network", help=f"What the app finds of the internet: {', '.join(NETWORKS)}.")]
Coverage = Annotated[str, typer.Option("--coverage", help=f"Which code to observe: {', '.join(COVERAGES)}.")]
NoJail = Annotated[
    bool, typer.Option("--no-jail", help="Run the app's code without the jail. Only for apps you trust.")
]
Anyway = Annotated[bool, typer.Option("--anyway", help="Try an app that was found unable to run.")]


FOLDER_HELP = "The project folder that `fewtaps run` or `explore` wrote, or the APK it was made from."
Folder = Annotated[str | None, typer.Argument(metavar="DIR|APK", help=FOLDER_HELP, show_default=False)]
FolderOption = Annotated[
    Path | None, typer.Option("--dir", help="The project folder, said as for `reduce` and `replay`.")
]


def project_folder(named: str | None, option: Path | None) -> Path:
    """The project that is meant: the folder an option or the argument names, or the usual one of an app.

    Raises UsageError if none is named, or two.
    """
    from fewtaps.cli.explore import default_folder

    if option is not None:
        if named is not None and Path(named).is_dir() and Path(named).resolve() != option.resolve():
            raise UsageError(f"{named} and --dir {option}: one project at a time")
        return option
    if named is None:
        raise UsageError("say which project: its folder, the APK it was made from, or --dir DIR")
    path, usual = Path(named), default_folder(named)
    is_app = owner_of(named) is not None or path.suffix.lower() == ".apk" or (path.is_file() and usual.is_dir())
    return usual if is_app and not path.is_dir() else path


def doctor(as_json: Json = False) -> None:
    """Check what this machine has: Java, jars, the bridge, the jail, adb. Says what to do about what is missing.

    \b
    Example:  fewtaps doctor
    """
    from fewtaps.cli.doctor import run_doctor

    raise typer.Exit(run_doctor(as_json))


def show(apk: ApkArgument, as_json: Json = False) -> None:
    """Show what an app is: package, activities, permissions, SDK, native code, and what the twin will and will not do.

    \b
    Example:  fewtaps show app.apk
    """
    from fewtaps.cli.show import run_show

    run_show(apk, as_json)


def play(
    apk: ApkArgument,
    trace: Annotated[
        Path, typer.Argument(metavar="TRACE", help="The steps: a trace file (JSON Lines).", show_default=False)
    ],
    world: Annotated[
        int | None, typer.Option("--world", help="The world to play in. [default: the trace's own]")
    ] = None,
    worlds: Annotated[int, typer.Option("--worlds", help="Play in so many worlds and give the reproduction rate.")] = 1,
    screenshots: Annotated[
        Path | None, typer.Option("--screenshots", help="Folder for a picture of each step.")
    ] = None,
    by: Annotated[str, typer.Option("--by", help=f"Find the widgets by {' or '.join(AIMS)}.")] = "selector",
    jacoco: Annotated[
        Path | None, typer.Option("--jacoco", help="Write the coverage to this file as jacoco.xml.")
    ] = None,
    fail_on_crash: Annotated[bool, typer.Option("--fail-on-crash", help="Exit with 1 if the app crashed.")] = False,
    device: Device = None,
    profile: Profile = None,
    api: Api = None,
    permissions: Permissions = "granted",
    neighbours: Neighbours = "present",
    network: Network = "offline",
    coverage: Coverage = "app",
    no_jail: NoJail = False,
    anyway: Anyway = False,
    as_json: Json = False,
) -> None:
    """Play a trace and show each step as it happens, the crash if there is one, coverage, and the reproduction rate.

    \b
    Example:  fewtaps play app.apk crash.jsonl
              fewtaps play app.apk crash.jsonl --worlds 20
              fewtaps play sim:bill crash.jsonl --json
    """
    from fewtaps.cli.play import run_play

    where = DeviceSettings(
        backend=device, profile=profile, api=api, permissions=permissions, neighbours=neighbours, network=network,
        coverage=coverage, jail=not no_jail, anyway=anyway,
    )  # fmt: skip
    settings = PlaySettings(where, world=world, worlds=worlds, by=by, screenshots=screenshots, jacoco=jacoco)
    raise typer.Exit(run_play(apk, trace, settings, fail_on_crash, as_json))


def tap(
    apk: ApkArgument,
    world: Annotated[int, typer.Option("--world", help="The world to play in.")] = 0,
    device: Device = None,
    profile: Profile = None,
    api: Api = None,
    permissions: Permissions = "granted",
    neighbours: Neighbours = "present",
    network: Network = "offline",
    coverage: Coverage = "app",
    no_jail: NoJail = False,
    anyway: Anyway = False,
    as_json: Json = False,
) -> None:
    """Use an app from the terminal: see the screen as a numbered list, type a number to tap, `help` for the rest.

    \b
    Example:  fewtaps tap app.apk
              printf '%s\\n' 3 back 'save trace.jsonl' | fewtaps tap app.apk
    """
    from fewtaps.cli.tap import run_tap

    where = DeviceSettings(
        backend=device, profile=profile, api=api, permissions=permissions, neighbours=neighbours, network=network,
        coverage=coverage, jail=not no_jail, anyway=anyway,
    )  # fmt: skip
    run_tap(apk, world, where, as_json)


def run(
    context: typer.Context,
    apk: ApkArgument,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", "--dir", help="The project folder. [default: fewtaps-APK's name]")
    ] = None,
    minutes: Annotated[
        float, typer.Option("--minutes", help="The time for everything, the start of the first device aside.")
    ] = DEFAULT_MINUTES,
    events: Annotated[int | None, typer.Option("--events", help="Stop exploring after so many events.")] = None,
    patience: Annotated[
        int, typer.Option("--patience", help="Stop exploring after so many events without anything new; 0: never.")
    ] = DEFAULT_PATIENCE,
    worlds: Annotated[
        int, typer.Option("--worlds", help="Replay each crash in so many worlds, for its reproduction rate.")
    ] = RATE_WORLDS,
    seed: Annotated[
        int, typer.Option("--seed", help=f"The same seed repeats the exploration on the {DEFAULT_BACKEND}.")
    ] = 1,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", "-j", help="So many devices share the work. [default: one for each core, two at most]"),
    ] = None,
    width: Width = None,
    prelude: Annotated[
        Path | None, typer.Option("--prelude", help="A trace to play first each time, a login for instance.")
    ] = None,
    block: Annotated[
        list[str] | None,
        typer.Option("--block", help="Keep away from what matches: id:*logout*, text:Buy*, activity:*.Ads*, or any."),
    ] = None,
    fail_on: Annotated[str, typer.Option("--fail-on", help=f"When to exit with 1: {', '.join(FAIL_ON)}.")] = FAIL_ON[0],
    baseline: Annotated[
        Path | None,
        typer.Option("--baseline", help="Crashes that are known: what `fewtaps crashes DIR --json` printed."),
    ] = None,
    junit: Annotated[Path | None, typer.Option("--junit", help="Write the crashes to this file as JUnit XML.")] = None,
    device: Device = None,
    profile: Profile = None,
    api: Api = None,
    permissions: Permissions = "granted",
    neighbours: Neighbours = "present",
    network: Network = "offline",
    coverage: Coverage = "app",
    no_jail: NoJail = False,
    anyway: Anyway = False,
    as_json: Json = False,
) -> None:
    """Find the crashes of an app, reduce each to few steps, replay these for their rate, and write a report.

    The same command again goes on where it was, or was killed, and does nothing twice.

    \b
    Example:  fewtaps run app.apk
              fewtaps run app.apk --minutes 20 -j 2 --prelude login.jsonl -o nightly
              fewtaps run app.apk --fail-on new-crash --baseline known.json --junit crashes.xml
    """
    from fewtaps.cli.explore import Judging, default_folder
    from fewtaps.cli.run import run_run

    where = DeviceSettings(
        backend=device, profile=profile, api=api, permissions=permissions, neighbours=neighbours, network=network,
        coverage=coverage, jail=not no_jail, anyway=anyway,
    )  # fmt: skip
    settings = RunSettings(
        folder=output or default_folder(apk), device=where, minutes=minutes, events=events, patience=patience,
        worlds=worlds, seed=seed, jobs=usual_jobs() if jobs is None else jobs, width=width, prelude=prelude,
        block=tuple(block or ()), said=_said(context),
    )  # fmt: skip
    raise typer.Exit(run_run(apk, settings, Judging(fail_on, baseline, junit), as_json))


def explore(
    context: typer.Context,
    apk: ApkArgument,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", "--dir", help="The project folder. [default: fewtaps-APK's name]")
    ] = None,
    minutes: Annotated[
        float | None,
        typer.Option(
            "--minutes",
            help=f"Stop so many minutes after the device has started. [default: {DEFAULT_MINUTES:g} without any limit]",
        ),
    ] = None,
    events: Annotated[
        int | None, typer.Option("--events", help="Stop after so many events, earlier parts included.")
    ] = None,
    until_crashes: Annotated[
        int | None, typer.Option("--until-crashes", help="Stop when so many different crashes are found.")
    ] = None,
    until_covered: Annotated[
        float | None, typer.Option("--until-covered", help="Stop when so many percent of the lines are covered.")
    ] = None,
    strategy: Annotated[
        str, typer.Option("--strategy", help=f"How to choose events: {', '.join(STRATEGIES)}.")
    ] = STRATEGIES[0],
    seed: Annotated[
        int, typer.Option("--seed", help=f"The same seed repeats the whole exploration on the {DEFAULT_BACKEND}.")
    ] = 1,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", help="So many devices share the work. [default: 1]")
    ] = None,
    width: Width = None,
    worlds: Annotated[int, typer.Option("--worlds", help="Fresh starts take turns in so many worlds.")] = 4,
    prelude: Annotated[
        Path | None, typer.Option("--prelude", help="A trace to play first each time, a login for instance.")
    ] = None,
    block: Annotated[
        list[str] | None,
        typer.Option("--block", help="Keep away from what matches: id:*logout*, text:Buy*, activity:*.Ads*, or any."),
    ] = None,
    parameter: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the strategies; see docs/algorithms.md."),
    ] = None,
    no_pictures: Annotated[bool, typer.Option("--no-pictures", help="Keep no pictures of new screens.")] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the last exploration in the folder.")] = False,
    fail_on: Annotated[str, typer.Option("--fail-on", help=f"When to exit with 1: {', '.join(FAIL_ON)}.")] = FAIL_ON[0],
    baseline: Annotated[
        Path | None,
        typer.Option("--baseline", help="Crashes that are known: what `fewtaps crashes DIR --json` printed."),
    ] = None,
    junit: Annotated[Path | None, typer.Option("--junit", help="Write the crashes to this file as JUnit XML.")] = None,
    device: Device = None,
    profile: Profile = None,
    api: Api = None,
    permissions: Permissions = "granted",
    neighbours: Neighbours = "present",
    network: Network = "offline",
    coverage: Coverage = "app",
    no_jail: NoJail = False,
    anyway: Anyway = False,
    as_json: Json = False,
) -> None:
    """Explore an app and find its crashes. Everything is kept as it happens; kill it at any moment and `--resume`.

    \b
    Example:  fewtaps explore app.apk --minutes 10
              fewtaps explore app.apk -j 2 --prelude login.jsonl --block 'text:Log out'
              fewtaps explore app.apk --fail-on new-crash --baseline known.json --junit crashes.xml
    """
    from fewtaps.cli.explore import Judging, default_folder, run_explore

    where = DeviceSettings(
        backend=device, profile=profile, api=api, permissions=permissions, neighbours=neighbours, network=network,
        coverage=coverage, jail=not no_jail, anyway=anyway,
    )  # fmt: skip
    settings = ExploreSettings(
        folder=output or default_folder(apk), device=where, strategy=strategy, parameters=tuple(parameter or ()),
        limits=ExploreLimits(minutes, events, until_crashes, until_covered), seed=seed, jobs=jobs, width=width,
        worlds=worlds, prelude=prelude, block=tuple(block or ()), pictures=not no_pictures, resume=resume,
        said=_said(context),
    )  # fmt: skip
    raise typer.Exit(run_explore(apk, settings, Judging(fail_on, baseline, junit), as_json))


TRACE_HELP = "A trace file, a recording of another tool, or the id of a crash of the project."
TraceArgument = Annotated[str, typer.Argument(metavar="TRACE", help=TRACE_HELP, show_default=False)]
Project = Annotated[Path | None, typer.Option("--dir", help="The project folder. [default: fewtaps-APK's name]")]
Reaches = Annotated[str | None, typer.Option("--reaches", help="Instead of crashing: come to this activity.")]
State = Annotated[
    str | None, typer.Option("--state", metavar="ID", help="Instead of crashing: come to this state (states --json).")
]
Shows = Annotated[str | None, typer.Option("--shows", help="Instead of crashing: show this text.")]
Covers = Annotated[
    str | None, typer.Option("--covers", metavar="FILE:LINE", help="Instead of crashing: run this line.")
]
Test = Annotated[
    str | None,
    typer.Option(
        "--test",
        metavar="CMD",
        help="A program that is given a trace file; exit 0 is yes. Started without a shell: sh -c '…' has one.",
    ),
]
World = Annotated[int | None, typer.Option("--world", help="The world to play in. [default: the trace's own]")]
Aim = Annotated[str, typer.Option("--by", help=f"Find the widgets by {' or '.join(AIMS)}.")]


def _wish(reaches: str | None, state: str | None, shows: str | None, covers: str | None, test: str | None) -> GoalWish:
    wishes = {"reaches": reaches, "state": state, "shows": shows, "covers": covers, "test": test}
    given = [GoalWish(kind, value) for kind, value in wishes.items() if value is not None]
    if len(given) > 1:
        raise UsageError(f"--{given[0].kind} and --{given[1].kind}: one goal at a time")
    return given[0] if given else GoalWish()


def replay(
    apk: ApkArgument,
    trace: TraceArgument,
    worlds: Annotated[int, typer.Option("--worlds", help="Replay in so many worlds.")] = 20,
    world: Annotated[
        int | None, typer.Option("--world", help="The first of the worlds. [default: the trace's own]")
    ] = None,
    folder: Project = None,
    screenshots: Annotated[
        Path | None, typer.Option("--screenshots", help="Folder for a picture of the screen of each step.")
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="So many devices share the worlds.")] = 1,
    reaches: Reaches = None,
    state: State = None,
    shows: Shows = None,
    covers: Covers = None,
    test: Test = None,
    by: Aim = "selector",
    fail_on_crash: Annotated[
        bool, typer.Option("--fail-on-crash", help="Exit with 1 if the steps still do it in some world.")
    ] = False,
    device: Device = None,
    profile: Profile = None,
    api: Api = None,
    permissions: Permissions = "granted",
    neighbours: Neighbours = "present",
    network: Network = "offline",
    no_jail: NoJail = False,
    anyway: Anyway = False,
    as_json: Json = False,
) -> None:
    """Replay a crash: its steps for a person to follow, a picture of each, and in how many worlds it comes back.

    \b
    Example:  fewtaps replay app.apk crash.jsonl
              fewtaps replay app.apk 3f9a --dir fewtaps-app --worlds 100 -j 2
              fewtaps replay app.apk crash.monkey --screenshots pictures --fail-on-crash
    """
    from fewtaps.cli.explore import default_folder
    from fewtaps.cli.replay import run_replay

    where = DeviceSettings(
        backend=device, profile=profile, api=api, permissions=permissions, neighbours=neighbours, network=network,
        jail=not no_jail, anyway=anyway,
    )  # fmt: skip
    settings = ReplaySettings(
        folder=folder or default_folder(apk), device=where, goal=_wish(reaches, state, shows, covers, test),
        world=world, worlds=worlds, by=by, jobs=jobs, screenshots=screenshots,
    )  # fmt: skip
    raise typer.Exit(run_replay(apk, trace, settings, fail_on_crash, as_json))


def reduce(
    context: typer.Context,
    apk: ApkArgument,
    trace: TraceArgument,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where the short trace goes. [default: TRACE.reduced.jsonl]")
    ] = None,
    folder: Project = None,
    strategy: Annotated[str, typer.Option("--strategy", help=f"How to reduce: {', '.join(REDUCERS)}.")] = REDUCERS[0],
    reaches: Reaches = None,
    state: State = None,
    shows: Shows = None,
    covers: Covers = None,
    test: Test = None,
    world: World = None,
    worlds: Annotated[
        int, typer.Option("--worlds", help="Replay the result in so many worlds and give the reproduction rate.")
    ] = 10,
    by: Aim = "selector",
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Try so many candidates at once.")] = 1,
    minutes: Annotated[
        float | None,
        typer.Option(
            "--minutes", "--limit-time", help="Stop after so many minutes and keep the best; both names mean the same."
        ),
    ] = None,
    runs: Annotated[int | None, typer.Option("--runs", help="Stop after so many runs.")] = None,
    events: Annotated[int | None, typer.Option("--events", help="Stop after so many events.")] = None,
    as_they_are: Annotated[
        bool, typer.Option("--as-they-are", help="Only leave events out; do not replace any by plainer ones.")
    ] = False,
    trivial: Annotated[bool, typer.Option("--trivial", help="Accept that the launch alone does it.")] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with an earlier reduction, and refuse to begin a new one.")
    ] = False,
    flaky: Annotated[
        bool, typer.Option("--flaky", help="It happens only sometimes: run every candidate repeatedly, in many worlds.")
    ] = False,
    schedule: Annotated[
        str, typer.Option("--schedule", help=f"With --flaky, what runs next: {', '.join(SCHEDULES)}.")
    ] = SCHEDULES[0],
    repeats: Annotated[int, typer.Option("--repeats", help="With --flaky: run a candidate at most so often.")] = 20,
    needed: Annotated[
        int | None,
        typer.Option("--needed", help="With --flaky: of the repeats, so many have to do it. [default: 18 of 20]"),
    ] = None,
    parts: Annotated[int, typer.Option("--parts", help="With --flaky and a schedule of ND3MIN: cut into so many.")] = 5,
    per_step: Annotated[
        int, typer.Option("--per-step", help="With --flaky and a schedule of ND3MIN: plan so many runs at a time.")
    ] = 15,
    precheck: Annotated[
        int | None,
        typer.Option("--precheck", help="With --flaky: of the repeats, so many of the original. [default: 15 of 20]"),
    ] = None,
    confidence: Annotated[
        float, typer.Option("--confidence", help="With --flaky: how surely no step is superfluous.")
    ] = 0.6,
    prior: Annotated[
        Path | None, typer.Option("--prior", metavar="FILE", help="With --flaky: a prior. [default: see fewtaps prior]")
    ] = None,
    device: Device = None,
    profile: Profile = None,
    api: Api = None,
    permissions: Permissions = "granted",
    neighbours: Neighbours = "present",
    network: Network = "offline",
    no_jail: NoJail = False,
    anyway: Anyway = False,
    as_json: Json = False,
) -> None:
    """Reduce a trace to the few steps that still show the same crash. Killed, the same command goes on.

    \b
    Example:  fewtaps reduce app.apk crash.jsonl
              fewtaps reduce app.apk 3f9a --dir fewtaps-app -j 2 --worlds 20
              fewtaps reduce app.apk walk.jsonl --reaches com.example.SettingsActivity
              fewtaps reduce app.apk crash.jsonl --flaky --needed 8 --worlds 100
    """
    from fewtaps.cli.explore import default_folder
    from fewtaps.cli.reduce import run_reduce

    where = DeviceSettings(
        backend=device, profile=profile, api=api, permissions=permissions, neighbours=neighbours, network=network,
        jail=not no_jail, anyway=anyway,
    )  # fmt: skip
    if not flaky:
        _refuse_without_flaky(context)
    how_flaky = (
        FlakySettings(schedule, repeats, needed, parts, per_step, precheck, confidence, prior) if flaky else None
    )
    settings = ReduceSettings(
        folder=folder or default_folder(apk), device=where, goal=_wish(reaches, state, shows, covers, test),
        strategy=strategy, output=output, world=world, worlds=worlds, by=by, jobs=jobs,
        seconds=None if minutes is None else minutes * 60, runs=runs, events=events,
        plainer=not as_they_are, trivial=trivial, resume=resume, flaky=how_flaky,
    )  # fmt: skip
    raise typer.Exit(run_reduce(apk, trace, settings, as_json))


FLAKY_ONLY = ("schedule", "repeats", "needed", "parts", "per_step", "precheck", "confidence", "prior")


def _refuse_without_flaky(context: typer.Context) -> None:
    """What would be ignored is better said."""
    said = _said(context)
    for name in FLAKY_ONLY:
        if name in said:
            raise UsageError(f"--{name.replace('_', '-')} is for flaky reductions: give --flaky too, or leave it out")


def _said(context: typer.Context) -> frozenset[str]:
    """The names of the options that stand on the command line, whatever their values."""
    names = (
        name
        for name in context.params
        if (source := context.get_parameter_source(name)) is not None and source.name == "COMMANDLINE"
    )
    return frozenset(_SETTINGS.get(name, name) for name in names)


_SETTINGS = {"device": "backend", "parameter": "parameters", "no_pictures": "pictures"}
"""The settings that are named otherwise than their options."""


def crashes(
    named: Folder = None,
    folder: FolderOption = None,
    show_crash: Annotated[
        str | None, typer.Option("--show", metavar="ID", help="One crash: its stack and its shortest steps.")
    ] = None,
    save: Annotated[
        Path | None, typer.Option("--save", metavar="TRACE", help="With --show: write the shortest trace to this file.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the crashes of a project: what, where, how often, the shortest trace, suspect or not.

    \b
    Example:  fewtaps crashes fewtaps-app
              fewtaps crashes fewtaps-app --show 3f9a --save crash.jsonl
              fewtaps crashes fewtaps-app --json > known.json
    """
    from fewtaps.cli.crashes import run_crashes

    run_crashes(project_folder(named, folder), show_crash, save, as_json)


def coverage(
    named: Folder = None,
    folder: FolderOption = None,
    xml: Annotated[Path | None, typer.Option("--xml", help="Write jacoco.xml to this file.")] = None,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write JaCoCo's HTML report into this new folder.")
    ] = None,
    sources: Annotated[
        list[Path] | None, typer.Option("--sources", help="A folder of the app's sources, for --html.")
    ] = None,
    apk: Annotated[
        str | None, typer.Option("--apk", help="Where the APK is now, for --xml and --html. [default: where it was]")
    ] = None,
    classes: Annotated[int, typer.Option("--classes", help="Show so many classes, the least covered first.")] = 20,
    no_jail: NoJail = False,
    as_json: Json = False,
) -> None:
    """Show what code an exploration covered, per package and class; writes jacoco.xml and JaCoCo's HTML.

    \b
    Example:  fewtaps coverage fewtaps-app
              fewtaps coverage fewtaps-app --xml jacoco.xml --html coverage --sources app/src/main/java
    """
    from fewtaps.cli.coverage import run_coverage

    run_coverage(project_folder(named, folder), xml, html, tuple(sources or ()), apk, classes, not no_jail, as_json)


def states(
    named: Folder = None,
    folder: FolderOption = None,
    svg: Annotated[Path | None, typer.Option("--svg", help="Draw the graph into this file.")] = None,
    graphml: Annotated[Path | None, typer.Option("--graphml", help="Write the graph for other tools.")] = None,
    as_json: Json = False,
) -> None:
    """Show the states an exploration saw and the transitions between them; as SVG, as GraphML.

    \b
    Example:  fewtaps states fewtaps-app --svg states.svg --graphml states.graphml
    """
    from fewtaps.cli.states import run_states

    run_states(project_folder(named, folder), svg, graphml, as_json)


def report(
    named: Folder = None,
    folder: FolderOption = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Where the report goes. [default: DIR/report]")
    ] = None,
    as_json: Json = False,
) -> None:
    """Build the report of a project: a folder of pages that open from disk, in any browser, without a network.

    An earlier report stays until the new one is complete.

    \b
    Example:  fewtaps report fewtaps-app
              fewtaps report app.apk
              fewtaps report fewtaps-app -o public/crashes
    """
    from fewtaps.cli.report import run_report

    run_report(project_folder(named, folder), output, as_json)


def serve(
    named: Folder = None,
    folder: FolderOption = None,
    port: Annotated[
        int,
        typer.Option(
            "--port", help="The port; 0, the default, is any that is free.", show_default=False, min=0, max=65535
        ),
    ] = 0,
    as_json: Json = False,
) -> None:
    """Show the report in a browser and keep it up to date while a run goes on. Only this machine can see it.

    \b
    Example:  fewtaps serve fewtaps-app
    """
    from fewtaps.cli.serve import run_serve

    run_serve(project_folder(named, folder), port, as_json)


def convert(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="IN", help="A trace, or a recording of another tool; see docs/formats.md.", show_default=False
        ),
    ],
    target: Annotated[
        Path,
        typer.Argument(
            metavar="OUT", help="The file to write: .sh for adb, .monkey for Monkey, else a trace.", show_default=False
        ),
    ],
    source_format: Annotated[
        str | None, typer.Option("--from", help=f"The format of IN: {', '.join(READABLE)}. [default: by its content]")
    ] = None,
    target_format: Annotated[
        str | None, typer.Option("--to", help=f"The format of OUT: {', '.join(WRITABLE)}. [default: by its name]")
    ] = None,
    profile: Profile = None,
    package: Annotated[
        str | None, typer.Option("--package", help="The app's package. [default: the one that IN names]")
    ] = None,
    as_json: Json = False,
) -> None:
    """Turn a Monkey script, a log or another tool's recording into a trace, or a trace into a script for a phone.

    \b
    Example:  fewtaps convert script.monkey crash.jsonl --profile mi5
              fewtaps convert droidbot-output trace.jsonl
              fewtaps convert crash.jsonl crash.sh
    """
    from fewtaps.cli.convert import run_convert

    run_convert(source, target, source_format, target_format, profile, package, as_json)


def export(
    wanted: Annotated[
        str, typer.Argument(metavar="FORMAT", help=f"One of {', '.join(EXPORTED)}, or all.", show_default=False)
    ],
    apk: Annotated[
        str,
        typer.Argument(metavar="APK|DIR", help="The app, or the project folder of its crashes.", show_default=False),
    ],
    crash: Annotated[
        str, typer.Argument(metavar="CRASH", help="The id of a crash of the project, or a trace.", show_default=False)
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The file or the folder to write. [default: the standard output]"),
    ] = None,
    folder: Project = None,
    as_json: Json = False,
) -> None:
    """Write the steps of a crash as a test, a flow or a script of another tool, or as an issue; see docs/exports.md.

    \b
    Example:  fewtaps export robolectric-java app.apk 3f9a -o app/src/test/java/com/example/
              fewtaps export all fewtaps-app 3f9a -o exports
              fewtaps export maestro app.apk crash.reduced.jsonl > flow.yaml
    """
    from fewtaps.cli.export import run_export

    run_export(wanted, project_folder(apk, folder), crash, output, as_json)


def prior(
    action: Annotated[
        str, typer.Argument(metavar="ACTION", help="show, or learn from the runs of a project.")
    ] = "show",
    named: Folder = None,
    folder: Annotated[
        Path | None, typer.Option("--dir", help="The project folder. [default: the prior that ships]")
    ] = None,
    as_json: Json = False,
) -> None:
    """What reduce --flaky believes of candidates before it runs them; learned from your own runs if you wish.

    \b
    Example:  fewtaps prior show
              fewtaps prior learn --dir fewtaps-app
              fewtaps prior show --dir fewtaps-app --json > prior.json
    """
    from fewtaps.cli.prior import run_prior

    run_prior(action, None if named is None and folder is None else project_folder(named, folder), as_json)


def register(app: typer.Typer) -> None:
    """Adds the commands, in the order of the help."""
    summaries: dict[Callable[..., None], str] = {
        run: "Find, reduce and replay the crashes of an app; report.",
        doctor: "Check what this machine has: Java, jars, jail, adb.",
        show: f"Show what an app is and what the {DEFAULT_BACKEND} can do with it.",
        play: "Play a trace: steps, crash, coverage, reproduction rate.",
        tap: "Use an app from the terminal.",
        explore: "Explore an app and find its crashes.",
        replay: "Replay steps in many worlds: how often do they crash?",
        reduce: "Reduce a trace to the few steps that matter.",
        prior: "Show or learn what flaky reductions believe.",
        convert: "Turn recordings into traces, traces into scripts.",
        export: "Write a crash's steps as a test, flow, script or issue.",
        crashes: "List the crashes that were found.",
        coverage: "Show what code was covered.",
        states: "Show the states that were seen, as a graph.",
        report: "Build the report: pages that open from disk.",
        serve: "Show the report while a run goes on.",
    }
    for command, summary in summaries.items():
        app.command(short_help=summary)(command)

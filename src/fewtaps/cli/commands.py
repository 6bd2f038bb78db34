"""The commands with their options and help; each hands over to a module of its own, imported when it is called.

The late imports keep `fewtaps --help` fast: a device backend costs more time than printing the help.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from fewtaps.cli.grouping import Without, expanded
from fewtaps.cli.logs import current_log
from fewtaps.cli.options import (
    APK_HELP,
    Aim,
    ApkArgument,
    DeviceOptions,
    ExploreLimitOptions,
    FailureOptions,
    FarmDeviceOptions,
    FlakyOptions,
    Folder,
    GoalOptions,
    JacocoFile,
    Jail,
    Json,
    LogOptions,
    MutantChoiceOptions,
    NewProject,
    NoJail,
    Profile,
    Project,
    ProjectOptions,
    ReduceLimitOptions,
    ReduceMannerOptions,
    ServeOptions,
    SliceCriterionOptions,
    SliceMannerOptions,
    SliceOutputOptions,
    SlotOptions,
    StageOptions,
    StartOptions,
    SuiteChoiceOptions,
    SuiteMannerOptions,
    SuiteOutputOptions,
    SuiteUpdateOptions,
    TraceArgument,
    VaryOptions,
    Width,
    World,
    is_ci,
    is_jailed,
    options_said,
    project_folder,
)
from fewtaps.config import (
    DEFAULT_MINUTES,
    DEFAULT_PATIENCE,
    EXPORTED,
    RATE_WORLDS,
    READABLE,
    REDUCERS,
    STRATEGIES,
    WRITABLE,
    ExploreSettings,
    MutateSettings,
    PlaySettings,
    ReduceSettings,
    ReplaySettings,
    RunSettings,
    ServeSettings,
    SliceSettings,
    SuiteRunSettings,
    SuiteSettings,
    usual_jobs,
)
from fewtaps.device.registry import DEFAULT_BACKEND
from fewtaps.errors import UsageError

UnobservedDevice = Annotated[DeviceOptions, Without("coverage")]
UnobservedFarmDevice = Annotated[FarmDeviceOptions, Without("coverage")]


def doctor(
    bundle: Annotated[
        Path | None,
        typer.Option(
            "--bundle", metavar="DIR|FILE", help="Pack log, versions and checks for a bug report into this .zip file."
        ),
    ] = None,
    folder: Annotated[
        Path | None, typer.Option("--dir", help="With --bundle: pack log and settings of this project too.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Check what this machine has: Java, jars, the bridge, the jail, adb. Says what to do about what is missing.

    \b
    Example:  fewtaps doctor
              fewtaps doctor --bundle report.zip --dir fewtaps-app
    """
    from fewtaps.cli.doctor import run_doctor

    raise typer.Exit(run_doctor(bundle, folder, as_json))


def show(apk: ApkArgument, as_json: Json = False) -> None:
    """Show what an app is: package, activities, permissions, SDK, native code, and what the twin will and will not do.

    \b
    Example:  fewtaps show app.apk
    """
    from fewtaps.cli.show import run_show

    run_show(apk, as_json)


def play(
    *,
    apk: ApkArgument,
    trace: Annotated[
        Path, typer.Argument(metavar="TRACE", help="The steps: a trace file (JSON Lines).", show_default=False)
    ],
    world: World = None,
    worlds: Annotated[int, typer.Option("--worlds", help="Play in so many worlds and give the reproduction rate.")] = 1,
    screenshots: Annotated[
        Path | None, typer.Option("--screenshots", help="Folder for a picture of each step.")
    ] = None,
    by: Aim = "selector",
    jacoco: JacocoFile = None,
    fail_on_crash: Annotated[bool, typer.Option("--fail-on-crash", help="Exit with 1 if the app crashed.")] = False,
    device: DeviceOptions,
    as_json: Json = False,
) -> None:
    """Play a trace and show each step as it happens, the crash if there is one, coverage, and the reproduction rate.

    \b
    Example:  fewtaps play app.apk crash.jsonl
              fewtaps play app.apk crash.jsonl --worlds 20
              fewtaps play sim:bill crash.jsonl --json
    """
    from fewtaps.cli.play import run_play

    settings = PlaySettings(device.settings, world=world, worlds=worlds, by=by, screenshots=screenshots, jacoco=jacoco)
    raise typer.Exit(run_play(apk, trace, settings, fail_on_crash, as_json))


def tap(
    *,
    apk: ApkArgument,
    world: Annotated[int, typer.Option("--world", help="The world to play in.")] = 0,
    device: DeviceOptions,
    as_json: Json = False,
) -> None:
    """Use an app from the terminal: see the screen as a numbered list, type a number to tap, `help` for the rest.

    \b
    Example:  fewtaps tap app.apk
              printf '%s\\n' 3 back 'save trace.jsonl' | fewtaps tap app.apk
    """
    from fewtaps.cli.tap import run_tap

    run_tap(apk, world, device.settings, as_json)


def device(
    *,
    action: Annotated[
        str, typer.Argument(metavar="ACTION", help="serve: show an app to adb as a device. list: name all devices.")
    ],
    apk: Annotated[str | None, typer.Argument(metavar="[APK]", help=APK_HELP, show_default=False)] = None,
    world: Annotated[int, typer.Option("--world", help="The world that runs are launched in.")] = 0,
    serving: ServeOptions,
    device: DeviceOptions,
    as_json: Json = False,
) -> None:
    """Show an app to adb as a device, so that adb, uiautomator2 and other tools drive it; or list devices.

    See docs/adb.md. Each run of a served app, from its start to its end, is recorded as a trace for `fewtaps play`
    and `fewtaps reduce`.

    \b
    Example:  fewtaps device serve app.apk
              fewtaps device serve app.apk --count 2 --time real --record runs
              fewtaps device serve sim:bill --port 0 --adb-server 5038
              fewtaps device list
    """
    from fewtaps.cli.device import list_devices, require_app, run_device
    from fewtaps.cli.explore import default_folder

    if action == "list":
        raise typer.Exit(list_devices(apk, as_json))
    apk = require_app(action, apk)
    settings = ServeSettings(
        record=serving.record or default_folder(apk) / "served", device=device.settings, port=serving.port,
        count=serving.count, time=serving.time, world=world, each_world=serving.each_world, auth=serving.auth,
        adb_server=serving.adb_server,
    )  # fmt: skip
    run_device(apk, settings, as_json)


def farm(
    *,
    action: Annotated[
        str,
        typer.Argument(metavar="ACTION", help="hub: connect machines; worker: lend devices; status: their work now."),
    ],
    address: Annotated[
        str | None,
        typer.Argument(metavar="ADDRESS", help="For worker and status: tls://HOST:PORT.", show_default=False),
    ] = None,
    listen: Annotated[
        str, typer.Option("--listen", metavar="ADDRESS", help="For hub: where to listen, as tls://0.0.0.0:8786.")
    ] = "tcp://127.0.0.1:8786",
    certs: Annotated[
        Path | None,
        typer.Option(
            "--certs", metavar="DIR", help="Folder with ca.pem, cert.pem, key.pem. [default: $FEWTAPS_FARM_CERTS]"
        ),
    ] = None,
    devices: SlotOptions,
    as_json: Json = False,
) -> None:
    """Join machines to a farm, whose devices `run`, `explore`, `reduce` and `replay` use with --farm; see docs/farm.md.

    \b
    Example:  fewtaps farm hub --listen tls://0.0.0.0:8786 --certs certs
              fewtaps farm worker tls://hub:8786 --certs certs --twins 4
              fewtaps farm status tls://hub:8786 --certs certs
    """
    from fewtaps.cli.farm import run_farm

    run_farm(action, address, listen, certs, devices.names, as_json)


def campaign(
    *,
    apps: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="A file that names an app in each line: APKs are looked for beside it."),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder for a project of each app.")] = Path(
        "campaign"
    ),
    minutes: Annotated[float, typer.Option("--minutes", help="The time for each app.")] = DEFAULT_MINUTES,
    events: Annotated[int | None, typer.Option("--events", help="Stop exploring an app after so many events.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="The seed of every run.")] = 1,
    width: Width = None,
    at_once: Annotated[
        int | None, typer.Option("--at-once", help="So many apps at the same time. [default: 1; 4 on a farm]")
    ] = None,
    device: FarmDeviceOptions,
    as_json: Json = False,
) -> None:
    """Run many apps: each gets a run, a project folder and a row of a table. Killed, the same command goes on.

    \b
    Example:  fewtaps campaign apps.txt -o night
              fewtaps campaign apps.txt --farm tls://hub:8786 -o night --at-once 8
    """
    from fewtaps.cli.campaign import run_campaigns

    options = ["--minutes", f"{minutes:g}", "--seed", str(seed), *device.arguments]
    for option, value in (("--events", events), ("--width", width)):
        options += [option, str(value)] if value is not None else []
    settings = RunSettings(output, device.settings, minutes=minutes, events=events, seed=seed, width=width, jobs=1)
    raise typer.Exit(run_campaigns(apps, settings.folder, options, at_once or (4 if device.farm else 1), as_json))


def merge(
    *,
    target: Annotated[Path, typer.Argument(metavar="OUT", help="The project folder that is made, or added to.")],
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Project folders of the same build.")],
    as_json: Json = False,
) -> None:
    """Join project folders of one build of an app: shards of a CI matrix, or of machines that do not see each other.

    \b
    Example:  fewtaps merge all shard-*
    """
    from fewtaps.cli.merge import run_merge

    run_merge(target, folders, as_json)


def run(
    *,
    context: typer.Context,
    apk: ApkArgument,
    output: NewProject = None,
    minutes: Annotated[float, typer.Option("--minutes", help="The time for everything.")] = DEFAULT_MINUTES,
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
        typer.Option(
            "--jobs",
            "-j",
            help="So many devices share the work. [default: one for each core, two at most; 8 of a farm]",
        ),
    ] = None,
    width: Width = None,
    stages: StageOptions,
    start: StartOptions,
    vary: VaryOptions,
    failure: FailureOptions,
    device: FarmDeviceOptions,
    as_json: Json = False,
) -> None:
    """Find the crashes of an app, reduce each to few steps, replay these for their rate, slice them, write a report.

    What was explored becomes a suite in DIR/suite: few tests with the same coverage, for `fewtaps test`.

    The same command again goes on where it was, or was killed, and does nothing twice.

    \b
    Example:  fewtaps run app.apk
              fewtaps run app.apk --minutes 20 -j 2 --prelude login.jsonl -o nightly
              fewtaps run app.apk --fail-on new-crash --baseline known.json --junit crashes.xml
    """
    from fewtaps.cli.explore import default_folder
    from fewtaps.cli.run import run_run

    settings = RunSettings(
        folder=output or default_folder(apk), device=device.settings, minutes=minutes, events=events, patience=patience,
        worlds=worlds, seed=seed, jobs=device.jobs(jobs, usual_jobs(device.settings), width), width=width,
        prelude=start.prelude, block=start.blocked, parameters=start.parameters,
        makes_suite=not stages.no_suite, makes_slices=not stages.no_slice, pictures=not stages.no_pictures,
        vary=vary.names,
        said=options_said(context),
    )  # fmt: skip
    current_log().keep_in(settings.folder)
    raise typer.Exit(run_run(apk, settings, failure.judging, as_json, tells_times=stages.budget_report))


def explore(
    *,
    context: typer.Context,
    apk: ApkArgument,
    output: NewProject = None,
    limits: ExploreLimitOptions,
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
    start: StartOptions,
    vary: VaryOptions,
    no_pictures: Annotated[bool, typer.Option("--no-pictures", help="Keep no pictures of new screens.")] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the last exploration in the folder.")] = False,
    failure: FailureOptions,
    device: FarmDeviceOptions,
    as_json: Json = False,
) -> None:
    """Explore an app and find its crashes. Everything is kept as it happens; kill it at any moment and `--resume`.

    \b
    Example:  fewtaps explore app.apk --minutes 10
              fewtaps explore app.apk -j 2 --prelude login.jsonl --block 'text:Log out'
              fewtaps explore app.apk --fail-on new-crash --baseline known.json --junit crashes.xml
    """
    from fewtaps.cli.explore import default_folder, run_explore

    settings = ExploreSettings(
        folder=output or default_folder(apk), device=device.settings, strategy=strategy,
        parameters=start.parameters, limits=limits.limits, seed=seed, jobs=jobs, width=width,
        worlds=worlds, prelude=start.prelude, block=start.blocked, pictures=not no_pictures, resume=resume,
        vary=vary.names,
        said=options_said(context),
    )  # fmt: skip
    current_log().keep_in(settings.folder)
    raise typer.Exit(run_explore(apk, settings, failure.judging, as_json))


def replay(
    *,
    apk: ApkArgument,
    trace: TraceArgument,
    worlds: Annotated[
        int, typer.Option("--worlds", "--runs", help="Replay in so many worlds; on a phone, so many times.")
    ] = 20,
    world: Annotated[
        int | None, typer.Option("--world", help="The first of the worlds. [default: the trace's own]")
    ] = None,
    folder: Project = None,
    screenshots: Annotated[
        Path | None, typer.Option("--screenshots", help="Folder for a picture of the screen of each step.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", help="So many devices share the worlds. [default: 1; 8 of a farm]")
    ] = None,
    goal: GoalOptions,
    by: Aim = "selector",
    fail_on_crash: Annotated[
        bool, typer.Option("--fail-on-crash", help="Exit with 1 if the steps still do it in some world.")
    ] = False,
    device: UnobservedFarmDevice,
    as_json: Json = False,
) -> None:
    """Replay a crash: its steps for a person to follow, a picture of each, and in how many worlds it comes back.

    \b
    Example:  fewtaps replay app.apk crash.jsonl
              fewtaps replay app.apk 3f9a --dir fewtaps-app --worlds 100 -j 2
              fewtaps replay app.apk crash.monkey --screenshots pictures --fail-on-crash
              fewtaps replay fewtaps-app 3f9a --device adb --runs 5
    """
    from fewtaps.cli.replay import app_and_folder, run_replay

    apk, project, is_project = app_and_folder(apk, folder)
    settings = ReplaySettings(
        folder=project, device=device.settings, goal=goal.wish, world=world, worlds=worlds, by=by,
        jobs=device.jobs(jobs, 1), screenshots=screenshots, fewest=is_project,
    )  # fmt: skip
    raise typer.Exit(run_replay(apk, trace, settings, fail_on_crash, as_json))


def reduce(
    *,
    context: typer.Context,
    apk: ApkArgument,
    trace: TraceArgument,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where the short trace goes. [default: TRACE.reduced.jsonl]")
    ] = None,
    folder: Project = None,
    strategy: Annotated[str, typer.Option("--strategy", help=f"How to reduce: {', '.join(REDUCERS)}.")] = REDUCERS[0],
    goal: GoalOptions,
    world: World = None,
    worlds: Annotated[
        int, typer.Option("--worlds", help="Replay the result in so many worlds and give the reproduction rate.")
    ] = 10,
    by: Aim = "selector",
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", help="Try so many candidates at once. [default: 1; 8 on a farm]")
    ] = None,
    limits: ReduceLimitOptions,
    manner: ReduceMannerOptions,
    flaky: FlakyOptions,
    device: UnobservedFarmDevice,
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

    settings = ReduceSettings(
        folder=folder or default_folder(apk), device=device.settings, goal=goal.wish, strategy=strategy, output=output,
        world=world, worlds=worlds, by=by, jobs=device.jobs(jobs, 1), seconds=limits.seconds,
        runs=limits.runs, events=limits.events,
        plainer=not manner.as_they_are, trivial=manner.trivial, resume=manner.resume,
        flaky=flaky.settings(options_said(context)),
    )  # fmt: skip
    current_log().keep_in(settings.folder)
    raise typer.Exit(run_reduce(apk, trace, settings, as_json))


def slice(
    *,
    subject: Annotated[
        str,
        typer.Argument(metavar="DIR|APK", help="The project folder of crashes, or the app.", show_default=False),
    ],
    steps: Annotated[
        str | None,
        typer.Argument(
            metavar="CRASH|TRACE",
            help="The id of a crash of the project [default: all of them]; with an APK, the steps: a trace file.",
            show_default=False,
        ),
    ] = None,
    line: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE:LINE",
            help="With an APK, the line to slice from; FILE:LINE#3 is its third execution. [default: the crash]",
            show_default=False,
        ),
    ] = None,
    criterion: SliceCriterionOptions,
    manner: SliceMannerOptions,
    outputs: SliceOutputOptions,
    world: World = None,
    by: Aim = "selector",
    device: UnobservedDevice,
    as_json: Json = False,
) -> None:
    """Say why a crash happened: the lines and the steps that made the value that killed the app, nearest first.

    The steps are played again with a recording. The slice of a project's crash is kept; the report shows it.

    \b
    Example:  fewtaps slice fewtaps-app
              fewtaps slice fewtaps-app 3f9a --sources app/src/main/java --mapping mapping.txt
              fewtaps slice app.apk crash.jsonl
              fewtaps slice app.apk crash.jsonl Bill.java:19#3 --of people
              fewtaps slice app.apk crash.jsonl --why Bill.java:31
              fewtaps slice fewtaps-app 3f9a --format sarif -o crash.sarif
    """
    from fewtaps.cli.slice import run_slice

    settings = SliceSettings(
        device=device.settings, at=line, of=criterion.of, event=criterion.event, thin=manner.thin,
        as_paper=manner.as_paper, record=manner.scope, megabytes=manner.record_mb, summaries=manner.summaries,
        sources=tuple(outputs.sources or ()), why=criterion.why, check=manner.check,
        log=outputs.log, world=world, by=by,
    )  # fmt: skip
    raise typer.Exit(run_slice(subject, steps, settings, outputs.format, outputs.output, as_json))


def suite(
    *,
    context: typer.Context,
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="DIR|TRACE… [APK]",
            help="A project, trace files or recordings of other tools, and the app. [default: the app of the project]",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The folder of the suite. [default: DIR/suite]")
    ] = None,
    onto: Annotated[
        Path | None, typer.Option("--onto", metavar="SUITE", help="Add to this suite what its tests do not cover.")
    ] = None,
    folder: Project = None,
    manner: SuiteMannerOptions,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Play so many runs at once, where several are due.")] = 1,
    limits: ReduceLimitOptions,
    device: DeviceOptions,
    as_json: Json = False,
) -> None:
    """Reduce what was explored or recorded to a small suite of tests with the same coverage. Killed, it goes on.

    \b
    Example:  fewtaps suite fewtaps-app
              fewtaps suite fewtaps-app -o suite -j 2 --minutes 10
              fewtaps suite login.jsonl search.jsonl app.apk -o suite
              fewtaps suite fewtaps-app new.apk --onto suite
    """
    from fewtaps.cli.suite import find_sources, run_make_suite

    if output is not None and onto is not None:
        raise UsageError("--onto and -o: the suite is added to where it is; leave one of them out")
    found, project = find_sources(sources, folder)
    settings = SuiteSettings(
        folder=project, output=onto or output or project / "suite", onto=onto is not None, device=device.settings,
        worlds=manner.worlds, abstraction=manner.abstraction, cover=manner.covered, fragments=manner.fragments,
        as_paper=manner.as_paper, launch_cost=manner.launch_cost, jobs=jobs,
        seconds=limits.seconds, runs=limits.runs, events=limits.events, said=options_said(context),
    )  # fmt: skip
    raise typer.Exit(run_make_suite(found, settings, as_json))


def test(
    *,
    context: typer.Context,
    suite: Annotated[
        Path, typer.Argument(metavar="SUITE", help="The folder of the suite, with its suite.json.", show_default=False)
    ],
    apk: Annotated[
        str | None,
        typer.Argument(
            metavar="APK", help=f"{APK_HELP} [default: the app of the project around the suite]", show_default=False
        ),
    ] = None,
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME", help="With --update: only these tests.", show_default=False),
    ] = None,
    choice: SuiteChoiceOptions,
    changes: SuiteUpdateOptions,
    worlds: Annotated[int, typer.Option("--worlds", help="Run each test in so many worlds, its own first.")] = 1,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="So many devices share the tests.")] = 1,
    against: Annotated[
        str | None,
        typer.Option(
            "--against", metavar="OLD.APK", help="Play both builds; only what differs between them is a failure."
        ),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="A test that has to be healed fails.")] = False,
    outputs: SuiteOutputOptions,
    jacoco: JacocoFile = None,
    device: DeviceOptions,
    as_json: Json = False,
) -> None:
    """Run the tests of a suite against an app, this build or a newer one. Exits with 1 if one fails, breaks or crashes.

    \b
    Example:  fewtaps test suite app.apk
              fewtaps test suite app.apk -j 2 --worlds 10 -k settings
              fewtaps test suite new.apk --against old.apk
              fewtaps test suite new.apk --changed-since old.apk --shard 1/4
              fewtaps test suite app.apk -o results --junit results.xml
              fewtaps test suite new.apk --update settings-round-up-split
    """
    from fewtaps.cli.test import app_and_names, run_test

    apk, updated = app_and_names(apk, tuple(names or ()), changes.update, changes.yes)

    settings = SuiteRunSettings(
        folder=suite, device=device.settings, worlds=worlds, jobs=jobs, named=choice.names, shard=choice.division,
        stops_at_failure=choice.exitfirst, last_failed=choice.last_failed, minutes=choice.minutes, strict=strict,
        against=against, changed_since=choice.changed_since, jacoco=jacoco, keeps_rates=not is_ci(),
        updated=updated, new_pictures=changes.pictures, said=options_said(context), pictures=outputs.output is not None,
    )  # fmt: skip
    raise typer.Exit(run_test(apk, settings, as_json, outputs, changes.yes))


def crashes(
    *,
    project: ProjectOptions,
    show_crash: Annotated[
        str | None, typer.Option("--show", metavar="ID", help="One crash: its stack and its shortest steps.")
    ] = None,
    save: Annotated[
        Path | None, typer.Option("--save", metavar="TRACE", help="With --show: write the shortest trace to this file.")
    ] = None,
    why_suspect: Annotated[
        bool, typer.Option("--why-suspect", help="Tell the rule by which a crash may be the device's fault.")
    ] = False,
    as_json: Json = False,
) -> None:
    """List the crashes of a project: what, where, how often, the shortest trace, suspect or not.

    Crashes that a user can cause with the screen alone come first, then those that need an intent or a broadcast of
    another app, then those that are suspect.

    \b
    Example:  fewtaps crashes fewtaps-app
              fewtaps crashes fewtaps-app --show 3f9a --save crash.jsonl
              fewtaps crashes fewtaps-app --json > known.json
    """
    from fewtaps.cli.crashes import run_crashes

    run_crashes(project.path, show_crash, save, why_suspect, as_json)


def coverage(
    *,
    project: ProjectOptions,
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
    jail: Jail = None,
    as_json: Json = False,
) -> None:
    """Show what code an exploration covered, per package and class; writes jacoco.xml and JaCoCo's HTML.

    \b
    Example:  fewtaps coverage fewtaps-app
              fewtaps coverage fewtaps-app --xml jacoco.xml --html coverage --sources app/src/main/java
    """
    from fewtaps.cli.coverage import run_coverage

    confined = is_jailed(jail, no_jail=no_jail)
    run_coverage(project.path, xml, html, tuple(sources or ()), apk, classes, confined, as_json)


def instrument(
    *,
    apk: ApkArgument,
    output: Annotated[Path, typer.Option("--output", "-o", help="The new APK, which must not exist yet.")],
    coverage: Annotated[str, typer.Option("--coverage", help="Which code to observe: app or all.")] = "app",
    key: Annotated[
        Path | None,
        typer.Option("--key", help="Sign with this PEM file: a private RSA key and its certificate. [default: an own]"),
    ] = None,
    no_jail: NoJail = False,
    jail: Jail = None,
    as_json: Json = False,
) -> None:
    """Write a copy of an APK that counts which of its code runs: coverage on phones and emulators.

    The copy has another signature: licence checks, Google sign-in and checks of the own signature fail. Apps in pieces
    cannot be instrumented.

    \b
    Example:  fewtaps instrument app.apk -o app-probes.apk
              fewtaps run app-probes.apk --device adb
    """
    from fewtaps.cli.instrument import run_instrument

    run_instrument(apk, output, coverage, key, is_jailed(jail, no_jail=no_jail), as_json)


def states(
    *,
    project: ProjectOptions,
    svg: Annotated[Path | None, typer.Option("--svg", help="Draw the graph into this file.")] = None,
    graphml: Annotated[Path | None, typer.Option("--graphml", help="Write the graph for other tools.")] = None,
    as_json: Json = False,
) -> None:
    """Show the states an exploration saw and the transitions between them; as SVG, as GraphML.

    \b
    Example:  fewtaps states fewtaps-app --svg states.svg --graphml states.graphml
    """
    from fewtaps.cli.states import run_states

    run_states(project.path, svg, graphml, as_json)


def report(
    *,
    project: ProjectOptions,
    shards: Annotated[
        list[Path] | None,
        typer.Argument(metavar="SHARD", help="With --merge: more folders of results.", show_default=False),
    ] = None,
    merge: Annotated[
        bool, typer.Option("--merge", help="Join the results of shards, folders of `fewtaps test -o`, into one report.")
    ] = False,
    junit: Annotated[
        Path | None, typer.Option("--junit", help="With --merge: write the results to this file as JUnit XML.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Where the report goes. [default: DIR/report]")
    ] = None,
    no_pictures: Annotated[
        bool, typer.Option("--no-pictures", help="Draw the screens instead of showing pictures of them.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Build the report of a project: a folder of pages that open from disk, in any browser, without a network.

    An earlier report stays until the new one is complete. With --merge the report is that of a suite's run, made of the
    results of its shards, and the exit code is that of `fewtaps test` for all of them.

    \b
    Example:  fewtaps report fewtaps-app
              fewtaps report app.apk
              fewtaps report fewtaps-app -o public/crashes --no-pictures
              fewtaps report --merge shard-1 shard-2 -o results --junit results.xml
    """
    from fewtaps.cli.report import run_merge, run_report

    if merge:
        if no_pictures:
            raise UsageError("--no-pictures is for the report of a project, not for --merge")
        raise typer.Exit(run_merge(project.named, tuple(shards or ()), output, junit, as_json))
    if shards or junit is not None:
        raise UsageError("several folders and --junit are for --merge; without it, name one project")
    run_report(project.path, output, not no_pictures, as_json)


def serve(
    *,
    project: ProjectOptions,
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

    run_serve(project.path, port, as_json)


def scrub(
    *,
    project: ProjectOptions,
    pictures: Annotated[bool, typer.Option("--pictures", help="Remove pictures.")] = False,
    texts: Annotated[bool, typer.Option("--texts", help="Remove texts of screens, events and crashes.")] = False,
    logs: Annotated[bool, typer.Option("--logs", help="Remove what the app logged, and the log of fewtaps.")] = False,
    matching: Annotated[
        str | None,
        typer.Option(
            "--matching",
            metavar="REGEX",
            help="Only texts and lines that match, and pictures of screens that show such a text. [default: all]",
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: Json = False,
) -> None:
    """Remove pictures, texts and logs from a project, for good; says what, and asks. By default all three.

    A text becomes '[removed 1]', the same text the same number, so that the project can still be read. Tests of the
    project's suite that hold such a text are removed. Killed, the same command does the rest.

    \b
    Example:  fewtaps scrub fewtaps-app
              fewtaps scrub fewtaps-app --pictures --logs --yes
              fewtaps scrub fewtaps-app --matching '[a-z.]+@example\\.com'
    """
    from fewtaps.cli.scrub import run_scrub

    run_scrub(project.path, (pictures, texts, logs), matching, yes, as_json)


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
        typer.Argument(
            metavar="APK|DIR|SUITE",
            help="The app, or the project folder of its crashes; or the folder of a suite.",
            show_default=False,
        ),
    ],
    crash: Annotated[
        str | None,
        typer.Argument(
            metavar="CRASH",
            help="The id of a crash of the project, or a trace; not for a suite.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The file or the folder to write. [default: the standard output]"),
    ] = None,
    folder: Project = None,
    as_json: Json = False,
) -> None:
    """Write the steps of a crash, or a whole suite, as tests, flows or scripts of other tools; see docs/exports.md.

    \b
    Example:  fewtaps export robolectric-java app.apk 3f9a -o app/src/test/java/com/example/
              fewtaps export all fewtaps-app 3f9a -o exports
              fewtaps export maestro app.apk crash.reduced.jsonl > flow.yaml
              fewtaps export espresso-kotlin suite/ -o app/src/androidTest/java/com/example/
    """
    from fewtaps.cli.export import run_export

    run_export(wanted, apk, lambda: project_folder(apk, folder), crash, output, as_json)


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


def mutate(
    *,
    context: typer.Context,
    suite: Annotated[str, typer.Argument(metavar="SUITE", help="The folder of a suite.", show_default=False)],
    apk: ApkArgument,
    choice: MutantChoiceOptions,
    states: Annotated[
        bool, typer.Option("--states", help="Also tell what states and crashes alone find, without expected texts.")
    ] = False,
    keep_kills: Annotated[
        bool,
        typer.Option("--keep-kills", help="Write into suite.json how many each test killed, for the order of tests."),
    ] = False,
    add_texts: Annotated[
        bool,
        typer.Option("--add-texts", help="Write texts that tell survivors apart into the tests, to be expected."),
    ] = False,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for mutations.xml and the results, which are used again.")
    ] = Path("mutants"),
    sources: Annotated[
        list[Path] | None, typer.Option("--sources", help="Folder with the app's sources; can be repeated.")
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="So many devices share the mutants.")] = 1,
    fail_under: Annotated[
        float | None, typer.Option("--fail-under", help="Exit with 1 if fewer percent of the mutants are found.")
    ] = None,
    device: DeviceOptions,
    as_json: Json = False,
) -> None:
    """Measure which faults a suite finds: small faults are put into the app, one at a time, and its tests are run.

    The same command goes on where it was interrupted. The faults, their names and the results are those of PIT.

    \b
    Example:  fewtaps mutate suite app.apk
              fewtaps mutate suite app.apk --mutants 1000 -j 2 --sources app/src/main/java
              fewtaps mutate suite app.apk --operator default --operator INLINE_CONSTS --fail-under 80
    """
    from fewtaps.cli.mutate import run_mutate

    settings = MutateSettings(
        output=output, device=device.settings, mutants=choice.mutants, seed=choice.seed,
        operators=tuple(choice.operator or ("default",)),
        sources=tuple(sources or ()), with_states=states, keeps_kills=keep_kills, adds_texts=add_texts,
        minutes=choice.minutes, jobs=jobs, said=options_said(context),
    )  # fmt: skip
    raise typer.Exit(run_mutate(suite, apk, settings, fail_under, as_json))


def mcp(
    *,
    allow: Annotated[
        list[Path] | None,
        typer.Option(
            "--allow",
            metavar="DIR",
            help="A folder that the tools may read and write; can be repeated. [default: the current folder]",
        ),
    ] = None,
    device: DeviceOptions,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the tools with their schemas as JSON, and end.")
    ] = False,
) -> None:
    """Serve a coding agent over standard input and output: tools to use apps, find crashes and write tests.

    It speaks the Model Context Protocol; docs/mcp.md has the tools and how a client is set up. Needs the extra
    fewtaps[mcp].

    \b
    Example:  fewtaps mcp --allow ~/work/app
    """
    from fewtaps.cli.mcp import run_mcp

    raise typer.Exit(run_mcp(tuple(allow or (Path(),)), device.settings, as_json))


COMMANDS: dict[Callable[..., None], str] = {
    run: "Find, reduce and replay the crashes of an app; report.",
    doctor: "Check what this machine has: Java, jars, jail, adb.",
    show: f"Show what an app is and what the {DEFAULT_BACKEND} can do with it.",
    play: "Play a trace: steps, crash, coverage, reproduction rate.",
    tap: "Use an app from the terminal.",
    device: "Show an app to adb as a device.",
    mcp: "Serve a coding agent (Model Context Protocol).",
    explore: "Explore an app and find its crashes.",
    replay: "Replay steps in many worlds: how often do they crash?",
    reduce: "Reduce a trace to the few steps that matter.",
    slice: "Say which lines and steps caused a crash.",
    suite: "Reduce traces to a small suite with the same coverage.",
    test: "Run the tests of a suite against this build or the next.",
    mutate: "Measure which faults a suite finds.",
    prior: "Show or learn what flaky reductions believe.",
    convert: "Turn recordings into traces, traces into scripts.",
    export: "Write a crash or a suite for other tools.",
    crashes: "List the crashes that were found.",
    coverage: "Show what code was covered.",
    instrument: "Write a copy of an APK that counts which code runs.",
    states: "Show the states that were seen, as a graph.",
    report: "Build the report: pages that open from disk.",
    serve: "Show the report while a run goes on.",
    farm: "Join machines to a farm of devices.",
    campaign: "Run many apps, on this machine or a farm.",
    merge: "Join project folders of one app.",
    scrub: "Remove pictures, texts and logs from a project.",
}
"""The commands with their line in the list of commands, in the order of the help."""


def register(app: typer.Typer) -> None:
    """Adds the commands, in the order of the help."""
    for command, summary in COMMANDS.items():
        app.command(short_help=summary)(expanded(command, LogOptions))

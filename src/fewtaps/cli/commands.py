"""The commands with their options and help; each hands over to a module of its own, imported when it is called.

The late imports keep `fewtaps --help` fast: a device backend costs more time than printing the help.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from fewtaps.config import AIMS, BACKENDS, COVERAGES, NEIGHBOURS, NETWORKS, PERMISSIONS, DeviceSettings, PlaySettings

APK_HELP = "The app: an APK file, or sim:NAME for a simulated one."

ApkArgument = Annotated[str, typer.Argument(metavar="APK", help=APK_HELP, show_default=False)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for a program instead of text for a person.")]
Device = Annotated[
    str | None, typer.Option("--device", help=f"Where the app runs: {', '.join(BACKENDS)}. [default: twin]")
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


def register(app: typer.Typer) -> None:
    """Adds the commands, in the order of the help."""
    summaries: dict[Callable[..., None], str] = {
        doctor: "Check what this machine has: Java, jars, jail, adb.",
        show: "Show what an app is and what the twin can do with it.",
        play: "Play a trace: steps, crash, coverage, reproduction rate.",
        tap: "Use an app from the terminal.",
    }
    for command, summary in summaries.items():
        app.command(short_help=summary)(command)

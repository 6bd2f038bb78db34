"""The command group, and the one place where errors become exit codes."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence

import typer

from fewtaps.cli.commands import register
from fewtaps.cli.terminal import Terminal, prepare_streams, warn
from fewtaps.errors import ApkError, BridgeError, DeviceError, FewtapsError, UnsupportedApp, UsageError
from fewtaps.model.event import printable

FINE, FOUND, BAD_INPUT, NOT_HERE, INTERRUPTED = 0, 1, 2, 3, 130

EPILOG = """Example:  fewtaps tap samples/tipsplit.apk

Exit codes: 0 done, 1 a crash was found (only with --fail-on-crash), 2 bad option or file, 3 the app
or the device cannot do it, 130 interrupted."""

# Typer's own pretty tracebacks are off: what gets that far is our defect and is shown as Python shows it.
app = typer.Typer(
    name="fewtaps",
    help="Find the crash. Replay it in few taps. See why.",
    epilog=EPILOG,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
register(app)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"fewtaps {installed_version()}")
        raise typer.Exit


def installed_version() -> str:
    """The version of this installation; a source tree that was not installed has none."""
    from importlib import metadata

    try:
        return metadata.version("fewtaps")
    except metadata.PackageNotFoundError:
        return "(source tree, not installed)"


@app.callback()
def _group(
    version: bool = typer.Option(False, "--version", "-V", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    pass


def exit_code(error: FewtapsError) -> int:
    """2 if other input would help; 3 if another app, machine or device would."""
    if isinstance(error, UnsupportedApp | DeviceError):
        return NOT_HERE
    if isinstance(error, UsageError | ApkError):
        return BAD_INPUT
    return NOT_HERE


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code; every error we raise on purpose is one line on the error stream."""
    prepare_streams()
    logging.basicConfig(format="fewtaps: %(message)s", level=logging.WARNING)
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        app(args=given, prog_name="fewtaps")
    except SystemExit as ending:
        return ending.code if isinstance(ending.code, int) else FINE if ending.code is None else BAD_INPUT
    except KeyboardInterrupt:
        warn("interrupted")
        return INTERRUPTED
    except FewtapsError as error:
        return _report(error, "--json" in given)
    except OSError as error:
        # Files are dealt with where they are touched; what is left is our own output, on a full disk for instance.
        warn(f"cannot write the output: {error.strerror or error}")
        return NOT_HERE
    return FINE


def _report(error: FewtapsError, as_json: bool) -> int:
    code = exit_code(error)
    warn(printable(str(error), 2000))
    if isinstance(error, BridgeError) and error.stack:
        warn(f"inside the twin: {printable(error.stack.strip().splitlines()[0], 500)}")
    Terminal(as_json).document({"error": {"kind": type(error).__name__, "message": str(error), "exit_code": code}})
    return code

"""The command group, and the one place where errors become exit codes."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import typer

from fewtaps.cli.commands import register
from fewtaps.cli.logs import CommandLog, command_log, current_log
from fewtaps.cli.options import LOG_TEXTS_HELP, VERBOSE_HELP
from fewtaps.cli.terminal import READER_GONE, Terminal, give_up_output, prepare_streams, warn
from fewtaps.errors import (
    ApkError,
    BridgeError,
    DeviceError,
    DeviceLost,
    DeviceTimeout,
    FewtapsError,
    NotFound,
    UnsupportedApp,
    UsageError,
)
from fewtaps.model.event import printable

log = logging.getLogger(__name__)

HAS_DETAILS = (BridgeError, DeviceLost, DeviceTimeout)
"""Errors of which the log says more than their message."""

FINE, FOUND, BAD_INPUT, NOT_HERE, DEFECT, INTERRUPTED = 0, 1, 2, 3, 70, 130

EPILOG = """Example:  fewtaps run samples/tipsplit.apk

Exit codes: 0 done, 1 a crash was found (only with --fail-on or --fail-on-crash) or a test did not
pass, 2 bad option or file, 3 the app or the device cannot do it, 70 a defect of fewtaps, 130
interrupted."""

# Typer's own pretty tracebacks are off: `main` tells a defect of ours in one line.
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
    """The version of this installation; a source tree that was not installed has none.

    Every command asks for it, for its log. The name of the folder that an installer makes has it; `importlib.metadata`,
    which takes a tenth of the time of `fewtaps --help` to import, is asked only if there is no such folder.
    """
    folders = (found for entry in sys.path if entry for found in Path(entry).glob("fewtaps-*.dist-info"))
    if (folder := next(folders, None)) is not None:
        return folder.name.removeprefix("fewtaps-").removesuffix(".dist-info")
    from importlib import metadata

    try:
        return metadata.version("fewtaps")
    except metadata.PackageNotFoundError:
        return "(source tree, not installed)"


@app.callback()
def _group(
    version: bool = typer.Option(False, "--version", "-V", callback=_version, is_eager=True, help="Print the version."),
    verbose: int = typer.Option(0, "--verbose", "-v", count=True, show_default=False, help=VERBOSE_HELP),
    log_texts: bool = typer.Option(False, "--log-texts", help=LOG_TEXTS_HELP),
) -> None:
    current_log().speak(verbose, with_texts=log_texts)


def exit_code(error: FewtapsError) -> int:
    """2 if other input would help; 3 if another app, machine or device would."""
    if isinstance(error, UnsupportedApp | DeviceError):
        return NOT_HERE
    if isinstance(error, UsageError | ApkError | NotFound):
        return BAD_INPUT
    return NOT_HERE


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code; every error we raise on purpose is one line on the error stream."""
    prepare_streams()
    given = with_pieces(sys.argv[1:] if arguments is None else arguments)
    with command_log(given, installed_version()) as kept:
        code = _run(given, kept)
        log.info("exit code %d", code)
        return code


def with_pieces(arguments: Sequence[str]) -> list[str]:
    """The arguments with APK files that follow one another as one: the pieces of one app.

    The value of an option, such as `--apk`, is left alone.
    """
    joined: list[str] = []
    for number, argument in enumerate(arguments):
        is_piece = argument.lower().endswith(".apk") and not argument.startswith("-")
        follows = number > 1 and joined[-1].lower().endswith(".apk") and not arguments[number - 2].startswith("-")
        if is_piece and follows:
            joined[-1] += os.pathsep + argument
        else:
            joined.append(argument)
    return joined


@cache
def _commands() -> Any:
    """All commands with their options. Typer makes them from signatures, which takes longer than many a command."""
    return typer.main.get_command(app)


def _run(given: list[str], kept: CommandLog) -> int:
    try:
        with _tidy_endings(), _commands().make_context("fewtaps", given) as context:
            # Not by the command's own `main`, which calls an EOFError interrupted and gives a broken pipe the code 1.
            result = _commands().invoke(context)
    except typer.Exit as ending:
        return _interrupted() if ending.exit_code == INTERRUPTED else ending.exit_code
    except BrokenPipeError:
        give_up_output()
        return READER_GONE
    except SystemExit as ending:
        return ending.code if isinstance(ending.code, int) else FINE if ending.code is None else BAD_INPUT
    except (KeyboardInterrupt, typer.Abort):
        return _interrupted()
    except Terminated as ending:
        return ending.status
    except FewtapsError as error:
        return _report(error, "--json" in given, kept)
    except OSError as error:
        # Files are dealt with where they are touched; what is left is our own output, on a full disk for instance.
        log.info("the output cannot be written", exc_info=error)
        warn(f"cannot write the output: {error.strerror or error}")
        give_up_output()
        return NOT_HERE
    except Exception as error:  # noqa: BLE001 - the last place before the user: a defect becomes a line and a code
        # Typer's own errors, known by what they offer: the name of the package they come from depends on its version.
        if not hasattr(error, "format_message"):
            return _report_defect(error, "--json" in given, kept)
        if type(error).__name__ == "NoArgsIsHelpError":
            print(error.format_message(), file=sys.stderr)
            return BAD_INPUT
        return _report(UsageError(f"{error.format_message()} {_advice(error)}"), "--json" in given, kept)
    if result == INTERRUPTED:
        return _interrupted()
    return result if isinstance(result, int) else FINE


def _report_defect(error: Exception, as_json: bool, kept: CommandLog) -> int:
    """Tells what no code of ours expected, in one line; the log has the traceback."""
    log.info("a defect of fewtaps", exc_info=error)
    path = kept.details()
    document: dict[str, object] = {"kind": type(error).__name__, "message": str(error)[:2000], "exit_code": DEFECT}
    if path is not None:
        document["log"] = str(path)
        where = f"the traceback is in {printable(str(path), 500)}"
    else:
        # Nowhere to keep it: the screen is the only place left.
        traceback.print_exception(error)
        where = "its traceback is above"
    what = printable(f"{type(error).__name__}: {error}", 300)
    warn(f"this is a defect of fewtaps ({what}); {where}; please report it with what 'fewtaps doctor --bundle' packs")
    Terminal(as_json).document({"error": document})
    return DEFECT


class Terminated(BaseException):
    """A signal asked the program to end: raised where the program is, so that everything is closed and removed."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.status = 128 + number


@contextmanager
def _tidy_endings() -> Iterator[None]:
    """Lets SIGTERM and SIGHUP end the program the way Ctrl-C does: Python alone would leave folders behind."""

    def end(number: int, frame: FrameType | None) -> None:
        raise Terminated(number)

    names = ("SIGTERM", "SIGHUP") if threading.current_thread() is threading.main_thread() else ()
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    # One that is ignored stays ignored: `nohup` asks for that.
    changed = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]
    for number in changed:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in changed:
            signal.signal(number, signal.SIG_DFL)


def _interrupted() -> int:
    if sys.stderr.isatty():
        # The terminal has just shown ^C at the end of the last line.
        print(file=sys.stderr)
    warn("interrupted")
    return INTERRUPTED


def _advice(error: Exception) -> str:
    context = getattr(error, "ctx", None)
    return f"(see {getattr(context, 'command_path', 'fewtaps')} -h)"


def _report(error: FewtapsError, as_json: bool, kept: CommandLog) -> int:
    code = exit_code(error)
    # The message of the error may quote a text of the app: the log decides by the error's type whether to keep it.
    log.info("the command failed", exc_info=error)
    # The Java stack of a BridgeError is in the log, whose file the message names.
    told = printable(str(error), 2000)
    document: dict[str, object] = {"kind": type(error).__name__, "message": str(error), "exit_code": code}
    if isinstance(error, HAS_DETAILS) and (path := kept.details()) is not None:
        told = f"{told}; details: {printable(str(path), 500)}"
        document["log"] = str(path)
    warn(told)
    Terminal(as_json).document({"error": document})
    return code

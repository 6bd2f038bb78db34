"""Where log records go: the log of a project, a file for the last failure, and with `--verbose` the error stream.

Commands that write to a project (`run`, `explore`, `reduce`) keep a log in its folder, `log/fewtaps.log`, of three
files of one megabyte at most. Of other commands the records stay in memory; if the command fails they are written to
`log/last-failure.log` in the cache folder. Files belong to the user alone. A log that cannot be written is given up
without a word, because the command itself may still succeed.

A record may carry texts of the app, as `extra={"texts": …}`: they are left out unless `--log-texts` asks for them. So
are the messages of most errors, which may quote such texts (`fewtaps.errors.WITHOUT_TEXTS` are those that do not).
"""

from __future__ import annotations

import logging
import os
import platform
import sys
import time
import traceback
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from fewtaps.cache import cache_dir
from fewtaps.errors import may_be_shown, words_without_texts
from fewtaps.model.ci_commands import without_commands

if TYPE_CHECKING:
    from fewtaps.cli.log_file import PrivateFile

LOG_FOLDER = "log"
LOG_NAME = "fewtaps.log"
FAILURE_NAME = "last-failure.log"
PROJECT_FILE = "fewtaps.db"
"""A folder with this file is a project; a log is not begun anywhere else."""
MEMORY_RECORDS = 2000
"""So many records are kept in memory as long as there is no file, the latest ones."""
LONGEST_RECORD = 20_000
"""Characters of one record; the rest is cut off."""
OPTIONS_WITH_TEXTS = ("--shows", "--block", "--test")
LEFT_OUT = "(texts of the app are left out; --log-texts keeps them)"
MESSAGE_LEFT_OUT = "(its message is left out; --log-texts keeps it)"

log = logging.getLogger(__name__)


ExceptionTuple = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class _Lines(logging.Formatter):
    """Lines in which a traceback has the messages of errors only if they hold no texts of the app, or if asked to."""

    def __init__(self, pattern: str, *, with_texts: bool) -> None:
        super().__init__(pattern)
        self.with_texts = with_texts

    def format(self, record: logging.LogRecord) -> str:
        """The lines, without an end of the last."""
        # The first formatter of a record leaves its traceback there for the others.
        record.exc_text = None
        return super().format(record)

    def formatException(self, ei: ExceptionTuple) -> str:
        """The traceback, with those of the errors that led to this one before it."""
        if self.with_texts or ei[1] is None:
            return super().formatException(ei)
        return "\n".join(lines_without_texts(ei[1]))


def lines_without_texts(error: BaseException) -> Iterator[str]:
    """The tracebacks of an error and of those that led to it, the earliest first."""
    chain: list[BaseException] = []
    link: BaseException | None = error
    while link is not None and link not in chain:
        chain.append(link)
        link = link.__cause__ or (None if link.__suppress_context__ else link.__context__)
    for each in reversed(chain):
        if each.__traceback__ is not None:
            yield "Traceback (most recent call last):"
            yield "".join(traceback.format_tb(each.__traceback__)).rstrip("\n")
        words = words_without_texts(each)
        yield words if may_be_shown(each) or not str(each) else f"{words} {MESSAGE_LEFT_OUT}"


class LogLines(_Lines):
    """A record as lines of text in which nothing can command a terminal or pass for another record.

    Lines after the first are indented. Control characters are escaped.
    """

    def __init__(self, *, with_texts: bool = False) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s%(place)s: %(message)s", with_texts=with_texts)
        self.converter = time.gmtime
        self.default_time_format = "%Y-%m-%dT%H:%M:%S"
        self.default_msec_format = "%s.%03dZ"

    def format(self, record: logging.LogRecord) -> str:
        """The lines, without an end of the last."""
        name = threads_name(record)
        record.place = f" [{name}]" if name else ""
        text = super().format(record)
        if texts := getattr(record, "texts", ""):
            text = f"{text}\n{texts if self.with_texts else LEFT_OUT}"
        return "\n    ".join(escaped(line) for line in text[:LONGEST_RECORD].splitlines())


class ScreenLines(_Lines):
    """A record for the error stream: its message alone, or with `verbosity` also its origin and its traceback."""

    def __init__(self, verbosity: int = 0, *, with_texts: bool = False) -> None:
        pattern = "fewtaps: %(name)s: %(message)s" if verbosity else "fewtaps: %(message)s"
        super().__init__(pattern, with_texts=with_texts)
        self.verbosity = verbosity

    def format(self, record: logging.LogRecord) -> str:
        """The lines, without an end of the last."""
        if not self.verbosity:
            return without_commands(escaped(f"fewtaps: {record.getMessage()}".partition("\n")[0]))
        text = super().format(record)
        if self.with_texts and (texts := getattr(record, "texts", "")):
            text = f"{text}\n{texts}"
        return without_commands("\n    ".join(escaped(line) for line in text[:LONGEST_RECORD].splitlines()))


def threads_name(record: logging.LogRecord) -> str:
    """The name of the thread, empty for the main one."""
    name = record.threadName or ""
    return "" if name == "MainThread" else name


def escaped(line: str) -> str:
    """One line with every character escaped that is not printable."""
    return "".join(char if char.isprintable() or char == "\t" else f"\\u{ord(char):04x}" for char in line)


class CommandLog(logging.Handler):
    """The records of one command: in memory until there is a project to keep them in."""

    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(LogLines())
        self._screen = logging.StreamHandler(sys.stderr)
        self._lines: deque[str] = deque(maxlen=MEMORY_RECORDS)
        self._folder: Path | None = None
        self._file: PrivateFile | None = None
        self._verbosity = 0
        self._with_texts = False
        self.speak()

    @property
    def screen(self) -> logging.Handler:
        """What shows records on the error stream."""
        return self._screen

    def speak(self, verbosity: int = 0, *, with_texts: bool = False) -> None:
        """Chooses what is shown and kept: by default warnings are shown and all but details are kept.

        With verbosity 1 all that is kept by default is shown, and details are kept; with 2 these are shown too. A
        second call adds to the first: the higher verbosity holds, and texts are kept if either call asks for them.
        """
        verbosity = self._verbosity = max(verbosity, self._verbosity)
        with_texts = self._with_texts = with_texts or self._with_texts
        self._screen.setLevel((logging.WARNING, logging.INFO, logging.DEBUG)[min(verbosity, 2)])
        self._screen.setFormatter(ScreenLines(verbosity, with_texts=with_texts))
        self.setFormatter(LogLines(with_texts=with_texts))
        logging.getLogger("fewtaps").setLevel(logging.DEBUG if verbosity else logging.INFO)

    def keep_in(self, folder: Path) -> None:
        """Keeps the records in this project as soon as the folder is one."""
        self._folder = folder

    def emit(self, record: logging.LogRecord) -> None:
        """Writes a record to the file, or keeps it until there is one."""
        try:
            line = self.format(record)
        except (TypeError, ValueError):
            # The arguments do not fit the message: our defect, which logging shows in its own way.
            self.handleError(record)
            return
        if self._file is None:
            self._lines.append(line)
            self._begin_file()
        else:
            self._write(line)

    def details(self) -> Path | None:
        """The file that holds the records, written now if there is none yet; None if none can be written."""
        self._begin_file()
        return Path(self._file.baseFilename) if self._file is not None else self._save_failure()

    def close(self) -> None:
        """Closes the file; later records stay in memory."""
        self._close_file()
        super().close()

    def _begin_file(self) -> None:
        if self._file is not None or self._folder is None or not (self._folder / PROJECT_FILE).is_file():
            return
        if (self._folder / LOG_FOLDER).is_symlink():
            # A folder from elsewhere may lead out by it.
            return
        from fewtaps.cli.log_file import PrivateFile

        folder, self._folder = self._folder, None
        try:
            (folder / LOG_FOLDER).mkdir(mode=0o700, exist_ok=True)
            self._file = PrivateFile(folder / LOG_FOLDER / LOG_NAME)
        except OSError:
            return
        for line in tuple(self._lines):
            self._write(line)

    def _write(self, line: str) -> None:
        if self._file is None:
            self._lines.append(line)
            return
        self._file.emit(logging.makeLogRecord({"msg": line}))
        if self._file.is_broken:
            self._close_file()

    def _close_file(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            # Closing writes what is still buffered, which fails again on a full disk.
            with suppress(OSError, ValueError):
                file.close()

    def _save_failure(self) -> Path | None:
        path = cache_dir() / LOG_FOLDER / FAILURE_NAME
        from fewtaps.cli.log_file import open_private

        part = path.with_name(f".{FAILURE_NAME}.{os.getpid()}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with open(part, "w", encoding="utf-8", errors="backslashreplace", opener=open_private) as stream:
                stream.writelines(f"{line}\n" for line in self._lines)
            part.replace(path)
        except OSError:
            with suppress(OSError):
                part.unlink()
            return None
        return path


_current: CommandLog | None = None


@contextmanager
def command_log(arguments: Sequence[str], version: str) -> Iterator[CommandLog]:
    """The log of one command, which takes the records of all modules until the end of the `with` block."""
    global _current
    kept, before = CommandLog(), _current
    root, ours = logging.getLogger(), logging.getLogger("fewtaps")
    handlers = (kept, kept.screen)
    for handler in handlers:
        root.addHandler(handler)
    _current = kept
    system = os.uname()
    python = platform.python_version()
    log.info("fewtaps %s, Python %s, %s %s %s", version, python, system.sysname, system.release, system.machine)
    log.info("arguments: %s", " ".join(map(repr, without_texts(arguments))))
    try:
        yield kept
    finally:
        _current = before
        for handler in handlers:
            root.removeHandler(handler)
        ours.setLevel(logging.NOTSET)
        kept.close()


def without_texts(arguments: Sequence[str]) -> Iterator[str]:
    """The arguments of a command without texts of the app and without commands, which may hold passwords."""
    is_text = False
    for argument in arguments:
        name, equals, _ = argument.partition("=")
        yield "…" if is_text else f"{name}=…" if equals and name in OPTIONS_WITH_TEXTS else argument
        is_text = argument in OPTIONS_WITH_TEXTS


def current_log() -> CommandLog:
    """The log of the command that runs; outside of a command, one that shows and keeps nothing."""
    return _current or CommandLog()


def log_files(project: Path | None) -> Iterator[Path]:
    """The log files there are: those of a project, newest first, and that of the last failure elsewhere."""
    from fewtaps.cli.log_file import OLD_FILES

    names = [LOG_NAME, *(f"{LOG_NAME}.{number}" for number in range(1, OLD_FILES + 1))]
    wanted = (
        []
        if project is None or (project / LOG_FOLDER).is_symlink()
        else [project / LOG_FOLDER / name for name in names]
    )
    for path in (*wanted, cache_dir() / LOG_FOLDER / FAILURE_NAME):
        if path.is_file() and not path.is_symlink():
            yield path

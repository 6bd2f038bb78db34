"""What reaches the terminal: lines for a person, or JSON for a program; never a control character of the app's.

Text of the app goes through `printable` before it comes here, and nothing is read as rich's markup. Lines are printed
without the commands that a CI system would obey in its log.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

from fewtaps.cli.terminal_pictures import PictureTerminal, picture_terminal
from fewtaps.model.ci_commands import command_places, without_commands

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status

READER_GONE = 141
STYLES = {"good": "green", "bad": "bold red", "warn": "yellow", "dim": "dim", "bold": "bold", "plain": ""}


def prepare_streams() -> None:
    """Makes sure that no character of an app can stop the program in any encoding of the terminal."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def counted(number: int, one: str, many: str | None = None) -> str:
    """So many of something: '1 step', '2 steps'."""
    return f"{number} {one if number == 1 else many or one + 's'}"


class Terminal:
    """Prints lines for a person, or JSON documents if asked for; only one of the two."""

    def __init__(self, as_json: bool = False) -> None:
        self.as_json = as_json
        self._console: Console | None = None

    def line(self, *parts: str | tuple[str, str]) -> None:
        """One line for a person, in parts of text or (text, style); nothing in JSON mode."""
        if self.as_json:
            return
        from rich.text import Text

        text = Text()
        for words, style in _without_commands([part if isinstance(part, tuple) else (part, "plain") for part in parts]):
            text.append(words, STYLES[style])
        # A line stays one line: wrapping it is the terminal's job, and for `grep` it must not happen.
        with _reader_may_leave():
            self.console.print(text, soft_wrap=True)

    def lines(self, text: str, style: str = "plain") -> None:
        """Several lines in one style; nothing in JSON mode."""
        for line in text.splitlines():
            self.line((line, style))

    def raw(self, text: str) -> None:
        """Text as it is, for output that is piped to another program; nothing in JSON mode."""
        if not self.as_json:
            with _reader_may_leave():
                print(text, end="", flush=True)

    def document(self, document: Any) -> None:
        """One JSON document on one line; nothing in the mode for persons."""
        if self.as_json:
            # ASCII only: a lone surrogate in an app's text must not end the stream. ## is only in texts, and begins
            # commands of CI systems.
            with _reader_may_leave():
                print(json.dumps(document, ensure_ascii=True).replace("##", "#\\u0023"), flush=True)

    def busy(self, text: str) -> None:
        """Says on the error stream of a terminal what takes time now; not part of the output."""
        if not self.as_json and sys.stderr.isatty():
            print(f"{text} …", file=sys.stderr, flush=True)

    @property
    def can_redraw(self) -> bool:
        """Whether a view can be drawn anew in place: the output is a terminal that can move its cursor."""
        return not self.as_json and sys.stdout.isatty() and not self.console.is_dumb_terminal

    @property
    def pictures(self) -> PictureTerminal | None:
        """How pictures are shown here; None where they are not."""
        if not self.can_redraw:
            return None
        return picture_terminal(os.environ, sys.stdout.fileno())

    @property
    def width(self) -> int:
        """How many characters a line has room for; 80 where that is unknown."""
        return self.console.width

    @property
    def console(self) -> Console:
        """rich's view of the standard output, made when first needed because its import is slow."""
        if self._console is None:
            from rich.console import Console

            self._console = Console(markup=False, highlight=False, emoji=False)
        return self._console


def _without_commands(parts: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The parts of a line with a space at each place where a CI system would see a command begin."""
    places = command_places("".join(words for words, _ in parts))
    begin = 0
    for words, style in parts:
        cuts = [0, *(place - begin for place in places if begin < place <= begin + len(words)), len(words)]
        yield " ".join(words[first:last] for first, last in pairwise(cuts)), style
        begin += len(words)


class StatusLine:
    """The last line of a terminal, which changes in place while the block runs; nothing where it cannot be redrawn."""

    def __init__(self, terminal: Terminal, words: str) -> None:
        self._terminal = terminal
        self._words = words
        self._status: Status | None = None

    def __enter__(self) -> Self:
        if self._terminal.can_redraw:
            self._status = self._terminal.console.status(self._words)
            self._status.start()
        return self

    def __exit__(self, *exception: object) -> None:
        if self._status is not None:
            self._status.stop()

    def update(self, words: str) -> bool:
        """Shows other words; False if there is no such line."""
        if self._status is not None:
            self._status.update(words)
        return self._status is not None


@contextmanager
def _reader_may_leave() -> Iterator[None]:
    """Ends the program quietly, as the shell's own tools do, when the reader of its output is gone (`| head`)."""
    try:
        yield
    # rich turns a broken pipe into an exit of its own, with a status that means something else here.
    except (BrokenPipeError, SystemExit) as error:
        give_up_output()
        raise SystemExit(READER_GONE) from error


def give_up_output() -> None:
    """Sends what could not be written nowhere: Python would complain once more while closing the stream."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def warn(text: str) -> None:
    """One line on the error stream."""
    print(without_commands(f"fewtaps: {text}"), file=sys.stderr, flush=True)


@contextmanager
def show_download(name: str, size: int) -> Iterator[Callable[[int], None]]:
    """Shows on the error stream how a file arrives: a bar on a terminal, else one line."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

    console = Console(stderr=True, markup=False, highlight=False, emoji=False)
    if not console.is_terminal or console.is_dumb_terminal:
        warn(f"fetching {name} ({size / 1e6:.1f} MB)")
        yield lambda received: None
        return
    with Progress(TextColumn("{task.description}"), BarColumn(), DownloadColumn(), console=console) as progress:
        task = progress.add_task(name, total=size or None)
        yield lambda received: progress.update(task, advance=received)

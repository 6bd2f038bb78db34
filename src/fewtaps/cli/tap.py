"""`fewtaps tap`: an app in the terminal. Shows the screen as a numbered list, runs typed commands, saves the steps."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fewtaps.cli.numbered import ListedWidget, number_screen
from fewtaps.cli.play import crash_json, print_step, print_trace_crash, step_to_json
from fewtaps.cli.terminal import Terminal, show_download
from fewtaps.config import DeviceSettings
from fewtaps.errors import DeviceError, UsageError
from fewtaps.model.event import (
    DoubleTap,
    Event,
    Key,
    Launch,
    LongPress,
    Rotate,
    Swipe,
    Tap,
    Text,
    Wait,
    printable,
)
from fewtaps.model.screen import Screen
from fewtaps.model.trace import Step, Trace
from fewtaps.pipeline.opening import OpenedApp, open_app, save_screenshot
from fewtaps.pipeline.playing import save_trace
from fewtaps.pipeline.recording_tests import add_test

HELP = """\
  N, tap N          tap number N                tap X Y         tap a point
  long N            press it long               double N        tap it twice
  text N hello      type into field N           text hello      type into the focused field
  clear N           empty field N               swipe up [N]    also down, left, right
  back home menu    the phone's keys            key NAME        any key, e.g. key VOLUME_UP
  rotate            turn the phone              wait 1000       let a second pass
  launch            tap the app's icon          restart         begin again, as good as new
  undo              take back the last step     screen          show the screen again
  shot [FILE]       save a picture (PNG)        save FILE       save the steps as a trace
  log               what the app has logged     test DIR [NAME] add the steps to a suite as a test
  quit              leave (also Ctrl-D)"""

MOST_DIGITS = 9
TURNS = {"portrait": "landscape", "landscape": "portrait"}


def run_tap(apk: str, world: int, settings: DeviceSettings, as_json: bool) -> None:
    """Opens the app and runs the commands of the standard input until its end or until `quit`."""
    terminal = Terminal(as_json)
    terminal.busy(f"opening {printable(apk, 200)}")
    with open_app(apk, settings, progress=show_download) as opened:
        for note in opened.session.notes:
            terminal.line(("note: ", "warn"), printable(note, 300))
        runner = CommandRunner(opened, settings, opened.choose_world(world), terminal)
        runner.restart()
        for number, line in _lines(terminal):
            try:
                if not runner.run_line(line):
                    break
            except (UsageError, DeviceError) as error:
                # At a terminal the user can try again or save the steps. A script stops, because its later commands
                # depend on the failed one.
                if not sys.stdin.isatty():
                    if isinstance(error, DeviceError):
                        raise
                    raise UsageError(f"line {number}: {error}") from error
                runner.is_gone |= isinstance(error, DeviceError)
                terminal.line(("? ", "bad"), printable(str(error), 300))
                terminal.document({"error": {"message": str(error)}})


def _lines(terminal: Terminal) -> Iterator[tuple[int, str]]:
    interactive = sys.stdin.isatty()
    if interactive and not terminal.as_json:
        import readline  # noqa: F401  gives the prompt a history and line editing
    number = 0
    while True:
        number += 1
        try:
            line = input("> " if interactive and not terminal.as_json else "")
        except EOFError:
            terminal.line()
            return
        except UnicodeDecodeError as error:
            raise UsageError(f"line {number}: not text in the terminal's encoding") from error
        if not interactive:
            terminal.line((f"> {printable(line, 200)}", "dim"))
        yield number, line


@dataclass(frozen=True, slots=True)
class CommandLine:
    """A typed line, split into its verb and arguments; `rest` is the text after the verb, unsplit."""

    verb: str
    arguments: Sequence[str]
    rest: str

    def at_most(self, count: int) -> Sequence[str]:
        """The arguments. Raises UsageError if there are more."""
        if len(self.arguments) > count:
            raise UsageError(f"{self.verb}: too many words; try help")
        return self.arguments


class CommandRunner:
    """Runs typed commands on an app, and collects the steps."""

    def __init__(self, opened: OpenedApp, settings: DeviceSettings, world: int, terminal: Terminal) -> None:
        self._opened = opened
        self._settings = settings
        self._world = world
        self._terminal = terminal
        self.is_gone = False
        self._steps: list[Step] = []
        self._entries: tuple[ListedWidget, ...] = ()
        self._commands: dict[str, Callable[[CommandLine], None]] = {
            "tap": self._tap, "long": self._long, "double": self._double, "text": self._text, "type": self._text,
            "clear": self._clear, "swipe": self._swipe, "key": self._key, "rotate": self._rotate, "wait": self._wait,
            "launch": lambda words: self._do(Launch()), "restart": lambda words: self.restart(),
            "back": self._named_key, "home": self._named_key, "menu": self._named_key, "enter": self._named_key,
            "undo": self._undo, "screen": lambda words: self._show(), "shot": self._shot, "save": self._save,
            "test": self._test, "log": self._log, "help": self._help, "?": self._help,
        }  # fmt: skip

    @property
    def trace(self) -> Trace:
        """The steps since the last launch."""
        profile = self._opened.profile
        return Trace(self._opened.app.ref, tuple(self._steps), self._world, profile.name, profile.screen)

    def run_line(self, line: str) -> bool:
        """Runs one line; False for `quit`. Raises `UsageError` for an unknown command or wrong arguments."""
        words = _words(line)
        if words is None:
            return True
        if words.verb in ("quit", "exit", "q"):
            return False
        if words.verb.isdecimal():
            self._tap(CommandLine("tap", [words.verb, *words.arguments], ""))
        elif words.verb in self._commands:
            self._commands[words.verb](words)
        else:
            raise UsageError(f"'{printable(words.verb)}' is no command; try help")
        return True

    def restart(self) -> None:
        """Launches the app without data of earlier runs, and drops the steps so far."""
        self._steps = [self._launch()]
        self._print_step(self._steps[-1])

    def _launch(self) -> Step:
        step = self._opened.session.launch(self._world)
        self.is_gone = False
        return step

    @property
    def _screen(self) -> Screen:
        return self._steps[-1].after

    def _do(self, event: Event) -> None:
        if self.is_gone or self._steps[-1].ending.is_final:
            raise UsageError("the app is gone; undo, restart, save or quit")
        step = self._opened.session.perform(event)
        self._steps.append(step)
        self._print_step(step)

    def _print_step(self, step: Step) -> None:
        print_step(self._terminal, len(self._steps) - 1, step)
        if step.crash is not None:
            print_trace_crash(self._terminal, step.crash)
        self._entries = () if step.ending.is_final else number_screen(step.after)
        self._terminal.document(
            {"step": step_to_json(self._world, len(self._steps) - 1, step), "widgets": self._json()}
        )
        self._print_entries()

    def _show(self) -> None:
        self._terminal.document({"widgets": self._json(), "crash": crash_json(self._steps[-1].crash)})
        self._print_entries()

    def _print_entries(self) -> None:
        for entry in self._entries:
            number = f"{entry.number:6}" if entry.number is not None else " " * 6
            self._terminal.line((number, "bold"), (f"  {entry.kind:9} ", "dim"), entry.text)

    def _json(self) -> list[dict[str, Any]]:
        return [
            {
                "number": entry.number,
                "kind": entry.kind,
                "class": entry.widget.class_name,
                "id": entry.widget.resource_id,
                "text": entry.widget.text,
                "description": entry.widget.description,
                "label": entry.text,
                "bounds": list(entry.widget.bounds),
                "flags": entry.widget.flags.letters,
            }
            for entry in self._entries
        ]

    def _entry(self, word: str) -> ListedWidget:
        for entry in self._entries:
            if word.isdecimal() and len(word) <= MOST_DIGITS and entry.number == int(word):
                return entry
        highest = max((entry.number or 0 for entry in self._entries), default=0)
        raise UsageError(f"no number {printable(word)} on this screen; there are {highest}")

    def _tap(self, words: CommandLine) -> None:
        arguments = words.at_most(2)
        if len(arguments) == 2:
            x, y = (_number(word, "a point is two whole numbers") for word in arguments)
            self._do(Tap(x, y, self._screen.selector_at(x, y)))
        else:
            entry = self._only(words)
            self._do(Tap(*entry.widget.bounds.centre, entry.selector))

    def _only(self, words: CommandLine) -> ListedWidget:
        arguments = words.at_most(1)
        if not arguments:
            raise UsageError(f"{words.verb}: which number?")
        return self._entry(arguments[0])

    def _long(self, words: CommandLine) -> None:
        entry = self._only(words)
        self._do(LongPress(*entry.widget.bounds.centre, entry.selector))

    def _double(self, words: CommandLine) -> None:
        entry = self._only(words)
        self._do(DoubleTap(*entry.widget.bounds.centre, entry.selector))

    def _text(self, words: CommandLine) -> None:
        first, _, rest = words.rest.partition(" ")
        numbers = {str(entry.number) for entry in self._entries if entry.number is not None}
        if rest and first in numbers:
            self._do(Text(rest, selector=self._entry(first).selector))
        elif words.rest:
            self._do(Text(words.rest))
        else:
            raise UsageError("text: which number, and what text?")

    def _clear(self, words: CommandLine) -> None:
        self._do(Text("", replace=True, selector=self._only(words).selector))

    def _swipe(self, words: CommandLine) -> None:
        arguments = words.at_most(2)
        ways = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
        if not arguments or arguments[0] not in ways:
            raise UsageError("swipe: up, down, left or right?")
        across, down = ways[arguments[0]]
        entry = self._entry(arguments[1]) if len(arguments) == 2 else None
        left, top, right, bottom = entry.widget.bounds if entry else (0, 0, self._screen.width, self._screen.height)
        x, y = (left + right) // 2, (top + bottom) // 2
        # A quarter of the length on each side of the centre: a swipe from an edge may be a system gesture.
        reach_x, reach_y = across * (right - left) // 4, down * (bottom - top) // 4
        selector = entry.selector if entry else None
        self._do(Swipe(x - reach_x, y - reach_y, x + reach_x, y + reach_y, selector=selector))

    def _key(self, words: CommandLine) -> None:
        arguments = words.at_most(1)
        if not arguments:
            raise UsageError("key: which key?")
        try:
            event = Key(arguments[0].upper().removeprefix("KEYCODE_"))
        except ValueError as error:
            raise UsageError(f"key: {error}") from error
        self._do(event)

    def _named_key(self, words: CommandLine) -> None:
        words.at_most(0)
        self._do(Key(words.verb.upper()))

    def _rotate(self, words: CommandLine) -> None:
        arguments = words.at_most(1)
        now = "landscape" if self._screen.width > self._screen.height else "portrait"
        try:
            self._do(Rotate(arguments[0] if arguments else TURNS[now]))  # type: ignore[arg-type]
        except ValueError as error:
            raise UsageError(f"rotate: {error}") from error

    def _wait(self, words: CommandLine) -> None:
        arguments = words.at_most(1)
        self._do(Wait(_number(arguments[0], "wait: how many milliseconds?") if arguments else 1000))

    def _undo(self, words: CommandLine) -> None:
        words.at_most(0)
        if len(self._steps) < 2:
            raise UsageError("nothing to take back")
        self._play_again(self._steps[:-1])
        self._print_step(self._steps[-1])

    def _play_again(self, wanted: Sequence[Step]) -> None:
        """Launches the app anew and performs the events of these steps; says so if they lead elsewhere."""
        steps = [self._launch()]
        for step in wanted[1:]:
            if steps[-1].ending.is_final:
                break
            steps.append(self._opened.session.perform(step.event))
        self._steps = steps
        if steps[-1].after.digest() != wanted[-1].after.digest():
            self._terminal.line(("note: the app did not come back to the same screen", "warn"))

    def _shot(self, words: CommandLine) -> None:
        arguments = words.at_most(1)
        path = Path(arguments[0]) if arguments else _free_name()
        save_screenshot(self._opened.session, path)
        self._saved(path)

    def _save(self, words: CommandLine) -> None:
        arguments = words.at_most(1)
        if not arguments:
            raise UsageError("save: into which file?")
        path = Path(arguments[0])
        save_trace(path, self.trace)
        self._saved(path)

    def _test(self, words: CommandLine) -> None:
        arguments = words.at_most(2)
        if not arguments:
            raise UsageError("test: into the folder of which suite?")
        name = arguments[1] if len(arguments) == 2 else None
        path = add_test(Path(arguments[0]), self._opened, self._settings, self.trace, name)
        self._play_again(self._steps)
        self._saved(path)

    def _saved(self, path: Path) -> None:
        self._terminal.line(f"saved {printable(str(path), 300)}")
        self._terminal.document({"saved": str(path)})

    def _log(self, words: CommandLine) -> None:
        words.at_most(0)
        lines = [line for step in self._steps for line in step.log]
        self._terminal.document({"log": lines})
        for line in lines or ["nothing"]:
            self._terminal.line("  ", printable(line, 300))

    def _help(self, words: CommandLine) -> None:
        self._terminal.document({"help": HELP})
        self._terminal.lines(HELP)


def _words(line: str) -> CommandLine | None:
    text = line.strip()
    if not text or text.startswith("#"):
        return None
    if "\0" in text:
        raise UsageError("a null character cannot be typed")
    verb, _, rest = text.partition(" ")
    if verb.lower() in ("text", "type"):
        # A text for the app may contain quotes, so it is not split like a shell command.
        return CommandLine(verb.lower(), (), rest.lstrip())
    try:
        arguments = shlex.split(rest)
    except ValueError as error:
        raise UsageError(f"{printable(text)}: {error}") from error
    return CommandLine(verb.lower(), arguments, rest)


def _number(word: str, question: str) -> int:
    if not word.isdecimal():
        raise UsageError(question)
    if len(word) > MOST_DIGITS:
        raise UsageError(f"{printable(word)} is too large")
    return int(word)


def _free_name() -> Path:
    number = 1
    while (path := Path(f"shot-{number}.png")).exists():
        number += 1
    return path

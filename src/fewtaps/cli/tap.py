"""`fewtaps tap`: an app in the terminal. Shows the screen as a numbered list, runs typed commands, saves the steps."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fewtaps.cli.play import crash_json, print_step, print_trace_crash, step_to_json
from fewtaps.cli.terminal import Terminal, show_download
from fewtaps.config import DeviceSettings
from fewtaps.errors import DeviceError, UsageError
from fewtaps.model.event import DoubleTap, Event, Key, Launch, LongPress, Tap, Wait, printable
from fewtaps.model.trace import Step
from fewtaps.pipeline.live_app import WAYS, LiveApp, key_event, text_event
from fewtaps.pipeline.numbered import ListedWidget
from fewtaps.pipeline.opening import open_app, save_screenshot
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


def run_tap(apk: str, world: int, settings: DeviceSettings, as_json: bool) -> None:
    """Opens the app and runs the commands of the standard input until its end or until `quit`."""
    terminal = Terminal(as_json)
    terminal.busy(f"opening {printable(apk, 200)}")
    with open_app(apk, settings, progress=show_download) as opened:
        for note in opened.session.notes:
            terminal.line(("note: ", "warn"), printable(note, 300))
        runner = CommandRunner(LiveApp(opened, opened.choose_world(world)), settings, terminal)
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
                runner.app.is_gone |= isinstance(error, DeviceError)
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

    def __init__(self, app: LiveApp, settings: DeviceSettings, terminal: Terminal) -> None:
        self.app = app
        self._settings = settings
        self._terminal = terminal
        self._commands: dict[str, Callable[[CommandLine], None]] = {
            "tap": self._tap, "long": self._long, "double": self._double, "text": self._text, "type": self._text,
            "clear": self._clear, "swipe": self._swipe, "key": self._key, "rotate": self._rotate, "wait": self._wait,
            "launch": lambda words: self._do(Launch()), "restart": lambda words: self.restart(),
            "back": self._named_key, "home": self._named_key, "menu": self._named_key, "enter": self._named_key,
            "undo": self._undo, "screen": lambda words: self._show(), "shot": self._shot, "save": self._save,
            "test": self._test, "log": self._log, "help": self._help, "?": self._help,
        }  # fmt: skip

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
        self._print_step(self.app.restart())

    def _do(self, event: Event) -> None:
        self._print_step(self.app.perform(event))

    def _print_step(self, step: Step) -> None:
        number = len(self.app.steps) - 1
        print_step(self._terminal, number, step)
        if step.crash is not None:
            print_trace_crash(self._terminal, step.crash)
        self._terminal.document({"step": step_to_json(self.app.world, number, step), "widgets": self._json()})
        self._print_entries()

    def _show(self) -> None:
        self._terminal.document({"widgets": self._json(), "crash": crash_json(self.app.steps[-1].crash)})
        self._print_entries()

    def _print_entries(self) -> None:
        for entry in self.app.entries:
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
            for entry in self.app.entries
        ]

    def _entry(self, word: str) -> ListedWidget:
        if not word.isdecimal() or len(word) > MOST_DIGITS:
            raise self.app.no_entry(word)
        return self.app.entry(int(word))

    def _tap(self, words: CommandLine) -> None:
        arguments = words.at_most(2)
        if len(arguments) == 2:
            x, y = (_number(word, "a point is two whole numbers") for word in arguments)
            self._do(Tap(x, y, self.app.screen.selector_at(x, y)))
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
        numbers = {str(entry.number) for entry in self.app.entries if entry.number is not None}
        if rest and first in numbers:
            self._do(text_event(rest, self._entry(first)))
        elif words.rest:
            self._do(text_event(words.rest))
        else:
            raise UsageError("text: which number, and what text?")

    def _clear(self, words: CommandLine) -> None:
        self._do(text_event("", self._only(words), replace=True))

    def _swipe(self, words: CommandLine) -> None:
        arguments = words.at_most(2)
        way = arguments[0] if arguments else ""
        entry = self._entry(arguments[1]) if len(arguments) == 2 and way in WAYS else None
        self._do(self.app.swipe(way, entry))

    def _key(self, words: CommandLine) -> None:
        arguments = words.at_most(1)
        if not arguments:
            raise UsageError("key: which key?")
        self._do(key_event(arguments[0]))

    def _named_key(self, words: CommandLine) -> None:
        words.at_most(0)
        self._do(Key(words.verb.upper()))

    def _rotate(self, words: CommandLine) -> None:
        arguments = words.at_most(1)
        self._do(self.app.turn(arguments[0] if arguments else None))

    def _wait(self, words: CommandLine) -> None:
        arguments = words.at_most(1)
        self._do(Wait(_number(arguments[0], "wait: how many milliseconds?") if arguments else 1000))

    def _undo(self, words: CommandLine) -> None:
        words.at_most(0)
        self._note_return(self.app.undo())
        self._print_step(self.app.steps[-1])

    def _note_return(self, came_back: bool) -> None:
        if not came_back:
            self._terminal.line(("note: the app did not come back to the same screen", "warn"))

    def _shot(self, words: CommandLine) -> None:
        arguments = words.at_most(1)
        path = Path(arguments[0]) if arguments else _free_name()
        save_screenshot(self.app.opened.session, path)
        self._saved(path)

    def _save(self, words: CommandLine) -> None:
        arguments = words.at_most(1)
        if not arguments:
            raise UsageError("save: into which file?")
        path = Path(arguments[0])
        save_trace(path, self.app.trace)
        self._saved(path)

    def _test(self, words: CommandLine) -> None:
        arguments = words.at_most(2)
        if not arguments:
            raise UsageError("test: into the folder of which suite?")
        name = arguments[1] if len(arguments) == 2 else None
        path = add_test(Path(arguments[0]), self.app.opened, self._settings, self.app.trace, name)
        self._note_return(self.app.play_again(self.app.steps))
        self._saved(path)

    def _saved(self, path: Path) -> None:
        self._terminal.line(f"saved {printable(str(path), 300)}")
        self._terminal.document({"saved": str(path)})

    def _log(self, words: CommandLine) -> None:
        words.at_most(0)
        lines = list(self.app.log_lines())
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

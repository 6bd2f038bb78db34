"""`fewtaps replay`: prints the steps of a trace, and in how many worlds they still meet its goal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from fewtaps.cli.explore import default_folder
from fewtaps.cli.logs import PROJECT_FILE
from fewtaps.cli.play import ENDINGS, crash_json, play_json, print_trace_crash, rate_text, run_word
from fewtaps.cli.steps import print_course, print_steps
from fewtaps.cli.terminal import Terminal, show_download
from fewtaps.config import ReplaySettings
from fewtaps.model import words
from fewtaps.model.event import event_to_json, printable
from fewtaps.model.goal import GoalKind
from fewtaps.model.told import describe_step
from fewtaps.pipeline.advice import flaky_words
from fewtaps.pipeline.playing import Play
from fewtaps.pipeline.replaying import Replay, replay_file
from fewtaps.pipeline.suite_app import app_of

if TYPE_CHECKING:
    from rich.status import Status

MOST_NAMED = 12


def app_and_folder(name: str, folder: Path | None) -> tuple[str, Path, bool]:
    """The app and the project that are meant, and whether the project's folder was named in the place of its app."""
    if folder is None and (Path(name) / PROJECT_FILE).is_file():
        return app_of(Path(name)), Path(name), True
    return name, folder or default_folder(name), False


def run_replay(apk: str, path: str, settings: ReplaySettings, fail_on_crash: bool, as_json: bool) -> int:
    """Replays a trace and prints how often it meets its goal; 1 if it does and `fail_on_crash` is set, else 0."""
    terminal = Terminal(as_json)
    terminal.busy(f"opening {printable(apk, 200)}")
    with _WorldCounter(terminal, settings.worlds) as counting:
        replay = replay_file(apk, path, settings, counting.played, show_download)
    for note in replay.notes:
        terminal.line(("note: ", "warn"), printable(note, 300))
    _print(terminal, replay)
    terminal.document({"summary": summary_to_json(replay)})
    is_suspect = replay.wanted is not None and replay.wanted.suspect is not None
    return 1 if fail_on_crash and replay.met and not is_suspect else 0


class _WorldCounter:
    """Shows the number of worlds played: on a terminal in one line that is erased, with --json a document for each."""

    def __init__(self, terminal: Terminal, worlds: int) -> None:
        self._terminal = terminal
        self._worlds = worlds
        self._count = 0
        self._status: Status | None = None

    def __enter__(self) -> _WorldCounter:
        if self._terminal.can_redraw:
            self._status = self._terminal.console.status(f"world 1 of {self._worlds}")
            self._status.start()
        return self

    def __exit__(self, *exception: object) -> None:
        if self._status is not None:
            self._status.stop()

    def played(self, play: Play) -> None:
        """Writes the play as a line of JSON and shows the number of the next world."""
        self._count += 1
        self._terminal.document({"world": play_json(play)})
        if self._status is not None:
            self._status.update(f"world {min(self._count + 1, self._worlds)} of {self._worlds}")


def _print(terminal: Terminal, replay: Replay) -> None:
    rate, unit = replay.reproduction, run_word(replay.has_worlds)
    if not replay.met:
        terminal.line(("The steps, and what happened:", "warn"))
        print_course(terminal, replay.shown.trace, replay.trace)
    else:
        terminal.line(f"Steps, as in {unit} {replay.shown.world}:")
        print_steps(terminal, replay.trace, replay.pictures)
        if replay.wanted is not None:
            terminal.line()
            print_trace_crash(terminal, replay.wanted)
    terminal.line()
    if replay.goal.kind is GoalKind.ANY_CRASH:
        where = f" on {printable(replay.device, 100)}" if replay.device else ""
        terminal.line((f"No crash in {rate.runs} {unit}s{where}.", "good"))
        return
    if replay.wanted is None:
        terminal.line("What should happen: ", printable(words.goal(replay.goal), 160))
    where = f" on {printable(replay.device, 100)}" if replay.device else ""
    terminal.line("Reproduction rate: ", (rate_text(rate, replay.has_worlds) + where, "bold"))
    _print_others(terminal, replay)
    if 0 < rate.met < rate.runs:
        terminal.line((f"It {flaky_words(rate, replay.has_worlds)}.", "dim"))


def _print_others(terminal: Terminal, replay: Replay) -> None:
    """Prints the endings of the worlds that do not meet the goal, with their numbers."""
    by_ending: dict[str, list[int]] = {}
    for play in replay.plays:
        if play.world not in replay.met:
            by_ending.setdefault(_ending(play), []).append(play.world)
    for ending, worlds in sorted(by_ending.items(), key=lambda each: -len(each[1])):
        named = ", ".join(map(str, worlds[:MOST_NAMED])) + (", …" if len(worlds) > MOST_NAMED else "")
        unit = run_word(replay.has_worlds)
        terminal.line(f"  {ending} in {unit}{'s' if len(worlds) > 1 else ''} {named}")


def _ending(play: Play) -> str:
    if play.crash is not None:
        return f"another crash ({printable(play.crash.summary, 120)})"
    return ENDINGS.get(play.trace.ending, "no crash")


def summary_to_json(replay: Replay) -> dict[str, Any]:
    """The last line of a stream: the steps, and all worlds together."""
    rate = replay.reproduction
    low, high = rate.interval
    events = replay.trace.events
    pictures = [*replay.pictures, *[None] * len(events)]
    return {
        "package": replay.app.package,
        "goal": words.goal(replay.goal),
        "steps": [
            {
                "number": number,
                "text": describe_step(replay.trace.steps[number]),
                "event": event_to_json(event),
                "picture": _path(pictures[number - 1]),
            }
            for number, event in enumerate(events[1:], 1)
        ],
        "crash": crash_json(replay.wanted),
        "world": replay.shown.world,
        "worlds": [{**play_json(play), "met": play.world in replay.met} for play in replay.plays],
        "reproduction": {"met": rate.met, "runs": rate.runs, "rate": rate.rate, "low": low, "high": high},
        "notes": list(replay.notes),
        **({"device": replay.device} if replay.device else {}),
    }


def _path(picture: object) -> str | None:
    return None if picture is None else str(picture)

"""An exploration or a whole run as it goes on: a live view on a terminal, plain lines elsewhere, JSON for a program.

Each view is a function of the news; it shows some of them and passes over the others.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fewtaps.cli.crashes import ID_LETTERS, what_text
from fewtaps.cli.play import crash_json, run_word
from fewtaps.cli.terminal import Terminal, counted, warn
from fewtaps.model import words
from fewtaps.model.crash import Crash
from fewtaps.model.episode import Episode, EpisodeEnd
from fewtaps.model.event import printable
from fewtaps.model.slice import summary_of
from fewtaps.model.told import describe_step, describe_steps
from fewtaps.model.trace import Step
from fewtaps.pipeline.cases import Case
from fewtaps.pipeline.news import (
    AppOpened,
    CandidateRun,
    CrashFound,
    CrashGivenUp,
    CrashNotSliced,
    CrashReplayed,
    CrashSliced,
    CrashSlicing,
    CrashWorkDone,
    CrashWorkStarted,
    DeviceOpening,
    EpisodeFailed,
    EpisodeKept,
    ExplorationProgress,
    ExploringStarted,
    News,
    OtherWorldsTried,
    PictureTaken,
    PreludeMissed,
    StepSeen,
    SuiteAdvanced,
    SuiteStarted,
    TestRecorded,
    TestRefused,
)
from fewtaps.pipeline.numbered import number_screen

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.live import Live
    from rich.segment import Segment
    from rich.text import Text

LINE_SECONDS = 10.0
"""Time between two lines of figures, where nothing is drawn anew."""
SCREEN_LINES = 12
CRASH_LINES = 6
BAR_LETTERS = 30
PICTURE_ROWS = 16
LEAST_ROWS = 28
"""A terminal with fewer rows shows the last screen as a list: a picture would push the figures out."""

PHASES = {
    "preparing": "replaying the traces",
    "loops": "leaving out loops",
    "splicing": "joining fragments",
    "selecting": "selecting",
    "worlds": "replaying in other worlds",
}
"""The phases of the reduction to a suite, in words."""


def exploring_view(terminal: Terminal) -> PlainView:
    """The view of an exploration that suits where the output goes."""
    if terminal.as_json:
        return JsonView(terminal)
    return LiveView(terminal) if terminal.can_redraw else PlainView(terminal)


def run_view(terminal: Terminal) -> PlainView:
    """The view of a whole run that suits where the output goes."""
    if terminal.as_json:
        return JsonView(terminal)
    return LiveRunView(terminal) if terminal.can_redraw else PlainView(terminal)


class PlainView(AbstractContextManager["PlainView"]):
    """A line when a crash is found and when the work on it ends, and a line of figures now and then."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self.progress: ExplorationProgress | None = None
        self.events = 0
        self._last_line = self._first = time.monotonic()
        self._events_before = 0
        self._lock = threading.Lock()

    def __exit__(self, *exception: object) -> None:
        """Nothing is left to be closed."""

    def __call__(self, news: News) -> None:
        """Shows the news, or passes over them."""
        match news:
            case AppOpened(notes, progress):
                self._opened(notes, progress)
            case StepSeen(step):
                self._seen(step)
            case EpisodeKept(_, progress):
                self.progress = progress
            case CrashFound(crash, episode):
                self.terminal.line(*crash_line(crash, episode))
            case EpisodeFailed(_, error):
                warn(printable(words.episode_end(EpisodeEnd.DEVICE_FAILED, error), 500))
            case PreludeMissed(number, note):
                warn(printable(f"the prelude does not fit, step {number}: {note}", 500))
            case OtherWorldsTried(worlds, has_worlds):
                others = f"{worlds} other {run_word(has_worlds)}s"
                self.terminal.line((f"it does not crash again; looking at {others} …", "warn"))
            case CrashWorkDone(case, has_worlds):
                self.terminal.line((case.row.fingerprint[:ID_LETTERS], "bold"), f"  {done_text(case, has_worlds)}")
            case CrashGivenUp(case, error):
                name = case.row.fingerprint[:ID_LETTERS]
                self.terminal.line((name, "bold"), ("  left alone: ", "warn"), printable(error, 300))
            case CrashNotSliced(case, error):
                name = case.row.fingerprint[:ID_LETTERS]
                self.terminal.line((name, "bold"), ("  no slice: ", "warn"), printable(error, 300))
            case SuiteStarted(traces, events, notes):
                for note in notes:
                    self.terminal.line(("note: ", "warn"), printable(note, 300))
                self.terminal.line(f"making a suite of {counted(traces, 'trace')} with {counted(events, 'event')}")

    def _opened(self, notes: tuple[str, ...], progress: ExplorationProgress) -> None:
        for note in notes:
            self.terminal.line(("note: ", "warn"), printable(note, 300))
        if progress.episodes:
            self.terminal.line(f"going on after {counted(progress.episodes, 'episode')}")
        self.progress = progress
        self._events_before = progress.events
        # Until now the device was being opened, which does not count for the speed.
        self._last_line = self._first = time.monotonic()

    def _seen(self, step: Step) -> None:
        """A line of figures if the last one was some time ago: an episode may be long."""
        now = time.monotonic()
        with self._lock:
            self.events += 1
            is_due = now - self._last_line >= LINE_SECONDS
            if is_due:
                self._last_line = now
        if is_due and self.progress is not None:
            self.terminal.line(f"{self.speed_text()}, {figures_text(self.progress)}")

    def speed_text(self, gap: str = "  ") -> str:
        """Time, events, and how many there are in a second."""
        return f"{clock(time.monotonic() - self._first)}{gap}{self.count_text()}"

    def count_text(self) -> str:
        """Events up to now, those of earlier parts too, and how many of this part's there are in a second."""
        # Exploring may have had pauses, which only the progress knows; before the first episode ends there are none.
        known = 0.0 if self.progress is None else self.progress.events_per_second
        speed = known or self.events / max(time.monotonic() - self._first, 0.001)
        return f"{counted(self._events_before + self.events, 'event')} ({speed:.0f}/s)"


class JsonView(PlainView):
    """One document for each episode, each new crash, and each crash that was worked on."""

    def __call__(self, news: News) -> None:
        """Prints a document for a program, or passes over the news."""
        match news:
            case AppOpened(notes, progress):
                self.terminal.document({"begun": {"notes": list(notes), "resumed_episodes": progress.episodes}})
            case EpisodeKept(episode, progress):
                self.terminal.document({"episode": episode_json(episode), "progress": progress_json(progress)})
            case CrashFound(crash, episode):
                steps = describe_steps(episode.trace)
                self.terminal.document({"crash": crash_json(crash), "episode": episode.number, "steps": steps})
            case CrashWorkDone(case):
                self.terminal.document({"done": case.to_json()})
            case CrashGivenUp(case, error):
                self.terminal.document({"given_up": {"id": case.row.fingerprint, "reason": error}})
            case CrashSliced(case, made):
                self.terminal.document({"sliced": {"id": case.row.fingerprint, **summary_of(made)}})
            case CrashNotSliced(case, error):
                self.terminal.document({"not_sliced": {"id": case.row.fingerprint, "reason": error}})
            case SuiteStarted(traces, events, notes):
                started = {"traces": traces, "events": events, "notes": list(notes)}
                self.terminal.document({"suite_started": started})
            case TestRecorded(name):
                self.terminal.document({"recorded": name})
            case TestRefused(reason):
                self.terminal.document({"refused": reason})
            case EpisodeFailed() | PreludeMissed():
                super().__call__(news)


class LiveView(PlainView):
    """Figures, crashes and the last screen, drawn anew some times a second."""

    def __init__(self, terminal: Terminal) -> None:
        super().__init__(terminal)
        self._crashes: deque[str] = deque(maxlen=CRASH_LINES)
        self._step: Step | None = None
        self._live: Live | None = None
        self._pictures = terminal.pictures
        self._picture = b""
        self._drawn: tuple[bytes, _Shown | None] = (b"", None)

    def __enter__(self) -> LiveView:
        """Takes the lower part of the terminal."""
        from rich.live import Live

        self._live = Live(get_renderable=self.draw, console=self.terminal.console, refresh_per_second=4, transient=True)
        self._live.start()
        return self

    def __exit__(self, *exception: object) -> None:
        """Removes the view from the terminal, also after an error."""
        if self._live is not None:
            self._live.stop()
            if self._pictures is not None and self._drawn[1] is not None:
                self.terminal.raw(self._pictures.removal)

    def __call__(self, news: News) -> None:
        """As the plain view above what is drawn; a crash joins the list that is drawn."""
        super().__call__(news)
        if isinstance(news, CrashFound):
            self._crashes.append(printable(news.crash.signature, 100))
        elif isinstance(news, PictureTaken):
            with self._lock:
                self._picture = news.png

    def _seen(self, step: Step) -> None:
        """Remembers what was seen last; drawing happens elsewhere."""
        with self._lock:
            self._step = step
            self.events += 1

    def head(self) -> list[Text]:
        """The lines above the last screen."""
        from rich.text import Text

        lines = [Text(self.speed_text("   "), "bold")]
        if self.progress is not None:
            lines.append(Text(figures_text(self.progress)))
        lines.extend(_cut(f"  crash: {each}", "red") for each in tuple(self._crashes))
        return lines

    def draw(self) -> RenderableType:
        """All of it, as wide as the terminal: what was found is wrapped there, everything else cut off."""
        from rich.console import Group

        with self._lock:
            step, picture = self._step, self._picture
            lines = self.head()
        if step is not None and self.terminal.console.height >= LEAST_ROWS and (shown := self._for_terminal(picture)):
            return Group(*lines, _title(step), shown)
        return Group(*lines, *(_last_lines(step) if step is not None else ()))

    def _for_terminal(self, png: bytes) -> _Shown | None:
        """The picture as this terminal takes it; made here, when it is drawn, because devices do not wait for that."""
        if self._pictures is None or not png:
            return None
        if png is not self._drawn[0]:
            text = self._pictures.text(png, PICTURE_ROWS)
            self._drawn = (png, _Shown(text) if text else None)
        return self._drawn[1]


class LiveRunView(LiveView):
    """Time, stage, figures and the last screen, drawn anew some times a second."""

    def __init__(self, terminal: Terminal) -> None:
        super().__init__(terminal)
        self._given_seconds: float | None = None
        self._clock_began = 0.0
        self._stage = "reading what is known"
        self._doing = ""

    def __call__(self, news: News) -> None:
        """As the live view; also follows the stages."""
        super().__call__(news)
        match news:
            case DeviceOpening():
                self._stage = "opening the app"
            case ExploringStarted(spent, given):
                self._clock_began, self._given_seconds = time.monotonic() - spent, given
                self._stage, self._doing = "exploring", ""
            case CrashWorkStarted(case):
                self._stage, self._doing = f"reducing {what_text(case.row.crash)}", f"{case.found} steps"
            case CandidateRun(progress):
                self._doing = f"{progress.size} steps after {progress.runs} runs"
            case CrashReplayed(case, met, runs, worlds, has_worlds):
                self._stage = f"replaying {what_text(case.row.crash)}"
                rate = f"{met} of {runs} {run_word(has_worlds)}s"
                self._doing = f"{case.steps} steps, crashed in {rate}, {worlds} to be tried"
            case CrashSlicing(case):
                self._stage, self._doing = f"slicing {what_text(case.row.crash)}", f"{case.steps} steps"
            case SuiteStarted(traces, events):
                self._stage, self._doing = "making a suite", f"{counted(traces, 'trace')}, {counted(events, 'event')}"
            case SuiteAdvanced(progress):
                size = f"{counted(progress.runs, 'trace')}, {counted(progress.transitions, 'event')}"
                self._doing = f"{PHASES[progress.phase.value]}: {size} after {counted(progress.played, 'run')}"
            case TestRecorded(name, done, tests):
                self._doing = f"recording test {done} of {tests}: {printable(name, 60)}"
            case TestRefused(reason):
                self._doing = f"another test is looked for: {printable(reason, 120)}"

    def head(self) -> list[Text]:
        """How much of the time is gone, on what it is spent, and what was found."""
        from rich.text import Text

        lines = [Text(f"{self._time()}  {self._stage}", "bold")]
        if self._doing:
            lines.append(Text(f"  {self._doing}"))
        if self.progress is not None:
            lines.append(Text(f"{self.count_text()}, {figures_text(self.progress)}"))
        return lines

    def _time(self) -> str:
        given = self._given_seconds
        if given is None:
            return "…"
        spent = time.monotonic() - self._clock_began
        full = round(min(1.0, spent / given) * BAR_LETTERS)
        return f"{'█' * full}{'░' * (BAR_LETTERS - full)}  {clock(spent)} of {clock(given)}"


def episode_json(episode: Episode) -> dict[str, Any]:
    """The object that `--json` prints when an episode has ended."""
    return {
        "number": episode.number,
        "world": episode.trace.world,
        "events": episode.events,
        "replayed": episode.replayed,
        "reason": words.episode_end(episode.end, episode.detail),
    }


def _cut(line: str, style: str) -> Text:
    """A line that stays one, however narrow the terminal is."""
    from rich.text import Text

    return Text(line, style, no_wrap=True, overflow="ellipsis")


class _Shown:
    """A picture below the lines: empty rows, then, from their end, the way back to the first and what draws it there.

    The rows are there before the picture is: it never makes the terminal scroll.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        """The rows, and the commands, which take no room."""
        from rich.segment import ControlType, Segment

        yield from [Segment.line()] * PICTURE_ROWS
        commands = f"\x1b7\x1b[{PICTURE_ROWS}A\r{self._text}\x1b8"
        yield Segment(commands, None, [(ControlType.CURSOR_UP, PICTURE_ROWS)])


def _title(step: Step) -> Text:
    activity = printable((step.after.activity or "").rpartition(".")[2], 60)
    return _cut(f"{describe_step(step)}  → {activity}" if activity else describe_step(step), "cyan")


def _last_lines(step: Step) -> list[Text]:
    return [_title(step), *(_cut(line, "dim") for line in _screen_lines(step))]


def _screen_lines(step: Step) -> list[str]:
    entries = number_screen(step.after)[: SCREEN_LINES + 1]
    lines = [f"  {entry.kind:>9}  {printable(entry.text, 60)}" for entry in entries[:SCREEN_LINES]]
    return [*lines, "            …"] if len(entries) > SCREEN_LINES else lines


def crash_line(crash: Crash, episode: Episode) -> tuple[str | tuple[str, str], ...]:
    """What a crash is, and after how many steps of which episode it was found."""
    kind = ("crash: ", "bad") if crash.suspect is None else ("suspect crash: ", "warn")
    where = f"  ({counted(len(episode.trace.steps) - 1, 'step')}, episode {episode.number})"
    return (kind, printable(crash.summary, 160), (where, "dim"))


def figures_text(progress: ExplorationProgress) -> str:
    """What was found, in one line."""
    parts = [f"{progress.activities} of {progress.activities_declared} activities"]
    if progress.totals is not None:
        for name in ("branches", "lines"):
            total = getattr(progress.totals, name)
            if total:
                parts.append(f"{getattr(progress, name)} of {total} {name} ({getattr(progress, name) / total:.0%})")
    parts.append(counted(progress.states, "state"))
    suspects = f" and {progress.suspects} suspect" if progress.suspects else ""
    parts.append(f"{counted(progress.crashes, 'crash', 'crashes')}{suspects}")
    return ", ".join(parts)


def clock(seconds: float) -> str:
    """Minutes and seconds, or hours too."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def progress_json(progress: ExplorationProgress) -> dict[str, Any]:
    """The figures of an exploration as `--json` prints them; a total that is not known is null."""
    totals = progress.totals
    return {
        "seconds": round(progress.seconds, 3),
        "events": progress.events,
        "episodes": progress.episodes,
        "states": progress.states,
        "activities": {"seen": progress.activities, "declared": progress.activities_declared},
        "branches": {"covered": progress.branches, "total": totals.branches if totals else None},
        "lines": {"covered": progress.lines, "total": totals.lines if totals else None},
        "crashes": progress.crashes,
        "suspects": progress.suspects,
    }


def done_text(case: Case, has_worlds: bool = True) -> str:
    """What has become of a crash, in a few words."""
    steps = steps_text(case, "step" if case.steps == 1 else "steps")
    rate = case.reproduction
    return steps if rate is None else f"{steps}, replays in {rate.met} of {rate.runs} {run_word(has_worlds)}s"


def steps_text(case: Case, unit: str = "") -> str:
    """Steps before and after, and whether there may be fewer."""
    count = f"{case.steps} {unit}".strip()
    if not case.is_begun:
        return f"{count}, not reduced"
    return f"{case.found} → {count}{'' if case.is_reduced else ' so far'}"


def kept_text(folder: Path) -> str:
    """Where everything is, and how to go on."""
    return f"everything found is kept in {printable(str(folder), 200)}; the same command goes on from there"

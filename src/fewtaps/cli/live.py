"""An exploration as it goes on: a live view on a terminal, plain lines elsewhere, JSON for a program."""

from __future__ import annotations

import sys
import threading
import time
from collections import deque
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fewtaps.cli.numbered import number_screen
from fewtaps.cli.play import crash_json
from fewtaps.cli.terminal import Terminal, counted, warn
from fewtaps.model import words
from fewtaps.model.crash import Crash
from fewtaps.model.episode import Episode
from fewtaps.model.event import describe, printable
from fewtaps.model.trace import Step
from fewtaps.pipeline.exploring import ExplorationProgress, Watcher

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live
    from rich.text import Text

LINE_SECONDS = 10.0
SCREEN_LINES = 12
CRASH_LINES = 6


def watch(terminal: Terminal) -> PlainWatcher:
    """The watcher that suits where the output goes."""
    if terminal.as_json:
        return JsonWatcher(terminal)
    # A terminal that cannot move its cursor would show nothing of a view that is drawn anew.
    is_live = sys.stdout.isatty() and not terminal.console.is_dumb_terminal
    return LiveWatcher(terminal) if is_live else PlainWatcher(terminal)


class PlainWatcher(Watcher, AbstractContextManager["PlainWatcher"]):
    """A line when a crash is found, and one now and then in between."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self.progress: ExplorationProgress | None = None
        self.events = 0
        self._told = self._first = time.monotonic()
        self._events_before = 0
        self._lock = threading.Lock()

    def __exit__(self, *exception: object) -> None:
        """Nothing is left to be closed."""

    def begun(self, notes: tuple[str, ...], progress: ExplorationProgress) -> None:
        """Says what is special about the app."""
        for note in notes:
            self.terminal.line(("note: ", "warn"), printable(note, 300))
        if progress.episodes:
            self.terminal.line(f"going on after {counted(progress.episodes, 'episode')}")
        self.progress = progress
        self._events_before = progress.events
        # Before that the device was being opened, which is nobody's speed.
        self._told = self._first = time.monotonic()

    def step(self, step: Step) -> None:
        """A line if the last one was some time ago: an episode may be long."""
        now = time.monotonic()
        with self._lock:
            self.events += 1
            is_due = now - self._told >= LINE_SECONDS
            if is_due:
                self._told = now
        if is_due:
            self.tell()

    def episode(self, episode: Episode, progress: ExplorationProgress) -> None:
        """Remembers the figures."""
        self.progress = progress

    def tell(self) -> None:
        """How far it is, in one line."""
        if self.progress is not None:
            self.terminal.line(f"{self.speed_text()}, {figures_text(self.progress)}")

    def speed_text(self, gap: str = "  ") -> str:
        """Time, events, those of earlier parts too, and how many of this part's there are in a second."""
        seconds = time.monotonic() - self._first
        # Exploring may have had pauses, which only the progress knows; before the first episode ends there are none.
        known = 0.0 if self.progress is None else self.progress.events_per_second
        speed = known or self.events / max(seconds, 0.001)
        return f"{clock(seconds)}{gap}{counted(self._events_before + self.events, 'event')} ({speed:.0f}/s)"

    def crash(self, crash: Crash, episode: Episode) -> None:
        """A line for each new crash."""
        self.terminal.line(*crash_line(crash, episode))

    def trouble(self, words: str) -> None:
        """A line on the error stream."""
        warn(printable(words, 500))

    def interrupted(self, folder: Path) -> None:
        """Says that nothing is lost."""
        warn(f"all finished episodes are kept in {folder}; go on with --resume")


class JsonWatcher(PlainWatcher):
    """One document for each episode and each new crash."""

    def begun(self, notes: tuple[str, ...], progress: ExplorationProgress) -> None:
        """What is special about the app."""
        self.terminal.document({"begun": {"notes": list(notes), "resumed_episodes": progress.episodes}})

    def episode(self, episode: Episode, progress: ExplorationProgress) -> None:
        """The episode in numbers."""
        self.terminal.document(
            {
                "episode": {
                    "number": episode.number,
                    "world": episode.trace.world,
                    "events": episode.events,
                    "replayed": episode.replayed,
                    "reason": words.episode_end(episode),
                },
                "progress": progress_json(progress),
            }
        )

    def crash(self, crash: Crash, episode: Episode) -> None:
        """The crash with its steps."""
        steps = [describe(event) for event in episode.trace.events]
        self.terminal.document({"crash": crash_json(crash), "episode": episode.number, "steps": steps})


class LiveWatcher(PlainWatcher):
    """Figures, crashes and the last screen, drawn anew some times a second."""

    def __init__(self, terminal: Terminal) -> None:
        super().__init__(terminal)
        self._crashes: deque[str] = deque(maxlen=CRASH_LINES)
        self._step: Step | None = None
        self._live: Live | None = None

    def __enter__(self) -> LiveWatcher:
        """Takes the lower part of the terminal."""
        from rich.live import Live

        self._live = Live(get_renderable=self.draw, console=self.terminal.console, refresh_per_second=4, transient=True)
        self._live.start()
        return self

    def __exit__(self, *exception: object) -> None:
        """Gives the terminal back."""
        if self._live is not None:
            self._live.stop()

    def step(self, step: Step) -> None:
        """Remembers what was seen last; drawing happens elsewhere."""
        with self._lock:
            self._step = step
            self.events += 1

    def crash(self, crash: Crash, episode: Episode) -> None:
        """The crash joins the list, and stays above the view."""
        super().crash(crash, episode)
        self._crashes.append(printable(crash.signature, 100))

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
            step = self._step
            lines = self.head()
        return Group(*lines, *(_last_lines(step) if step is not None else ()))


def _cut(line: str, style: str) -> Text:
    """A line that stays one, however narrow the terminal is."""
    from rich.text import Text

    return Text(line, style, no_wrap=True, overflow="ellipsis")


def _last_lines(step: Step) -> list[Text]:
    activity = printable((step.after.activity or "").rpartition(".")[2], 60)
    title = f"{describe(step.event)}  → {activity}" if activity else describe(step.event)
    return [_cut(title, "cyan"), *(_cut(line, "dim") for line in _screen_lines(step))]


def _screen_lines(step: Step) -> list[str]:
    entries = number_screen(step.after)[: SCREEN_LINES + 1]
    lines = [f"  {entry.kind:>9}  {printable(entry.text, 60)}" for entry in entries[:SCREEN_LINES]]
    return [*lines, "            …"] if len(entries) > SCREEN_LINES else lines


def crash_line(crash: Crash, episode: Episode) -> tuple[str | tuple[str, str], ...]:
    """A new crash in one line."""
    words = ("crash: ", "bad") if crash.suspect is None else ("suspect crash: ", "warn")
    where = f"  ({counted(len(episode.trace.steps) - 1, 'step')}, episode {episode.number})"
    return (words, printable(crash.summary, 160), (where, "dim"))


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
    """The figures for a program."""
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

"""A reduction as it goes on: the tree that shrinks, on a terminal; plain lines elsewhere, JSON for a program."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from fewtaps.cli.live import clock
from fewtaps.cli.play import run_word
from fewtaps.cli.steps import print_course, print_steps
from fewtaps.cli.terminal import Terminal, counted
from fewtaps.config import ReduceSettings
from fewtaps.errors import NotReproduced
from fewtaps.model.event import describe, printable
from fewtaps.model.result import Reduction, ReductionProgress
from fewtaps.model.told import describe_steps
from fewtaps.model.trace import Trace
from fewtaps.pipeline.news import (
    CandidateRun,
    LongRunAdvanced,
    News,
    OriginalMet,
    OtherWorldsTried,
    ReductionResumed,
    ResultSaved,
    ScheduleSolved,
    ShorterFound,
    Tell,
    TraceNoted,
)
from fewtaps.pipeline.news_log import logged
from fewtaps.pipeline.reducing import Branch, branches_of, hierarchy_of

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live
    from rich.text import Text

T = TypeVar("T")

LINE_SECONDS = 10.0
ROWS = 14
"""Lines of the tree that are shown: all of a short one, the largest branches of a long one."""
BAR = 30
NAME = 44

STAGES = {
    "original": "the original",
    "shortcuts": "short ways",
    "rest_by_levels": "level by level",
    "cut_detours": "detours",
    "delete_one_by_one": "one by one",
    "simplify": "plainer steps",
}


class PlainReductionView(AbstractContextManager["PlainReductionView"]):
    """A line for each improvement, if the last one was some time ago; for a program, one document each."""

    def __init__(self, terminal: Terminal, settings: ReduceSettings, now: Callable[[], float] = time.monotonic) -> None:
        self.terminal = terminal
        self.best: Reduction | None = None
        self.output: Path | None = None
        self._settings = settings
        self._now = now
        self._began = self._last_line = now()
        self._lock = threading.Lock()
        self._progress: ReductionProgress | None = None
        self._playing = ""

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the view; a second call does nothing."""

    def __call__(self, news: News) -> None:
        """Shows the news, or ignores them."""
        terminal = self.terminal
        match news:
            case TraceNoted(note):
                terminal.line(("note: ", "warn"), printable(note, 300))
                terminal.document({"note": note})
            case ReductionResumed(before, after, runs):
                terminal.line(f"Going on: {before} → {after} steps so far, after {counted(runs, 'run')}.")
                terminal.document({"resumed": {"before": before, "after": after, "runs": runs}})
            case OriginalMet(reduction):
                self.best = reduction
                terminal.line(f"The original does it: {reduction.size} steps.")
                terminal.document({"original": {"size": reduction.size}})
            case OtherWorldsTried(worlds, has_worlds):
                others = f"{worlds} other {run_word(has_worlds)}s"
                terminal.line(("The original does not do it", "warn"), f"; looking at {others} …")
            case ScheduleSolved(share):
                self._show_solving(share)
            case LongRunAdvanced(number, events):
                self._playing = f"event {number:,} of {events:,}"
                self._show_head()
            case CandidateRun(progress):
                self._progress, self._playing = progress, ""
                self._show_head()
            case ShorterFound(reduction):
                self.best = reduction
                terminal.document({"better": {"size": reduction.size, "runs": reduction.runs}})
            case ResultSaved(output):
                self.output = output

    def _show_solving(self, share: float) -> None:
        """A line with a bar, one in `LINE_SECONDS` at most."""
        now = self._now()
        if share == 0 or share >= 1 or now - self._last_line >= LINE_SECONDS:
            self._last_line = now
            done = round(share * BAR)
            self.terminal.line(f"Solving the schedule: {'█' * done}{'░' * (BAR - done)} {share:.0%}")

    def head(self) -> str:
        """Time, sizes, cost so far and time left."""
        progress, best = self._progress, self.best
        if progress is None or best is None:
            playing = f"   playing the original, {self._playing}" if self._playing else ""
            return f"{clock(self._now() - self._began)}{playing}"
        spent = f"{progress.runs:,} run{'' if progress.runs == 1 else 's'}, {progress.events:,} events"
        parts = [clock(self._now() - self._began), f"{best.original_size:,} → {progress.size:,} steps", spent]
        parts += [self.left(progress), STAGES.get(progress.stage, progress.stage)]
        return "   ".join([*parts, self._playing] if self._playing else parts)

    def left(self, progress: ReductionProgress) -> str:
        """The time left until the nearest limit or, without one, for leaving out each remaining step once."""
        seconds = self._now() - self._began
        limits, settings = [], self._settings
        if settings.seconds is not None:
            limits.append(settings.seconds - seconds)
        if settings.runs is not None:
            limits.append(seconds * (settings.runs - progress.runs) / max(progress.runs, 1))
        if settings.events is not None:
            limits.append(seconds * (settings.events - progress.events) / max(progress.events, 1))
        if limits:
            return f"{clock(max(0.0, min(limits)))} left"
        mean = seconds / max(progress.events, 1)
        return f"about {clock(mean * progress.size * (progress.size + 1))} left"

    def _show_head(self) -> None:
        """A line after every `LINE_SECONDS`, so that a long search is not taken for a hang."""
        with self._lock:
            now = self._now()
            is_due = now - self._last_line >= LINE_SECONDS
            if is_due:
                self._last_line = now
        if is_due:
            self.terminal.line(self.head())


class LiveReductionView(PlainReductionView):
    """The cost and the tree as it is now, redrawn some times a second."""

    def __init__(self, terminal: Terminal, settings: ReduceSettings, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__(terminal, settings, now)
        self._live: Live | None = None
        self._before: tuple[Branch, ...] = ()
        self._tree: tuple[Branch, ...] = ()

    def __enter__(self) -> LiveReductionView:
        """Takes the lower part of the terminal."""
        from rich.live import Live

        console = self.terminal.console
        self._live = Live(get_renderable=self.draw, console=console, refresh_per_second=8, transient=True)
        self._live.start()
        return self

    def close(self) -> None:
        """Removes the drawing from the terminal."""
        if self._live is not None:
            self._live.stop()

    def __call__(self, news: News) -> None:
        """As the plain view, above the drawing; the tree is that of the best trace."""
        super().__call__(news)
        match news:
            case OriginalMet(reduction):
                with self._lock:
                    self._before = self._tree = branches_of(reduction.trace)
            # A trace that is only remembered shows no activities; then the last tree stays until it is played again.
            case ShorterFound(reduction) if reduction.trace.steps[0].after.activity is not None:
                tree = branches_of(reduction.trace)
                with self._lock:
                    self._tree = tree

    def _show_head(self) -> None:
        """Prints nothing: the head is part of the drawing."""

    def draw(self) -> RenderableType:
        """The view as it is now."""
        from rich.console import Group
        from rich.text import Text

        best = self.best
        if best is None:
            return Text(self.head() if self._playing else f"{self.head()}   playing the original …", "dim")
        with self._lock:
            before, tree = self._before, self._tree
        lines = steps_lines(best.trace) if best.size < ROWS else branch_lines(before, tree)
        return Group(Text(self.head(), "bold"), *lines)


def steps_lines(trace: Trace) -> list[Text]:
    """A short trace, step by step, as a tree."""
    from rich.text import Text

    events = trace.events[1:]
    drawing = hierarchy_of(trace).draw(lambda node: f"{node + 1}. {describe(events[node])}")
    return [Text(f"  {line}", no_wrap=True, overflow="ellipsis") for line in drawing.splitlines()]


def branch_lines(before: Sequence[Branch], now: Sequence[Branch]) -> list[Text]:
    """The largest branches of the original tree, with the count that is left of each."""
    from rich.text import Text

    kept = {branch.path for branch in sorted(before, key=lambda each: -each.count)[:ROWS]}
    left = {branch.path: branch.count for branch in now}
    most = max((branch.count for branch in before), default=1)
    lines = []
    for branch in before:
        if branch.path not in kept:
            continue
        count = left.get(branch.path, 0)
        full, whole = (-(-number * BAR // most) for number in (count, branch.count))
        name = "  " * (branch.depth + 1) + printable(branch.state.rpartition(".")[2], NAME)
        bar = ("█" * full, "green"), ("░" * (whole - full), "dim")
        lines.append(
            Text.assemble((f"{name:{NAME}.{NAME}} ", "" if count else "dim"), *bar, f" {count}" if count else "")
        )
    hidden = len(before) - len(lines)
    if hidden > 0:
        lines.append(Text(f"  … and {hidden} smaller branches", "dim"))
    return lines


def show_reduction(apk: str, settings: ReduceSettings, terminal: Terminal, work: Callable[[Tell], T]) -> T:
    """Shows the work as it goes on. After a failure, prints what happened instead or the best so far."""
    terminal.busy(f"opening {printable(apk, 200)}")
    make_view = LiveReductionView if terminal.can_redraw else PlainReductionView
    with make_view(terminal, settings) as view:
        try:
            return work(logged(view))
        except NotReproduced as error:
            view.close()
            _print_instead(terminal, error)
            raise
        except BaseException:
            # Interrupted, or a device failed for good: the best so far is printed.
            view.close()
            _print_so_far(terminal, view)
            raise


def _print_instead(terminal: Terminal, error: NotReproduced) -> None:
    """The course of a trace that does not meet its goal."""
    for trace in error.traces[:1]:
        assert isinstance(trace, Trace)
        recorded = error.traces[1] if len(error.traces) > 1 else None
        terminal.line("What happened instead:")
        print_course(terminal, trace, recorded if isinstance(recorded, Trace) else None)


def _print_so_far(terminal: Terminal, view: PlainReductionView) -> None:
    """The best trace when the reduction was interrupted."""
    best = view.best
    if best is None:
        return
    steps = describe_steps(best.trace)
    if not best.is_news:
        terminal.line((f"Nothing left out yet of {best.size} steps", "warn"), "; the same command goes on from there.")
        terminal.document({"interrupted": {"size": best.size, "output": None, "steps": steps}})
        return
    if view.output is None:
        return
    terminal.line((f"The shortest so far, {best.size} of {best.original_size} steps:", "warn"))
    print_steps(terminal, best.trace)
    terminal.line(f"Saved to {printable(str(view.output), 200)}; the same command goes on from there.")
    terminal.document({"interrupted": {"size": best.size, "output": str(view.output), "steps": steps}})

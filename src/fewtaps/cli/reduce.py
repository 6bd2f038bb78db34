"""`fewtaps reduce`: a trace becomes short while one watches; the steps that are left, and what finding them cost."""

from __future__ import annotations

import sys
import time
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fewtaps.cli.live import clock
from fewtaps.cli.play import crash_json, print_trace_crash, rate_text
from fewtaps.cli.terminal import Terminal, show_download
from fewtaps.config import ReduceSettings
from fewtaps.errors import NotReproduced
from fewtaps.model.event import describe, event_to_json, printable
from fewtaps.model.result import Progress, Reduction
from fewtaps.model.trace import Trace
from fewtaps.pipeline.reducing import Reduced, Spectator, reduce_file

if TYPE_CHECKING:
    from rich.live import Live

LINE_SECONDS = 10.0


def run_reduce(apk: str, path: str, settings: ReduceSettings, as_json: bool) -> int:
    """Reduces a trace and prints what happens."""
    terminal = Terminal(as_json)
    terminal.busy(f"opening {printable(apk, 200)}")
    with _spectator(terminal) as spectator:
        try:
            reduced = reduce_file(apk, path, settings, spectator, show_download)
        except NotReproduced as error:
            spectator.close()
            _print_instead(terminal, error)
            raise
        except KeyboardInterrupt:
            spectator.close()
            _print_so_far(terminal, spectator.best, settings.folder)
            raise
    _print(terminal, reduced)
    return 0


def _spectator(terminal: Terminal) -> PlainSpectator:
    live = not terminal.as_json and sys.stdout.isatty()
    return LiveSpectator(terminal) if live else PlainSpectator(terminal)


class PlainSpectator(Spectator, AbstractContextManager["PlainSpectator"]):
    """A line for each improvement, if the last one was some time ago; for a program, one document each."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self.best: Reduction | None = None
        self._began = self._told = time.monotonic()

    def __exit__(self, *exception: object) -> None:
        """Ends whatever is shown."""
        self.close()

    def close(self) -> None:
        """Ends whatever is shown; harmless if called twice."""

    def original(self, reduction: Reduction) -> None:
        """The original was checked."""
        self.best = reduction
        self.terminal.line(f"The original does it: {reduction.size} steps.")
        self.terminal.document({"original": {"size": reduction.size}})

    def better(self, reduction: Reduction) -> None:
        """A shorter one."""
        self.best = reduction
        self.terminal.document({"better": {"size": reduction.size, "runs": reduction.runs}})
        now = time.monotonic()
        if now - self._told >= LINE_SECONDS:
            self._told = now
            self.terminal.line(f"{clock(now - self._began)}  {reduction.size} steps after {reduction.runs} runs")


class LiveSpectator(PlainSpectator):
    """Size, runs and events, drawn anew some times a second."""

    def __init__(self, terminal: Terminal) -> None:
        super().__init__(terminal)
        self._progress: Progress | None = None
        self._live: Live | None = None

    def __enter__(self) -> LiveSpectator:
        """Takes the lower part of the terminal."""
        from rich.live import Live

        console = self.terminal.console
        self._live = Live(get_renderable=self._draw, console=console, refresh_per_second=8, transient=True)
        self._live.start()
        return self

    def close(self) -> None:
        """Gives the terminal back."""
        if self._live is not None:
            self._live.stop()

    def run(self, progress: Progress) -> None:
        """Remembers where it is; drawing happens elsewhere."""
        self._progress = progress

    def _draw(self) -> Any:
        from rich.text import Text

        progress, best = self._progress, self.best
        if progress is None or best is None:
            return Text("playing the original …", "dim")
        share = progress.size / max(best.original_size, 1)
        bar = "█" * max(1, round(share * 40))
        words = f"{clock(time.monotonic() - self._began)}  {best.original_size} → {progress.size} steps"
        return Text(f"{words}   {progress.runs} runs, {progress.events} events   {progress.stage}\n{bar}")


def _print(terminal: Terminal, reduced: Reduced) -> None:
    reduction = reduced.reduction
    terminal.line()
    if reduced.stopped is not None:
        terminal.line((f"Stopped: {reduced.stopped}. The shortest so far:", "warn"))
    print_steps(terminal, reduction.trace)
    terminal.line()
    crash = reduction.trace.crash
    if crash is not None:
        print_trace_crash(terminal, crash)
        terminal.line()
    certainty = "no single step can be left out" if reduction.is_minimal else "some step may still be superfluous"
    terminal.line((f"{reduction.original_size} → {reduction.size} steps", "good"), f" ({certainty})")
    known = f", {reduction.known} known before" if reduction.known else ""
    terminal.line(f"{reduction.runs} runs, {reduction.events} events played{known}")
    for trace in reduction.findings:
        if trace.crash is not None:
            terminal.line(("Another crash on the way: ", "warn"), printable(trace.crash.summary, 160))
    if reduced.reproduction is not None:
        terminal.line("Reproduction rate: ", (rate_text(reduced.reproduction), "bold"))
    terminal.line(f"Saved to {printable(str(reduced.output), 200)}")
    terminal.document({"summary": _summary(reduced)})


def print_steps(terminal: Terminal, trace: Trace) -> None:
    """The steps for a person, numbered; the launch that begins every trace is not one of them."""
    for number, event in enumerate(trace.events[1:], 1):
        terminal.line(f"{number:4}. ", (describe(event), "bold"))
    if len(trace.events) == 1:
        terminal.line("      ", ("Launch the app.", "bold"))


def _print_instead(terminal: Terminal, error: NotReproduced) -> None:
    for trace in error.traces[:1]:
        assert isinstance(trace, Trace)
        terminal.line("What happened instead:")
        print_steps(terminal, trace)
        if trace.crash is not None:
            print_trace_crash(terminal, trace.crash)


def _print_so_far(terminal: Terminal, best: Reduction | None, folder: Path) -> None:
    if best is None:
        return
    terminal.line(("The shortest so far:", "warn"))
    print_steps(terminal, best.trace)
    terminal.line(f"Everything tried is kept in {printable(str(folder), 200)}; the same command goes on from there.")


def _summary(reduced: Reduced) -> dict[str, Any]:
    reduction, rate = reduced.reduction, reduced.reproduction
    return {
        "goal": reduced.goal,
        "before": reduction.original_size,
        "after": reduction.size,
        "minimal": reduction.is_minimal,
        "runs": reduction.runs,
        "events": reduction.events,
        "known": reduction.known,
        "simplified": reduction.simplified,
        "stopped": reduced.stopped,
        "output": str(reduced.output),
        "steps": [describe(event) for event in reduction.trace.events],
        "trace": [event_to_json(event) for event in reduction.trace.events],
        "crash": crash_json(reduction.trace.crash),
        "stages": [
            {"name": stage.name, "size": stage.size, "runs": stage.runs, "events": stage.events}
            for stage in reduction.stages
        ],
        "findings": [crash_json(trace.crash) for trace in reduction.findings],
        "reproduction": None if rate is None else {"met": rate.met, "runs": rate.runs},
    }

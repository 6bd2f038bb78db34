"""A run as it goes on: stages, time and figures on a terminal, plain lines elsewhere, JSON for a program."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from fewtaps.cli.crashes import ID_LETTERS, what_text
from fewtaps.cli.live import JsonWatcher, LiveWatcher, PlainWatcher, clock, figures_text
from fewtaps.cli.terminal import Terminal
from fewtaps.model.event import printable
from fewtaps.model.result import ReductionProgress
from fewtaps.pipeline.cases import Case
from fewtaps.pipeline.running import RunWatcher
from fewtaps.pipeline.time_shares import TimeShares

if TYPE_CHECKING:
    from rich.text import Text

BAR_LETTERS = 30


def watch_run(terminal: Terminal) -> PlainRun:
    """The watcher that suits where the output goes."""
    if terminal.as_json:
        return JsonRun(terminal)
    return LiveRun(terminal) if sys.stdout.isatty() else PlainRun(terminal)


class PlainRun(PlainWatcher, RunWatcher):
    """A line when a crash is found and one when it was worked on, and figures now and then in between."""

    def checking(self, worlds: int) -> None:
        """A line: this takes a while."""
        self.terminal.line((f"it does not crash again; looking at {worlds} other worlds …", "warn"))

    def settled(self, case: Case) -> None:
        """A line for each crash that was worked on."""
        self.terminal.line((case.row.fingerprint[:ID_LETTERS], "bold"), f"  {settled_text(case)}")

    def given_up(self, case: Case, words: str) -> None:
        """A line for each crash that is left alone."""
        name = case.row.fingerprint[:ID_LETTERS]
        self.terminal.line((name, "bold"), ("  left alone: ", "warn"), printable(words, 300))


class JsonRun(JsonWatcher, PlainRun):
    """One document for each episode, each new crash, and each crash that was worked on."""

    def settled(self, case: Case) -> None:
        """What has become of it."""
        self.terminal.document({"settled": case.to_json()})

    def given_up(self, case: Case, words: str) -> None:
        """That it is left alone, and why."""
        self.terminal.document({"given_up": {"id": case.row.fingerprint, "reason": words}})


class LiveRun(LiveWatcher, PlainRun):
    """Time, stage, figures and the last screen, drawn anew some times a second."""

    def __init__(self, terminal: Terminal) -> None:
        super().__init__(terminal)
        self._shares: TimeShares | None = None
        self._stage = "reading what is known"
        self._doing = ""

    def opening(self) -> None:
        """The first stage."""
        self._stage = "opening the app"

    def exploring(self, shares: TimeShares) -> None:
        """The stage that comes back; its clock is that of all stages."""
        self._shares = shares
        self._stage, self._doing = "exploring", ""

    def reducing(self, case: Case) -> None:
        """A crash has its turn."""
        self._stage, self._doing = f"reducing {what_text(case.row.crash)}", f"{case.found} steps"

    def run(self, progress: ReductionProgress) -> None:
        """How short it is by now."""
        self._doing = f"{progress.size} steps after {progress.runs} runs"

    def replaying(self, case: Case, met: int, runs: int, worlds: int) -> None:
        """How often it replays."""
        self._stage = f"replaying {what_text(case.row.crash)}"
        self._doing = f"{case.steps} steps, crashed in {met} of {runs} worlds, {worlds} to be tried"

    def head(self) -> list[Text]:
        """How much of the time is gone, on what it is spent, and what was found."""
        from rich.text import Text

        lines = [Text(f"{self._time()}  {self._stage}", "bold")]
        if self._doing:
            lines.append(Text(f"  {self._doing}"))
        if self.progress is not None:
            speed = f"{self.progress.events} events ({self.progress.events_per_second:.0f}/s)"
            lines.append(Text(f"{speed}, {figures_text(self.progress)}"))
        return lines

    def _time(self) -> str:
        shares = self._shares
        if shares is None:
            return "…"
        share = min(1.0, shares.spent / shares.seconds)
        full = round(share * BAR_LETTERS)
        return f"{'█' * full}{'░' * (BAR_LETTERS - full)}  {clock(shares.spent)} of {clock(shares.seconds)}"


def settled_text(case: Case) -> str:
    """What has become of a crash, in a few words."""
    words = steps_text(case, "step" if case.steps == 1 else "steps")
    rate = case.reproduction
    return words if rate is None else f"{words}, replays in {rate.met} of {rate.runs} worlds"


def steps_text(case: Case, unit: str = "") -> str:
    """Steps before and after, and whether there may be fewer."""
    count = f"{case.steps} {unit}".strip()
    if not case.is_begun:
        return f"{count}, not reduced"
    return f"{case.found} → {count}{'' if case.is_reduced else ' so far'}"


def kept_text(folder: Path) -> str:
    """Where everything is, and how to go on."""
    return f"everything found is kept in {printable(str(folder), 200)}; the same command goes on from there"

"""`fewtaps explore`: an exploration as it goes on, what it found, and whether that is a failure."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fewtaps.cli.crashes import crash_table
from fewtaps.cli.live import exploring_view, figures_text, progress_json
from fewtaps.cli.play import crash_json
from fewtaps.cli.terminal import Terminal, counted, show_download, warn
from fewtaps.config import ExploreSettings, FailOn
from fewtaps.config import default_folder as default_folder
from fewtaps.errors import UsageError
from fewtaps.files import real_path, require_writable
from fewtaps.model import words
from fewtaps.model.event import printable
from fewtaps.pipeline.exploring import Explored, explore_app
from fewtaps.pipeline.findings import NO_BASELINE, Baseline, CrashFinding, read_baseline, read_findings, write_junit
from fewtaps.pipeline.news_log import logged

NEW_CRASHES = 1


@dataclass(frozen=True, slots=True)
class Judging:
    """When the command fails, which crashes are known, and where a CI server looks."""

    fail_on: FailOn = FailOn.NEVER
    baseline: Path | None = None
    junit: Path | None = None

    def __post_init__(self) -> None:
        if self.fail_on.only_new and self.baseline is None:
            raise UsageError(f"--fail-on {self.fail_on.value} needs --baseline FILE; an empty one is written as []")

    def prepare(self, folder: Path) -> Baseline:
        """The crashes that are known. Raises UsageError for what would otherwise fail only after all the work."""
        # The project folder may not be there yet; that it can be made is seen as soon as the work begins.
        if self.junit is not None and real_path(self.junit) == real_path(folder):
            raise UsageError(f"{self.junit}: cannot be written (it is the project folder)")
        if self.junit is not None and (folder.exists() or real_path(self.junit.parent) != real_path(folder)):
            require_writable(self.junit)
        return read_baseline(self.baseline) if self.baseline is not None else NO_BASELINE


def run_explore(apk: str, settings: ExploreSettings, judging: Judging, as_json: bool) -> int:
    """Explores and prints what happens; 1 if there are crashes of the kind that is to be a failure, else 0."""
    terminal = Terminal(as_json)
    known = judging.prepare(settings.folder)
    terminal.busy(f"opening {printable(apk, 200)}")
    with exploring_view(terminal) as view:
        try:
            explored = explore_app(apk, settings, logged(view), show_download)
        except KeyboardInterrupt:
            warn(f"all finished episodes are kept in {settings.folder}; go on with --resume")
            raise
    findings = read_findings(settings.folder, known, explored.app)
    _print_end(terminal, explored, findings)
    failures = [finding for finding in findings if fails(finding, judging.fail_on)]
    terminal.document({"summary": _summary(explored, findings, len(failures))})
    if judging.junit is not None:
        progress = explored.progress
        write_junit(judging.junit, explored.package, findings, events=progress.events, seconds=progress.seconds)
    return NEW_CRASHES if failures else 0


def fails(finding: CrashFinding, fail_on: FailOn) -> bool:
    """Whether a crash is to be a failure; one that may be the device's fault never is."""
    if fail_on is FailOn.NEVER or finding.is_suspect:
        return False
    if fail_on.only_on_screen and finding.is_from_outside:
        return False
    return not fail_on.only_new or not finding.is_known


def _print_end(terminal: Terminal, explored: Explored, findings: tuple[CrashFinding, ...]) -> None:
    terminal.line()
    terminal.line(("Ended: ", "bold"), printable(words.exploration_end(explored.end), 200))
    progress = explored.progress
    terminal.line(
        f"{counted(progress.events, 'event')}, {counted(progress.episodes, 'episode')}, {figures_text(progress)}"
    )
    terminal.line()
    crash_table(terminal, findings)
    folder = printable(str(explored.folder), 200)
    terminal.line(f"Kept in {folder}. Look with: fewtaps crashes {folder}, coverage, states.")


def _summary(explored: Explored, findings: tuple[CrashFinding, ...], failures: int) -> dict[str, Any]:
    return {
        "package": explored.package,
        "folder": str(explored.folder),
        "reason": words.exploration_end(explored.end),
        "progress": progress_json(explored.progress),
        "new_crashes": [crash_json(crash) for crash in explored.new],
        "crashes": [finding.to_json() for finding in findings],
        "failures": failures,
    }

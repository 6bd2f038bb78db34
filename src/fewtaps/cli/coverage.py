"""`fewtaps coverage`: the covered code as a summary, and JaCoCo's own reports."""

from __future__ import annotations

from pathlib import Path

from fewtaps.cli.terminal import Terminal, show_download
from fewtaps.errors import UsageError
from fewtaps.model.event import printable
from fewtaps.model.summary import Count, Counts, CoverageSummary
from fewtaps.pipeline.findings import read_coverage, write_coverage


def run_coverage(
    folder: Path,
    xml: Path | None,
    html: Path | None,
    sources: tuple[Path, ...],
    apk: str | None,
    classes: int,
    jail: bool,
    as_json: bool,
) -> None:
    """Prints the summary and writes the requested files. Raises UsageError for options that contradict each other."""
    if classes < 0:
        raise UsageError(f"--classes: 0 or more, not {classes}")
    if sources and html is None:
        raise UsageError("--sources: only pages show sources; say where with --html")
    terminal = Terminal(as_json)
    finding = read_coverage(folder)
    notes: tuple[str, ...] = ()
    if xml is not None or html is not None:
        terminal.busy("making the report")
        notes = write_coverage(finding, xml=xml, html=html, sources=sources, apk=apk, jail=jail, progress=show_download)
    _print(terminal, finding.summary, classes)
    for note in notes:
        terminal.line(("note: ", "warn"), printable(note, 300))
    for path in (xml, html):
        if path is not None:
            terminal.line(f"written to {printable(str(path), 200)}")
    terminal.document({"package": finding.app.package, "coverage": finding.summary.to_json(), "notes": list(notes)})


def _print(terminal: Terminal, summary: CoverageSummary, classes: int) -> None:
    for package in summary.packages:
        _row(terminal, printable(package.name, 70) or "(no package)", package.counts, "bold")
    least = [each for package in summary.packages for each in package.classes if each.counts.lines.missed]
    least.sort(key=lambda each: (-each.counts.lines.missed, each.name))
    if least and classes > 0:
        terminal.line()
        terminal.line(("Classes with the most lines left:", "bold"))
        for each in least[:classes]:
            _row(terminal, printable(each.name, 70), each.counts, "plain")
    terminal.line()
    _row(terminal, "All", summary.counts, "bold")


def _row(terminal: Terminal, name: str, counts: Counts, style: str) -> None:
    figures = f"lines {_share(counts.lines)}   branches {_share(counts.branches)}   methods {_share(counts.methods)}"
    terminal.line((f"{name:60}", style), f"  {figures}")


def _share(count: Count) -> str:
    return f"{count.covered:>5} of {count.total:<5} {count.share:>4.0%}" if count.total else f"{'none':>19}"

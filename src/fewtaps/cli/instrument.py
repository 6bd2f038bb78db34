"""`fewtaps instrument`: a copy of an APK that counts which of its code runs."""

from __future__ import annotations

from pathlib import Path

from fewtaps.cli.terminal import Terminal, counted, show_download
from fewtaps.model.event import printable
from fewtaps.pipeline.instrumenting import instrument_app


def run_instrument(apk: str, target: Path, coverage: str, key: Path | None, jail: bool, as_json: bool) -> None:
    """Writes the copy and says what it can and cannot."""
    terminal = Terminal(as_json)
    terminal.busy("putting probes in")
    made = instrument_app(apk, target, coverage, key, jail=jail, progress=show_download)
    terminal.line(f"{counted(made.probes, 'probe')} in {counted(made.methods, 'method')} of {made.app.package}")
    for note in made.notes:
        terminal.line(("note: ", "warn"), printable(note, 300))
    terminal.line(f"written to {printable(str(target), 200)}")
    terminal.line(f"fewtaps run {printable(str(target), 200)} --device adb")
    terminal.document(
        {
            "package": made.app.package,
            "path": str(made.path),
            "probes": made.probes,
            "methods": made.methods,
            "skipped": made.skipped,
            "notes": list(made.notes),
        }
    )

"""`fewtaps convert`: converts recordings of other tools to traces, and traces to scripts for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fewtaps.cli.terminal import Terminal
from fewtaps.model.event import printable
from fewtaps.pipeline.converting import Conversion, convert_file


def run_convert(
    source: Path,
    target: Path,
    source_format: str | None,
    target_format: str | None,
    profile: str | None,
    package: str | None,
    as_json: bool,
) -> None:
    """Converts one file and prints both formats and the losses."""
    conversion = convert_file(
        source, target, source_format=source_format, target_format=target_format, profile=profile, package=package
    )
    terminal = Terminal(as_json)
    terminal.document(to_json(conversion))
    trace = conversion.trace
    terminal.line(
        (f"{conversion.source_format} to {conversion.target_format}", "bold"),
        f": {len(trace.steps)} steps of {printable(trace.app.package, 80) or 'an app that is not named'}, ",
        f"profile {trace.profile}",
    )
    if trace.crash is not None:
        terminal.line(("ends in ", "plain"), (printable(trace.crash.summary, 120), "bad"))
    for loss in conversion.losses:
        terminal.line((printable(loss, 300), "warn"))
    terminal.line(f"written to {printable(str(target), 200)}")


def to_json(conversion: Conversion) -> dict[str, Any]:
    """The conversion as one JSON document."""
    trace = conversion.trace
    return {
        "from": conversion.source_format,
        "to": conversion.target_format,
        "package": trace.app.package,
        "steps": len(trace.steps),
        "profile": trace.profile,
        "screen": list(trace.screen) if trace.screen else None,
        "crash": trace.crash.signature if trace.crash else None,
        "losses": list(conversion.losses),
    }

"""`fewtaps coverage`: what code was covered, and JaCoCo's own reports."""

from __future__ import annotations

from pathlib import Path


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
    """Prints the summary and writes the files asked for."""
    raise NotImplementedError

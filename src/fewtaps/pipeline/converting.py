"""Converts recordings of other tools to traces, and traces to scripts for other tools."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from fewtaps.config import READABLE, WRITABLE
from fewtaps.errors import UsageError
from fewtaps.files import write_whole
from fewtaps.formats.export_support import general_losses
from fewtaps.formats.recording import recording_to_trace
from fewtaps.formats.registry import EXPORTERS, IMPORTERS, SUFFIXES, recognise
from fewtaps.model.profile import PROFILES
from fewtaps.model.trace import Trace
from fewtaps.pipeline.sources import is_trace_file
from fewtaps.tracefile import read_trace, write_trace

TRACE = "trace"


@dataclass(frozen=True, slots=True)
class Conversion:
    """The result of a conversion: both formats, the trace in the middle, and a line for each loss or assumption."""

    source_format: str
    target_format: str
    trace: Trace
    losses: tuple[str, ...]


def convert_file(
    source: Path,
    target: Path,
    *,
    source_format: str | None = None,
    target_format: str | None = None,
    profile: str | None = None,
    package: str | None = None,
) -> Conversion:
    """Reads one format and writes another; the target is written atomically. Raises UsageError."""
    _require("--from", source_format, READABLE)
    _require("--to", target_format, WRITABLE)
    if profile is not None and profile not in PROFILES:
        raise UsageError(f"--profile: '{profile}' is none of {', '.join(PROFILES)}")
    reading = source_format or format_of(source)
    writing = target_format or _format_for(target, reading)
    if target.is_dir():
        raise UsageError(f"{target}: is a folder, not a file to write")
    trace, losses = _read(source, reading, profile, package)
    losses += _write(target, writing, trace)
    return Conversion(reading, writing, trace, losses)


def format_of(path: Path) -> str:
    """The format of a file or folder, by its content. Raises UsageError if there is no importer for it."""
    if not path.exists():
        raise UsageError(f"{path}: there is no such file")
    found = recognise(path) or (TRACE if is_trace_file(path) else None)
    if found is None:
        line = "" if path.is_dir() else ", line 1"
        raise UsageError(f"{path}{line}: not a recording that we know; --from names its format: {', '.join(READABLE)}")
    return found


def _require(option: str, name: str | None, known: tuple[str, ...]) -> None:
    if name is not None and name not in known:
        raise UsageError(f"{option}: '{name}' is none of {', '.join(known)}")


def _format_for(target: Path, reading: str) -> str:
    by_name = SUFFIXES.get(target.suffix.lower())
    if by_name is not None:
        return by_name
    if reading == TRACE and target.suffix.lower() != ".jsonl":
        raise UsageError(f"{target}: its name does not tell a format; --to names it: {', '.join(WRITABLE)}")
    return TRACE


def _read(source: Path, reading: str, profile: str | None, package: str | None) -> tuple[Trace, tuple[str, ...]]:
    if reading != TRACE:
        return recording_to_trace(IMPORTERS[reading].read(source, profile), profile=profile, package=package)
    trace = read_trace(source)
    if profile is not None:
        measures = PROFILES[profile]
        trace = replace(trace, profile=profile, screen=(measures.width, measures.height, measures.dpi))
    if package is not None:
        trace = replace(trace, app=replace(trace.app, package=package))
    return trace, ()


def _write(target: Path, writing: str, trace: Trace) -> tuple[str, ...]:
    if writing == TRACE:
        write_trace(target, trace)
        return ()
    text, losses = EXPORTERS[writing](trace)
    write_whole(target, text.encode("utf-8", "backslashreplace"))
    return (*losses, *general_losses(trace))

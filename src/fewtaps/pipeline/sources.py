"""Finds a trace by name: a trace file, a recording of another tool, or a crash of a project."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from fewtaps.config import DeviceSettings
from fewtaps.errors import NotFound, UsageError
from fewtaps.formats.recording import recording_to_trace
from fewtaps.formats.registry import IMPORTERS, head_of, recognise
from fewtaps.model.app import App
from fewtaps.model.phone import phone_from_text
from fewtaps.model.trace import Trace
from fewtaps.pipeline.cases import read_cases
from fewtaps.store.database import Store, open_store
from fewtaps.tracefile import read_trace

ANY_DEVICE = DeviceSettings()


@dataclass(frozen=True, slots=True)
class TraceSource:
    """A trace, and a line for each loss or assumption if it was imported from another tool."""

    trace: Trace
    losses: tuple[str, ...] = ()


def find_trace(
    name: str, folder: Path | None = None, settings: DeviceSettings = ANY_DEVICE, *, fewest: bool = False
) -> TraceSource:
    """The trace in a file or a recording or, where there is no such file, the shortest one of a crash of the project.

    With `fewest` that is the reduced one if there is one, else the shortest that was found. The profile of the settings
    is that of a recording that does not name one. Their phone, if they name one, takes the place of the trace's. Raises
    UsageError.
    """
    source = _find(name, folder, settings.profile, fewest)
    return replace(source, trace=source.trace.on_phone(phone_from_text(settings.phone))) if settings.phone else source


def _find(name: str, folder: Path | None, profile: str | None, fewest: bool) -> TraceSource:
    path = Path(name)
    if path.exists() or folder is None or not folder.is_dir():
        return _read(path, profile)
    try:
        with open_store(folder) as store:
            trace = store.runs.shortest_trace(name)
            return TraceSource(_fewest(store, trace) if fewest else trace)
    except NotFound as error:
        raise UsageError(f"{name}: neither a file nor a crash of {folder} ({error})") from error


def _fewest(store: Store, found: Trace) -> Trace:
    """The trace of the same crash with the fewest steps."""
    signatures = {step.crash.signature for step in found.steps if step.crash is not None}
    cases = (case for case in read_cases(store, found.app) if case.row.crash.signature in signatures)
    return min((found, *(case.trace for case in cases)), key=lambda trace: len(trace.steps))


def _read(path: Path, profile: str | None) -> TraceSource:
    found = recognise(path) if path.exists() and not is_trace_file(path) else None
    if found is None:
        return TraceSource(read_trace(path))
    return TraceSource(*recording_to_trace(IMPORTERS[found].read(path, profile), profile=profile))


def is_trace_file(path: Path) -> bool:
    """Whether the file is a trace file; checked before the importers, whose marks may occur in texts of a trace."""
    return path.is_file() and '"fewtaps"' in head_of(path).partition("\n")[0]


def differences(trace: Trace, app: App) -> tuple[str, ...]:
    """Lines for the user on a trace that was made with another version or build of the app."""
    if trace.app.version and trace.app.version != app.version:
        return (f"the trace was made with version {trace.app.version}, this is {app.version}",)
    if trace.app.digest and trace.app.digest != app.digest:
        return ("the trace was made with another build of this version",)
    return ()

"""Writes the steps of a crash for other tools: from a project or from a trace file to text, one file or a folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path

from fewtaps.errors import NotFound, UsageError
from fewtaps.exports.finding import rate_in_words
from fewtaps.exports.registry import EXPORTS, Export, Finding
from fewtaps.pipeline.cases import Case, read_cases
from fewtaps.pipeline.files import write_whole
from fewtaps.store.database import Store, open_store
from fewtaps.tracefile import read_trace

ALL = "all"


@dataclass(frozen=True, slots=True)
class Found:
    """A finding, and where the pictures of its steps lie, by the number of the step."""

    finding: Finding
    pictures: Mapping[int, Path]

    def seen_from(self, folder: Path) -> Finding:
        """The finding with its pictures as paths from a folder."""
        start = folder.resolve()
        paths = {number: Path(os.path.relpath(path, start)).as_posix() for number, path in self.pictures.items()}
        return replace(self.finding, pictures=paths)


@dataclass(frozen=True, slots=True)
class Written:
    """One export: its text, the file it went to (None if to none), and what its format could not say."""

    export: Export
    text: str
    remarks: tuple[str, ...]
    path: Path | None = None


def find_steps(name: str, folder: Path) -> Found:
    """The steps of a crash: the trace in a file or, where there is no such file, a crash of the project.

    Of a crash the fewest steps that are known count. Raises UsageError for a trace that remembers no crash, and for a
    name that is neither.
    """
    if Path(name).is_file():
        return Found(_of_trace(Path(name)), {})
    if not folder.is_dir():
        raise UsageError(
            f"{name}: no such file, and {folder} is no project folder that could have a crash of that name"
        )
    try:
        with open_store(folder) as store:
            return _of_case(store, _case(store, name), folder)
    except NotFound as error:
        raise UsageError(f"{name}: neither a file nor a crash of {folder} ({error})") from error


def write_exports(found: Found, wanted: str, output: Path | None) -> tuple[Written, ...]:
    """Renders one export, or all, and writes them: to a file, into a folder, or nowhere if no output is named.

    A folder is one that exists or, for all of them, any. Raises UsageError.
    """
    chosen = _chosen(wanted)
    if output is None:
        return tuple(_rendered(export, found.seen_from(Path())) for export in chosen)
    if wanted != ALL and not output.is_dir():
        return (_saved(chosen[0], found, output),)
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{output}: cannot be made ({error.strerror or error})") from error
    return tuple(_saved(export, found, output / export.file_name(found.finding)) for export in chosen)


def _chosen(wanted: str) -> tuple[Export, ...]:
    if wanted == ALL:
        return tuple(EXPORTS.values())
    if wanted not in EXPORTS:
        raise UsageError(f"'{wanted}' is none of {', '.join(EXPORTS)}, {ALL}")
    return (EXPORTS[wanted],)


def _rendered(export: Export, finding: Finding) -> Written:
    exported = export.render(finding)
    return Written(export, exported.text, exported.remarks)


def _saved(export: Export, found: Found, path: Path) -> Written:
    written = _rendered(export, found.seen_from(path.parent))
    # Half a character of an app's text cannot be written in any encoding.
    write_whole(path, written.text.encode("utf-8", "backslashreplace"))
    return replace(written, path=path)


def _of_trace(path: Path) -> Finding:
    trace = read_trace(path)
    crash = next((step.crash for step in reversed(trace.steps) if step.crash is not None), None)
    if crash is None:
        raise UsageError(f"{path}: remembers no crash; `fewtaps reduce APK {path}` writes a trace that does")
    return Finding(trace.app, crash, trace, origin=f"trace {path.name}", tool=_tool())


def _case(store: Store, name: str) -> Case:
    trace = store.runs.shortest_trace(name)
    signatures = {step.crash.signature for step in trace.steps if step.crash is not None}
    return next(case for case in read_cases(store, trace.app) if case.row.crash.signature in signatures)


def _of_case(store: Store, case: Case, folder: Path) -> Found:
    finding = Finding(
        case.trace.app,
        case.row.crash,
        case.trace,
        rate=rate_in_words(case.reproduction),
        origin=f"crash {case.row.fingerprint} of {folder.resolve().name}",
        tool=_tool(),
    )
    named = {number: store.gallery.find(step.after) for number, step in enumerate(case.trace.steps[:-1])}
    paths = {number: store.pictures.path(name) for number, name in named.items() if name is not None}
    return Found(finding, {number: path for number, path in paths.items() if path.is_file()})


def _tool() -> str:
    try:
        return f"fewtaps {metadata.version('fewtaps')}"
    except metadata.PackageNotFoundError:
        return "fewtaps"

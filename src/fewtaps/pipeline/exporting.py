"""Writes the steps of a crash for other tools: from a project or from a trace file to text, one file or a folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path

from fewtaps.errors import NotFound, UsageError
from fewtaps.exports.finding import rate_in_words
from fewtaps.exports.registry import EXPORTS, Export, Finding
from fewtaps.files import real_path, write_inside, write_whole
from fewtaps.pipeline.cases import Case, kept_slice, read_cases
from fewtaps.pipeline.opening import had_worlds
from fewtaps.store.database import Store, open_store
from fewtaps.tracefile import read_trace

ALL = "all"


@dataclass(frozen=True, slots=True)
class FoundSteps:
    """A finding, and the paths of its steps' pictures, by the number of the step."""

    finding: Finding
    pictures: Mapping[int, Path]

    def seen_from(self, folder: Path) -> Finding:
        """The finding with the paths of its pictures relative to a folder."""
        start = real_path(folder)
        paths = {number: Path(os.path.relpath(path, start)).as_posix() for number, path in self.pictures.items()}
        return replace(self.finding, pictures=paths)


@dataclass(frozen=True, slots=True)
class Written:
    """One export: its text, its file (None if it was not written), and its losses."""

    export: Export
    text: str
    losses: tuple[str, ...]
    path: Path | None = None


def find_steps(name: str, folder: Path) -> FoundSteps:
    """The steps of a crash: the trace in a file or, where there is no such file, a crash of the project.

    For a crash of the project its shortest known trace is taken. Raises UsageError for a trace without a crash, for a
    folder that is not a project, and for a name that is not one of its crashes.
    """
    if Path(name).is_file():
        return FoundSteps(_of_trace(Path(name)), {})
    return find_crash(name, folder).found


@dataclass(frozen=True, slots=True)
class FoundCrash:
    """A crash of a project as a case, and the steps of its shortest known trace."""

    case: Case
    found: FoundSteps


def find_crash(name: str, folder: Path) -> FoundCrash:
    """A crash of the project by its id, or a unique prefix of it. Raises UsageError."""
    if not folder.is_dir():
        raise UsageError(f"{folder}: there is no such project folder; `fewtaps run APK` makes one, --dir names another")
    with open_store(folder) as store:
        try:
            case = _case(store, name)
        except NotFound as error:
            raise UsageError(f"{error}; and there is no such file") from error
        return FoundCrash(case, _of_case(store, case, folder))


def require_format(wanted: str) -> None:
    """Raises UsageError for an unknown format."""
    _chosen(wanted)


def write_exports(found: FoundSteps, wanted: str, output: Path | None) -> tuple[Written, ...]:
    """Renders one export, or all, and writes them to a file or into a folder; without `output` nothing is written.

    `output` is a folder if it exists as one, or if all exports are written. Raises UsageError.
    """
    chosen = _chosen(wanted)
    if output is None:
        return tuple(_rendered(export, found.seen_from(Path())) for export in chosen)
    if wanted != ALL and not output.is_dir():
        return (_saved(chosen[0], found, output, write_whole),)
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{output}: cannot be made ({error.strerror or error})") from error
    return tuple(_saved(each, found, output / each.file_name(found.finding), write_inside) for each in chosen)


def _chosen(wanted: str) -> tuple[Export, ...]:
    if wanted == ALL:
        return tuple(EXPORTS.values())
    if wanted not in EXPORTS:
        raise UsageError(f"the format '{wanted}' is none of {', '.join(EXPORTS)}, {ALL}")
    return (EXPORTS[wanted],)


def _rendered(export: Export, finding: Finding) -> Written:
    exported = export.render(finding)
    return Written(export, exported.text, exported.losses)


def _saved(export: Export, found: FoundSteps, path: Path, write: Callable[[Path, bytes], None]) -> Written:
    written = _rendered(export, found.seen_from(path.parent))
    # Texts of an app may contain single surrogates, which UTF-8 cannot encode.
    write(path, written.text.encode("utf-8", "backslashreplace"))
    return replace(written, path=path)


def _of_trace(path: Path) -> Finding:
    trace = read_trace(path)
    crash = next((step.crash for step in reversed(trace.steps) if step.crash is not None), None)
    if crash is None:
        raise UsageError(f"{path}: remembers no crash; `fewtaps reduce APK {path}` writes a trace that does")
    return Finding(trace.app, crash, trace, origin=f"trace {path.name}", tool=tool_name())


def _case(store: Store, name: str) -> Case:
    """The crash of this name in the newest build, or in an earlier one if the newest did not show it."""
    trace = store.runs.shortest_trace(name)
    signatures = {step.crash.signature for step in trace.steps if step.crash is not None}
    wanted = [row.fingerprint for row in store.runs.crashes() if row.crash.signature in signatures]
    newest = store.runs.all()[-1].app
    return next(case for app in (newest, trace.app) for case in read_cases(store, app, wanted))


def _of_case(store: Store, case: Case, folder: Path) -> FoundSteps:
    finding = Finding(
        case.trace.app,
        case.row.crash,
        case.trace,
        rate=rate_in_words(case.reproduction, has_worlds=had_worlds(store.runs.all()[-1])),
        origin=f"crash {case.row.fingerprint} of {real_path(folder).name}",
        tool=tool_name(),
        slice=kept_slice(store, case),
        needs_phone=case.needs_phone,
    )
    named = {number: store.screen_pictures.find(step.after) for number, step in enumerate(case.trace.steps[:-1])}
    paths = {number: store.pictures.path(name) for number, name in named.items() if name is not None}
    return FoundSteps(finding, {number: path for number, path in paths.items() if path.is_file()})


def tool_name() -> str:
    """The name of this program with its version."""
    return f"fewtaps {tool_version()}".strip()


def tool_version() -> str:
    """The version of this program; empty if it is not installed."""
    try:
        return metadata.version("fewtaps")
    except metadata.PackageNotFoundError:
        return ""

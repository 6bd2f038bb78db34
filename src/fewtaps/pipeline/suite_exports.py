"""Writes a whole suite for other tools: from its folder to the files of one tool or of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fewtaps.errors import UsageError
from fewtaps.exports.registry import EXPORTS, SUITE_EXPORTS
from fewtaps.exports.suites import ExportedFile, SuiteToExport
from fewtaps.files import real_path, write_inside
from fewtaps.pipeline.exporting import ALL, tool_name
from fewtaps.suitefile import INDEX, SuiteSource, load_suite


@dataclass(frozen=True, slots=True)
class WrittenSuite:
    """A suite as one tool has it: the export's name and title, the files, and the losses.

    `paths` are where the files were written, in the order of `files`; it is empty if they were not.
    """

    name: str
    title: str
    files: tuple[ExportedFile, ...]
    losses: tuple[str, ...]
    paths: tuple[Path, ...] = ()


def is_suite(folder: Path) -> bool:
    """Whether the folder holds a suite."""
    return (folder / INDEX).is_file()


def require_suite_format(wanted: str) -> None:
    """Raises UsageError for a format that cannot write suites."""
    _chosen(wanted)


def suite_to_export(folder: Path) -> SuiteSource:
    """The suite in the folder. Raises UsageError if there is none or if it has no tests."""
    source = load_suite(folder)
    if not source.suite.tests:
        raise UsageError(f"{folder}: the suite has no tests")
    return source


def export_suite(source: SuiteSource, folder: Path, wanted: str, output: Path | None) -> tuple[WrittenSuite, ...]:
    """Renders the suite for one tool, or for all, and writes the files into a folder; without `output` nothing."""
    whole = SuiteToExport(source.suite, real_path(folder).name, tool_name())
    written = []
    for name in _chosen(wanted):
        exported = SUITE_EXPORTS[name](whole)
        paths = () if output is None else _saved(exported.files, output)
        written.append(WrittenSuite(name, EXPORTS[name].title, exported.files, exported.losses, paths))
    return tuple(written)


def _chosen(wanted: str) -> Sequence[str]:
    if wanted == ALL:
        return tuple(SUITE_EXPORTS)
    if wanted not in SUITE_EXPORTS:
        raise UsageError(f"the format '{wanted}' cannot hold a suite; these can: {', '.join(SUITE_EXPORTS)}, {ALL}")
    return (wanted,)


def _saved(files: Sequence[ExportedFile], folder: Path) -> tuple[Path, ...]:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be made ({error.strerror or error})") from error
    for file in files:
        # Texts of an app may contain single surrogates, which UTF-8 cannot encode.
        write_inside(folder / file.name, file.text.encode("utf-8", "backslashreplace"))
    return tuple(folder / file.name for file in files)

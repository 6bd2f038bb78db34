"""Writes what a run of a suite showed: pages with the results beside them, and JUnit XML; joins those of shards."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from fewtaps.files import require_writable, write_whole
from fewtaps.model.suite_result import SuiteResult
from fewtaps.pipeline.reporting import FIRST_PAGE, version
from fewtaps.report.folder import new_folder, require_replaceable
from fewtaps.report.suite_html import attachments, render_suite_report
from fewtaps.report.suite_junit import suite_junit
from fewtaps.report.suite_results import read_results
from fewtaps.suite.merging import merge_results


def write_suite_report(result: SuiteResult, output: Path | None, junit: Path | None) -> Path | None:
    """Writes the pages into a folder and the JUnit XML into a file, each if it is asked for.

    Returns the first page. The folder is replaced at once. The XML names the pictures of the folder. Raises UsageError
    if a file cannot be written or the folder holds something that is no report, StoreError if the disk is full.
    """
    if output is not None:
        with new_folder(output) as place:
            render_suite_report(result, place, version())
    if junit is not None:
        named = {} if output is None else attachments(result, output)
        paths = {name: [_from_here(path) for path in found] for name, found in named.items()}
        write_whole(junit, suite_junit(result, paths))
    return None if output is None else output / FIRST_PAGE


def require_outputs(output: Path | None, junit: Path | None) -> None:
    """Raises as `write_suite_report` would, before anything is run."""
    if output is not None:
        require_replaceable(output)
    if junit is not None:
        require_writable(junit)


def merge_shards(folders: Sequence[Path]) -> SuiteResult:
    """The results of shards, read from their folders, as those of one run. Raises UsageError."""
    return merge_results([read_results(folder) for folder in folders])


def _from_here(path: str) -> str:
    """The path as CI servers look for it: from the folder of the job, if it lies there."""
    relative = os.path.relpath(path)
    return os.path.abspath(path) if relative.startswith("..") else relative

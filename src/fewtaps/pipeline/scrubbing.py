"""Removes pictures, texts and logs from a project folder: from its store, and from the files beside it."""

from __future__ import annotations

import logging
import re
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from fewtaps.config import ScrubSettings
from fewtaps.errors import FewtapsError
from fewtaps.files import open_regular, read_inside, refusal, write_inside
from fewtaps.model.trace import Trace
from fewtaps.pipeline.reporting import REPORT, write_report
from fewtaps.pipeline.run_suites import MARK as MADE
from fewtaps.pipeline.suite_player import JOURNAL
from fewtaps.report.folder import MARK
from fewtaps.store.database import FILE, open_store
from fewtaps.store.lock import LOCK
from fewtaps.store.pictures import FOLDER as PICTURES
from fewtaps.store.scrubbing import Mask, Scrubbed, ScrubOrder
from fewtaps.suitefile import ENDING, INDEX, SUITE, load_suite, path_of_picture, path_of_test, write_suite
from fewtaps.tracefile import read_trace, trace_to_bytes

log = logging.getLogger(__name__)

LOGS = "log"
"""The folder, inside the project's, that holds its logs."""
_LOG_NAME = re.compile(r"fewtaps\.log(\.[1-9])?")
SERVED = "served"
"""The folder, inside the project's, in which `fewtaps device serve` keeps runs by default."""
MOST_LEFT_ALONE = 20
"""So many names of files that were not looked into are given."""


@dataclass(frozen=True, slots=True)
class ScrubResult:
    """What was removed, or what would be. `left_alone` are files of the folder that were not looked into."""

    store: Scrubbed = Scrubbed()
    pictures: int = 0
    traces: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    log_files: tuple[str, ...] = ()
    left_alone: tuple[str, ...] = ()
    rebuilds_report: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether nothing is removed."""
        return replace(self, left_alone=(), rebuilds_report=False) == ScrubResult()


@dataclass(slots=True)
class _Files:
    """The files beside the store, and what is to happen to them: new contents, or None for a removal."""

    changes: dict[Path, bytes | None] = field(default_factory=dict)
    traces: list[str] = field(default_factory=list)
    tests: list[str] = field(default_factory=list)
    logs: list[str] = field(default_factory=list)
    pictures: int = 0


def scrub_project(folder: Path, settings: ScrubSettings, allowed: Callable[[ScrubResult], bool]) -> ScrubResult | None:
    """Removes what the settings name, if `allowed` says so of what would be removed; None if it does not.

    The store is changed in one transaction, then the files, then the report is built again. Killed at any moment, the
    same call does the rest. Raises as `open_store` and `write_report`.
    """
    order = ScrubOrder(settings.pictures, settings.texts, settings.logs, settings.pattern)
    with open_store(folder, write=True) as store:
        files = _files_to_change(folder, order)
        loose = store.scrubbing.unnamed_pictures()
        has_report = (folder / REPORT / MARK).is_file() and not (folder / REPORT).is_symlink()
        told = ScrubResult()

        def asked(scrubbed: Scrubbed) -> bool:
            nonlocal told
            names = {path.stem for path in loose} | set(scrubbed.pictures)
            told = ScrubResult(
                scrubbed, len(names) + files.pictures, tuple(files.traces), tuple(files.tests), tuple(files.logs),
                _left_alone(folder, {path.name for path in store.pictures.files()}), has_report,
            )  # fmt: skip
            return told.is_empty or allowed(told)

        if store.scrubbing.scrub(order, asked) is None:
            return None
        _apply(folder, files)
    if has_report:
        # Not reused: pictures of the earlier report are among what is removed.
        shutil.rmtree(folder / REPORT, ignore_errors=True)
        write_report(folder)
    return told


def _files_to_change(folder: Path, order: ScrubOrder) -> _Files:
    files = _Files()
    if order.texts or order.logs:
        served = [] if (folder / SERVED).is_symlink() else (folder / SERVED).glob(f"*{ENDING}")
        for path in sorted([*folder.glob(f"*{ENDING}"), *served]):
            if path.name != JOURNAL and (trace := _trace_in(path)) is not None:
                content = trace_to_bytes(trace)
                masked = trace_to_bytes(_without_log(trace, order.pattern)) if order.logs else content
                masked = Mask(order.pattern).lines(masked) if order.texts else masked
                if masked != content:
                    files.changes[path] = masked
                    files.traces.append(str(path.relative_to(folder)))
    if _has_suite(folder):
        _scrub_suite(folder / SUITE, order, files)
    if order.texts and files.tests:
        # They tell of states by ids that are made from texts; both are made again when they are needed.
        files.changes |= {folder / name: None for name in (JOURNAL, MADE) if (folder / name).exists()}
    if order.logs:
        for path in _log_files(folder):
            _scrub_log(path, order, files)
    return files


def _has_suite(folder: Path) -> bool:
    return (folder / SUITE / INDEX).is_file() and not (folder / SUITE).is_symlink()


def _log_files(folder: Path) -> list[Path]:
    """The files of the log, by the names that Fewtaps gives them; none if its folder is a link."""
    if (folder / LOGS).is_symlink():
        return []
    found = sorted((folder / LOGS).glob("*"))
    return [path for path in found if _LOG_NAME.fullmatch(path.name) and path.is_file() and not path.is_symlink()]


def _without_log(trace: Trace, pattern: re.Pattern[str] | None) -> Trace:
    """The trace without the lines that the app logged; with a pattern, without those that match."""
    kept = (tuple(line for line in step.log if pattern and not pattern.search(line)) for step in trace.steps)
    return replace(trace, steps=tuple(replace(step, log=log) for step, log in zip(trace.steps, kept, strict=True)))


def _trace_in(path: Path) -> Trace | None:
    if path.is_symlink():
        return None
    try:
        return read_trace(path, opener=open_regular)
    except FewtapsError as error:
        log.info("%s is no trace: %s", path.name, type(error).__name__)
        return None


def _scrub_suite(folder: Path, order: ScrubOrder, files: _Files) -> None:
    """A test that holds what is removed is removed: with other texts it would test nothing."""
    for test in load_suite(folder).suite.tests:
        expected = [step.expect.picture for step in test.trace.steps if step.expect and step.expect.picture]
        content = read_inside(path_of_test(folder, test.name))
        holds = order.texts and (
            order.pattern is None
            or order.pattern.search(test.name.replace("-", " "))
            or Mask(order.pattern).lines(content) != content
        )
        if holds or (order.pictures and order.pattern is None and expected):
            files.tests.append(test.name)
            files.changes[path_of_test(folder, test.name)] = None
            files.changes |= {path_of_picture(folder, name): None for name in expected}
            files.pictures += len(expected)


def _scrub_log(path: Path, order: ScrubOrder, files: _Files) -> None:
    if order.pattern is None:
        files.changes[path] = None
        files.logs.append(path.name)
        return
    lines = read_inside(path).decode("utf-8", "replace").splitlines(keepends=True)
    left = [line for line in lines if not order.pattern.search(line)]
    if len(left) < len(lines):
        files.changes[path] = "".join(left).encode()
        files.logs.append(path.name)


def _apply(folder: Path, files: _Files) -> None:
    for path, content in files.changes.items():
        if content is None:
            _remove(path)
        else:
            write_inside(path, content)
    suite = folder / SUITE
    if files.tests:
        rest = load_suite(suite).suite
        if rest.tests:
            # Without the tests that are gone: the list has their names.
            write_suite(suite, rest)
        else:
            _remove(suite / INDEX)
            with suppress(OSError):
                suite.rmdir()


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise refusal(path, error) from error


def _left_alone(folder: Path, pictures: set[str]) -> tuple[str, ...]:
    """The files of the folder that are not looked into: those that Fewtaps did not name, and links."""
    known = {FILE, f"{FILE}-wal", f"{FILE}-shm", LOCK, REPORT, JOURNAL, MADE}
    inside = {PICTURES: pictures, LOGS: {path.name for path in _log_files(folder)}}
    left: list[Path] = []
    for path in sorted(folder.iterdir()):
        if path.is_symlink():
            left.append(path)
        elif path.name in known or (path.name == SUITE and _has_suite(folder)):
            continue
        elif path.name in inside and path.is_dir():
            left += [each for each in sorted(path.iterdir()) if each.name not in inside[path.name]]
        else:
            entries = sorted(path.iterdir()) if path.name == SERVED and path.is_dir() else [path]
            left += [each for each in entries if each.suffix != ENDING or _trace_in(each) is None]
    found = [str(each.relative_to(folder)) + ("/" if each.is_dir() and not each.is_symlink() else "") for each in left]
    return tuple(found[:MOST_LEFT_ALONE])

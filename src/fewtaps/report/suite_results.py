"""Keeps the results of a suite's run in a folder, so that shards can be merged and pages drawn again.

`results.json` holds the results; pictures are PNG files beside it. Of a test that did not pass the steps and pictures
of one run are kept, and of the run that stands beside it: on the older build, or the last that passed. Coverage by
probes and JaCoCo's data are not kept.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from fewtaps.errors import UsageError
from fewtaps.files import read_inside
from fewtaps.model.app import AppRef
from fewtaps.model.event import Selector, printable, selector_from_json, selector_to_json
from fewtaps.model.record import as_list, as_number, as_object, as_text, list_in, number_in, text_in, truth_in
from fewtaps.model.suite import NamedCoverage, Suite, SuiteTest
from fewtaps.model.suite_result import (
    CoverageNews,
    Difference,
    DifferenceKind,
    Healing,
    Reason,
    SuiteResult,
    SuiteTestResult,
    SuiteTestRun,
    SuiteTestStatus,
)
from fewtaps.model.trace import Trace
from fewtaps.suitefile import require_test_name
from fewtaps.tracefile import trace_from_lines, trace_to_records

RESULTS = "results.json"
PICTURES = "screens"
"""The folder of the PNG files, beside the results."""
FORMAT = "suite-results"
VERSION = 1
MAX_RESULTS_BYTES = 512 << 20
"""A larger file is refused before it is read into memory."""
MAX_PICTURE_BYTES = 32 << 20

_PICTURE = re.compile(r"[0-9a-f]{20}\.png")
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class KeptPicture:
    """A picture of the results: the name of its file, and the PNG."""

    name: str
    png: bytes


def picture_name(png: bytes) -> str:
    """The name of a picture's file, which depends on its content alone."""
    return f"{hashlib.sha256(png).hexdigest()[:20]}.png"


def kept_pictures(result: SuiteResult) -> Iterator[KeptPicture]:
    """The pictures of the runs that are shown, each once."""
    seen: set[str] = set()
    for each in result.results:
        for run in shown_runs(each):
            for _, png in run.pictures:
                name = picture_name(png)
                if name not in seen:
                    seen.add(name)
                    yield KeptPicture(name, png)


def shown_runs(result: SuiteTestResult) -> tuple[SuiteTestRun, ...]:
    """The runs whose steps are shown: of a test that did not simply pass, one run, and that beside it."""
    if result.status in (SuiteTestStatus.PASSED, SuiteTestStatus.NOT_RUN):
        return ()
    return tuple(run for run in (result.shown, result.shown_reference) if run is not None)


def write_results(result: SuiteResult, folder: Path) -> None:
    """Writes `results.json` and the pictures into a folder that exists."""
    (folder / RESULTS).write_text(json.dumps(results_to_json(result), separators=(",", ":")) + "\n", "ascii")
    for picture in kept_pictures(result):
        (folder / PICTURES).mkdir(exist_ok=True)
        (folder / PICTURES / picture.name).write_bytes(picture.png)


def read_results(path: Path) -> SuiteResult:
    """The results in a folder, or in the file itself. Raises UsageError if they are none."""
    file = path / RESULTS if path.is_dir() else path
    try:
        if file.stat().st_size > MAX_RESULTS_BYTES:
            raise UsageError(f"{file}: larger than {MAX_RESULTS_BYTES >> 20} MB")
        record = as_object("file", json.loads(read_inside(file)))
        return _ResultsReader(file.parent / PICTURES).result(record)
    except OSError as error:
        hint = "; `fewtaps test -o DIR` writes it" if isinstance(error, FileNotFoundError) else ""
        raise UsageError(f"{file}: cannot be read: {error.strerror or error}{hint}") from error
    except json.JSONDecodeError as error:
        raise UsageError(f"{file}, line {error.lineno}: not JSON: {error.msg} at column {error.colno}") from None
    except RecursionError:
        raise UsageError(f"{file}: nested too deeply") from None
    except ValueError as error:
        raise UsageError(f"{file}: {printable(str(error), 300)}") from None


def results_to_json(result: SuiteResult) -> dict[str, Any]:
    """A suite's results as `results.json` keeps them, to be merged with those of other shards."""
    return {
        "fewtaps": FORMAT,
        "version": VERSION,
        "app": _app(result.app),
        "suite": {"app": _app(result.suite.app), "abstraction": result.suite.abstraction},
        "against": None if result.against is None else _app(result.against),
        "shard": None if result.shard is None else list(result.shard),
        "seconds": round(result.seconds, 3),
        "has_worlds": result.has_worlds,
        "notes": list(result.notes),
        "coverage": None if result.coverage is None else _coverage(result.coverage),
        "tests": [_test(each) for each in result.results],
    }


def _app(app: AppRef) -> dict[str, str]:
    return {"package": app.package, "version": app.version, "digest": app.digest}


def _test(result: SuiteTestResult) -> dict[str, Any]:
    shown = shown_runs(result)
    return {
        "name": result.name,
        "status": result.status.value,
        "reason": None if result.reason is None else result.reason.value,
        "recorded_seconds": result.test.seconds,
        "test": list(trace_to_records(result.test.trace, observations=False)),
        "runs": [_run(run, any(run is each for each in shown)) for run in result.runs],
        "reference": [_run(run, any(run is each for each in shown)) for run in result.reference],
    }


def _run(run: SuiteTestRun, is_shown: bool) -> dict[str, Any]:
    return {
        "world": run.world,
        "status": run.status.value,
        "step": run.step,
        "seconds": round(run.seconds, 3),
        "differences": [_difference(each) for each in run.differences],
        "selector": None if run.selector is None else selector_to_json(run.selector),
        "nearest": [selector_to_json(each) for each in run.nearest],
        "healings": [
            {
                "step": each.step,
                "old": selector_to_json(each.old),
                "new": selector_to_json(each.new),
                "is_target": each.is_target,
            }
            for each in run.healings
        ],
        "moved": list(run.moved),
        "crash_renamed": run.is_crash_renamed,
        "trace": list(trace_to_records(run.trace)) if is_shown and run.trace is not None else None,
        "pictures": [[number, picture_name(png)] for number, png in run.pictures] if is_shown else [],
    }


def _difference(difference: Difference) -> dict[str, Any]:
    return {
        "kind": difference.kind.value,
        "expected": difference.expected,
        "seen": difference.seen,
        "selector": None if difference.selector is None else selector_to_json(difference.selector),
        "path": list(difference.path),
    }


def _coverage(news: CoverageNews) -> dict[str, Any]:
    return {
        "covered": _named(news.covered),
        "lost": _named(news.lost),
        "gone": _named(news.gone),
        "new_classes": list(news.new_classes),
        "left_out": list(news.left_out),
        "total_branches": news.total_branches,
    }


def _named(coverage: NamedCoverage) -> dict[str, Any]:
    return {
        "branches": [list(each) for each in sorted(coverage.branches)],
        "methods": [list(each) for each in sorted(coverage.methods)],
        "lines": [list(each) for each in sorted(coverage.lines)],
    }


class _ResultsReader:
    """Reads the data of `results.json`; raises ValueError, naming the field."""

    def __init__(self, pictures: Path) -> None:
        self._pictures = pictures

    def result(self, record: Mapping[str, Any]) -> SuiteResult:
        if record.get("fewtaps") != FORMAT:
            raise ValueError('not the results of a suite: it should have "fewtaps": "suite-results"')
        version = as_number("version", record.get("version"))
        if version != VERSION:
            raise ValueError(f"version: this fewtaps reads version {VERSION}, not {version}")
        suite = as_object("suite", record.get("suite"))
        results = tuple(self._test(as_object("tests", each)) for each in list_in(record, "tests"))
        if len({each.name.casefold() for each in results}) < len(results):
            raise ValueError("tests: two tests have one name")
        return SuiteResult(
            suite=Suite(
                _read_app("suite.app", suite.get("app")),
                as_text("suite.abstraction", suite.get("abstraction")),
                tuple(each.test for each in results),
            ),
            app=_read_app("app", record.get("app")),
            results=results,
            coverage=None if record.get("coverage") is None else _read_coverage(record["coverage"]),
            notes=tuple(as_text("notes", each) for each in list_in(record, "notes")),
            seconds=_seconds("seconds", record.get("seconds")),
            against=None if record.get("against") is None else _read_app("against", record["against"]),
            shard=None if record.get("shard") is None else _read_shard(record["shard"]),
            has_worlds=truth_in(record, "has_worlds", True),
        )

    def _test(self, record: Mapping[str, Any]) -> SuiteTestResult:
        name = as_text("tests.name", record.get("name"))
        require_test_name(name)
        trace = _read_trace(f"the test {printable(name)}", record.get("test"))
        test = SuiteTest(name, trace, _seconds("tests.recorded_seconds", record.get("recorded_seconds")))
        reason = text_in(record, "reason")
        return SuiteTestResult(
            test,
            _member("tests.status", SuiteTestStatus, record.get("status")),
            tuple(self._run(as_object("runs", each)) for each in list_in(record, "runs")),
            tuple(self._run(as_object("reference", each)) for each in list_in(record, "reference")),
            None if reason is None else _member("tests.reason", Reason, reason),
        )

    def _run(self, record: Mapping[str, Any]) -> SuiteTestRun:
        return SuiteTestRun(
            world=as_number("runs.world", record.get("world")),
            status=_member("runs.status", SuiteTestStatus, record.get("status")),
            trace=None if record.get("trace") is None else _read_trace("a run", record["trace"]),
            step=None if record.get("step") is None else as_number("runs.step", record["step"]),
            differences=tuple(_read_difference(each) for each in list_in(record, "differences")),
            selector=_read_selector(record.get("selector")),
            nearest=tuple(selector_from_json(each) for each in list_in(record, "nearest")),
            healings=tuple(_read_healing(each) for each in list_in(record, "healings")),
            moved=tuple(as_number("moved", each) for each in list_in(record, "moved")),
            pictures=tuple(self._picture(each) for each in list_in(record, "pictures")),
            seconds=_seconds("runs.seconds", record.get("seconds")),
            is_crash_renamed=truth_in(record, "crash_renamed", False),
        )

    def _picture(self, value: object) -> tuple[int, bytes]:
        pair = as_list("pictures", value)
        if len(pair) != 2:
            raise ValueError("pictures: not a pair of step and file")
        step, name = as_number("pictures", pair[0]), as_text("pictures", pair[1])
        if _PICTURE.fullmatch(name) is None:
            raise ValueError(f"pictures: not the name of a picture: {name!r:.60}")
        file = self._pictures / name
        try:
            return step, read_inside(file) if file.stat().st_size <= MAX_PICTURE_BYTES else b""
        except OSError:
            # A page shows a drawing of the screen instead.
            return step, b""


def _member(name: str, kind: Callable[[object], _T], value: object) -> _T:
    try:
        return kind(value)
    except ValueError:
        raise ValueError(f"{name}: unknown: {value!r:.60}") from None


def _read_app(name: str, value: object) -> AppRef:
    record = as_object(name, value)
    return AppRef(
        as_text(f"{name}.package", record.get("package")),
        text_in(record, "version") or "",
        text_in(record, "digest") or "",
    )


def _read_shard(value: object) -> tuple[int, int]:
    pair = [as_number("shard", each) for each in as_list("shard", value)]
    if len(pair) != 2 or not 1 <= pair[0] <= pair[1]:
        raise ValueError(f"shard: not a number and a count: {value!r:.60}")
    return pair[0], pair[1]


def _read_trace(name: str, value: object) -> Trace:
    lines = [json.dumps(each) for each in as_list("trace", value)]
    try:
        return trace_from_lines(enumerate(lines, 1), name)
    except UsageError as error:
        raise ValueError(str(error)) from None


def _read_selector(value: object) -> Selector | None:
    return None if value is None else selector_from_json(value)


def _read_difference(value: object) -> Difference:
    record = as_object("differences", value)
    return Difference(
        _member("differences.kind", DifferenceKind, record.get("kind")),
        as_text("differences.expected", record.get("expected")),
        as_text("differences.seen", record.get("seen")),
        _read_selector(record.get("selector")),
        tuple(as_number("differences.path", each) for each in list_in(record, "path")),
    )


def _read_healing(value: object) -> Healing:
    record = as_object("healings", value)
    return Healing(
        number_in(record, "step"),
        selector_from_json(record.get("old")),
        selector_from_json(record.get("new")),
        truth_in(record, "is_target", True),
    )


def _read_coverage(value: object) -> CoverageNews:
    record = as_object("coverage", value)
    return CoverageNews(
        _read_named(record.get("covered")),
        _read_named(record.get("lost")),
        _read_named(record.get("gone")),
        tuple(as_text("coverage.new_classes", each) for each in list_in(record, "new_classes")),
        tuple(as_text("coverage.left_out", each) for each in list_in(record, "left_out")),
        number_in(record, "total_branches"),
    )


def _read_named(value: object) -> NamedCoverage:
    record = as_object("coverage", value)
    return NamedCoverage(
        frozenset(
            (as_text("class", name), as_text("method", method), as_number("branch", number))
            for name, method, number in (_row(each, 3) for each in list_in(record, "branches"))
        ),
        frozenset(
            (as_text("class", name), as_text("method", method))
            for name, method in (_row(each, 2) for each in list_in(record, "methods"))
        ),
        frozenset(
            (as_text("class", name), as_number("line", line))
            for name, line in (_row(each, 2) for each in list_in(record, "lines"))
        ),
    )


def _row(value: object, length: int) -> list[Any]:
    row = as_list("coverage", value)
    if len(row) != length:
        raise ValueError(f"coverage: {len(row)} values instead of {length}")
    return row


def _seconds(name: str, value: object) -> float:
    if value is None:
        return 0.0
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e9:
        raise ValueError(f"{name}: not a number of seconds: {value!r:.60}")
    return float(value)

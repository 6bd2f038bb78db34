"""Reads and writes traces as JSON Lines; docs/trace-format.md describes the format.

The first line is a header with the format's version, each further line one step. A step's event is required, its
observations are optional. Errors name the file and the number of the line.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias, TypeVar, cast

from fewtaps.errors import UsageError
from fewtaps.files import write_inside, write_whole
from fewtaps.model.app import AppRef
from fewtaps.model.coverage import NO_COVERAGE, Coverage
from fewtaps.model.crash import crash_from_json, crash_to_json
from fewtaps.model.ending import ending_in
from fewtaps.model.event import Launch, event_from_json, event_to_json, printable
from fewtaps.model.expectation import expectation_from_json, expectation_to_json
from fewtaps.model.record import as_list, as_number, as_object, as_text, list_in, number_in, text_in, truth_in
from fewtaps.model.screen import UNSEEN, Screen, screen_from_json, screen_to_json
from fewtaps.model.trace import Step, Trace, session_from_json
from fewtaps.model.vocabulary import check_names

FORMAT = "trace"
VERSION = 4
"""The newest version. A trace is written in the oldest that has its fields: version 2 has `ran`, `asked_world` and
`expect` of a step, version 3 the `phone` of a launch, version 4 the `session` of the header."""

_VERSIONS = (1, 2, 3, 4)

Opener: TypeAlias = Callable[[str, int], int]

MAX_LINE_BYTES = 64 << 20
"""A longer line is refused before it is read into memory; real steps are far smaller."""


def read_trace(path: str | os.PathLike[str], *, opener: Opener | None = None) -> Trace:
    """The trace in the file. Raises UsageError, naming file and line, if it is not one.

    `opener` is for a file that the user did not name: `files.open_regular`.
    """
    name = os.fspath(path)
    try:
        with open(name, "rb", opener=opener) as file:
            return trace_from_lines(_numbered(file, name), name)
    except OSError as error:
        raise UsageError(f"{name}: cannot be read: {error.strerror or error}") from error


def write_trace(
    path: str | os.PathLike[str], trace: Trace, *, observations: bool = True, keeps_link: bool = True
) -> None:
    """Writes the trace, without `observations` its events only; on failure no partial file is left.

    A link is kept, and its target written, only with `keeps_link`: for a path that the user named. Raises UsageError if
    the file cannot be written.
    """
    write = write_whole if keeps_link else write_inside
    write(Path(path), trace_to_bytes(trace, observations=observations))


def trace_to_bytes(trace: Trace, *, observations: bool = True) -> bytes:
    """The whole content of a trace file."""
    return b"".join(_encoded(record) for record in trace_to_records(trace, observations=observations))


def trace_to_records(trace: Trace, *, observations: bool = True) -> Iterator[dict[str, Any]]:
    """The lines of a trace file as JSON data."""
    header: dict[str, Any] = {
        "fewtaps": FORMAT,
        "version": 4
        if trace.session
        else 3
        if trace.phone
        else 2
        if any(_is_newer(step, observations) for step in trace.steps)
        else 1,
        "app": {
            "package": trace.app.package,
            **({"version": trace.app.version} if trace.app.version else {}),
            **({"digest": trace.app.digest} if trace.app.digest else {}),
        },
        "world": trace.world,
        "profile": trace.profile,
    }
    if trace.screen is not None:
        header["screen"] = list(trace.screen)
    if trace.session:
        header["session"] = dict(trace.session)
    yield header
    shown = UNSEEN
    for step in trace.steps:
        record: dict[str, Any] = {"event": event_to_json(step.event)}
        if step.expect is not None:
            record["expect"] = expectation_to_json(step.expect)
        if observations:
            record.update(_observed(step, shown))
        yield record
        shown = step.after


def trace_from_lines(lines: Iterable[tuple[int, bytes | str]], name: str = "trace") -> Trace:
    """The trace in numbered lines of text. Raises UsageError, naming the line, if it is not one."""
    header: _Header | None = None
    steps: list[Step] = []
    shown = UNSEEN
    for number, line in lines:
        if not line.strip():
            continue
        try:
            record = as_object("line", _parsed(line))
            if header is None:
                header = _Header(record)
                continue
            step = _step(record, shown, header.version)
            if not steps and not isinstance(step.event, Launch):
                raise ValueError("event: a trace starts with a launch")
        except json.JSONDecodeError as error:
            raise UsageError(f"{name}, line {number}: not JSON: {error.msg} at column {error.colno}") from None
        except UnicodeDecodeError:
            raise UsageError(f"{name}, line {number}: not text in UTF-8") from None
        except RecursionError:
            raise UsageError(f"{name}, line {number}: nested too deeply") from None
        except ValueError as error:
            raise UsageError(f"{name}, line {number}: {printable(str(error), 400)}") from None
        steps.append(step)
        shown = step.after
    if header is None:
        raise UsageError(f"{name}, line 1: the file is empty")
    if not steps:
        raise UsageError(f"{name}, line 2: the trace has no steps, not even a launch")
    return Trace(header.app, tuple(steps), header.world, header.profile, header.screen, header.session)


class _Header:
    def __init__(self, record: Mapping[str, Any]) -> None:
        if record.get("fewtaps") != FORMAT:
            raise ValueError('not a trace: its first line should have "fewtaps": "trace"')
        version = record.get("version")
        if version not in _VERSIONS or isinstance(version, bool):
            raise ValueError(f"version: this fewtaps reads versions 1 to {VERSION}, not {version!r:.60}")
        self.version = cast("int", version)
        app = as_object("app", record.get("app"))
        self.app = AppRef(
            as_text("app.package", app.get("package")), text_in(app, "version") or "", text_in(app, "digest") or ""
        )
        self.world = number_in(record, "world")
        self.profile = text_in(record, "profile") or "default"
        self.screen = _measures(record.get("screen"))
        self.session = session_from_json(record.get("session")) if self.version >= 4 else ()


def _measures(value: object) -> tuple[int, int, int] | None:
    if value is None:
        return None
    numbers = [as_number("screen", number) for number in as_list("screen", value)]
    if len(numbers) != 3:
        raise ValueError(f"screen: not width, height and dpi: {value!r:.60}")
    return numbers[0], numbers[1], numbers[2]


def _is_newer(step: Step, observations: bool) -> bool:
    return step.expect is not None or observations and (bool(step.ran) or step.asked_world is not None)


def _observed(step: Step, shown: Screen) -> dict[str, Any]:
    record: dict[str, Any] = {}
    # The screen before a step is nearly always the one after the previous step; it is written only where it differs.
    if step.before != shown:
        record["before"] = screen_to_json(step.before)
    if step.after != UNSEEN:
        record["after"] = screen_to_json(step.after)
    if step.covered:
        record["covered"] = step.covered.to_json()
    if step.log:
        record["log"] = list(step.log)
    if step.crash is not None:
        record["crash"] = crash_to_json(step.crash)
    record["ending"] = step.ending.value
    if step.notes:
        record["notes"] = list(step.notes)
    record["clock_ms"] = step.clock_ms
    if step.ran:
        record["ran"] = step.ran.to_json()
    if step.asked_world is not None:
        record["asked_world"] = step.asked_world
    return record


def _step(record: Mapping[str, Any], shown: Screen, version: int) -> Step:
    for name in record:
        if name not in _STEP_FIELDS[version]:
            raise ValueError(f"{name}: a step has no such field{_in_version(name, version)}")
    if "event" not in record:
        raise ValueError("event: missing")
    ending = ending_in(record)
    return Step(
        event=_within("event", lambda value: check_names(event_from_json(value)), record["event"]),
        before=_within("before", screen_from_json, record["before"]) if record.get("before") is not None else shown,
        after=_within("after", screen_from_json, record["after"]) if record.get("after") is not None else UNSEEN,
        covered=_within("covered", Coverage.from_json, record["covered"]) if record.get("covered") else NO_COVERAGE,
        log=tuple(as_text("log", line) for line in list_in(record, "log")),
        crash=_within("crash", crash_from_json, record["crash"]) if record.get("crash") is not None else None,
        ending=ending,
        notes=tuple(as_text("notes", note) for note in list_in(record, "notes")),
        clock_ms=number_in(record, "clock_ms"),
        ran=_within("ran", Coverage.from_json, record["ran"]) if record.get("ran") else NO_COVERAGE,
        asked_world=None if record.get("asked_world") is None else truth_in(record, "asked_world"),
        expect=_within("expect", expectation_from_json, record["expect"]) if record.get("expect") is not None else None,
    )


def _in_version(name: str, version: int) -> str:
    return f" in version {version}" if name in _STEP_FIELDS[VERSION] else ""


_FIRST_FIELDS = frozenset({"event", "before", "after", "covered", "log", "crash", "ending", "notes", "clock_ms"})
_LATER_FIELDS = _FIRST_FIELDS | {"ran", "asked_world", "expect"}
_STEP_FIELDS = {1: _FIRST_FIELDS, 2: _LATER_FIELDS, 3: _LATER_FIELDS, 4: _LATER_FIELDS}


_T = TypeVar("_T")


def _within(name: str, read: Callable[[object], _T], value: object) -> _T:
    """Reads a part of a step; puts the part's name in front of the field that an error names."""
    try:
        return read(value)
    except ValueError as error:
        raise ValueError(f"{name}.{error}") from None


def _numbered(file: BinaryIO, name: str) -> Iterator[tuple[int, bytes]]:
    number = 0
    while line := file.readline(MAX_LINE_BYTES + 1):
        number += 1
        if len(line) > MAX_LINE_BYTES:
            raise UsageError(f"{name}, line {number}: longer than {MAX_LINE_BYTES >> 20} MB")
        yield number, line


def _encoded(record: Mapping[str, Any]) -> bytes:
    try:
        text = json.dumps(record, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return text.encode() + b"\n"
    except UnicodeEncodeError:
        # Java texts may hold single surrogates, which JSON can only represent as escapes.
        return json.dumps(record, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def _parsed(line: bytes | str) -> object:
    try:
        # Without the line end, so that the error for a line that is cut short names its last column.
        return json.loads(line.strip(), parse_constant=no_constant)
    except (json.JSONDecodeError, UnicodeDecodeError, NotJson):
        raise
    except ValueError:
        # The only other error of Python's reader: it refuses to convert very long numbers.
        raise ValueError("a number of thousands of digits") from None


class NotJson(ValueError):
    """A constant that Python reads and JSON has not."""


def no_constant(name: str) -> float:
    """For `parse_constant`: refuses NaN and the infinities. Raises NotJson."""
    raise NotJson(f"{name} is not JSON")

"""Reads and writes a suite on disk: `suite.json` and a trace file for each test; docs/suites.md describes both.

The files are made for version control: the order is stable, a test is a line of `suite.json` and a step a line of its
file, and no time of day or path of a machine is in them. A person may write, shorten or delete the file of a test. A
file that `suite.json` does not list is a test all the same, and a listed test without a file is gone.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from fewtaps.errors import UsageError
from fewtaps.files import open_regular, read_inside, require_writable_inside, write_inside
from fewtaps.model.app import AppRef
from fewtaps.model.event import Launch, printable
from fewtaps.model.record import as_list, as_number, as_object, as_text, list_in, number_in, text_in
from fewtaps.model.shape import StateShape, WindowShape
from fewtaps.model.state import ABSTRACTIONS, StateId
from fewtaps.model.suite import CoverageKind, NamedCoverage, Quarantine, Suite, SuiteTest
from fewtaps.model.trace import Step, Trace
from fewtaps.tracefile import NotJson, no_constant, read_trace, trace_to_bytes

FORMAT = "suite"
VERSION = 1
INDEX = "suite.json"
SUITE = "suite"
"""The folder, inside a project's, that holds its suite."""
ENDING = ".jsonl"

LONGEST_NAME = 100
"""Characters of a test's name at most: with its ending it fits into every file system."""

MAX_PICTURE_BYTES = 64 << 20
"""A larger picture is refused before it is read into memory."""

MAX_INDEX_BYTES = 256 << 20
"""A larger `suite.json` is refused before it is read into memory."""

_Place: TypeAlias = tuple[str | int, ...]
"""The way to a value in JSON data: names in objects, numbers in lists."""
_Layout: TypeAlias = "dict[str, _Layout | None]"
_Read = TypeVar("_Read")
_Named = TypeVar("_Named", SuiteTest, Quarantine)

_UNREAD = Trace(AppRef(""), (Step(Launch()),))
"""Stands for the trace of a test until its file is read."""


@dataclass(frozen=True, slots=True)
class SuiteSource:
    """A suite as it was read, and a line for each way in which the tests on disk differ from its list."""

    suite: Suite
    notes: tuple[str, ...] = ()


def read_suite(folder: str | os.PathLike[str]) -> Suite:
    """The suite in the folder. Raises UsageError, naming file and line, if it is not one."""
    return load_suite(folder).suite


def load_suite(folder: str | os.PathLike[str]) -> SuiteSource:
    """As `read_suite`, with notes. Tests that are not listed come last, by name."""
    place = Path(folder)
    index = place / INDEX
    suite = _Index(_read_index(place, index), index).suite
    listed = {test.name: test for test in suite.tests}
    files = _test_files(place)
    notes: list[str] = []
    tests: list[SuiteTest] = []
    for name, test in listed.items():
        if name in files:
            tests.append(replace(test, trace=_read_test(files[name], suite.app)))
        else:
            notes.append(f"{index} lists the test {name}, which has no file any more")
    for name in sorted(files.keys() - listed.keys()):
        notes.append(f"{index} does not list the test {name}; it is run all the same")
        tests.append(SuiteTest(name, _read_test(files[name], suite.app)))
    return SuiteSource(replace(suite, tests=tuple(tests)), tuple(notes))


def require_suite_folder(folder: Path) -> None:
    """Raises UsageError, or StoreError if the disk is full, if no suite can be written into the folder.

    The folder need not be there; it is not made.
    """
    place = folder
    while not place.exists() and place != place.parent:
        place = place.parent
    if not place.is_dir():
        raise UsageError(f"{folder}: cannot be made ({place} is no folder)")
    require_writable_inside(place)


def write_suite(folder: str | os.PathLike[str], suite: Suite) -> None:
    """Writes the tests, then `suite.json`; each file whole or not at all.

    A file that would not change is left untouched, and files of tests that the suite does not have are not deleted.
    Raises UsageError if a file cannot be written or a name is no name of a test, StoreError if the disk is full.
    """
    place = Path(folder)
    _check_names(place, (test.name for test in suite.tests))
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{place}: cannot be made ({error.strerror or error})") from error
    for test in suite.tests:
        write_test(place, test)
    _write_changed(place / INDEX, content_of_index(suite))


def write_test(folder: Path, test: SuiteTest) -> None:
    """Writes the file of one test; raises as `write_suite`."""
    _write_changed(path_of_test(folder, test.name), content_of_test(test))


def path_of_test(folder: Path, name: str) -> Path:
    """Where the test of this name lies in a suite's folder."""
    return folder / f"{name}{ENDING}"


def read_pictures(folder: Path, test: SuiteTest) -> tuple[tuple[int, bytes], ...]:
    """The pictures that the steps of a test expect, by the number of the step. Raises UsageError if one is missing."""
    found: list[tuple[int, bytes]] = []
    for number, step in enumerate(test.trace.steps):
        if step.expect is None or step.expect.picture is None:
            continue
        path = path_of_picture(folder, step.expect.picture)
        try:
            if path.stat().st_size > MAX_PICTURE_BYTES:
                raise UsageError(f"{path}: larger than {MAX_PICTURE_BYTES >> 20} MB")
            found.append((number, read_inside(path)))
        except OSError as error:
            raise UsageError(f"{path}: cannot be read: {error.strerror or error}") from error
    return tuple(found)


def path_of_picture(folder: Path, name: str) -> Path:
    """Where the picture of this name lies in a suite's folder. Raises UsageError for a name that leads elsewhere."""
    try:
        require_test_name(name)
    except ValueError:
        raise UsageError(f"{folder}: {printable(name, 80)!r} is no name of a picture") from None
    return folder / name


def content_of_test(test: SuiteTest) -> bytes:
    """The content of a test's file: events and expectations, and of the app only its package."""
    trace = replace(test.trace, app=AppRef(test.trace.app.package))
    return trace_to_bytes(trace, observations=False)


def content_of_index(suite: Suite) -> bytes:
    """The content of `suite.json`."""
    record: dict[str, Any] = {
        "fewtaps": FORMAT,
        "version": VERSION,
        "app": {
            "package": suite.app.package,
            **({"version": suite.app.version} if suite.app.version else {}),
            **({"digest": suite.app.digest} if suite.app.digest else {}),
        },
        "abstraction": suite.abstraction,
        "settings": dict(suite.settings),
        "cover": [kind.value for kind in suite.kinds],
        "tests": [_test_to_json(test) for test in suite.tests],
        "quarantine": [
            {"name": each.name, "passed": each.passed, "runs": each.runs, "clean": each.clean}
            for each in suite.quarantine
        ],
        "states": [_shape_to_json(shape) for shape in suite.states],
        "covered": _coverage_to_json(suite.covered),
        "flaky": _coverage_to_json(suite.flaky),
        "uncovered": list(suite.uncovered),
    }
    return ("\n".join(_laid_out(record, _UNFOLDED)) + "\n").encode()


def require_test_name(name: str) -> None:
    """Raises ValueError unless the name can be a test's: letters, digits, `-`, `_` and `.`, no dot in front."""
    if not name or name.startswith(".") or not all(char.isalnum() or char in "-_." for char in name):
        raise ValueError(f"{printable(name, 80)!r}: a test's name has letters, digits, '-', '_' and '.' only")
    if len(name.encode(errors="surrogatepass")) > LONGEST_NAME:
        raise ValueError(f"{printable(name, 40)!r}: a test's name has at most {LONGEST_NAME} bytes")


def _read_index(folder: Path, index: Path) -> str:
    try:
        if folder.is_dir() and not index.exists():
            raise UsageError(f"{folder}: no suite, for there is no {INDEX} in it")
        if index.stat().st_size > MAX_INDEX_BYTES:
            raise UsageError(f"{index}: larger than {MAX_INDEX_BYTES >> 20} MB")
        return read_inside(index).decode()
    except NotADirectoryError:
        raise UsageError(f"{folder}: a suite is a folder with a {INDEX}, this is a file") from None
    except OSError as error:
        raise UsageError(f"{folder}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError:
        raise UsageError(f"{index}: not text in UTF-8") from None


def _test_files(folder: Path) -> dict[str, Path]:
    """The files of tests by the names of the tests. Hidden files, as editors leave them, are no tests."""
    try:
        paths = [path for path in folder.iterdir() if path.name.endswith(ENDING) and not path.name.startswith(".")]
    except OSError as error:
        raise UsageError(f"{folder}: cannot be read: {error.strerror or error}") from error
    names = {path.name.removesuffix(ENDING): path for path in sorted(paths)}
    _check_names(folder, names)
    return names


def _check_names(folder: Path, names: Iterable[str]) -> None:
    seen: dict[str, str] = {}
    for name in names:
        try:
            require_test_name(name)
        except ValueError as error:
            raise UsageError(f"{folder}: {error}") from None
        # Some file systems take upper and lower case as one.
        other = seen.setdefault(name.casefold(), name)
        if other is not name:
            raise UsageError(f"{folder}: two tests have one name: {other} and {name}")


def _read_test(path: Path, app: AppRef) -> Trace:
    trace = read_trace(path, opener=open_regular)
    if trace.app.package != app.package:
        raise UsageError(
            f"{path}, line 1: a test of {printable(trace.app.package, 200)}, "
            f"but the suite is for {printable(app.package, 200)}"
        )
    return replace(trace, app=app)


def _write_changed(path: Path, content: bytes) -> None:
    try:
        # A device such as /dev/full can be read for ever.
        if path.is_file() and path.read_bytes() == content:
            return
    except OSError:
        pass
    write_inside(path, content)


_FIELDS = frozenset(
    {
        *("fewtaps", "version", "app", "abstraction", "settings", "cover"),
        *("tests", "quarantine", "states", "covered", "flaky", "uncovered"),
    }
)
_TEST_FIELDS = frozenset({"name", "seconds", "adds", "kills", "classes"})
_QUARANTINE_FIELDS = frozenset({"name", "passed", "runs", "clean"})
_KINDS = {kind.value: kind for kind in CoverageKind}


class _Index:
    """Reads the data of `suite.json`; the traces of the tests are those of an empty launch until they are read."""

    def __init__(self, text: str, path: Path) -> None:
        self._text = text
        self._path = path
        try:
            value = json.loads(text, parse_constant=no_constant)
        except json.JSONDecodeError as error:
            raise UsageError(f"{path}, line {error.lineno}: not JSON: {error.msg} at column {error.colno}") from None
        except RecursionError:
            raise UsageError(f"{path}: nested too deeply") from None
        except NotJson as error:
            raise UsageError(f"{path}, line 1: {error}") from None
        except ValueError:
            # The only other error of Python's reader: it refuses to convert very long numbers.
            raise UsageError(f"{path}, line 1: a number of thousands of digits") from None
        try:
            record = as_object("file", value)
        except ValueError as error:
            raise UsageError(f"{path}, line 1: {error}") from None
        self.suite = self._read(record)

    def _read(self, record: Mapping[str, Any]) -> Suite:
        if record.get("fewtaps") != FORMAT:
            raise self._wrong((), 'not a suite: it should have "fewtaps": "suite"')
        version = self._at(("version",), lambda: as_number("version", record.get("version")))
        if version > VERSION:
            raise self._wrong(("version",), f"version {version} is newer than this fewtaps, which reads {VERSION}")
        if version != VERSION:
            raise self._wrong(("version",), f"version: this fewtaps reads version {VERSION}, not {version}")
        self._known((), record, _FIELDS, "a suite")
        app = self._at(("app",), lambda: as_object("app", record.get("app")))
        abstraction = self._at(("abstraction",), lambda: as_text("abstraction", record.get("abstraction")))
        if abstraction not in ABSTRACTIONS:
            known = ", ".join(ABSTRACTIONS)
            raise self._wrong(("abstraction",), f"abstraction: {printable(abstraction, 60)!r} is none of {known}")
        return Suite(
            app=self._at(
                ("app",),
                lambda: AppRef(
                    as_text("app.package", app.get("package")),
                    text_in(app, "version") or "",
                    text_in(app, "digest") or "",
                ),
            ),
            abstraction=abstraction,
            tests=self._each(record, "tests", _TEST_FIELDS, _test_from_json),
            settings=self._at(("settings",), lambda: _settings(record.get("settings"))),
            kinds=self._at(("cover",), lambda: tuple(_kind(each) for each in list_in(record, "cover"))),
            covered=self._coverage(record, "covered"),
            flaky=self._coverage(record, "flaky"),
            quarantine=self._each(record, "quarantine", _QUARANTINE_FIELDS, _quarantine_from_json),
            states=self._states(record),
            uncovered=self._at(
                ("uncovered",), lambda: tuple(as_text("uncovered", each) for each in list_in(record, "uncovered"))
            ),
        )

    def _each(
        self, record: Mapping[str, Any], field: str, known: frozenset[str], read: Callable[[Mapping[str, Any]], _Named]
    ) -> tuple[_Named, ...]:
        """The entries of a list whose names are unique."""
        found: dict[str, _Named] = {}
        for number, value in enumerate(self._at((field,), lambda: list_in(record, field))):
            place = (field, number)
            entry = self._at(place, partial(as_object, field, value))
            self._known(place, entry, known, "an entry")
            made = self._at(place, partial(read, entry))
            if made.name in found:
                raise self._wrong(place, f"{field}: two tests have one name: {made.name}")
            found[made.name] = made
        return tuple(found.values())

    def _states(self, record: Mapping[str, Any]) -> tuple[StateShape, ...]:
        values = self._at(("states",), lambda: list_in(record, "states"))
        return tuple(
            self._at(("states", number), partial(_shape_from_json, each)) for number, each in enumerate(values)
        )

    def _coverage(self, record: Mapping[str, Any], field: str) -> NamedCoverage:
        return self._at((field,), lambda: _coverage_from_json(field, record.get(field)))

    def _known(self, place: _Place, record: Mapping[str, Any], known: frozenset[str], whole: str) -> None:
        for name in record:
            if name not in known:
                raise self._wrong((*place, name), f"{printable(name, 60)}: {whole} has no such field")

    def _at(self, place: _Place, read: Callable[[], _Read]) -> _Read:
        try:
            return read()
        except ValueError as error:
            raise self._wrong(place, str(error)) from None

    def _wrong(self, place: _Place, reason: str) -> UsageError:
        return UsageError(f"{self._path}, line {_line_of(self._text, place)}: {printable(reason, 300)}")


def _line_of(text: str, place: _Place) -> int:
    """The line of the value at a place of a valid JSON text; of the last value on the way there if it has none."""
    position = _skipped(text, 0)
    for part in place:
        found = next((start for name, start in _members(text, position) if name == part), None)
        if found is None:
            break
        position = found
    return text.count("\n", 0, position) + 1


def _members(text: str, position: int) -> Iterator[tuple[str | int, int]]:
    """Names, or numbers, and starts of the values in the object or list that starts at the position."""
    decoder = json.JSONDecoder()
    kind, number = text[position], 0
    if kind not in "{[":
        return
    position = _skipped(text, position + 1)
    while text[position] not in "}]":
        name: str | int = number
        if kind == "{":
            name, position = decoder.raw_decode(text, position)
            position = _skipped(text, _skipped(text, position) + 1)
        yield name, position
        _, position = decoder.raw_decode(text, position)
        position = _skipped(text, position)
        if text[position] == ",":
            position = _skipped(text, position + 1)
        number += 1


def _skipped(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t\r\n":
        position += 1
    return position


def _test_to_json(test: SuiteTest) -> dict[str, Any]:
    kills = {"kills": test.kills} if test.kills else {}
    seconds = round(test.seconds, 3)
    return {"name": test.name, "seconds": seconds, "adds": test.adds, **kills, "classes": list(test.classes)}


def _test_from_json(record: Mapping[str, Any]) -> SuiteTest:
    return SuiteTest(
        name=_name(record),
        trace=_UNREAD,
        seconds=_seconds(record.get("seconds")),
        classes=tuple(as_text("classes", each) for each in list_in(record, "classes")),
        adds=_count(record, "adds"),
        kills=_count(record, "kills"),
    )


def _quarantine_from_json(record: Mapping[str, Any]) -> Quarantine:
    made = Quarantine(_name(record), _count(record, "passed"), _count(record, "runs"), _count(record, "clean"))
    if made.passed > made.runs:
        raise ValueError(f"passed: {made.passed} of {made.runs} runs cannot have passed")
    return made


def _shape_to_json(shape: StateShape) -> dict[str, Any]:
    windows = [{"kind": window.kind, "widgets": list(window.widgets)} for window in shape.windows]
    return {"state": shape.state, "windows": windows}


def _shape_from_json(value: object) -> StateShape:
    record = as_object("states", value)
    windows = (as_object("windows", each) for each in list_in(record, "windows"))
    return StateShape(
        StateId(as_text("state", record.get("state"))),
        tuple(
            WindowShape(
                as_text("windows.kind", window.get("kind")),
                tuple(as_text("windows.widgets", each) for each in list_in(window, "widgets")),
            )
            for window in windows
        ),
    )


def _name(record: Mapping[str, Any]) -> str:
    name = as_text("name", record.get("name"))
    require_test_name(name)
    return name


def _count(record: Mapping[str, Any], field: str) -> int:
    number = number_in(record, field)
    if number < 0:
        raise ValueError(f"{field}: less than nothing: {number}")
    return number


def _seconds(value: object) -> float:
    if value is None:
        return 0.0
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e9:
        raise ValueError(f"seconds: not a number of seconds: {value!r:.60}")
    return float(value)


def _settings(value: object) -> tuple[tuple[str, str], ...]:
    record = {} if value is None else as_object("settings", value)
    return tuple((name, as_text(f"settings.{name}", each)) for name, each in record.items())


def _kind(value: object) -> CoverageKind:
    name = as_text("cover", value)
    if name not in _KINDS:
        raise ValueError(f"cover: {name!r:.60} is none of {', '.join(_KINDS)}")
    return _KINDS[name]


def _coverage_to_json(coverage: NamedCoverage) -> dict[str, Any]:
    branches: dict[str, dict[str, list[int]]] = {}
    for class_name, method, number in sorted(coverage.branches):
        branches.setdefault(class_name, {}).setdefault(method, []).append(number)
    methods: dict[str, list[str]] = {}
    for class_name, method in sorted(coverage.methods):
        methods.setdefault(class_name, []).append(method)
    lines: dict[str, list[int]] = {}
    for class_name, line in sorted(coverage.lines):
        lines.setdefault(class_name, []).append(line)
    return {name: value for name, value in (("branches", branches), ("methods", methods), ("lines", lines)) if value}


def _coverage_from_json(field: str, value: object) -> NamedCoverage:
    record = {} if value is None else as_object(field, value)
    for name in record:
        if name not in ("branches", "methods", "lines"):
            raise ValueError(f"{field}.{name}: coverage has no such field")
    branches = as_object(f"{field}.branches", record.get("branches") or {})
    methods = as_object(f"{field}.methods", record.get("methods") or {})
    lines = as_object(f"{field}.lines", record.get("lines") or {})
    return NamedCoverage(
        branches=frozenset(
            (class_name, method, as_number(f"{field}.branches", number))
            for class_name, numbers in branches.items()
            for method, listed in as_object(f"{field}.branches", numbers).items()
            for number in as_list(f"{field}.branches", listed)
        ),
        methods=frozenset(
            (class_name, as_text(f"{field}.methods", method))
            for class_name, listed in methods.items()
            for method in as_list(f"{field}.methods", listed)
        ),
        lines=frozenset(
            (class_name, as_number(f"{field}.lines", line))
            for class_name, listed in lines.items()
            for line in as_list(f"{field}.lines", listed)
        ),
    )


_COVERAGE_LAYOUT: _Layout = {"branches": {"*": {"*": None}}, "methods": {"*": {"*": None}}, "lines": {"*": None}}
_UNFOLDED: _Layout = {
    "tests": {"*": None},
    "quarantine": {"*": None},
    "states": {"*": None},
    "covered": _COVERAGE_LAYOUT,
    "flaky": _COVERAGE_LAYOUT,
    "uncovered": {"*": None},
}
"""The fields of `suite.json` whose members have a line each, and the members of members; the rest is on one line."""


def _laid_out(value: object, layout: _Layout | None, indent: str = "", name: str = "") -> Iterator[str]:
    """The lines of a JSON text, laid out as `layout` says; the first begins with `name`."""
    if not layout or not isinstance(value, dict | list) or not value:
        yield f"{indent}{name}{_compact(value)}"
        return
    is_object = isinstance(value, dict)
    members = list(value.items()) if isinstance(value, dict) else [("", each) for each in value]
    yield f"{indent}{name}{'{' if is_object else '['}"
    for number, (key, each) in enumerate(members):
        inner = layout.get(key, layout.get("*")) if key in layout or "*" in layout else None
        lines = list(_laid_out(each, inner, indent + " ", f"{_compact(key)}: " if is_object else ""))
        lines[-1] += "," if number + 1 < len(members) else ""
        yield from lines
    yield f"{indent}{'}' if is_object else ']'}"


def _compact(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        # Java texts may hold single surrogates, which JSON can only represent as escapes.
        return json.dumps(value, allow_nan=False)
    return text

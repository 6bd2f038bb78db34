"""Who may import whom: the table of docs/architecture.md, checked by parsing imports."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import fewtaps

SOURCE = Path(fewtaps.__file__).parent

# A room may import itself, what every room may (below), and what stands here. A dotted name is one module of a room.
MAY_IMPORT: dict[str, tuple[str, ...]] = {
    "errors": (),
    "budget": (),
    "files": (),
    "cache": (),
    "temporary": (),
    "python_child": (),
    "stopping": (),
    "config": ("device.registry", "model.phone"),
    "model": (),
    "tracefile": ("model",),
    "suitefile": ("model", "tracefile"),
    "formats": ("model",),
    "exports": ("model", "formats"),
    "apk": ("model",),
    "device": ("model", "apk", "formats"),
    "store": ("model",),
    "explore": ("model", "device.session", "device.jobs"),
    "adbd": ("model", "formats", "device.session"),
    "replay": ("model", "device.session", "device.jobs", "device.ongoing", "device.recorded"),
    "reducing": ("model",),
    "suite": ("model",),
    "slicing": ("model", "apk"),
    "report": ("model", "store", "tracefile", "suitefile", "exports", "reducing.hierarchy"),
    "pipeline": (
        *("model", "apk", "device", "store", "explore", "replay", "reducing", "suite", "slicing", "report"),
        *("adbd", "tracefile", "suitefile", "formats", "exports", "config", "farm"),
    ),
    "farm": ("model", "device", "explore", "tracefile"),
    "pytest_plugin": ("pipeline", "config", "model"),
    "agentserver": ("pipeline", "config", "model", "device.registry"),
    "cli": ("pipeline", "agentserver", "config", "model", "farm", "device.registry", "device.backend"),
}
EVERY_ROOM_MAY = ("errors", "budget", "files", "cache", "temporary", "python_child", "stopping")
NEEDS_ONLY_ERRORS = ("errors", "budget", "files", "cache", "config")
JAVA_NAMES = re.compile(r"dev\.fewtaps\.twin\b")
"""Packages of the bridge, which stand in stack traces."""
PURE = ("random", "time", "datetime", "os", "pathlib", "io", "subprocess", "socket", "threading", "tempfile", "logging")


@cache
def parsed(path: Path) -> ast.Module:
    """The syntax tree of a module: most checks here read it."""
    return ast.parse(path.read_text("utf-8"), str(path))


@cache
def modules() -> list[Path]:
    """Every module of the package but the two at its door, which have no logic."""
    return sorted(path for path in SOURCE.rglob("*.py") if path.parent != SOURCE or not path.name.startswith("__"))


def module_name(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def imports_of(path: Path) -> tuple[str, ...]:
    """Full names of everything a module imports, wherever in it."""
    names: list[str] = []
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute here"
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return tuple(names)


def is_within(name: str, place: str) -> bool:
    return name == place or name.startswith(place + ".")


def is_allowed(importer: str, imported: str) -> bool:
    room = importer.partition(".")[0]
    allowed = (*MAY_IMPORT[room], *(("errors",) if room in NEEDS_ONLY_ERRORS else EVERY_ROOM_MAY), room)
    return any(is_within(imported, place) for place in allowed)


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_a_room_imports_only_what_it_may(room: str) -> None:
    wrong = [
        f"{module_name(path)} must not import {name}"
        for path in modules()
        if module_name(path).partition(".")[0] == room
        for name in imports_of(path)
        if is_within(name, "fewtaps") and not is_allowed(room, name.removeprefix("fewtaps."))
    ]
    assert wrong == []


def test_every_module_belongs_to_a_room() -> None:
    rooms = {module_name(path).partition(".")[0] for path in modules()}
    assert rooms <= set(MAY_IMPORT)


def test_no_backend_imports_another() -> None:
    backends = {path.parent.name for path in (SOURCE / "device").glob("*/__init__.py")}
    assert {"simulated", "twin"} <= backends
    for backend in backends:
        for path in (SOURCE / "device" / backend).glob("**/*.py"):
            for other in backends - {backend}:
                assert not any(is_within(name, f"fewtaps.device.{other}") for name in imports_of(path)), path


def spoken_strings(path: Path) -> Iterator[tuple[int, str]]:
    """The string literals of a module with their lines; docstrings and other bare strings are not among them."""
    nodes = list(ast.walk(parsed(path)))
    bare = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in bare:
            yield node.lineno, node.value


@pytest.mark.slow
def test_only_devices_name_backends() -> None:
    """Names of backends are read from the table. `adb` is the name of a script format too, so it may be said."""
    from fewtaps.config import WRITABLE
    from fewtaps.device.registry import BACKENDS

    names = [entry.name for entry in BACKENDS.values() if entry.name not in WRITABLE]
    prefixes = [entry.app_prefix for entry in BACKENDS.values() if entry.app_prefix]
    forbidden = re.compile("|".join([*(rf"\b{name}\b(?!\.)" for name in names), *map(re.escape, prefixes)]))
    assert forbidden.search("--device twin") and forbidden.search("sim:bill")
    for path in modules():
        if module_name(path).partition(".")[0] != "device":
            found = [(line, text) for line, text in spoken_strings(path) if forbidden.search(JAVA_NAMES.sub("", text))]
            assert not found, f"{path} names a backend: {found}"


def test_the_model_does_no_io_and_knows_neither_clock_nor_chance() -> None:
    for path in (SOURCE / "model").glob("*.py"):
        assert not [name for name in imports_of(path) if name.partition(".")[0] in PURE], path


def test_the_table_forbids_what_it_should() -> None:
    assert not is_allowed("reducing.ddmin", "device.session.Session")
    assert not is_allowed("explore.loop", "device.twin.device.TwinDevice")
    assert not is_allowed("config", "model.app.App")
    assert not is_allowed("cli.main", "device.session.Session")
    assert is_allowed("explore.loop", "device.session.Session")
    assert is_allowed("reducing.problem", "budget.Budget")


def test_every_module_says_what_it_is() -> None:
    first = {path: (ast.get_docstring(parsed(path)) or "").partition("\n")[0] for path in modules()}
    assert [path for path, line in first.items() if not line.endswith((".", ":", "?", "!"))] == []


def test_no_class_name_means_two_things() -> None:
    places: dict[str, list[str]] = {}
    for path in modules():
        for node in parsed(path).body:
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(module_name(path))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_no_method_of_another_class_is_replaced() -> None:
    for path in modules():
        assert "type: ignore[method-assign]" not in path.read_text("utf-8"), path


WITH_THREADS = {
    "device.pool",
    "device.twin.process",
    "agentserver.protocol",
    "pipeline.opening_ahead",
    "farm.hub",
    "farm.slot_serving",
    "farm.streams",
}
"""The pool runs jobs. One thread of the twin starts processes: a jail ends with the thread that started it. The server
for agents runs each call in a thread, so that it answers others meanwhile. A served
device opens its app in a thread, so that clients can connect meanwhile. The hub and the slots of a farm run the event
loop of their engine, which is the only thing they do, and `streams` is a part of it."""


def test_the_engine_of_farms_is_imported_by_their_room_alone() -> None:
    for path in modules():
        names = {name for name in imports_of(path) if name.startswith(("dask", "distributed", "tornado"))}
        assert not names or module_name(path).startswith("farm."), path


THREADS = ("concurrent", "multiprocessing", "asyncio", "anyio", "_thread")
STARTED = frozenset({"Thread", "Timer", "ThreadingHTTPServer", "ThreadingMixIn", "ThreadingTCPServer"})
"""What starts a thread, in modules whose other names only look at threads or lock them."""
SERVES_PAGES = "report.server"
"""The HTTP server of Python's library answers each connection in a thread of its own."""


def test_work_runs_on_the_threads_of_the_pool_alone() -> None:
    for path in modules():
        names = {name for name in imports_of(path) if name.partition(".")[0] in THREADS}
        assert not names or module_name(path) in WITH_THREADS, path
        if not any(name in path.read_text("utf-8") for name in STARTED):
            continue
        used = {node.attr for node in ast.walk(parsed(path)) if isinstance(node, ast.Attribute)}
        used |= {node.id for node in ast.walk(parsed(path)) if isinstance(node, ast.Name)}
        used |= {
            each.name for node in ast.walk(parsed(path)) if isinstance(node, ast.ImportFrom) for each in node.names
        }
        assert not used & STARTED or module_name(path) in {*WITH_THREADS, SERVES_PAGES}, path


def test_one_module_alone_imports_the_sdk_of_the_agents_protocol() -> None:
    users = {module_name(path) for path in modules() for name in imports_of(path) if re.match(r"mcp(_types)?\b", name)}
    assert users == {"agentserver.protocol"}


def test_every_error_is_drawn_in_the_tree() -> None:
    from fewtaps import errors

    drawn = errors.__doc__ or ""
    for name, value in vars(errors).items():
        if isinstance(value, type) and issubclass(value, errors.FewtapsError):
            assert name in drawn

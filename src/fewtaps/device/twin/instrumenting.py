"""Putting probes into an APK's code: the input of the process that does it, and its answer, which is not trusted."""

from __future__ import annotations

import re
import shutil
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fewtaps.device.session import CoverageScope, InstrumentedCode
from fewtaps.device.twin.bounds import UNREADABLE
from fewtaps.device.twin.jail import Place
from fewtaps.device.twin.protocol import checked
from fewtaps.errors import ApkError, BridgeError, DeviceUnavailable
from fewtaps.files import lack_of_room, refusal
from fewtaps.model.app import App
from fewtaps.model.event import printable

MOST_FILES = 1000
MOST_BYTES = 1 << 30
_TABLE = "probes.json"
_DEX_NAME = re.compile(r"classes[0-9]{0,4}\.dex")


def copy_app(app: App, folder: Path) -> None:
    """Puts the APK where the process reads it."""
    try:
        shutil.copyfile(app.path, folder / "app.apk")
    except OSError as error:
        if lack_of_room(error):
            raise refusal(folder, error) from error
        if error.filename == app.path:
            raise ApkError(f"cannot read {app.path}: {error.strerror or error}") from error
        raise DeviceUnavailable(f"cannot hand the app to the twin: {error.strerror or error}") from error


def instrument_fields(app: App, scope: CoverageScope, place: Place, inbox: Path) -> dict[str, Any]:
    """The fields of an `instrument` request; `inbox` is the folder with the APK, as the process sees it."""
    return {
        "apk": str(inbox / "app.apk"),
        "cache": str(place.cache),
        "coverage": scope,
        "package": app.package,
        "path": str(place.report),
    }


def read_instrumented(answer: Path, result: Mapping[str, Any]) -> InstrumentedCode:
    """The code that the process wrote. Raises BridgeError if it is malformed."""
    try:
        with zipfile.ZipFile(answer) as archive:
            entries = archive.infolist()
            if len(entries) > MOST_FILES or sum(entry.file_size for entry in entries) > MOST_BYTES:
                raise BridgeError("the bridge wrote more code than an app has")
            files = {entry.filename: archive.read(entry) for entry in entries}
    except UNREADABLE as error:
        raise BridgeError(f"the bridge wrote malformed code: {error}") from error
    table = files.pop(_TABLE, b"")
    if not table or not all(_DEX_NAME.fullmatch(name) for name in files):
        raise BridgeError("the bridge wrote other files than code")
    with checked("answer about probes"):
        return InstrumentedCode(
            files,
            table,
            probes=int(result["probes"]),
            methods=int(result["methods"]),
            skipped=int(result["skipped"]),
            notes=tuple(printable(str(note), 300) for note in result["notes"]),
        )

"""Coverage reports from stored execution data: the input of the process that makes one, and its answer.

The process gets copies: the APK, the data of all runs in one file, and the sources in another, each under the name
that JaCoCo expects. It answers with one ZIP file, which is not trusted: names that lead out of the folder, too many
files and too large ones are refused. Every file and folder is written atomically.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from fewtaps.device.session import CoverageScope
from fewtaps.device.twin.bounds import UNREADABLE
from fewtaps.device.twin.jail import Place
from fewtaps.device.twin.protocol import checked
from fewtaps.errors import ApkError, BridgeError, DeviceUnavailable, UsageError
from fewtaps.files import lack_of_room, refusal, write_whole
from fewtaps.model.app import App
from fewtaps.model.record import number_in

SOURCE_SUFFIXES = (".java", ".kt")
MAX_SOURCE_FILES = 50_000
MAX_SOURCE_BYTES = 256 << 20
MAX_SOURCE_FILE_BYTES = 4 << 20
"""A larger file is generated code and is skipped."""
MAX_PAGES = 200_000
MAX_PAGE_BYTES = 4 << 30

_PAGES = "html/"
_XML = "jacoco.xml"
_PACKAGE = re.compile(rb"^[ \t]*package\s+([\w.`]+)[ \t]*(?:;[ \t]*)?(?://.*)?\r?$", re.MULTILINE)
_HEAD_BYTES = 64 << 10


@dataclass(frozen=True, slots=True)
class ReportOrder:
    """The app of a report, with or without its libraries, and the target: an XML file, a folder of pages, or both.

    `sources` are folders with the app's source files at any depth.
    """

    app: App
    scope: CoverageScope
    xml: Path | None = None
    html: Path | None = None
    sources: tuple[Path, ...] = ()

    def check(self) -> None:
        """Raises UsageError if the targets or sources cannot be used; called before any work starts."""
        if self.scope == "off":
            raise UsageError("coverage is off: there is nothing to report")
        if self.xml is None and self.html is None:
            raise UsageError("name a file or a folder for the coverage report")
        for target in (self.xml, self.html):
            if target is not None and not target.parent.is_dir():
                raise UsageError(f"{target}: there is no folder {target.parent}")
        if self.html is not None and not _is_replaceable(self.html):
            raise UsageError(f"{self.html}: there is something else than a coverage report")
        for folder in self.sources:
            if not folder.is_dir():
                raise UsageError(f"{folder}: there is no such folder of sources")


def fill_inbox(order: ReportOrder, executions: Iterable[bytes], folder: Path) -> None:
    """Puts the input of a report into a folder."""
    try:
        shutil.copyfile(order.app.path, folder / "app.apk")
        with (folder / "executions").open("wb") as stream:
            stream.writelines(executions)
        if order.html is not None and order.sources:
            pack_sources(order.sources, folder / "sources.zip")
    except OSError as error:
        if lack_of_room(error):
            raise refusal(folder, error) from error
        if error.filename == order.app.path:
            raise ApkError(f"cannot read {order.app.path}: {error.strerror or error}") from error
        raise DeviceUnavailable(f"cannot hand the coverage to the twin: {error.strerror or error}") from error


def report_fields(order: ReportOrder, place: Place, inbox: Path) -> dict[str, Any]:
    """The fields of a `report` request; `inbox` is the folder that was filled, as the process sees it."""
    fields: dict[str, Any] = {
        "apk": str(inbox / "app.apk"),
        "cache": str(place.cache),
        "coverage": order.scope,
        "executions": str(inbox / "executions"),
        "title": order.app.package,
        "path": str(place.report),
        "xml": order.xml is not None,
        "html": order.html is not None,
    }
    return fields | ({"sources": str(inbox / "sources.zip")} if order.html is not None and order.sources else {})


def deliver(order: ReportOrder, answer: Path) -> None:
    """Moves the report from the process's answer to its targets, each atomically."""
    try:
        with zipfile.ZipFile(answer) as archive:
            if order.html is not None:
                _deliver_pages(archive, order.html)
            if order.xml is not None:
                write_whole(order.xml, archive.read(_XML))
    except UNREADABLE as error:
        raise BridgeError(f"the bridge made a malformed report: {error}") from error


def notes_of(result: Mapping[str, Any]) -> tuple[str, ...]:
    """The notes on a report for the user, from the answer to `report`."""
    notes = []
    with checked("answer to report"):
        executed, foreign = number_in(result, "executed"), number_in(result, "foreign")
        wanted, found = number_in(result, "sources_wanted"), number_in(result, "sources_found")
    if foreign:
        notes.append(f"{foreign} of {executed} executed classes are not those of this build; they are left out")
    if found < wanted:
        notes.append(f"{found} of {wanted} source files were found")
    return tuple(notes)


def pack_sources(folders: Sequence[Path], target: Path) -> None:
    """Puts all source files below some folders into a ZIP file, each in the folder of its package.

    Links are not followed; where two files have one package and name, the first is taken. Raises UsageError for more
    files or bytes than `MAX_SOURCE_FILES` and `MAX_SOURCE_BYTES`.
    """
    names: set[str] = set()
    total = 0
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for path in (path for folder in folders for path in _source_files(folder)):
            content = path.read_bytes()
            name = f"{_package_of(content)}{path.name}"
            if name in names:
                continue
            names.add(name)
            total += len(content)
            if len(names) > MAX_SOURCE_FILES or total > MAX_SOURCE_BYTES:
                raise UsageError(f"{folders[0]}: too many sources; name the folders of the app's own")
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)


def _source_files(folder: Path) -> Iterator[Path]:
    """Source files below a folder in a fixed order; links are skipped, because they may lead out of the folder."""
    for root, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            if not name.endswith(SOURCE_SUFFIXES) or not name.isprintable():
                continue
            path = Path(root, name)
            try:
                status = path.lstat()
            except OSError:
                continue
            if stat.S_ISREG(status.st_mode) and status.st_size <= MAX_SOURCE_FILE_BYTES and os.access(path, os.R_OK):
                yield path


def _package_of(content: bytes) -> str:
    """The folder of a source file's package, with a slash at its end; empty for the unnamed package."""
    found = _PACKAGE.search(content[:_HEAD_BYTES])
    if found is None:
        return ""
    return found[1].decode("utf-8", "replace").replace("`", "").strip(".").replace(".", "/") + "/"


def _is_replaceable(folder: Path) -> bool:
    """Whether the folder is missing, empty or an earlier report, so that replacing it loses no file of the user."""
    if not folder.exists() and not folder.is_symlink():
        return True
    if not folder.is_dir() or folder.is_symlink():
        return False
    return not any(folder.iterdir()) or ((folder / "jacoco-resources").is_dir() and (folder / "index.html").is_file())


def _deliver_pages(archive: zipfile.ZipFile, folder: Path) -> None:
    try:
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".fewtaps-") as private:
            fresh, old = Path(private, "fresh"), Path(private, "old")
            fresh.mkdir()
            _unpack(archive, fresh)
            if folder.exists():
                folder.rename(old)
            try:
                fresh.rename(folder)
            except OSError:
                if old.exists():
                    old.rename(folder)
                raise
    except OSError as error:
        raise UsageError(f"cannot write {folder}: {error.strerror or error}") from error


def _unpack(archive: zipfile.ZipFile, folder: Path) -> None:
    """Unpacks the pages of a report into an empty folder."""
    pages = [page for page in archive.infolist() if page.filename.startswith(_PAGES) and not page.is_dir()]
    if len(pages) > MAX_PAGES or sum(page.file_size for page in pages) > MAX_PAGE_BYTES:
        raise BridgeError("the bridge made a report that is too large")
    for page in pages:
        path = folder / _safe(page.filename.removeprefix(_PAGES))
        path.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(page) as content, path.open("xb") as stream:
            shutil.copyfileobj(content, stream)


def _safe(name: str) -> PurePosixPath:
    """The name as a path that stays below its folder on every operating system. Raises BridgeError otherwise."""
    path = PurePosixPath(name)
    if path.is_absolute() or not path.parts or ".." in path.parts or re.search(r"[\\:\x00-\x1f]", name):
        raise BridgeError(f"the bridge made a report with a file that leads elsewhere: {name!r:.100}")
    return path

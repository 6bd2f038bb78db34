"""The ZIP file around an app, read the way Android reads it and within limits.

Android's own reader is more forgiving than Python's: it ignores the encryption flag, unknown compression methods and
names that differ between directory and entry. Obfuscators use that, so entries are read here by hand; the directory is
read by `zipfile`.
"""

from __future__ import annotations

import contextlib
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from fewtaps.errors import ApkError, UsageError

LOCAL_HEADER = struct.Struct("<4s22xHH")
DEFLATED = 8
IS_UTF8 = 1 << 11
"""The flag of an entry whose name says that it is UTF-8."""

MEBIBYTE = 1 << 20
# Limits against ZIP bombs. The largest real apps have some 60,000 entries and a few gigabytes, and expand to at most
# some 40 times their size. The ratio is not checked for archives that unpack to less than `HARMLESS_BYTES`.
MOST_ENTRIES = 250_000
MOST_BYTES = 8192 * MEBIBYTE
HARMLESS_BYTES = 48 * MEBIBYTE
HIGHEST_RATIO = 100


@dataclass(frozen=True, slots=True)
class ZipEntry:
    """One file of the archive, as its directory describes it."""

    name: str
    offset: int
    packed_bytes: int
    unpacked_bytes: int
    deflated: bool


class Archive:
    """The entries of an open ZIP file. Each read unpacks at most as many bytes as the caller allows."""

    def __init__(self, stream: BinaryIO, file_bytes: int, label: str, entries: dict[str, ZipEntry]) -> None:
        self._stream = stream
        self._file_bytes = file_bytes
        self._label = label
        self._entries = entries

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    @property
    def names(self) -> tuple[str, ...]:
        """All names, in the order of the directory."""
        return tuple(self._entries)

    def size(self, name: str) -> int:
        """How many bytes `name` claims to unpack to."""
        return self._entries[name].unpacked_bytes

    def is_stored(self, name: str) -> bool:
        """Whether `name` is not compressed."""
        return not self._entries[name].deflated

    def read(self, name: str, at_most: int) -> bytes:
        """The content of `name`; raises `ApkError` if it is damaged or longer than `at_most` bytes."""
        entry = self._entries[name]
        if entry.unpacked_bytes > at_most:
            raise ApkError(
                f"{self._label}: {name} is {entry.unpacked_bytes} bytes long, more than the limit of {at_most}"
            )
        packed = self._packed(entry)
        if not entry.deflated:
            return packed[:at_most]
        try:
            inflater = zlib.decompressobj(-zlib.MAX_WBITS)
            # One byte more than claimed, so that a longer entry is found without unpacking all of it. What all entries
            # claim together has been checked.
            content = inflater.decompress(packed, entry.unpacked_bytes + 1)
        except zlib.error as error:
            raise ApkError(f"{self._label}: {name} is damaged ({error})") from error
        if len(content) > entry.unpacked_bytes:
            raise ApkError(f"{self._label}: {name} unpacks to more than the {entry.unpacked_bytes} bytes it claims")
        if not inflater.eof:
            raise ApkError(f"{self._label}: {name} is cut short")
        return content

    def _packed(self, entry: ZipEntry) -> bytes:
        # Numbers of 64 bits may be larger than any file, and larger than a stream can seek to.
        if not 0 <= entry.offset <= self._file_bytes or not 0 <= entry.packed_bytes <= self._file_bytes:
            raise ApkError(f"{self._label}: {entry.name} is cut short")
        self._stream.seek(entry.offset)
        header = self._stream.read(LOCAL_HEADER.size)
        if len(header) < LOCAL_HEADER.size or not header.startswith(b"PK\x03\x04"):
            raise ApkError(f"{self._label}: {entry.name} is not where the directory says; the file is damaged")
        _, name_bytes, extra_bytes = LOCAL_HEADER.unpack(header)
        self._stream.seek(name_bytes + extra_bytes, os.SEEK_CUR)
        packed = self._stream.read(entry.packed_bytes)
        if len(packed) < entry.packed_bytes:
            raise ApkError(f"{self._label}: {entry.name} is cut short")
        return packed


@contextlib.contextmanager
def open_archive(path: Path) -> Iterator[Archive]:
    """Opens a ZIP file; `UsageError` if there is no such file, `ApkError` if it is no ZIP, is damaged or is a bomb."""
    try:
        if not stat.S_ISREG(path.stat().st_mode) and not path.is_dir():
            # Opening a named pipe would block until its other end is opened.
            raise UsageError(f"{path}: is not an ordinary file")
        stream = path.open("rb")
    except FileNotFoundError as error:
        raise UsageError(f"{path}: no such file") from error
    except IsADirectoryError as error:
        raise UsageError(f"{path}: is a folder, not an APK file") from error
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from error
    with stream:
        try:
            yield read_directory(stream, str(path))
        except OSError as error:
            raise ApkError(f"{path}: cannot be read ({error.strerror or error})") from error


def read_directory(stream: BinaryIO, label: str) -> Archive:
    """Reads the directory of a ZIP file and refuses ZIP bombs; `label` names the file in errors."""
    stream.seek(0, os.SEEK_END)
    file_bytes = stream.tell()
    stream.seek(0)
    magic = stream.read(4)
    if file_bytes == 0:
        raise ApkError(f"{label}: not an APK: the file is empty")
    infos = _directory(stream, label, magic)
    _refuse_bombs(infos, file_bytes, label)
    entries: dict[str, ZipEntry] = {}
    for info in infos:
        # Android takes the first of several entries with one name.
        entry = _entry(info)
        entries.setdefault(entry.name, entry)
    return Archive(stream, file_bytes, label, entries)


def _directory(stream: BinaryIO, label: str, magic: bytes) -> list[zipfile.ZipInfo]:
    try:
        with zipfile.ZipFile(stream) as archive:
            return archive.infolist()
    # zipfile lets several low-level exceptions through for a damaged directory.
    except (
        *(zipfile.BadZipFile, struct.error, ValueError, NotImplementedError, IndexError, EOFError),
        *(OverflowError, MemoryError, UnicodeError, RecursionError),
    ) as error:
        if magic.startswith(b"PK"):
            raise ApkError(f"{label}: not a readable APK: the ZIP file is cut short or damaged ({error})") from error
        raise ApkError(f"{label}: not an APK: not a ZIP file") from error


def _refuse_bombs(infos: list[zipfile.ZipInfo], file_bytes: int, label: str) -> None:
    if len(infos) > MOST_ENTRIES:
        raise ApkError(f"{label}: refused: {len(infos)} files inside, more than {MOST_ENTRIES}")
    unpacked = sum(_unpacked(info) for info in infos)
    packed = sum(info.compress_size for info in infos)
    if unpacked > MOST_BYTES:
        raise ApkError(
            f"{label}: refused: would unpack to {unpacked // MEBIBYTE} MB, more than {MOST_BYTES // MEBIBYTE}"
        )
    if unpacked > HARMLESS_BYTES and unpacked > HIGHEST_RATIO * file_bytes:
        raise ApkError(
            f"{label}: refused: would unpack to {unpacked // max(file_bytes, 1)} times its size (a ZIP bomb)"
        )
    if unpacked > HARMLESS_BYTES and packed > 2 * file_bytes:
        raise ApkError(f"{label}: refused: its entries overlap (a ZIP bomb)")


def _entry(info: zipfile.ZipInfo) -> ZipEntry:
    deflated = info.compress_type == DEFLATED
    # Android treats unknown compression methods as stored bytes, whose packed size is the unpacked one.
    packed = info.compress_size if deflated or info.compress_type == 0 else info.file_size
    return ZipEntry(_clean(_name(info)), info.header_offset, packed, _unpacked(info), deflated)


def _unpacked(info: zipfile.ZipInfo) -> int:
    """How many bytes an entry claims to be; one that is stored is as long as it is stored, whatever it claims."""
    return max(info.file_size, info.compress_size) if info.compress_type == 0 else info.file_size


def _name(info: zipfile.ZipInfo) -> str:
    """The name as Android reads it: as UTF-8, also where the archive does not say so."""
    if info.flag_bits & IS_UTF8 or info.filename.isascii():
        return info.filename
    try:
        return info.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return info.filename


def _clean(name: str) -> str:
    return name.replace("\\", "/").lstrip("/")

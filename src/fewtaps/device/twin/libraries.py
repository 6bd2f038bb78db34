"""The shared libraries of the system that a Java runtime loads, one by one.

The jail shows these files instead of the folders with all libraries and programs of the machine. The names come from
the tables of the ELF files themselves, as the dynamic loader reads them.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from functools import cache
from pathlib import Path

# Where a dynamic loader looks without being told; `{}` is the machine's name in the folders of Debian and Ubuntu.
_FOLDERS = ("/lib/{}", "/usr/lib/{}", "/lib64", "/usr/lib64", "/lib", "/usr/lib")
_TRIPLETS = {62: "x86_64-linux-gnu", 183: "aarch64-linux-gnu"}
# Loaded by name at run time, or needed by libraries that jars bring along.
_ALWAYS = (
    *("libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libgcc_s.so.1", "libstdc++.so.6"),
    "libz.so.1",
)
# Parts of Java for windows, sound, card readers and debuggers: the twin runs without a desktop.
_UNUSED = ("libawt_xawt", "libjawt", "libsplashscreen", "libjsound", "libatk", "libj2pcsc", "libsaproc", "libjdwp")
_ELF64 = b"\x7fELF\x02\x01"
_LOAD, _DYNAMIC, _INTERPRETER = 1, 2, 3
_NEEDED, _STRINGS = 1, 5


def needed_libraries(java_home: Path) -> tuple[Path, ...] | None:
    """The files of the system, the dynamic loader first, that this Java needs; None if that cannot be told."""
    try:
        return _needed(java_home)
    except (OSError, ValueError, OverflowError, struct.error):
        return None


@cache
def _needed(java_home: Path) -> tuple[Path, ...]:
    launcher = _Elf(java_home / "bin" / "java")
    if launcher.interpreter is None or not Path(launcher.interpreter).is_file():
        raise ValueError("no dynamic loader")
    folders = [Path(name.format(_TRIPLETS.get(launcher.machine, "lib"))) for name in _FOLDERS]
    own = [path for path in sorted((java_home / "lib").rglob("*.so")) if not path.name.startswith(_UNUSED)]
    own_names = {path.name for path in own}
    waiting = [*_ALWAYS, *launcher.needed, *(name for path in own for name in _Elf(path).needed)]
    found: dict[str, Path] = {}
    while waiting:
        name = waiting.pop()
        if name in found or name in own_names or "/" in name:
            continue
        path = next((folder / name for folder in folders if (folder / name).is_file()), None)
        if path is None:
            if name == "libc.so.6":
                raise ValueError("no C library in the usual folders")
            continue
        found[name] = path
        waiting += _Elf(path).needed
    return (Path(launcher.interpreter), *sorted(found.values()))


class _Elf:
    """What the header of an ELF file says: the machine, the dynamic loader, and the names of libraries it needs."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as stream:
            # Mapped, because only the tables of a library are read.
            self._content = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        if self._content[: len(_ELF64)] != _ELF64:
            raise ValueError(f"{path} is no 64-bit library")
        (self.machine,) = struct.unpack_from("<H", self._content, 18)
        self._segments = list(self._read_segments())
        self.interpreter = next(
            (self._text(start) for kind, start, _, _ in self._segments if kind == _INTERPRETER), None
        )
        self.needed = tuple(self._read_needed())

    def _read_segments(self) -> Iterator[tuple[int, int, int, int]]:
        """Kind, place in the file, address in memory and size of each segment."""
        (table,) = struct.unpack_from("<Q", self._content, 32)
        size, count = struct.unpack_from("<HH", self._content, 54)
        for number in range(count):
            kind, _, start, address, _, length = struct.unpack_from("<IIQQQQ", self._content, table + number * size)
            yield kind, start, address, length

    def _read_needed(self) -> Iterator[str]:
        entries = [
            struct.unpack_from("<qQ", self._content, place)
            for kind, start, _, length in self._segments
            if kind == _DYNAMIC
            for place in range(start, start + length, 16)
        ]
        strings = next((self._place(value) for tag, value in entries if tag == _STRINGS), None)
        for tag, value in entries:
            if tag == _NEEDED and strings is not None:
                yield self._text(strings + value)

    def _place(self, address: int) -> int:
        for kind, start, first, length in self._segments:
            if kind == _LOAD and first <= address < first + length:
                return start + address - first
        raise ValueError("an address outside of the file")

    def _text(self, place: int) -> str:
        end = self._content.find(b"\0", place)
        if end < 0:
            raise ValueError("a text without an end")
        return self._content[place:end].decode("ascii")

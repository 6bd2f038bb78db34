"""Marks the names of an APK's entries as UTF-8, as Android takes them whatever the archive says."""

from __future__ import annotations

import mmap
import struct
from pathlib import Path

_END = b"PK\x05\x06"
_END_BYTES = 22
_MOST_COMMENT_BYTES = 0xFFFF
_CENTRAL, _LOCAL = b"PK\x01\x02", b"PK\x03\x04"
_CENTRAL_BYTES = 46
_IS_UTF8 = 1 << 11


def mark_names_as_utf8(path: Path) -> int:
    """Sets the flag for UTF-8 at each name that needs it and is UTF-8; returns how many there were.

    Some obfuscators name resources so and leave the flag out. Java and Robolectric then take the bytes for another
    encoding, and the resource is not found. A damaged archive is left as it is: its reader says what is wrong.
    """
    if path.stat().st_size < _END_BYTES:
        return 0
    with path.open("r+b") as stream, mmap.mmap(stream.fileno(), 0) as file:
        end = file.rfind(_END, max(0, len(file) - _END_BYTES - _MOST_COMMENT_BYTES))
        if end < 0 or end + _END_BYTES > len(file):
            return 0
        count, _, at = struct.unpack_from("<HII", file, end + 10)
        marked = 0
        for _ in range(count):
            if at + _CENTRAL_BYTES > len(file) or file[at : at + 4] != _CENTRAL:
                break
            (flags,) = struct.unpack_from("<H", file, at + 8)
            name, extra, comment = struct.unpack_from("<HHH", file, at + 28)
            (local,) = struct.unpack_from("<I", file, at + 42)
            begin = at + _CENTRAL_BYTES
            if not flags & _IS_UTF8 and _needs_mark(file[begin : begin + name]):
                struct.pack_into("<H", file, at + 8, flags | _IS_UTF8)
                if file[local : local + 4] == _LOCAL and local + 8 <= len(file):
                    (local_flags,) = struct.unpack_from("<H", file, local + 6)
                    struct.pack_into("<H", file, local + 6, local_flags | _IS_UTF8)
                marked += 1
            at = begin + name + extra + comment
        return marked


def _needs_mark(name: bytes) -> bool:
    if name.isascii():
        return False
    try:
        name.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True

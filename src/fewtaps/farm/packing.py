"""Values as bytes and back: pickled, compressed, and never unpacked beyond a limit.

A value that names the APK file of a run is packed with that path; the path of the machine's own copy takes its place
when it is unpacked.
"""

from __future__ import annotations

import io
import pickle
import zlib
from typing import Any

from fewtaps.errors import DeviceLost

UNPACKED_BYTES = 256 * 2**20
"""Largest value that is unpacked, in bytes of its pickle."""
_APK = "apk"


class _Packer(pickle.Pickler):
    """Replaces the path of the APK by a mark."""

    def __init__(self, stream: io.BytesIO, apk: str) -> None:
        super().__init__(stream, protocol=pickle.HIGHEST_PROTOCOL)
        self._apk = apk

    def persistent_id(self, obj: Any) -> str | None:
        """The mark for the path, None for every other object."""
        return _APK if type(obj) is str and obj == self._apk else None


class _Unpacker(pickle.Unpickler):
    """Replaces the mark by the path of this machine's copy."""

    def __init__(self, stream: io.BytesIO, apk: str) -> None:
        super().__init__(stream)
        self._apk = apk

    def persistent_load(self, pid: Any) -> str:
        """The path of the copy."""
        return self._apk


def pack(value: object, apk: str = "") -> bytes:
    """A value as bytes; `apk` is the path that means the APK file, empty if there is none."""
    if not apk:
        return zlib.compress(pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL), 1)
    stream = io.BytesIO()
    _Packer(stream, apk).dump(value)
    return zlib.compress(stream.getvalue(), 1)


def unpack(packed: bytes, apk: str = "", limit: int = UNPACKED_BYTES) -> Any:
    """The value of `pack`, made by a peer that the farm trusts. Raises DeviceLost if it is damaged or too large."""
    try:
        stream = zlib.decompressobj()
        plain = stream.decompress(packed, limit)
        if stream.unconsumed_tail:
            raise DeviceLost(f"a message of the farm is larger than {limit // 2**20} MiB and was not read")
        return _Unpacker(io.BytesIO(plain), apk).load()
    # Pickle lets through whatever the constructors of damaged values raise.
    except (
        *(zlib.error, pickle.UnpicklingError, EOFError, AttributeError, LookupError, ImportError, TypeError),
        *(ValueError, OverflowError, MemoryError, RecursionError, NotImplementedError, AssertionError),
    ) as error:
        raise DeviceLost(f"a message of the farm cannot be read ({type(error).__name__})") from error

"""Values as bytes and back: pickled, compressed, and never unpacked beyond a limit.

Python packs a frozen dataclass with slots by looking up its fields anew for each value, and unpacks it in the same way.
That took a third of the time of a run on a farm; here it is done once for each class.

A value that names the APK file of a run is packed with that path; the path of the machine's own copy takes its place
when it is unpacked.
"""

from __future__ import annotations

import io
import pickle
import zlib
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache
from operator import attrgetter
from typing import Any

from fewtaps.errors import DeviceLost

UNPACKED_BYTES = 256 * 2**20
"""Largest value that is unpacked, in bytes of its pickle."""
_APK = "apk"


class _Packer(pickle.Pickler):
    """Packs values of slotted dataclasses by their fields."""

    def __init__(self, stream: io.BytesIO) -> None:
        super().__init__(stream, protocol=pickle.HIGHEST_PROTOCOL)

    def reducer_override(self, obj: Any) -> Any:
        """How a value is made again; NotImplemented for what Python packs itself."""
        kind = type(obj)
        values_of = _GETTERS[kind]
        return NotImplemented if values_of is None else (_made, (kind, values_of(obj)))


class _AppPacker(_Packer):
    """Also replaces the path of the APK by a mark."""

    def __init__(self, stream: io.BytesIO, apk: str) -> None:
        super().__init__(stream)
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
    stream = io.BytesIO()
    (_AppPacker(stream, apk) if apk else _Packer(stream)).dump(value)
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


class _Getters(dict[type, Callable[[Any], tuple[Any, ...]] | None]):
    """What gives all values of a frozen dataclass with slots, in the order of its fields; None for other classes."""

    def __missing__(self, kind: type) -> Callable[[Any], tuple[Any, ...]] | None:
        names = _slots_of(kind)
        if len(names) == 1:
            self[kind] = lambda value: (getattr(value, names[0]),)
        else:
            self[kind] = attrgetter(*names) if names else None
        return self[kind]


_GETTERS = _Getters()


@cache
def _setters(kind: type) -> tuple[Callable[[Any, Any], None], ...]:
    """Those that set the fields of a value. Raises TypeError for a class that is not packed by its fields."""
    names = _slots_of(kind)
    if not names:
        raise TypeError(f"{kind.__name__} is not packed by its fields")
    return tuple(getattr(kind, name).__set__ for name in names)


def _slots_of(kind: Any) -> tuple[str, ...]:
    """The fields of a class that Python itself packs by its fields; none for any other."""
    if not is_dataclass(kind) or "__slots__" not in vars(kind) or "__reduce__" in vars(kind):
        return ()
    own = vars(kind).get("__getstate__")
    if own is None or own.__module__ != "dataclasses":
        return ()
    return tuple(field.name for field in fields(kind))


def _made(kind: type, values: tuple[Any, ...]) -> Any:
    """A value with these fields, made without its constructor, as by Python's own unpacking."""
    made: Any = object.__new__(kind)
    for set_field, value in zip(_setters(kind), values, strict=True):
        set_field(made, value)
    return made

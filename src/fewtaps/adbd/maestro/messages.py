"""The few messages of Maestro's protocol, in the encoding of Protocol Buffers."""

from __future__ import annotations

from collections.abc import Iterator

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_SIZES = {_FIXED64: 8, _FIXED32: 4}


class MessageError(ValueError):
    """The bytes are no message."""


def read_message(data: bytes) -> dict[int, list[int | bytes]]:
    """The values of a message by the numbers of their fields. Raises MessageError."""
    fields: dict[int, list[int | bytes]] = {}
    for number, value in _fields(data):
        fields.setdefault(number, []).append(value)
    return fields


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    place = 0
    while place < len(data):
        key, place = _varint(data, place)
        number, kind = key >> 3, key & 7
        if kind == _VARINT:
            value, place = _varint(data, place)
            yield number, value
            continue
        if kind == _BYTES:
            size, place = _varint(data, place)
        elif kind in _SIZES:
            size = _SIZES[kind]
        else:
            raise MessageError(f"a field of kind {kind}")
        if size > len(data) - place:
            raise MessageError("a field longer than its message")
        yield number, data[place : place + size]
        place += size


def _varint(data: bytes, place: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if place >= len(data):
            break
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFFFFFFFFFFFFFF, place
    raise MessageError("a number without its end")


def written_number(number: int, value: int) -> bytes:
    """A field that is a number, a truth among them; nothing for 0, which is what a missing field means."""
    return _written(number << 3 | _VARINT) + _written(value) if value else b""


def written_bytes(number: int, value: bytes) -> bytes:
    """A field that is a text or bytes; nothing for an empty one."""
    return _written(number << 3 | _BYTES) + _written(len(value)) + value if value else b""


def _written(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)

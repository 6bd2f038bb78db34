"""Reads fields of untrusted JSON data; a wrong type or range raises a ValueError that names the field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast


def as_object(name: str, value: object) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError(f"{name}: not an object: {value!r:.60}")
    return cast("Mapping[str, Any]", value)


def as_text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{name}: not a text: {value!r:.60}")
    return value


def as_number(name: str, value: object) -> int:
    """The value as a whole number of at most 64 bits, the size of Java's `long`."""
    return _whole(name, value, 63)


def as_int(name: str, value: object) -> int:
    """The value as a whole number of at most 32 bits, the size of Java's `int`."""
    return _whole(name, value, 31)


def _whole(name: str, value: object, bits: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{name}: not a whole number: {value!r:.60}")
    if not -(1 << bits) <= value < 1 << bits:
        raise ValueError(f"{name}: too {'large' if value > 0 else 'small'}")
    return value


def as_truth(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{name}: neither true nor false: {value!r:.60}")
    return value


def as_list(name: str, value: object) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"{name}: not a list: {value!r:.60}")
    return value


def text_in(data: Mapping[str, Any], name: str) -> str | None:
    """A field that may be absent or null."""
    value = data.get(name)
    return None if value is None else as_text(name, value)


def number_in(data: Mapping[str, Any], name: str, default: int = 0) -> int:
    """A field that may be absent or null."""
    value = data.get(name)
    return default if value is None else as_number(name, value)


def truth_in(data: Mapping[str, Any], name: str, default: bool = False) -> bool:
    """A field that may be absent or null."""
    value = data.get(name)
    return default if value is None else as_truth(name, value)


def list_in(data: Mapping[str, Any], name: str) -> list[Any]:
    """A field that may be absent or null, which both mean empty."""
    value = data.get(name)
    return [] if value is None else as_list(name, value)

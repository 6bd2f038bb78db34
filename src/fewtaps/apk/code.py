"""Reads the names and superclasses of the classes in a DEX file."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import TypeAlias

from fewtaps.errors import ApkError

HEADER_BYTES = 0x70
CLASS_DEF_BYTES = 32
NO_INDEX = 0xFFFFFFFF

Superclasses: TypeAlias = Mapping[str, str]
"""The direct superclass of each class, both by their Java names."""


def read_superclasses(content: bytes, label: str) -> Superclasses:
    """The classes that a DEX file defines; `ApkError` if it is not one, or its tables point outside of it."""
    if len(content) < HEADER_BYTES or content[:4] != b"dex\n":
        raise ApkError(f"{label} is not a DEX file")
    try:
        return _superclasses(content)
    except (struct.error, IndexError, ValueError) as error:
        raise ApkError(f"{label} is cut short or damaged: its list of classes leads nowhere") from error


def _superclasses(content: bytes) -> dict[str, str]:
    strings, strings_at = struct.unpack_from("<II", content, 0x38)
    types, types_at = struct.unpack_from("<II", content, 0x40)
    classes, classes_at = struct.unpack_from("<II", content, 0x60)
    if max(strings_at + 4 * strings, types_at + 4 * types, classes_at + CLASS_DEF_BYTES * classes) > len(content):
        raise ValueError("its tables lie outside of the file")
    string_offsets = memoryview(content)[strings_at : strings_at + 4 * strings]
    type_strings = struct.unpack_from(f"<{types}I", content, types_at)
    known: dict[int, str] = {NO_INDEX: ""}

    def name_of(kind: int) -> str:
        if kind not in known:
            at = struct.unpack_from("<I", string_offsets, 4 * type_strings[kind])[0]
            known[kind] = _java_name(_string(content, at))
        return known[kind]

    rows = struct.iter_unpack("<I4xI20x", memoryview(content)[classes_at : classes_at + CLASS_DEF_BYTES * classes])
    return {name_of(kind): name_of(parent) for kind, parent in rows}


def _string(content: bytes, at: int) -> str:
    while content[at] & 0x80:  # the length in UTF-16 units, a number of variable size
        at += 1
    end = content.index(0, at + 1)
    return content[at + 1 : end].decode("utf-8", "replace")


def _java_name(descriptor: str) -> str:
    return descriptor.removeprefix("L").removesuffix(";").replace("/", ".")

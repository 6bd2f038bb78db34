"""Digests of the classes in an APK, so that two builds can be compared class by class.

A digest covers the class's declaration, fields, methods, instructions and initial values. Indices into the tables of
the DEX file are replaced by what they mean, because the tables of two builds differ even where the code is the same.
Line numbers, names of local variables and annotations do not count.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator
from pathlib import Path

from fewtaps.apk.archive import open_archive
from fewtaps.apk.code import NO_INDEX, read_superclasses
from fewtaps.apk.reader import DEX_LIMIT, DEX_NAME, MANIFEST
from fewtaps.errors import ApkError


def changed_classes(older: Path, newer: Path) -> frozenset[str]:
    """The classes of the newer build whose code differs from the older build's, or that the older build lacks.

    Raises UsageError if a file cannot be read, ApkError if it is no app.
    """
    before, after = class_digests(older), class_digests(newer)
    return frozenset(name for name, digest in after.items() if before.get(name) != digest)


def changed_files(older: Path, newer: Path) -> frozenset[str]:
    """The names of files other than code and signatures that only one build has or that differ, such as layouts."""
    before, after = _file_digests(older), _file_digests(newer)
    return frozenset(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))


def _file_digests(path: Path) -> dict[str, str]:
    with open_archive(path) as archive:
        return {
            name: hashlib.blake2b(archive.read(name, DEX_LIMIT), digest_size=12).hexdigest()
            for name in archive.names
            # The manifest has the version of the build, which is another one in any case.
            if not DEX_NAME.fullmatch(name) and not name.startswith("META-INF/") and name != MANIFEST
        }


def class_digests(path: Path) -> dict[str, str]:
    """A digest of each class in the APK, by its Java name; a class that is defined twice counts once, as on a phone."""
    digests: dict[str, str] = {}
    with open_archive(path) as archive:
        names = (name for name in archive.names if DEX_NAME.fullmatch(name))
        for name in sorted(names, key=lambda each: (len(each), each)):
            content = archive.read(name, DEX_LIMIT)
            read_superclasses(content, f"{path}: {name}")
            try:
                found = dict(_DexFile(content).digests())
            except (struct.error, IndexError, ValueError, RecursionError) as error:
                raise ApkError(f"{path}: {name} is damaged: its code leads nowhere") from error
            digests = {**found, **digests}
    return digests


STRING, TYPE, FIELD, METHOD, PROTO = "string", "type", "field", "method", "proto"


def _formats() -> list[tuple[int, str | None]]:
    """For each opcode its length in units of 16 bits, and the table that its index points into."""
    formats: list[tuple[int, str | None]] = [(1, None)] * 256

    def put(length: int, first: int, last: int | None = None, table: str | None = None) -> None:
        for opcode in range(first, (first if last is None else last) + 1):
            formats[opcode] = length, table

    for opcode in (0x02, 0x05, 0x08, 0x13, 0x15, 0x16, 0x19, 0x29):
        put(2, opcode)
    for opcode in (0x03, 0x06, 0x09, 0x14, 0x17, 0x26, 0x2A, 0x2B, 0x2C):
        put(3, opcode)
    put(5, 0x18)
    put(2, 0x1A, table=STRING)
    put(3, 0x1B, table=STRING)
    for opcode in (0x1C, 0x1F, 0x20, 0x22, 0x23):
        put(2, opcode, table=TYPE)
    put(3, 0x24, 0x25, TYPE)
    put(2, 0x2D, 0x3D)
    put(2, 0x44, 0x51)
    put(2, 0x52, 0x6D, FIELD)
    put(3, 0x6E, 0x72, METHOD)
    put(3, 0x74, 0x78, METHOD)
    put(2, 0x90, 0xAF)
    put(2, 0xD0, 0xE2)
    put(4, 0xFA, 0xFB, METHOD)
    put(3, 0xFC, 0xFD)
    put(2, 0xFE)
    put(2, 0xFF, table=PROTO)
    return formats


_FORMATS = _formats()
_JUMBO = 0x1B
_PAYLOADS = {0x0100: "packed switch", 0x0200: "sparse switch", 0x0300: "array"}


class _DexFile:
    """Reads strings, types, fields and methods of a DEX file by their numbers, which differ between builds."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._known: dict[tuple[str, int], str] = {}

    def digests(self) -> Iterator[tuple[str, str]]:
        count, at = self._table(0x60)
        for number in range(count):
            row = struct.unpack_from("<8I", self._content, at + 32 * number)
            kind, flags, parent, interfaces, _, _, data, values = row
            digest = hashlib.blake2b(digest_size=12)
            for part in self._class(flags, parent, interfaces, data, values):
                digest.update(part.encode(errors="surrogatepass") + b"\0")
            yield self._type(kind)[1:-1].replace("/", "."), digest.hexdigest()

    def _class(self, flags: int, parent: int, interfaces: int, data: int, values: int) -> Iterator[str]:
        yield f"class {flags} {self._type(parent) if parent != NO_INDEX else ''}"
        yield " ".join(self._types(interfaces))
        if values:
            yield repr(self._array(_CodeReader(self._content, values)))
        if not data:
            return
        reader = _CodeReader(self._content, data)
        counts = [reader.number() for _ in range(4)]
        for members in counts[:2]:
            index = 0
            for _ in range(members):
                index += reader.number()
                yield f"field {self._field(index)} {reader.number()}"
        for members in counts[2:]:
            index = 0
            for _ in range(members):
                index += reader.number()
                access, code = reader.number(), reader.number()
                yield f"method {self._method(index)} {access}"
                if code:
                    yield from self._code(code)

    def _code(self, at: int) -> Iterator[str]:
        registers, inputs, outputs, tries, _, units = struct.unpack_from("<4H2I", self._content, at)
        yield f"code {registers} {inputs} {outputs}"
        code = struct.unpack_from(f"<{units}H", self._content, at + 16)
        position = 0
        while position < units:
            length, text = self._instruction(code, position)
            yield text
            position += length
        if tries:
            yield from self._tries(at + 16 + 2 * (units + units % 2), tries)

    def _instruction(self, code: tuple[int, ...], position: int) -> tuple[int, str]:
        unit = code[position]
        if unit in _PAYLOADS:
            length = _payload_length(code, position)
            return length, f"{_PAYLOADS[unit]} {code[position : position + length]}"
        length, table = _FORMATS[unit & 0xFF]
        units = code[position : position + length]
        if table is None:
            return length, str(units)
        index = units[1] | (units[2] << 16 if unit & 0xFF == _JUMBO else 0)
        rest = units[2:] if unit & 0xFF != _JUMBO else ()
        return length, f"{unit} {self._named(table, index)} {rest}"

    def _tries(self, at: int, tries: int) -> Iterator[str]:
        rows = [struct.unpack_from("<IHH", self._content, at + 8 * number) for number in range(tries)]
        for start, length, handler in rows:
            reader = _CodeReader(self._content, at + 8 * tries + handler)
            size = reader.signed()
            handlers = [(self._type(reader.number()), reader.number()) for _ in range(abs(size))]
            yield f"try {start} {length} {handlers} {reader.number() if size <= 0 else ''}"

    def _array(self, reader: _CodeReader, depth: int = 0) -> list[object]:
        return [self._value(reader, depth) for _ in range(reader.number())]

    def _value(self, reader: _CodeReader, depth: int) -> object:
        head = reader.byte()
        kind, size = head & 0x1F, (head >> 5) + 1
        if kind == 0x1C:
            if depth > 50:
                raise ValueError("values are nested too deeply")
            return self._array(reader, depth + 1)
        if kind in (0x1E, 0x1F):
            return kind, size
        if kind == 0x1D:
            raise ValueError("an annotation is no initial value")
        raw = reader.bytes(size)
        tables = {0x15: PROTO, 0x17: STRING, 0x18: TYPE, 0x19: FIELD, 0x1A: METHOD, 0x1B: FIELD}
        return kind, self._named(tables[kind], int.from_bytes(raw, "little")) if kind in tables else raw

    def _named(self, table: str, index: int) -> str:
        key = table, index
        if key not in self._known:
            self._known[key] = {
                STRING: self._string,
                TYPE: self._type,
                FIELD: self._field,
                METHOD: self._method,
                PROTO: self._proto,
            }[table](index)
        return self._known[key]

    def _table(self, at: int) -> tuple[int, int]:
        count, offset = struct.unpack_from("<II", self._content, at)
        return count, offset

    def _row(self, table: int, index: int, layout: str) -> tuple[int, ...]:
        count, at = self._table(table)
        if index >= count:
            raise IndexError("outside of the table")
        return struct.unpack_from(layout, self._content, at + struct.calcsize(layout) * index)

    def _string(self, index: int) -> str:
        (at,) = self._row(0x38, index, "<I")
        while self._content[at] & 0x80:  # the length in UTF-16 units, a number of variable size
            at += 1
        return self._content[at + 1 : self._content.index(0, at + 1)].decode("utf-8", "replace")

    def _type(self, index: int) -> str:
        return self._named(STRING, self._row(0x40, index, "<I")[0])

    def _field(self, index: int) -> str:
        owner, kind, name = self._row(0x50, index, "<HHI")
        return f"{self._type(owner)}.{self._named(STRING, name)}:{self._type(kind)}"

    def _method(self, index: int) -> str:
        owner, proto, name = self._row(0x58, index, "<HHI")
        return f"{self._type(owner)}.{self._named(STRING, name)}{self._named(PROTO, proto)}"

    def _proto(self, index: int) -> str:
        _, result, parameters = self._row(0x48, index, "<III")
        return f"({''.join(self._types(parameters))}){self._type(result)}"

    def _types(self, at: int) -> list[str]:
        if not at:
            return []
        (count,) = struct.unpack_from("<I", self._content, at)
        return [self._type(index) for index in struct.unpack_from(f"<{count}H", self._content, at + 4)]


def _payload_length(code: tuple[int, ...], position: int) -> int:
    """The length of the table of a switch or of an array, in units."""
    if code[position] == 0x0300:
        width, size = code[position + 1], code[position + 2] | code[position + 3] << 16
        return 4 + (width * size + 1) // 2
    size = code[position + 1]
    return 4 + 2 * size if code[position] == 0x0100 else 2 + 4 * size


class _CodeReader:
    """Reads numbers of variable size from a place on."""

    def __init__(self, content: bytes, at: int) -> None:
        self._content = content
        self._at = at

    def byte(self) -> int:
        self._at += 1
        return self._content[self._at - 1]

    def bytes(self, count: int) -> bytes:
        self._at += count
        return self._content[self._at - count : self._at]

    def number(self) -> int:
        return self._leb128()[0]

    def signed(self) -> int:
        value, shift, last = self._leb128()
        return value - (1 << shift) if last & 0x40 else value

    def _leb128(self) -> tuple[int, int, int]:
        """A number of variable size without its sign, its bits, and its last byte."""
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80 or shift > 35:
                return value, shift, byte

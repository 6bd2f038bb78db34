"""The file of a recording, and the bridge's answer to `code`; `docs/bridge-protocol.md` describes both.

The app runs in the process that writes the file, so its content may be the app's word: nothing in it is relied on.
"""

from __future__ import annotations

import errno
import os
import shutil
import struct
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from fewtaps.device.twin.protocol import checked
from fewtaps.errors import BridgeError, DeviceUnavailable, UsageError
from fewtaps.model.record import as_int, as_list, as_object, as_text, list_in, text_in, truth_in
from fewtaps.model.recorded_code import (
    FIRST_CAUGHT,
    RETURNS,
    Block,
    Called,
    ClassCode,
    Code,
    FieldName,
    Instruction,
    MethodCode,
    Op,
)
from fewtaps.model.run_record import KIND_SHIFT, PAYLOAD, RecordWish, Word

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAGIC = 0x31525746
HEADER_WORDS = 16
SMALLEST_MB = 1
LARGEST_MB = 2047
"""The bridge maps the file as a whole, which Java can do with less than 2 GiB."""
SPARE_BYTES = 64 << 20
"""Room on the disk that a recording leaves free."""

_FULL = 1
_UNORDERED = 2
_NUMBERED = 32
_NUMBER_BYTES = 8
_CLASS_NUMBER_BYTES = 4
_PORTION = 1 << 20
"""Words that are looked at together in search of the last one."""
_COPIED_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class RecordFile:
    """The words of a recording with their tables. `stopped_at` is the event at which the file was full, or None.

    `first_blocks` has the number of the first block of each class that was loaded.
    """

    words: NDArray[np.uint32]
    values: tuple[str, ...]
    threads: tuple[str, ...]
    ordered: bool
    stopped_at: int | None
    numbered: bool = False
    first_blocks: Mapping[str, int] = field(default_factory=dict)


def record_fields(wish: RecordWish, path: Path) -> dict[str, Any]:
    """The field `record` of a `launch` request."""
    fields: dict[str, Any] = {"path": str(path), "from": wish.first_event, "until": wish.last_event}
    fields["scope"] = wish.scope[0] if wish.scope in (("all",), ("app",)) else list(wish.scope)
    fields["values"] = None
    if wish.values is not None:
        by_class: dict[str, dict[str, list[int]]] = {}
        for class_name, method, numbers in wish.values:
            by_class.setdefault(class_name, {}).setdefault(method, []).extend(numbers)
        fields["values"] = by_class
    return fields


def make_file(path: Path, limit_mb: int) -> None:
    """Makes the file empty and as large as the recording may become; it takes room on the disk only where written."""
    if not SMALLEST_MB <= limit_mb <= LARGEST_MB:
        raise UsageError(f"a recording of {limit_mb} MB: choose {SMALLEST_MB} to {LARGEST_MB}")
    try:
        # A full disk would kill the process that writes through its memory.
        if shutil.disk_usage(path.parent).free < (limit_mb << 20) + SPARE_BYTES:
            raise DeviceUnavailable(f"no room for a recording of {limit_mb} MB in {path.parent}")
        os.truncate(path, 0)
        os.truncate(path, limit_mb << 20)
    except OSError as error:
        raise DeviceUnavailable(f"no room for a recording: {error.strerror or error}") from error


def code_fields(file: RecordFile, wish: RecordWish) -> dict[str, Any]:
    """The fields of a `code` request to another process than the one that made the recording."""
    kinds = file.words >> KIND_SHIFT
    blocks = np.unique(file.words[kinds == 0] & PAYLOAD)
    fields: dict[str, Any] = {"blocks": blocks.tolist(), "numbers": dict(file.first_blocks)}
    return fields | {"record": record_fields(wish, Path())}


def read_file(path: Path, limit_mb: int, *, is_cut: bool = False) -> RecordFile:
    """Reads a recording. `is_cut` says that the process died while it wrote. Raises BridgeError if it is malformed."""
    try:
        with path.open("rb") as stream, private_copy(stream, limit_mb << 20) as copy, checked("recording"):
            raw = np.memmap(copy, dtype="<u4", mode="r", shape=(os.fstat(copy.fileno()).st_size // 4,))
            return _read(raw, is_cut=is_cut)
    except OSError as error:
        raise BridgeError(f"cannot read the recording: {error.strerror or error}") from error


@contextmanager
def private_copy(stream: BinaryIO, most_bytes: int) -> Iterator[BinaryIO]:
    """A copy of the beginning of a file, in its folder and without a name, with holes where the file has holes.

    A process of the app may cut the file at any moment, and a mapping of a file that was cut ends its reader (SIGBUS).
    """
    source = stream.fileno()
    size = min(os.fstat(source).st_size, most_bytes)
    with tempfile.TemporaryFile(dir=Path(stream.name).parent) as copy:
        at = 0
        while at < size:
            try:
                at = os.lseek(source, at, os.SEEK_DATA)
                end = min(os.lseek(source, at, os.SEEK_HOLE), size)
            except OSError as error:
                if error.errno != errno.ENXIO:
                    raise
                # Nothing but a hole is left.
                break
            while at < end and (content := os.pread(source, min(end - at, _COPIED_BYTES), at)):
                at += os.pwrite(copy.fileno(), content, at)
            if at < end:
                # The file was cut meanwhile.
                break
        os.truncate(copy.fileno(), size)
        yield copy


def _read(raw: NDArray[np.uint32], *, is_cut: bool) -> RecordFile:
    if len(raw) < HEADER_WORDS or raw[0] != MAGIC:
        raise ValueError("it does not start as one")
    count, flags, event = (int(word) for word in raw[1:4])
    if count > len(raw) - HEADER_WORDS:
        raise ValueError(f"it has no room for {count} words")
    if is_cut and not flags & _FULL:
        count = _words_written(raw, count)
    values, threads, first_blocks = _tables(raw, HEADER_WORDS + count)
    words = np.array(raw[HEADER_WORDS : HEADER_WORDS + count], dtype=np.uint32)
    ordered = not flags & _UNORDERED and not (is_cut and bool(np.any(words >> KIND_SHIFT == Word.LOST)))
    stopped_at = event if flags & _FULL else None
    return RecordFile(words, values, threads, ordered, stopped_at, bool(flags & _NUMBERED), first_blocks)


def _words_written(raw: NDArray[np.uint32], known: int) -> int:
    """How many words there are, if the header tells of `known` ones: no word is 0, and the file was empty."""
    for start in range(HEADER_WORDS + known, len(raw), _PORTION):
        empty = np.flatnonzero(raw[start : start + _PORTION] == 0)
        if len(empty):
            return start + int(empty[0]) - HEADER_WORDS
    return known


def _tables(raw: NDArray[np.uint32], lowest: int) -> tuple[tuple[str, ...], tuple[str, ...], dict[str, int]]:
    """Values, names of threads, and classes, from the end of the file downwards to where the words end."""
    values, threads, first_blocks = [""], list[str](), dict[str, int]()
    at = len(raw) - 1
    while at >= lowest:
        head = int(raw[at])
        kind, length = head >> KIND_SHIFT, head & PAYLOAD
        if kind == 0:
            break
        first = at - (length + 3) // 4
        if first < lowest:
            raise ValueError("a value that is too long")
        content = raw[first:at].tobytes()[:length]
        if kind == _THREAD:
            threads.append(_text(content))
        elif kind == _CLASS and length > _CLASS_NUMBER_BYTES:
            first_blocks[_text(content[_CLASS_NUMBER_BYTES:])] = struct.unpack_from("<I", content)[0]
        elif kind in _TEXTS:
            values.append(_TEXTS[kind] + _text(content))
        elif kind in _NUMBERS and length == _NUMBER_BYTES:
            values.append(_NUMBERS[kind](content))
        else:
            raise ValueError(f"a value of kind {kind}")
        at = first - 1
    return tuple(values), tuple(threads) or ("main",), first_blocks


def _text(content: bytes) -> str:
    """Java's characters, of which two may stand for one."""
    text = content.decode("utf-8", "surrogatepass")
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _number(letter: str, layout: str) -> Callable[[bytes], str]:
    return lambda content: f"{letter}{struct.unpack_from(layout, content)[0]}"


_THREAD = 2
_CLASS = 14
_TEXTS = {1: '"', 3: "#", 12: "@", 13: "~"}
_NUMBERS: dict[int, Callable[[bytes], str]] = {
    4: _number("I", "<i"),
    5: _number("J", "<q"),
    6: lambda content: "Ztrue" if content[0] else "Zfalse",
    7: lambda content: "C" + chr(struct.unpack_from("<H", content)[0]).encode("utf-8", "replace").decode("utf-8"),
    8: _number("B", "<i"),
    9: _number("S", "<i"),
    10: _number("F", "<f"),
    11: _number("D", "<d"),
}


def parse_code(result: Mapping[str, Any]) -> Code:
    """The classes in the answer to `code`. Raises BridgeError if it is malformed."""
    with checked("description of code"):
        classes = (_class(as_object("class", each)) for each in as_list("classes", result.get("classes")))
        return Code({each.name: each for each in classes})


def _class(record: Mapping[str, Any]) -> ClassCode:
    name = as_text("name", record.get("name"))
    return ClassCode(
        name=name,
        file=text_in(record, "file"),
        parent=text_in(record, "super"),
        interfaces=tuple(as_text("interface", each) for each in list_in(record, "interfaces")),
        is_app=truth_in(record, "app", default=True),
        methods=tuple(_method(name, as_object("method", each)) for each in list_in(record, "methods")),
    )


def _method(class_name: str, record: Mapping[str, Any]) -> MethodCode:
    instructions = tuple(_instruction(each) for each in list_in(record, "code"))
    records = list_in(record, "blocks")
    first = as_int("first", record.get("first"))
    if not 0 <= first <= PAYLOAD - len(records):
        raise ValueError(f"a block number out of range: {first}")
    for instruction in instructions:
        for producer in (number for operand in instruction.operands for number in operand):
            if producer >= len(instructions) or producer <= FIRST_CAUGHT - len(records):
                raise ValueError(f"no instruction has the number {producer}")
    return MethodCode(
        class_name=class_name,
        name=as_text("name", record.get("name")),
        descriptor=as_text("desc", record.get("desc")),
        first_block=first,
        access=as_int("access", record.get("access")),
        outside=truth_in(record, "outside"),
        parameters=tuple(as_text("parameter", each) for each in list_in(record, "params")),
        instructions=instructions,
        blocks=tuple(_block(each, len(instructions), len(records)) for each in records),
        opaque=text_in(record, "opaque"),
    )


def _block(record: object, instructions: int, blocks: int) -> Block:
    first, last, successors, handlers = as_list("block", record)
    start, end = as_int("first", first), as_int("last", last)
    if not 0 <= start <= instructions or not start - 1 <= end < instructions:
        raise ValueError(f"a block from {start} to {end}")
    return Block(start, end, _numbers(successors, RETURNS, blocks), _numbers(handlers, 0, blocks))


def _instruction(record: object) -> Instruction:
    op, line, operands, detail, before, after = as_list("instruction", record)
    kind = Op(op)
    about: Mapping[str, Any] = {} if detail is None else as_object("detail", detail)
    return Instruction(
        op=kind,
        line=max(0, as_int("line", line)),
        operands=tuple(
            tuple(as_int("producer", each) for each in as_list("operand", some))
            for some in as_list("operands", operands)
        ),
        before=_letters(before),
        after=_letters(after),
        text=_detail_text(about),
        local=as_int("local", about.get("local", -1)),
        name=text_in(about, "name") if kind in _NAMED else None,
        by=as_int("by", about.get("by", 0)),
        field=_field(about) if kind in _OF_FIELDS else None,
        called=_called(about) if kind is Op.CALL else None,
        keys=tuple(as_int("key", each) for each in list_in(about, "keys")),
        constant_type=text_in(about, "type") or "" if kind is Op.CONST else "",
    )


_NAMED = frozenset({Op.LOAD, Op.STORE, Op.INC, Op.CONST})
_OF_FIELDS = frozenset({Op.GET_FIELD, Op.PUT_FIELD, Op.GET_STATIC, Op.PUT_STATIC})


def _detail_text(about: Mapping[str, Any]) -> str:
    """A constant's text, the JVM's name of an operation, or a type."""
    for name in ("value", "op", "type"):
        if (text := text_in(about, name)) is not None:
            return text
    return ""


def _field(about: Mapping[str, Any]) -> FieldName:
    return FieldName(
        as_text("class", about.get("class")), as_text("name", about.get("name")), as_text("desc", about.get("desc"))
    )


def _called(about: Mapping[str, Any]) -> Called:
    return Called(
        kind=as_text("kind", about.get("kind")),
        class_name=as_text("class", about.get("class")),
        name=as_text("name", about.get("name")),
        descriptor=as_text("desc", about.get("desc")),
        beyond=truth_in(about, "beyond"),
    )


def _letters(value: object) -> str:
    text = as_text("words", value)
    if not set(text) <= set("onv"):
        raise ValueError(f"words of unknown kinds: {text!r:.40}")
    return text


def _numbers(value: object, lowest: int, end: int) -> tuple[int, ...]:
    numbers = tuple(as_int("block", each) for each in as_list("blocks", value))
    if any(not lowest <= number < end for number in numbers):
        raise ValueError("a block that is not there")
    return numbers

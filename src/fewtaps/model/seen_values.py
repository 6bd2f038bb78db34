"""The values that instructions made, from a recording in which values were asked for."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from fewtaps.model.recorded_code import MethodCode
from fewtaps.model.run_record import KIND_SHIFT, PAYLOAD, RunRecord, SeenValue, Word

NOT_KEPT = "?"
"""The text of a value for which the recording had no room."""


_PRIMITIVES = {
    "Z": "boolean", "B": "byte", "C": "char", "S": "short", "I": "int", "J": "long", "F": "float", "D": "double",
}  # fmt: skip


def seen_values(record: RunRecord) -> tuple[SeenValue, ...]:
    """All values of a recording, in the order of execution. Words that belong to no value are passed over."""
    methods = sorted(
        (method for each in record.code.classes.values() for method in each.methods if method.blocks),
        key=lambda method: method.first_block,
    )
    starts = [method.first_block for method in methods]
    texts = [text_of_value(value) for value in record.values]
    found: list[SeenValue] = []
    for block, number, identity, value in _groups(record):
        at = bisect_right(starts, block) - 1
        if at < 0 or not _has(methods[at], block, number):
            continue
        method = methods[at]
        text = "null" if identity == 0 else texts[value] if 0 < value < len(texts) else NOT_KEPT
        name = method.name + method.descriptor
        found.append(SeenValue(method.class_name, name, number, text, max(0, identity)))
    return tuple(found)


def text_of_value(value: str) -> str:
    """A value of the recording's table as people read it: `I5` as `5`, `"abc` as `"abc"`."""
    kind, text = value[:1], value[1:]
    match kind:
        case '"':
            return f'"{text}"'
        case "~":
            return f'"{text}…"'
        case "C":
            return f"'{text}'"
        case "@":
            return _simple_class(text)
    return text


def _simple_class(name: str) -> str:
    """A class as Java names it at run time, without its package; `[Ljava.lang.String;` is `String[]`."""
    element = name.lstrip("[")
    array = "[]" * (len(name) - len(element))
    if array:
        element = _PRIMITIVES.get(element) or element.removeprefix("L").removesuffix(";")
    return element.rpartition(".")[2] + array


def _groups(record: RunRecord) -> Iterator[tuple[int, int, int, int]]:
    """Block, instruction, object (−1 for what is none) and value of each execution; threads do not mix within one."""
    kinds = (record.words >> KIND_SHIFT).tolist()
    payloads = (record.words & PAYLOAD).tolist()
    for at in range(len(kinds) - 2):
        if kinds[at] != Word.BLOCK or kinds[at + 1] != Word.NUMBER:
            continue
        if kinds[at + 2] == Word.VALUE:
            yield payloads[at], payloads[at + 1], -1, payloads[at + 2]
        elif kinds[at + 2] == Word.OBJECT and at + 3 < len(kinds) and kinds[at + 3] == Word.VALUE:
            yield payloads[at], payloads[at + 1], payloads[at + 2], payloads[at + 3]


def _has(method: MethodCode, block: int, number: int) -> bool:
    return block < method.first_block + len(method.blocks) and number < len(method.instructions)

"""The self-check of slices: each read shows the value that the named definition wrote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from fewtaps.model.recorded_code import Code, Op
from fewtaps.model.run_record import SeenValue
from fewtaps.slicing.code_tables import MethodTable
from fewtaps.slicing.criteria import rows_that_ran
from fewtaps.slicing.dependences import Dependences
from fewtaps.slicing.nodes import (
    MADE,
    WHOLE,
    Node,
)
from fewtaps.slicing.places import where
from fewtaps.slicing.soundness import broken_flow

_READS = (Op.LOAD, Op.GET_FIELD, Op.GET_STATIC, Op.ARRAY_LOAD)
_WRITES = (Op.STORE, Op.INC, Op.PUT_FIELD, Op.PUT_STATIC, Op.ARRAY_STORE)
_TOLD_BEFORE = (Op.STORE, Op.PUT_FIELD, Op.PUT_STATIC, Op.ARRAY_STORE, Op.RETURN, Op.THROW, Op.MONITOR, Op.SWITCH)
"""Instructions that tell the value they take before they do anything else, so also if they throw."""


def instructions_to_check(code: Code) -> tuple[tuple[str, str, tuple[int, ...]], ...]:
    """All instructions that read or write a location: class, method with descriptor, numbers."""
    return tuple(
        (each.name, method.name + method.descriptor, numbers)
        for each in code.classes.values()
        for method in each.methods
        if (numbers := tuple(at for at, found in enumerate(method.instructions) if found.op in (*_READS, *_WRITES)))
    )


@dataclass(frozen=True, slots=True)
class WrongRead:
    """Reads of one instruction whose values differ from what the named definition wrote."""

    method: str
    read: str
    written: str
    count: int


@dataclass(frozen=True, slots=True)
class SelfCheck:
    """How many reads were compared, which of them were wrong, and how many steps of the flow graph do not exist."""

    reads: int
    wrong: tuple[WrongRead, ...] = ()
    broken_flow: int = 0

    @property
    def mistakes(self) -> int:
        """How many reads and steps of the flow graph are wrong."""
        return sum(each.count for each in self.wrong) + self.broken_flow


def check_values(dependences: Dependences, values: Sequence[SeenValue]) -> SelfCheck:
    """Compares each read that has a value with the definition that a slice names for it."""
    seen = ValuesByRow(dependences, values)
    reads, wrong = 0, Counter[tuple[str, str, str]]()
    for table in dependences.index.tables.methods:
        for number, code in enumerate(table.code.instructions):
            if code.op not in _READS or (found := seen.at(table, number)) is None:
                continue
            for row, read in found.items():
                written = _written(dependences, Node(row, number), seen)
                if written is None:
                    continue
                reads += 1
                place, value = written
                if (value.text, value.identity) != (read.text, read.identity):
                    wrong[table.owner.name + "." + table.code.name, where(table, number), place] += 1
    listed = tuple(WrongRead(*key, count) for key, count in wrong.most_common())
    return SelfCheck(reads, listed, broken_flow(dependences.index))


class ValuesByRow:
    """The values of a replay, by the instruction that told them and the row of its block in the recording."""

    def __init__(self, dependences: Dependences, values: Sequence[SeenValue]) -> None:
        self._index = dependences.index
        self._seen: dict[tuple[str, str, int], list[SeenValue]] = {}
        self._found: dict[tuple[int, int], dict[int, SeenValue] | None] = {}
        for each in values:
            self._seen.setdefault((each.class_name, each.method, each.instruction), []).append(each)

    def at(self, table: MethodTable, number: int) -> dict[int, SeenValue] | None:
        """The values of an instruction by row; None if the replay ran it another number of times, or not at all."""
        key = (table.number, number)
        if key not in self._found:
            self._found[key] = self._values_at(table, number)
        return self._found[key]

    def _values_at(self, table: MethodTable, number: int) -> dict[int, SeenValue] | None:
        values = self._seen.get((table.owner.name, f"{table.code.name}{table.code.descriptor}", number))
        if not values:
            return None
        index = self._index
        rows = rows_that_ran(index, table, number)
        if table.code.instructions[number].op not in _TOLD_BEFORE:
            rows = [row for row in rows if index.ran(index.frame_of(row), row, number)]
        return dict(zip(rows, values, strict=True)) if len(rows) == len(values) else None


def _written(dependences: Dependences, read: Node, seen: ValuesByRow) -> tuple[str, SeenValue] | None:
    """Where the value was written, and the value there; None if there is nothing to compare with."""
    for edge in dependences.edges(read, full=False):
        method = dependences.index.frame_of(edge.target.row).method
        code = method.code.instructions[edge.target.instruction]
        if edge.target.role == MADE:
            return None
        if edge.target.role != WHOLE or code.op not in _WRITES:
            return None
        found = seen.at(method, edge.target.instruction)
        value = found.get(edge.target.row) if found is not None else None
        return (where(method, edge.target.instruction), value) if value is not None else None
    return None

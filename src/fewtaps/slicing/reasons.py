"""Why a line is in a slice, or why not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from fewtaps.errors import CriterionError
from fewtaps.model.recorded_code import Op
from fewtaps.model.run_record import Word
from fewtaps.model.slice import DependenceKind
from fewtaps.slicing.code_tables import MethodTable
from fewtaps.slicing.criteria import places_at, rows_that_ran
from fewtaps.slicing.dependences import Dependences
from fewtaps.slicing.graph import DependenceGraph
from fewtaps.slicing.nodes import (
    Node,
    local_name,
)
from fewtaps.slicing.omissions import against
from fewtaps.slicing.places import decision, executed, where
from fewtaps.slicing.recording import CallFrame

MOST_READERS = 5
"""Lines that read what a line wrote; of more, the first are named."""

_VERBS = {
    DependenceKind.DATA: "gives a value to",
    DependenceKind.GUESSED: "may give a value to",
    DependenceKind.BASE: "gives the object, index or key to",
    DependenceKind.CONTROL: "decides whether this runs:",
    DependenceKind.CALL: "calls the method with",
    DependenceKind.HANDED: "starts the work with",
    DependenceKind.REGISTERED: "registers the callback with",
    DependenceKind.LIFECYCLE: "had to end before",
}


def why(dependences: Dependences, graph: DependenceGraph, file: str, line: int) -> tuple[str, ...]:
    """Sentences: the chain from a line to the criterion; which lines read what it wrote; or what decided against it.

    Raises CriterionError if the recording's code has no such line.
    """
    places = list(places_at(dependences.index, file, line))
    if not places:
        raise CriterionError(f"the code that was loaded has nothing at {file}:{line}")
    numbers = {(table.number, number) for table, number in places}
    inside = [
        (visit.distance, node)
        for node, visit in graph.visits.items()
        if (dependences.index.frame_of(node.row).method.number, node.instruction) in numbers
    ]
    if inside:
        return tuple(_chain(dependences, graph, min(inside)[1]))
    ran = [(table, number, row) for table, number in places for row in rows_that_ran(dependences.index, table, number)]
    if ran:
        return tuple(_readers(dependences, file, line, ran))
    return tuple(_against(dependences, places, file, line))


def _chain(dependences: Dependences, graph: DependenceGraph, node: Node) -> Iterator[str]:
    """From the line to the criterion, a sentence for each dependence between two lines."""
    index = dependences.index
    here: Node | None = node
    while here is not None:
        visit = graph.visits[here]
        source = visit.source
        if source is None or visit.edge is None:
            method = index.frame_of(here.row).method
            yield f"{where(method, here.instruction)} fails: {executed(dependences, here.row, here.instruction)}"
            return
        method, reader = index.frame_of(here.row).method, index.frame_of(source.row).method
        hidden = method.is_hidden or reader.is_hidden
        if not hidden and where(method, here.instruction) != where(reader, source.instruction):
            step = index.event_of(here.row)
            when = f"in step {step}" if step else "at launch"
            what = f" ({visit.edge.what})" if visit.edge.what else ""
            verb = _VERBS.get(visit.edge.kind, "leads to")
            yield (
                f"{where(method, here.instruction)} {executed(dependences, here.row, here.instruction)} {verb} "
                f"{where(reader, source.instruction)}{what}, {when}"
            )
        here = source


def _readers(dependences: Dependences, file: str, line: int, ran: list[tuple[MethodTable, int, int]]) -> Iterator[str]:
    """Which lines read what a line wrote, for a line that ran and is not in the slice."""
    times = max(Counter((table.number, number) for table, number, _ in ran).values())
    yield f"{file}:{line} ran {'once' if times == 1 else f'{times} times'} and is not in the slice"
    wrote = False
    for table, number in dict.fromkeys((table.number, number) for table, number, _ in ran):
        method = dependences.index.tables.methods[table]
        code = method.code.instructions[number]
        if code.op not in (Op.PUT_FIELD, Op.PUT_STATIC, Op.STORE, Op.INC):
            continue
        wrote = True
        name = code.field.name if code.field is not None else local_name(code, method)
        rows = [row for each, instruction, row in ran if (each.number, instruction) == (table, number)]
        readers = list(dict.fromkeys(_reading(dependences, method, number, rows[-MOST_READERS:])))
        if readers:
            more = f" and {len(readers) - MOST_READERS} more" if len(readers) > MOST_READERS else ""
            listed = f"{', '.join(readers[:MOST_READERS])}{more}"
            yield f"it writes {name}, which is read at {listed}, not on the way to the crash"
        else:
            yield f"it writes {name}, which nothing read before it was written again or the run ended"
    if not wrote:
        yield "it writes no variable and no field; nothing on the way to the crash depends on it"


def _reading(dependences: Dependences, method: MethodTable, number: int, rows: list[int]) -> Iterator[str]:
    index = dependences.index
    code = method.code.instructions[number]
    if code.op in (Op.STORE, Op.INC):
        for row in rows:
            frame = index.frame_of(row)
            for each, reader in enumerate(method.code.instructions):
                may_read = reader.op in (Op.LOAD, Op.INC) and reader.operands and number in reader.operands[0]
                if may_read and _reads(dependences, frame, each, Node(row, number)):
                    yield where(method, each)
        return
    assert code.field is not None
    target = index.tables.field_number(code.field)
    for table in index.tables.methods:
        for each, reader in enumerate(table.code.instructions):
            if reader.op not in (Op.GET_FIELD, Op.GET_STATIC) or reader.field is None:
                continue
            if index.tables.field_number(reader.field) != target:
                continue
            for row in rows_that_ran(index, table, each)[-200:]:
                found = dependences.edges(Node(row, each), full=False)
                if any(edge.target.row in rows and edge.target.instruction == number for edge in found):
                    yield where(table, each)
                    break


def _reads(dependences: Dependences, frame: CallFrame, reader: int, written: Node) -> bool:
    rows = frame.rows_of(frame.method.block_of[reader])
    for row in rows[int(np.searchsorted(rows, written.row)) :][:200].tolist():
        if dependences.producer(frame, row, reader, 0) == written:
            return True
    return False


def _against(dependences: Dependences, places: list[tuple[MethodTable, int]], file: str, line: int) -> Iterator[str]:
    """What decided against a line that did not run."""
    yield f"{file}:{line} did not run"
    index = dependences.index
    for table, number in places[:1]:
        entries = np.flatnonzero((index.kind == Word.BLOCK) & (index.payload == table.code.first_block))
        if not len(entries):
            yield f"{table.label} was never called"
            return
        frame = index.frame_of(int(index.row_of[int(entries[-1])]))
        found = against(dependences, frame, number)
        if found is not None:
            row, instruction = found
            step = index.event_of(row)
            when = f"in step {step}" if step else "at launch"
            yield f"{decision(dependences, row, instruction)} decided against it {when}"
        else:
            last = int(frame.block_rows[-1])
            thrower = index.thrower(frame, last)
            if thrower is not None:
                yield f"{where(table, thrower)} threw before it"

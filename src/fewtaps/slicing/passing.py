"""What did not happen, by comparison: with a run of the same steps that does not crash, or with an earlier execution.

A read of the thin slice is looked up in the other run. If another instruction wrote its value there, that write is what
this run lacks: it came too late, or not at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fewtaps.model.recorded_code import Op
from fewtaps.model.slice import CodePlace, DependenceKind, Omission
from fewtaps.slicing.code_tables import MethodTable
from fewtaps.slicing.criteria import all_rows_that_ran, rows_that_ran
from fewtaps.slicing.dependences import Dependences
from fewtaps.slicing.graph import DependenceGraph
from fewtaps.slicing.nodes import (
    MADE,
    PUT,
    Node,
)
from fewtaps.slicing.omissions import FARTHEST, MOST, against, step_words
from fewtaps.slicing.places import decision, place_of, where
from fewtaps.slicing.recording import RunIndex

_READS = (Op.GET_FIELD, Op.GET_STATIC, Op.ARRAY_LOAD, Op.CALL)
_Spot = tuple[str, str, str, int]
"""An instruction by class, method, descriptor and number: the same in all recordings of a build."""


@dataclass(frozen=True, slots=True)
class PassingRun:
    """A recording of the same steps in a world in which they do not crash."""

    dependences: Dependences
    world: int


def compared_with(
    dependences: Dependences, full: DependenceGraph, thin: DependenceGraph, passing: PassingRun
) -> tuple[Omission, ...]:
    """What happened in the passing run and not, or too late, in this one; nearest to the criterion first."""
    found: dict[CodePlace, Omission] = {}
    for node in _reads(dependences, thin):
        for omission in _other_write(dependences, node, passing):
            found.setdefault(omission.place, omission)
    for omission in _not_reached(dependences, full, passing):
        found.setdefault(omission.place, omission)
    return tuple(found.values())[:MOST]


def compared_with_earlier(dependences: Dependences, thin: DependenceGraph) -> Iterator[Omission]:
    """For reads of the thin slice that ran in an earlier step too: a write that reached them then, and not now."""
    index = dependences.index
    known: dict[tuple[int, int], NDArray[np.int64]] = {}
    for node in _reads(dependences, thin):
        frame = index.frame_of(node.row)
        spot_here = (frame.method.number, node.instruction)
        if spot_here not in known:
            known[spot_here] = all_rows_that_ran(index, frame.method, node.instruction)
        rows = known[spot_here]
        times = index.time[rows]
        before = int(times.searchsorted(index.event_began(index.event_of(node.row))))
        own = int(times.searchsorted(index.time[node.row]))
        if not before or own == len(rows) or int(rows[own]) != node.row:
            continue
        earlier = int(rows[before - 1])
        then, now = _definition(dependences, Node(earlier, node.instruction)), _definition(dependences, node)
        if then is None or now is None or spot(index, then[0]) == spot(index, now[0]):
            continue
        written, newer = index.frame_of(then[0].row).method, index.frame_of(now[0].row).method
        yield Omission(
            place_of(written, then[0].instruction),
            f"when {where(frame.method, node.instruction)} ran {_step(index, earlier)}, without a crash, this had"
            f" given {then[1] or 'the value'}; now {where(newer, now[0].instruction)} has, {_step(index, now[0].row)}",
        )


def spot(index: RunIndex, node: Node) -> _Spot:
    """The instruction of a node, comparable between recordings."""
    method = index.frame_of(node.row).method
    return method.owner.name, method.code.name, method.code.descriptor, node.instruction


def _reads(dependences: Dependences, thin: DependenceGraph) -> list[Node]:
    """The reads near the criterion, nearest first, the latest first."""
    index = dependences.index
    found = [
        (visit.distance, node)
        for node, visit in thin.visits.items()
        if visit.distance <= FARTHEST and node != thin.criterion and _is_read(dependences, node)
    ]
    return [node for _, node in sorted(found, key=lambda pair: (pair[0], -int(index.time[pair[1].row])))]


def _is_read(dependences: Dependences, node: Node) -> bool:
    """Whether a node reads a location: a field, an element, or an entry of a container without code here."""
    method = dependences.index.frame_of(node.row).method
    code = method.code.instructions[node.instruction]
    if method.is_hidden or node.role > 0 or code.op not in _READS:
        return False
    if code.op is not Op.CALL:
        return True
    definition = _definition(dependences, node) if code.called is not None and code.called.beyond else None
    return definition is not None and definition[0].role == PUT


def _other_write(dependences: Dependences, node: Node, passing: PassingRun) -> Iterator[Omission]:
    index, other = dependences.index, passing.dependences
    frame = index.frame_of(node.row)
    table = _same_method(other.index, frame.method)
    rows = rows_that_ran(other.index, table, node.instruction) if table is not None else []
    if not rows:
        yield from _write_of_unread(dependences, node, passing)
        return
    same_step = [row for row in rows if other.index.event_of(row) == index.event_of(node.row)]
    there = _definition(other, Node((same_step or rows)[-1], node.instruction, node.role))
    here = _definition(dependences, node)
    if there is None or there[0].role == MADE:
        return
    if here is not None and spot(index, here[0]) == spot(other.index, there[0]):
        return
    written = _written_by_hand(other, there[0])
    if written is None:
        return
    writer = other.index.frame_of(written.row).method
    yield Omission(
        place_of(writer, written.instruction),
        f"in world {passing.world}, where it does not crash, this gives {there[1] or 'the value'}"
        f" {_step(other.index, written.row)}, before it is read at {where(frame.method, node.instruction)}; in this"
        f" run it {_when_here(dependences, writer, written.instruction, node)}",
    )


def _written_by_hand(dependences: Dependences, node: Node) -> Node | None:
    """The node, or the call that led to it where the compiler made its method: an accessor, the class of a lambda."""
    for _ in range(8):
        frame = dependences.index.frame_of(node.row)
        if not frame.method.is_hidden:
            return node
        called = dependences.call_of(frame)
        if called is None:
            return None
        node = Node(called[1], called[2])
    return None


def _write_of_unread(dependences: Dependences, node: Node, passing: PassingRun) -> Iterator[Omission]:
    """For a read that did not run in the passing run: a write of its field there that this run had not made by then."""
    index, other = dependences.index, passing.dependences.index
    reader = index.frame_of(node.row).method
    code = reader.code.instructions[node.instruction]
    if code.field is None:
        return
    for number, instruction in other.tables.field_writers.get(other.tables.field_number(code.field), ()):
        writer = other.tables.methods[number]
        rows = rows_that_ran(other, writer, instruction)
        same = _same_method(index, writer)
        mine = rows_that_ran(index, same, instruction) if same is not None else []
        if not rows or any(index.time[row] < index.time[node.row] for row in mine):
            continue
        written = _written_by_hand(passing.dependences, Node(rows[0], instruction))
        if written is None:
            continue
        method = other.frame_of(written.row).method
        yield Omission(
            place_of(method, written.instruction),
            f"in world {passing.world}, where it does not crash, this writes {code.field.name}"
            f" {_step(other, rows[0])}, and {where(reader, node.instruction)} does not run before; in this run it"
            f" {_when_here(dependences, method, written.instruction, node)}",
        )


def _when_here(dependences: Dependences, writer: MethodTable, instruction: int, read: Node) -> str:
    index = dependences.index
    table = _same_method(index, writer)
    rows = rows_that_ran(index, table, instruction) if table is not None else []
    late = [row for row in rows if index.time[row] > index.time[read.row]]
    if late:
        return f"came too late, {_step(index, late[0])}"
    return f"ran last {_step(index, rows[-1])}, and the value was replaced since" if rows else "did not run"


def _not_reached(dependences: Dependences, full: DependenceGraph, passing: PassingRun) -> Iterator[Omission]:
    """If the line that failed did not run in the passing run: the decision that led away from it there."""
    frame = dependences.index.frame_of(full.criterion.row)
    other = passing.dependences
    table = _same_method(other.index, frame.method)
    if table is None or rows_that_ran(other.index, table, full.criterion.instruction):
        return
    entries = rows_that_ran(other.index, table, table.code.blocks[0].first) if table.code.blocks else []
    if not entries:
        return
    found = against(other, other.index.frame_of(entries[-1]), full.criterion.instruction)
    if found is not None:
        yield Omission(
            place_of(table, found[1]),
            f"in world {passing.world}, where it does not crash, {decision(other, *found)} decided against"
            f" {where(table, full.criterion.instruction)} {_step(other.index, found[0])}",
        )


def _definition(dependences: Dependences, node: Node) -> tuple[Node, str] | None:
    """What gave the value that a node reads, and the name of the value."""
    for edge in dependences.edges(node, full=False):
        if edge.kind is DependenceKind.DATA:
            return edge.target, edge.what
    return None


def _same_method(index: RunIndex, method: MethodTable) -> MethodTable | None:
    for each in index.tables.methods:
        same = each.owner.name == method.owner.name and each.code.name == method.code.name
        if same and each.code.descriptor == method.code.descriptor:
            return each
    return None


def _step(index: RunIndex, row: int) -> str:
    return step_words(index.event_of(row))

"""DependenceGraph: all executions that a criterion depends on, with their distances, found breadth first."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from fewtaps.model.recorded_code import Op
from fewtaps.model.slice import DependenceKind
from fewtaps.slicing.criteria import Criterion
from fewtaps.slicing.dependences import Dependences
from fewtaps.slicing.nodes import (
    FAILED,
    STARTED,
    WHOLE,
    Edge,
    Node,
)

_ORDER = {
    DependenceKind.DATA: 0,
    DependenceKind.GUESSED: 1,
    DependenceKind.BASE: 2,
    DependenceKind.CONTROL: 3,
}

_HIDDEN = (-1, -1)
"""Stands for all lines of methods that the compiler made: passing through them adds no distance."""


MOST_EXECUTIONS = 150_000
"""Executions that are followed whatever they are; beyond them only those of instructions that the slice lacks.

Without a limit, a loop that computed a picture takes minutes and all memory.
"""


@dataclass(slots=True)
class Visit:
    """How a node was first reached: its distance in lines, the node before it and the dependence between them."""

    distance: int
    source: Node | None
    edge: Edge | None


@dataclass(slots=True)
class DependenceGraph:
    """The nodes of a slice in the order in which they were reached, and all edges between them.

    `is_cut` says that executions were left out of instructions that are in it many times.
    """

    criterion: Node
    visits: dict[Node, Visit] = field(default_factory=dict)
    edges: list[tuple[Node, Edge]] = field(default_factory=list)
    is_cut: bool = False


def graph_of(dependences: Dependences, criterion: Criterion, *, full: bool) -> DependenceGraph:
    """Follows all dependences from the criterion; with `full` also bases, indices, keys and control."""
    start = Node(criterion.row, criterion.instruction)
    graph = DependenceGraph(start)
    index = dependences.index
    lines: dict[Node, tuple[int, int]] = {}

    def line_of(node: Node) -> tuple[int, int]:
        found = lines.get(node)
        if found is None:
            frame = index.frame_of(node.row)
            code = frame.method.code.instructions[node.instruction]
            found = (frame.number, code.line if code.line else -1 - node.instruction)
            hidden = frame.method.is_hidden or (node.instruction in frame.method.shared_constants and node != start)
            found = lines[node] = _HIDDEN if hidden else found
        return found

    waiting: deque[tuple[int, Node, bool]] = deque([(0, start, False)])
    graph.visits[start] = Visit(0, None, None)
    for row, instruction, role in criterion.also:
        node = Node(row, instruction, role)
        kind = DependenceKind.HANDED if role == STARTED else DependenceKind.DATA
        graph.visits.setdefault(node, Visit(0, start, Edge(node, kind)))
        waiting.append((0, node, False))
        graph.edges.append((start, Edge(node, kind, "" if role == STARTED else "message")))
    done: set[Node] = set()
    followed: set[tuple[int, int, int]] = set()

    def kind_of(node: Node) -> tuple[int, int, int]:
        return index.frame_of(node.row).method.number, node.instruction, node.role

    while waiting:
        distance, node, by_base = waiting.popleft()
        if node in done:
            continue
        done.add(node)
        found = _first_edges(dependences, criterion, full) if node == start else dependences.edges(node, full=full)
        found.sort(key=lambda edge: _ORDER.get(edge.kind, 3))
        here = line_of(node)
        for edge in found:
            if len(graph.visits) >= MOST_EXECUTIONS and edge.target not in graph.visits:
                followed = followed or {kind_of(each) for each in graph.visits}
                if kind_of(edge.target) in followed:
                    graph.is_cut = True
                    continue
                followed.add(kind_of(edge.target))
            graph.edges.append((node, edge))
            near = line_of(edge.target) in (here, _HIDDEN)
            reached = distance if near else distance + 1
            known = graph.visits.get(edge.target)
            if known is None or reached < known.distance:
                # Inside a line the base is loaded first: the dependence that leaves the line is that of the base.
                base = edge.kind is DependenceKind.BASE or (by_base and edge.kind is DependenceKind.DATA)
                led = edge._replace(kind=DependenceKind.BASE) if base else edge
                graph.visits[edge.target] = Visit(reached, node, led)
                (waiting.appendleft if near else waiting.append)((reached, edge.target, base and near))
    return graph


def _first_edges(dependences: Dependences, criterion: Criterion, full: bool) -> list[Edge]:
    """The dependences of the criterion itself: of the operands in error, and of the conditions."""
    frame = dependences.index.frame_of(criterion.row)
    row, instruction = criterion.row, criterion.instruction
    found: list[Edge] = []
    if criterion.operands is None:
        failed = row in frame.failed and dependences.index.thrower(frame, row) == instruction
        node = Node(row, instruction, FAILED if failed else WHOLE)
        found += dependences.edges(node, full=full)
    else:
        for operand in criterion.operands:
            found += dependences.operand(frame, row, instruction, operand, DependenceKind.DATA)
        in_error = dependences.length_in_error(frame, row, instruction, criterion.operands)
        found += [edge for edge in in_error if full or edge.kind is not DependenceKind.BASE]
        if full:
            found += dependences.control(frame, row)
    if frame.method.code.instructions[instruction].op is Op.MONITOR:
        found += dependences.held_by(Node(row, instruction))
        if full:
            found += dependences.operand(frame, row, instruction, 0, DependenceKind.BASE)
    if criterion.conditions and not full:
        found += [edge for edge in dependences.control(frame, row) if edge.kind is DependenceKind.CONTROL]
    return found

"""Algorithm 2 of the ESDroid paper as printed, and its log; for comparison with our own slices.

It differs from ours in four ways. No definition ends the search for earlier ones. Control dependence is looked for at
the statement before alone. The last statement of every callback that a callback depends on belongs to the slice. Its
unit is the statement, here a line in a frame.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from fewtaps.model.recorded_code import Op
from fewtaps.model.run_record import Word
from fewtaps.model.slice import DependenceKind, EventEdge, EventEdgeKind, Slice, SlicedLine, SliceSize
from fewtaps.slicing.code_tables import types_in
from fewtaps.slicing.criteria import Criterion
from fewtaps.slicing.dependences import Dependences
from fewtaps.slicing.expressions import expression
from fewtaps.slicing.places import LineKey, line_key, place_of
from fewtaps.slicing.recording import CallFrame, RunIndex

_CONTROL = {"call": EventEdgeKind.CONTROL, "lifecycle": EventEdgeKind.LIFECYCLE}
"""What is no object, but the reason why one callback runs after another: Figure 5, lines 3 to 8 and 9 to 15."""

Thing = tuple[object, ...]
"""What the paper calls an object: a local of a frame, a field of an object, a static, an array, a result."""

NOT_COUNTED = frozenset({"onCreate"})
"""Callbacks that the paper's listing lacks: no data leads to them. Figure 5 has them where they start another."""


@dataclass(slots=True)
class RanStatement:
    """A line that ran in a frame: its instructions, what it defines and what it uses."""

    frame: CallFrame
    line: int
    time: int
    row: int
    callback: int
    """The number of the frame that the framework called, in which the statement ran."""
    instructions: list[tuple[int, int]] = field(default_factory=list)
    """Rows and numbers of the instructions."""
    defined: set[Thing] = field(default_factory=set)
    used: set[Thing] = field(default_factory=set)
    decides: set[int] = field(default_factory=set)
    """Blocks of the method that end in a branch of this statement."""

    @property
    def counts(self) -> bool:
        """Whether it is more than a jump or a return without a value."""
        code = self.frame.method.code.instructions
        return any(
            code[each].op is not Op.GOTO and not (code[each].op is Op.RETURN and not code[each].operands)
            for _, each in self.instructions
        )


def statements_of(index: RunIndex, dependences: Dependences) -> list[RanStatement]:
    """Everything that ran, in order."""
    found: list[RanStatement] = []
    callbacks: dict[int, int] = {}
    rows = np.flatnonzero(index.row_kind == Word.BLOCK)
    rows = rows[np.argsort(index.time[rows], kind="stable")]
    for row in rows.tolist():
        frame = index.frame_of(row)
        if frame.method.is_hidden:
            continue
        block = frame.method.code.blocks[int(index.row_payload[row]) - frame.method.code.first_block]
        thrower = index.thrower(frame, row) if row in frame.failed else None
        stop = block.last if thrower is None else thrower
        callback = callbacks.get(frame.number)
        if callback is None:
            callback = callbacks[frame.number] = _callback(index, frame)
        for each in range(block.first, stop + 1):
            line = frame.method.code.instructions[each].line
            last = found[-1] if found else None
            if last is None or last.frame is not frame or last.line != line:
                last = RanStatement(frame, line, int(index.time[row]), row, callback)
                found.append(last)
            last.instructions.append((row, each))
            _note(index, dependences, last, row, each)
        if block.last >= block.first and frame.method.code.instructions[block.last].op in (Op.BRANCH, Op.SWITCH):
            found[-1].decides.add(frame.method.block_of[block.last])
    return found


def _callback(index: RunIndex, frame: CallFrame) -> int:
    while (caller := index.caller(frame)) is not None:
        frame = caller[0]
    return frame.number


def _note(index: RunIndex, dependences: Dependences, statement: RanStatement, row: int, instruction: int) -> None:
    frame = statement.frame
    code = frame.method.code.instructions[instruction]
    used, defined = statement.used, statement.defined
    place: Thing
    match code.op:
        case Op.LOAD:
            used.add(("local", frame.number, code.local))
        case Op.STORE:
            defined.add(("local", frame.number, code.local))
        case Op.INC:
            used.add(("local", frame.number, code.local))
            defined.add(("local", frame.number, code.local))
        case Op.GET_FIELD | Op.PUT_FIELD if code.field is not None:
            place = ("field", index.object_of(frame, row, instruction), code.field.name)
            (used if code.op is Op.GET_FIELD else defined).add(place)
        case Op.GET_STATIC | Op.PUT_STATIC if code.field is not None:
            place = ("static", code.field.class_name, code.field.name)
            (used if code.op is Op.GET_STATIC else defined).add(place)
        case Op.ARRAY_LOAD | Op.ARRAY_STORE:
            place = ("array", index.object_of(frame, row, instruction))
            (used if code.op is Op.ARRAY_LOAD else defined).add(place)
        case Op.RETURN if code.operands:
            defined.add(("result", frame.number))
        case Op.CALL if code.called is not None:
            child = dependences.direct_child(frame, row, instruction)
            if child is not None:
                local = 0 if child.method.code.is_static else 1
                defined.add(("local", child.number, 0))
                for each in types_in(child.method.code.descriptor)[0]:
                    defined.add(("local", child.number, local))
                    local += 2 if each in "JD" else 1
                used.add(("result", child.number))


def paper_slice(index: RunIndex, dependences: Dependences, criterion: Criterion) -> Slice:
    """The slice of Algorithm 2, from the statement of the criterion."""
    statements = statements_of(index, dependences)
    start = max(
        (
            number
            for number, each in enumerate(statements)
            if (criterion.row, criterion.instruction) in each.instructions
        ),
        default=len(statements) - 1,
    )
    lasts = _last_statements(statements)
    definers: dict[Thing, set[int]] = {}
    for each in statements:
        for thing in each.defined:
            if thing[0] != "local":
                definers.setdefault(thing, set()).add(each.callback)
    wanted: set[Thing] = set()
    controlling: set[int] = set()
    chosen: list[tuple[RanStatement, DependenceKind]] = []
    edges: dict[tuple[int, int, EventEdgeKind, str], None] = {}
    for number in range(start, -1, -1):
        statement = statements[number]
        by_data = bool(statement.defined & wanted)
        if not (number == start or by_data or number in controlling):
            continue
        if not statement.counts:
            continue
        kind = DependenceKind.DATA if by_data else DependenceKind.CONTROL
        chosen.append((statement, DependenceKind.CRITERION if number == start else kind))
        wanted |= statement.used
        before = statements[number - 1] if number else None
        if before is not None and _decides(dependences, before, statement):
            controlling.add(number - 1)
        for callback, thing in _depends_on(index, dependences, statement, definers):
            last = lasts.get(callback)
            named = index.frame(callback).method.code.name
            if last is not None and last < number and (thing[0] in _CONTROL or named not in NOT_COUNTED):
                controlling.add(last)
                _join(index, statement, statements[last], thing, edges)
    return _told(index, criterion, chosen, list(edges))


def _decides(dependences: Dependences, before: RanStatement, statement: RanStatement) -> bool:
    """The paper's isCD: whether the statement before has a condition that controls this one."""
    if before.frame is not statement.frame or not before.decides:
        return False
    deciding = dependences.deciding(statement.frame.method)
    blocks = {statement.frame.method.block_of[each] for _, each in statement.instructions}
    return any(decider in before.decides for block in blocks for decider, _ in deciding.get(block, ()))


def _depends_on(
    index: RunIndex, dependences: Dependences, statement: RanStatement, definers: dict[Thing, set[int]]
) -> Iterator[tuple[int, Thing]]:
    """The paper's getS, before the last statements are taken: the callbacks that this one's callback depends on."""
    for thing in statement.used:
        for callback in definers.get(thing, ()):
            if callback != statement.callback:
                yield callback, thing
    root = index.frame(statement.callback)
    handed = dependences.handed_by(root.thread, int(index.time[root.start]))
    if handed is not None:
        yield _callback(index, index.frame_of(handed.target.row)), ("call", handed.what)
    for edge in dependences.frame_parents(root):
        if edge.kind is DependenceKind.LIFECYCLE:
            yield _callback(index, index.frame_of(edge.target.row)), ("lifecycle", edge.what)


def _last_statements(statements: list[RanStatement]) -> dict[int, int]:
    """For each callback the number of its last statement."""
    found: dict[int, int] = {}
    for number, each in enumerate(statements):
        own = each.frame.number == each.callback
        if own and each.counts:
            found[each.callback] = number
    return found


def _join(
    index: RunIndex,
    statement: RanStatement,
    other: RanStatement,
    thing: Thing,
    edges: dict[tuple[int, int, EventEdgeKind, str], None],
) -> None:
    source, target = index.event_at(statement.time), index.event_at(other.time)
    if source != target:
        edges[source, target, _CONTROL.get(str(thing[0]), EventEdgeKind.DATA), str(thing[-1])] = None


def _told(
    index: RunIndex,
    criterion: Criterion,
    chosen: list[tuple[RanStatement, DependenceKind]],
    edges: list[tuple[int, int, EventEdgeKind, str]],
) -> Slice:
    lines: dict[LineKey, SlicedLine] = {}
    instructions: set[tuple[int, int]] = set()
    steps: dict[LineKey, set[int]] = {}
    counts: dict[LineKey, int] = {}
    for place, (statement, kind) in enumerate(chosen):
        method = statement.frame.method
        key = line_key(method, statement.instructions[0][1])
        steps.setdefault(key, set()).add(index.event_at(statement.time))
        counts[key] = counts.get(key, 0) + 1
        instructions.update((method.number, each) for _, each in statement.instructions)
        if key in lines:
            continue
        main = criterion.instruction if kind is DependenceKind.CRITERION else _main(statement)
        lines[key] = SlicedLine(
            place_of(method, main),
            distance=place,
            kind=kind,
            thin=False,
            steps=(),
            expression=expression(method, main),
            reason=criterion.sentence if not place else "",
        )
    told = tuple(
        SlicedLine(
            line.place, line.distance, line.kind, line.thin, tuple(sorted(steps[key])), counts[key], line.expression,
            None, line.reason,
        )
        for key, line in lines.items()
    )  # fmt: skip
    executed, executed_lines = index.executed
    every = tuple(sorted({step for each in steps.values() for step in each}))
    return Slice(
        criterion=criterion.sentence,
        lines=told,
        steps=every,
        event_edges=tuple(EventEdge(*each) for each in sorted(edges, key=lambda each: (-each[0], -each[1], each[3]))),
        size=SliceSize(
            instructions=len(instructions),
            lines=len(told),
            methods=len({statement.frame.method.number for statement, _ in chosen}),
            steps=len(every),
            executed_instructions=executed,
            executed_lines=executed_lines,
        ),
    )


def _main(statement: RanStatement) -> int:
    code = statement.frame.method.code.instructions
    telling = (Op.PUT_FIELD, Op.PUT_STATIC, Op.ARRAY_STORE, Op.STORE, Op.INC, Op.RETURN, Op.BRANCH, Op.SWITCH, Op.THROW)
    numbers = [each for _, each in statement.instructions]
    calls = [each for each in numbers if code[each].op is Op.CALL]
    chosen = [each for each in numbers if code[each].op in telling] or calls or numbers
    return chosen[-1]


def log_lines(index: RunIndex) -> Iterator[str]:
    """Every executed instruction in order, like the paper's Example 1.

    Time (the number of the block in the recording), step, callback, line, class and method, instruction, objects.
    """
    rows = np.flatnonzero(index.row_kind == Word.BLOCK)
    rows = rows[np.argsort(index.time[rows], kind="stable")]
    callbacks: dict[int, int] = {}
    numbers: dict[int, int] = {}
    for moment, row in enumerate(rows.tolist()):
        frame = index.frame_of(row)
        root = callbacks.get(frame.number)
        if root is None:
            root = callbacks[frame.number] = _callback(index, frame)
        identity = numbers.setdefault(root, len(numbers) + 1)
        method = frame.method
        block = method.code.blocks[int(index.row_payload[row]) - method.code.first_block]
        thrower = index.thrower(frame, row) if row in frame.failed else None
        for each in range(block.first, (block.last if thrower is None else thrower) + 1):
            objects = _objects(index, frame, row, each)
            thrown = " throws" if each == thrower else ""
            yield (
                f"{moment} E{index.event_of(row)} ID{identity} {method.code.instructions[each].line} "
                f"{method.owner.name}.{method.code.name} {expression(method, each)};{objects}{thrown}"
            )


def _objects(index: RunIndex, frame: CallFrame, row: int, instruction: int) -> str:
    code = frame.method.code.instructions[instruction]
    found = [index.object_of(frame, row, instruction, slot) for slot, letter in enumerate(code.before) if letter == "o"]
    names = ["null" if each == 0 else f"@{each}" for each in found if each is not None]
    return f" {' '.join(names)}" if names else ""

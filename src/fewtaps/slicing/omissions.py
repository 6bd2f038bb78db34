"""What did not happen: writes to another object, writes that came too late, branches that were not taken."""

from __future__ import annotations

from collections.abc import Iterator

from fewtaps.model.recorded_code import Op
from fewtaps.model.run_record import Word
from fewtaps.model.slice import CodePlace, Omission
from fewtaps.slicing.code_tables import MethodTable
from fewtaps.slicing.dependences import Dependences
from fewtaps.slicing.graph import DependenceGraph
from fewtaps.slicing.nodes import (
    CallSite,
    Node,
    local_name,
)
from fewtaps.slicing.places import decision, place_of, where
from fewtaps.slicing.recording import CallFrame

MOST = 12
"""Omissions that are told, the nearest first; more would bury them."""
LONGEST = 200
"""Characters of a sentence after which nothing more is said of the same line."""
FARTHEST = 4
"""Reads at most so many lines away from the criterion are looked at."""


def omissions_of(dependences: Dependences, thin: DependenceGraph) -> tuple[Omission, ...]:
    """What did not happen to the values of the thin slice, nearest to the criterion first."""
    found: dict[CodePlace, Omission] = {}
    reads = sorted(
        ((visit.distance, node) for node, visit in thin.visits.items() if visit.distance <= FARTHEST),
        key=lambda pair: (pair[0], -int(dependences.index.time[pair[1].row]), pair[1].instruction),
    )
    for _, node in reads:
        frame = dependences.index.frame_of(node.row)
        for omission in _of(dependences, frame, node):
            known = found.setdefault(omission.place, omission)
            if omission.sentence not in known.sentence and len(known.sentence) < LONGEST:
                found[omission.place] = Omission(omission.place, f"{known.sentence}; {omission.sentence}")
        if len(found) >= MOST:
            break
    return tuple(found.values())[:MOST]


def _of(dependences: Dependences, frame: CallFrame, node: Node) -> Iterator[Omission]:
    code = frame.method.code.instructions[node.instruction]
    if code.op is Op.GET_FIELD and code.field is not None:
        yield from _field(dependences, frame, node)
    elif code.op is Op.GET_STATIC and code.field is not None:
        yield from _static(dependences, frame, node)
    elif code.op is Op.LOAD:
        yield from _local(dependences, frame, node)
    elif code.op is Op.CALL and code.called is not None and code.called.beyond:
        yield from _entry(dependences, frame, node)


def step_words(event: int) -> str:
    """When something happened: in which step, or at launch."""
    return f"in step {event}" if event else "at launch"


def _step(dependences: Dependences, time: int) -> str:
    return step_words(dependences.index.event_at(time))


def _field(dependences: Dependences, frame: CallFrame, node: Node) -> Iterator[Omission]:
    index = dependences.index
    code = frame.method.code.instructions[node.instruction]
    assert code.field is not None
    identity = index.object_of(frame, node.row, node.instruction)
    if not identity:
        return
    number = index.tables.field_number(code.field)
    time = dependences.time_of(frame, node.row, node.instruction)
    here = where(frame.method, node.instruction)
    writes = index.field_writes.of((identity << 32) | number)
    earlier = int(writes.searchsorted(time))
    if not earlier and not _was_saved(dependences, frame, node):
        others = index.field_writes_by_field.before(number, time)
        for each in reversed(others[-200:].tolist()):
            if int(index.payload[each]) != identity:
                writer, _, instruction = index.instance(each)
                owner = code.field.class_name.rpartition(".")[2].rpartition("$")[2]
                yield Omission(
                    place_of(writer.method, instruction),
                    f"{code.field.name} was written {_step(dependences, each)}, but to another {owner} "
                    f"than the one read at {here}; to that one nothing was written",
                )
                break
    for each in writes[earlier : earlier + 1].tolist():
        writer, _, instruction = index.instance(each)
        if writer.number != frame.number:
            yield Omission(
                place_of(writer.method, instruction),
                f"{code.field.name} was written {_step(dependences, each)}: too late, after it was read at {here}",
            )
    yield from _untaken_writers(dependences, number, code.field.name, here)


def _was_saved(dependences: Dependences, frame: CallFrame, node: Node) -> bool:
    """Whether a field that nothing wrote has the value of another object, as copies that were saved and read have."""
    code = frame.method.code.instructions[node.instruction]
    targets = (edge.target for edge in dependences.edges(node, full=False))
    found = ((dependences.index.frame_of(each.row).method, each.instruction) for each in targets)
    writes = (method.code.instructions[number] for method, number in found)
    return any(each.op is Op.PUT_FIELD and each.field == code.field for each in writes)


def _static(dependences: Dependences, frame: CallFrame, node: Node) -> Iterator[Omission]:
    index = dependences.index
    code = frame.method.code.instructions[node.instruction]
    assert code.field is not None
    number = index.tables.field_number(code.field)
    time = int(index.time[node.row])
    ended = index.process_began(time)
    lost = dependences.static_write_before(number, ended) if ended >= 0 else None
    if lost is not None:
        yield Omission(
            place_of(index.frame_of(lost.row).method, lost.instruction),
            f"{code.field.name} was written {_step(dependences, int(index.time[lost.row]))}, but that process ended"
            f" {_step(dependences, ended)}; the new one, in which it is read at"
            f" {where(frame.method, node.instruction)}, has nothing of it",
        )
    yield from _untaken_writers(dependences, number, code.field.name, where(frame.method, node.instruction))


def _untaken_writers(dependences: Dependences, field: int, name: str, here: str) -> Iterator[Omission]:
    """Writers of a field in methods that ran, in blocks that never did."""
    tables = dependences.index.tables
    writers = [(tables.methods[method], writer) for method, writer in tables.field_writers.get(field, ())]
    for table, writer in writers:
        if table.is_hidden:
            # An accessor that the compiler made: the lines that call it are the programmer's.
            writers += [each for each in _callers(dependences, table) if each not in writers]
            continue
        frame = _last_frame(dependences, table)
        if frame is None:
            if table.owner.is_app and not table.is_hidden:
                sentence = f"did not run: {table.label} would write {name}, read at {here}, and was not called before"
                yield Omission(place_of(table, writer), sentence)
            continue
        if len(frame.rows_of(table.block_of[writer])):
            continue
        yield from _not_taken(dependences, frame, writer, f"write {name}, read at {here},")


def _callers(dependences: Dependences, table: MethodTable) -> Iterator[tuple[MethodTable, int]]:
    named = (table.owner.name, table.code.name, table.code.descriptor)
    for each in dependences.index.tables.methods:
        for number, code in enumerate(each.code.instructions):
            called = code.called
            if called is not None and (called.class_name, called.name, called.descriptor) == named:
                yield each, number


def _local(dependences: Dependences, frame: CallFrame, node: Node) -> Iterator[Omission]:
    """Writes of a local variable in the same execution of the method that a branch left out."""
    table = frame.method
    code = table.code.instructions[node.instruction]
    reaching = set(code.operands[0]) if code.operands else set()
    name = local_name(code, table) if code.name else "the value"
    writers = [each for each in table.stored_in.get(code.local, ()) if each in reaching]
    ran = {table.block_of[each] for each in writers if len(frame.rows_of(table.block_of[each]))}
    near = {decider for each in writers for decider in _deciders_that_ran(dependences, frame, each)}
    chosen = _all_deciders(dependences, table, ran | near)
    for writer in writers:
        if table.block_of[writer] in ran:
            continue
        for each in _behind_copies(frame, writer):
            if not len(frame.rows_of(table.block_of[each])) and not _is_other_case(dependences, frame, each, chosen):
                what = f"write {name}, read at {where(table, node.instruction)},"
                yield from _not_taken(dependences, frame, each, what)


def _is_other_case(dependences: Dependences, frame: CallFrame, writer: int, chosen: set[tuple[int, int]]) -> bool:
    """Whether a switch chose another of its cases, which wrote the variable, too: nothing was left out then."""
    table = frame.method
    if any(True for _ in _deciders_that_ran(dependences, frame, writer)):
        return False
    deciding = _all_deciders(dependences, table, {table.block_of[writer]}) & chosen
    return any(table.code.instructions[instruction].op is Op.SWITCH for _, instruction in deciding)


def _deciders_that_ran(dependences: Dependences, frame: CallFrame, instruction: int) -> Iterator[int]:
    """The blocks that decide about an instruction at once, as far as they ran in the frame."""
    table = frame.method
    for decider, _ in dependences.deciding(table).get(table.block_of[instruction], ()):
        if len(frame.rows_of(decider)):
            yield decider


def _all_deciders(dependences: Dependences, table: MethodTable, blocks: set[int]) -> set[tuple[int, int]]:
    """What decides about blocks, and what decides about that, as blocks with their deciding instructions."""
    found: set[tuple[int, int]] = set()
    waiting, seen = list(blocks), set(blocks)
    while waiting:
        for decider in dependences.deciding(table).get(waiting.pop(), ()):
            found.add(decider)
            if decider[0] not in seen:
                seen.add(decider[0])
                waiting.append(decider[0])
    return found


def _behind_copies(frame: CallFrame, writer: int) -> Iterator[int]:
    """The writes from which copies of variables come that a compiler put where branches meet.

    A copy with a line of its own, of a value that was there, is such a write itself: what was called may have failed
    before the variable got the value.
    """
    table = frame.method
    waiting, seen = [writer], {writer}
    while waiting:
        each = waiting.pop()
        code = table.code.instructions[each]
        if code.op is not Op.STORE or not table.copies(code):
            yield each
            continue
        for load in code.operands[0]:
            sources = table.code.instructions[load].operands[0] if load >= 0 else ()
            for source in sources:
                if source >= 0 and source not in seen:
                    seen.add(source)
                    waiting.append(source)
                    if code.line and len(frame.rows_of(table.block_of[source])):
                        yield each


def _not_taken(dependences: Dependences, frame: CallFrame, writer: int, what: str) -> Iterator[Omission]:
    table = frame.method
    found = against(dependences, frame, writer)
    if found is not None:
        row, instruction = found
        yield Omission(
            place_of(table, writer),
            f"did not run: it would {what} but {decision(dependences, row, instruction)} "
            f"decided against it {_step(dependences, int(dependences.index.time[row]))}",
        )


def against(dependences: Dependences, frame: CallFrame, instruction: int) -> tuple[int, int] | None:
    """The row and the instruction that led away from an instruction in an execution of its method.

    That is a branch, or what threw an exception that was caught there.
    """
    table = frame.method
    block = table.block_of[instruction]
    seen: set[int] = set()
    while block not in seen:
        seen.add(block)
        next_block: int | None = None
        for decider, each in dependences.deciding(table).get(block, ()):
            rows = frame.rows_of(decider)
            if table.code.instructions[each].op not in (Op.BRANCH, Op.SWITCH):
                caught = (row for row in reversed(rows.tolist()) if row in frame.failed and row < frame.block_rows[-1])
                row = next(caught, None)
                if row is not None and dependences.index.thrower(frame, row) == each:
                    return row, each
                continue
            if len(rows):
                return int(rows[-1]), each
            next_block = decider if next_block is None else next_block
        if next_block is None:
            break
        block = next_block
    return None


def _last_frame(dependences: Dependences, table: MethodTable) -> CallFrame | None:
    index = dependences.index
    times = (index.words == table.code.first_block).nonzero()[0]
    return index.frame_of(int(index.row_of[int(times[-1])])) if len(times) else None


def _entry(dependences: Dependences, frame: CallFrame, node: Node) -> Iterator[Omission]:
    """A lookup by a key under which nothing had been put."""
    site = CallSite(frame, node.row, node.instruction, dependences.time_of(frame, node.row, node.instruction))
    effect = dependences.effect(site)
    receiver = dependences.receiver(site)
    if effect.word != "gets" or not receiver or isinstance(effect.arguments[0], str):
        return
    result = dependences.index.word(frame, node.row, node.instruction, 0, after=True)
    key = dependences.key(site, effect)
    if (
        key is None
        or result is None
        or result != (Word.OBJECT, 0)
        or dependences.put_under(site, effect, receiver) is not None
    ):
        return
    if not isinstance(key, tuple) or key[0] == Word.OBJECT:
        yield Omission(place_of(frame.method, node.instruction), "nothing had been put under this key")
        return
    name = dependences.key_name(key)
    others = [
        dependences.key_name(dependences.key(earlier, each))
        for earlier, each in dependences.history(receiver)
        if earlier.time < site.time and each.word == "puts"
    ]
    put = f"; there were {', '.join(list(dict.fromkeys(others))[:8])}" if others else ""
    yield Omission(place_of(frame.method, node.instruction), f"nothing had been put under {name}{put}")

"""Criteria: the execution of an instruction, and its values, from which a slice starts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fewtaps.errors import CriterionError, NothingToSlice
from fewtaps.model.crash import Crash, CrashKind, ExceptionInfo, Frame
from fewtaps.model.recorded_code import Instruction, Op
from fewtaps.model.run_record import Word
from fewtaps.slicing.code_tables import MethodTable
from fewtaps.slicing.dependences import Dependences
from fewtaps.slicing.expressions import expression, operand_text, origins
from fewtaps.slicing.nodes import (
    CHANGED,
    WHOLE,
    Node,
    local_name,
    operands_in_error,
    parameter_name,
)
from fewtaps.slicing.places import where as _where
from fewtaps.slicing.recording import CallFrame, RunIndex

_ENDINGS = frozenset(
    {
        *(("java.lang.System", "exit"), ("java.lang.Runtime", "exit"), ("java.lang.Runtime", "halt")),
        *(("android.os.Process", "killProcess"), ("android.os.Process", "sendSignal")),
    }
)
_MAKERS = frozenset({Op.CALL, Op.NEW, Op.NEW_ARRAY})
_READS = frozenset({Op.GET_FIELD, Op.GET_STATIC, Op.CALL})
"""What gives a value that a name alone may not tell from another one of its line."""
_SEARCHED_ROWS = 100_000
"""Blocks of a frame, the last first, in which the line of a stack's frame is looked for."""
_TOLD_TURNS = 1000
"""The turn of an endless loop from which is sliced."""
_WRONG_THREAD = frozenset(
    {"android.view.ViewRootImpl$CalledFromWrongThreadException", "android.os.NetworkOnMainThreadException"}
)
_THREAD_WORDS = re.compile(
    r"\b(background|main|ui|wrong) thread\b|Looper\.prepare\(\)|\bLooper threads\b", re.IGNORECASE
)
"""What frameworks say about a call on a thread that may not make it."""
_CLASS_NAME = re.compile(r"\b(?:[a-z_][\w$]*\.)+[A-Z_a-z][\w$]*")
_NULL_OBJECT = re.compile(r"([\w.$\[\]]+)\.[\w$<>-]+(?:\([^']*\))?' on a null (?:object|array)")
"""What a message says about an access to null: the class that was asked for a method or a field."""
_LONGEST_MESSAGE = 2000
"""So much of a message is searched for what it names: the time grows with its square."""
_MOST_TOUCHES = 4
"""Earlier calls with an object that a message names, from which is sliced too."""


@dataclass(frozen=True, slots=True)
class Criterion:
    """One execution of an instruction and what of it is in error.

    `row` is the place of its block in the recording's index and `instruction` its number in the method. `operands` are
    the numbers of the operands to follow, None for all. `conditions` says that what decided that it ran is what is
    asked for, so that the thin slice follows it too. `also` are further executions to start from. `sentence` says the
    criterion in words.
    """

    row: int
    instruction: int
    operands: tuple[int, ...] | None
    sentence: str
    conditions: bool = False
    also: tuple[tuple[int, int, int], ...] = ()


def criterion_of_crash(index: RunIndex, dependences: Dependences, crash: Crash) -> Criterion:
    """Where the root cause was thrown and what was in error there. Raises NothingToSlice."""
    root = crash.root
    if crash.kind is CrashKind.NATIVE:
        raise NothingToSlice("the crash is in native code, which is not recorded")
    if crash.kind is CrashKind.EXIT:
        found = _exit(index)
        if found is not None:
            return found
    if root is not None:
        if crash.kind is CrashKind.EXCEPTION and root.type != "java.lang.StackOverflowError":
            found = _thrown(index, dependences, root)
            if found is not None:
                return _with_outer(index, dependences, found, crash)
            for exception in reversed(crash.exceptions[:-1]):
                found = _thrown(index, dependences, exception)
                if found is not None:
                    return found
        found = _still_open(index, dependences, crash, root)
        if found is not None:
            return found
    found = _named(index, dependences, crash) or _no_frame(index, dependences, crash)
    if found is not None:
        return found
    raise NothingToSlice("no recorded code of the app ran in the step that crashed, and none registered what did")


def _thrown(index: RunIndex, dependences: Dependences, root: ExceptionInfo) -> Criterion | None:
    """The latest instruction that threw and stands in the exception's stack, the innermost recorded frame first."""
    holders = _holders(index)
    known = [frame for frame in root.frames if (frame.class_name, frame.method) in holders]
    if not known:
        return None
    rows = index.exceptional
    nearest: Criterion | None = None
    for top in known[:1]:
        wanted = holders[top.class_name, top.method]
        for row in reversed(rows[-20_000:].tolist()):
            frame = index.frame_of(row)
            method = frame.method
            if method.number not in wanted:
                continue
            at = frame.latest_block(row)
            thrower = index.thrower(frame, at) if at >= 0 else None
            if thrower is None:
                continue
            code = method.code.instructions[thrower]
            if _origin(method, code) != (top.class_name, top.method):
                continue
            exact = top.line is None or code.line in (top.line, 0)
            if exact or nearest is None:
                made = _criterion(index, dependences, frame, at, thrower, root)
                if exact:
                    return made
                nearest = made
    return nearest


def _origin(method: MethodTable, code: Instruction) -> tuple[str, str]:
    """Class and method of an instruction in the sources: those it was inlined from, if it was."""
    if code.inlined is not None:
        return code.inlined.class_name, code.inlined.method
    return method.owner.name, method.code.name


def _holders(index: RunIndex) -> dict[tuple[str, str], set[int]]:
    """By class and method in the sources, the numbers of the methods that have their code, inlined or merged too."""
    found: dict[tuple[str, str], set[int]] = {}
    for table in index.tables.methods:
        found.setdefault((table.owner.name, table.code.name), set()).add(table.number)
        for code in table.code.instructions:
            if code.inlined is not None:
                found.setdefault((code.inlined.class_name, code.inlined.method), set()).add(table.number)
    return found


def _with_outer(index: RunIndex, dependences: Dependences, found: Criterion, crash: Crash) -> Criterion:
    """The criterion of the root cause with the throws of the exceptions around it, which the app made itself."""
    also = list(found.also)
    for exception in reversed(crash.exceptions[:-1]):
        outer = _thrown(index, dependences, exception)
        if outer is None or (outer.row, outer.instruction) == (found.row, found.instruction):
            continue
        code = index.frame_of(outer.row).method.code.instructions[outer.instruction]
        if code.op is Op.THROW:
            also += [(outer.row, outer.instruction, WHOLE), *outer.also]
    return replace(found, also=tuple(dict.fromkeys(also)))


def _criterion(
    index: RunIndex, dependences: Dependences, frame: CallFrame, row: int, thrower: int, root: ExceptionInfo
) -> Criterion:
    code = frame.method.code.instructions[thrower]
    origin = dependences.origin(frame, row)
    if origin is not None and code.op is Op.THROW:
        # A rethrown exception: the place where it was first thrown says more.
        first = dependences.producer(frame, row, thrower, 0)
        if isinstance(first, Node):
            there = index.frame_of(first.row)
            first_code = there.method.code.instructions[first.instruction]
            if first.role < 0 and first_code.op is not Op.NEW:
                frame, row, thrower, code = there, first.row, first.instruction, first_code
    operands = operands_in_error(index, frame, row, thrower, root.type)
    name = root.type.rpartition(".")[2].rpartition("$")[2]
    where = _where(frame.method, thrower)
    if code.op is Op.THROW:
        made = _made_of(dependences, frame, row, thrower)
        sentence = f"{name} thrown at {where}: the conditions that led there, and what the message was made of"
        return Criterion(row, thrower, (), sentence, conditions=True, also=made)
    if code.op is Op.CALL and _is_wrong_thread(root):
        sentence = f"{name} at {where}: where the thread began or the work was handed to it"
        handed = dependences.handed_by(frame.thread, int(index.time[row]))
        also = () if handed is None else ((handed.target.row, handed.target.instruction, handed.target.role),)
        return Criterion(row, thrower, (), sentence, conditions=True, also=also)
    if code.op is Op.CALL and len(operands) > 1:
        null = _null_argument(index, dependences, frame, row, thrower, root) if operands else None
        if null is not None:
            words = f"the null that {_called_words(code)} was given: {operand_text(frame.method, thrower, null)}"
            return Criterion(row, thrower, (null,), f"{name} at {where}: {words}")
        operands = _named_first(index, dependences, frame, row, thrower, operands, root.message or "")
    words = _words_in_error(frame, thrower, operands)
    return Criterion(row, thrower, operands, f"{name} at {where}: {words}")


def _null_argument(
    index: RunIndex, dependences: Dependences, frame: CallFrame, row: int, thrower: int, root: ExceptionInfo
) -> int | None:
    """The operand of a call that is the null of which its callee's message tells; None if none is for certain.

    It has to be the only null argument of the class that was asked for a method or a field, constants aside.
    """
    named = _NULL_OBJECT.search((root.message or "")[:_LONGEST_MESSAGE])
    if root.type != "java.lang.NullPointerException" or named is None:
        return None
    wanted = f"L{named[1].replace('.', '/')};"
    _, arguments = dependences.arguments(frame.method, thrower)
    nulls = [
        each.operand
        for each in arguments
        if each.type == wanted and index.word(frame, row, thrower, each.slot) == (Word.OBJECT, 0)
    ]
    if len(nulls) > 1:
        code = frame.method.code.instructions
        nulls = [
            each
            for each in nulls
            if any(made < 0 or code[made].op is not Op.CONST for made in origins(frame.method, thrower, each))
        ]
    return nulls[0] if len(nulls) == 1 else None


def _called_words(code: Instruction) -> str:
    assert code.called is not None
    if code.called.name == "<init>":
        return f"new {code.called.class_name.rpartition('.')[2].replace('$', '.')}()"
    return f"{code.called.name}()"


def _is_wrong_thread(root: ExceptionInfo) -> bool:
    """Whether an exception says that the call is right and the thread is not."""
    return root.type in _WRONG_THREAD or _THREAD_WORDS.search(root.message or "") is not None


def _made_of(dependences: Dependences, frame: CallFrame, row: int, thrower: int) -> tuple[tuple[int, int, int], ...]:
    """The constructor of the exception that is thrown: it was given the message."""
    node = dependences.source_of(frame, row, thrower, 0)
    if not isinstance(node, Node):
        return ()
    there = dependences.index.frame_of(node.row)
    if there.method.code.instructions[node.instruction].op is not Op.NEW:
        return ()
    identity = dependences.index.object_of(there, node.row, node.instruction, after=True)
    site = dependences.constructor(identity) if identity else None
    if site is not None:
        return ((site.row, site.instruction, CHANGED),)
    return tuple(dependences.arguments_of_constructor(there, node))


def _named_first(
    index: RunIndex,
    dependences: Dependences,
    frame: CallFrame,
    row: int,
    thrower: int,
    operands: tuple[int, ...],
    message: str,
) -> tuple[int, ...]:
    """The operands of a call, those first whose value the message names; a constant says nothing new."""
    named: list[int] = []
    _, arguments = dependences.arguments(frame.method, thrower)
    code = frame.method.code.instructions
    for each in arguments:
        if all(made >= 0 and code[made].op is Op.CONST for made in origins(frame.method, thrower, each.operand)):
            continue
        for word in range(len(each.letters)):
            found = index.word(frame, row, thrower, each.slot + word)
            text = _told(index, found)
            if text and _is_named_in(text, message) and each.operand not in named:
                named.append(each.operand)
    return (*named, *(each for each in operands if each not in named))


def _is_named_in(text: str, message: str) -> bool:
    """Whether a message has a value as a word of its own: a number is no part of a longer one."""
    return re.search(rf"(?<!\w){re.escape(text)}(?!\w)", message) is not None if text.isalnum() else text in message


def _told(index: RunIndex, word: tuple[int, int] | None) -> str | None:
    if word is None:
        return None
    from fewtaps.slicing.recording import signed

    return str(signed(word[1])) if word[0] == Word.NUMBER else index.value(word[1]) if word[0] == Word.VALUE else None


def _words_in_error(frame: CallFrame, thrower: int, operands: tuple[int, ...]) -> str:
    code = frame.method.code.instructions[thrower]
    match code.op:
        case Op.MATH:
            return "the divisor"
        case Op.ARRAY_LOAD | Op.ARRAY_STORE if operands == (0,):
            return "the reference"
        case Op.ARRAY_STORE if operands == (2,):
            return "the element"
        case Op.ARRAY_LOAD | Op.ARRAY_STORE:
            return "the array and the index"
        case Op.CAST:
            return "the object"
        case Op.NEW_ARRAY:
            return "the size"
        case Op.CALL if code.called and code.called.name == "<init>":
            return f"what {_called_words(code)} was given"
        case Op.CALL if operands == (0,) and code.called and code.called.kind not in ("static", "dynamic"):
            return f"the object whose {code.called.name}() is called"
        case Op.CALL if code.called and code.called.kind in ("static", "dynamic"):
            return f"what {code.called.name}() was given"
        case Op.CALL if code.called:
            return f"what {code.called.name}() was called on and with"
    return "the reference"


def _still_open(index: RunIndex, dependences: Dependences, crash: Crash, root: ExceptionInfo) -> Criterion | None:
    """Hangs, endless recursion, full memory: the innermost recorded frame of the stack, and what keeps it going."""
    thread = index.thread_named(crash.thread)
    holders = _holders(index)
    places = [
        place
        for frame in root.frames
        if (numbers := holders.get((frame.class_name, frame.method))) is not None
        and (place := _last_execution(index, thread, frame, numbers)) is not None
    ]
    if not places:
        open_frame = index.frame_at(thread, len(index.words))
        row = index.row_before(open_frame, len(index.words)) if open_frame is not None else -1
        if open_frame is None or row < 0:
            return None
        places = [(open_frame, row, _last_of_block(index, open_frame, row))]
    blocked = dependences.blocked_at(thread) if crash.kind is CrashKind.ANR else None
    if blocked is not None:
        return _blocked(index, dependences, blocked)
    kind = "hang" if crash.kind is CrashKind.ANR else root.type.rpartition(".")[2]
    operands: tuple[int, ...] = ()
    if root.type == "java.lang.StackOverflowError":
        frame, row, instruction = _recurring(places)
        words = "the conditions of the call that recurs"
    elif crash.is_slow and crash.kind is not CrashKind.ANR:
        frame, row, instruction = places[0]
        words = "the conditions of the allocation"
        if frame.method.code.instructions[instruction].op is Op.NEW_ARRAY:
            operands = tuple(range(len(frame.method.code.instructions[instruction].operands)))
            words += " and its size"
    else:
        frame, row, instruction = _looping(places)
        words = "the conditions of the innermost loop or wait"
    sentence = f"{kind} at {_where(frame.method, instruction)}: {words}"
    return Criterion(row, instruction, operands, sentence, conditions=True)


def _blocked(index: RunIndex, dependences: Dependences, blocked: Node) -> Criterion:
    """A thread that waits for a monitor: which other one holds it, and why."""
    where = _where(index.frame_of(blocked.row).method, blocked.instruction)
    holder = dependences.holder(blocked)
    thread = index.frame_of(holder.row).thread if holder is not None else -1
    name = index.record.threads[thread] if 0 <= thread < len(index.record.threads) else ""
    words = f"the monitor, which thread {name} holds" if name else "the monitor"
    return Criterion(blocked.row, blocked.instruction, (), f"hang at {where}: {words}", conditions=True)


_Place = tuple[CallFrame, int, int]
"""A frame, the row of a block in it, and an instruction of the block."""


def _last_execution(index: RunIndex, thread: int, wanted: Frame, methods: set[int]) -> _Place | None:
    """What ran last of the line of a stack's frame, in the last frame of one of the methods that have its code."""
    best = -1
    for table in (index.tables.methods[number] for number in sorted(methods)):
        if table.code.blocks:
            entries = np.flatnonzero((index.kind == Word.BLOCK) & (index.payload == table.code.first_block))
            entries = entries[index.thread[entries] == thread]
            if len(entries):
                best = max(best, int(entries[-1]))
    if best < 0:
        return None
    frame = index.frame_of(int(index.row_of[best]))
    code = frame.method.code
    for row, number in zip(frame.block_rows[::-1][:_SEARCHED_ROWS], frame.blocks[::-1], strict=False):
        block = code.blocks[int(number)]
        numbers = [
            each
            for each in range(block.first, block.last + 1)
            if _origin(frame.method, code.instructions[each]) == (wanted.class_name, wanted.method)
            and (wanted.line is None or code.instructions[each].line == wanted.line)
        ]
        if numbers:
            makers = [each for each in numbers if code.instructions[each].op in _MAKERS]
            return frame, int(row), (makers or numbers)[-1]
    row = int(frame.block_rows[-1])
    return frame, row, _last_of_block(index, frame, row)


def _last_of_block(index: RunIndex, frame: CallFrame, row: int) -> int:
    block = frame.method.code.blocks[int(index.row_payload[row]) - frame.method.code.first_block]
    return max(block.last, block.first, 0)


def _recurring(places: list[_Place]) -> _Place:
    """The innermost call of a method that is in the stack more than once."""
    counts = Counter(frame.method.number for frame, _, _ in places)
    for frame, row, instruction in places:
        called = frame.method.code.instructions[instruction].called
        if counts[frame.method.number] > 1 and called is not None:
            return frame, row, instruction
    return places[0]


def _looping(places: list[_Place]) -> _Place:
    """The innermost frame that waits in a call or whose line ran again and again; else the innermost one."""
    innermost, row, instruction = places[0]
    called = innermost.method.code.instructions[instruction].called
    if called is not None and called.beyond:
        return places[0]
    for place in places:
        frame, row, instruction = place
        rows = frame.rows_of(frame.method.block_of[instruction])
        if len(rows) > 1:
            # The turns of an endless loop are all alike: a slice of the last one would have millions of executions.
            return frame, int(rows[min(len(rows), _TOLD_TURNS) - 1]), instruction
    return places[0]


def _exit(index: RunIndex) -> Criterion | None:
    """The last call that ends a process."""
    best = -1
    found: tuple[CallFrame, int, int] | None = None
    for table in index.tables.methods:
        for number, code in enumerate(table.code.instructions):
            if code.called is not None and (code.called.class_name, code.called.name) in _ENDINGS:
                block = table.code.first_block + table.block_of[number]
                times = np.flatnonzero((index.kind == Word.BLOCK) & (index.payload == block))
                if len(times) and int(times[-1]) > best:
                    best = int(times[-1])
                    row = int(index.row_of[best])
                    found = index.frame_of(row), row, number
    if found is None:
        return None
    frame, row, number = found
    return Criterion(
        row, number, (), f"exit at {_where(frame.method, number)}: the conditions that led there", conditions=True
    )


def _named(index: RunIndex, dependences: Dependences, crash: Crash) -> Criterion | None:
    """No code of the app in the stack: the last change or handing over of objects whose classes the messages name."""
    last = {
        owner: made
        for exception in crash.exceptions
        for owner in _CLASS_NAME.findall((exception.message or "")[:_LONGEST_MESSAGE])
        if (made := _last_made(index, owner)) is not None
    }
    touches = {site.time: (site, argument) for made, _ in last.values() for site, argument in dependences.touches(made)}
    if not touches:
        return None
    *earlier, (site, argument) = (touches[time] for time in sorted(touches))
    names = ", ".join(name.rpartition(".")[2].replace("$", ".") for name in last)
    place = _where(site.frame.method, site.instruction)
    called = site.code.called.name if site.code.called is not None else "the call"
    also = [
        (each.row, each.instruction, CHANGED if given is None else given.operand + 1)
        for each, given in earlier[-_MOST_TOUCHES:]
    ]
    also += [(made.row, made.instruction, WHOLE) for _, made in last.values()]
    return Criterion(
        site.row,
        site.instruction,
        () if argument is None else (argument.operand,),
        f"{called}() at {place}: the last call that had to do with {names}, which the message names",
        conditions=True,
        also=tuple(dict.fromkeys(also)),
    )


def _last_made(index: RunIndex, owner: str) -> tuple[int, Node] | None:
    """The object of a class that was made last by recorded code, and the instruction that made it."""
    best = -1
    for table in index.tables.methods:
        for number, code in enumerate(table.code.instructions):
            if code.op is Op.NEW and code.text == owner:
                numbers = index.making.times[
                    index.instruction_at[index.making.times] == table.first_instruction + number
                ]
                best = max(best, int(numbers.max(initial=-1)))
    if best < 0:
        return None
    _, row, instruction = index.instance(best)
    return int(index.payload[best]), Node(row, instruction)


def _no_frame(index: RunIndex, dependences: Dependences, crash: Crash) -> Criterion | None:
    """No code of the app in the stack: the call that started, posted or registered what ran last."""
    thread = index.thread_named(crash.thread)
    edge = dependences.handed_by(thread, len(index.words) - 1) if len(index.words) else None
    if edge is None:
        return None
    frame = index.frame_of(edge.target.row)
    sentence = f"{edge.what or 'the call'} at {_where(frame.method, edge.target.instruction)}, which started what ran"
    return Criterion(edge.target.row, edge.target.instruction, None, sentence, conditions=True)


def criterion_at(
    index: RunIndex,
    file: str,
    line: int,
    *,
    execution: int | None = None,
    of: str | None = None,
    event: int | None = None,
) -> Criterion:
    """An execution of a line, the last one unless told otherwise. Raises CriterionError, naming lines that ran."""
    places = list(places_at(index, file, line))
    if not places:
        raise CriterionError(_nearest(index, file, line))
    owners = sorted({table.owner.name for table, _ in places})
    if len({name.partition("$")[0] for name in owners}) > 1 and "." not in file.removesuffix(".java").removesuffix(
        ".kt"
    ):
        raise CriterionError(f"{file}:{line} is in {' and '.join(owners)}: name one of the classes instead of the file")
    times, tables = _executions(index, places)
    if event is not None:
        chosen = index.events_at(times) == event
        times, tables = times[chosen], tables[chosen]
    if not len(times):
        raise CriterionError(
            f"{file}:{line} did not run in step {event}" if event is not None else _nearest(index, file, line)
        )
    if execution is not None and not 1 <= execution <= len(times):
        times_words = "once" if len(times) == 1 else f"{len(times)} times"
        raise CriterionError(f"{file}:{line} ran {times_words}, so there is no execution {execution}")
    place = (execution or len(times)) - 1
    row, table = int(index.row_of[times[place]]), index.tables.methods[tables[place]]
    frame = index.frame_of(row)
    instruction, operands = _of(index, frame, row, [each for found, each in places if found is table], of)
    if of is not None and instruction < 0:
        raise CriterionError(f"{file}:{line} has no local, field or argument named {of}")
    where = f"{file}:{line}" + (f"#{execution}" if execution is not None else "")
    what = f"{of} at {where}" if of is not None else f"{where}: {expression(table, instruction)}"
    return Criterion(row_of_instruction(frame, row, instruction), instruction, operands, what, conditions=of is None)


def row_of_instruction(frame: CallFrame, row: int, instruction: int) -> int:
    """The row of the block with the instruction that runs at or after a row, in one execution of a line."""
    rows = frame.rows_of(frame.method.block_of[instruction])
    at = int(rows.searchsorted(row))
    return int(rows[at]) if at < len(rows) else int(rows[-1]) if len(rows) else row


def places_at(index: RunIndex, file: str, line: int) -> Iterator[tuple[MethodTable, int]]:
    """The instructions of a line. `file` is the name of a file or of a class."""
    for table in index.tables.methods:
        if file not in (table.owner.file, table.owner.name, table.owner.name.partition("$")[0]):
            continue
        for number, code in enumerate(table.code.instructions):
            if code.line == line:
                yield table, number


def rows_that_ran(index: RunIndex, table: MethodTable, instruction: int) -> list[int]:
    """The rows of the blocks in which an instruction was reached, in the order of time."""
    found: list[int] = all_rows_that_ran(index, table, instruction).tolist()
    return found


def all_rows_that_ran(index: RunIndex, table: MethodTable, instruction: int) -> NDArray[np.int64]:
    """The same as an array: a loop may have run millions of times."""
    block = table.code.first_block + table.block_of[instruction]
    times = np.flatnonzero(index.words == block)
    rows = index.row_of[times].astype(np.int64)
    reached = np.ones(len(rows), np.bool_)
    for at in np.flatnonzero(np.isin(rows, index.failed_rows)).tolist():
        frame, row = index.frame_of(int(rows[at])), int(rows[at])
        thrower = index.thrower(frame, row) if row in frame.failed else None
        reached[at] = thrower is None or instruction <= thrower
    return rows[reached]


def _executions(index: RunIndex, places: list[tuple[MethodTable, int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The times at which the first block of a line began, ascending, and the numbers of the methods."""
    firsts: dict[int, tuple[MethodTable, int]] = {}
    for table, number in places:
        firsts.setdefault(table.number, (table, number))
    found = [
        (
            np.flatnonzero((index.kind == Word.BLOCK) & (index.payload == table.code.first_block + table.block_of[at])),
            table,
        )
        for table, at in firsts.values()
    ]
    times = np.concatenate([each for each, _ in found])
    tables = np.concatenate([np.full(len(each), table.number) for each, table in found])
    order = np.argsort(times, kind="stable")
    return times[order], tables[order]


def _of(
    index: RunIndex, frame: CallFrame, row: int, instructions: list[int], of: str | None
) -> tuple[int, tuple[int, ...] | None]:
    table = frame.method
    if of is None:
        ran = [each for each in instructions if row_runs(index, frame, row, each)]
        telling = [each for each in ran if _tells(table.code.instructions[each])]
        return (telling or ran or instructions)[-1], None
    named = [each for each in instructions if _is_named(table, each, of) and row_runs(index, frame, row, each)]
    if named:
        reads = [each for each in named if table.code.instructions[each].op in _READS]
        meant = dict.fromkeys(expression(table, each) for each in reads)
        if named[-1] in reads and len(meant) > 1:
            raise CriterionError(f"{of} could be {' or '.join(meant)}: write one of them after --of")
        return named[-1], None
    for each in reversed(instructions):
        code = table.code.instructions[each]
        for operand, producers in enumerate(code.operands):
            if any(producer < 0 and parameter_name(table, -1 - producer) == of for producer in producers):
                return each, (operand,)
    return -1, None


def _is_named(table: MethodTable, instruction: int, name: str) -> bool:
    """Whether a name is that of the field, the local or the method of an instruction, or all of its text."""
    code = table.code.instructions[instruction]
    return (
        (code.field is not None and code.field.name == name)
        or (code.op in (Op.LOAD, Op.STORE, Op.INC) and local_name(code, table) == name)
        or (code.op is Op.CALL and code.called is not None and code.called.name == name)
        or (code.op in _READS and not name.isidentifier() and expression(table, instruction) == name)
    )


def _tells(code: Instruction) -> bool:
    """Whether an instruction can stand for its line: it does more than load, jump or end the method."""
    return code.op not in (Op.GOTO, Op.LOAD, Op.CONST) and not (code.op is Op.RETURN and not code.operands)


def row_runs(index: RunIndex, frame: CallFrame, row: int, instruction: int) -> bool:
    """Whether the instruction ran at or after a row of its frame."""
    rows = frame.rows_of(frame.method.block_of[instruction])
    return bool(len(rows)) and int(rows[-1]) >= row


def _nearest(index: RunIndex, file: str, line: int) -> str:
    """One sentence: why there is nothing at the line, with the nearest lines that ran."""
    numbers = np.unique(index.payload[index.kind == Word.BLOCK])
    ran: set[int] = set()
    exists = False
    for number in numbers.tolist():
        table = index.tables.methods[index.tables.method_of_block[number]]
        if file not in (table.owner.file, table.owner.name, table.owner.name.partition("$")[0]):
            continue
        exists = True
        block = table.code.blocks[number - table.code.first_block]
        ran.update(code.line for code in table.code.instructions[block.first : block.last + 1] if code.line)
    if not exists:
        return f"nothing of {file} ran in this trace"
    if not ran:
        return f"{file} has no lines in this build"
    nearest = sorted(sorted(ran, key=lambda each: abs(each - line))[:4])
    return f"{file}:{line} did not run in this trace; the nearest lines that did are {', '.join(map(str, nearest))}"

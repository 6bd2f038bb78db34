"""Nodes and edges of dependence graphs.

A *node* is an execution of an instruction in a role: the row of its block, the instruction's number in the method, and
what of it matters. Most instructions have one role. A call has several: it gives a result, passes an argument on, puts
a value into its receiver, changes its receiver, or merely ran.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fewtaps.model.recorded_code import Instruction, Op
from fewtaps.model.slice import DependenceKind
from fewtaps.slicing.code_tables import MethodTable, types_in
from fewtaps.slicing.recording import CallFrame, RunIndex
from fewtaps.slicing.summaries import CallEffect

WHOLE = 0
"""The instruction's result or effect. A role above this one is an argument that a call passes on, counted from 1."""
PUT = -1
"""The call put one value into its receiver."""
CHANGED = -2
"""The call changed its receiver, which depends on all that was changed before."""
RAN = -3
"""Only that it ran matters."""
MADE = -4
"""It made an object of which nothing was written since."""
STARTED = -5
"""The call started, posted or registered work: what it was given matters too."""
FAILED = -6
"""It threw: the operands in error matter."""
CONTENT = -8
"""The call gave an object whose content matters, and not the reference alone."""
WAITED = -7
"""The call waited until another thread let it go on."""
ARRAY_STORE_EXCEPTION = "java.lang.ArrayStoreException"
DATA, BASE, CONTROL = DependenceKind.DATA, DependenceKind.BASE, DependenceKind.CONTROL
GUESSED = DependenceKind.GUESSED
SEARCHED_CALLS = 200
"""Number of earlier calls with the same object that are looked at; more would make slices of large apps slow."""


class Node(NamedTuple):
    """An execution of an instruction in a role."""

    row: int
    instruction: int
    role: int = WHOLE


class Edge(NamedTuple):
    """A dependence on `target`. `what` names the variable, field or element that carries the value."""

    target: Node
    kind: DependenceKind
    what: str = ""


@dataclass(frozen=True, slots=True)
class Argument:
    """Where the words of one argument of a call stand; `operand` counts from the receiver."""

    operand: int
    slot: int
    letters: str
    type: str


@dataclass(frozen=True, slots=True)
class CallSite:
    """An execution of a call beyond."""

    frame: CallFrame
    row: int
    instruction: int
    time: int

    @property
    def code(self) -> Instruction:
        """The call's instruction."""
        return self.frame.method.code.instructions[self.instruction]


def value_argument(effect: CallEffect) -> int | None:
    """The argument that carries the value which the effect puts; None if all do."""
    match effect.word, effect.arguments:
        case (("puts" | "inserts" | "replaces"), (_, int(value))):
            return value
        case (("adds" | "pushes" | "copies" | "drops" | "wraps"), (int(value),)):
            return value
    return None


def local_name(code: Instruction, table: MethodTable) -> str:
    """The name of a local variable, by its number if the build has no names."""
    if code.name:
        return code.name
    return "this" if code.local == 0 and not table.code.is_static else f"v{code.local}"


def parameter_name(table: MethodTable, number: int) -> str:
    """The name of a parameter, by its number if the build has no names."""
    if number == 0 and not table.code.is_static:
        return "this"
    types, _ = types_in(table.code.descriptor)
    skipped = 0 if table.code.is_static else 1
    local = skipped + sum(2 if each in "JD" else 1 for each in types[: number - skipped])
    for each in table.code.instructions:
        if each.op is Op.LOAD and each.local == local and each.name:
            return each.name
    return f"argument {number + 1 - skipped}"


def operands_in_error(
    index: RunIndex, frame: CallFrame, row: int, instruction: int, thrown: str = ""
) -> tuple[int, ...]:
    """The operands that made an instruction throw: the divisor, the null reference, index and array, and so on.

    `thrown` is the class of the exception, empty if it is not known.
    """
    code = frame.method.code.instructions[instruction]
    count = len(code.operands)
    identity = index.object_of(frame, row, instruction)
    match code.op:
        case Op.MATH:
            chosen: tuple[int, ...] = (1,)
        case Op.ARRAY_LOAD | Op.ARRAY_STORE if identity == 0:
            chosen = (0,)
        case Op.ARRAY_STORE if thrown == ARRAY_STORE_EXCEPTION:
            chosen = (2,)
        case Op.ARRAY_STORE if not thrown:
            chosen = (0, 1, 2)
        case Op.ARRAY_LOAD | Op.ARRAY_STORE:
            chosen = (0, 1)
        case Op.GET_FIELD | Op.PUT_FIELD | Op.LENGTH | Op.CAST | Op.THROW | Op.MONITOR:
            chosen = (0,)
        case Op.CALL if code.called is not None and code.called.name == "<init>":
            # The new object itself is never in error.
            chosen = tuple(range(1, count))
        case Op.CALL if (
            code.called is not None
            and code.called.kind not in ("static", "dynamic")
            and (identity == 0 or (not code.before and not index.children(frame, row)))
        ):
            # A call without words before it threw before a method of ours began: there was no object.
            chosen = (0,)
        case _:
            chosen = tuple(range(count))
    return tuple(each for each in chosen if each < count)

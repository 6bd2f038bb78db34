"""Places: the line of an instruction and its text, for tables and for people."""

from __future__ import annotations

from fewtaps.model.recorded_code import Op
from fewtaps.model.slice import CodePlace
from fewtaps.slicing.code_tables import MethodTable
from fewtaps.slicing.dependences import Dependences
from fewtaps.slicing.expressions import condition, expression

LineKey = tuple[str, int]
"""A file with its package, and a line; where the build has no lines, a method and an instruction below zero."""


def line_key(method: MethodTable, instruction: int) -> LineKey:
    """The line of an instruction, the same for all methods that have code of the line."""
    code = method.code.instructions[instruction]
    if not code.line:
        return f"{method.owner.name}.{method.code.name}{method.code.descriptor}", -1 - instruction
    owner = code.inlined.class_name if code.inlined is not None else method.owner.name
    file = code.inlined.file if code.inlined is not None else method.owner.file
    return f"{owner.rpartition('.')[0]}/{file}" if file else owner.partition("$")[0], code.line


def place_of(method: MethodTable, instruction: int) -> CodePlace:
    """The line of an instruction as a place; its method and number where the build has no lines."""
    code = method.code.instructions[instruction]
    inlined = code.inlined
    return CodePlace(
        inlined.class_name if inlined is not None else method.owner.name,
        inlined.method if inlined is not None else method.code.name,
        "" if inlined is not None else method.code.descriptor,
        inlined.file if inlined is not None else method.owner.file,
        code.line,
        -1 if code.line else instruction,
        method.owner.is_app,
    )


def where(method: MethodTable, instruction: int) -> str:
    """File and line of an instruction; method and number where the build has no lines."""
    code = method.code.instructions[instruction]
    file = code.inlined.file if code.inlined is not None else method.owner.file
    return f"{file or method.label}:{code.line}" if code.line else f"{method.label} (instruction {instruction})"


def executed(dependences: Dependences, row: int, instruction: int) -> str:
    """An execution of an instruction as an expression; of a branch, with the condition that held."""
    table = dependences.index.frame_of(row).method
    return expression(table, instruction, jumped=dependences.jumped(row, instruction))


def decision(dependences: Dependences, row: int, instruction: int) -> str:
    """What decided, and where: the condition that held, a switch, or what failed."""
    table = dependences.index.frame_of(row).method
    if table.code.instructions[instruction].op is Op.BRANCH:
        held = condition(table, instruction, jumped=dependences.jumped(row, instruction))
        return f"{held} held at {where(table, instruction)} and"
    text = executed(dependences, row, instruction)
    if table.code.instructions[instruction].op is not Op.SWITCH:
        return f"{text} failed at {where(table, instruction)} and"
    return f"{text} at {where(table, instruction)}"

"""CodeTables: the code of a recording as flat arrays, by the numbers that the recording's words use."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fewtaps.model.recorded_code import FIRST_CAUGHT, RETURNS, ClassCode, Code, FieldName, Instruction, MethodCode, Op
from fewtaps.model.run_record import Word

ENTRY = -2
"""Stands for the entry of a method among the instructions of words: `this` and the arguments."""
CAUGHT = -3
"""Stands for the exception that arrives at a handler among the instructions of words."""
NO_INSTRUCTION = -1
_KINDS_OF_LETTER = {
    "o": 1 << Word.OBJECT,
    "n": 1 << Word.NUMBER | 1 << Word.VALUE,
    "v": 1 << Word.VALUE,
}
"""For a letter of `Instruction.before` the kinds of words that may stand there, a bit each."""

THROWERS = frozenset(
    {
        *(Op.GET_FIELD, Op.PUT_FIELD, Op.ARRAY_LOAD, Op.ARRAY_STORE, Op.LENGTH, Op.CALL, Op.NEW, Op.NEW_ARRAY),
        *(Op.GET_STATIC, Op.PUT_STATIC, Op.THROW, Op.CAST, Op.MONITOR),
    }
)
DIVISIONS = frozenset({"idiv", "irem", "ldiv", "lrem"})
_WITH_VALUE = frozenset(
    {
        *("Ljava/lang/String;", "Ljava/lang/CharSequence;", "Ljava/lang/Object;", "Ljava/lang/Number;"),
        *("Ljava/lang/Comparable;", "Ljava/lang/Integer;", "Ljava/lang/Long;", "Ljava/lang/Short;"),
        *("Ljava/lang/Byte;", "Ljava/lang/Character;", "Ljava/lang/Boolean;", "Ljava/lang/Float;"),
        "Ljava/lang/Double;",
    }
)
CAPTURED = ("f$", "this$", "val$", "arg$")
"""How the names begin of fields that the compiler makes for what a lambda or inner class uses of its surroundings."""
_BRIDGE = 0x0040
_MADE_CLASS = re.compile(r"\$\$Lambda\$|\$\$ExternalSynthetic|\$\$InternalSynthetic")
_MADE_METHOD = re.compile(r"access\$|-\$\$Nest\$|\$r8\$lambda\$|-wrap\d|-get\d|-set\d")
OPS = tuple(Op)
OP_NUMBER = {op: number for number, op in enumerate(OPS)}


def letters_of(descriptor: str) -> str:
    """The words that the recording has for a value of this type, a letter each."""
    if descriptor[0] in "L[":
        return "ov" if descriptor in _WITH_VALUE else "o"
    return {"J": "v", "F": "", "D": "", "V": ""}.get(descriptor, "n")


def types_in(descriptor: str) -> tuple[list[str], str]:
    """The types of a method's parameters, and of its result."""
    types: list[str] = []
    at = 1
    while descriptor[at] != ")":
        end = at
        while descriptor[end] == "[":
            end += 1
        end = descriptor.index(";", end) + 1 if descriptor[end] == "L" else end + 1
        types.append(descriptor[at:end])
        at = end
    return types, descriptor[at + 1 :]


def can_throw(instruction: Instruction) -> bool:
    """Whether an execution of the instruction can end by an exception."""
    return instruction.op in THROWERS or (instruction.op is Op.MATH and instruction.text in DIVISIONS)


def throws_silently(instruction: Instruction) -> bool:
    """Whether the instruction can throw although the recording has no word before it."""
    if instruction.op is Op.MATH:
        return instruction.text in DIVISIONS
    silent = (Op.CAST, Op.THROW, Op.NEW_ARRAY)
    return instruction.op in silent or (instruction.op is Op.CALL and not instruction.before)


_CARRIERS = frozenset({Op.CONST, Op.LOAD, Op.STORE, Op.GOTO})
"""What a line consists of that only gives a constant or another variable a name."""


@dataclass
class MethodTable:
    """One method with what a slice asks of its code again and again."""

    number: int
    owner: ClassCode
    code: MethodCode
    first_instruction: int
    """The number of its first instruction among those of all methods."""
    block_of: list[int]
    """The block of each instruction."""
    handlers: frozenset[int]
    before_at: dict[int, int]
    """For an instruction with words before it: how many rows after its block's row the first of them is."""
    after_at: dict[int, int]
    """The same for words after it; those of a call count from the row of the block that follows."""
    entry_parameters: list[tuple[int, int]]
    """For each word after the entry: the parameter and the word's number within the parameter's words."""
    stored_in: dict[int, list[int]] = field(default_factory=dict)
    accessors: Mapping[tuple[str, str, str], Instruction] = field(default_factory=dict)
    """For methods, by class, name and descriptor, that the compiler made for one access: that access."""
    deciders: dict[int, tuple[tuple[int, int], ...]] | None = None
    """Control dependences, made when first asked for: for a block the deciding blocks and their instructions."""

    @cached_property
    def is_hidden(self) -> bool:
        """Whether the compiler made the method only to pass a call on: its lines are never shown."""
        made = bool(_MADE_CLASS.search(self.owner.name)) or self.owner.file == "D8$$SyntheticClass"
        if made or self.code.access & _BRIDGE or _MADE_METHOD.match(self.code.name):
            return True
        # Of a class with lines, a method without any was not written by a programmer.
        has_lines = any(each.line for each in self.code.instructions)
        return not has_lines and any(each.line for method in self.owner.methods for each in method.instructions)

    @cached_property
    def shared_constants(self) -> frozenset[int]:
        """The instructions that make or copy a value on a line that also does something else, or in no line at all.

        Compilers share one constant between lines, and put it on the first of them: that line says nothing about the
        others. A line with nothing but constants, such as `int n = 0;`, is one that a programmer wrote. So is the
        store of a variable with several writers, such as the counter of a loop.
        """
        instructions = self.code.instructions
        busy = {each.line for each in instructions if each.op not in _CARRIERS}
        variables = {
            producer
            for each in instructions
            for producers in each.operands
            if len(producers) > 1
            for producer in producers
        }
        found = {
            number
            for number, each in enumerate(instructions)
            if each.line in busy and (self.copies(each) or (number not in variables and self._makes_constant(each)))
        }
        if self.code.name == "<init>":
            # Eclipse's compiler gives the constructors that it makes the first line of the file, where no code is.
            found |= {
                number
                for number, each in enumerate(instructions)
                if each.line == 1 and each.field is not None and each.field.name.startswith(CAPTURED)
            }
        if any(each.line for each in instructions):
            # Copies that the translation made: no statement of the app stands for them.
            found |= {number for number, each in enumerate(instructions) if not each.line and each.op in _CARRIERS}
        # What is loaded for nothing but such a copy belongs to it.
        used = {
            producer
            for number, each in enumerate(instructions)
            if number not in found
            for producers in each.operands
            for producer in producers
        }
        loads = {
            producer
            for number in found
            for producers in instructions[number].operands
            for producer in producers
            if producer >= 0 and producer not in used
        }
        return frozenset(found | loads)

    def copies(self, instruction: Instruction) -> bool:
        """Whether it only copies a variable to one without a name, as compilers do where branches meet."""
        if instruction.op is not Op.STORE or instruction.name is not None:
            return False
        producers = [each for operand in instruction.operands for each in operand]
        return all(
            each > FIRST_CAUGHT and (each < 0 or self.code.instructions[each].op is Op.LOAD) for each in producers
        )

    def _makes_constant(self, instruction: Instruction) -> bool:
        if instruction.op is not Op.STORE or instruction.name is not None:
            return instruction.op is Op.CONST
        return all(
            producer >= 0 and self.code.instructions[producer].op is Op.CONST
            for producers in instruction.operands
            for producer in producers
        )

    @property
    def label(self) -> str:
        """Class and method without the package."""
        return f"{self.owner.name.rpartition('.')[2]}.{self.code.name}"


_ACCESSES = frozenset({Op.GET_FIELD, Op.PUT_FIELD, Op.GET_STATIC, Op.PUT_STATIC, Op.CALL})
_IN_ACCESSORS = frozenset({Op.LOAD, Op.STORE, Op.RETURN, Op.CAST, Op.GOTO})


def _only_access(method: MethodCode) -> Instruction | None:
    """The access for which the compiler made a static method; None if the method does more, or is a programmer's."""
    if not method.is_static or not _MADE_METHOD.match(method.name):
        return None
    accesses = [each for each in method.instructions if each.op in _ACCESSES]
    if len(accesses) != 1:
        return None
    # A constant that the access does not take is left over from the translation.
    takes_all = len(accesses[0].operands) == len(types_in(method.descriptor)[0])
    known = _IN_ACCESSORS | ({Op.CONST} if takes_all else set())
    return accesses[0] if all(each is accesses[0] or each.op in known for each in method.instructions) else None


class CodeTables:
    """All methods of a recording. Arrays by block number and by instruction number."""

    def __init__(self, code: Code) -> None:
        methods = [
            (owner, method)
            for owner in code.classes.values()
            for method in owner.methods
            if method.opaque is None and method.blocks
        ]
        methods.sort(key=lambda pair: pair[1].first_block)
        self.code = code
        self.methods: list[MethodTable] = []
        blocks = max((method.first_block + len(method.blocks) for _, method in methods), default=0)
        self.method_of_block: NDArray[np.int32] = np.full(blocks + 1, -1, np.int32)
        self.is_entry: NDArray[np.bool_] = np.zeros(blocks + 1, np.bool_)
        self.is_handler: NDArray[np.bool_] = np.zeros(blocks + 1, np.bool_)
        self.returns: NDArray[np.bool_] = np.zeros(blocks + 1, np.bool_)
        self.throws_last: NDArray[np.uint8] = np.zeros(blocks + 1, np.uint8)
        """1: its end can throw whatever its last word is; 2: only if its last word is null."""
        self.may_initialise: NDArray[np.bool_] = np.zeros(blocks + 1, np.bool_)
        self.is_initialiser: NDArray[np.bool_] = np.zeros(blocks + 1, np.bool_)
        self.word_base: NDArray[np.int32] = np.zeros(blocks + 1, np.int32)
        self.word_count: NDArray[np.int32] = np.zeros(blocks + 1, np.int32)
        self.block_size: NDArray[np.int32] = np.zeros(blocks + 1, np.int32)
        self._word_instruction: list[int] = []
        self._word_slot: list[int] = []
        self._word_kinds: list[int] = []
        self._ops: list[int] = []
        self._fields: list[int] = []
        self.field_numbers: dict[tuple[str, str], int] = {}
        self.static_writes: dict[int, list[tuple[int, int]]] = {}
        """For a static field the blocks, by number, and instructions of the method that write it."""
        self.field_writers: dict[int, list[tuple[int, int]]] = {}
        """For a field the method's number and the instruction that writes it."""
        self._accessors = {
            (method.class_name, method.name, method.descriptor): access
            for _, method in methods
            if (access := _only_access(method)) is not None
        }
        for owner, method in methods:
            self._add(owner, method)
        self.word_instruction = np.array([*self._word_instruction, NO_INSTRUCTION], np.int32)
        self.word_slot = np.array([*self._word_slot, 0], np.int16)
        self.word_kinds = np.array([*self._word_kinds, 0], np.uint8)
        """For each word the kinds that it may have, a bit each."""
        self.op = np.array([*self._ops, 0], np.uint8)
        self.field_of = np.array([*self._fields, -1], np.int32)
        self.instruction_starts = [table.first_instruction for table in self.methods]

    def _add(self, owner: ClassCode, method: MethodCode) -> None:
        number, first, base = len(self.methods), method.first_block, len(self._ops)
        block_of = [0] * len(method.instructions)
        for index, block in enumerate(method.blocks):
            for instruction in range(block.first, block.last + 1):
                block_of[instruction] = index
        handlers = frozenset(handler for block in method.blocks for handler in block.handlers)
        entry = list(self._entry_words(method)) if method.outside else []
        table = MethodTable(number, owner, method, base, block_of, handlers, {}, {}, [])
        table.entry_parameters = [(parameter, word) for parameter, word, _ in entry]
        table.accessors = self._accessors
        self.methods.append(table)
        for index, each in enumerate(method.instructions):
            self._ops.append(OP_NUMBER[each.op])
            number_of_field = -1 if each.field is None else self.field_number(each.field)
            self._fields.append(number_of_field)
            if each.op is Op.PUT_STATIC:
                where = (first + block_of[index], index)
                self.static_writes.setdefault(number_of_field, []).append(where)
            if each.op in (Op.PUT_STATIC, Op.PUT_FIELD):
                self.field_writers.setdefault(number_of_field, []).append((number, index))
            if each.op in (Op.STORE, Op.INC):
                table.stored_in.setdefault(each.local, []).append(index)
        self._add_blocks(table, "".join(letter for _, _, letter in entry))

    def _add_blocks(self, table: MethodTable, entry_letters: str) -> None:
        method, base, first = table.code, table.first_instruction, table.code.first_block
        answered: dict[int, int] = {}
        for block in method.blocks:
            if block.last >= block.first and method.instructions[block.last].op is Op.CALL:
                answered.update({successor: block.last for successor in block.successors if successor != RETURNS})
        for index, block in enumerate(method.blocks):
            words: list[tuple[int, int]] = []
            letters = ""
            if index == 0:
                words += [(ENTRY, slot) for slot in range(len(entry_letters))]
                letters += entry_letters
            if index in table.handlers:
                words.append((CAUGHT, 0))
                letters += "o"
            if (call := answered.get(index)) is not None and method.instructions[call].after:
                table.after_at[call] = len(words) + 1
                words += [(base + call, -1 - slot) for slot in range(len(method.instructions[call].after))]
                letters += method.instructions[call].after
            last_thrower, words_at_thrower, last_letters = -1, -1, 0
            for at in range(block.first, block.last + 1):
                each = method.instructions[at]
                if each.before:
                    table.before_at[at] = len(words) + 1
                    words += [(base + at, slot) for slot in range(len(each.before))]
                    letters += each.before
                if can_throw(each):
                    last_thrower, words_at_thrower, last_letters = at, len(words), len(each.before)
                if each.after and each.op is not Op.CALL:
                    table.after_at[at] = len(words) + 1
                    words += [(base + at, -1 - slot) for slot in range(len(each.after))]
                    letters += each.after
                self.may_initialise[first + index] |= each.op in (Op.NEW, Op.GET_STATIC, Op.PUT_STATIC)
            number = first + index
            self.method_of_block[number] = table.number
            self.is_entry[number] = index == 0
            self.is_handler[number] = index in table.handlers
            self.is_initialiser[number] = index == 0 and method.name == "<clinit>"
            self.block_size[number] = block.last - block.first + 1
            ends = method.instructions[block.last].op if block.last >= block.first else None
            self.returns[number] = ends is Op.RETURN
            if last_thrower >= 0 and words_at_thrower == len(words):
                op = method.instructions[last_thrower].op
                null_only = op in (Op.GET_FIELD, Op.PUT_FIELD, Op.LENGTH) and last_letters == 1
                self.throws_last[number] = 2 if null_only else 1
            self.word_base[number] = len(self._word_instruction)
            self.word_count[number] = len(words)
            self._word_instruction += [instruction for instruction, _ in words]
            self._word_slot += [slot for _, slot in words]
            self._word_kinds += [_KINDS_OF_LETTER[letter] for letter in letters]

    @staticmethod
    def _entry_words(method: MethodCode) -> Iterator[tuple[int, int, str]]:
        types, _ = types_in(method.descriptor)
        parameter = 0
        if not method.is_static:
            if method.name != "<init>":
                yield 0, 0, "o"
            parameter = 1
        for each in types:
            yield from ((parameter, word, letter) for word, letter in enumerate(letters_of(each)))
            parameter += 1

    def field_number(self, name: FieldName) -> int:
        """The number of a field, the same for all instructions that name it."""
        return self.field_numbers.setdefault((name.class_name, name.name), len(self.field_numbers))

    def method_at(self, instruction: int) -> tuple[MethodTable, int]:
        """The method that has an instruction, by the instruction's number among all, and its number there."""
        from bisect import bisect_right

        table = self.methods[bisect_right(self.instruction_starts, instruction) - 1]
        return table, instruction - table.first_instruction

    def ancestors(self, name: str) -> Iterator[str]:
        """A class, its superclasses and its interfaces, as far as the recording's code tells them."""
        waiting, seen = [name], set[str]()
        while waiting:
            each = waiting.pop(0)
            if each in seen:
                continue
            seen.add(each)
            yield each
            known = self.code.classes.get(each)
            if known is not None:
                waiting += [known.parent] if known.parent else []
                waiting += known.interfaces

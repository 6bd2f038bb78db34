"""A small assembler and machine: methods in a compact notation, run and recorded as a device records them.

A method is a text with one instruction per line: the line of the source, an optional name for the result, the
operation and its operands.

    26 old = getfield this height
    26 one = const 1
    26 new = math isub old one
    26 putfield this height new
    29 return

Operands are results, or parameters by their names. `store x old`, `y = load x` and `inc x 1` are local variables,
`name:` is a label, `if ifeq old name` jumps, `r = call Owner.method this old` calls a method of the program,
`r = beyond java.util.List.get:(I)Ljava/lang/Object; list old` one outside of it. `catch first last name` says that
exceptions between two labels arrive at a third, where `e = caught` stands first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from fewtaps.model.recorded_code import (
    FIRST_CAUGHT,
    RETURNS,
    Block,
    Called,
    ClassCode,
    Code,
    FieldName,
    Instruction,
    MethodCode,
    Op,
)
from fewtaps.model.run_record import KIND_SHIFT, PAYLOAD, RunRecord, SeenValue, Word
from fewtaps.slicing.code_tables import letters_of, types_in

BLOCK_ENDS = (Op.CALL, Op.BRANCH, Op.GOTO, Op.RETURN, Op.THROW)
SILENT = ("idiv", "irem")
MAKERS = (
    *(Op.CONST, Op.LOAD, Op.INC, Op.LENGTH, Op.GET_FIELD, Op.GET_STATIC, Op.ARRAY_LOAD, Op.NEW, Op.NEW_ARRAY),
    *(Op.MATH, Op.CAST),
)
TAKERS = (Op.PUT_FIELD, Op.PUT_STATIC, Op.ARRAY_STORE, Op.RETURN, Op.THROW)


@dataclass
class Thing:
    """An object of the machine."""

    number: int
    kind: str
    fields: dict[str, Value] = field(default_factory=dict)
    elements: list[Value] = field(default_factory=list)


Value = int | str | Thing | None
Beyond = Callable[["Machine", list[Value]], Value]


class Thrown(Exception):
    """An exception of the program."""

    def __init__(self, thing: Thing) -> None:
        super().__init__(thing.kind)
        self.thing = thing


@dataclass
class Method:
    """One assembled method."""

    code: MethodCode
    names: dict[str, int]
    targets: dict[int, int]
    """For a branch or goto the block to which it jumps."""


def assemble(owner: str, signature: str, text: str, first_block: int) -> Method:
    """Turns the notation into the model of a method. The signature is `name(p, q) [static] [outside]`."""
    head, _, flags = signature.partition(")")
    name, _, listed = head.partition("(")
    parameters = [each.strip() for each in listed.split(",") if each.strip()]
    static = "static" in flags
    names = {each: -1 - number for number, each in enumerate(([] if static else ["this"]) + parameters)}
    rows, labels, caught = _rows(text)
    ends = _block_starts(rows, labels, caught)
    block_of = [sum(1 for start in ends if start <= at) - 1 for at in range(len(rows))]
    results: dict[str, int] = dict(names)
    instructions: list[Instruction] = []
    for at, (line, result, words) in enumerate(rows):
        instructions.append(_instruction(line, words, results, owner))
        if words[0] == "caught":
            results[result] = FIRST_CAUGHT - block_of[at]
        elif result:
            results[result] = at
    targets = {at: block_of[labels[words[-1]]] for at, (_, _, words) in enumerate(rows) if words[0] in ("if", "goto")}
    blocks = _blocks(instructions, ends, targets, caught, labels, block_of)
    instructions = _with_locals(instructions, blocks)
    descriptor = f"({'I' * len(parameters)})V"
    if "objects" in flags:
        descriptor = f"({'Ljava/util/List;' * len(parameters)})V"
    access = 8 if static else 0
    code = MethodCode(owner, name, descriptor, first_block, access, "outside" in flags, (), tuple(instructions), blocks)
    return Method(code, names, targets)


def _rows(text: str) -> tuple[list[tuple[int, str, list[str]]], dict[str, int], list[tuple[str, str, str]]]:
    rows: list[tuple[int, str, list[str]]] = []
    labels: dict[str, int] = {}
    caught: list[tuple[str, str, str]] = []
    for raw in text.strip().splitlines():
        words = raw.split()
        if not words:
            continue
        if words[0] == "catch":
            caught.append((words[1], words[2], words[3]))
        elif len(words) == 1 and words[0].endswith(":"):
            labels[words[0][:-1]] = len(rows)
        else:
            line, *rest = words
            result = ""
            if len(rest) > 2 and rest[1] == "=":
                result, rest = rest[0], rest[2:]
            rows.append((int(line), result, rest))
    return rows, labels, caught


def _block_starts(
    rows: Sequence[tuple[int, str, list[str]]], labels: Mapping[str, int], caught: Sequence[tuple[str, str, str]]
) -> list[int]:
    starts = {0}
    for at, (_, _, words) in enumerate(rows):
        if words[0] in ("if", "goto") and labels[words[-1]] < len(rows):
            starts.add(labels[words[-1]])
        if words[0] in ("call", "beyond", "if", "goto", "return", "throw"):
            starts.add(at + 1)
        if words[0] == "math" and words[1] in SILENT:
            starts.add(at)
    for each in caught:
        starts.update(labels[name] for name in each)
    return sorted(start for start in starts if start < len(rows))


def _instruction(line: int, words: list[str], results: Mapping[str, int], owner: str) -> Instruction:
    def operands(names: Sequence[str]) -> tuple[tuple[int, ...], ...]:
        return tuple((results[name],) for name in names)

    match words:
        case ["const", value]:
            return Instruction(Op.CONST, line, text=value)
        case ["caught"]:
            return Instruction(Op.GOTO, line)
        case ["load", name]:
            return Instruction(Op.LOAD, line, name=name)
        case ["store", name, value]:
            return Instruction(Op.STORE, line, operands([value]), name=name)
        case ["inc", name, by]:
            return Instruction(Op.INC, line, name=name, by=int(by))
        case ["getfield", base, name]:
            return Instruction(Op.GET_FIELD, line, operands([base]), "o", field=FieldName(owner, name, "I"))
        case ["putfield", base, name, value]:
            return Instruction(Op.PUT_FIELD, line, operands([base, value]), "o", field=FieldName(owner, name, "I"))
        case ["getstatic", name]:
            return Instruction(Op.GET_STATIC, line, field=FieldName(owner, name, "I"))
        case ["putstatic", name, value]:
            return Instruction(Op.PUT_STATIC, line, operands([value]), field=FieldName(owner, name, "I"))
        case ["arrayload", array, at]:
            return Instruction(Op.ARRAY_LOAD, line, operands([array, at]), "on")
        case ["arraystore", array, at, value]:
            return Instruction(Op.ARRAY_STORE, line, operands([array, at, value]), "on")
        case ["length", array]:
            return Instruction(Op.LENGTH, line, operands([array]), "o")
        case ["new", kind]:
            return Instruction(Op.NEW, line, after="o", text=kind)
        case ["newarray", size]:
            return Instruction(Op.NEW_ARRAY, line, operands([size]), after="o", text="int[]")
        case ["math", op, *values]:
            return Instruction(Op.MATH, line, operands(values), text=op)
        case ["if", op, *values, _]:
            return Instruction(Op.BRANCH, line, operands(values), text=op)
        case ["goto", _]:
            return Instruction(Op.GOTO, line)
        case ["return", *values]:
            return Instruction(Op.RETURN, line, operands(values))
        case ["throw", value]:
            return Instruction(Op.THROW, line, operands([value]))
        case ["call", target, *values]:
            called_owner, _, name = target.rpartition(".")
            kind = "special" if name == "<init>" else "virtual" if values and values[0] != "static" else "static"
            values = [each for each in values if each != "static"]
            descriptor = f"({'I' * (len(values) - (kind != 'static'))})V"
            called = Called(kind, called_owner, name, descriptor, beyond=False)
            return Instruction(Op.CALL, line, operands(values), called=called)
        case ["beyond", target, *values]:
            place, _, descriptor = target.partition(":")
            called_owner, _, name = place.rpartition(".")
            types, result = types_in(descriptor)
            static = len(values) == len(types)
            kind = "static" if static else "special" if name == "<init>" else "virtual"
            before = ("" if static or name == "<init>" else "o") + "".join(letters_of(each) for each in types)
            called = Called(kind, called_owner, name, descriptor, beyond=True)
            return Instruction(Op.CALL, line, operands(values), before, letters_of(result), called=called)
    raise ValueError(f"not an instruction: {words}")


def _blocks(
    instructions: Sequence[Instruction],
    starts: Sequence[int],
    targets: Mapping[int, int],
    caught: Sequence[tuple[str, str, str]],
    labels: Mapping[str, int],
    block_of: Sequence[int],
) -> tuple[Block, ...]:
    blocks: list[Block] = []
    for number, start in enumerate(starts):
        last = (starts[number + 1] if number + 1 < len(starts) else len(instructions)) - 1
        op = instructions[last].op
        following: tuple[int, ...] = (number + 1,)
        if op is Op.BRANCH:
            following = (number + 1, targets[last])
        elif op is Op.GOTO and last in targets:
            following = (targets[last],)
        elif op is Op.RETURN:
            following = (RETURNS,)
        elif op is Op.THROW:
            following = ()
        handlers = tuple(
            block_of[labels[handler]] for first, end, handler in caught if labels[first] <= start < labels[end]
        )
        blocks.append(Block(start, last, following, handlers))
    return tuple(blocks)


def _with_locals(instructions: Sequence[Instruction], blocks: Sequence[Block]) -> list[Instruction]:
    """Gives each read of a local variable the writes that reach it."""
    names = sorted({each.name for each in instructions if each.name})
    # Above those of the parameters.
    numbers = {name: at for at, name in enumerate(names, 50)}
    reaching: list[dict[str, frozenset[int]]] = [{} for _ in blocks]
    found: dict[int, frozenset[int]] = {}
    changed = True
    while changed:
        changed = False
        for number, block in enumerate(blocks):
            state = dict(reaching[number])
            states = [dict(state)]
            for at in range(block.first, block.last + 1):
                each = instructions[at]
                if each.op in (Op.LOAD, Op.INC) and each.name:
                    found[at] = state.get(each.name, frozenset())
                if each.op in (Op.STORE, Op.INC) and each.name:
                    state[each.name] = frozenset({at})
                    states.append(dict(state))
            following = [(target, [state]) for target in block.successors if target != RETURNS]
            following += [(target, states) for target in block.handlers]
            for target, arriving in following:
                for one in arriving:
                    for name, writes in one.items():
                        merged = reaching[target].get(name, frozenset()) | writes
                        if merged != reaching[target].get(name):
                            reaching[target][name] = merged
                            changed = True
    result = []
    for at, each in enumerate(instructions):
        if not each.name:
            result.append(each)
            continue
        operands = (tuple(sorted(found.get(at, ()))),) if each.op in (Op.LOAD, Op.INC) else each.operands
        result.append(Instruction(each.op, each.line, operands, local=numbers[each.name], name=each.name, by=each.by))
    return result


class Machine:
    """Runs a program and records it."""

    def __init__(self, file: str = "Main.java") -> None:
        self.file = file
        self.methods: dict[str, Method] = {}
        self.beyond: dict[str, Beyond] = {}
        self.words: list[int] = []
        self.values: list[str] = [""]
        self.seen: list[SeenValue] = []
        """The values that a replay would tell, of all instructions, in the order of execution."""
        self.statics: dict[str, Value] = {}
        self.objects = 0
        self.threads: list[str] = ["main"]
        self._blocks = 1

    def method(self, place: str, text: str) -> None:
        """Adds `Owner.name(parameters) flags`."""
        path, _, rest = place.partition("(")
        owner, _, name = path.rpartition(".")
        made = assemble(owner, f"{name}({rest}", text, self._blocks)
        self._blocks += len(made.code.blocks)
        self.methods[path] = made

    def thing(self, kind: str) -> Thing:
        """A new object."""
        self.objects += 1
        return Thing(self.objects, kind)

    def word(self, kind: Word, payload: int) -> None:
        self.words.append((int(kind) << KIND_SHIFT) | (payload & PAYLOAD))

    def event(self, number: int) -> None:
        self.word(Word.EVENT, number)

    def record(self, **changes: object) -> RunRecord:
        classes: dict[str, list[MethodCode]] = {}
        for method in self.methods.values():
            classes.setdefault(method.code.class_name, []).append(method.code)
        code = Code({name: ClassCode(name, self.file, methods=tuple(found)) for name, found in classes.items()})
        words = np.array(self.words, np.uint32)
        return RunRecord(words, code, tuple(self.values), tuple(self.threads), **changes)  # type: ignore[arg-type]

    def call(self, name: str, *values: Value) -> Value:
        """Calls a method from outside; an exception of the program comes out as `Thrown`."""
        return self._run(self.methods[name], list(values))

    def _tell(self, letters: str, value: Value) -> None:
        for letter in letters:
            if letter == "o":
                self.word(Word.OBJECT, self._identity(value))
            elif letter == "n":
                assert isinstance(value, int)
                self.word(Word.NUMBER, value)
            else:
                self.word(Word.VALUE, self._text(value))

    def _identity(self, value: Value) -> int:
        if value is None:
            return 0
        if isinstance(value, Thing):
            return value.number
        return (1 << 27) + self._text(value)

    def _text(self, value: Value) -> int:
        if value is None or isinstance(value, Thing):
            return 0
        text = f'"{value}' if isinstance(value, str) else f"I{value}"
        if text not in self.values:
            self.values.append(text)
        return self.values.index(text)

    def _run(self, method: Method, parameters: list[Value]) -> Value:
        code = method.code
        results: dict[int, Value] = {-1 - number: value for number, value in enumerate(parameters)}
        variables: dict[str, Value] = {}
        block = 0
        pending: tuple[str, Value] | None = None
        while True:
            self.word(Word.BLOCK, code.first_block + block)
            if block == 0 and code.outside:
                self._enter(code, parameters)
            if pending is not None:
                self._tell(*pending)
                pending = None
            try:
                for at in range(code.blocks[block].first, code.blocks[block].last + 1):
                    each = code.instructions[at]
                    values = [results[producers[0]] for producers in each.operands] if not each.name else []
                    self._before(each, values)
                    taken = self._taken(each, values, results)
                    if taken:
                        self._see(code, at, *taken)
                    outcome = self._step(each, values, results, variables)
                    results[at] = outcome
                    if each.op in MAKERS or (each.called is not None and not each.called.descriptor.endswith("V")):
                        self._see(code, at, variables[each.name or ""] if each.op is Op.INC else outcome)
                    if each.op in (Op.NEW, Op.NEW_ARRAY):
                        self._tell(each.after, outcome)
                    if each.op is Op.CALL and each.after:
                        pending = (each.after, outcome)
                    if each.op is Op.RETURN:
                        return outcome
                last = code.blocks[block].last
                jumps = code.instructions[last].op is Op.BRANCH and results[last] == 1
                block = method.targets[last] if jumps or self._is_goto(method, last) else block + 1
            except Thrown as thrown:
                pending = None
                handlers = code.blocks[block].handlers
                if not handlers:
                    self.word(Word.UNWOUND, thrown.thing.number)
                    raise
                block = handlers[0]
                results[FIRST_CAUGHT - block] = thrown.thing
                pending = ("o", thrown.thing)

    @staticmethod
    def _taken(each: Instruction, values: Sequence[Value], results: Mapping[int, Value]) -> list[Value]:
        """The value that an instruction tells before it takes it, if it is one that does."""
        if each.op is Op.STORE:
            return [results[each.operands[0][0]]]
        return list(values[-1:]) if each.op in TAKERS else []

    def _see(self, code: MethodCode, at: int, value: Value) -> None:
        text = "null" if value is None else value.kind if isinstance(value, Thing) else str(value)
        text = f'"{value}"' if isinstance(value, str) else text
        identity = 0 if isinstance(value, int) else self._identity(value)
        self.seen.append(SeenValue(code.class_name, code.name + code.descriptor, at, text, identity))

    @staticmethod
    def _is_goto(method: Method, at: int) -> bool:
        return method.code.instructions[at].op is Op.GOTO and at in method.targets

    def _enter(self, code: MethodCode, parameters: Sequence[Value]) -> None:
        types, _ = types_in(code.descriptor)
        rest = list(parameters)
        if not code.is_static:
            this = rest.pop(0)
            if code.name != "<init>":
                self._tell("o", this)
        for each, value in zip(types, rest, strict=True):
            self._tell(letters_of(each), value)

    def _before(self, each: Instruction, values: Sequence[Value]) -> None:
        if each.op in (Op.GET_FIELD, Op.PUT_FIELD, Op.LENGTH):
            self._tell("o", values[0])
        elif each.op in (Op.ARRAY_LOAD, Op.ARRAY_STORE):
            self._tell("o", values[0])
            self._tell("n", values[1])
        elif each.called is not None and each.called.beyond:
            rest = list(values)
            if each.called.kind != "static":
                receiver = rest.pop(0)
                if each.called.name != "<init>":
                    self._tell("o", receiver)
            for kind, value in zip(types_in(each.called.descriptor)[0], rest, strict=True):
                self._tell(letters_of(kind), value)

    def _step(
        self, each: Instruction, values: list[Value], results: dict[int, Value], variables: dict[str, Value]
    ) -> Value:
        match each.op:
            case Op.CONST:
                return int(each.text) if each.text.lstrip("-").isdigit() else None if each.text == "null" else each.text
            case Op.LOAD:
                return variables[each.name or ""]
            case Op.STORE:
                variables[each.name or ""] = results[each.operands[0][0]]
            case Op.INC:
                old = variables[each.name or ""]
                assert isinstance(old, int)
                variables[each.name or ""] = old + each.by
            case Op.GET_FIELD if each.field is not None:
                return self._object(values[0]).fields.get(each.field.name, 0)
            case Op.PUT_FIELD if each.field is not None:
                self._object(values[0]).fields[each.field.name] = values[1]
            case Op.GET_STATIC if each.field is not None:
                return self.statics.get(each.field.name, 0)
            case Op.PUT_STATIC if each.field is not None:
                self.statics[each.field.name] = values[0]
            case Op.ARRAY_LOAD | Op.ARRAY_STORE:
                return self._element(each, values)
            case Op.LENGTH:
                return len(self._object(values[0]).elements)
            case Op.NEW:
                return self.thing(each.text)
            case Op.NEW_ARRAY:
                made = self.thing("int[]")
                assert isinstance(values[0], int)
                made.elements = [0] * values[0]
                return made
            case Op.MATH:
                return self._math(each.text, values)
            case Op.BRANCH:
                return self._jumps(each.text, values)
            case Op.RETURN:
                return values[0] if values else None
            case Op.THROW:
                raise Thrown(self._object(values[0]))
            case Op.CALL if each.called is not None and each.called.beyond:
                return self.beyond[f"{each.called.class_name}.{each.called.name}"](self, values)
            case Op.CALL if each.called is not None:
                return self._run(self.methods[f"{each.called.class_name}.{each.called.name}"], values)
        return None

    def _object(self, value: Value) -> Thing:
        if value is None:
            raise Thrown(self.thing("java.lang.NullPointerException"))
        assert isinstance(value, Thing)
        return value

    def _element(self, each: Instruction, values: Sequence[Value]) -> Value:
        elements, at = self._object(values[0]).elements, values[1]
        assert isinstance(at, int)
        if not 0 <= at < len(elements):
            raise Thrown(self.thing("java.lang.ArrayIndexOutOfBoundsException"))
        if each.op is Op.ARRAY_STORE:
            elements[at] = values[2]
        return elements[at]

    def _math(self, op: str, values: Sequence[Value]) -> Value:
        left, right = values
        assert isinstance(left, int) and isinstance(right, int)
        if op == "idiv":
            if right == 0:
                raise Thrown(self.thing("java.lang.ArithmeticException"))
            return left // right
        return {"iadd": left + right, "isub": left - right, "imul": left * right}[op]

    def _jumps(self, op: str, values: Sequence[Value]) -> int:
        if op in ("ifnull", "ifnonnull"):
            return int((values[0] is None) == (op == "ifnull"))
        left = values[0]
        right = values[1] if len(values) > 1 else 0
        assert isinstance(left, int) and isinstance(right, int)
        name = op.removeprefix("if_icmp").removeprefix("if")
        checks = {"eq": left == right, "ne": left != right, "lt": left < right, "ge": left >= right}
        return int({**checks, "gt": left > right, "le": left <= right}[name])

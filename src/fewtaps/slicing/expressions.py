"""Instructions as expressions that a programmer could have written: `people = people - 1`."""

from __future__ import annotations

import re
from collections.abc import Callable

from fewtaps.model.recorded_code import Instruction, Op, caught_at, parameter_of
from fewtaps.slicing.code_tables import MethodTable, types_in
from fewtaps.slicing.nodes import (
    local_name,
    parameter_name,
)

DEPTH = 4.0
"""How deep operands are written out; deeper ones become an ellipsis."""
LOCAL = 0.2
"""What a local variable without a name counts as, in place of which its value is written."""
LONGEST = 120

_SIGNS = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "div": "/",
    "rem": "%",
    "and": "&",
    "or": "|",
    "xor": "^",
    "shl": "<<",
    "shr": ">>",
    "ushr": ">>>",
}
_SURROUNDING = re.compile(r"this\$\d+")
"""The field of an inner class that has the object around it."""
_OPPOSITE = {"eq": "ne", "ne": "eq", "lt": "ge", "ge": "lt", "gt": "le", "le": "gt"}
_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "ge": ">=", "gt": ">", "le": "<="}


def expression(table: MethodTable, instruction: int, *, jumped: bool = False) -> str:
    """The instruction with its operands, in one line; control characters are escaped.

    Of a branch, the condition that held: that of the jump if it `jumped`, else the opposite.
    """
    if table.code.instructions[instruction].op is Op.BRANCH:
        return _shown(f"if ({_held(table, instruction, jumped)})")
    return _shown(_text(table, instruction, DEPTH))


def condition(table: MethodTable, instruction: int, *, jumped: bool) -> str:
    """The condition of a branch that held, as `expression` has it."""
    return _shown(_held(table, instruction, jumped))


def operand_text(table: MethodTable, instruction: int, operand: int) -> str:
    """One operand of an instruction, as `expression` has it."""
    return _shown(_operand(table, table.code.instructions[instruction], operand, DEPTH))


def _held(table: MethodTable, instruction: int, jumped: bool) -> str:
    code = table.code.instructions[instruction]
    return _condition(table, code, lambda number: _operand(table, code, number, DEPTH), jumped=jumped)


def _shown(text: str) -> str:
    text = "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in text)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _operand(table: MethodTable, code: Instruction, number: int, depth: float) -> str:
    producers = code.operands[number] if number < len(code.operands) else ()
    if not producers or (depth <= 0 and not _is_short(table, producers)):
        return "…"
    if len(set(producers)) > 1:
        texts = {_produced(table, each, 1) for each in producers}
        return texts.pop() if len(texts) == 1 else "…"
    return _produced(table, producers[0], depth)


def _is_short(table: MethodTable, producers: tuple[int, ...]) -> bool:
    """Whether an operand is a parameter or a constant, which is no longer than an ellipsis says."""
    if len(producers) != 1:
        return False
    producer = producers[0]
    if parameter_of(producer) is not None:
        return True
    made = _behind_locals(table, producer)
    if made is None:
        code = table.code.instructions[producer] if 0 <= producer < len(table.code.instructions) else None
        return code is not None and code.op is Op.LOAD and bool(code.operands) and _is_short(table, code.operands[0])
    return made.op is Op.CONST


def _produced(table: MethodTable, producer: int, depth: float) -> str:
    parameter = parameter_of(producer)
    if parameter is not None:
        return parameter_name(table, parameter)
    if caught_at(producer) is not None:
        return "exception"
    if producer >= len(table.code.instructions):
        return "…"
    code = table.code.instructions[producer]
    if code.op in (Op.STORE, Op.INC):
        return local_name(code, table)
    return _text(table, producer, depth - (LOCAL if code.op is Op.LOAD else 1))


def _text(table: MethodTable, instruction: int, depth: float) -> str:
    code = table.code.instructions[instruction]

    def operand(number: int) -> str:
        return _operand(table, code, number, depth)

    match code.op:
        case Op.CONST:
            return _constant(code)
        case Op.LOAD:
            return _loaded(table, code, depth)
        case Op.STORE:
            return f"{local_name(code, table)} = {operand(0)}"
        case Op.INC:
            name = local_name(code, table)
            return f"{name} = {name} {'-' if code.by < 0 else '+'} {abs(code.by)}"
        case Op.GET_FIELD | Op.PUT_FIELD if code.field is not None:
            place = _member(operand(0), code.field.name)
            return place if code.op is Op.GET_FIELD else f"{place} = {operand(1)}"
        case Op.GET_STATIC | Op.PUT_STATIC if code.field is not None:
            owner = _simple(code.field.class_name)
            place = code.field.name if code.field.class_name == table.owner.name else f"{owner}.{code.field.name}"
            return place if code.op is Op.GET_STATIC else f"{place} = {operand(0)}"
        case Op.ARRAY_LOAD:
            return f"{operand(0)}[{operand(1)}]"
        case Op.ARRAY_STORE:
            return f"{operand(0)}[{operand(1)}] = {operand(2)}"
        case Op.LENGTH:
            return f"{operand(0)}.length"
        case Op.CALL:
            return _call(table, code, depth)
        case Op.NEW:
            return f"new {_simple(code.text)}()"
        case Op.NEW_ARRAY:
            sizes = ", ".join(operand(each) for each in range(len(code.operands)))
            return f"new {_simple(code.text).removesuffix('[]')}[{sizes}]"
        case Op.MATH if code.text.endswith("neg"):
            return f"-{operand(0)}"
        case Op.MATH:
            sign = _SIGNS.get(code.text[1:], code.text)
            left, right = (_within(table, code, number, operand(number)) for number in (0, 1))
            return f"{left} {sign} {right}"
        case Op.COMPARE:
            return f"compare({operand(0)}, {operand(1)})"
        case Op.CONVERT:
            return operand(0)
        case Op.BRANCH:
            return f"if ({_condition(table, code, operand)})"
        case Op.SWITCH:
            return f"switch ({operand(0)})"
        case Op.RETURN:
            return f"return {operand(0)}" if code.operands else "return"
        case Op.THROW:
            return f"throw {operand(0)}"
        case Op.CAST:
            return operand(0)
        case Op.INSTANCE_OF:
            return f"{operand(0)} instanceof {_simple(code.text)}"
        case Op.MONITOR:
            return f"synchronized ({operand(0)})"
    return str(code.op.value)


def _loaded(table: MethodTable, code: Instruction, depth: float) -> str:
    if code.name:
        return code.name
    producers = code.operands[0] if code.operands else ()
    if len(producers) == 1 and parameter_of(producers[0]) is not None:
        return _produced(table, producers[0], depth)
    if len(producers) == 1 and 0 <= producers[0] < len(table.code.instructions):
        # Without names of locals the value says more than a number.
        stored = table.code.instructions[producers[0]]
        made = (
            {table.code.instructions[each].op for each in stored.operands[0] if each >= 0} if stored.operands else set()
        )
        if stored.op is Op.STORE and not made & {Op.NEW, Op.NEW_ARRAY}:
            return _operand(table, stored, 0, depth - LOCAL)
    if len(producers) > 1:
        # Where branches meet, the translation copies one value to another local in each of them.
        behind = _origins(table, producers)
        if len(behind) == 1:
            only = behind.pop()
            if only < 0 or table.code.instructions[only].op not in (Op.NEW, Op.NEW_ARRAY):
                return _produced(table, only, depth - LOCAL)
    return local_name(code, table)


def origins(table: MethodTable, instruction: int, operand: int) -> set[int]:
    """The parameters and instructions that may have produced an operand, as `_origins` finds them."""
    operands = table.code.instructions[instruction].operands
    return _origins(table, operands[operand]) if operand < len(operands) else set()


def _origins(table: MethodTable, producers: tuple[int, ...]) -> set[int]:
    """What produced a value, looked for behind copies to locals without a name: parameters, instructions."""
    code = table.code.instructions
    found: set[int] = set()
    waiting, seen = list(producers), set(producers)
    while waiting:
        each = waiting.pop()
        is_copy = 0 <= each < len(code) and code[each].op in (Op.LOAD, Op.STORE)
        if is_copy and (not code[each].name or code[each].name == "this"):
            behind = code[each].operands[0] if code[each].operands else ()
            waiting += [more for more in behind if more not in seen]
            seen.update(behind)
        else:
            found.add(each)
    return found


def _within(table: MethodTable, code: Instruction, number: int, text: str) -> str:
    """An operand of a calculation, in brackets if it binds less tightly."""
    made = [found for each in code.operands[number] if (found := _behind_locals(table, each)) is not None]
    inner = {each.text[1:] for each in made if each.op is Op.MATH} if " " in text else set()
    tight = {"mul", "div", "rem"}
    loose = bool(inner - tight) and (code.text[1:] in tight or (number == 1 and code.text[1:] != "add"))
    return f"({text})" if loose or (number == 1 and bool(inner & tight) and code.text[1:] in tight) else text


def _condition(table: MethodTable, code: Instruction, operand: Callable[[int], str], *, jumped: bool = False) -> str:
    """The condition of the jump, or its opposite, which held if the branch did not jump."""
    name = code.text.removeprefix("if")
    if name in ("null", "nonnull"):
        return f"{operand(0)} {'==' if (name == 'null') == jumped else '!='} null"
    name = name.removeprefix("_icmp").removeprefix("_acmp")
    sign = _COMPARISONS.get(name if jumped else _OPPOSITE.get(name, name), name)
    if len(code.operands) < 2 and (compared := _compared(table, code)) is not None:
        return f"{_operand(table, compared, 0, DEPTH - 2)} {sign} {_operand(table, compared, 1, DEPTH - 2)}"
    left = operand(0)
    if len(code.operands) < 2:
        if _is_boolean(table, code) and sign in ("==", "!="):
            return left if sign == "!=" else f"!{left}"
        return f"{left} {sign} 0"
    return f"{left} {sign} {operand(1)}"


def _compared(table: MethodTable, code: Instruction) -> Instruction | None:
    """The comparison of two numbers of which a branch takes the result; None if it takes another value."""
    producers = set(code.operands[0]) if code.operands else set()
    made = _behind_locals(table, producers.pop()) if len(producers) == 1 else None
    return made if made is not None and made.op is Op.COMPARE else None


def _behind_locals(table: MethodTable, producer: int) -> Instruction | None:
    """The instruction that produced a value, looked for behind local variables; None if it is not one alone."""
    for _ in range(8):
        if not 0 <= producer < len(table.code.instructions):
            return None
        code = table.code.instructions[producer]
        if code.op not in (Op.LOAD, Op.STORE):
            return code
        if not code.operands or len(code.operands[0]) != 1:
            return None
        producer = code.operands[0][0]
    return None


def _is_boolean(table: MethodTable, code: Instruction) -> bool:
    """Whether a condition's only operand is a boolean, as far as the call or the field tells."""
    for each in code.operands[0]:
        made = _behind_locals(table, each)
        if made is None:
            return False
        result = (
            made.called.descriptor.rpartition(")")[2] if made.called else made.field.descriptor if made.field else ""
        )
        if result != "Z" and made.op is not Op.INSTANCE_OF:
            return False
    return bool(code.operands[0])


def _call(table: MethodTable, code: Instruction, depth: float) -> str:
    called = code.called
    if called is None:
        return "call"
    has_receiver = called.kind not in ("static", "dynamic")
    access = table.accessors.get((called.class_name, called.name, called.descriptor))
    if access is not None:
        return _accessed(table, code, access, depth)
    count = len(types_in(called.descriptor)[0])
    arguments = [_operand(table, code, each + int(has_receiver), depth) for each in range(count)]
    listed = ", ".join(arguments)
    if called.name == "<init>":
        receiver = _operand(table, code, 0, 1)
        if receiver == "this":
            return f"{'this' if called.class_name == table.owner.name else 'super'}({listed})"
        return f"new {_simple(called.class_name)}({listed})"
    if called.kind == "dynamic":
        return " + ".join(arguments) if called.name == "makeConcatWithConstants" else f"{called.name}({listed})"
    if not has_receiver:
        return f"{_simple(called.class_name)}.{called.name}({listed})"
    receiver = _operand(table, code, 0, depth)
    return _member(receiver, f"{called.name}({listed})")


def _accessed(table: MethodTable, code: Instruction, access: Instruction, depth: float) -> str:
    """A call of a method that the compiler made for one access, as that access."""
    given = [_operand(table, code, each, depth) for each in range(len(code.operands))]
    target = access.field or access.called
    assert target is not None
    if access.op in (Op.GET_STATIC, Op.PUT_STATIC) or (access.called is not None and access.called.kind == "static"):
        given.insert(0, _simple(target.class_name))
    base, rest = given[0] if given else "…", given[1:]
    if access.called is not None:
        return _member(base, f"{target.name}({', '.join(rest)})")
    written = f" = {rest[0]}" if access.op in (Op.PUT_FIELD, Op.PUT_STATIC) and rest else ""
    return f"{_member(base, target.name)}{written}"


def _member(base: str, name: str) -> str:
    """A member of an object as sources name it: without `this`, and without what the compiler made of surroundings."""
    name = name.removeprefix("val$")
    return name if all(each == "this" or _SURROUNDING.fullmatch(each) for each in base.split(".")) else f"{base}.{name}"


def _constant(code: Instruction) -> str:
    if code.text == "null":
        return "null"
    if code.name:
        return code.name
    if code.constant_type == "Ljava/lang/String;":
        return f'"{code.text}"'
    # Without a type, numbers look like numbers.
    stripped = code.text.lstrip("-")
    is_number = stripped.replace(".", "", 1).replace("E", "", 1).replace("-", "", 1).isdigit()
    plain = is_number or code.text in ("true", "false", "NaN", "Infinity") or code.text.startswith('"')
    return code.text if plain else f'"{code.text}"'


def _simple(name: str) -> str:
    return name.replace("/", ".").rpartition(".")[2].replace("$", ".").rstrip(";")

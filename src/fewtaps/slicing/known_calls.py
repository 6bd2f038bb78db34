"""Calls of the platform whose results follow from their arguments: boxing, numbers as texts, the simplest of Math."""

from __future__ import annotations

from collections.abc import Callable

from fewtaps.model.numerals import signed_number
from fewtaps.model.recorded_code import Called
from fewtaps.slicing.arithmetic import wrapped
from fewtaps.slicing.recorded_values import ObjectValue, StringText, Value

_BOXES = {
    "java.lang.Integer": "I",
    "java.lang.Long": "J",
    "java.lang.Short": "S",
    "java.lang.Byte": "B",
}


def known_result(called: Called, operand: Callable[[int], Value]) -> Value | None:
    """The result of a call by its operands, the receiver first; None if it is not known here."""
    name, kind = called.name, _BOXES.get(called.class_name)
    if kind is not None:
        if name == "valueOf" and called.descriptor.startswith(f"({kind})"):
            return _text(operand(0), is_string=False)
        if name.endswith("Value") and called.descriptor in ("()I", "()J", "()S", "()B"):
            return _unboxed(operand(0), called.descriptor[-1])
        if name == "toString" and called.kind == "static" and called.descriptor.startswith(f"({kind})"):
            return _text(operand(0), is_string=True)
        if name in ("parseInt", "parseLong") and called.descriptor.startswith("(Ljava/lang/String;)"):
            return _parsed(operand(0))
    if called.class_name == "java.lang.String":
        if name == "valueOf" and called.descriptor.startswith(("(I)", "(J)")):
            return _text(operand(0), is_string=True)
        if name == "length":
            return _length(operand(0))
    if called.class_name == "java.lang.Math" and called.descriptor in ("(II)I", "(JJ)J") and name in ("max", "min"):
        left, right = operand(0), operand(1)
        if not isinstance(left, ObjectValue) and not isinstance(right, ObjectValue):
            return max(left, right) if name == "max" else min(left, right)
    return None


def _text(value: Value, *, is_string: bool) -> Value | None:
    if isinstance(value, ObjectValue):
        return None
    return ObjectValue(None, StringText(str(value)) if is_string else str(value))


def _unboxed(value: Value, kind: str) -> Value | None:
    if not isinstance(value, ObjectValue) or not isinstance(value.text, str):
        return None
    number = signed_number(value.text)
    return None if number is None else wrapped(number, {"I": 32, "J": 64, "S": 16, "B": 8}[kind])


def _parsed(value: Value) -> Value | None:
    text = characters_of(value) or ""
    return int(text) if text.removeprefix("-").isdecimal() and text.isascii() else None


def _length(value: Value) -> Value | None:
    """The number of Java's characters in a text, unless the recording cut it."""
    text = characters_of(value)
    return None if text is None else len(text.encode("utf-16-le", "surrogatepass")) // 2


def characters_of(value: Value) -> str | None:
    """All characters of a string; None of another value, or if the recording cut it."""
    text = value.text if isinstance(value, ObjectValue) else None
    return text.characters if isinstance(text, StringText) and not text.is_cut else None

"""The JVM's calculations on plain values: numbers of 32 and 64 bits, floats of both sizes, comparisons."""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable

Number = int | float

_BITS = {"i": 32, "l": 64}
_NARROW = {"i2b": (8, True), "i2s": (16, True), "i2c": (16, False), "l2i": (32, True), "i2l": (64, True)}
_WHOLE: dict[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
}
_JUMPS: dict[str, Callable[[Number, Number], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "ge": operator.ge,
    "gt": operator.gt,
    "le": operator.le,
}


class NoResult(ArithmeticError):
    """The operation has no result: a division by zero, or one that is not known here."""


def wrapped(value: int, bits: int, *, signed: bool = True) -> int:
    """The lowest bits of a number, as a signed or an unsigned one."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def single(value: float) -> float:
    """The nearest float of 32 bits."""
    try:
        found: float = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)
    return found


def calculated(op: str, values: list[Number]) -> Number:
    """The result of `iadd`, `ldiv`, `fneg` and so on. Raises NoResult."""
    kind, name = op[0], op[1:]
    if kind in _BITS:
        return _whole(name, [int(each) for each in values], _BITS[kind])
    result = _real(name, [float(each) for each in values])
    return single(result) if kind == "f" else result


def _whole(name: str, values: list[int], bits: int) -> int:
    left = values[0]
    if name == "neg":
        return wrapped(-left, bits)
    right = values[1]
    if name in ("shl", "shr", "ushr"):
        by = right & (bits - 1)
        if name == "shl":
            return wrapped(left << by, bits)
        return wrapped(left >> by if name == "shr" else (left & ((1 << bits) - 1)) >> by, bits)
    if name in ("div", "rem"):
        if right == 0:
            raise NoResult("a division by zero")
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        return wrapped(quotient if name == "div" else left - quotient * right, bits)
    if name not in _WHOLE:
        raise NoResult(name)
    return wrapped(_WHOLE[name](left, right), bits)


def _real(name: str, values: list[float]) -> float:
    left = values[0]
    if name == "neg":
        return -left
    right = values[1]
    match name:
        case "add":
            return left + right
        case "sub":
            return left - right
        case "mul":
            return left * right
        case "div" if right == 0:
            if left == 0 or math.isnan(left) or math.isnan(right):
                return math.nan
            return math.copysign(math.inf, left) * math.copysign(1.0, right)
        case "div":
            return left / right
        case "rem":
            return math.nan if right == 0 or math.isinf(left) or math.isnan(left + right) else math.fmod(left, right)
    raise NoResult(name)


def converted(op: str, value: Number) -> Number:
    """The result of `i2l`, `d2i` and so on. Raises NoResult."""
    if op in _NARROW:
        bits, signed = _NARROW[op]
        return wrapped(int(value), bits, signed=signed)
    match op[-1]:
        case "f":
            return single(float(value))
        case "d":
            return float(value)
        case "i" | "l":
            return _cut(float(value), _BITS[op[-1]])
    raise NoResult(op)


def _cut(value: float, bits: int) -> int:
    """A float as a whole number: towards zero, the nearest one in range, 0 for what is no number."""
    if math.isnan(value):
        return 0
    largest = (1 << (bits - 1)) - 1
    if math.isinf(value):
        return largest if value > 0 else -largest - 1
    return max(-largest - 1, min(largest, int(value)))


def compared(op: str, left: Number, right: Number) -> int:
    """The result of `lcmp`, `fcmpl`, `dcmpg` and so on: -1, 0 or 1."""
    if math.isnan(left) or math.isnan(right):
        return 1 if op.endswith("g") else -1
    return (left > right) - (left < right)


def jumps(op: str, left: Number, right: Number) -> bool:
    """Whether `ifeq`, `if_icmplt` and so on jump. Raises NoResult."""
    name = op.removeprefix("if_icmp").removeprefix("if_acmp").removeprefix("if")
    if name not in _JUMPS:
        raise NoResult(op)
    return _JUMPS[name](left, right)

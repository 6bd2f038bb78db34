"""JSON schemas of tools: of their arguments, made from signatures, and of their answers, made from dataclasses."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from fewtaps.errors import UsageError
from fewtaps.model.event import printable

_NAMES = {str: "string", int: "integer", float: "number", bool: "boolean"}
_WORDS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}


@dataclass(frozen=True, slots=True)
class Limits:
    """What an argument is for, and which values it may have. `longest` is in characters."""

    about: str
    low: float | None = None
    high: float | None = None
    longest: int = 1000
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolArgument:
    """One argument of a tool. `kind` is its Python type; `is_optional` says that it may be left out or null."""

    name: str
    kind: type
    limits: Limits
    is_optional: bool
    default: object = None

    def schema(self) -> dict[str, Any]:
        """The argument as JSON schema."""
        found: dict[str, Any] = {"type": _NAMES[self.kind], "description": self.limits.about}
        if self.is_optional and self.default is None:
            found["type"] = [found["type"], "null"]
        if self.limits.low is not None:
            found["minimum"] = self.limits.low
        if self.limits.high is not None:
            found["maximum"] = self.limits.high
        if self.kind is str:
            found["maxLength"] = self.limits.longest
        if self.limits.choices:
            found["enum"] = [*self.limits.choices, *((None,) if self.is_optional and self.default is None else ())]
        if self.default is not None:
            found["default"] = self.default
        return found

    def checked(self, value: object) -> object:
        """The value, if the argument may have it. Raises UsageError."""
        if value is None and self.is_optional:
            return self.default
        if self.kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if not isinstance(value, self.kind) or (self.kind is int and isinstance(value, bool)):
            raise UsageError(f"{self.name}: {_WORDS[self.kind]} is needed, not {printable(repr(value)[:200], 60)}")
        if isinstance(value, str):
            self._check_text(value)
        elif isinstance(value, (int, float)):
            self._check_number(value)
        return value

    def _check_text(self, value: str) -> None:
        if len(value) > self.limits.longest:
            raise UsageError(f"{self.name}: {len(value)} characters; at most {self.limits.longest} are taken")
        if self.limits.choices and value not in self.limits.choices:
            raise UsageError(f"{self.name}: {printable(value, 60)!r} is none of {', '.join(self.limits.choices)}")

    def _check_number(self, value: float) -> None:
        low, high = self.limits.low, self.limits.high
        # Not a number is neither above nor below anything.
        if (low is not None and not value >= low) or (high is not None and not value <= high):
            raise UsageError(f"{self.name}: between {low:g} and {high:g}, not {value:g}")


def arguments_of(function: Callable[..., Any], skipped: int) -> tuple[ToolArgument, ...]:
    """The arguments of a function after the first `skipped`; each has a type and `Limits` in its annotation."""
    hints = get_type_hints(function, include_extras=True)
    found = []
    for parameter in list(inspect.signature(function).parameters.values())[skipped:]:
        kind, limits = get_args(hints[parameter.name])[:2]
        is_optional = parameter.default is not inspect.Parameter.empty
        plain = next(each for each in get_args(kind) or (kind,) if each is not type(None))
        found.append(
            ToolArgument(parameter.name, plain, limits, is_optional, parameter.default if is_optional else None)
        )
    return tuple(found)


def arguments_schema(arguments: tuple[ToolArgument, ...]) -> dict[str, Any]:
    """The arguments of a tool as JSON schema."""
    return {
        "type": "object",
        "properties": {each.name: each.schema() for each in arguments},
        "required": [each.name for each in arguments if not each.is_optional],
        "additionalProperties": False,
    }


def checked_arguments(arguments: tuple[ToolArgument, ...], given: Mapping[str, Any]) -> dict[str, Any]:
    """The values of all arguments. Raises UsageError for one that is missing, unknown or not allowed."""
    known = {each.name: each for each in arguments}
    for name in given:
        if name not in known:
            raise UsageError(f"{printable(name, 60)!r} is no argument; there are: {', '.join(known) or 'none'}")
    for each in arguments:
        if not each.is_optional and each.name not in given:
            raise UsageError(f"the argument {each.name} is missing")
    return {each.name: each.checked(given.get(each.name)) for each in arguments}


def answer_schema(kind: Any) -> dict[str, Any]:
    """The JSON schema of what `answer_to_json` makes of a value of this type."""
    if get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    if is_dataclass(kind) and isinstance(kind, type):
        hints = get_type_hints(kind)
        properties = {each.name: answer_schema(hints[each.name]) for each in fields(kind)}
        return {
            "type": "object",
            "description": (kind.__doc__ or "").partition("\n")[0],
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }
    if get_origin(kind) is tuple:
        return {"type": "array", "items": answer_schema(get_args(kind)[0])}
    if get_origin(kind) in (Union, types.UnionType):
        return {"anyOf": [answer_schema(each) for each in get_args(kind)]}
    return {"type": "null" if kind is type(None) else _NAMES[kind]}


def answer_to_json(value: Any) -> Any:
    """A dataclass of texts, numbers, tuples and other such dataclasses as JSON data."""
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: answer_to_json(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, tuple):
        return [answer_to_json(each) for each in value]
    if isinstance(value, str):
        # A path may have bytes that are no text, which become single surrogates; UTF-8 cannot encode these.
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    return value

"""Groups of options: a frozen dataclass of options that stands as one parameter of a command.

Typer reads the options of a command from the signature of its function. `expanded` gives it a signature in which each
group is replaced by the group's fields; when the command is called, the fields are put together again.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Annotated, Any, Protocol, get_args, get_origin, get_type_hints


class Without:
    """Stands beside a group in `Annotated`: the command does not have these options of the group."""

    def __init__(self, *names: str) -> None:
        self.names = names


class Common(Protocol):
    """A group of options that all commands have and none has to deal with."""

    def apply(self) -> None:
        """Applies the common options; called before the command runs."""
        ...


def expanded(command: Callable[..., None], common: type[Common] | None = None) -> Callable[..., None]:
    """The command with a signature for Typer, in which the options of its groups stand one by one.

    The options of `common` are added, and the group is applied before the command is called.
    """
    hints = get_type_hints(command, include_extras=True)
    parameters: list[inspect.Parameter] = []
    groups: dict[str, tuple[type[Any], tuple[str, ...]]] = {}
    for parameter in inspect.signature(command).parameters.values():
        hint = hints[parameter.name]
        group = group_of(hint)
        if group is None:
            parameters.append(parameter.replace(annotation=hint, kind=inspect.Parameter.KEYWORD_ONLY))
            continue
        members = _members(group, hint)
        groups[parameter.name] = group, tuple(member.name for member in members)
        parameters += members
    for_all = [] if common is None else _members(common, common)
    parameters += for_all

    @functools.wraps(command)
    def called(**given: Any) -> None:
        applied = {member.name: given.pop(member.name) for member in for_all}
        if common is not None:
            common(**applied).apply()
        for name, (group, members) in groups.items():
            given[name] = group(**{member: given.pop(member) for member in members})
        command(**given)

    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return called


def group_of(hint: Any) -> type[Any] | None:
    """The group that an annotation names; None if it is that of a single option."""
    inner = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    return inner if isinstance(inner, type) and is_dataclass(inner) else None


def _members(group: type[Any], hint: Any) -> list[inspect.Parameter]:
    left_out = {name for each in getattr(hint, "__metadata__", ()) if isinstance(each, Without) for name in each.names}
    types = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(each.name, inspect.Parameter.KEYWORD_ONLY, default=each.default, annotation=types[each.name])
        for each in fields(group)
        if each.name not in left_out
    ]

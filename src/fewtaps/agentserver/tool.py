"""What a tool is: a function with checked arguments that returns an answer as text, data and pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Generic, TypeVar, get_args, get_type_hints

from fewtaps.agentserver.schemas import (
    ToolArgument,
    answer_schema,
    answer_to_json,
    arguments_of,
    arguments_schema,
    checked_arguments,
)
from fewtaps.agentserver.workbench import Workbench

_AnswerT = TypeVar("_AnswerT")


class Lane(Enum):
    """Calls of one lane wait for each other; calls of different lanes run at the same time."""

    APP = "app"
    """Uses the open app."""
    WORK = "work"
    """Opens devices of its own and takes seconds to minutes; reports progress and can be cancelled."""
    READ = "read"
    """Reads files, or writes one. Such calls do not wait for each other."""


class CallWork:
    """What a call says while it runs, and whether the client still waits for it."""

    def __init__(self, report: Callable[[float, float | None, str], None], is_cancelled: Callable[[], bool]) -> None:
        self._report = report
        self.is_cancelled = is_cancelled

    def check(self) -> None:
        """Raises KeyboardInterrupt if the client has cancelled the call: stages end on it as they do on Ctrl-C."""
        if self.is_cancelled():
            raise KeyboardInterrupt

    def advance(self, done: float, total: float | None, message: str) -> None:
        """Reports progress; raises as `check`."""
        self.check()
        self._report(done, total, message)


@dataclass(frozen=True, slots=True)
class ToolReply(Generic[_AnswerT]):
    """The answer of a tool: as data, as text for a reader, and with pictures (PNG)."""

    answer: _AnswerT
    text: str
    pictures: tuple[bytes, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The answer as structured content."""
        found = answer_to_json(self.answer)
        assert isinstance(found, dict)
        return found


@dataclass(frozen=True, slots=True)
class AgentTool:
    """One tool. `is_reading` says that it changes neither files nor the open app."""

    name: str
    about: str
    lane: Lane
    is_reading: bool
    function: Callable[..., ToolReply[Any]]
    arguments: tuple[ToolArgument, ...]
    answer: type

    @property
    def input_schema(self) -> dict[str, Any]:
        """The JSON schema of the arguments."""
        return arguments_schema(self.arguments)

    @property
    def output_schema(self) -> dict[str, Any]:
        """The JSON schema of the structured content."""
        return answer_schema(self.answer)

    def to_json(self) -> dict[str, Any]:
        """The tool as the protocol describes it."""
        schemas = {"inputSchema": self.input_schema, "outputSchema": self.output_schema}
        return {"name": self.name, "description": self.about, **schemas}

    def call(self, bench: Workbench, work: CallWork, given: Mapping[str, Any]) -> ToolReply[Any]:
        """Checks the arguments and runs the tool. Raises FewtapsError with one line for the client."""
        return self.function(bench, work, **checked_arguments(self.arguments, given))


def make_tool(function: Callable[..., ToolReply[Any]], lane: Lane, *, is_reading: bool = False) -> AgentTool:
    """The tool of a function; its docstring describes it, its annotations its arguments and its answer."""
    returned = get_type_hints(function)["return"]
    about = " ".join((function.__doc__ or "").split())
    return AgentTool(
        function.__name__, about, lane, is_reading, function, arguments_of(function, skipped=2), get_args(returned)[0]
    )

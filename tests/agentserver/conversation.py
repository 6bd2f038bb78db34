"""A conversation of the SDK's own client with `fewtaps mcp`, over the pipes of a process."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import mcp_types
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

LONGEST_ANSWER = 12_000
"""Characters of the text of an answer at most, unless a call asks for a file."""


@dataclass(frozen=True)
class Answered:
    """What a call returned."""

    text: str
    data: dict[str, Any]
    pictures: tuple[str, ...]
    is_error: bool

    @property
    def numbers(self) -> dict[str, int]:
        """The numbers of the widgets on the screen, by their labels."""
        return {each["app_label"]: each["number"] for each in self.data["widgets"] if each["number"] is not None}


class Conversation:
    """The calls of one client; the SDK checks every answer against the schema of its tool."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.calls = 0

    async def call(self, name: str, said: list[str] | None = None, /, **arguments: Any) -> Answered:
        """The answer of a call that must not be refused; `said` gets the messages of progress notifications."""
        answered = await self._call(name, said, arguments)
        assert not answered.is_error, answered.text
        return answered

    async def refused(self, name: str, /, **arguments: Any) -> str:
        """The one line of a call that has to be refused."""
        answered = await self._call(name, None, arguments)
        assert answered.is_error and "\n" not in answered.text, answered.text
        return answered.text

    async def _call(self, name: str, said: list[str] | None, arguments: dict[str, Any]) -> Answered:
        """Calls a tool. An answer has one text, which is bounded, and data beside it unless it is an error."""

        async def report(progress: float, total: float | None, message: str | None) -> None:
            if said is not None:
                said.append(message or "")

        self.calls += 1
        result = await self.client.call_tool(name, arguments, progress_callback=report)
        texts = [each.text for each in result.content if isinstance(each, mcp_types.TextContent)]
        pictures = tuple(each.data for each in result.content if isinstance(each, mcp_types.ImageContent))
        assert len(texts) == 1 and len(texts[0]) <= LONGEST_ANSWER
        assert result.is_error or result.structured_content is not None
        return Answered(texts[0], result.structured_content or {}, pictures, result.is_error)


def server_parameters(allowed: Sequence[Path], *options: str) -> StdioServerParameters:
    """How the server is started."""
    folders = [word for folder in allowed for word in ("--allow", str(folder))]
    return StdioServerParameters(
        command=sys.executable, args=["-m", "fewtaps", "mcp", *folders, *options], env=dict(os.environ)
    )


@asynccontextmanager
async def talking(allowed: Sequence[Path], *options: str) -> AsyncIterator[Conversation]:
    """A client that is connected to a server of its own; what the server says on its error stream is not shown."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        async with Client(stdio_client(server_parameters(allowed, *options), errlog=nowhere)) as client:
            yield Conversation(client)


def converse(said: Callable[[Conversation], Coroutine[Any, Any, None]], allowed: Sequence[Path], *options: str) -> None:
    """Runs one conversation from its beginning to its end."""

    async def run() -> None:
        async with talking(allowed, *options) as conversation:
            await said(conversation)

    anyio.run(run)

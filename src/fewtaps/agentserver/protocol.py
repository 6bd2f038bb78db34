"""The server on standard input and output; the only module that imports the SDK of the Model Context Protocol.

Tools are plain functions and run in threads, so that the server answers while an app is opened or a run goes on. Calls
of one lane wait for each other. A cancelled call is told so where it next reports progress, and its lane is free when
it has ended.
"""

from __future__ import annotations

import base64
import logging
import os
import signal
import stat
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import CancelledError
from functools import partial
from typing import Any, cast

import anyio
import anyio.from_thread
import anyio.to_thread
import mcp_types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from fewtaps.agentserver.catalogue import INSTRUCTIONS, TOOLS
from fewtaps.agentserver.tool import AgentTool, CallWork, Lane, ToolReply
from fewtaps.agentserver.workbench import Workbench
from fewtaps.errors import FewtapsError
from fewtaps.model.event import printable

log = logging.getLogger(__name__)

LONGEST_MESSAGE = 4 << 20
"""Bytes of a message of the client at most; a longer one is answered as one that cannot be read."""
MOST_READERS = 4
"""Calls that read projects at the same time at most."""
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_CHUNK = 1 << 16


def serve(bench: Workbench, version: str) -> int | None:
    """Serves one client until it closes the connection; returns the number of the signal that ended it, if one did.

    Afterwards no app is open and no process is left.
    """
    return anyio.run(partial(_serve, bench, version))


async def _serve(bench: Workbench, version: str) -> int | None:
    service = ToolService(bench)
    server: Server[Any] = Server(
        "fewtaps",
        version=version,
        title="Fewtaps",
        instructions=INSTRUCTIONS,
        on_list_tools=service.list_tools,
        on_call_tool=service.call_tool,
    )
    ended_by: list[int] = []
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_await_signal, tasks.cancel_scope, ended_by)
            # Only `async for` is used of it. A file of anyio would block until the client closes it.
            lines = cast("anyio.AsyncFile[str]", _lines_of(0))
            async with stdio_server(stdin=lines) as (incoming, outgoing):
                await server.run(incoming, outgoing, server.create_initialization_options())
            tasks.cancel_scope.cancel()
    except* (BrokenPipeError, ConnectionError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        log.info("the client is gone")
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(_close, bench)
    return ended_by[0] if ended_by else None


def _close(bench: Workbench) -> None:
    try:
        bench.close()
    except FewtapsError as error:
        # The client is gone, and a device that does not close in order has been killed.
        log.info("the device was not closed in order", exc_info=error)


async def _await_signal(scope: anyio.CancelScope, ended_by: list[int]) -> None:
    with anyio.open_signal_receiver(*SIGNALS) as received:
        async for number in received:
            log.info("ended by %s", number.name)
            ended_by.append(number)
            scope.cancel()
            return


async def _lines_of(descriptor: int) -> AsyncIterator[str]:
    """The lines of a pipe, a terminal or a file until its end. A line that is too long is an empty one instead."""
    can_wait = not stat.S_ISREG(os.fstat(descriptor).st_mode)
    received = bytearray()
    is_too_long = False
    while True:
        if can_wait:
            await anyio.wait_readable(descriptor)
        chunk = os.read(descriptor, _CHUNK)
        if not chunk:
            return
        received += chunk
        while (end := received.find(b"\n")) >= 0:
            line = "" if is_too_long or end > LONGEST_MESSAGE else received[:end].decode("utf-8", "replace")
            del received[: end + 1]
            is_too_long = False
            yield line
        if len(received) > LONGEST_MESSAGE:
            is_too_long = True
            received.clear()


class ToolService:
    """Answers the requests for tools: runs each call in a thread, in its lane."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        self._lanes = {
            Lane.APP: anyio.CapacityLimiter(1),
            Lane.WORK: anyio.CapacityLimiter(1),
            Lane.READ: anyio.CapacityLimiter(MOST_READERS),
        }

    async def list_tools(
        self, context: ServerRequestContext[Any], params: mcp_types.PaginatedRequestParams | None
    ) -> mcp_types.ListToolsResult:
        """All tools with their schemas."""
        return mcp_types.ListToolsResult(tools=[_described(tool) for tool in TOOLS.values()])

    async def call_tool(
        self, context: ServerRequestContext[Any], params: mcp_types.CallToolRequestParams
    ) -> mcp_types.CallToolResult:
        """The answer of a tool, or one line that says why there is none."""
        tool = TOOLS.get(params.name)
        if tool is None:
            return _refused(f"{printable(params.name, 60)!r} is no tool")
        return await self._run(tool, params.arguments or {}, context)

    async def _run(
        self, tool: AgentTool, given: dict[str, Any], context: ServerRequestContext[Any]
    ) -> mcp_types.CallToolResult:
        cancelled = threading.Event()
        gone = (CancelledError, anyio.get_cancelled_exc_class(), anyio.ClosedResourceError, anyio.BrokenResourceError)

        def report(done: float, total: float | None, message: str) -> None:
            try:
                anyio.from_thread.run(context.session.report_progress, done, total, message)
            except gone as error:
                raise KeyboardInterrupt from error

        work = CallWork(report, cancelled.is_set)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_set_when_cancelled, cancelled.set)
            # Not abandoned when the call is cancelled: the lane is taken until the thread has ended.
            result = await anyio.to_thread.run_sync(
                _answered, tool, self._bench, work, given, limiter=self._lanes[tool.lane]
            )
            tasks.cancel_scope.cancel()
        return result


async def _set_when_cancelled(note: Callable[[], None]) -> None:
    try:
        await anyio.sleep_forever()
    finally:
        note()


def _answered(tool: AgentTool, bench: Workbench, work: CallWork, given: dict[str, Any]) -> mcp_types.CallToolResult:
    """Runs a call in the thread it is in. Nothing that happens there leaves it as an exception."""
    try:
        return _content(tool.call(bench, work, given))
    except KeyboardInterrupt:
        return _refused("cancelled; what was found so far is kept")
    except FewtapsError as error:
        log.info("%s failed", tool.name, exc_info=error)
        return _refused(printable(str(error), 1000))
    except Exception as error:
        log.info("a defect of fewtaps in %s", tool.name, exc_info=error)
        path = bench.keep_log()
        where = "" if path is None else f"; the traceback is in {path}"
        return _refused(f"a defect of fewtaps ({type(error).__name__}){where}")


def _content(reply: ToolReply[Any]) -> mcp_types.CallToolResult:
    pictures = [
        mcp_types.ImageContent(data=base64.b64encode(picture).decode("ascii"), mime_type="image/png")
        for picture in reply.pictures
    ]
    text = mcp_types.TextContent(text=_encodable(reply.text))
    return mcp_types.CallToolResult(content=[text, *pictures], structured_content=reply.to_json())


def _refused(line: str) -> mcp_types.CallToolResult:
    return mcp_types.CallToolResult(content=[mcp_types.TextContent(text=_encodable(line))], is_error=True)


def _encodable(text: str) -> str:
    """The text without single surrogates, which UTF-8 cannot encode."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _described(tool: AgentTool) -> mcp_types.Tool:
    return mcp_types.Tool(
        name=tool.name,
        description=tool.about,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        annotations=mcp_types.ToolAnnotations(
            read_only_hint=tool.is_reading, destructive_hint=False, open_world_hint=False
        ),
    )

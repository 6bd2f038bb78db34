"""Answers in the place of uiautomator2's server: JSON-RPC over HTTP, on the port that its client asked for."""

from __future__ import annotations

import json
from collections.abc import Generator
from typing import Any

from fewtaps.adbd.agent_methods import METHODS, AgentCall, AgentError
from fewtaps.adbd.channel import INPUT, Channel, Pause, Service
from fewtaps.adbd.phone import ServedPhone
from fewtaps.errors import DeviceError, FewtapsError
from fewtaps.model.event import printable

MAX_HEAD, MAX_BODY = 1 << 14, 4 << 20
MOST_REQUESTS = 100_000
"""Requests of one connection."""


def agent_service(channel: Channel, phone: ServedPhone) -> Service:
    """Answers requests until the client leaves."""
    for _ in range(MOST_REQUESTS):
        request = yield from _read_request(channel)
        if request is None:
            return
        method, path, headers, body = request
        if method == "GET" and path == "/ping":
            answer, kind, status = b"pong", "text/plain", "200 OK"
        elif method == "POST" and path.startswith("/jsonrpc"):
            document = yield from _call(body, phone, channel)
            answer, kind, status = json.dumps(document).encode(), "application/json", "200 OK"
        else:
            answer, kind, status = b"Not Found", "text/plain", "404 Not Found"
        keeps = headers.get("connection", "keep-alive").lower() != "close"
        head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(answer)}\r\n"
        channel.write(f"{head}Connection: {'keep-alive' if keeps else 'close'}\r\n\r\n".encode() + answer)
        yield from channel.flush()
        if not keeps:
            return


def _read_request(channel: Channel) -> Generator[Pause, None, tuple[str, str, dict[str, str], bytes] | None]:
    head = bytearray()
    while b"\r\n\r\n" not in head:
        head += channel.take()
        if b"\r\n\r\n" in head:
            break
        if channel.is_ended or len(head) > MAX_HEAD:
            return None
        yield INPUT
    end = head.index(b"\r\n\r\n")
    channel.incoming[:0] = head[end + 4 :]
    lines = bytes(head[:end]).decode("latin-1").split("\r\n")
    words = lines[0].split(" ")
    if len(words) != 3:
        return None
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
    length = headers.get("content-length", "0")
    if not length.isascii() or not length.isdigit() or len(length) > 9 or int(length) > MAX_BODY:
        return None
    body = yield from channel.read_exactly(int(length))
    return None if body is None else (words[0], words[1], headers, body)


def _call(body: bytes, phone: ServedPhone, channel: Channel) -> Generator[Pause, None, dict[str, Any]]:
    try:
        request = json.loads(body)
        number, method, given = request["id"], request["method"], request.get("params") or []
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "not a request"}}
    reply: dict[str, Any] = {"jsonrpc": "2.0", "id": number if isinstance(number, int | str) else None}
    found = METHODS.get(method) if isinstance(method, str) else None
    if found is None:
        phone.count_unknown(f"the method {str(method)[:40]} of uiautomator2")
        return reply | {"error": {"code": -32601, "message": f"no method {printable(str(method))} here", "data": ""}}
    if isinstance(given, dict):
        given = list(given.values())
    try:
        result = found(AgentCall(phone, given if isinstance(given, list) else [given]))
        if isinstance(result, Generator):
            result = yield from result
    except AgentError as error:
        return reply | {"error": {"code": error.code, "message": str(error), "data": ""}}
    except DeviceError as error:
        return reply | {"error": {"code": -32001, "message": f"the device failed: {error}", "data": ""}}
    except (FewtapsError, ValueError, TypeError, LookupError, OSError) as error:
        message = f"{type(error).__name__}: {printable(str(error), 300)}"
        return reply | {"error": {"code": -32602, "message": message, "data": ""}}
    return reply | {"result": result}

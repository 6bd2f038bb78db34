"""Requests and responses of HTTP/1.1 on a channel, for the agents that speak it."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any

from fewtaps.adbd.channel import INPUT, Channel, Pause, Service

MAX_HEAD, MAX_BODY = 1 << 14, 4 << 20
MOST_REQUESTS = 100_000
"""Requests of one connection."""
HOSTS = ("127.0.0.1", "localhost")
"""The names under which clients reach the port. A page can give its own name the address of this machine."""
_REASONS = {
    200: "OK",
    400: "Bad Request",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    500: "Internal Server Error",
}


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One request; the names of its headers are in small letters."""

    method: str
    path: str
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """What a request is answered with."""

    content: bytes
    kind: str = "text/plain"
    status: int = 200


def json_answer(value: Any, status: int = 200) -> HttpAnswer:
    """A value as JSON."""
    return HttpAnswer(json.dumps(value).encode(), "application/json; charset=utf-8", status)


def serve_http(channel: Channel, answer: Callable[[HttpRequest], Generator[Pause, None, HttpAnswer]]) -> Service:
    """Answers the requests of a connection until the client leaves or says what is no request."""
    for _ in range(MOST_REQUESTS):
        request = yield from _read_request(channel)
        if request is None:
            return
        if _is_from_a_page(request.headers):
            reply = HttpAnswer(b"Forbidden", status=403)
        else:
            reply = yield from answer(request)
        keeps = request.headers.get("connection", "keep-alive").lower() != "close"
        head = (
            f"HTTP/1.1 {reply.status} {_REASONS.get(reply.status, 'Other')}\r\nContent-Type: {reply.kind}\r\n"
            f"Content-Length: {len(reply.content)}\r\nConnection: {'keep-alive' if keeps else 'close'}\r\n\r\n"
        )
        channel.write(head.encode() + reply.content)
        yield from channel.flush()
        if not keeps:
            return


def _is_from_a_page(headers: dict[str, str]) -> bool:
    """Whether a browser sent a request, which any page of the web can let it do; a client has no origin."""
    host = headers.get("host", HOSTS[0]).rpartition(":")[0] or headers.get("host", HOSTS[0])
    return "origin" in headers or "sec-fetch-site" in headers or host.lower() not in HOSTS


def _read_request(channel: Channel) -> Generator[Pause, None, HttpRequest | None]:
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
    return None if body is None else HttpRequest(words[0], words[1], headers, body)

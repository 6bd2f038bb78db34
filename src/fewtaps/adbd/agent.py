"""Answers in the place of uiautomator2's server: JSON-RPC over HTTP, on the port that its client asked for."""

from __future__ import annotations

import json
from collections.abc import Generator
from typing import Any

from fewtaps.adbd.agent_methods import METHODS, AgentCall, AgentError
from fewtaps.adbd.channel import Channel, Pause, Service
from fewtaps.adbd.http import HttpAnswer, HttpRequest, json_answer, serve_http
from fewtaps.adbd.phone import ServedPhone
from fewtaps.errors import DeviceError, FewtapsError
from fewtaps.model.event import printable


def agent_service(channel: Channel, phone: ServedPhone) -> Service:
    """Answers requests until the client leaves."""
    return serve_http(channel, lambda request: _answer(request, phone))


def _answer(request: HttpRequest, phone: ServedPhone) -> Generator[Pause, None, HttpAnswer]:
    if request.method == "GET" and request.path == "/ping":
        return HttpAnswer(b"pong")
    if request.method == "POST" and request.path.startswith("/jsonrpc"):
        return json_answer((yield from _call(request.body, phone)))
    return HttpAnswer(b"Not Found", status=404)


def _call(body: bytes, phone: ServedPhone) -> Generator[Pause, None, dict[str, Any]]:
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
    except (FewtapsError, ValueError, TypeError, LookupError, ArithmeticError, RecursionError, OSError) as error:
        message = f"{type(error).__name__}: {printable(str(error), 300)}"
        return reply | {"error": {"code": -32602, "message": message, "data": ""}}
    return reply | {"result": result}

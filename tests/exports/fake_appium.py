"""A fake Appium server on loopback: it speaks the part of W3C WebDriver that an exported test uses."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import TracebackType
from typing import Any

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class AppiumServer:
    """Serves one phone, with these widgets; after so many calls the app is dead and the log says so."""

    def __init__(
        self, widgets: list[dict[str, Any]], crash_after: int | None, log: str, current: dict[str, str] | None = None
    ) -> None:
        self.calls: list[list[Any]] = []
        self._widgets = widgets
        self._crash_after = crash_after
        self._log = log
        self._current = current or {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = Thread(target=self._server.serve_forever, daemon=True)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> AppiumServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        answer = self._answer

        class Handler(BaseHTTPRequestHandler):
            def handle_one_request(self) -> None:
                super().handle_one_request()

            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                self._reply(json.loads(self.rfile.read(length) or b"{}"))

            def do_GET(self) -> None:
                self._reply({})

            def do_DELETE(self) -> None:
                self._reply({})

            def _reply(self, body: dict[str, Any]) -> None:
                content = json.dumps({"value": answer(self.command, self.path, body)}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *arguments: Any) -> None:
                pass

        return Handler

    def _answer(self, method: str, path: str, body: dict[str, Any]) -> Any:
        if path == "/session":
            return {"sessionId": "one", "capabilities": {"platformName": "Android"}}
        path = path.removeprefix("/session/one")
        for pattern, reply in self._routes():
            found = re.fullmatch(pattern, f"{method} {path}")
            if found:
                return reply(body, *found.groups())
        raise AssertionError(f"the fake knows no {method} {path} {body}")

    def _routes(self) -> tuple[tuple[str, Callable[..., Any]], ...]:
        return (
            (r"DELETE ", lambda body: None),
            (r"GET /log/types|GET /se/log/types", lambda body: ["logcat"]),
            (r"POST /(?:se/)?log", self._read_log),
            (r"POST /execute/sync", self._execute),
            (r"POST /elements", self._find),
            (r"POST /element/\w+/elements", lambda body: []),
            (r"GET /element/active|POST /element/active", lambda body: {ELEMENT: "active"}),
            (r"GET /element/(\w+)/rect", self._rect),
            (r"GET /element/(\w+)/text", lambda body, number: self._widgets[int(number)].get("text", "")),
            (r"GET /element/(\w+)/attribute/([\w-]+)", self._attribute),
            (r"POST /element/\w+/clear", lambda body: self._record("clear")),
            (r"POST /element/\w+/value", lambda body: self._record("type", body["text"])),
            (r"POST /actions", self._touch),
            (r"DELETE /actions", lambda body: None),
            (r"POST /orientation", lambda body: self._record("orientation", body["orientation"])),
            (r"POST /appium/device/activate_app", lambda body: self._record("activateApp", body["appId"])),
            (r"POST /appium/device/terminate_app", lambda body: True),
            (r"POST /appium/device/press_keycode", lambda body: self._record("key", body["keycode"])),
        )

    def _record(self, *call: Any) -> None:
        self.calls.append(list(call))

    def _read_log(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        happened = self._crash_after is not None and len(self.calls) >= self._crash_after
        lines = self._log.splitlines() if happened else []
        return [{"level": "ALL", "timestamp": 0, "message": line} for line in lines]

    def _find(self, body: dict[str, Any]) -> list[dict[str, str]]:
        using, value = body["using"], body["value"]
        names = {"id": "resourceId", "accessibility id": "description", "class name": "className"}
        if using == "xpath":
            wanted = "".join(one or other for one, other in re.findall(r""""([^"]*)"|'([^']*)'""", value))
            fits = [number for number, each in enumerate(self._widgets) if each.get("text") == wanted]
        else:
            fits = [number for number, each in enumerate(self._widgets) if each.get(names[using]) == value]
        return [{ELEMENT: str(number)} for number in fits]

    def _rect(self, body: dict[str, Any], number: str) -> dict[str, int]:
        x, y = self._widgets[int(number)]["at"]
        return {"x": x - 5, "y": y - 5, "width": 10, "height": 10}

    def _attribute(self, body: dict[str, Any], number: str, name: str) -> str | None:
        return str(self._widgets[int(number)].get("checked", False)).lower() if name == "checked" else None

    def _touch(self, body: dict[str, Any]) -> None:
        moves = [step for finger in body["actions"] for step in finger["actions"] if step["type"] == "pointerMove"]
        self._record("touch", *([move["x"], move["y"]] for move in moves))

    def _execute(self, body: dict[str, Any]) -> Any:
        command = body["script"].removeprefix("mobile: ")
        given = body["args"][0] if body["args"] else {}
        match command:
            case "clearApp" | "changePermissions" | "terminateApp" | "queryAppState":
                return True
            case "getCurrentPackage":
                return self._current["package"]
            case "getCurrentActivity":
                return self._current["activity"]
            case "activateApp":
                self._record(command, given["appId"])
            case "longClickGesture" | "doubleClickGesture":
                self._record(command, given["x"], given["y"])
            case "dragGesture":
                self._record(command, given["startX"], given["startY"], given["endX"], given["endY"])
            case "pinchOpenGesture" | "pinchCloseGesture":
                self._record(command, given["left"], given["top"], given["width"], given["height"])
            case "pressKey":
                self._record("key", given["keycode"])
            case "startActivity":
                self._record(command, given["action"], given["uri"], given["extras"])
            case "broadcast":
                self._record(command, given["action"])
            case _:
                raise AssertionError(f"the fake knows no {command} {given}")
        return None

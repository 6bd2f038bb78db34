"""PhoneAgent: uiautomator2's server on a device, which looks at the screen and touches it.

Its one file goes to /data/local/tmp and is run by Android's own `app_process`; nothing is installed. It speaks JSON-RPC
over HTTP on a port of the device.
"""

from __future__ import annotations

import hashlib
import json
import socket
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from fewtaps.device.adb.wire import AdbWire
from fewtaps.errors import DeviceLost, DeviceUnavailable
from fewtaps.model.event import printable

JAR = "/data/local/tmp/u2.jar"
PORT = 9008
START_SECONDS = 30.0
CALL_SECONDS = 40.0
"""Longest call: injecting a touch into an app that hangs ends after 5 s, a dump of it after some more."""
IDLE_SECONDS = 3.0
"""The server closes a connection that nothing was asked on for 5 s."""
MOST_ANSWER = 64 << 20
DEPTH = 60
"""Widgets inside widgets that are dumped; deeper layouts overflow the server's own stack on some phones."""
NOT_INSTALLED = "phones and emulators need uiautomator2: pip install 'fewtaps[adb]'"
INJECTING = (
    "the phone does not allow injected touches: turn on 'USB debugging (Security settings)' in its developer options"
)


class PhoneAgent:
    """A connection to the agent, which is started when it does not run yet."""

    def __init__(self, wire: AdbWire) -> None:
        self._wire = wire
        self._process: socket.socket | None = None
        self._connection: socket.socket | None = None
        self._used = 0.0
        self._number = 0

    def start(self) -> None:
        """Makes sure that it answers. Raises DeviceUnavailable without uiautomator2, DeviceLost if it does not."""
        jar = agent_file()
        if self._answers():
            return
        content = jar.read_bytes()
        digest = hashlib.md5(content, usedforsecurity=False).hexdigest()
        known = self._wire.shell(f"toybox md5sum {JAR} || md5 {JAR}").text
        if digest not in known:
            self._wire.push(content, JAR)
        command = f"CLASSPATH={JAR} app_process / com.wetest.uia2.Main -p {PORT}"
        self._process = self._wire.open(f"shell:{command}")
        deadline = time.monotonic() + START_SECONDS
        while not self._answers():
            if time.monotonic() > deadline:
                raise DeviceLost(f"{self._wire.serial}: the agent on the device does not start{self._last_words()}")
            time.sleep(0.2)

    def stop(self) -> None:
        """Ends it, if this object has started it; harmless if called twice."""
        self._drop()
        process, self._process = self._process, None
        if process is not None:
            process.close()

    def call(self, method: str, *given: Any, seconds: float = CALL_SECONDS) -> Any:
        """The answer of a method. Raises DeviceLost without the agent, DeviceUnavailable if touches are forbidden."""
        self._number += 1
        request = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": list(given)}
        self._wire.round_trips += 1
        try:
            status, body = self._request("POST", "/jsonrpc/0", json.dumps(request).encode(), seconds)
            document = json.loads(body) if status == 200 else None
        except (OSError, ValueError) as error:
            self._drop()
            reason = "no answer in time" if isinstance(error, TimeoutError) else printable(str(error), 200)
            raise DeviceLost(f"{self._wire.serial}: the agent on the device is lost ({method}: {reason})") from error
        if not isinstance(document, dict):
            raise DeviceLost(f"{self._wire.serial}: the agent answered {method} with {status}")
        if "error" in document:
            raise self._failure(method, document["error"])
        return document.get("result")

    def dump(self) -> str:
        """All windows as XML."""
        text = self.call("dumpWindowHierarchy", False, DEPTH)
        if not isinstance(text, str):
            raise DeviceLost(f"{self._wire.serial}: the agent gave no dump of the screen")
        return text

    def wait_for_idle(self, milliseconds: int) -> None:
        """Waits until half a second passes without an event of accessibility, at most so long."""
        self.call("waitForIdle", milliseconds)

    def _failure(self, method: str, error: object) -> Exception:
        message = str(error.get("message", "")) if isinstance(error, dict) else str(error)
        if "INJECT_EVENTS" in message or "INJECT_EVENTS" in str(error):
            return DeviceUnavailable(f"{self._wire.serial}: {INJECTING}")
        if "UiAutomation not connected" in str(error) or "DeadObject" in message or "DeadSystem" in message:
            return DeviceLost(f"{self._wire.serial}: another tool took the device's UiAutomation, or it restarted")
        if "the device failed" in message:
            return DeviceLost(f"{self._wire.serial}: {printable(message, 200)}")
        return AgentFailure(f"{self._wire.serial}: {method} failed: {printable(message, 200)}")

    def _answers(self) -> bool:
        try:
            return self._request("GET", "/ping", b"", 5.0) == (200, b"pong")
        except (OSError, ValueError, DeviceLost):
            self._drop()
            return False

    def _last_words(self) -> str:
        if self._process is None:
            return ""
        try:
            self._process.setblocking(False)
            text = self._process.recv(4000).decode("utf-8", "replace")
        except OSError:
            return ""
        if "already registered" in text:
            return ": another tool uses the device's UiAutomation; end it first"
        return f": {printable(text, 200)}" if text.strip() else ""

    def _request(self, method: str, path: str, body: bytes, seconds: float) -> tuple[int, bytes]:
        connection = self._connected()
        connection.settimeout(seconds)
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        connection.sendall(f"{head}Accept-Encoding: \r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        answer = _read_response(connection)
        self._used = time.monotonic()
        if answer.closes:
            self._drop()
        return answer.status, answer.body

    def _connected(self) -> socket.socket:
        if self._connection is not None and time.monotonic() - self._used > IDLE_SECONDS:
            self._drop()
        if self._connection is None:
            self._connection = self._wire.server.open(self._wire.serial, f"tcp:{PORT}")
        return self._connection

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


class AgentFailure(DeviceLost):
    """The agent refused one call, and goes on answering others."""


def agent_file() -> Path:
    """The agent's file inside the package uiautomator2. Raises DeviceUnavailable if that is not installed."""
    spec = find_spec("uiautomator2")
    if spec is None or not spec.submodule_search_locations:
        raise DeviceUnavailable(NOT_INSTALLED)
    path = Path(spec.submodule_search_locations[0], "assets", "u2.jar")
    if not path.is_file():
        raise DeviceUnavailable(f"{path} is missing: install uiautomator2 again")
    return path


class _Response:
    """A response of HTTP."""

    __slots__ = ("body", "closes", "status")

    def __init__(self, status: int, body: bytes, closes: bool) -> None:
        self.status, self.body, self.closes = status, body, closes


def _read_response(connection: socket.socket) -> _Response:
    content = bytearray()
    while b"\r\n\r\n" not in content:
        content += _part(connection)
    head, _, rest = bytes(content).partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
    status = int(lines[0].split(" ")[1])
    closes = headers.get("connection", "").lower() == "close"
    body = bytearray(rest)
    if headers.get("transfer-encoding", "").lower() == "chunked":
        return _Response(status, _unchunked(connection, body), closes)
    size = int(headers.get("content-length", "0"))
    while len(body) < size:
        body += _part(connection)
        if len(body) > MOST_ANSWER:
            raise ValueError("an answer of more than 64 MB")
    return _Response(status, bytes(body[:size]), closes)


def _unchunked(connection: socket.socket, content: bytearray) -> bytes:
    body = bytearray()
    while True:
        while b"\r\n" not in content:
            content += _part(connection)
        line, _, rest = bytes(content).partition(b"\r\n")
        size = int(line.split(b";")[0], 16)
        content = bytearray(rest)
        while len(content) < size + 2:
            content += _part(connection)
        if size == 0:
            return bytes(body)
        body += content[:size]
        del content[: size + 2]
        if len(body) > MOST_ANSWER:
            raise ValueError("an answer of more than 64 MB")


def _part(connection: socket.socket) -> bytes:
    part = connection.recv(1 << 16)
    if not part:
        raise ConnectionError("it closed the connection")
    return part

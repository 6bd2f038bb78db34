"""The process of `fewtaps mcp`: damaged messages, signals, a client that leaves in the middle of a call."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from processes import started

pytestmark = pytest.mark.slow

VERSION = "2025-06-18"
WITHIN_SECONDS = 30.0
"""Far more than it takes, for a busy machine."""


class Wire:
    """Messages as lines on the pipes of a server."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self._number = 0

    def send(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def begin(self) -> None:
        about = {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        assert self.ask("initialize", about)["serverInfo"]["name"] == "fewtaps"
        self.send(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}))

    def request(self, method: str, params: dict[str, Any]) -> int:
        self._number += 1
        self.send(json.dumps({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}))
        return self._number

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """The result of a request; other messages are passed over."""
        number = self.request(method, params)
        while (message := self.receive()).get("id") != number:
            pass
        result = message["result"]
        assert isinstance(result, dict)
        return result

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def receive(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        message = json.loads(self.process.stdout.readline())
        assert isinstance(message, dict)
        return message


def command(folder: Path) -> list[str]:
    return [sys.executable, "-m", "fewtaps", "mcp", "--allow", str(folder)]


def begin_run(wire: Wire) -> None:
    """Opens an app and begins a run that would take minutes; returns when it is under way."""
    wire.begin()
    assert not wire.call("open_app", app="sim:bill")["isError"]
    params = {"name": "run", "arguments": {"app": "sim:bill", "minutes": 10}, "_meta": {"progressToken": "run"}}
    wire.request("tools/call", params)
    while wire.receive().get("method") != "notifications/progress":
        pass


def test_damaged_and_huge_messages_are_survived(tmp_path: Path) -> None:
    with started(command(tmp_path), stdin=subprocess.PIPE) as process:
        wire = Wire(process)
        wire.begin()
        for line in (
            "",
            "{",
            "[]",
            "null",
            '"text"',
            "\x01\x02",
            '{"jsonrpc": "2.0"}',
            "[" * 100_000,
            "x" * 10_000_000,
        ):
            wire.send(line)
        wire.send(
            json.dumps({"jsonrpc": "2.0", "id": "big", "method": "tools/call", "params": {"name": "y" * 5_000_000}})
        )
        answer = wire.call("open_app", app="sim:bill")
        assert answer["structuredContent"]["ending"] == "running"
        wire.send(json.dumps({"jsonrpc": "2.0", "id": "bad", "method": "tools/call", "params": {"name": 7}}))
        wire.send(json.dumps({"jsonrpc": "2.0", "id": "none", "method": "no/such/method"}))
        assert wire.call("screen")["structuredContent"] == answer["structuredContent"]
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(WITHIN_SECONDS) == 0
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_the_server_while_a_run_goes_on(number: signal.Signals, code: int, tmp_path: Path) -> None:
    with started(command(tmp_path), stdin=subprocess.PIPE) as process:
        begin_run(Wire(process))
        process.send_signal(number)
        _, errors = process.communicate(timeout=WITHIN_SECONDS)
    assert process.returncode == code
    assert "Traceback" not in errors


def test_the_server_ends_with_a_client_that_leaves_while_a_run_goes_on(tmp_path: Path) -> None:
    with started(command(tmp_path), stdin=subprocess.PIPE) as process:
        begin_run(Wire(process))
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        process.stdout.close()
        process.stdin.close()
        began = time.monotonic()
        assert process.wait(WITHIN_SECONDS) == 0
        assert time.monotonic() - began < WITHIN_SECONDS
        assert "Traceback" not in process.stderr.read()
    # What the run found is kept, and the project can be used again.
    again = subprocess.run(
        [sys.executable, "-m", "fewtaps", "crashes", str(tmp_path / "fewtaps-bill")], capture_output=True, text=True
    )
    assert again.returncode == 0

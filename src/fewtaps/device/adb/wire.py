"""The adb server's own protocol: lists devices, runs shell commands, opens streams, pushes files.

A request is four hexadecimal digits with its length, then its text; the answer begins with OKAY or FAIL. Every failure
becomes an error of fewtaps here: DeviceUnavailable before a device answers, DeviceLost afterwards.
"""

from __future__ import annotations

import os
import select
import shutil
import socket
import struct
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from fewtaps.errors import DeviceLost, DeviceUnavailable
from fewtaps.model.event import printable

SERVER_PORT = 5037
CONNECT_SECONDS = 3.0
START_SECONDS = 20.0
ANSWER_SECONDS = 30.0
"""Longest silence of a device in an ordinary command."""
LONGEST_REQUEST = 0xFFFF
PUSHED_AT_ONCE = 64 << 10
MOST_OUTPUT = 64 << 20
"""Bytes of one command's output that are read."""


@dataclass(frozen=True, slots=True)
class ShellAnswer:
    """The output of a command, standard error included, and its exit status."""

    text: str
    status: int


def adb_program() -> str | None:
    """The program `adb`: the one on the PATH, else the one inside the package adbutils; None without both."""
    found = os.environ.get("ADBUTILS_ADB_PATH") or shutil.which("adb")
    if found:
        return found
    spec = find_spec("adbutils")
    if spec is None or not spec.submodule_search_locations:
        return None
    carried = Path(spec.submodule_search_locations[0], "binaries", "adb")
    return str(carried) if os.access(carried, os.X_OK) else None


class AdbServer:
    """The adb server of this machine, which is started when it does not run yet."""

    def __init__(self, port: int | None = None, host: str | None = None) -> None:
        self.host = host or os.environ.get("ANDROID_ADB_SERVER_HOST") or "127.0.0.1"
        self.port = port or _port_from(os.environ.get("ANDROID_ADB_SERVER_PORT", ""))

    @property
    def is_running(self) -> bool:
        """Whether it answers; asking does not start it."""
        try:
            self._dial().close()
        except OSError:
            return False
        return True

    def ask(self, request: str) -> str:
        """The answer to a question of one line. Raises DeviceUnavailable."""
        with self._connected() as connection:
            try:
                _send(connection, request)
                _expect_okay(connection)
                return _read_block(connection)
            except (OSError, _AdbRefusal) as error:
                raise DeviceUnavailable(f"the adb server does not answer {request}: {_words(error)}") from error

    def open(self, serial: str, service: str, seconds: float = ANSWER_SECONDS) -> socket.socket:
        """A stream to a service of a device. Raises DeviceLost."""
        try:
            connection = self._connect()
        except DeviceUnavailable as error:
            raise DeviceLost(f"{serial}: {error}") from error
        try:
            connection.settimeout(seconds)
            _send(connection, f"host:transport:{serial}")
            _expect_okay(connection)
            _send(connection, service)
            _expect_okay(connection)
        except (OSError, _AdbRefusal) as error:
            connection.close()
            raise DeviceLost(f"{serial}: {_words(error)}") from error
        except BaseException:
            connection.close()
            raise
        return connection

    @contextmanager
    def _connected(self) -> Iterator[socket.socket]:
        connection = self._connect()
        try:
            yield connection
        finally:
            connection.close()

    def _connect(self) -> socket.socket:
        try:
            return self._dial()
        except OSError:
            self._start()
        try:
            return self._dial()
        except OSError as error:
            place = f"{self.host}:{self.port}"
            raise DeviceUnavailable(f"no adb server answers on {place}: {error.strerror or error}") from error

    def _dial(self) -> socket.socket:
        connection = socket.create_connection((self.host, self.port), CONNECT_SECONDS)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.settimeout(ANSWER_SECONDS)
        return connection

    def _start(self) -> None:
        program = adb_program()
        if program is None:
            raise DeviceUnavailable(
                "there is no adb on this machine: install Android's platform-tools, or pip install 'fewtaps[adb]'"
            )
        try:
            subprocess.run(
                [program, "-P", str(self.port), "start-server"],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=START_SECONDS,
                check=False,
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise DeviceUnavailable(f"{program} does not start: {_words(error)}") from error


class AdbWire:
    """One device, as the adb server reaches it. `round_trips` counts what was asked of it."""

    def __init__(self, server: AdbServer, serial: str) -> None:
        self.server = server
        self.serial = serial
        self.round_trips = 0

    def open(self, service: str, seconds: float = ANSWER_SECONDS) -> socket.socket:
        """A stream to a service. Raises DeviceLost."""
        self.round_trips += 1
        return self.server.open(self.serial, service, seconds)

    def shell(self, command: str, seconds: float = ANSWER_SECONDS) -> ShellAnswer:
        """Runs a command in the device's shell. Raises DeviceLost."""
        # The status is printed by the shell itself: devices before Android 7 have no other way to tell it.
        output = self.read_all(f'shell:{command}; echo "\nfewtaps-status:$?"', seconds)
        return parse_answer(output.decode("utf-8", "replace"))

    def read_all(self, service: str, seconds: float = ANSWER_SECONDS) -> bytes:
        """All that a service writes until it ends; `seconds` is the longest silence. Raises DeviceLost."""
        connection = self.open(service, seconds)
        parts: list[bytes] = []
        size = 0
        try:
            while part := connection.recv(1 << 16):
                parts.append(part)
                size += len(part)
                if size > MOST_OUTPUT:
                    raise DeviceLost(f"{self.serial}: a command writes more than {MOST_OUTPUT >> 20} MB")
        except OSError as error:
            raise DeviceLost(f"{self.serial}: {_words(error)}") from error
        finally:
            connection.close()
        return b"".join(parts)

    def push(self, content: bytes, path: str, mode: int = 0o644) -> None:
        """Writes a file of the device. Raises DeviceLost."""
        connection = self.open("sync:", seconds=300)
        try:
            target = f"{path},{0o100000 | mode}".encode()
            connection.sendall(b"SEND" + struct.pack("<I", len(target)) + target)
            for start in range(0, len(content), PUSHED_AT_ONCE):
                part = content[start : start + PUSHED_AT_ONCE]
                connection.sendall(b"DATA" + struct.pack("<I", len(part)) + part)
            connection.sendall(b"DONE" + struct.pack("<I", int(time.time())))
            status = _read_exactly(connection, 8)
            if status[:4] != b"OKAY":
                reason = _read_exactly(connection, min(int.from_bytes(status[4:], "little"), 4096))
                raise DeviceLost(
                    f"{self.serial}: {path} cannot be written: {printable(reason.decode(errors='replace'), 200)}"
                )
        except OSError as error:
            raise DeviceLost(f"{self.serial}: {_words(error)}") from error
        finally:
            connection.close()


class LineStream:
    """The lines of a service that goes on writing, read without waiting."""

    def __init__(self, connection: socket.socket, serial: str) -> None:
        self._connection = connection
        self._serial = serial
        self._rest = b""
        connection.setblocking(False)

    def read(self, seconds: float = 0.0) -> list[str]:
        """The whole lines that are there, or come within this time. Raises DeviceLost at the end of the stream."""
        lines: list[str] = []
        wait = seconds
        while select.select([self._connection], [], [], wait)[0]:
            wait = 0.0
            try:
                part = self._connection.recv(1 << 16)
            except BlockingIOError:
                break
            except OSError as error:
                raise DeviceLost(f"{self._serial}: {_words(error)}") from error
            if not part:
                raise DeviceLost(f"{self._serial}: the log of the device ended; is it still connected?")
            whole, _, self._rest = (self._rest + part).rpartition(b"\n")
            lines += whole.decode("utf-8", "replace").split("\n") if whole else ()
            if len(self._rest) > 1 << 20:
                self._rest = b""
        return [line.rstrip("\r") for line in lines]

    def close(self) -> None:
        """Ends the service; harmless if called twice."""
        self._connection.close()


def parse_answer(output: str) -> ShellAnswer:
    """The output of a command and its status, which the shell printed in a last line of its own."""
    text, mark, status = output.replace("\r\n", "\n").rpartition("\nfewtaps-status:")
    if not mark:
        return ShellAnswer(output, 255)
    return ShellAnswer(text, int(status) if status.strip().isdigit() else 255)


class _AdbRefusal(Exception):
    """The adb server answered FAIL, with a reason."""


def _words(error: BaseException) -> str:
    if isinstance(error, TimeoutError):
        return "no answer in time"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return printable(str(error), 300)


def _port_from(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and 0 < int(text[:6]) < 65536 else SERVER_PORT


def _send(connection: socket.socket, request: str) -> None:
    content = request.encode("utf-8", "replace")
    if len(content) > LONGEST_REQUEST:
        raise _AdbRefusal("a request of more than 64 KB")
    connection.sendall(f"{len(content):04x}".encode() + content)


def _expect_okay(connection: socket.socket) -> None:
    status = _read_exactly(connection, 4)
    if status == b"FAIL":
        raise _AdbRefusal(_read_block(connection))
    if status != b"OKAY":
        raise _AdbRefusal("an answer that is not adb's")


def _read_block(connection: socket.socket) -> str:
    length = _read_exactly(connection, 4)
    try:
        size = int(length, 16)
    except ValueError:
        raise _AdbRefusal("an answer that is not adb's") from None
    return _read_exactly(connection, size).decode("utf-8", "replace")


def _read_exactly(connection: socket.socket, size: int) -> bytes:
    content = bytearray()
    while len(content) < size:
        part = connection.recv(size - len(content))
        if not part:
            raise ConnectionError("the connection ended")
        content += part
    return bytes(content)

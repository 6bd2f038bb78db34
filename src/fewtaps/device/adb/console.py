"""The console of an Android emulator, which keeps and loads snapshots: a port of this machine beside adb's."""

from __future__ import annotations

import logging
import re
import socket
from contextlib import suppress
from pathlib import Path

log = logging.getLogger(__name__)

CONNECT_SECONDS = 2.0
ANSWER_SECONDS = 120.0
"""An emulator writes its whole memory into a snapshot."""
TOKEN_FILE = ".emulator_console_auth_token"
MOST_BYTES = 1 << 20
_SERIAL = re.compile(r"emulator-(\d{4,5})")
_END = re.compile(rb"(?:^|\n)(OK|KO)\b[^\n]*\r?\n")


class EmulatorConsole:
    """A connection to the console of one emulator."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection

    def ask(self, command: str) -> str | None:
        """The answer to a command, None if the emulator refuses it or does not answer.

        After a command without an answer there are no further ones: a late answer would be taken for that of the next.
        """
        try:
            self._connection.sendall(f"{command}\n".encode())
            return self._read()
        except OSError as error:
            log.info("the emulator's console does not answer %s: %s", command.partition(" ")[0], error)
            self.close()
            return None

    def greet(self) -> bool:
        """Reads the greeting, and says the token that it asks for."""
        try:
            greeting = self._read()
            if greeting is None:
                return False
            if "Authentication required" in greeting:
                token = (Path.home() / TOKEN_FILE).read_text("utf-8").strip()
                return self.ask(f"auth {token}") is not None
        except (OSError, UnicodeDecodeError):
            return False
        return True

    def close(self) -> None:
        """Leaves the console; harmless if called twice."""
        with suppress(OSError):
            self._connection.close()

    def _read(self) -> str | None:
        answer = b""
        while (end := _END.search(answer)) is None:
            part = self._connection.recv(1 << 16)
            answer += part
            if not part or len(answer) > MOST_BYTES:
                return None
        return answer[: end.start()].decode("utf-8", "replace") if end[1] == b"OK" else None


def open_console(serial: str, host: str) -> EmulatorConsole | None:
    """The console of the emulator with this serial number; None for a phone, and where none answers."""
    found = _SERIAL.fullmatch(serial)
    if found is None:
        return None
    try:
        connection = socket.create_connection((host, int(found[1])), CONNECT_SECONDS)
    except (OSError, OverflowError):
        return None
    connection.settimeout(ANSWER_SECONDS)
    console = EmulatorConsole(connection)
    if not console.greet() or console.ask("avd name") is None:
        console.close()
        return None
    return console

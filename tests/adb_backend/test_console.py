"""The client of an emulator's console."""

from __future__ import annotations

import socket
from contextlib import suppress

from fewtaps.device.adb.console import EmulatorConsole


def test_a_late_answer_is_not_taken_for_that_of_the_next_command() -> None:
    ours, theirs = socket.socketpair()
    with theirs:
        ours.settimeout(0.01)
        console = EmulatorConsole(ours)
        assert console.ask("avd snapshot save a") is None
        with suppress(OSError):
            theirs.sendall(b"OK\r\n")
        assert console.ask("avd snapshot load b") is None


def test_a_command_that_is_refused_does_not_end_the_conversation() -> None:
    ours, theirs = socket.socketpair()
    with theirs:
        theirs.sendall(b"KO: no such snapshot\r\n")
        console = EmulatorConsole(ours)
        assert console.ask("avd snapshot load a") is None
        theirs.sendall(b"name\r\nOK\r\n")
        assert console.ask("avd name") == "name\r"
        console.close()

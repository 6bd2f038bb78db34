"""Tells a running adb server of a new device, as Android's emulator does."""

from __future__ import annotations

import contextlib
import socket

ADB_SERVER_PORT = 5037
SECONDS = 1.0


def announce(port: int, server_port: int) -> None:
    """Names the device's port to the adb server; nothing happens where none is running."""
    request = f"host:emulator:{port}"
    with (
        contextlib.suppress(OSError),
        socket.create_connection(("127.0.0.1", server_port), timeout=SECONDS) as connection,
    ):
        connection.sendall(f"{len(request):04x}{request}".encode())

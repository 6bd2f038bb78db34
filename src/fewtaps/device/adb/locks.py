"""One user per device: a lock for each serial number, which the kernel releases when its holder ends."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
from pathlib import Path

from fewtaps.cache import cache_dir
from fewtaps.files import refusal


def device_file(serial: str, suffix: str) -> Path:
    """The file in which something is kept for a device, whatever characters its serial number has."""
    readable = re.sub(r"[^A-Za-z0-9.-]", "_", serial)[:60]
    digest = hashlib.blake2b(serial.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return cache_dir() / "adb" / f"{readable}-{digest}{suffix}"


class SerialLock:
    """The lock of one serial number."""

    def __init__(self, serial: str) -> None:
        self.path = device_file(serial, ".lock")
        self._handle: int | None = None

    def take(self) -> int | None:
        """Takes the lock; None if that succeeded, else the process that has it, 0 if that is not known."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise refusal(self.path, error) from error
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = os.read(handle, 20).strip()
            os.close(handle)
            return int(holder) if holder.isdigit() else 0
        os.ftruncate(handle, 0)
        os.write(handle, str(os.getpid()).encode())
        self._handle = handle
        return None

    def release(self) -> None:
        """Gives it back; harmless if called twice."""
        handle, self._handle = self._handle, None
        if handle is not None:
            os.close(handle)

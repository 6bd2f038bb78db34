"""A machine of a farm: a process for each slot, started again when it ends, and none left when this process is gone."""

from __future__ import annotations

import ctypes
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fewtaps.errors import DeviceUnavailable
from fewtaps.farm.address import FarmAddress
from fewtaps.python_child import python_command
from fewtaps.temporary import temporary_folder

log = logging.getLogger(__name__)

FAST_ENDS = 5
"""Ends of a slot's process in a row, each within `FAST_SECONDS`, after which the slot is not started again."""
FAST_SECONDS = 20.0
STOP_SECONDS = 10.0
"""Seconds that slots get to close their devices before they are killed."""
FAILED = 3
"""Exit code of a slot that found no hub or device; it may find one later."""
REFUSED = 4
"""Exit code of a slot that cannot be of this farm."""
_PR_SET_PDEATHSIG = 1

OnSlot = Callable[[str], None]
"""Called with a line for the user when a slot is ready, ends or is given up."""


@dataclass(slots=True)
class _Place:
    """One slot of this machine and its process."""

    device: str
    process: subprocess.Popen[bytes] | None = None
    began: float = 0.0
    ends: int = 0
    not_before: float = 0.0
    is_given_up: bool = False
    reason: str = ""
    ready: bool = field(default=False)


def run_worker(address: FarmAddress, devices: Sequence[str], tell: OnSlot) -> None:
    """Keeps a slot for each device at work until it is interrupted.

    Raises DeviceUnavailable when no slot is left, with the reason of the last one.
    """
    places = [_Place(device) for device in devices]
    with temporary_folder() as folder:
        try:
            while any(not place.is_given_up for place in places):
                for number, place in enumerate(places, 1):
                    _look_after(place, number, address, folder, tell)
                time.sleep(0.1)
        finally:
            _stop([place.process for place in places if place.process is not None])
    raise DeviceUnavailable(next((place.reason for place in reversed(places) if place.reason), "no slot is left"))


def _look_after(place: _Place, number: int, address: FarmAddress, folder: Path, tell: OnSlot) -> None:
    now = time.monotonic()
    if place.process is None:
        if not place.is_given_up and now >= place.not_before:
            place.process, place.began, place.ready = _start(place.device, number, address, folder), now, False
        return
    mark = folder / f"ready-{place.process.pid}"
    if not place.ready and mark.exists():
        place.ready = True
        tell(f"slot {mark.read_text('utf-8')} is ready ({place.device})")
    code = place.process.poll()
    if code is None:
        return
    reason_file = folder / f"reason-{place.process.pid}"
    place.reason = reason_file.read_text("utf-8") if reason_file.exists() else f"its process ended with {code}"
    place.process = None
    place.ends = place.ends + 1 if now - place.began < FAST_SECONDS else 1
    place.not_before = now + min(2.0 ** (place.ends - 1) / 2, 10)
    if code == REFUSED or place.ends >= FAST_ENDS:
        place.is_given_up = True
        tell(f"a slot is given up: {place.reason}")
    else:
        tell(f"a slot has ended and is started again: {place.reason}")


def _start(device: str, number: int, address: FarmAddress, folder: Path) -> subprocess.Popen[bytes]:
    command = python_command("fewtaps.farm.slot_process", str(address), str(address.certs or ""), device)
    local = folder / f"slot-{number}"
    local.mkdir(exist_ok=True)
    parent = os.getpid()
    # Without a session of its own a Ctrl-C in the terminal would reach the slots before this process can end them.
    return subprocess.Popen(
        [*command, str(local), str(parent)], stdin=subprocess.DEVNULL, start_new_session=True, cwd=local
    )


def die_with_parent(number: int = signal.SIGTERM) -> None:
    """Lets the kernel send this process a signal when its parent ends; on Linux."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, number, 0, 0, 0)


def end_with_parent(parent: int) -> None:
    """Lets the kernel kill this process when its parent ends, however it ends; exits if it has ended already."""
    die_with_parent(signal.SIGKILL)
    if os.getppid() != parent:
        raise SystemExit(FAILED)


def _stop(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    for process in processes:
        process.terminate()
    deadline = time.monotonic() + STOP_SECONDS
    for process in processes:
        try:
            process.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

"""Settings of a device that are changed while it is used: what they were stays in a file until they are put back."""

from __future__ import annotations

import json
import logging
import shlex
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from fewtaps.device.adb.locks import device_file
from fewtaps.device.adb.wire import AdbWire
from fewtaps.errors import DeviceError
from fewtaps.files import write_inside

log = logging.getLogger(__name__)

WANTED: tuple[tuple[str, str, str], ...] = (
    ("global", "window_animation_scale", "0"),
    ("global", "transition_animation_scale", "0"),
    ("global", "animator_duration_scale", "0"),
    ("global", "stay_on_while_plugged_in", "7"),
    ("global", "hide_error_dialogs", "1"),
    ("secure", "autofill_service", "null"),
    ("system", "accelerometer_rotation", "0"),
    ("system", "user_rotation", "0"),
)
"""Table, name and value: no animations, the screen stays on and upright, no dialogs about crashes, no autofill."""
WAKING = ("input keyevent KEYCODE_WAKEUP", "wm dismiss-keyguard")


class KeptSettings:
    """The settings of one device as they were before its use."""

    def __init__(self, wire: AdbWire) -> None:
        self._wire = wire
        self._path = device_file(wire.serial, ".settings.json")
        self._undone_later: set[str] = set()

    @property
    def path(self) -> Path:
        """The file that is there while the device has other settings than its owner's."""
        return self._path

    def change(self) -> None:
        """Keeps the old settings, then makes the changes. What an earlier command left is put back first."""
        self.restore()
        names = "; ".join(f"settings get {table} {name}" for table, name, _ in WANTED)
        values = self._wire.shell(names).text.split("\n")
        old = [value.strip() for value in values[: len(WANTED)]]
        old += ["null"] * (len(WANTED) - len(old))
        restoring = [_put_back(table, name, value) for (table, name, _), value in zip(WANTED, old, strict=True)]
        self._keep(restoring)
        self._wire.shell("; ".join([*(_put(*each) for each in WANTED), *WAKING]))

    def undo_later(self, name: str, make: Callable[[], str]) -> None:
        """Adds the command that undoes the first of the changes of this name, to be run when the settings are put back.

        `make` asks the device for what was there before; an empty command undoes nothing.
        """
        if name in self._undone_later:
            return
        command = make()
        self._undone_later.add(name)
        commands = self._read()
        if command and command not in commands:
            self._keep([*commands, command])

    def restore(self) -> None:
        """Puts everything back that a file says was changed. A device that is gone gets it at the next use."""
        commands = self._read()
        if not commands:
            return
        try:
            self._wire.shell("; ".join(commands))
        except DeviceError as error:
            log.warning("the settings of %s are put back when it is used again: %s", self._wire.serial, error)
            return
        with suppress(OSError):
            self._path.unlink()

    def _keep(self, commands: Sequence[str]) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        write_inside(self._path, json.dumps(list(commands), indent=1).encode())

    def _read(self) -> list[str]:
        try:
            content = json.loads(self._path.read_text("utf-8"))
        except (OSError, ValueError):
            return []
        if not isinstance(content, list):
            return []
        return [each for each in content if isinstance(each, str)]


def _put(table: str, name: str, value: str) -> str:
    return f"settings put {table} {name} {shlex.quote(value)}"


def _put_back(table: str, name: str, value: str) -> str:
    # "null" is how a device tells that a setting was never made.
    return f"settings delete {table} {name}" if value == "null" else _put(table, name, value)

"""A stand-in for the module `uiautomator2`: a phone whose widgets, crashes and answers a JSON file tells.

It is copied beside an exported test under the name of the real module and writes what was asked of it to `calls.json`.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

HERE = Path(__file__).parent


def connect(serial: str | None = None) -> Device:
    return Device(json.loads((HERE / "phone.json").read_text("utf-8")))


class Device:
    def __init__(self, phone: dict[str, Any]) -> None:
        self._widgets: list[dict[str, Any]] = phone["widgets"]
        self._crash_after = phone["crash_after"]
        self._log = phone["log"]
        self._current: dict[str, Any] = phone.get("current", {})
        self._calls: list[list[Any]] = []

    def __call__(self, **names: Any) -> Found:
        fitting = [each for each in self._widgets if all(_fits(each, name, value) for name, value in names.items())]
        return Found(self, fitting)

    def shell(self, command: str) -> SimpleNamespace:
        if command.startswith("logcat -d"):
            happened = self._crash_after is not None and len(self._calls) >= self._crash_after
            return SimpleNamespace(output=self._log if happened else "")
        if not command.startswith("logcat"):
            self._record("shell", command)
        return SimpleNamespace(output="")

    @property
    def orientation(self) -> str:
        return "natural"

    @orientation.setter
    def orientation(self, value: str) -> None:
        assert value in ("natural", "left", "right", "upsidedown")
        self._record("orientation", value)

    def click(self, x: int, y: int) -> None:
        self._record("click", x, y)

    def long_click(self, x: int, y: int, duration: float = 0.5) -> None:
        self._record("long_click", x, y, duration)

    def double_click(self, x: int, y: int, duration: float = 0.1) -> None:
        self._record("double_click", x, y)

    def swipe(self, fx: int, fy: int, tx: int, ty: int, duration: float | None = None) -> None:
        self._record("swipe", fx, fy, tx, ty, duration)

    def drag(self, sx: int, sy: int, ex: int, ey: int, duration: float = 0.5) -> None:
        self._record("drag", sx, sy, ex, ey, duration)

    def send_keys(self, text: str, clear: bool = False) -> None:
        self._record("send_keys", text, clear)

    def press(self, key: int | str) -> None:
        self._record("press", key)

    def app_current(self) -> dict[str, Any]:
        return self._current

    def app_start(self, package: str) -> None:
        self._record("app_start", package)

    def app_stop(self, package: str) -> None:
        pass

    def app_clear(self, package: str) -> None:
        pass

    def app_auto_grant_permissions(self, package: str) -> None:
        pass

    def freeze_rotation(self, frozen: bool = True) -> None:
        pass

    def _record(self, *call: Any) -> None:
        self._calls.append(list(call))
        target = HERE / "calls.json"
        part = target.with_suffix(".part")
        part.write_text(json.dumps(self._calls), "utf-8")
        os.replace(part, target)


class Found:
    def __init__(self, device: Device, widgets: list[dict[str, Any]]) -> None:
        self._device = device
        self._widgets = widgets

    @property
    def count(self) -> int:
        return len(self._widgets)

    def __getitem__(self, number: int) -> Found:
        return Found(self._device, [self._widgets[number]])

    @property
    def info(self) -> dict[str, Any]:
        widget = self._widgets[0]
        return {"text": widget.get("text", ""), "checked": widget.get("checked", False)}

    def center(self) -> tuple[int, int]:
        x, y = self._widgets[0]["at"]
        return x, y

    def gesture(self, *fingers: tuple[int, int]) -> None:
        assert len(fingers) == 4
        self._device._record("gesture", *fingers)


def _fits(widget: dict[str, Any], name: str, value: Any) -> bool:
    if name == "textMatches":
        return str(widget.get("text", "")).casefold() == str(value).removeprefix("(?i)").replace("\\", "").casefold()
    assert name in ("resourceId", "text", "description", "className"), name
    return bool(widget.get(name) == value)

"""A stand-in for Appium's Python client, where that is not installed: as much of it as an exported test uses.

It is copied beside an exported test, below small modules with the names of the real ones, and speaks to `fake_appium`.
"""

from __future__ import annotations

import json
from typing import Any
from urllib.request import Request, urlopen

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
MODULES = {
    "appium/__init__.py": "",
    "appium/webdriver/__init__.py": "from fake_appium_client import Remote\n",
    "appium/webdriver/common/__init__.py": "",
    "appium/webdriver/common/appiumby.py": "from fake_appium_client import AppiumBy\n",
    "appium/options/__init__.py": "",
    "appium/options/android.py": "from fake_appium_client import UiAutomator2Options\n",
}


class AppiumBy:
    ID = "id"
    XPATH = "xpath"
    ACCESSIBILITY_ID = "accessibility id"
    CLASS_NAME = "class name"


class UiAutomator2Options:
    pass


class Remote:
    def __init__(self, address: str, *, options: UiAutomator2Options) -> None:
        self._address = address
        self._ask("POST", "/session", {"capabilities": {}})
        self.switch_to = SwitchTo(self)

    def command(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        return self._ask(method, f"/session/one{path}", body)

    def _ask(self, method: str, path: str, body: dict[str, Any] | None) -> Any:
        content = None if body is None else json.dumps(body).encode()
        with urlopen(Request(self._address + path, content, method=method), timeout=60) as reply:
            return json.load(reply)["value"]

    def find_elements(self, by: str, value: str) -> list[Element]:
        found = self.command("POST", "/elements", {"using": by, "value": value})
        return [Element(self, each[ELEMENT]) for each in found]

    def execute_script(self, script: str, arguments: dict[str, Any]) -> Any:
        return self.command("POST", "/execute/sync", {"script": script, "args": [arguments]})

    def get_log(self, name: str) -> list[dict[str, Any]]:
        return list(self.command("POST", "/se/log", {"type": name}))

    def tap(self, positions: list[tuple[int, int]]) -> None:
        self._touch(*positions)

    def swipe(self, x1: int, y1: int, x2: int, y2: int, duration: int = 0) -> None:
        self._touch((x1, y1), (x2, y2))

    def _touch(self, *points: tuple[int, int]) -> None:
        moves = [{"type": "pointerMove", "x": x, "y": y} for x, y in points]
        self.command("POST", "/actions", {"actions": [{"actions": moves}]})

    def press_keycode(self, code: int) -> None:
        self.execute_script("mobile: pressKey", {"keycode": code})

    def activate_app(self, package: str) -> None:
        self.execute_script("mobile: activateApp", {"appId": package})

    def terminate_app(self, package: str) -> None:
        self.execute_script("mobile: terminateApp", {"appId": package})

    @property
    def current_package(self) -> str:
        return str(self.execute_script("mobile: getCurrentPackage", {}))

    @property
    def current_activity(self) -> str:
        return str(self.execute_script("mobile: getCurrentActivity", {}))

    @property
    def orientation(self) -> str:
        return "PORTRAIT"

    @orientation.setter
    def orientation(self, value: str) -> None:
        self.command("POST", "/orientation", {"orientation": value})

    def quit(self) -> None:
        self.command("DELETE", "")


class SwitchTo:
    def __init__(self, driver: Remote) -> None:
        self._driver = driver

    @property
    def active_element(self) -> Element:
        return Element(self._driver, self._driver.command("GET", "/element/active")[ELEMENT])


class Element:
    def __init__(self, driver: Remote, number: str) -> None:
        self._driver = driver
        self._path = f"/element/{number}"

    @property
    def rect(self) -> dict[str, int]:
        return dict(self._driver.command("GET", f"{self._path}/rect"))

    @property
    def text(self) -> str:
        return str(self._driver.command("GET", f"{self._path}/text"))

    def get_attribute(self, name: str) -> Any:
        return self._driver.command("GET", f"{self._path}/attribute/{name}")

    def find_elements(self, by: str, value: str) -> list[Element]:
        return list(self._driver.command("POST", f"{self._path}/elements", {"using": by, "value": value}))

    def clear(self) -> None:
        self._driver.command("POST", f"{self._path}/clear", {})

    def send_keys(self, text: str) -> None:
        self._driver.command("POST", f"{self._path}/value", {"text": text})

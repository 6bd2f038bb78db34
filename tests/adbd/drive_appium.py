"""Drives a served device by Appium's own server and Python client; ends with the number of calls that worked.

Run with the serial number, the port of the adb server, the folder that `npm install appium
appium-uiautomator2-driver` filled, and a folder for logs.
"""

from __future__ import annotations

import base64
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from appium import webdriver
from appium.options.android import UiAutomator2Options
from appium.webdriver.common.appiumby import AppiumBy
from selenium.common.exceptions import NoAlertPresentException, NoSuchElementException
from selenium.webdriver import ActionChains

PACKAGE = "com.example.bill"
SESSION_SECONDS = 60


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def appium_server(folder: Path, logs: Path) -> Iterator[str]:
    """Appium's server on a port of its own."""
    port = free_port()
    command = [str(folder / "node_modules" / ".bin" / "appium"), "server", "-p", str(port), "--address", "127.0.0.1"]
    with (logs / "appium.log").open("wb") as log:
        process = subprocess.Popen([*command, "--log-no-colors"], cwd=folder, stdout=log, stderr=subprocess.STDOUT)
        try:
            for _ in range(600):
                try:
                    with urllib.request.urlopen(f"http://127.0.0.1:{port}/status", timeout=5):
                        break
                except OSError:
                    assert process.poll() is None, "Appium's server ended"
                    time.sleep(0.1)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(30)


def main(serial: str, adb_port: int, folder: Path, logs: Path) -> None:
    options = UiAutomator2Options()
    options.load_capabilities(
        {
            "appium:udid": serial,
            "appium:adbPort": adb_port,
            "appium:systemPort": free_port(),
            "appium:appPackage": PACKAGE,
            "appium:appActivity": f"{PACKAGE}.Main",
            "appium:newCommandTimeout": SESSION_SECONDS,
        }
    )
    with appium_server(folder, logs) as url:
        driver = webdriver.Remote(url, options=options)
        try:
            calls = drive(driver)
        finally:
            driver.quit()
    sys.stdout.write(f"{calls} calls\n")


def drive(d: Any) -> int:
    done: list[str] = []

    def check(name: str, call: Callable[[], Any], wanted: Any = None) -> Any:
        found = call()
        fits = wanted(found) if callable(wanted) else wanted is None or found == wanted
        assert fits, f"{name}: {found!r}"
        done.append(name)
        return found

    def by(strategy: str, text: str) -> Any:
        return d.find_element(strategy, text)

    def raises(error: type[Exception], call: Callable[[], Any]) -> bool:
        try:
            call()
        except error:
            return True
        return False

    total = check("id", lambda: by(AppiumBy.ID, f"{PACKAGE}:id/total"))
    split = check("short id", lambda: by(AppiumBy.ID, "split"))
    check("xpath", lambda: by(AppiumBy.XPATH, "//*[@text='Split']").text, "Split")
    check("xpaths", lambda: len(d.find_elements(AppiumBy.XPATH, "//android.widget.Button")), 3)
    check("class name", lambda: len(d.find_elements(AppiumBy.CLASS_NAME, "android.widget.Button")), 3)
    check("accessibility id", lambda: d.find_elements(AppiumBy.ACCESSIBILITY_ID, "none"), [])
    uiautomator = AppiumBy.ANDROID_UIAUTOMATOR
    check("UiSelector", lambda: by(uiautomator, 'new UiSelector().textContains("More")').text, "More people")
    into = 'new UiScrollable(new UiSelector()).scrollIntoView(new UiSelector().text("About"))'
    check("UiScrollable", lambda: by(uiautomator, into).text, "About")
    check("css selector", lambda: by(AppiumBy.CSS_SELECTOR, "#total").id, lambda found: found != "")
    check("no such element", lambda: raises(NoSuchElementException, lambda: by(AppiumBy.ID, "none")), True)
    check("no alert", lambda: raises(NoAlertPresentException, lambda: d.switch_to.alert.text), True)
    check("clear", total.clear)
    check("send_keys", lambda: total.send_keys("4"))
    check("send_keys again", lambda: total.send_keys("2"))
    check("text", lambda: total.text, "42")
    check("attribute", lambda: total.get_attribute("resource-id"), f"{PACKAGE}:id/total")
    check("hint", lambda: total.get_attribute("hint"), "Total")
    check("rect", lambda: split.rect["width"], 720)
    check("location", lambda: split.location["x"], 0)
    check("size", lambda: split.size["height"], 96)
    check("enabled", split.is_enabled, True)
    check("displayed", split.is_displayed, True)
    check("selected", split.is_selected, False)
    check("tag name", lambda: split.tag_name, lambda found: isinstance(found, str))
    check("active element", lambda: d.switch_to.active_element.id, lambda found: found != "")
    check("click", lambda: by(AppiumBy.ID, "more_people").click())
    check("source", lambda: d.page_source, lambda found: found.count("android.widget.Button") >= 3)
    check("screenshot", d.get_screenshot_as_png, lambda found: found[:4] == b"\x89PNG")
    check("picture of an element", lambda: split.screenshot_as_png, lambda found: found[:4] == b"\x89PNG")
    check("swipe", lambda: d.swipe(300, 900, 300, 700, 300))
    check("tap", lambda: d.tap([(5, 1270)]))
    check("actions", lambda: ActionChains(d).click(by(AppiumBy.ID, "more_people")).perform())
    check("orientation", lambda: d.orientation, "PORTRAIT")
    check("rotate", lambda: setattr(d, "orientation", "LANDSCAPE"))
    check("window size", d.get_window_size, {"width": 1280, "height": 720})
    check("rotate back", lambda: setattr(d, "orientation", "PORTRAIT"))
    check("window rect", lambda: d.get_window_rect()["height"], 1280)
    check("current package", lambda: d.current_package, PACKAGE)
    check("current activity", lambda: d.current_activity, lambda found: bool(found))
    check("app state", lambda: d.query_app_state(PACKAGE), 4)
    check("installed", lambda: d.is_app_installed(PACKAGE), True)
    check("not installed", lambda: d.is_app_installed("org.example.none"), False)
    check("locked", d.is_locked, False)
    check("keyboard", d.is_keyboard_shown, lambda found: isinstance(found, bool))
    check("log", lambda: d.get_log("logcat"), lambda found: isinstance(found, list))
    check("settings", lambda: d.update_settings({"waitForIdleTimeout": 0}))
    check("settings again", lambda: d.get_settings()["waitForIdleTimeout"], 0)
    check("device info", lambda: d.execute_script("mobile: deviceInfo")["apiVersion"], "33")
    check("battery", lambda: d.battery_info["level"], 1)
    check("density", d.get_display_density, 320)
    check("bars", lambda: d.get_system_bars()["statusBar"]["height"], 50)
    check("time", lambda: d.device_time, lambda found: bool(found))
    check("contexts", lambda: d.contexts, ["NATIVE_APP"])
    check("key code", lambda: d.press_keycode(24))
    check("long key code", lambda: d.long_press_keycode(24))
    check("push", lambda: d.push_file("/sdcard/x", base64.b64encode(b"hello").decode()))
    check("pull", lambda: base64.b64decode(d.pull_file("/sdcard/x")), b"hello")
    area = {"left": 100, "top": 700, "width": 400, "height": 400}
    for name, more in (
        ("longClickGesture", {"x": 100, "y": 1200, "duration": 1000}),
        ("doubleClickGesture", {"x": 100, "y": 1200}),
        ("dragGesture", {"startX": 100, "startY": 1100, "endX": 100, "endY": 800}),
        ("swipeGesture", {**area, "direction": "up", "percent": 0.75}),
        ("scrollGesture", {**area, "direction": "down", "percent": 1.0}),
        ("flingGesture", {**area, "direction": "down"}),
        ("pinchOpenGesture", {**area, "percent": 0.5}),
        ("pinchCloseGesture", {**area, "percent": 0.5}),
    ):
        check(name, lambda name=name, more=more: d.execute_script(f"mobile: {name}", more))  # type: ignore[misc]
    check("clickGesture", lambda: d.execute_script("mobile: clickGesture", {"elementId": by(AppiumBy.ID, "about").id}))
    check("back", d.back)
    check("terminate", lambda: d.terminate_app(PACKAGE))
    check("app state after its end", lambda: d.query_app_state(PACKAGE), 1)
    check("activate", lambda: d.activate_app(PACKAGE))
    check("start activity", lambda: d.execute_script("mobile: startActivity", {"intent": f"{PACKAGE}/.Main"}))
    check("clear app", lambda: d.execute_script("mobile: clearApp", {"appId": PACKAGE}))
    grant = {"action": "grant", "appPackage": PACKAGE, "permissions": "all"}
    check("permissions", lambda: d.execute_script("mobile: changePermissions", grant))
    check("activate again", lambda: d.activate_app(PACKAGE))
    check("a crash", lambda: by(AppiumBy.ID, "split").click())
    check("app state after a crash", lambda: d.query_app_state(PACKAGE), 1)
    told = [entry["message"] for entry in d.get_log("logcat")]
    check("the crash is in the log", lambda: any("FATAL EXCEPTION" in line for line in told), True)
    return len(done)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]), Path(sys.argv[4]))

"""The exported tests for pytest, run for real: on a stand-in of uiautomator2, and by Appium's client on a fake one."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from exports import fake_appium_client
from exports.fake_appium import AppiumServer
from exports.findings import finding
from exports.test_quoting import hostile
from hypothesis import given

from fewtaps.exports.finding import Finding
from fewtaps.exports.pytests import appium_pytest, uiautomator2_pytest
from fewtaps.model.event import (
    DoubleTap,
    Event,
    Key,
    LongPress,
    Pinch,
    Rotate,
    Selector,
    StartIntent,
    Swipe,
    SystemEvent,
    Tap,
    Text,
    Wait,
)

FAKE = Path(__file__).with_name("fake_uiautomator2.py")
LOG = (
    "E AndroidRuntime: FATAL EXCEPTION: main\nE AndroidRuntime: Process: dev.example, PID: 7\nE AndroidRuntime: boom\n"
)
TIMEOUT_SECONDS = 300

BUTTON = Selector(resource_id="dev.example:id/go", text="Go")
ROW = Selector(resource_id="android:id/text1", text="Second")
WIDGETS: list[dict[str, Any]] = [
    {"resourceId": "dev.example:id/go", "text": "GO", "at": [50, 60]},
    {"resourceId": "android:id/text1", "text": "First", "at": [10, 100]},
    {"resourceId": "android:id/text1", "text": "Second", "at": [10, 200]},
]
EVERYTHING: tuple[Event, ...] = (
    Tap(1, 2, BUTTON),
    Tap(1, 2, ROW),
    Tap(7, 8, Selector(text="gone")),
    LongPress(3, 4),
    DoubleTap(5, 6),
    Swipe(1, 2, 3, 4, 300),
    Swipe(1, 2, 3, 4, 300, hold_ms=600),
    Pinch(50, 50, 10, 40),
    Text('it\'s "$x"\n', replace=True, selector=BUTTON),
    Key("BACK"),
    Rotate("landscape"),
    Wait(1),
    StartIntent("android.intent.action.VIEW", "app://x", extras=(("n", 1),)),
    SystemEvent("broadcast", (("action", "a.b"),)),
)


def run_exported(text: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs an exported test in a process of its own, as a user would run it."""
    (folder / "test_exported.py").write_text(text, "utf-8")
    given = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    given |= {"WAIT": "0", "PAUSE": "0", "PYTHONDONTWRITEBYTECODE": "1", **environment}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        str(folder),
        "test_exported.py",
    ]
    return subprocess.run(
        command, cwd=folder, env=given, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False
    )


def on_fake_phone(found: Finding, folder: Path, crash_after: int | None) -> tuple[int, str, list[list[Any]]]:
    shutil.copy(FAKE, folder / "uiautomator2.py")
    phone = {"widgets": WIDGETS, "crash_after": crash_after, "log": LOG}
    (folder / "phone.json").write_text(json.dumps(phone), "utf-8")
    done = run_exported(uiautomator2_pytest(found).text, folder)
    return done.returncode, done.stdout, json.loads((folder / "calls.json").read_text("utf-8"))


@pytest.mark.slow
def test_on_uiautomator2_every_step_is_played_by_name_or_else_by_place(tmp_path: Path) -> None:
    code, output, calls = on_fake_phone(finding(*EVERYTHING), tmp_path, None)
    assert code == 0, output
    assert calls == [
        ["app_start", "dev.example"],
        ["click", 50, 60],
        ["click", 10, 200],
        ["click", 7, 8],
        ["long_click", 3, 4, 1.0],
        ["double_click", 5, 6],
        ["swipe", 1, 2, 3, 4, 0.3],
        ["drag", 1, 2, 3, 4, 0.3],
        ["gesture", [45, 50], [55, 50], [30, 50], [70, 50]],
        ["click", 50, 60],
        ["send_keys", 'it\'s "$x"', True],
        ["press", "enter"],
        ["press", 4],
        ["orientation", "left"],
        ["shell", "am start -a android.intent.action.VIEW -d app://x --ei n 1"],
        ["shell", "am broadcast -a a.b"],
    ]


@pytest.mark.slow
def test_on_uiautomator2_the_test_fails_with_the_stack_when_the_app_dies(tmp_path: Path) -> None:
    code, output, calls = on_fake_phone(finding(Tap(1, 2, BUTTON), Key("BACK")), tmp_path, 2)
    assert code == 1
    assert "FATAL EXCEPTION: main" in output and "boom" in output
    assert len(calls) == 2, "nothing is done after the crash"


def lend_client(folder: Path) -> None:
    """Puts a stand-in for Appium's client beside a test, unless the real one is installed."""
    if importlib.util.find_spec("appium") is not None:
        return
    shutil.copy(fake_appium_client.__file__, folder)
    for name, content in fake_appium_client.MODULES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, "utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("crash_after", [None, 2])
def test_appium_plays_every_step_and_fails_with_the_stack(tmp_path: Path, crash_after: int | None) -> None:
    lend_client(tmp_path)
    with AppiumServer(WIDGETS, crash_after, LOG) as server:
        done = run_exported(appium_pytest(finding(*EVERYTHING)).text, tmp_path, APPIUM_SERVER=server.address)
        calls = server.calls
    if crash_after is not None:
        assert done.returncode == 1 and "boom" in done.stdout, done.stdout
        assert len(calls) == crash_after
        return
    assert done.returncode == 0, done.stdout
    assert calls == APPIUM_CALLS


APPIUM_CALLS = [
    ["activateApp", "dev.example"],
    ["touch", [50, 60]],
    ["touch", [10, 200]],
    ["touch", [7, 8]],
    ["longClickGesture", 3, 4],
    ["doubleClickGesture", 5, 6],
    ["touch", [1, 2], [3, 4]],
    ["dragGesture", 1, 2, 3, 4],
    ["pinchOpenGesture", 30, 30, 40, 40],
    ["touch", [50, 60]],
    ["clear"],
    ["type", 'it\'s "$x"'],
    ["key", 66],
    ["key", 4],
    ["orientation", "LANDSCAPE"],
    ["startActivity", "android.intent.action.VIEW", "app://x", [["i", "n", "1"]]],
    ["broadcast", "a.b"],
]


@given(hostile)
def test_whatever_the_app_says_stays_a_text(text: str) -> None:
    events = (
        Tap(1, 2, Selector(resource_id=text or None, text=text, description=text)),
        Text(text, selector=Selector(text="field")),
        StartIntent(text, text, text, (text,), ((text, text),), text),
        SystemEvent("broadcast", (("action", text), (text or "x", text))),
        SystemEvent(text or "x"),
    )
    for export in (uiautomator2_pytest, appium_pytest):
        tree = ast.parse(export(finding(*events)).text)
        test = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"))
        for statement in test.body:
            assert isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
            assert ast.unparse(statement.value.func).startswith("phone.")
        typed = next(call for call in ast.walk(test) if isinstance(call, ast.Call) and _name(call) == "phone.type")
        assert ast.literal_eval(typed.args[0]) == text


def _name(call: ast.Call) -> str:
    return ast.unparse(call.func)


def test_what_appium_cannot_say_is_told() -> None:
    losses = appium_pytest(finding(Rotate("reverse_portrait"), SystemEvent("timezone_changed"))).losses
    assert any("upside down" in remark for remark in losses)
    assert any("timezone_changed" in remark for remark in losses)

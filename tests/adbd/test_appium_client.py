"""Appium's own server, its UiAutomator2 driver and its Python client drive a served device.

APPIUM_FOLDER names a folder in which `npm install appium appium-uiautomator2-driver` was run, APPIUM_PYTHON a Python
with `Appium-Python-Client`.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from adbd.rig import ADB, open_rig

FOLDER, PYTHON = os.environ.get("APPIUM_FOLDER", ""), os.environ.get("APPIUM_PYTHON", "")

pytestmark = [
    pytest.mark.skipif(ADB is None, reason="there is no adb on this machine"),
    pytest.mark.skipif(not FOLDER or not PYTHON, reason="APPIUM_FOLDER and APPIUM_PYTHON name no Appium"),
    pytest.mark.slow,
]


def test_appium_drives_the_device_by_eighty_calls(tmp_path: Path) -> None:
    assert ADB is not None
    with open_rig(tmp_path) as rig:
        tools = Path(ADB).resolve().parent
        rig.environment |= {"ANDROID_HOME": str(tools.parent), "PATH": os.environ["PATH"]}
        script = Path(__file__).with_name("drive_appium.py")
        words = [PYTHON, str(script), rig.serial, str(rig.adb_port), FOLDER, str(tmp_path)]
        answer = rig.run(words, seconds=280)
        log = tmp_path / "appium.log"
        assert answer.status == 0, (answer, log.read_text("utf-8", "replace")[-3000:] if log.exists() else "")
        calls = re.fullmatch(r"(\d+) calls\n", answer.text)
        assert calls and int(calls[1]) >= 75
        assert rig.runs[-1].crash is not None

"""Scripts that fewtaps exports crash the served app again, run by the real adb."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from adbd.rig import ADB, Rig, open_rig

from fewtaps.cli.main import main
from fewtaps.formats.adbwriter import write_adb_script
from fewtaps.formats.monkeywriter import write_monkey_script
from fewtaps.model.event import Event, LongPress, Selector, Swipe, Tap, Text
from fewtaps.model.trace import Trace
from fewtaps.replay import play
from fewtaps.tracefile import write_trace

pytestmark = [pytest.mark.skipif(ADB is None, reason="there is no adb on this machine"), pytest.mark.slow]

TOTAL = Selector(resource_id="com.example.bill:id/total")


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    with open_rig(tmp_path) as opened:
        yield opened


def crash(rig: Rig) -> Trace:
    """A run that ends with a crash: a total is typed and split among nobody."""
    events: list[Event] = [LongPress(360, 570), Text("5", selector=TOTAL), Swipe(300, 900, 300, 700), Tap(360, 380)]
    trace = play(rig.phone.session, events)
    assert trace.crash is not None
    return trace


def test_an_exported_adb_script_crashes_the_served_app(rig: Rig) -> None:
    wanted = crash(rig)
    script, _ = write_adb_script(wanted)
    path = rig.folder / "crash.sh"
    path.write_text(script)
    rig.environment |= {"ANDROID_SERIAL": rig.serial, "FRESH": "1", "PAUSE": "0", "PATH": os.environ["PATH"]}
    answer = rig.run(["sh", str(path)])
    assert answer.status == 0, answer
    assert rig.runs[-1].crash == wanted.crash


def test_an_exported_monkey_script_crashes_the_served_app(rig: Rig) -> None:
    wanted = crash(rig)
    script, _ = write_monkey_script(wanted)
    path = rig.folder / "crash.monkey"
    path.write_text(script)
    assert rig.adb("push", str(path), "/sdcard/crash.monkey").status == 0
    rig.adb("shell", "pm clear com.example.bill")
    answer = rig.adb("shell", "monkey -p com.example.bill -f /sdcard/crash.monkey 1")
    assert "// CRASH: com.example.bill" in answer.text, answer
    assert rig.runs[-1].crash == wanted.crash


@pytest.mark.skipif(importlib.util.find_spec("uiautomator2") is None, reason="uiautomator2 is not installed")
def test_an_exported_script_of_uiautomator2_crashes_the_served_app(rig: Rig) -> None:
    wanted = crash(rig)
    trace, script = rig.folder / "crash.jsonl", rig.folder / "crash.py"
    write_trace(trace, wanted)
    assert main(["export", "uiautomator2", "sim:bill", str(trace), "-o", str(script)]) == 0
    rig.adb("shell", "pm clear com.example.bill")
    rig.environment |= {"ANDROID_SERIAL": rig.serial, "PAUSE": "0"}
    answer = rig.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(script)], seconds=120)
    assert rig.runs[-1].crash == wanted.crash, answer

"""A real twin as an adb device: a crash made by shell commands, its log, and its recording played again."""

from __future__ import annotations

import re

import pytest
from adbd.rig import phone_of, shell
from integration.conftest import OpenSample

from fewtaps.adbd.phone import RunEnded
from fewtaps.replay import play
from fewtaps.tracefile import trace_to_bytes

pytestmark = pytest.mark.jvm

PACKAGE = "dev.fewtaps.samples.tipsplit"


def test_a_crash_made_by_shell_commands_is_logged_and_played_again_byte_for_byte(open_sample: OpenSample) -> None:
    session = open_sample("tipsplit")
    runs: list[RunEnded] = []
    phone = phone_of(session, runs)
    assert shell(phone, f"am start -W -n {PACKAGE}/.MainActivity").status == 0

    def tap(text: str) -> str:
        dump = shell(phone, "uiautomator dump /dev/tty").text
        left, top, right, bottom = re.findall(rf'text="{text}"[^>]*bounds="\[(\d+),(\d+)\]\[(\d+),(\d+)\]"', dump)[0]
        return shell(phone, f"input tap {(int(left) + int(right)) // 2} {(int(top) + int(bottom)) // 2}").text

    assert f"{PACKAGE}.MainActivity" in shell(phone, "dumpsys window | grep mCurrentFocus").text
    shell(phone, "input tap 360 240; input text 84")
    tap("−")
    tap("−")
    assert phone.screenshot().startswith(b"\x89PNG")
    tap("Split bill")
    log = shell(phone, "logcat -d -b crash").text
    assert "java.lang.ArithmeticException: divide by zero" in log and f"Process: {PACKAGE}, PID:" in log
    (run,) = runs
    assert run.crash is not None
    again = play(session, run.trace.events, world=run.trace.world)
    assert trace_to_bytes(again) == trace_to_bytes(run.trace)

"""Scripts of Monkey and the shell: the writers' own text, with a head that says where it came from."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from exports.findings import finding
from exports.test_quoting import HOSTILE

from fewtaps.exports.scripts import BY_PLACE, adb_script, monkey_script
from fewtaps.formats.monkeyscript import read_monkey_script
from fewtaps.model.crash import Crash, CrashKind, ExceptionInfo
from fewtaps.model.event import Key, Selector, StartIntent, Tap, Text


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_shell_takes_the_script_whatever_the_app_says(text: str) -> None:
    crash = Crash(CrashKind.EXCEPTION, text, (ExceptionInfo(text, text),))
    events = (Tap(1, 2, Selector(text=text)), Text(text), StartIntent(text, text, extras=((text, text),)))
    script = adb_script(finding(*events, crash=crash)).text
    assert script.startswith("#!/bin/sh\n# ")
    given = script.encode("utf-8", "backslashreplace")
    done = subprocess.run(["sh", "-n"], input=given, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


def test_a_monkey_script_is_still_one(tmp_path: Path) -> None:
    exported = monkey_script(finding(Tap(1, 2), Key("BACK")))
    path = tmp_path / "crash.monkey"
    path.write_text(exported.text, "utf-8")
    recording = read_monkey_script(path)
    assert [step.event for step in recording.steps[1:]] == [Tap(1, 2), Key("BACK")]
    assert exported.losses == (BY_PLACE,)

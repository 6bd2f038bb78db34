"""Which trace a name stands for."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import trace

from fewtaps.config import DeviceSettings
from fewtaps.errors import UsageError
from fewtaps.model.app import App
from fewtaps.model.event import Key, Text
from fewtaps.pipeline.sources import differences, find_trace
from fewtaps.tracefile import write_trace

SCRIPT = """type= raw events
count= 2
speed= 1.0
start data >>
LaunchActivity(com.example.app,com.example.app.Main)
UserWait(100)
"""


def test_a_recording_is_read_by_its_content_and_tells_what_it_assumes(tmp_path: Path) -> None:
    (tmp_path / "script").write_text(SCRIPT)
    source = find_trace(str(tmp_path / "script"))
    assert source.trace.app.package == "com.example.app"
    assert len(source.trace.steps) == 2
    assert source.losses


def test_the_phone_of_a_recording_can_be_named(tmp_path: Path) -> None:
    (tmp_path / "script").write_text(SCRIPT)
    assert find_trace(str(tmp_path / "script"), None, DeviceSettings(profile="mi5")).trace.profile == "mi5"


def test_a_trace_that_quotes_another_format_is_still_a_trace(tmp_path: Path) -> None:
    original = trace(Text("import uiautomator2 as u2; start data >>"), Key("BACK"))
    write_trace(tmp_path / "trace.jsonl", original)
    source = find_trace(str(tmp_path / "trace.jsonl"))
    assert source.trace == original
    assert not source.losses


def test_what_is_neither_file_nor_project_is_refused_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nothing: cannot be read"):
        find_trace(str(tmp_path / "nothing"), tmp_path / "no-project")


def test_another_version_or_build_is_told() -> None:
    played = trace(Key("BACK"))
    package, version, digest = played.app.package, played.app.version, played.app.digest
    assert differences(played, App(package, version_name=version, digest=digest)) == ()
    assert "another build" in differences(played, App(package, version_name=version, digest="cd" * 32))[0]
    assert "this is 2.0" in differences(played, App(package, version_name="2.0"))[0]

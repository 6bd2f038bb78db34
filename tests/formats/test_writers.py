"""Monkey scripts and adb scripts out of traces."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from builders import APP, events, screen, trace, widget
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fewtaps.formats.adbwriter import write_adb_script
from fewtaps.formats.monkeyscript import read_monkey_script
from fewtaps.formats.monkeywriter import write_monkey_script
from fewtaps.formats.recording import recording_to_trace
from fewtaps.model.app import AppRef
from fewtaps.model.event import (
    DoubleTap,
    Event,
    Key,
    Launch,
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
from fewtaps.model.screen import WidgetFlags
from fewtaps.model.trace import Step, Trace

FIELD = Selector(resource_id="com.example.app:id/name")
FORM = screen(
    widget("Ada", resource_id=FIELD.resource_id, flags=WidgetFlags.EDITABLE | WidgetFlags.ENABLED), widget("Save")
)


def monkey_commands(written: Trace) -> list[str]:
    """The commands after the launch."""
    return write_monkey_script(written)[0].partition("start data >>\n")[2].splitlines()[1:]


@pytest.mark.parametrize(
    ("event", "commands"),
    [
        (Tap(1, 2), ["Tap(1, 2)"]),
        (LongPress(1, 2), ["Tap(1, 2, 1000)"]),
        (DoubleTap(1, 2), ["Tap(1, 2)", "Tap(1, 2)"]),
        (Swipe(1, 2, 3, 4), ["Drag(1, 2, 3, 4, 18)"]),
        (Pinch(200, 100, 100, 300), ["PinchZoom(150, 100, 50, 100, 250, 100, 350, 100, 10)"]),
        (Text("a b"), ["DispatchString(a%sb)"]),
        (Key("0"), ["DispatchPress(KEYCODE_0)"]),
        (Rotate("landscape"), ["RotateScreen(1, 1)"]),
        (Wait(30), ["UserWait(30)"]),
        (Launch(), ["RunCmd(am start com.example.app)"]),
        (StartIntent("a.VIEW", "geo:1"), ["RunCmd(am start -a a.VIEW -d geo:1)"]),
    ],
)
def test_an_event_in_a_monkey_script(event: Event, commands: list[str]) -> None:
    assert monkey_commands(trace(event)) == commands


@pytest.mark.parametrize(
    "event",
    [
        Tap(10, 20),
        LongPress(10, 20),
        Swipe(1, 2, 300, 400, duration_ms=16),
        Pinch(300, 100, 100, 300),
        Text("hello world"),
        Key("DPAD_CENTER"),
        Rotate("reverse_landscape"),
        Wait(77),
        Launch(),
    ],
)
def test_what_a_monkey_script_can_say_comes_back_the_same(tmp_path: Path, event: Event) -> None:
    original = Trace(AppRef("com.x"), (Step(Launch()), Step(event)), profile="mi5", screen=(1080, 1920, 480))
    text, told = write_monkey_script(original)
    path = tmp_path / "script"
    path.write_text(text)
    back, told_back = recording_to_trace(read_monkey_script(path))
    assert (back, told, told_back) == (original, (), ())


@pytest.mark.parametrize(
    ("event", "monkey", "adb"),
    [
        (Pinch(9, 9, 1, 2), "", "step 1: a pinch cannot be said in an adb script"),
        (Swipe(1, 2, 3, 4, hold_ms=600), "step 1: a drag that holds first", ""),
        (Swipe(1, 2, 3, 4, duration_ms=900), "step 1: how long a swipe takes", ""),
        (DoubleTap(1, 2), "step 1: the time between the taps", "step 1: the time between the taps"),
        (Text("naïve"), "step 1: this text cannot", "step 1: this text cannot"),
        (Text("f(x)"), "step 1: this text cannot", ""),
        (Text("a", replace=True), "step 1: emptying a field", "step 1: emptying a field"),
        (Text("a", selector=FIELD), "step 1: where the field is", "step 1: where the field is"),
        (Tap(0, 0, FIELD), "step 1: has only the name", "step 1: has only the name"),
        (StartIntent("a", extras=(("k", 1),)), "step 1: the extras", ""),
        (StartIntent("a b"), "step 1: this intent", ""),
        (SystemEvent("low_memory"), "step 1: an event of the system", "step 1: an event of the system"),
        (SystemEvent("screen_off"), "step 1: an event of the system", ""),
    ],
)
def test_what_a_format_cannot_say_is_told(event: Event, monkey: str, adb: str) -> None:
    for write, told in ((write_monkey_script, monkey), (write_adb_script, adb)):
        _, losses = write(trace(event))
        assert len(losses) == (1 if told else 0)
        assert "".join(losses).startswith(told)


def test_a_reason_is_told_once_for_all_its_steps() -> None:
    _, losses = write_adb_script(trace(*[Pinch(9, 9, 1, 2)] * 30))
    assert losses == ("steps 1, 2, 3, 4, 5, 6, 7, 8 and 22 more: a pinch cannot be said in an adb script",)


def test_a_field_that_was_seen_is_tapped_and_emptied() -> None:
    seen = trace(Step(Text("Bo", replace=True, selector=FIELD), before=FORM), Step(Tap(0, 0, FIELD), before=FORM))
    deletes = ["DispatchPress(KEYCODE_MOVE_END)", *["DispatchPress(KEYCODE_DEL)"] * 3]
    assert monkey_commands(seen) == ["Tap(50, 25)", *deletes, "DispatchString(Bo)", "Tap(50, 25)"]
    assert write_monkey_script(seen)[1] == write_adb_script(seen)[1] == ()


FAKE_ADB = """#!/bin/sh
[ "$1" = shell ] && shift
PATH="$FAKES:$PATH" exec sh -c "$1"
"""
FAKE_TOOL = """#!/bin/sh
{ printf '%s\\0' "${0##*/}" "$@"; printf '\\n\\0'; } >>"$CALLS"
"""


def run_on_a_fake_phone(folder: Path, script: str) -> list[list[str]]:
    """What the phone's own tools are called with when the script runs, through both shells."""
    (folder / "bin").mkdir()
    (folder / "phone").mkdir()
    fakes = {"bin/adb": FAKE_ADB, "bin/sleep": "#!/bin/sh\n"}
    fakes |= {f"phone/{tool}": FAKE_TOOL for tool in ("input", "am", "pm", "settings", "cmd")}
    for name, text in fakes.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    calls = folder / "calls"
    environment = {
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        "FAKES": str(folder / "phone"),
        "CALLS": str(calls),
    }
    path = folder / "script.sh"
    path.write_text(script, encoding="utf-8")
    subprocess.run(["sh", str(path)], env=environment, check=True, timeout=60)
    return [
        call.strip("\0").split("\0") for call in calls.read_text(encoding="utf-8").split("\n\0") if call.strip("\0")
    ]


def test_the_phones_tools_get_what_the_trace_says(tmp_path: Path) -> None:
    nasty = 'it\'s $HOME `id` "x" \\ ; & | * ~ #!'
    data = "http://x/?a=1&b='$(touch pwned)'\nnext é"
    written = trace(
        Tap(1, 2),
        Text(nasty),
        StartIntent("a.VIEW", data, extras=(("k", "v w"), ("n", 7), ("t", True))),
        Swipe(1, 2, 3, 4, hold_ms=500),
        Key("BACK"),
        Wait(1500),
    )
    text, told = write_adb_script(written)
    assert told == ()
    calls = run_on_a_fake_phone(tmp_path, text)
    assert calls[0][:2] == ["am", "start"] and calls[0][-1] == APP.package
    assert calls[1:] == [
        ["input", "tap", "1", "2"],
        ["input", "text", nasty.replace(" ", "%s")],
        ["am", "start", "-a", "a.VIEW", "-d", data, "--es", "k", "v w", "--ei", "n", "7", "--ez", "t", "true"],
        ["input", "draganddrop", "1", "2", "3", "4", "300"],
        ["input", "keyevent", "KEYCODE_BACK"],
    ]
    assert not list(tmp_path.rglob("pwned"))


@pytest.mark.slow
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(events, max_size=6), st.text(max_size=8))
def test_whatever_a_trace_holds_the_scripts_are_well_formed(tmp_path: Path, done: list[Event], package: str) -> None:
    written = Trace(AppRef(package), (Step(Launch()), Step(Tap(1, 2)), *map(Step, done)))
    shell = tmp_path / "script.sh"
    shell.write_bytes(write_adb_script(written)[0].encode("utf-8", "backslashreplace"))
    assert subprocess.run(["sh", "-n", str(shell)], capture_output=True).returncode == 0
    monkey = tmp_path / "script.monkey"
    monkey.write_bytes(write_monkey_script(written)[0].encode("utf-8", "backslashreplace"))
    assert Tap(1, 2) in [step.event for step in read_monkey_script(monkey).steps]

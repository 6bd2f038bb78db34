"""The commands of the device's shell that reach the app."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from adbd.rig import Clock, shell, simulated_phone

import fewtaps.adbd
from fewtaps.adbd.acting import point_event, touch
from fewtaps.adbd.phone import DOUBLE_TAP_SECONDS, RunEnded, ServedPhone
from fewtaps.formats.touches import DOWN, UP
from fewtaps.model.event import (
    DoubleTap,
    Key,
    Launch,
    LongPress,
    Rotate,
    StartIntent,
    Swipe,
    SystemEvent,
    Tap,
    Text,
    Wait,
)

SPLIT = "input tap 360 380"
MORE = "input tap 360 290"


@pytest.fixture
def bill() -> Iterator[tuple[ServedPhone, list[RunEnded]]]:
    with simulated_phone() as opened:
        opened[0].launch()
        yield opened


@pytest.fixture
def notes() -> Iterator[tuple[ServedPhone, list[RunEnded]]]:
    with simulated_phone("com.example.notes") as opened:
        opened[0].launch()
        yield opened


def last_event(phone: ServedPhone) -> object:
    step = phone.last_step
    assert step is not None
    return step.event


@pytest.mark.parametrize(
    ("line", "event"),
    [
        ("input swipe 10 20 300 400 250", Swipe(10, 20, 300, 400, 250)),
        ("input touchscreen swipe 10 20 300 400", Swipe(10, 20, 300, 400, 300)),
        ("input draganddrop 10 20 300 400 700", Swipe(10, 20, 300, 400, 700, 600)),
        ("input text 'a%sb'", Text("a b")),
        ("input keyevent 4 KEYCODE_HOME", Key("HOME")),
        ("input keyevent VOLUME_UP", Key("VOLUME_UP")),
        ("input keyevent KEYCODE_SLEEP", SystemEvent("screen_off")),
        ("settings put system accelerometer_rotation 0; settings put system user_rotation 1", Rotate("landscape")),
        ("wm user-rotation lock 3", Rotate("reverse_landscape")),
        ("cmd connectivity airplane-mode enable", SystemEvent("airplane_mode", (("state", "true"),))),
        (
            "am broadcast -a com.example.PING --es who me",
            SystemEvent("broadcast", (("action", "com.example.PING"), ("who", "me"))),
        ),
        ("am send-trim-memory com.example.bill MODERATE", SystemEvent("low_memory")),
        ("dumpsys battery set level 5", SystemEvent("battery_low")),
        ("dumpsys battery unplug", SystemEvent("power_disconnected")),
        ("svc wifi disable", SystemEvent("connectivity", (("noConnectivity", "true"),))),
        ("cmd locale set-app-locales com.example.bill --locales de-DE", SystemEvent("locale", (("to", "de-DE"),))),
        (
            "pm revoke com.example.bill android.permission.CAMERA",
            SystemEvent("permission", (("name", "android.permission.CAMERA"), ("to", "denied"))),
        ),
        ("sleep 2.5", Wait(2500)),
        (
            "am start -a android.intent.action.VIEW -d http://x.org/ --ei n 3 com.example.bill",
            StartIntent("android.intent.action.VIEW", "http://x.org/", None, (), (("n", 3),)),
        ),
        ("am start -n com.example.bill/.About", StartIntent(None, None, "com.example.bill/com.example.bill.About")),
    ],
)
def test_a_command_is_an_event_of_the_run(bill: tuple[ServedPhone, list[RunEnded]], line: str, event: object) -> None:
    phone, _ = bill
    phone.app = replace(phone.app, launcher="com.example.bill.Main")
    answer = shell(phone, line)
    assert answer.status == 0, answer
    assert last_event(phone) == event


def test_a_tap_names_the_widget_under_it(bill: tuple[ServedPhone, list[RunEnded]]) -> None:
    phone, _ = bill
    shell(phone, MORE)
    event = last_event(phone)
    assert isinstance(event, Tap) and event.selector is not None and event.selector.text == "More people"
    shell(phone, "input swipe 360 290 360 290 800")
    assert isinstance(last_event(phone), LongPress)


def test_a_crash_is_told_as_android_tells_it_and_ends_the_run(bill: tuple[ServedPhone, list[RunEnded]]) -> None:
    phone, runs = bill
    assert shell(phone, SPLIT).status == 0
    log = shell(phone, "logcat -d -b crash -v threadtime").text
    assert re.search(r"E AndroidRuntime: FATAL EXCEPTION: main\n", log)
    assert re.search(r"E AndroidRuntime: Process: com.example.bill, PID: 4242\n", log)
    assert "java.lang.ArithmeticException" in log
    assert re.search(r"I am_crash: \[4242,0,com.example.bill", shell(phone, "logcat -d -b events").text)
    assert shell(phone, "pidof com.example.bill").status == 1
    assert [(len(run.trace.steps), run.crash is not None) for run in runs] == [(2, True)]
    assert "com.android.launcher3" in shell(phone, "dumpsys window | grep mCurrentFocus").text


def test_touches_after_a_crash_reach_nothing_until_the_app_is_started(
    bill: tuple[ServedPhone, list[RunEnded]],
) -> None:
    phone, runs = bill
    shell(phone, f"{SPLIT}; {SPLIT}; input keyevent BACK; input text x")
    assert not phone.is_running and len(runs) == 1
    shell(phone, "am start -n com.example.bill/.Main")
    assert phone.is_running and phone.pid == 4243


def test_each_run_begins_with_clear_or_stop_or_a_start_after_an_end(bill: tuple[ServedPhone, list[RunEnded]]) -> None:
    phone, runs = bill
    shell(phone, f"{MORE}; pm clear com.example.bill; monkey -p com.example.bill -c android.intent.category.LAUNCHER 1")
    shell(phone, f"{MORE}; {MORE}; am force-stop com.example.bill; am start com.example.bill; {SPLIT}")
    assert [len(run.trace.steps) for run in runs] == [2, 3, 2]
    assert all(run.trace.steps[0].event == Launch() for run in runs)
    assert [run.crash is not None for run in runs] == [False, False, True]


def test_the_dump_has_the_text_of_every_widget(bill: tuple[ServedPhone, list[RunEnded]]) -> None:
    phone, _ = bill
    answer = shell(phone, "uiautomator dump /sdcard/d.xml && cat /sdcard/d.xml")
    assert answer.text.startswith("UI hierchary dumped to: /sdcard/d.xml\n<?xml")
    assert re.findall(r'text="([^"]+)"', answer.text) == ["100", "0", "More people", "Split", "About"]


def test_a_client_that_looks_twice_sees_time_pass() -> None:
    with simulated_phone("com.example.feed") as (phone, _):
        phone.launch()
        shell(phone, "input tap 360 100")
        texts = [shell(phone, "uiautomator dump /dev/tty").text for _ in range(6)]
        assert "0 posts" in texts[0] and "3 posts" in texts[-1]


def test_real_time_passes_for_the_app_before_the_next_command() -> None:
    clock = Clock()
    with simulated_phone(factor=2.0, clock=clock) as (phone, runs):
        phone.launch()
        clock.now += 3.0
        shell(phone, MORE)
        phone.stop()
        assert [step.event for step in runs[0].trace.steps[1:2]] == [Wait(6000)]
        assert isinstance(runs[0].trace.steps[2].event, Tap)


def test_a_waiting_log_reader_gets_lines_as_they_come(notes: tuple[ServedPhone, list[RunEnded]]) -> None:
    phone, _ = notes
    shell(phone, "input tap 360 290")
    assert shell(phone, "logcat -s Notes | head -n 3 | tail -n 1").text.endswith("I Notes   : saving \n")
    assert shell(phone, "logcat -d -s Nobody:V").text.count("\n") == 2
    assert "saving" not in shell(phone, "logcat -d *:W").text
    shell(phone, "logcat -c")
    assert "saving" not in shell(phone, "logcat -d").text


@pytest.mark.parametrize(("button", "crash"), [("Hang", True), ("Leave", False)])
def test_an_app_that_hangs_or_leaves_is_gone_and_can_be_started_again(
    notes: tuple[ServedPhone, list[RunEnded]], button: str, crash: bool
) -> None:
    phone, runs = notes
    widget = next(each for each in phone.screen.iter_widgets() if each.text == button)
    x, y = widget.bounds.centre
    shell(phone, f"input tap {x} {y}")
    assert not phone.is_running and len(runs) == 1
    assert ("am_anr" in shell(phone, "logcat -d -b events").text) == crash
    assert shell(phone, "am start com.example.notes").status == 0 and phone.is_running


def test_monkey_plays_events_from_its_seed_and_stops_at_a_crash(bill: tuple[ServedPhone, list[RunEnded]]) -> None:
    phone, runs = bill
    answers = []
    for _ in range(2):
        answers.append(shell(phone, "am force-stop com.example.bill; monkey -p com.example.bill -s 5 400"))
    texts = [re.sub(r"pid \d+", "pid", answer.text) for answer in answers]
    assert texts[0] == texts[1]
    assert "// CRASH: com.example.bill (pid)" in texts[0]
    assert answers[0].status != 0
    assert runs[1].trace.events == runs[2].trace.events


def test_monkey_plays_a_script_of_the_device(bill: tuple[ServedPhone, list[RunEnded]]) -> None:
    phone, runs = bill
    script = "type= user\ncount= 1\nspeed= 1.0\nstart data >>\nLaunchActivity(com.example.bill,com.example.bill.Main)\n"
    shell(phone, "cat > /sdcard/s.txt", (script + "Tap(360,290)\nTap(360,380)\nTap(360,380)\n").encode())
    answer = shell(phone, "monkey -f /sdcard/s.txt 1")
    assert answer.status == 0 and "Events injected: 3" in answer.text
    assert len(runs) == 0 and phone.screen.shows("100 each")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            "am instrument -w dev.mobile.maestro/androidx.test.runner.AndroidJUnitRunner",
            "runs no code of other programs",
        ),
        ("app_process / com.android.commands.monkey.Monkey", "runs no code of other programs"),
        ("screenrecord /sdcard/x.mp4", "no video codec"),
        ("su -c id", "no root"),
        ("reboot", "cannot be restarted"),
        ("run-as com.example.bill ls", "cannot be reached"),
        ("wm size 100x100", "--profile"),
        ("am start -n org.other/.Main", "does not exist"),
        ("input tap a b", "not a number"),
        ("input keyevent NOSUCH", "Unknown keycode"),
        ("logcat --frobnicate", "unknown option"),
        ("settings get nosuch x", "usage"),
        ("pm install /sdcard/none.apk", "No such file"),
    ],
)
def test_a_command_that_cannot_be_done_says_why_in_one_line(
    bill: tuple[ServedPhone, list[RunEnded]], line: str, words: str
) -> None:
    answer = shell(bill[0], line)
    assert answer.status != 0
    assert words in answer.err.decode().splitlines()[-1]


def test_no_command_starts_a_process_or_opens_a_file_of_the_machine() -> None:
    room = Path(fewtaps.adbd.__file__).parent
    for path in room.glob("*.py"):
        source = path.read_text("utf-8")
        assert not re.search(r"import (subprocess|os|pty|shutil)\b|from (subprocess|os|shutil) ", source), path
        assert not re.search(r"(?<![\w.])open\(", source), path


def test_a_device_answers_before_its_app_is_launched() -> None:
    with simulated_phone() as (phone, runs):
        phone.launch_soon()
        assert shell(phone, "getprop sys.boot_completed").text == "1\n"
        assert phone.now_ms == 1_700_000_000_000 and not runs
        assert shell(phone, "pidof com.example.bill").text.strip() == str(phone.pid)
        assert last_event(phone) == Launch()
        phone.stop()
    assert [len(run.trace.steps) for run in runs] == [1]


def test_ending_the_app_before_its_first_launch_launches_nothing() -> None:
    with simulated_phone() as (phone, runs):
        phone.launch_soon()
        assert shell(phone, "am force-stop com.example.bill").status == 0
        assert shell(phone, "pidof com.example.bill").status == 1
        assert phone.last_step is None and not runs


def test_each_run_can_be_in_another_world() -> None:
    with simulated_phone() as (phone, runs):
        phone.settings = replace(phone.settings, world=7, each_world=True)
        for _ in range(3):
            phone.launch()
            shell(phone, MORE)
        phone.save_snapshot("second", 5)
        phone.launch()
        phone.load_snapshot("second")
        phone.stop()
    assert [run.trace.world for run in runs] == [7, 8, 9, 10, 9]


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("echo abcd | tr a-c A-C", "ABCd\n"),
        ("echo abcdef > /sdcard/x; dd if=/sdcard/x bs=2 skip=1 count=2", "cdef"),
        ("echo abcdef > /sdcard/x; dd if=/sdcard/x bs=1K | wc -c", "7\n"),
        ("dd if=/sdcard/x bs=much", ""),
    ],
)
def test_letters_and_blocks_are_counted_as_on_android(line: str, wanted: str) -> None:
    with simulated_phone() as (phone, _):
        phone.files.write("/sdcard/x", b"x")
        assert shell(phone, line).text == wanted


def test_a_finger_that_is_lifted_twice_within_a_moment_taps_twice_and_later_ones_tap_once() -> None:
    clock = Clock()

    def lifted(x: int, y: int) -> None:
        touch(phone, DOWN, x, y)
        touch(phone, UP, x, y)

    with simulated_phone(clock=clock) as (phone, runs):
        phone.launch()
        for pause in (0.0, 0.1, 0.5, 0.5):
            lifted(100, 300)
            clock.now += pause
        # A tap of another command is the second one too.
        lifted(100, 300)
        phone.perform(point_event(phone, Tap(100, 300)))
        lifted(100, 300)
        lifted(400, 300)
        assert phone.let_go(clock.now) == clock.now + DOUBLE_TAP_SECONDS
        assert phone.let_go(clock.now + DOUBLE_TAP_SECONDS) is None
        lifted(100, 300)
        phone.stop()
    (run,) = runs
    taps = [type(step.event) for step in run.trace.steps[1:]]
    assert taps == [DoubleTap, Tap, Tap, DoubleTap, Tap, Tap, Tap]

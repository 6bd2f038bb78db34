"""What the log of a device means: a corpus of captures, each with the end that it tells.

The captures were written for these tests; none was recorded on a phone. Their lines have the forms that Android writes,
as its sources define them and as logs in public issues show them: API 19 to 36, Samsung, Xiaomi, Huawei, Oppo,
Motorola and Pixel, in the formats of logcat, Android Studio and DDMS. Names, numbers and stacks are invented.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from fewtaps.device.adb.logcat import LogEntry, event_values, parse_line
from fewtaps.device.adb.stories import LINES_OF_A_STEP, AppEnd, AppLog
from fewtaps.model.crash import CrashKind

CORPUS = Path(__file__).parent / "data" / "logcat.txt"


@dataclass(frozen=True)
class Capture:
    """Lines of a log, and what they tell of the end of an app."""

    name: str
    package: str
    told: str
    lines: tuple[str, ...]


def captures() -> list[Capture]:
    found: list[Capture] = []
    for part in CORPUS.read_text("utf-8").split("\n=== ")[1:]:
        head, *lines = part.split("\n")
        name, package, told = (each.strip() for each in head.split(" | "))
        found.append(Capture(name, package, told, tuple(lines)))
    return found


def read(package: str, lines: tuple[str, ...]) -> AppLog:
    log = AppLog(package)
    for line in lines:
        entry = parse_line(line)
        if entry is not None:
            log.add(entry)
    return log


def told(log: AppLog) -> str:
    """The end in the words of the corpus."""
    crash = log.crash
    match log.end:
        case None:
            return "none"
        case AppEnd.DIED:
            return "died"
        case AppEnd.KILLED:
            return f"killed {log.kill_reason}"
    assert crash is not None
    if crash.root is None:
        return "crash without a stack"
    root = crash.root
    if crash.kind is CrashKind.ANR:
        return f"anr {root.message}"
    if crash.kind is CrashKind.NATIVE:
        top = root.frames[0] if root.frames else None
        return f"native {root.type}" + (f" at {top.class_name}.{top.method}" if top else "")
    return f"crash {crash.signature}"


@pytest.mark.parametrize("capture", captures(), ids=lambda capture: capture.name)
def test_a_capture_tells_the_end_of_its_app(capture: Capture) -> None:
    assert told(read(capture.package, capture.lines)) == capture.told


def test_the_corpus_has_at_least_sixty_captures() -> None:
    assert len(captures()) >= 60
    assert len({capture.name for capture in captures()}) == len(captures())


def test_a_capture_cut_after_any_line_is_no_other_crash() -> None:
    for capture in captures():
        if not capture.told.startswith(("none", "crash")):
            continue
        for length in range(len(capture.lines)):
            found = told(read(capture.package, capture.lines[:length]))
            assert not found.startswith(("anr", "native")), capture.name


def test_what_stands_before_the_mark_of_a_launch_is_no_finding() -> None:
    capture = next(each for each in captures() if each.told.startswith("crash"))
    log = AppLog(capture.package)
    log.begin("launch-1")
    for line in capture.lines:
        entry = parse_line(line)
        if entry is not None:
            log.add(entry)
    assert log.is_waiting and log.end is None
    log.add(LogEntry(1, 1, "I", "fewtaps", "launch-1"))
    assert not log.is_waiting and log.end is None


def test_the_activity_in_front_is_the_one_the_app_resumed_last() -> None:
    log = AppLog("a.b")
    log.add(LogEntry(9, 9, "I", "am_proc_start", "[0,4242,10123,a.b,activity,{}]"))
    log.add(LogEntry(4242, 4242, "I", "wm_on_resume_called", "[77,a.b.Main,RESUME_ACTIVITY,0]"))
    log.add(LogEntry(5000, 5000, "I", "wm_on_resume_called", "[78,com.launcher.Home,RESUME_ACTIVITY,0]"))
    assert log.activity == "a.b.Main"
    log.add(LogEntry(4242, 4242, "I", "am_on_resume_called", "[0,a.b.Second,RESUME_ACTIVITY]"))
    assert log.activity == "a.b.Second"


def test_lines_of_the_app_are_taken_once_and_not_without_end() -> None:
    log = AppLog("a.b")
    log.add(LogEntry(9, 9, "I", "am_proc_start", "[0,4242,10123,a.b,activity,{}]"))
    log.add(LogEntry(5000, 5000, "I", "Other", "not the app's"))
    for number in range(LINES_OF_A_STEP + 5):
        log.add(LogEntry(4242, 4242, "D", "Shop", f"line {number}"))
    lines = log.take_lines()
    assert lines[0] == "D/Shop: line 0" and len(lines) == LINES_OF_A_STEP
    assert log.take_lines() == ()


@pytest.mark.parametrize("line", ["", "--------- beginning of main", "E/AndroidRu", "\x00\xff", "03-14 10:00:00.000 E"])
def test_what_is_no_line_of_the_log_is_no_entry(line: str) -> None:
    assert parse_line(line) is None


def test_values_of_an_event_may_be_cut() -> None:
    assert event_values("[0,12,a.b]") == ["0", "12", "a.b"]
    assert event_values("[0,12,a.") == ["0", "12", "a."]

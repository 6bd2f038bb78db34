from __future__ import annotations

import xml.etree.ElementTree as ET

from builders import frame
from hypothesis import given
from hypothesis import strategies as st

from fewtaps.model.crash import Crash, CrashKind, ExceptionInfo
from fewtaps.model.event import Launch, Tap, Text
from fewtaps.report.junit import JudgedCrash, JunitVerdict, junit_xml, steps_text


def judged(verdict: JunitVerdict, message: str = "boom") -> JudgedCrash:
    died = Crash(CrashKind.EXCEPTION, "main", (ExceptionInfo("java.lang.Error", message, (frame("a.B.c"),)),))
    return JudgedCrash(died, (Launch(), Tap(1, 2), Text("a")), 3, verdict)


def suite_of(*crashes: JudgedCrash) -> ET.Element:
    suite = ET.fromstring(junit_xml("com.example", crashes, events=100, seconds=2.5)).find("testsuite")
    assert suite is not None
    return suite


def test_only_a_new_crash_is_a_failure() -> None:
    suite = suite_of(judged(JunitVerdict.NEW), judged(JunitVerdict.KNOWN), judged(JunitVerdict.SUSPECT))
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("4", "1", "2")
    assert len(suite.findall("testcase/failure")) == 1
    assert len(suite.findall("testcase/skipped")) == 2


def test_a_failure_tells_the_steps_and_the_stack() -> None:
    failure = suite_of(judged(JunitVerdict.NEW)).find("testcase/failure")
    assert failure is not None and failure.text is not None
    assert "1. Tap (1, 2)\n2. Type 'a'" in failure.text
    assert "boom" in (failure.get("message") or "")
    assert "\tat " in failure.text


def test_without_crashes_the_suite_passes() -> None:
    suite = suite_of()
    assert (suite.get("tests"), suite.get("failures")) == ("1", "0")


@given(st.text())
def test_whatever_an_app_says_the_file_can_be_parsed(message: str) -> None:
    suite_of(judged(JunitVerdict.NEW, message), judged(JunitVerdict.SUSPECT, message))


def test_a_crash_at_launch_has_steps_too() -> None:
    assert steps_text((Launch(),)) == "Launch the app."

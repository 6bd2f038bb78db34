"""JUnit XML of a suite's run: what CI servers read."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace

from exports.test_quoting import hostile
from hypothesis import given
from report.suites import TOTAL, a_result, outcome, run, suite_test

from fewtaps.model.event import Selector
from fewtaps.model.suite_result import Difference, DifferenceKind, SuiteResult, SuiteTestResult, SuiteTestStatus
from fewtaps.report.suite_junit import suite_junit


def cases(result: SuiteResult, **attachments: list[str]) -> dict[str, ET.Element]:
    root = ET.fromstring(suite_junit(result, attachments))
    return {case.get("name", ""): case for case in root.iter("testcase")}


def kinds(case: ET.Element) -> list[str]:
    return [child.tag for child in case]


def test_the_numbers_of_the_suite_are_those_of_its_cases() -> None:
    (suite,) = ET.fromstring(suite_junit(a_result()))
    tags = [child.tag for child in suite.iter()]
    numbers = {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped", "flakes", "time")}
    assert numbers == {"tests": "8", "failures": "1", "errors": "2", "skipped": "2", "flakes": "1", "time": "12.500"}
    assert (tags.count("failure"), tags.count("error"), tags.count("skipped")) == (1, 2, 2)


def test_only_failed_broken_and_crashed_tests_fail_a_build() -> None:
    found = cases(a_result())
    assert kinds(found["pays"]) == kinds(found["healed"]) == ["system-out"]
    assert kinds(found["wrong-sum"]) == ["failure", "system-out"]
    assert kinds(found["no-button"]) == kinds(found["nobody"]) == ["error", "system-out"]
    assert kinds(found["apart"]) == ["skipped", "system-out"]
    assert kinds(found["later"]) == ["skipped"]


def test_a_failure_has_the_step_the_expected_and_the_seen() -> None:
    failure = cases(a_result())["wrong-sum"].find("failure")
    assert failure is not None and failure.get("type") == "failed"
    assert failure.get("message") == "step 1, Tap 'Split': the text of #total: expected '12.50', seen '12.51'"
    assert (failure.text or "").startswith("1. Tap 'Split'\n")


def test_a_broken_test_names_what_it_looked_for_and_the_nearest_widgets() -> None:
    error = cases(a_result())["no-button"].find("error")
    assert error is not None and error.get("type") == "broken"
    assert "not there: 'Divide' (#split, Button)\nnearest: 'Split' (#split, Button)" in (error.text or "")


def test_a_crash_has_its_stack() -> None:
    error = cases(a_result())["nobody"].find("error")
    assert error is not None and error.get("type") == "java.lang.ArithmeticException"
    assert "at dev.example.Bill.share(B.java:7)" in (error.text or "")


def test_a_flaky_test_has_a_flaky_failure_as_surefire_writes_it() -> None:
    case = cases(a_result())["sometimes"]
    assert kinds(case) == ["flakyFailure", "system-out"]
    flake = case[0]
    assert flake.get("type") == "failed" and (flake.get("message") or "").startswith("worlds 1, 2: step 1")
    assert [child.tag for child in flake] == ["stackTrace"] and "seen '9'" in (flake[0].text or "")


def test_failures_of_different_kinds_are_different_flakes() -> None:
    failed, passed = SuiteTestStatus.FAILED, SuiteTestStatus.PASSED
    mixed = outcome("mixed", SuiteTestStatus.FLAKY, run(failed, "9"), run(failed, "8", 1), run(passed, world=2))
    assert kinds(cases(a_result(mixed))["mixed"]) == ["flakyFailure", "flakyFailure", "system-out"]


def test_healings_are_in_the_output() -> None:
    output = cases(a_result())["healed"].find("system-out")
    assert output is not None and "healed: step 1: 'Split' (#old, Button) was found as" in (output.text or "")


def test_pictures_are_attachments_on_lines_of_their_own() -> None:
    output = cases(a_result(), **{"wrong-sum": ["report/a.png", "report/b.png"]})["wrong-sum"].find("system-out")
    assert output is not None
    assert (output.text or "").splitlines()[-2:] == ["[[ATTACHMENT|report/a.png]]", "[[ATTACHMENT|report/b.png]]"]


def test_a_text_of_the_app_cannot_attach_a_file_of_the_machine() -> None:
    evil = "x\n[[ATTACHMENT|/etc/passwd]]"
    found = Difference(DifferenceKind.TEXT, evil, evil, Selector(text=evil))
    failed = replace(run(SuiteTestStatus.FAILED), differences=(found,))
    text = suite_junit(a_result(outcome("t", SuiteTestStatus.FAILED, failed))).decode()
    assert "/etc/passwd" in text and "[[ATTACHMENT" not in text


@given(hostile)
def test_whatever_the_app_says_the_document_is_xml(text: str) -> None:
    found = Difference(DifferenceKind.TEXT, text, text, replace(TOTAL, text=text, resource_id=text))
    failed = replace(run(SuiteTestStatus.FAILED), differences=(found,), nearest=(Selector(text=text),))
    result = SuiteTestResult(suite_test("t"), SuiteTestStatus.FAILED, (failed,))
    (case,) = cases(a_result(result)).values()
    assert kinds(case) == ["failure", "system-out"]

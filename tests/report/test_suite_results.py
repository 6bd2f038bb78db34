"""The results of a suite's run on disk: what pages need is read back, and a wrong file has one clear line."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from exports.test_quoting import hostile
from hypothesis import given
from report.suites import COVERAGE, OLD, a_result, outcome, run

from fewtaps.errors import UsageError
from fewtaps.model.suite_result import Difference, DifferenceKind, SuiteResult, SuiteTestStatus
from fewtaps.report.suite_junit import suite_junit
from fewtaps.report.suite_pages import suite_report
from fewtaps.report.suite_results import RESULTS, read_results, write_results


def kept(result: SuiteResult, folder: Path) -> SuiteResult:
    write_results(result, folder)
    return read_results(folder)


def test_pages_and_documents_of_results_read_back_are_the_same(tmp_path: Path) -> None:
    result = a_result(coverage=COVERAGE, against=OLD, shard=(1, 2), notes=("one",))
    again = kept(result, tmp_path)
    assert suite_report(again) == suite_report(result)
    assert suite_junit(again) == suite_junit(result)
    assert (again.app, again.against, again.shard, again.coverage) == (result.app, OLD, (1, 2), COVERAGE)
    assert kept(again, tmp_path) == again


def test_steps_and_pictures_are_kept_of_tests_that_did_not_pass_only(tmp_path: Path) -> None:
    again = {each.name: each for each in kept(a_result(), tmp_path).results}
    assert again["pays"].runs[0].trace is None and again["pays"].runs[0].pictures == ()
    failed = again["wrong-sum"]
    assert failed.shown is not None and failed.shown.pictures == a_result().results[2].runs[0].pictures
    assert failed.shown_reference is not None and failed.shown_reference.trace is not None
    assert [each.trace is None for each in again["sometimes"].runs] == [True, False, True, True]


def test_a_picture_that_is_missing_costs_the_picture_alone(tmp_path: Path) -> None:
    write_results(a_result(), tmp_path)
    for file in (tmp_path / "screens").iterdir():
        file.unlink()
    pages = suite_report(read_results(tmp_path)).tests
    seen = [step.seen for page in pages for step in page.steps if step.seen is not None]
    assert seen and all(each.picture.name is None for each in seen)


@given(hostile)
def test_whatever_the_app_says_is_read_back(text: str) -> None:
    failed = replace(
        run(SuiteTestStatus.FAILED), differences=(Difference(DifferenceKind.TEXT, text, text),), pictures=()
    )
    result = a_result(outcome("t", SuiteTestStatus.FAILED, failed), notes=(text,))
    with TemporaryDirectory() as folder:
        assert suite_report(kept(result, Path(folder))) == suite_report(result)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"fewtaps": "trace"}, "not the results of a suite"),
        ({"version": 9}, "reads version 1, not 9"),
        ({"shard": [5, 4]}, "shard: not a number and a count"),
        ({"seconds": -1}, "not a number of seconds"),
        ({"suite": None}, "suite"),
        ({"tests": [{"name": "../../evil"}]}, "a test's name has letters"),
        ({"tests": [{"name": "t", "test": []}]}, "the test t"),
        ({"notes": [1]}, "notes"),
        ({"coverage": {"covered": {"branches": [["a"]]}, "lost": {}, "gone": {}}}, "1 values instead of 3"),
    ],
)
def test_results_that_are_wrong_are_refused_in_one_line(change: dict[str, Any], reason: str, tmp_path: Path) -> None:
    write_results(a_result(), tmp_path)
    record = json.loads((tmp_path / RESULTS).read_text())
    (tmp_path / RESULTS).write_text(json.dumps(record | change))
    with pytest.raises(UsageError, match=reason) as caught:
        read_results(tmp_path)
    assert "\n" not in str(caught.value) and RESULTS in str(caught.value)


def test_two_tests_of_one_name_and_a_picture_elsewhere_are_refused(tmp_path: Path) -> None:
    write_results(a_result(), tmp_path)
    text = (tmp_path / RESULTS).read_text()
    (tmp_path / RESULTS).write_text(text.replace('"name":"pays"', '"name":"healed"'))
    with pytest.raises(UsageError, match="two tests have one name"):
        read_results(tmp_path)
    record = json.loads(text)
    record["tests"][2]["runs"][0]["pictures"] = [[0, "../../../etc/passwd"]]
    (tmp_path / RESULTS).write_text(json.dumps(record))
    with pytest.raises(UsageError, match="not the name of a picture"):
        read_results(tmp_path)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe{}", b"[" * 100_000])
def test_what_is_no_json_is_refused_in_one_line(content: bytes, tmp_path: Path) -> None:
    (tmp_path / RESULTS).write_bytes(content)
    with pytest.raises(UsageError, match=RESULTS):
        read_results(tmp_path)


def test_a_folder_without_results_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        read_results(tmp_path)

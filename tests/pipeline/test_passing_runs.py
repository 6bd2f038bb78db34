"""Runs of tests that passed, kept with their pictures: what is kept, found again, and removed."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from report.suites import png, run, suite_test

from fewtaps.model.suite_result import SuiteTestStatus
from fewtaps.pipeline import passing_runs
from fewtaps.pipeline.passing_runs import PassingRuns, run_of_pictures

PASSED = run(SuiteTestStatus.PASSED)


def test_a_run_is_found_with_its_screens_and_pictures(tmp_path: Path) -> None:
    runs, test = PassingRuns(tmp_path / "new"), suite_test("it")
    assert runs.find(test) is None and not runs.has(test)
    runs.keep(test, PASSED)
    found = runs.find(test)
    assert found is not None and PASSED.trace is not None and found.trace is not None
    assert found.pictures == PASSED.pictures
    assert [step.after for step in found.trace.steps] == [step.after for step in PASSED.trace.steps]
    assert runs.has(suite_test("other-name-same-steps"))


def test_a_test_that_was_changed_has_no_pictures(tmp_path: Path) -> None:
    runs, test = PassingRuns(tmp_path), suite_test("it")
    runs.keep(test, PASSED)
    other = replace(test, trace=replace(test.trace, world=3))
    assert runs.find(other) is None and not runs.has(other)


def test_a_run_that_did_not_pass_is_not_kept(tmp_path: Path) -> None:
    runs, test = PassingRuns(tmp_path), suite_test("it")
    runs.keep(test, run(SuiteTestStatus.FAILED))
    assert runs.find(test) is None


def test_a_run_that_is_too_large_is_not_taken_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passing_runs, "MOST_BYTES", 100)
    runs, test = PassingRuns(tmp_path), suite_test("it")
    runs.keep(test, PASSED)
    assert runs.has(test) and runs.find(test) is None


def test_the_runs_kept_longest_ago_make_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = PassingRuns(tmp_path)
    tests = [replace(suite_test("it"), trace=replace(suite_test("it").trace, world=world)) for world in range(4)]
    for number, test in enumerate(tests[:3]):
        runs.keep(test, PASSED)
        for path in tmp_path.iterdir():
            os.utime(path, (number, min(path.stat().st_mtime, number)))
    size = max(path.stat().st_size for path in tmp_path.iterdir())
    monkeypatch.setattr(passing_runs, "MOST_BYTES_OF_ALL", 2 * size)
    runs.keep(tests[3], PASSED)
    assert [runs.has(test) for test in tests] == [False, False, True, True]


def test_a_folder_that_cannot_be_written_costs_no_verdict(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    runs, test = PassingRuns(tmp_path / "file" / "below"), suite_test("it")
    runs.keep(test, PASSED)
    assert runs.find(test) is None


def test_pictures_that_a_test_expects_are_shown_without_a_run(tmp_path: Path) -> None:
    test = suite_test("it")
    shown = run_of_pictures(test, ((1, png(80)),))
    assert shown is not None and shown.trace is not None
    assert [(step.after.width, step.after.height) for step in shown.trace.steps] == [(0, 0), (36, 64)]
    assert run_of_pictures(test, ()) is None
    assert run_of_pictures(test, ((1, b"no picture"),)) is None

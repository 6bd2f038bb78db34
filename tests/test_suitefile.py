"""Suites on disk: what is written is read again, files are stable, and every wrong file has one clear line."""

from __future__ import annotations

import errno
import json
import os
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from builders import APP, names, texts
from hypothesis import given
from hypothesis import strategies as st

from fewtaps.errors import StoreError, UsageError
from fewtaps.model.event import Key, Launch, Selector, Tap
from fewtaps.model.expectation import Expectation, ExpectedWidget
from fewtaps.model.shape import StateShape, WindowShape
from fewtaps.model.state import StateId
from fewtaps.model.suite import CoverageKind, NamedCoverage, Quarantine, Suite, SuiteTest
from fewtaps.model.trace import Step, Trace
from fewtaps.suitefile import content_of_index, load_suite, read_suite, write_suite

TOTAL = Selector("app:id/total", "android.widget.TextView", path=(0, 1))


def made(name: str, *shown: str) -> SuiteTest:
    """A test whose steps tap a button and expect the texts in turn."""
    button = Selector("app:id/split", "android.widget.Button", "Split", path=(0, 0))
    steps = [
        Step(Tap(5, 5, button), expect=Expectation(state=StateId("s1"), widgets=(ExpectedWidget(TOTAL, text),)))
        for text in shown
    ]
    return SuiteTest(name, Trace(APP, (Step(Launch()), *steps)), 1.25, ("com.example.app.Main",), 7, 3)


def a_suite(*tests: SuiteTest) -> Suite:
    return Suite(
        APP,
        "page",
        tests or (made("split-twice", "6", "8"), made("about")),
        settings=(("permissions", "asked"),),
        kinds=(CoverageKind.BRANCHES, CoverageKind.CRASHES),
        covered=NamedCoverage(
            frozenset({("a.Main", "onClick(I)V", 0), ("a.Main", "onClick(I)V", 3), ("a.B", "c()V", 1)}),
            frozenset({("a.Main", "onClick(I)V")}),
            frozenset({("a.Main", 12)}),
        ),
        flaky=NamedCoverage(frozenset({("a.Net", "run()V", 0)})),
        quarantine=(Quarantine("about", 7, 10, 2),),
        states=(StateShape(StateId("s1"), (WindowShape("activity", ("android.widget.Button#app:id/split",)),)),),
        uncovered=("a.Unused",),
    )


def edited(folder: Path, old: str, new: str) -> None:
    """Changes `suite.json` as an editor would."""
    path = folder / "suite.json"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def refused(folder: Path) -> str:
    """The one line with which the folder is refused."""
    with pytest.raises(UsageError) as caught:
        read_suite(folder)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_suite_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_suite(tmp_path, a_suite())
    assert read_suite(tmp_path) == a_suite()
    assert load_suite(tmp_path).notes == ()


file_names = st.text("abcXYZ-_09é", min_size=1, max_size=12)
branch_names = st.tuples(texts, texts, st.integers(0, 99))
coverages_by_name = st.builds(
    NamedCoverage,
    st.frozensets(branch_names, max_size=4),
    st.frozensets(st.tuples(texts, texts), max_size=3),
    st.frozensets(st.tuples(texts, st.integers(0, 999)), max_size=3),
)


@given(
    st.lists(file_names, max_size=4, unique_by=str.casefold), coverages_by_name, st.dictionaries(names, texts), texts
)
def test_any_suite_is_read_as_it_was_written(
    tests: list[str], covered: NamedCoverage, settings: dict[str, str], hostile: str
) -> None:
    suite = Suite(
        replace(APP, version=hostile),
        "page",
        tuple(replace(made(name, hostile), classes=(hostile,)) for name in tests),
        tuple(settings.items()),
        covered=covered,
    )
    with TemporaryDirectory() as folder:
        write_suite(folder, suite)
        expected = tuple(replace(test, trace=replace(test.trace, app=suite.app)) for test in suite.tests)
        assert read_suite(folder) == replace(suite, tests=expected)


def test_a_changed_label_is_a_change_of_one_line(tmp_path: Path) -> None:
    write_suite(tmp_path, a_suite(made("split", "6", "8")))
    before = {path.name: path.read_text().splitlines() for path in tmp_path.iterdir()}
    write_suite(tmp_path, a_suite(made("split", "6", "9")))
    after = {path.name: path.read_text().splitlines() for path in tmp_path.iterdir()}
    changed = [
        (name, number)
        for name in before
        for number, (old, new) in enumerate(zip(before[name], after[name], strict=True))
        if old != new
    ]
    assert changed == [("split.jsonl", 3)]


def test_another_test_is_one_line_more_in_the_index() -> None:
    before = content_of_index(a_suite()).decode().splitlines()
    suite = a_suite()
    after = content_of_index(replace(suite, tests=(suite.tests[0], made("new"), suite.tests[1]))).decode().splitlines()
    assert len(after) == len(before) + 1
    assert set(before) <= set(after)


def test_a_new_build_changes_no_file_of_a_test(tmp_path: Path) -> None:
    write_suite(tmp_path, a_suite())
    before = (tmp_path / "split-twice.jsonl").read_bytes()
    app = replace(APP, version="2.0", digest="cd" * 32)
    tests = tuple(replace(test, trace=replace(test.trace, app=app)) for test in a_suite().tests)
    write_suite(tmp_path, replace(a_suite(*tests), app=app))
    assert (tmp_path / "split-twice.jsonl").read_bytes() == before
    assert read_suite(tmp_path).tests[0].trace.app == app


def test_a_file_that_would_not_change_is_not_touched(tmp_path: Path) -> None:
    write_suite(tmp_path, a_suite())
    for path in tmp_path.iterdir():
        os.utime(path, (1, 1))
    write_suite(tmp_path, a_suite())
    assert {path.stat().st_mtime for path in tmp_path.iterdir()} == {1}


def test_the_files_hold_no_path_of_this_machine(tmp_path: Path) -> None:
    write_suite(tmp_path, a_suite())
    assert not any(str(tmp_path) in path.read_text() for path in tmp_path.iterdir())


def test_a_test_that_is_not_listed_is_a_test_and_comes_last(tmp_path: Path) -> None:
    write_suite(tmp_path, a_suite())
    (tmp_path / "by-hand.jsonl").write_bytes((tmp_path / "split-twice.jsonl").read_bytes())
    source = load_suite(tmp_path)
    assert [test.name for test in source.suite.tests] == ["split-twice", "about", "by-hand"]
    assert [note for note in source.notes if "does not list the test by-hand" in note]


def test_a_test_whose_file_was_deleted_is_gone_and_it_is_said(tmp_path: Path) -> None:
    write_suite(tmp_path, a_suite())
    (tmp_path / "about.jsonl").unlink()
    source = load_suite(tmp_path)
    assert [test.name for test in source.suite.tests] == ["split-twice"]
    assert [note for note in source.notes if "about, which has no file" in note]


def test_a_test_shortened_by_hand_is_read(tmp_path: Path) -> None:
    write_suite(tmp_path, a_suite())
    path = tmp_path / "split-twice.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    assert len(read_suite(tmp_path).tests[0].trace.steps) == 2


def test_a_trace_without_expectations_is_a_test(tmp_path: Path) -> None:
    write_suite(tmp_path, a_suite(SuiteTest("back", Trace(APP, (Step(Launch()), Step(Key("BACK")))))))
    assert read_suite(tmp_path).tests[0].trace.events[1] == Key("BACK")


def test_hidden_files_are_no_tests(tmp_path: Path) -> None:
    write_suite(tmp_path, a_suite())
    (tmp_path / ".#about.jsonl").write_text("not a trace")
    assert len(read_suite(tmp_path).tests) == 2


def test_a_folder_without_an_index_is_no_suite(tmp_path: Path) -> None:
    assert "there is no suite.json in it" in refused(tmp_path)
    assert "No such file" in refused(tmp_path / "nowhere")


def test_a_file_is_no_suite(tmp_path: Path) -> None:
    path = tmp_path / "crash.jsonl"
    path.write_text("{}")
    assert "a suite is a folder with a suite.json" in refused(path)


def test_a_suite_of_a_newer_fewtaps_is_refused(tmp_path: Path) -> None:
    write_suite(tmp_path, a_suite())
    edited(tmp_path, '"version": 1', '"version": 2')
    assert "suite.json, line 3: version 2 is newer than this fewtaps" in refused(tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ('"tests": [', '"tests": {', 9, "not JSON"),
        ('"abstraction": "page"', '"abstraction": "pages"', 5, "'pages' is none of"),
        ('"seconds": 1.25', '"seconds": "1.25"', 9, "seconds: not a number"),
        ('"seconds": 1.25', '"seconds": NaN', 1, "NaN is not JSON"),
        ('"adds": 7', '"adds": -7', 9, "adds: less than nothing"),
        ('"name": "about"', '"name": "split-twice"', 10, "two tests have one name: split-twice"),
        ('"name": "about"', '"name": "../about"', 10, "a test's name has letters"),
        ('"passed": 7', '"passed": 70', 13, "70 of 10 runs cannot have passed"),
        ('"cover": ["branches"', '"cover": ["branch"', 7, "'branch' is none of"),
        ('"permissions": "asked"', '"permissions": 1', 6, "settings.permissions: not a text"),
        ('"package": "com.example.app"', '"package": null', 4, "app.package: not a text"),
        ('"fewtaps": "suite"', '"fewtaps": "trace"', 1, "not a suite"),
        ('"flaky"', '"flacky"', 36, "flacky: a suite has no such field"),
    ],
)
def test_a_wrong_edit_is_named_by_file_and_line(tmp_path: Path, old: str, new: str, line: int, reason: str) -> None:
    write_suite(tmp_path, a_suite())
    edited(tmp_path, old, new)
    message = refused(tmp_path)
    assert message.startswith(f"{tmp_path / 'suite.json'}, line {line}: ")
    assert reason in message


def test_a_wrong_edit_of_a_test_is_named_by_file_and_line(tmp_path: Path) -> None:
    write_suite(tmp_path, a_suite())
    path = tmp_path / "split-twice.jsonl"
    path.write_text(path.read_text().replace('"state"', '"stat"', 1))
    assert f"{path}, line 3: expect.stat: an expectation has no such field" in refused(tmp_path)


def test_a_test_of_another_package_is_refused(tmp_path: Path) -> None:
    write_suite(tmp_path, a_suite())
    path = tmp_path / "about.jsonl"
    path.write_text(path.read_text().replace("com.example.app", "com.example.other"))
    assert f"{path}, line 1: a test of com.example.other, but the suite is for com.example.app" in refused(tmp_path)


def test_names_that_differ_in_case_only_are_refused(tmp_path: Path) -> None:
    write_suite(tmp_path, a_suite())
    (tmp_path / "About.jsonl").write_bytes((tmp_path / "about.jsonl").read_bytes())
    assert "two tests have one name" in refused(tmp_path)


@pytest.mark.parametrize("name", ["", "a b", "../up", ".hidden", "a/b", "a\nb", "x" * 101])
def test_a_name_that_could_be_another_file_is_not_written(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError):
        write_suite(tmp_path / "suite", a_suite(made(name)))
    assert not (tmp_path / "suite").exists()


def test_an_index_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "suite.json").write_bytes(b"\xff\xfe")
    assert "not text in UTF-8" in refused(tmp_path)
    (tmp_path / "suite.json").write_text("[" * 100_000)
    assert "nested too deeply" in refused(tmp_path)
    (tmp_path / "suite.json").write_text("7")
    assert "not an object" in refused(tmp_path)


def test_the_whole_index_is_plain_json(tmp_path: Path) -> None:
    assert json.loads(content_of_index(a_suite()))["covered"]["branches"]["a.Main"] == {"onClick(I)V": [0, 3]}


def test_a_full_disk_is_said_and_the_old_suite_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_suite(tmp_path, a_suite())
    before = (tmp_path / "suite.json").read_bytes()

    def full(path: Path, target: Path) -> None:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(StoreError, match="the disk is full"):
        write_suite(tmp_path, a_suite(made("new")))
    assert (tmp_path / "suite.json").read_bytes() == before

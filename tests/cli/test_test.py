"""`fewtaps test` on suites of simulated apps."""

from __future__ import annotations

import io
import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fewtaps.cli.main import main
from fewtaps.suitefile import read_suite

Run = Callable[..., tuple[int, str, str]]


class Keyboard(io.StringIO):
    """Lines that a person types."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Runs a command with lines on its standard input; returns exit code, output and error output."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FEWTAPS_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("CI", raising=False)

    def called(*arguments: str, lines: tuple[str, ...] = (), typed: str | None = None) -> tuple[int, str, str]:
        script = io.StringIO("".join(f"{line}\n" for line in lines))
        monkeypatch.setattr("sys.stdin", script if typed is None else Keyboard(typed))
        code = main(list(arguments))
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return called


@pytest.fixture
def suite(run: Run, tmp_path: Path) -> Path:
    """A suite of three tests of the bill splitter: a sum, a dialog, a known crash."""
    lines = ("3", "3", "4", "test suite", "restart", "5", "test suite", "restart", "4", "test suite")
    assert run("tap", "sim:bill", lines=lines)[0] == 0
    return tmp_path / "suite"


def edited(suite: Path, name: str, old: str, new: str) -> None:
    path = suite / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def documents(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


@pytest.mark.slow
def test_tests_saved_from_tap_pass_twenty_times_in_a_row(run: Run, suite: Path) -> None:
    assert [test.name for test in read_suite(suite).tests] == ["more-people-split", "about", "split-crash"]
    for _ in range(20):
        code, out, err = run("test", "suite", "sim:bill", "--strict")
        assert (code, err) == (0, "")
        assert "3 passed in" in out


def test_tap_goes_on_after_it_saved_a_test(run: Run, tmp_path: Path) -> None:
    code, out, err = run("tap", "sim:bill", lines=("3", "test suite one", "3", "test suite two", "test suite one"))
    assert code == 2
    assert "line 5: suite: a test of the name one is there already" in err
    assert [len(test.trace.steps) for test in read_suite(tmp_path / "suite").tests] == [2, 3]


def test_a_suite_of_another_app_is_not_added_to(run: Run, suite: Path) -> None:
    code, _, err = run("tap", "sim:notes", lines=("test suite",))
    assert code == 2
    assert "the suite is for com.example.bill, the app is com.example.notes" in err


def test_a_wrong_text_fails_with_expected_and_seen(run: Run, suite: Path) -> None:
    edited(suite, "more-people-split.jsonl", '"50 each"', '"51 each"')
    code, out, _ = run("test", "suite", "sim:bill")
    assert code == 1
    assert "failed      more-people-split" in out
    assert "step 3: Tap 'Split'" in out
    assert "text of #share TextView at 0.4: expected '51 each', seen '50 each'" in out
    assert "2 passed, 1 failed in" in out


def test_a_crash_that_is_not_expected_is_a_crash(run: Run, suite: Path) -> None:
    path = suite / "split-crash.jsonl"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:-1], json.dumps({"event": json.loads(lines[-1])["event"]})]) + "\n")
    code, out, _ = run("test", "suite", "sim:bill", "-k", "crash")
    assert code == 1
    assert "crashed     split-crash" in out
    assert "java.lang.ArithmeticException" in out
    assert "1 crashed, 2 not run" in out


def test_a_widget_that_is_not_there_breaks_the_test_and_the_nearest_are_named(run: Run, suite: Path) -> None:
    event = '"kind":"tap","x":360,"y":386,"selector":{"id":"com.example.bill:id/split"'
    edited(suite, "more-people-split.jsonl", event, event.replace("/split", "/divide"))
    edited(suite, "more-people-split.jsonl", '"text":"Split","path":[0,3]', '"text":"Divide","path":[0,3]')
    code, out, _ = run("test", "suite", "sim:bill")
    assert code == 1
    assert "broken      more-people-split" in out
    assert "no widget #divide 'Divide' Button at 0.3" in out
    assert "nearest: #split 'Split' Button at 0.3" in out


def test_a_renamed_id_is_healed_told_and_updated(run: Run, suite: Path) -> None:
    path = suite / "more-people-split.jsonl"
    before = path.read_text()
    event = '"kind":"tap","x":360,"y":386,"selector":{"id":"com.example.bill:id/split"'
    edited(suite, path.name, event, event.replace("/split", "/divide"))
    code, out, _ = run("test", "suite", "sim:bill")
    assert code == 0
    assert "healed at step 3: #divide 'Split' Button at 0.3 is now #split 'Split' Button at 0.3" in out
    assert run("test", "suite", "sim:bill", "--strict")[0] == 1
    code, out, _ = run("test", "suite", "sim:bill", "--update", "--yes")
    assert code == 0
    assert "updated 1 test" in out
    assert path.read_text() == before


def test_json_has_a_document_for_each_test_and_a_summary(run: Run, suite: Path) -> None:
    edited(suite, "more-people-split.jsonl", '"50 each"', '"51 each"')
    code, out, _ = run("test", "suite", "sim:bill", "--json")
    told = documents(out)
    assert code == 1
    assert [list(each) for each in told] == [["test"], ["test"], ["test"], ["summary"]]
    failed = next(each["test"] for each in told[:3] if each["test"]["status"] == "failed")
    assert failed["worlds"][0]["differences"][0]["seen"] == "50 each"
    summary = told[-1]["summary"]
    assert summary["counts"]["passed"] == 2
    assert summary["coverage"]["new_classes"] == []
    assert summary["failed"] is True


def test_only_named_tests_are_run(run: Run, suite: Path) -> None:
    code, out, _ = run("test", "suite", "sim:bill", "-k", "ABOUT", "-k", "*-crash")
    assert code == 0
    assert "2 passed, 1 not run" in out
    code, _, err = run("test", "suite", "sim:bill", "-k", "nonsense")
    assert code == 2
    assert "-k nonsense: no test of suite has such a name" in err


def test_the_first_failure_ends_the_run_when_asked(run: Run, suite: Path) -> None:
    for name in ("more-people-split", "about", "split-crash"):
        edited(suite, f"{name}.jsonl", '"text":"100"', '"text":"101"')
    code, out, _ = run("test", "suite", "sim:bill", "-x")
    assert code == 1
    assert "1 failed, 2 not run" in out


def test_only_tests_that_failed_the_last_time_are_run(run: Run, suite: Path) -> None:
    code, out, _ = run("test", "suite", "sim:bill", "--last-failed")
    assert code == 0
    assert "so all are run" in out
    edited(suite, "about.jsonl", '"text":"100"', '"text":"101"')
    assert run("test", "suite", "sim:bill")[0] == 1
    code, out, _ = run("test", "suite", "sim:bill", "--lf")
    assert code == 1
    assert "1 failed, 2 not run" in out
    edited(suite, "about.jsonl", '"text":"101"', '"text":"100"')
    assert "1 passed, 2 not run" in run("test", "suite", "sim:bill", "--lf")[1]
    assert "3 passed" in run("test", "suite", "sim:bill", "--lf")[1]


def test_shards_run_every_test_once(run: Run, suite: Path) -> None:
    names: list[str] = []
    for number in range(1, 5):
        code, out, _ = run("test", "suite", "sim:bill", "--shard", f"{number}/4", "--json")
        assert code == 0
        names += [each["test"]["name"] for each in documents(out) if "test" in each]
    assert sorted(names) == ["about", "more-people-split", "split-crash"]


def test_an_empty_shard_is_said(run: Run, suite: Path) -> None:
    code, out, _ = run("test", "suite", "sim:bill", "--shard", "4/4")
    assert code == 0
    assert "shard 4 of 4 is empty: the suite has 3 tests" in out


@pytest.mark.parametrize(
    ("shard", "reason"),
    [("5/4", "a shard of 4 is 1 to 4"), ("0/4", "a shard of 4 is 1 to 4"), ("1", "written as 1/4"), ("a/b", "1/4")],
)
def test_a_shard_that_cannot_be_is_refused(run: Run, suite: Path, shard: str, reason: str) -> None:
    code, _, err = run("test", "suite", "sim:bill", "--shard", shard)
    assert code == 2
    assert reason in err


def test_no_test_begins_after_the_time_and_what_is_left_out_is_said(run: Run, suite: Path) -> None:
    code, out, _ = run("test", "suite", "sim:bill", "--minutes", "0.0000001")
    assert code == 0
    assert "3 not run" in out
    assert "left out, because tests were not run: com.example.bill.Main" in out


def test_several_devices_give_the_same_results(run: Run, suite: Path) -> None:
    edited(suite, "about.jsonl", '"text":"100"', '"text":"101"')
    one = documents(run("test", "suite", "sim:bill", "--json")[1])[-1]["summary"]
    two = documents(run("test", "suite", "sim:bill", "--json", "-j", "2")[1])[-1]["summary"]
    assert [(each["name"], each["status"]) for each in one["tests"]] == [
        (each["name"], each["status"]) for each in two["tests"]
    ]


@pytest.fixture
def flaky(run: Run, tmp_path: Path) -> Path:
    """A suite with a test that passes in some worlds only."""
    assert run("tap", "sim:feed", "--world", "3", lines=("1", "2", "test suite"))[0] == 0
    return tmp_path / "suite"


def test_a_test_that_passes_in_some_worlds_is_flaky_and_goes_into_quarantine(run: Run, flaky: Path) -> None:
    code, out, _ = run("test", "suite", "sim:feed", "--worlds", "20", "--json")
    summary = documents(out)[-1]["summary"]
    (test,) = summary["tests"]
    assert code == 0
    assert test["status"] == "flaky"
    assert 0 < test["passed"] < test["runs"] == 20
    assert 0 < test["low"] < test["passed"] / 20 < test["high"] < 1
    (entry,) = read_suite(flaky).quarantine
    assert (entry.passed, entry.runs) == (test["passed"], 20)
    code, out, _ = run("test", "suite", "sim:feed", "--worlds", "20")
    assert code == 0
    assert "1 quarantined" in out
    assert read_suite(flaky).quarantine[0].runs == 40


def test_a_test_leaves_the_quarantine_after_twenty_clean_runs(run: Run, flaky: Path) -> None:
    assert run("test", "suite", "sim:feed", "--worlds", "20")[0] == 0
    clean = read_suite(flaky).quarantine[0].clean
    for _ in range(20 - clean):
        assert read_suite(flaky).quarantine
        code, out, _ = run("test", "suite", "sim:feed")
        assert code == 0
    assert "passed 20 times in a row and leaves the quarantine" in out
    assert read_suite(flaky).quarantine == ()


def test_a_ci_server_does_not_write_rates(run: Run, flaky: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    before = (flaky / "suite.json").read_bytes()
    code, out, _ = run("test", "suite", "sim:feed", "--worlds", "20")
    assert code == 0
    assert "suite.json is left as it is" in out
    assert (flaky / "suite.json").read_bytes() == before


def test_an_update_rewrites_the_lines_that_failed_and_nothing_else(run: Run, suite: Path) -> None:
    before = {path.name: path.read_text() for path in suite.iterdir()}
    edited(suite, "more-people-split.jsonl", '"50 each"', '"51 each"')
    edited(suite, "about.jsonl", '"Splits bills."', '"Splits all bills."')
    code, out, _ = run("test", "suite", "sim:bill", "--update", "more-people-split", "--yes")
    assert code == 0
    changes = [line for line in out.splitlines() if line.startswith(("+{", "-{"))]
    assert len(changes) == 2
    assert "51 each" in changes[0] and "50 each" in changes[1]
    assert (suite / "more-people-split.jsonl").read_text() == before["more-people-split.jsonl"]
    assert "Splits all bills." in (suite / "about.jsonl").read_text()


def test_an_update_keeps_what_a_person_wrote_at_other_steps(run: Run, suite: Path) -> None:
    path = suite / "more-people-split.jsonl"
    lines = path.read_text().splitlines()
    lines[1] = '{"event":{"kind":"launch"}}'
    path.write_text("\n".join(lines) + "\n")
    edited(suite, path.name, '"50 each"', '"51 each"')
    assert run("test", "suite", "sim:bill", "--update", "--yes")[0] == 0
    assert path.read_text().splitlines() == lines


def test_an_update_is_refused_where_ci_is_set(run: Run, suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "1")
    code, _, err = run("test", "suite", "sim:bill", "--update", "--yes")
    assert code == 2
    assert "--update: not where CI is set" in err


def test_an_update_without_a_person_needs_yes(run: Run, suite: Path) -> None:
    code, _, err = run("test", "suite", "sim:bill", "--update")
    assert code == 2
    assert "give --yes too" in err


@pytest.mark.parametrize(("answer", "is_written"), [("y\n", True), ("n\n", False), ("\n", False), ("", False)])
def test_an_update_asks(run: Run, suite: Path, answer: str, is_written: bool) -> None:
    edited(suite, "more-people-split.jsonl", '"50 each"', '"51 each"')
    run("test", "suite", "sim:bill", "--update", typed=answer)
    assert ("50 each" in (suite / "more-people-split.jsonl").read_text()) is is_written


def test_an_update_of_a_test_that_is_not_there_is_refused(run: Run, suite: Path) -> None:
    code, _, err = run("test", "suite", "sim:bill", "--update", "--yes", "nonsense")
    assert code == 2
    assert "--update nonsense: no test of suite has this name" in err


def test_names_without_update_are_refused(run: Run, suite: Path) -> None:
    code, _, err = run("test", "suite", "sim:bill", "about")
    assert code == 2
    assert "-k NAME runs only those tests" in err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_an_update_of_a_read_only_folder_is_refused_before_anything_is_run(run: Run, suite: Path) -> None:
    suite.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        code, _, err = run("test", "suite", "sim:bill", "--update", "--yes")
    finally:
        suite.chmod(stat.S_IRWXU)
    assert code == 2
    assert "cannot be written" in err


def test_a_test_that_breaks_cannot_be_updated_and_still_fails(run: Run, suite: Path) -> None:
    edited(suite, "about.jsonl", "id/about", "id/info")
    edited(suite, "about.jsonl", '"text":"About"', '"text":"Info"')
    code, out, _ = run("test", "suite", "sim:bill", "--update", "--yes")
    assert code == 1
    assert "no test is to be updated" in out


def test_a_suite_of_another_package_is_refused(run: Run, suite: Path) -> None:
    code, _, err = run("test", "suite", "sim:notes")
    assert code == 2
    assert "the suite is for com.example.bill, the app is com.example.notes" in err


def test_an_app_has_to_be_named_outside_of_a_project(run: Run, suite: Path) -> None:
    code, _, err = run("test", "suite")
    assert code == 2
    assert "name the app too" in err


def test_a_folder_that_is_no_suite_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    code, _, err = run("test", "empty", "sim:bill")
    assert code == 2
    assert "there is no suite.json in it" in err


def test_an_app_that_is_not_there_is_refused(run: Run, suite: Path) -> None:
    code, _, err = run("test", "suite", "missing.apk")
    assert code == 2
    assert "missing.apk" in err


def test_an_unknown_setting_of_a_suite_is_refused(run: Run, suite: Path) -> None:
    edited(suite, "suite.json", '"settings": {}', '"settings": {"colour": "red"}')
    code, _, err = run("test", "suite", "sim:bill")
    assert code == 2
    assert "suite.json: colour: not one of the settings" in err


def test_a_suite_without_tests_is_said(run: Run, suite: Path) -> None:
    for path in suite.glob("*.jsonl"):
        path.unlink()
    code, out, _ = run("test", "suite", "sim:bill")
    assert code == 0
    assert "the suite has no tests" in out


def test_masks_that_hide_everything_are_said(run: Run, suite: Path) -> None:
    path = suite / "about.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines[1:]:
        expect = line["expect"]
        expect["masked"] = [widget["selector"] for widget in expect["widgets"]]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    code, out, _ = run("test", "suite", "sim:bill")
    assert code == 0
    assert "about: its masks hide every text" in out


def test_hostile_texts_are_escaped(run: Run, suite: Path) -> None:
    edited(suite, "about.jsonl", '"Splits bills."', '"\\u001b[31m\\u202eevil\\nline"')
    code, out, _ = run("test", "suite", "sim:bill", "-k", "about")
    assert code == 1
    assert "\x1b[31m" not in out and "\u202e" not in out
    assert "\\u001b[31m\\u202eevil line" in out


def test_the_same_build_does_not_differ_from_itself(run: Run, suite: Path) -> None:
    edited(suite, "more-people-split.jsonl", '"50 each"', '"51 each"')
    code, out, _ = run("test", "suite", "sim:bill", "--against", "sim:bill")
    assert code == 0
    assert "3 passed" in out


def test_two_ways_to_make_expectations_at_once_are_refused(run: Run, suite: Path) -> None:
    code, _, err = run("test", "suite", "sim:bill", "--update", "--yes", "--against", "sim:bill")
    assert code == 2
    assert "--update and --against" in err


@pytest.mark.slow
def test_pictures_are_expected_where_asked_for(run: Run, suite: Path) -> None:
    code, out, _ = run("test", "suite", "sim:bill", "--update", "about", "--pictures", "--yes")
    assert code == 0
    assert f"new picture: {Path('suite') / 'about.01.png'}" in out
    assert run("test", "suite", "sim:bill")[0] == 0
    other = (suite / "about.00.png").read_bytes()
    (suite / "about.01.png").write_bytes(other)
    code, out, _ = run("test", "suite", "sim:bill")
    assert code == 1
    assert "picture: expected about.01.png, seen" in out
    assert run("test", "suite", "sim:bill", "--update", "--yes")[0] == 0
    assert (suite / "about.01.png").read_bytes() != other
    assert run("test", "suite", "sim:bill")[0] == 0


def test_a_picture_that_is_missing_or_elsewhere_is_refused(run: Run, suite: Path) -> None:
    assert run("test", "suite", "sim:bill", "--update", "about", "--pictures", "--yes")[0] == 0
    (suite / "about.01.png").unlink()
    code, _, err = run("test", "suite", "sim:bill")
    assert code == 2
    assert "about.01.png: cannot be read" in err
    edited(suite, "about.jsonl", '"about.01.png"', '"../about.01.png"')
    code, _, err = run("test", "suite", "sim:bill")
    assert code == 2
    assert "is no name of a picture" in err


def test_pictures_without_an_update_are_refused(run: Run, suite: Path) -> None:
    code, _, err = run("test", "suite", "sim:bill", "--pictures")
    assert code == 2
    assert "--pictures is for --update" in err


def test_an_update_writes_through_no_link(run: Run, suite: Path, tmp_path: Path) -> None:
    edited(suite, "more-people-split.jsonl", '"50 each"', '"51 each"')
    outside = tmp_path / "outside"
    outside.mkdir()
    for name in ("more-people-split.jsonl", "suite.json"):
        (suite / name).rename(outside / name)
        (suite / name).symlink_to(outside / name)
    before = {path.name: path.read_bytes() for path in outside.iterdir()}
    assert run("test", "suite", "sim:bill", "--update", "--yes")[0] == 0
    assert {path.name: path.read_bytes() for path in outside.iterdir()} == before
    assert not (suite / "more-people-split.jsonl").is_symlink()
    assert run("test", "suite", "sim:bill")[0] == 0

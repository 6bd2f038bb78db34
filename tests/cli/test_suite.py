"""`fewtaps suite` on the simulated device: what it writes, tells, keeps and refuses."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from fewtaps.cli.main import main
from fewtaps.device.jobs import JobContext
from fewtaps.device.session import Session
from fewtaps.model.suite_result import SuiteTestRun, SuiteTestStatus
from fewtaps.pipeline import suites
from fewtaps.pipeline.playing_tests import PlayTest
from fewtaps.pipeline.suite_inputs import find_project_traces, iter_project_traces
from fewtaps.pipeline.suite_player import JOURNAL, SuiteJournal
from fewtaps.store.database import open_store
from fewtaps.suitefile import read_suite

Capture = pytest.CaptureFixture[str]
APP = "sim:twowrites"
COST = ("--launch-cost", "20")


class Explorations:
    """Explores each app once for this module and hands out copies of its project."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def copy(self, to: Path, app: str = APP, events: int = 300) -> Path:
        """A project of its own, `to`, as `fewtaps explore` made it."""
        kept = self._folder / f"{app.removeprefix('sim:')}-{events}"
        if not kept.exists():
            assert main(["explore", app, "-o", str(kept), "--events", str(events)]) == 0
        copytree(kept, to)
        return to


@pytest.fixture(scope="module")
def explorations(tmp_path_factory: pytest.TempPathFactory) -> Explorations:
    return Explorations(tmp_path_factory.mktemp("explorations"))


@pytest.fixture
def project(explorations: Explorations, tmp_path: Path, capsys: Capture) -> Path:
    folder = explorations.copy(tmp_path / "project")
    capsys.readouterr()
    return folder


def summary(capsys: Capture) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(capsys.readouterr().out.splitlines()[-1])["summary"]
    return found


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.jsonl"))}


@pytest.mark.slow
def test_a_project_becomes_a_small_suite_that_passes(project: Path, capsys: Capture) -> None:
    assert main(["suite", str(project), APP, "--json", *COST]) == 0
    made = summary(capsys)
    assert made["after"]["events"] < made["before"]["events"] / 10
    assert made["after"]["traces"] < made["before"]["traces"]
    assert made["covered"]["branches"] == 4 and made["covered"]["crashes"] == 1
    assert not any(made["missing"].values()) and not any(made["flaky"].values())
    assert made["complete"] and made["gap"] == 0
    suite = read_suite(project / "suite")
    assert [test.name for test in suite.tests] == [each["name"] for each in made["tests"]]
    assert main(["test", str(project / "suite"), "sim:twowrites"]) == 0


@pytest.mark.slow
@pytest.mark.parametrize("order", [(), ("--as-paper", "--worlds", "3")])
def test_the_result_is_the_same_on_any_number_of_devices(
    explorations: Explorations, tmp_path: Path, capsys: Capture, order: tuple[str, ...]
) -> None:
    project = explorations.copy(tmp_path / "bill", "sim:bill")
    found = []
    kept = []
    for jobs in (1, 3):
        output = tmp_path / f"suite-{jobs}"
        assert (
            main(["suite", str(project), "sim:bill", "-o", str(output), "-j", str(jobs), "--json", *order, *COST]) == 0
        )
        kept.append(set(keys_in(project / JOURNAL)))
        (project / JOURNAL).unlink()
        made = summary(capsys)
        found.append((files_in(output), made["phases"], made["covered"], made["played_runs"], made["refused"]))
    assert found[0] == found[1]
    # Idle devices played ahead, and what one device needed is the same.
    assert kept[0] < kept[1]


def keys_in(journal: Path) -> list[str]:
    return [json.loads(line)["key"] for line in journal.read_text(encoding="utf-8").splitlines()[1:]]


@pytest.mark.slow
def test_what_was_played_is_not_played_again_after_a_kill(explorations: Explorations, tmp_path: Path) -> None:
    project = tmp_path / "bill"
    explorations.copy(project, "sim:bill")
    assert main(["suite", str(project), "sim:bill", "-o", str(tmp_path / "whole"), *COST]) == 0
    journal = project / JOURNAL
    lines = journal.read_bytes().splitlines(keepends=True)
    # Killed in the middle of the third run.
    journal.write_bytes(b"".join(lines[:3]) + lines[3][:20])
    assert main(["suite", str(project), "sim:bill", "-o", str(tmp_path / "again"), *COST]) == 0
    assert files_in(tmp_path / "whole") == files_in(tmp_path / "again")
    assert journal.read_bytes().splitlines(keepends=True)[:3] == lines[:3]


def test_the_journal_begins_anew_for_other_settings(tmp_path: Path) -> None:
    path = tmp_path / JOURNAL
    journal = SuiteJournal(path, {"app": "one"})
    journal.put("key", 7)
    journal.close()
    for app, found in (("one", 7), ("two", None)):
        journal = SuiteJournal(path, {"app": app})
        assert journal.get("key") == found
        journal.close()


def test_the_order_of_the_paper_keeps_the_same_coverage(project: Path, tmp_path: Path, capsys: Capture) -> None:
    output = tmp_path / "paper"
    assert main(["suite", str(project), APP, "-o", str(output), "--as-paper", "--worlds", "2", "--json", *COST]) == 0
    made = summary(capsys)
    assert [each["phase"] for each in made["phases"]] == ["preparing", "loops", "splicing"]
    assert made["covered"]["branches"] == 4 and made["covered"]["crashes"] == 1
    assert made["gap"] is None


def test_trace_files_and_the_app_are_enough(project: Path, tmp_path: Path, capsys: Capture, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["suite", str(project), APP, "-o", str(tmp_path / "first"), *COST]) == 0
    traces = [str(path) for path in sorted((tmp_path / "first").glob("*.jsonl"))]
    assert main(["suite", *traces, "sim:twowrites", "-o", str(tmp_path / "second"), *COST]) == 0
    one, other = read_suite(tmp_path / "first"), read_suite(tmp_path / "second")
    assert one.covered == other.covered


@pytest.mark.slow
def test_onto_keeps_tests_and_names_and_adds_what_is_missing(project: Path, tmp_path: Path, capsys: Capture) -> None:
    output = tmp_path / "suite"
    assert main(["suite", str(project), APP, "-o", str(output), *COST]) == 0
    before = files_in(output)
    capsys.readouterr()
    assert main(["suite", str(project), APP, "--onto", str(output), "--json", *COST]) == 0
    made = summary(capsys)
    assert files_in(output) == before
    assert made["added"] == [] and len(made["kept"]) == len(before)
    gone = sorted(before)[0]
    (output / gone).unlink()
    assert main(["suite", str(project), APP, "--onto", str(output), "--json", *COST]) == 0
    made = summary(capsys)
    assert made["added"] and len(made["kept"]) == len(before) - 1
    assert {name: content for name, content in files_in(output).items() if name in before and name != gone} == {
        name: content for name, content in before.items() if name != gone
    }


@pytest.mark.slow
def test_limits_end_with_the_best_so_far(explorations: Explorations, tmp_path: Path, capsys: Capture) -> None:
    project = tmp_path / "bill"
    explorations.copy(project, "sim:bill")
    assert main(["suite", str(project), "sim:bill", "--runs", "3", "--json", *COST]) == 0
    made = summary(capsys)
    assert not made["complete"] and made["tests"]
    assert read_suite(project / "suite").tests


def test_crashes_need_not_be_kept(project: Path, capsys: Capture) -> None:
    assert main(["suite", str(project), APP, "--no-crashes", "--cover", "branches,crashes", "--json", *COST]) == 0
    assert set(summary(capsys)["covered"]) == {"branches"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["nowhere"], "nowhere: there is no such project, trace or app"),
        (["{empty}", "sim:bill"], "a folder without a project, suite, recording or app"),
        (["{project}", "{pieces}", APP], "a suite is for one app"),
        (["{project}", "{pieces}/app.apks", APP], "a suite is for one app"),
        (["{project}", APP, "-o", "{pieces}/app.apks"], "app.apks is no folder"),
        (["{project}", APP, "-o", "/proc/suite"], "/proc"),
        (["--dir", "{empty}", "sim:bill"], "nothing to make a suite from"),
        (["{project}", "sim:bill"], "was explored with com.example.twowrites"),
        (["{project}", "sim:bill", "sim:feed"], "a suite is for one app"),
        (["{project}", APP, "--onto", "{empty}"], "there is no suite"),
        (["{project}", APP, "--onto", "a", "-o", "b"], "leave one of them out"),
        (["{project}", APP, "--cover", "colours"], "'colours' is none of"),
        (["{project}", APP, "--cover", ""], "nothing is left to be covered"),
        (
            ["{project}", APP, "--cover", "branches", "--coverage", "off"],
            "nothing can be kept, because coverage is off",
        ),
        (["{project}", APP, "--fragments", "0"], "--fragments: between 1 and 20"),
        (["{project}", APP, "--worlds", "0"], "--worlds: between 1 and 1000"),
        (["{project}", APP, "--abstraction", "vibes"], "'vibes' is none of"),
        (["{project}", APP, "--runs", "0"], "--runs: more than nothing"),
    ],
)
def test_bad_input_is_one_clear_line(
    project: Path, tmp_path: Path, capsys: Capture, options: list[str], words: str
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    pieces = tmp_path / "pieces"
    pieces.mkdir()
    for name in ("base.apk", "app.apks"):
        (pieces / name).touch()
    given = [each.format(project=project, empty=empty, pieces=pieces) for each in options]
    assert main(["suite", *given]) == 2
    error = capsys.readouterr().err
    assert words in error and "Traceback" not in error and error.count("\n") == 1


def test_a_suite_is_not_overwritten(project: Path, capsys: Capture) -> None:
    assert main(["suite", str(project), APP, *COST]) == 0
    before = files_in(project / "suite")
    capsys.readouterr()
    assert main(["suite", str(project), APP, *COST]) == 2
    assert "a suite is there already" in capsys.readouterr().err
    assert files_in(project / "suite") == before


@pytest.mark.slow
def test_what_differs_between_worlds_is_told_as_flaky(
    explorations: Explorations, tmp_path: Path, capsys: Capture
) -> None:
    folder = tmp_path / "feed"
    explorations.copy(folder, "sim:feed", 400)
    capsys.readouterr()
    assert main(["suite", str(folder), "sim:feed", "--json", *COST]) == 0
    made = summary(capsys)
    assert main(["test", str(folder / "suite"), "sim:feed", "--worlds", "5"]) == 0
    assert made["flaky"]["crashes"] == 1 and made["covered"]["crashes"] == 0
    assert len(made["flaky_crashes"]) == 1 and made["missing_crashes"] == []


@pytest.mark.slow
def test_a_flaky_crash_is_told_with_its_signature(explorations: Explorations, tmp_path: Path, capsys: Capture) -> None:
    folder = tmp_path / "feed"
    explorations.copy(folder, "sim:feed", 400)
    assert main(["suite", str(folder), "sim:feed", "--json", *COST, "-o", str(tmp_path / "one")]) == 0
    signature = summary(capsys)["flaky_crashes"][0]
    assert main(["suite", str(folder), "sim:feed", *COST, "-o", str(tmp_path / "two")]) == 0
    assert f"only some worlds show the crash {signature}" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("app", ["sim:bill", "sim:twowrites", "sim:feed", "sim:notes"])
@pytest.mark.parametrize("order", [(), ("--as-paper", "--worlds", "2")])
def test_a_new_suite_passes(
    explorations: Explorations, tmp_path: Path, capsys: Capture, app: str, order: tuple[str, ...]
) -> None:
    folder = tmp_path / "project"
    explorations.copy(folder, app, 200)
    assert main(["suite", str(folder), app, *COST, *order]) == 0
    for _ in range(2):
        capsys.readouterr()
        assert main(["test", str(folder / "suite"), app, "--strict"]) == 0


def test_a_test_that_does_not_pass_after_its_recording_is_replaced_or_its_coverage_told(
    project: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = PlayTest.run
    spoiled: list[int] = []

    def run(self: PlayTest, session: Session, context: JobContext) -> tuple[SuiteTestRun, ...]:
        """As the real one, but the first test of three steps or more fails at its last step."""
        runs = real(self, session, context)
        last = len(self.test.trace.steps) - 1
        if spoiled or last < 3:
            return runs
        spoiled.append(last)
        return (replace(runs[0], status=SuiteTestStatus.FAILED, step=last),)

    monkeypatch.setattr(PlayTest, "run", run)
    assert main(["suite", str(project), APP, "--json", *COST]) == 0
    made = summary(capsys)
    assert spoiled and len(made["failures"]) == 1 and f"failed at step {spoiled[0]} " in made["failures"][0]
    kept = made["covered"]["branches"] + made["flaky"]["branches"] + made["missing"]["branches"]
    assert kept == 4 and made["covered"]["crashes"] + made["flaky"]["crashes"] == 1
    assert main(["test", str(project / "suite"), APP]) == 0


@pytest.mark.slow
def test_a_step_at_which_every_test_fails_leaves_the_tests_before_it(
    project: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = PlayTest.run
    failed: list[int] = []

    def run(self: PlayTest, session: Session, context: JobContext) -> tuple[SuiteTestRun, ...]:
        """As the real one, but no test gets beyond its first step after the launch."""
        runs = real(self, session, context)
        if len(self.test.trace.steps) < 3:
            return runs
        failed.append(2)
        return (replace(runs[0], status=SuiteTestStatus.FAILED, step=2),)

    monkeypatch.setattr(PlayTest, "run", run)
    monkeypatch.setattr(suites, "MOST_VERIFICATIONS", 1)
    assert main(["suite", str(project), APP, "--json", *COST]) == 0
    made = summary(capsys)
    assert failed and made["after"]["events"] == made["after"]["traces"] > 0
    assert main(["test", str(project / "suite"), APP]) == 0


@pytest.mark.slow
def test_the_reduced_trace_of_a_crash_keeps_the_crash(
    explorations: Explorations, tmp_path: Path, capsys: Capture
) -> None:
    folder = tmp_path / "bill"
    explorations.copy(folder, "sim:bill", 100)
    capsys.readouterr()
    assert main(["crashes", str(folder), "--json"]) == 0
    crashes = json.loads(capsys.readouterr().out)["crashes"]
    assert main(["reduce", "sim:bill", crashes[0]["id"], "--dir", str(folder), "--worlds", "3"]) == 0
    with open_store(folder) as store:
        found = find_project_traces(store)
        assert found is not None
        explored = len(list(iter_project_traces(store, found)))
    capsys.readouterr()
    assert main(["suite", str(folder), "sim:bill", "--json", *COST]) == 0
    told = summary(capsys)
    assert told["before"]["traces"] == explored + 1
    assert told["covered"]["crashes"] == len(crashes) > 1


@pytest.mark.slow
def test_a_project_names_its_app_also_if_that_is_simulated(project: Path) -> None:
    assert main(["suite", str(project), "--json", *COST]) == 0
    assert main(["test", str(project / "suite")]) == 0

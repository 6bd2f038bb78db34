"""Suites made on the samples, run by `fewtaps test` on them and on their changed builds.

Regressions are found at their steps, and nothing else is. The command opens its device on the twin of all tests.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from samples.changes import CHANGED, SAMPLES, Change, of_kind, read_changes

from fewtaps.cli.main import main
from fewtaps.config import DeviceSettings, SuiteRunSettings
from fewtaps.device.twin.device import TwinDevice
from fewtaps.model.app import App
from fewtaps.model.event import Event, Key, Rotate, Selector, Swipe, Tap
from fewtaps.model.suite_result import SuiteTestStatus
from fewtaps.model.trace import Step, Trace
from fewtaps.pipeline import opening
from fewtaps.pipeline.opening import OpenedApp
from fewtaps.pipeline.recording_tests import add_test
from fewtaps.pipeline.single_tests import open_suite_runner
from fewtaps.suitefile import read_suite
from fewtaps.tracefile import read_trace

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

REGRESSIONS, HARMLESS = of_kind("regression"), of_kind("harmless")
BASES = sorted({change.base for change in read_changes()})

KNOWN_CRASH, ROTATED, EQUAL_ROWS = "known-crash", "rotated", "equal-rows"
"""Tests beside those through the changed places.

One ends in a crash of the sample, one turns the phone, and one makes equal rows until they fill a list."""

SuiteOf = Callable[[str], Path]


@dataclass(frozen=True, slots=True)
class Said:
    """What `fewtaps test --json` said: its exit code, the tests by their names, and the summary."""

    code: int
    tests: dict[str, Any]
    summary: dict[str, Any]

    def run_of(self, change: Change) -> dict[str, Any]:
        """The only run of the test through the changed place."""
        (run,) = self.tests[change.name]["worlds"]
        assert isinstance(run, dict)
        return run


RunSuite = Callable[..., Said]


@pytest.fixture(scope="module")
def suite_of(
    twin: TwinDevice, sample: Callable[[str], App], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SuiteOf]:
    """The suite of a sample, made on it: a test through the changed place of each of its changed builds."""
    made: dict[str, Path] = {}

    def suite(base: str) -> Path:
        if base not in made:
            folder = tmp_path_factory.mktemp("suites") / base
            with twin.open(sample(base)) as session:
                opened = OpenedApp(sample(base), session, session.settings.profile, twin)
                for change in read_changes():
                    if change.base == base:
                        add_test(folder, opened, DeviceSettings(), read_trace(change.steps), change.name)
                for name, trace in further_traces(base):
                    add_test(folder, opened, DeviceSettings(), trace, name)
            made[base] = folder
        return made[base]

    yield suite


def further_traces(base: str) -> Iterator[tuple[str, Trace]]:
    """Further traces of a sample, with the names of their tests."""
    if base == "shop":
        yield KNOWN_CRASH, read_trace(SAMPLES / base / "crash.jsonl")
    if base == "timer":
        trace = read_trace(CHANGED / "layout-moved" / "steps.jsonl")
        turns = (Step(Rotate("landscape")), Step(Rotate("portrait")))
        yield ROTATED, replace(trace, steps=(trace.steps[0], *turns))
    if base == "notes":
        trace = read_trace(CHANGED / "row-added" / "steps.jsonl")
        new, back = Tap(634, 106, Selector(f"{trace.app.package}:id/action_add")), Key("BACK")
        swipe = Swipe(128, 600, 1151, 600, selector=Selector(text="Untitled", path=(0, 0, 0, 0, 0, 3)))
        events: tuple[Event, ...] = (
            new,
            back,
            Rotate("landscape"),
            new,
            back,
            swipe,
            back,
            Rotate("portrait"),
            new,
            back,
        )
        yield EQUAL_ROWS, replace(trace, steps=(trace.steps[0], *(Step(event) for event in events)))


@pytest.fixture
def run_suite(twin: TwinDevice, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> RunSuite:
    """`fewtaps test SUITE APK --json`, which also leaves the suite as it is."""
    monkeypatch.setattr(opening, "open_configured_device", lambda *_: nullcontext(twin))

    def run(folder: Path, apk: Path, *options: str) -> Said:
        before = {path.name: path.read_bytes() for path in folder.iterdir()}
        code = main(["test", str(folder), str(apk), "--json", *options])
        *documents, last = map(json.loads, capsys.readouterr().out.splitlines())
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
        return Said(code, {each["test"]["name"]: each["test"] for each in documents}, last["summary"])

    return run


@pytest.mark.parametrize("base", BASES)
def test_a_suite_passes_strictly_on_the_build_it_was_made_on(
    sample: Callable[[str], App], suite_of: SuiteOf, run_suite: RunSuite, base: str
) -> None:
    said = run_suite(suite_of(base), Path(sample(base).path), "--strict")
    assert said.code == 0
    assert said.summary["counts"]["passed"] == len(said.tests) == len(read_suite(suite_of(base)).tests)
    assert said.summary["coverage"]["lost"] == said.summary["coverage"]["gone"] == []


@pytest.mark.parametrize("change", REGRESSIONS, ids=lambda change: change.name)
def test_a_regression_is_found_at_its_step(suite_of: SuiteOf, run_suite: RunSuite, change: Change) -> None:
    said = run_suite(suite_of(change.base), change.apk)
    assert said.code == 1
    test, run = said.tests[change.name], said.run_of(change)
    assert test["status"] == ("crashed" if change.crash else "failed")
    assert run["step"] == change.step
    if change.crash is not None:
        assert change.crash in [each["type"] for each in run["crash"]["exceptions"]]
    assert not run["healings"]
    # Other tests of the suite may lead through the changed place too, and say so; none is healed into passing.
    assert said.summary["counts"]["healed"] == 0


@pytest.mark.parametrize("change", HARMLESS, ids=lambda change: change.name)
def test_a_harmless_change_passes_and_only_lost_ids_are_healed(
    suite_of: SuiteOf, run_suite: RunSuite, change: Change
) -> None:
    said = run_suite(suite_of(change.base), change.apk)
    assert said.code == 0
    assert {test["status"] for test in said.tests.values()} <= {"passed", "healed"}
    run = said.run_of(change)
    assert tuple(each["step"] for each in run["healings"] if each["target"]) == change.healed
    for test in said.tests.values():
        for healing in test["worlds"][0]["healings"]:
            old, new = healing["old"], healing["new"]
            assert {name: old.get(name) for name in ("class", "path", "description")} == {
                name: new.get(name) for name in ("class", "path", "description")
            }
    assert bool(run["healings"]) is bool(change.healed)


def test_a_known_crash_is_known_in_an_obfuscated_build(suite_of: SuiteOf, run_suite: RunSuite) -> None:
    said = run_suite(suite_of("shop"), CHANGED / "obfuscated.apk", "-k", KNOWN_CRASH)
    (run,) = said.tests[KNOWN_CRASH]["worlds"]
    assert (said.code, run["status"], run["crash_renamed"]) == (0, "healed", True)
    assert run_suite(suite_of("shop"), CHANGED / "obfuscated.apk", "-k", KNOWN_CRASH, "--strict").code == 1
    # Runners that choose the tests themselves, as pytest does, say the same.
    suite, settings = read_suite(suite_of("shop")), SuiteRunSettings(suite_of("shop"))
    (test,) = (test for test in suite.tests if test.name == KNOWN_CRASH)
    with open_suite_runner(str(CHANGED / "obfuscated.apk"), suite, settings) as runner:
        assert runner.run(test).status is SuiteTestStatus.HEALED


def test_a_layout_that_shows_more_on_its_side_is_the_same_screen(suite_of: SuiteOf, run_suite: RunSuite) -> None:
    said = run_suite(suite_of("timer"), CHANGED / "layout-moved.apk", "-k", ROTATED)
    (run,) = said.tests[ROTATED]["worlds"]
    assert (said.code, run["status"], run["moved"]) == (0, "passed", [0, 1, 2])


def test_equal_rows_are_found_in_a_list_with_one_more_row(suite_of: SuiteOf, run_suite: RunSuite) -> None:
    said = run_suite(suite_of("notes"), CHANGED / "row-added.apk", "-k", EQUAL_ROWS)
    (run,) = said.tests[EQUAL_ROWS]["worlds"]
    assert (said.code, run["status"], run["moved"]) == (0, "passed", [0, 2, 3, 5, 7, 8, 10])
    assert run_suite(suite_of("notes"), CHANGED / "row-added.apk", "-k", EQUAL_ROWS, "--strict").code == 1


@pytest.mark.parametrize("change", [change for change in HARMLESS if change.healed], ids=lambda change: change.name)
def test_a_strict_run_heals_no_lost_id(suite_of: SuiteOf, run_suite: RunSuite, change: Change) -> None:
    said = run_suite(suite_of(change.base), change.apk, "--strict", "-k", change.name)
    assert said.code == 1
    assert said.tests[change.name]["status"] == "failed"
    assert not said.run_of(change)["healings"]

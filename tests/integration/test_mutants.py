"""Faults in sample apps: each shows in the launch that asked for it, and in no other."""

from __future__ import annotations

from pathlib import Path

import pytest
from integration.conftest import SAMPLES, OpenSample
from integration.player import Player

from fewtaps.config import DeviceSettings, MutateSettings
from fewtaps.device.mutated import MutatedSession
from fewtaps.device.session import SessionSettings
from fewtaps.device.twin.device import TwinSession
from fewtaps.device.twin.jail import jail_problem
from fewtaps.errors import Unsupported, UsageError
from fewtaps.model.ending import Ending
from fewtaps.model.event import Event, Rotate, Swipe
from fewtaps.model.mutant import STANDARD_OPERATORS, Mutant, MutantStatus
from fewtaps.model.suite import Suite, SuiteTest
from fewtaps.model.trace import Trace
from fewtaps.pipeline.mutating import mutate_suite
from fewtaps.replay import play
from fewtaps.suite.expecting import with_expectations
from fewtaps.suitefile import write_suite
from fewtaps.tracefile import read_trace

pytestmark = pytest.mark.jvm


def only(session: TwinSession, method: str, operator: str, line: int | None = None) -> Mutant:
    found = [
        mutant
        for mutant in session.mutants([operator])
        if mutant.method == method and (line is None or mutant.line == line)
    ]
    assert len(found) == 1, found
    return found[0]


def shown(trace: Trace) -> list[str]:
    return [widget.text for widget in trace.steps[-1].after.iter_widgets() if widget.text]


def test_a_fault_shows_in_its_own_launch_and_the_next_one_has_the_original(open_sample: OpenSample) -> None:
    session = open_sample("tipsplit")
    events = read_trace(SAMPLES / "tipsplit" / "crash.jsonl").events
    before = play(session, events)
    # People are counted the other way round, so that the run never divides by zero.
    mutant = only(session, "changePeople", "MATH")
    assert mutant.description == "replaced integer addition with subtraction"
    assert (mutant.file, mutant.line) == ("MainActivity.java", 83)
    changed = play(MutatedSession(session, mutant), events)
    assert before.ending is Ending.CRASHED
    assert changed.ending is Ending.RUNNING
    assert [step.after for step in changed.steps] != [step.after for step in before.steps]
    after = play(session, events)
    assert [step.after for step in after.steps] == [step.after for step in before.steps]
    assert after.coverage == before.coverage
    assert after.ending is Ending.CRASHED


def test_only_the_changed_class_has_no_coverage_in_the_run_of_a_mutant(open_sample: OpenSample) -> None:
    session = open_sample("tipsplit")
    original = session.launch().covered
    changed = session.launch_mutant(only(session, "format", "EMPTY_RETURNS")).covered
    assert changed == original, "the class of the changed method is not loaded at launch"
    activity = session.launch_mutant(only(session, "changePeople", "MATH")).covered
    assert activity.lines <= original.lines
    assert activity.lines != original.lines
    assert session.launch().covered == original


def test_mutants_are_in_the_code_of_the_app_and_come_in_one_order(open_sample: OpenSample) -> None:
    session = open_sample("tipsplit")
    mutants = session.mutants()
    assert mutants == session.mutants(STANDARD_OPERATORS)
    assert len({mutant.key for mutant in mutants}) == len(mutants) > 50
    assert all(mutant.class_name.startswith("dev.fewtaps.samples.tipsplit.") for mutant in mutants)
    assert all(mutant.line_probe is not None and mutant.method_probe is not None for mutant in mutants)
    lines = {probe.number: probe.line for each in session.probe_map().classes for probe in each.lines}
    assert all(lines[mutant.line_probe or 0] == mutant.line for mutant in mutants)
    # D8 makes a class for each lambda and methods through which it calls the body; the body itself is the app's.
    assert not [each for each in mutants if each.line == 0 or each.method.startswith("$r8$")]
    assert [each for each in mutants if each.method.startswith("lambda$")]
    assert not {mutant.operator for mutant in session.mutants(["REMOVE_CONDITIONALS"])} & set(STANDARD_OPERATORS)


def test_a_loop_that_never_ends_is_stopped_by_its_turns(open_sample: OpenSample) -> None:
    session = open_sample("misbehave", SessionSettings(launch_ms=500))
    mutants = [each for each in session.mutants(["INCREMENTS"]) if each.method == "modifyWhileIterating"]
    assert len(mutants) == 1

    def run(mutant: Mutant | None) -> Player:
        player = Player(session)
        player.step = session.launch_mutant(mutant, turns_limit=300_000)
        if not player.shows("Modify"):
            player.do(Swipe(360, 1200, 360, 200))
        return player.tap("Modify")

    assert run(None).step.ending is Ending.CRASHED
    turns = session.loop_turns()
    assert 0 < turns.turns < 1000
    assert not turns.is_endless
    endless = []
    for _ in range(2):
        step = run(mutants[0]).step
        assert step.ending is Ending.ANR
        endless.append((session.loop_turns(), step.crash))
    assert endless[0][0].is_endless
    assert endless[0][0].turns > 300_000
    assert endless[0] == endless[1]
    assert Player(session).step.ending is Ending.RUNNING


def test_a_mutant_that_the_app_does_not_have_is_refused(open_sample: OpenSample) -> None:
    session = open_sample("calc")
    session.launch()
    for mutant in (
        Mutant("dev.fewtaps.samples.calc.Nothing", "run", "()V", 0, "MATH"),
        Mutant("dev.fewtaps.samples.calc.MainActivity", "onCreate", "(Landroid/os/Bundle;)V", 99999, "MATH"),
        Mutant("dev.fewtaps.samples.calc.MainActivity", "onCreate", "(Landroid/os/Bundle;)V", 0, "PLUS"),
    ):
        with pytest.raises(UsageError):
            session.launch_mutant(mutant)
    with pytest.raises(UsageError, match="launch the app first"):
        session.loop_turns()
    with pytest.raises(UsageError, match="no mutation operator PLUS"):
        session.mutants(["PLUS"])


def test_without_coverage_there_are_no_mutants(open_sample: OpenSample) -> None:
    session = open_sample("calc", SessionSettings(coverage="off"))
    with pytest.raises(Unsupported):
        session.mutants()
    with pytest.raises(Unsupported):
        MutatedSession(session, None)


def test_a_suite_kills_the_faults_that_its_steps_show(open_sample: OpenSample, tmp_path: Path) -> None:
    session = open_sample("tipsplit")
    run = play(session, read_trace(SAMPLES / "tipsplit" / "crash.jsonl").events)
    test = SuiteTest("split", with_expectations([run], "actionable-rows"))
    write_suite(tmp_path / "suite", Suite(session.app.ref, "actionable-rows", (test,)))
    settings = MutateSettings(
        output=tmp_path / "out",
        device=DeviceSettings(jail=jail_problem() is None),
        mutants=1000,
        operators=("MATH", "NEGATE_CONDITIONALS"),
    )
    report = mutate_suite(str(tmp_path / "suite"), str(SAMPLES / "tipsplit.apk"), settings)
    found = {(each.mutant.method, each.mutant.line): each for each in report.results}
    people = found["changePeople", 83]
    assert (people.status, people.test, people.difference) == (MutantStatus.KILLED, "split", "text")
    assert people.step == 3, "the first tap that changes the number of people"
    # The division by zero comes before anything of the tip is shown.
    assert found["percent", 48].status is MutantStatus.SURVIVED
    assert len(report.results) == report.candidates
    assert report.uncovered


@pytest.mark.parametrize(
    ("name", "method", "event"),
    [("tipsplit", "onCreate", None), ("notes", "onDestroy", Rotate("landscape"))],
)
def test_a_callback_that_does_not_call_its_superclass_crashes_as_on_a_phone(
    open_sample: OpenSample, name: str, method: str, event: Event | None
) -> None:
    session = open_sample(name)
    removed = f"::{method}"
    (mutant,) = [
        each
        for each in session.mutants(["VOID_METHOD_CALLS"])
        if each.method == method and each.class_name == session.app.launcher and each.description.endswith(removed)
    ]
    step = session.launch_mutant(mutant)
    if event is not None:
        assert step.ending is Ending.RUNNING
        step = session.perform(event)
    assert step.ending is Ending.CRASHED and step.crash is not None and step.crash.root is not None
    assert step.crash.root.type == "android.util.SuperNotCalledException"
    assert f"did not call through to super.{method}()" in (step.crash.root.message or "")
    assert step.crash.suspect is None
    assert session.launch().ending is Ending.RUNNING

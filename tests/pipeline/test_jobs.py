"""Every job of a whole run, and its answer, is a value: pickled and played in another process it gives the same."""

from __future__ import annotations

import pickle
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from elsewhere import played_elsewhere

from fewtaps.config import FlakySettings, ReduceSettings, ReplaySettings, RunSettings
from fewtaps.device.jobs import Job, JobContext, NamePhone
from fewtaps.device.pool import SessionPool
from fewtaps.device.session import SessionSettings
from fewtaps.model.event import Selector, Tap
from fewtaps.model.suite import SuiteTest
from fewtaps.pipeline.mutant_jobs import CheckMutant, CheckRules, ListMutants, MeasureTest, PlayMutant
from fewtaps.pipeline.opening import Plan, open_session, plan_app
from fewtaps.pipeline.reducing import reduce_file
from fewtaps.pipeline.replaying import replay_file
from fewtaps.pipeline.running import run_app
from fewtaps.replay import play
from fewtaps.suite.expecting import with_expectations

SOURCES = Path(__file__).resolve().parents[2] / "src" / "fewtaps"
OF_A_RUN = {"LaunchApp", "InspectApp", "RunEpisode", "PlayEvents", "PlayTest"}
OF_OTHER_COMMANDS = {"ListMutants", "MeasureTest", "CheckMutant", "PlayMutant", "NamePhone", "PlayCanary"}
ON_THE_TWIN = {"PlayRecorded"}
"""Played in another process by tests/integration/test_recording.py: the simulated device records nothing."""


class Recorder:
    """Keeps every job that pools run, with the number of its device and its answer, as they are before they run.

    `settings` are those of the sessions that ran the jobs: making a suite opens others than exploring.
    """

    def __init__(self) -> None:
        self.kept: list[tuple[int, bytes, Any]] = []
        self.settings: list[SessionSettings] = []

    def watch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        attempt = SessionPool._attempt
        kept, settings = self.kept, self.settings

        class Watched(Job[Any]):
            def __init__(self, job: Job[Any]) -> None:
                self._job = job

            def run(self, session: Any, context: JobContext) -> Any:
                pickled = pickle.dumps(self._job)
                answer = self._job.run(session, context)
                kept.append((context.device, pickled, answer))
                settings.append(session.settings)
                return answer

        def watched(pool: SessionPool, job: Job[Any], context: JobContext) -> Any:
            return attempt(pool, Watched(job), context)

        monkeypatch.setattr(SessionPool, "_attempt", watched)


def played_elsewhere_again(plan: Plan, recorder: Recorder) -> list[Any]:
    """The answers of other processes to all jobs of a recorder, a process for each kind of session."""
    answers: list[Any] = [None] * len(recorder.kept)
    for settings in dict.fromkeys(recorder.settings):
        places = [place for place, each in enumerate(recorder.settings) if each == settings]
        jobs = [(recorder.kept[place][0], pickle.loads(recorder.kept[place][1])) for place in places]
        for place, answer in zip(places, played_elsewhere(replace(plan, session=settings), jobs), strict=True):
            answers[place] = answer
    return answers


def differing(recorder: Recorder, answers: Iterable[Any]) -> Iterator[str]:
    for (_, job, answer), other in zip(recorder.kept, answers, strict=True):
        if answer != other:
            yield type(pickle.loads(job)).__name__


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 3])
def test_every_job_and_answer_of_a_whole_run_is_a_value(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    recorder = Recorder()
    recorder.watch(monkeypatch)
    ran = run_app("sim:feed", RunSettings(tmp_path, events=150, minutes=60, jobs=jobs))
    (case,) = ran.cases
    assert case.is_flaky, "repeated runs were made too"
    kinds = Counter(type(pickle.loads(job)).__name__ for _, job, _ in recorder.kept)
    assert kinds.keys() == OF_A_RUN
    plan = plan_app("sim:feed", RunSettings(tmp_path).device)
    assert list(differing(recorder, played_elsewhere_again(plan, recorder))) == []


@pytest.mark.slow
def test_so_are_those_of_a_plain_and_a_flaky_reduction_and_of_a_replay_with_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = run_app("sim:feed", RunSettings(tmp_path, events=150, minutes=60, jobs=1))
    name = ran.cases[0].row.fingerprint
    recorder = Recorder()
    recorder.watch(monkeypatch)
    replay_file("sim:feed", name, ReplaySettings(tmp_path, worlds=3, screenshots=tmp_path / "pictures"))
    plain = ReduceSettings(tmp_path, output=tmp_path / "plain.jsonl", runs=20)
    assert reduce_file("sim:feed", name, plain).repeated is None
    flaky = ReduceSettings(tmp_path, output=tmp_path / "flaky.jsonl", runs=20, flaky=FlakySettings())
    assert reduce_file("sim:feed", name, flaky).repeated is not None
    assert any(answer.pictures for _, _, answer in recorder.kept)
    plan = plan_app("sim:feed", RunSettings(tmp_path).device)
    assert list(differing(recorder, played_elsewhere_again(plan, recorder))) == []


def test_so_are_those_of_mutants_phones_and_farms(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    from fewtaps.farm.canary import PlayCanary

    plan = plan_app("sim:bill", RunSettings(tmp_path).device)
    plan = replace(plan, session=replace(plan.session, profile=replace(plan.session.profile, android="14")))
    rules = CheckRules("actionable")
    tap = Tap(0, 0, Selector(class_name="android.widget.Button", text="About"))
    with open_session(plan) as session:
        trace = with_expectations([play(session, [tap])], "actionable")
        measure = MeasureTest(SuiteTest("test", trace), rules)
        measured = measure.run(session, JobContext()).measured
        listed = ListMutants().run(session, JobContext())
        fault = next(each for each in listed if measured.covers(each))
        checks = (CheckMutant(fault, (measured,), rules, True), PlayMutant(fault, measured, 3))
        jobs = (ListMutants(), measure, *checks, PlayMutant(None, measured, 3), NamePhone(), PlayCanary())
        answers = [job.run(session, JobContext()) for job in jobs]
    assert {type(job).__name__ for job in jobs} == OF_OTHER_COMMANDS
    assert all(answers)
    assert played_elsewhere(plan, [(0, job) for job in jobs]) == answers


def test_every_job_is_among_those_that_are_played_elsewhere() -> None:
    texts = (path.read_text("utf-8") for path in SOURCES.rglob("*.py"))
    kinds = {name for text in texts for name in re.findall(r"^class (\w+)\(Job\[", text, re.MULTILINE)}
    assert kinds == OF_A_RUN | OF_OTHER_COMMANDS | ON_THE_TWIN

"""Every job of a whole run, and its answer, is a value: pickled and played in another process it gives the same."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fewtaps.config import FlakySettings, ReduceSettings, ReplaySettings, RunSettings
from fewtaps.device.jobs import Job, JobContext
from fewtaps.device.pool import SessionPool
from fewtaps.device.session import SessionSettings
from fewtaps.pipeline.opening import Plan, plan_app
from fewtaps.pipeline.reducing import reduce_file
from fewtaps.pipeline.replaying import replay_file
from fewtaps.pipeline.running import run_app

PLAY = """
import pickle, sys
from fewtaps.device.jobs import JobContext
from fewtaps.pipeline.opening import open_session

plan, jobs = pickle.load(sys.stdin.buffer)
answers = []
with open_session(plan) as session:
    for number, job in jobs:
        answers.append(job.run(session, JobContext(device=number)))
pickle.dump(answers, sys.stdout.buffer)
"""


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


def played_elsewhere(plan: Plan, jobs: Sequence[tuple[int, Job[Any]]]) -> list[Any]:
    """The answers that another process gives to the jobs."""
    done = subprocess.run(
        [sys.executable, "-c", PLAY],
        input=pickle.dumps((plan, jobs)),
        capture_output=True,
        check=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    answers: list[Any] = pickle.loads(done.stdout)
    return answers


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
    assert kinds.keys() == {"LaunchApp", "InspectApp", "RunEpisode", "PlayEvents", "PlayTest"}
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

"""Reductions as values: what a job says, that it and its answer can be sent elsewhere, and how a limit ends it."""

from __future__ import annotations

import pickle
from functools import partial
from pathlib import Path

import pytest
from builders import trace

from fewtaps.budget import Budget
from fewtaps.config import FlakySettings, ReduceSettings
from fewtaps.device.session import DEFAULT_SETTINGS
from fewtaps.device.simulated.device import SimulatedSession
from fewtaps.device.simulated.samples import bill
from fewtaps.errors import BudgetLimit, BudgetUnit
from fewtaps.model.event import Key, Launch, Selector, Tap, Wait
from fewtaps.pipeline import keeping
from fewtaps.pipeline.news import LongRunAdvanced, News
from fewtaps.pipeline.reducing import reduce_file
from fewtaps.pipeline.reduction_job import ReductionJob
from fewtaps.replay import PROGRESS_TOLD_EVERY, play
from fewtaps.tracefile import write_trace

SPLIT = Tap(0, 0, Selector(text="Split"))


def test_a_job_pickles() -> None:
    settings = ReduceSettings(Path("p"), runs=5, flaky=FlakySettings(needed=3))
    job = ReductionJob("3f9a", trace(Key("BACK")), settings, start=trace(Key("BACK")))
    assert pickle.loads(pickle.dumps(job)) == job


def test_the_result_goes_beside_a_file_and_for_a_crash_into_the_project(tmp_path: Path) -> None:
    walk = tmp_path / "walk.jsonl"
    write_trace(walk, trace(Key("BACK")))
    settings = ReduceSettings(tmp_path / "p")
    assert ReductionJob(str(walk), trace(), settings).output == tmp_path / "walk.reduced.jsonl"
    assert ReductionJob("3f9a", trace(), settings).output == tmp_path / "p" / "3f9a.reduced.jsonl"
    chosen = ReduceSettings(tmp_path / "p", output=tmp_path / "short.jsonl")
    assert ReductionJob("3f9a", trace(), chosen).output == tmp_path / "short.jsonl"


def written(path: Path, pauses: int) -> Path:
    """A trace that crashes the bill after so many pauses."""
    session = SimulatedSession(bill(), DEFAULT_SETTINGS)
    write_trace(path, play(session, [Launch(), *[Wait(1)] * pauses, SPLIT]))
    return path


@pytest.mark.parametrize("flaky", [None, FlakySettings(), FlakySettings(schedule="greedy")])
def test_an_answer_pickles_and_has_figures_of_repeated_runs_only_if_runs_were_repeated(
    flaky: FlakySettings | None, tmp_path: Path
) -> None:
    path = written(tmp_path / "long.jsonl", pauses=6)
    reduced = reduce_file("sim:bill", str(path), ReduceSettings(tmp_path / "p", flaky=flaky))
    assert pickle.loads(pickle.dumps(reduced)) == reduced
    assert reduced.reduction.size == 1
    assert (reduced.repeated is None) == (flaky is None)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("schedule", "prechecks"), [pytest.param("sequential", 15, marks=pytest.mark.slow), ("greedy", 20)]
)
def test_a_time_limit_ends_a_long_run_of_a_flaky_reduction_and_keeps_the_best(
    schedule: str, prechecks: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports = 3
    path = written(tmp_path / "long.jsonl", pauses=reports * PROGRESS_TOLD_EVERY)
    limit = prechecks * reports + 1
    now = 0.0
    advanced: list[int] = []

    def advance(news: News) -> None:
        nonlocal now
        if isinstance(news, LongRunAdvanced):
            now += 1.0
            advanced.append(news.number)

    monkeypatch.setattr(keeping, "Budget", partial(Budget, clock=lambda: now))
    settings = ReduceSettings(
        tmp_path / "p", seconds=limit, strategy="ddmin", flaky=FlakySettings(schedule=schedule, parts=2)
    )
    reduced = reduce_file("sim:bill", str(path), settings, advance)
    assert reduced.stopped == BudgetLimit(BudgetUnit.SECONDS, limit)
    assert advanced[-1] == PROGRESS_TOLD_EVERY and len(advanced) == limit, "the run goes no further than to the limit"
    assert reduced.reduction.size == reports * PROGRESS_TOLD_EVERY + 1
    assert reduced.repeated is not None and reduced.repeated.precheck.met == prechecks

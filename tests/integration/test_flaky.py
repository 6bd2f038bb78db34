"""Crashes that happen in some worlds only, on the twin: reduced to their steps, with their rate and their cause."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import pytest
from integration.conftest import SAMPLES, OpenSample
from integration.long_traces import lengthened

from fewtaps.config import DeviceSettings, FlakySettings, ReduceSettings
from fewtaps.device.pool import open_pool
from fewtaps.pipeline.opening import plan_app
from fewtaps.pipeline.reducing import reduce_with
from fewtaps.pipeline.reduction_job import ReductionContext, ReductionJob
from fewtaps.replay import play
from fewtaps.store.database import open_store
from fewtaps.tracefile import read_trace

pytestmark = pytest.mark.jvm


def test_two_answers_whose_order_matters_come_down_to_their_two_steps(open_sample: OpenSample, tmp_path: Path) -> None:
    session = open_sample("orders")
    steps = read_trace(SAMPLES / "orders" / "crash.jsonl").events
    world = next(world for world in range(20) if play(session, steps, world=world).crash is not None)
    long = lengthened(session, steps, world, 24, noise=False)
    assert long is not None
    settings = ReduceSettings(
        tmp_path / "p", output=tmp_path / "short.jsonl", worlds=1, flaky=FlakySettings(repeats=10, needed=2)
    )
    with (
        open_store(settings.folder, create=True, write=True) as store,
        open_pool(lambda: nullcontext(session)) as pool,
    ):
        plan = plan_app(str(SAMPLES / "orders.apk"), DeviceSettings(), trace=long.trace)
        reduced = reduce_with(ReductionJob("long.jsonl", long.trace, settings), ReductionContext(plan, store, pool))
    figures = reduced.repeated
    assert reduced.reduction.size == len(steps) - 1
    assert figures is not None and reduced.reproduction is not None
    low, high = reduced.reproduction.interval
    assert low <= 0.47 <= high, "the note says that it crashes in 47 of 100 worlds"
    assert figures.worlds is not None and figures.worlds.is_flaky
    assert figures.cause is not None and figures.cause.true_met == figures.cause.met
    assert figures.cause.true_missed <= 2
    assert "TableActivity.send" in figures.cause.statement
    for world in figures.worlds.met[:2]:
        assert play(session, reduced.reduction.trace.events, world=world).crash is not None


def test_a_world_decides_alike_whenever_it_is_played(open_sample: OpenSample) -> None:
    session = open_sample("orders")
    steps = read_trace(SAMPLES / "orders" / "crash.jsonl").events
    play(session, steps, world=3)
    first = session.decisions()
    play(session, steps, world=4)
    other = session.decisions()
    play(session, steps, world=3)
    assert first == session.decisions()
    assert first != other
    assert all("TableActivity.send (TableActivity.java:" in decision.what for decision in first)

"""Flaky reductions on several devices: one that disagrees, one that dies."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from fewtaps.config import DeviceSettings, FlakySettings, ReduceSettings
from fewtaps.device.pool import open_pool
from fewtaps.device.session import DEFAULT_SETTINGS, Session
from fewtaps.device.simulated.device import SimulatedSession
from fewtaps.device.simulated.program import Program
from fewtaps.device.simulated.samples import bill, feed
from fewtaps.errors import DeviceLost, NotReproduced
from fewtaps.model.event import Event, Launch, Selector, Tap, Wait
from fewtaps.model.phone import Differences
from fewtaps.model.trace import Step, Trace
from fewtaps.pipeline.opening import plan_app
from fewtaps.pipeline.reducing import reduce_with
from fewtaps.pipeline.reduction_job import Reduced, ReductionContext, ReductionJob, RepeatedFigures
from fewtaps.replay import play
from fewtaps.store.database import open_store

OpenSession = Callable[[], AbstractContextManager[Session]]


LAUNCH_SECONDS = 0.005
"""Long enough for the other device to take the next run: a pool lends a device that is free before it opens another."""


class Phone(SimulatedSession):
    """A phone that takes some time to launch an app."""

    def launch(self, world: int = 0, phone: Differences | None = None) -> Step:
        time.sleep(LAUNCH_SECONDS)
        return super().launch(world, phone)


class DeafSession(Phone):
    """A phone whose screen takes no taps."""

    def perform(self, event: Event) -> Step:
        return super().perform(Wait(500) if isinstance(event, Tap) else event)


class MortalSession(Phone):
    """A phone that dies at its third launch."""

    launches = 0

    def launch(self, world: int = 0, phone: Differences | None = None) -> Step:
        self.launches += 1
        if self.launches == 3:
            raise DeviceLost("it fell from the table")
        return super().launch(world, phone)


def on(text: str) -> Tap:
    return Tap(0, 0, Selector(text=text))


def crashing(program: Program, *events: Event) -> Trace:
    session = SimulatedSession(program, DEFAULT_SETTINGS)
    for world in range(40):
        trace = play(session, (Launch(), *events), world=world)
        if trace.crash is not None:
            return replace(trace, world=0)
    raise AssertionError("it never crashes")


def phones(program: Program, *kinds: type[Phone]) -> OpenSession:
    """Opens one phone of each kind in turn; those after the last are as they should be."""
    numbers = count()

    @contextmanager
    def opened() -> Iterator[Session]:
        number = next(numbers)
        kind = kinds[number] if number < len(kinds) else Phone
        yield kind(program, DEFAULT_SETTINGS)

    return opened


def reduced(trace: Trace, app: str, open_session: OpenSession, folder: Path, needed: int | None = None) -> Reduced:
    settings = ReduceSettings(folder, output=folder / "short.jsonl", jobs=2, flaky=FlakySettings(needed=needed))
    with (
        open_store(folder, create=True, write=True) as store,
        open_pool(open_session, size=2, tries=3) as pool,
    ):
        plan = plan_app(app, DeviceSettings(), trace=trace)
        return reduce_with(ReductionJob("long.jsonl", trace, settings), ReductionContext(plan, store, pool))


def figures(result: Reduced) -> RepeatedFigures:
    assert result.repeated is not None
    return result.repeated


SPLIT = crashing(bill(), *[Wait(20)] * 12, on("Split"))
RACE = crashing(feed(), *[Wait(20)] * 12, on("Refresh"), on("First post"))


@pytest.mark.slow
def test_a_phone_that_always_fails_is_named_where_the_reduction_ends_well(tmp_path: Path) -> None:
    result = reduced(SPLIT, "sim:bill", phones(bill(), Phone, DeafSession), tmp_path)
    assert len(figures(result).odd) == 1
    assert "never does it: 0 of its" in str(figures(result).odd[0])
    assert result.reduction.size >= 1


def test_a_phone_that_always_fails_is_named_where_it_spoils_the_original(tmp_path: Path) -> None:
    with pytest.raises(NotReproduced, match="asked for; ask for less .* device [12] never does it: 0 of its"):
        reduced(SPLIT, "sim:bill", phones(bill(), Phone, DeafSession), tmp_path, needed=18)


@pytest.mark.slow
def test_phones_that_agree_are_left_in_peace(tmp_path: Path) -> None:
    result = reduced(RACE, "sim:feed", phones(feed()), tmp_path)
    assert figures(result).odd == ()
    assert result.reduction.size == 2


@pytest.mark.slow
def test_a_phone_that_dies_costs_a_run_and_nothing_else(tmp_path: Path) -> None:
    result = reduced(RACE, "sim:feed", phones(feed(), MortalSession, MortalSession), tmp_path)
    assert result.reduction.size == 2
    assert figures(result).precheck.runs == 20


@pytest.mark.slow
def test_a_phone_is_not_blamed_for_what_another_did_in_its_place_in_an_earlier_reduction(tmp_path: Path) -> None:
    first = reduced(SPLIT, "sim:bill", phones(bill(), Phone, DeafSession), tmp_path)
    assert len(figures(first).odd) == 1
    assert figures(reduced(SPLIT, "sim:bill", phones(bill()), tmp_path)).odd == ()


@pytest.mark.slow
def test_a_phone_is_named_by_its_place_also_after_it_was_replaced(tmp_path: Path) -> None:
    reduced(RACE, "sim:feed", phones(feed(), *[MortalSession] * 12), tmp_path)
    with open_store(tmp_path) as store:
        names = {row[0] for row in store.trials._database.rows("SELECT DISTINCT device FROM trial")}
    assert names == {"device 1", "device 2"}

"""Long runs of a reduction: they are told, and end when nobody wants them any more."""

from __future__ import annotations

import threading
from contextlib import nullcontext

import pytest

from fewtaps.budget import Budget
from fewtaps.device.pool import SessionPool
from fewtaps.device.session import DEFAULT_SETTINGS, Session
from fewtaps.device.simulated.device import SimulatedSession
from fewtaps.device.simulated.samples import bill
from fewtaps.errors import BudgetSpent
from fewtaps.model.event import Event, Launch, Wait
from fewtaps.pipeline.watching import LOOK_UP_EVERY, Unwanted, WatchedPlay

LONG: tuple[Event, ...] = (Launch(), *[Wait(1)] * (3 * LOOK_UP_EVERY))


def open_bill() -> SimulatedSession:
    return SimulatedSession(bill(), DEFAULT_SETTINGS)


def pool_of(size: int) -> SessionPool:
    return SessionPool(lambda: nullcontext(open_bill()), size=size)


def test_a_long_run_is_told_now_and_then_and_a_short_one_is_not() -> None:
    told: list[tuple[int, int]] = []
    watched = WatchedPlay(pool_of(1), "selector", lambda *at: told.append(at))
    assert len(watched(open_bill(), LONG[:9], 0).steps) == 9
    assert told == []
    assert len(watched(open_bill(), LONG, 0).steps) == len(LONG)
    assert told == [(number * LOOK_UP_EVERY, len(LONG)) for number in (1, 2, 3)]


def test_a_long_run_ends_when_the_time_is_up() -> None:
    seconds = iter(range(100))
    told: list[int] = []
    budget = Budget(seconds=2, clock=lambda: next(seconds))
    watched = WatchedPlay(pool_of(1), "selector", lambda number, _: told.append(number), budget)
    with pytest.raises(BudgetSpent, match="all 2 seconds are used"):
        watched(open_bill(), LONG, 0)
    assert told == [LOOK_UP_EVERY, 2 * LOOK_UP_EVERY]


def test_what_ends_one_run_ends_the_runs_on_the_other_devices() -> None:
    pool = pool_of(2)
    has_begun = threading.Event()
    endings: list[type[BaseException]] = []

    def stay(number: int, events: int) -> None:
        has_begun.set()
        # As long as it takes the other one to fail; a minute if it never does.
        for _ in range(6000):
            if pool.is_stopping:
                return
            threading.Event().wait(0.01)

    watched = WatchedPlay(pool, "selector", stay)

    def work(session: Session, task: str) -> None:
        if task == "interrupted":
            has_begun.wait(60)
            raise KeyboardInterrupt
        try:
            watched(session, LONG, 0)
        except Unwanted as ending:
            endings.append(type(ending))
            raise

    with pytest.raises(KeyboardInterrupt):
        pool.map(work, ["interrupted", "long"])
    assert endings == [Unwanted]
    assert not pool.is_stopping

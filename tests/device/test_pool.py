from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from fewtaps.device.pool import SessionPool, open_pool
from fewtaps.device.session import Session
from fewtaps.device.simulated.device import SimulatedDevice
from fewtaps.device.simulated.samples import bill
from fewtaps.errors import DeviceLost, DeviceTimeout, UsageError


class Shop:
    """Opens sessions and counts them."""

    def __init__(self) -> None:
        self.opened = self.closed = 0

    @contextmanager
    def open(self) -> Iterator[Session]:
        program = bill()
        self.opened += 1
        try:
            with SimulatedDevice([program]).open(program.app) as session:
                yield session
        finally:
            self.closed += 1


def launched(session: Session, world: int) -> int:
    session.launch(world)
    return world


def test_answers_come_in_the_order_of_the_tasks() -> None:
    shop = Shop()
    with open_pool(shop.open, size=3) as pool:
        assert pool.map(launched, range(50)) == list(range(50))
    assert shop.opened == shop.closed <= 3


def test_a_pool_of_one_uses_one_session_and_no_thread() -> None:
    shop = Shop()
    here = threading.get_ident()
    with open_pool(shop.open) as pool:
        assert pool.map(lambda session, task: threading.get_ident(), range(5)) == [here] * 5
    assert shop.opened == 1


def test_sessions_are_not_opened_before_they_are_needed() -> None:
    shop = Shop()
    with open_pool(shop.open, size=4):
        pass
    assert shop.opened == 0


def test_a_lost_session_is_replaced_and_the_work_done_again() -> None:
    shop = Shop()
    losses = [DeviceLost("gone"), DeviceLost("gone")]

    def work(session: Session, task: int) -> int:
        if losses:
            raise losses.pop()
        return launched(session, task)

    with open_pool(shop.open) as pool:
        assert pool.map(work, [7]) == [7]
    assert shop.opened == shop.closed == 3


def test_work_that_loses_every_session_is_given_up() -> None:
    shop = Shop()

    def work(session: Session, task: int) -> int:
        raise DeviceLost("gone")

    with open_pool(shop.open, tries=2) as pool, pytest.raises(DeviceLost):
        pool.map(work, [1])
    assert shop.opened == shop.closed == 2


def test_another_failure_is_handed_on_and_the_session_kept() -> None:
    shop = Shop()

    def work(session: Session, task: int) -> int:
        if task == 1:
            raise DeviceTimeout("the screen", 5)
        return task

    with open_pool(shop.open) as pool:
        with pytest.raises(DeviceTimeout, match="waited 5 s for the screen"):
            pool.map(work, [1])
        assert pool.map(work, [2]) == [2]
    assert shop.opened == 1


def test_an_empty_pool_makes_no_sense() -> None:
    with pytest.raises(UsageError):
        SessionPool(Shop().open, size=0)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_stream_draws_a_task_only_when_earlier_answers_were_dealt_with(size: int) -> None:
    dealt_with: list[int] = []
    known: list[int] = []

    def tasks() -> Iterator[int]:
        for number in range(30):
            known.append(len(dealt_with))
            yield number

    with open_pool(Shop().open, size=size) as pool:
        for answer in pool.stream(launched, tasks()):
            dealt_with.append(answer)
        lead = pool.lead
    assert dealt_with == list(range(30))
    assert known == [max(0, number - lead + 1) for number in range(30)]


def test_a_stream_keeps_every_session_busy() -> None:
    together = threading.Barrier(2, timeout=20)

    def work(session: Session, task: int) -> int:
        together.wait()
        return task

    with open_pool(Shop().open, size=2) as pool:
        assert list(pool.stream(work, range(6))) == list(range(6))


def test_long_work_hears_that_nobody_waits_any_more() -> None:
    shop = Shop()
    heard = threading.Event()
    with open_pool(shop.open, size=2) as pool:

        def work(session: Session, task: int) -> int:
            while task and not pool.is_stopping:
                heard.wait(0.01)
            return task

        answers = pool.stream(work, range(9))
        assert next(answers) == 0
        answers.close()
    assert shop.opened == shop.closed


def test_a_stream_replaces_a_lost_session() -> None:
    shop = Shop()
    losses = [DeviceLost("gone")]

    def work(session: Session, task: int) -> int:
        if losses:
            raise losses.pop()
        return launched(session, task)

    with open_pool(shop.open, size=2) as pool:
        assert list(pool.stream(work, range(8))) == list(range(8))
    assert shop.closed == shop.opened


def test_a_session_that_replaces_a_lost_one_has_its_place() -> None:
    shop = Shop()
    with open_pool(shop.open, size=2) as pool:
        lost: list[int] = []

        def work(session: Session, number: int) -> int:
            if number == 3 and not lost:
                lost.append(pool.place_of(session))
                raise DeviceLost("it fell from the table")
            return pool.place_of(session)

        places = pool.map(work, range(40))
    assert set(places) <= {1, 2} and len(lost) == 1
    assert shop.opened <= 3

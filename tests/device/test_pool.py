from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from fewtaps.budget import CutOff
from fewtaps.device.jobs import InspectApp, Job, JobContext, LaunchApp
from fewtaps.device.pool import SessionPool, open_pool
from fewtaps.device.session import Session
from fewtaps.device.simulated.device import SimulatedDevice
from fewtaps.device.simulated.samples import bill
from fewtaps.errors import DeviceError, DeviceLost, DeviceTimeout, DeviceUnavailable, TimeUp, UsageError


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


Work = Callable[[Session, int, JobContext], int]


@dataclass(frozen=True, slots=True)
class Do(Job[int]):
    """Does what a test says with a number."""

    work: Work
    number: int

    def run(self, session: Session, context: JobContext) -> int:
        return self.work(session, self.number, context)


def jobs(work: Work, numbers: Iterable[int]) -> list[Do]:
    return [Do(work, number) for number in numbers]


def launched(session: Session, world: int, context: JobContext) -> int:
    session.launch(world)
    return world


def test_answers_come_in_the_order_of_the_tasks() -> None:
    shop = Shop()
    with open_pool(shop.open, size=3) as pool:
        assert pool.map(jobs(launched, range(50))) == list(range(50))
    assert shop.opened == shop.closed <= 3


def test_a_pool_of_one_uses_one_session_and_no_thread() -> None:
    shop = Shop()
    here = threading.get_ident()
    with open_pool(shop.open) as pool:
        assert pool.map(jobs(lambda session, task, context: threading.get_ident(), range(5))) == [here] * 5
    assert shop.opened == 1


def test_sessions_are_not_opened_before_they_are_needed() -> None:
    shop = Shop()
    with open_pool(shop.open, size=4):
        pass
    assert shop.opened == 0


def test_a_lost_session_is_replaced_and_the_work_done_again() -> None:
    shop = Shop()
    losses = [DeviceLost("gone"), DeviceLost("gone")]

    def work(session: Session, task: int, context: JobContext) -> int:
        if losses:
            raise losses.pop()
        return launched(session, task, context)

    with open_pool(shop.open) as pool:
        assert pool.map(jobs(work, [7])) == [7]
    assert shop.opened == shop.closed == 3


def test_work_that_loses_every_session_is_given_up() -> None:
    shop = Shop()

    def work(session: Session, task: int, context: JobContext) -> int:
        raise DeviceLost("gone")

    with open_pool(shop.open, tries=2) as pool, pytest.raises(DeviceLost):
        pool.map(jobs(work, [1]))
    assert shop.opened == shop.closed == 2


def test_another_failure_is_handed_on_and_the_session_kept() -> None:
    shop = Shop()

    def work(session: Session, task: int, context: JobContext) -> int:
        if task == 1:
            raise DeviceTimeout("the screen", 5)
        return task

    with open_pool(shop.open) as pool:
        with pytest.raises(DeviceTimeout, match="waited 5 s for the screen"):
            pool.map(jobs(work, [1]))
        assert pool.map(jobs(work, [2])) == [2]
    assert shop.opened == 1


def test_an_empty_pool_makes_no_sense() -> None:
    with pytest.raises(UsageError):
        SessionPool(Shop().open, size=0)


@pytest.mark.parametrize("width", [1, 4, 12])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_stream_draws_a_job_only_when_earlier_answers_were_dealt_with_however_many_sessions(
    size: int, width: int
) -> None:
    dealt_with: list[int] = []
    known: list[int] = []

    def draw() -> Iterator[Do]:
        for number in range(30):
            known.append(len(dealt_with))
            yield Do(launched, number)

    with open_pool(Shop().open, size=size) as pool:
        for answer in pool.stream(draw(), width=width):
            dealt_with.append(answer)
    assert dealt_with == list(range(30))
    assert known == [max(0, number - width + 1) for number in range(30)]


def test_a_stream_keeps_every_session_busy() -> None:
    together = threading.Barrier(2, timeout=20)

    def work(session: Session, task: int, context: JobContext) -> int:
        together.wait()
        return task

    with open_pool(Shop().open, size=2) as pool:
        assert list(pool.stream(jobs(work, range(6)), width=4)) == list(range(6))


def test_no_more_sessions_are_opened_than_the_width_keeps_busy() -> None:
    shop = Shop()
    with open_pool(shop.open, size=5) as pool:
        assert list(pool.stream(jobs(launched, range(20)), width=2)) == list(range(20))
    assert shop.opened <= 2


def test_a_long_job_is_told_to_stop_when_its_answer_is_not_awaited_any_more() -> None:
    shop = Shop()
    pause = threading.Event()

    def work(session: Session, task: int, context: JobContext) -> int:
        while task and not context.should_stop():
            pause.wait(0.01)
        return task

    with open_pool(shop.open, size=2) as pool:
        answers = pool.stream(jobs(work, range(9)), width=8)
        assert next(answers) == 0
        answers.close()
    assert shop.opened == shop.closed


def test_the_last_job_of_a_stream_is_told_to_stop_when_the_wait_for_it_ends() -> None:
    stopped = threading.Event()

    def work(session: Session, task: int, context: JobContext) -> int:
        if task == 2:
            raise ValueError("the wait for the jobs ends here")
        while task == 1 and not context.should_stop():
            stopped.wait(0.01)
        return task

    def draw() -> Iterator[Do]:
        # Job 1 is the only one under way when job 2 fails.
        yield from jobs(work, [0, 2, 1])

    with open_pool(Shop().open, size=2) as pool, pytest.raises(ValueError, match="ends here"):
        list(pool.stream(draw(), width=3))


def test_the_callers_own_stop_signal_reaches_the_job() -> None:
    def work(session: Session, task: int, context: JobContext) -> int:
        return int(context.should_stop())

    with open_pool(Shop().open) as pool:
        assert pool.map(jobs(work, [1]), JobContext(should_stop=lambda: True)) == [1]
        assert pool.map(jobs(work, [1])) == [0]


def test_a_stream_replaces_a_lost_session() -> None:
    shop = Shop()
    losses = [DeviceLost("gone")]

    def work(session: Session, task: int, context: JobContext) -> int:
        if losses:
            raise losses.pop()
        return launched(session, task, context)

    with open_pool(shop.open, size=2) as pool:
        assert list(pool.stream(jobs(work, range(8)), width=8)) == list(range(8))
    assert shop.closed == shop.opened


def test_a_session_that_replaces_a_lost_one_has_its_number() -> None:
    shop = Shop()
    lost: list[int] = []

    def work(session: Session, number: int, context: JobContext) -> int:
        if number == 3 and not lost:
            lost.append(context.device)
            raise DeviceLost("it fell from the table")
        return context.device

    with open_pool(shop.open, size=2) as pool:
        numbers = pool.map(jobs(work, range(40)))
    assert set(numbers) <= {1, 2} and len(lost) == 1
    assert shop.opened <= 3


@dataclass(frozen=True, slots=True)
class Lost(Job[str]):
    """Loses every session, and has an answer for that."""

    def run(self, session: Session, context: JobContext) -> str:
        raise DeviceLost("no power")

    def answer_if_lost(self, error: DeviceLost) -> str:
        return f"given up: {error}"


def test_a_job_may_have_an_answer_for_the_loss_of_every_session() -> None:
    shop = Shop()
    with open_pool(shop.open, tries=3) as pool:
        assert pool.ask(Lost()) == "given up: no power"
    assert shop.opened == shop.closed == 3


def test_a_session_is_asked_for_the_facts_of_its_app() -> None:
    with open_pool(Shop().open) as pool:
        facts = pool.ask(InspectApp())
        assert facts.probes is not None and facts.probes.totals.lines > 0
        assert pool.ask(LaunchApp()).after.package == "com.example.bill"


class Table:
    """Phones that can be unplugged: a place takes any that no other place has, as `adb:any` does."""

    def __init__(self, count: int) -> None:
        self.free = set(range(count))
        self.unplugged: set[int] = set()
        self.phones: dict[int, int] = {}
        self.lock = threading.Lock()
        self.error: type[DeviceError] = DeviceUnavailable

    @contextmanager
    def open(self) -> Iterator[Session]:
        program = bill()
        with self.lock:
            if not self.free - self.unplugged:
                raise self.error("no device that is not in use")
            phone = min(self.free - self.unplugged)
            self.free.discard(phone)
        try:
            with SimulatedDevice([program]).open(program.app) as session:
                self.phones[id(session)] = phone
                yield session
        finally:
            self.free.add(phone)

    def unplug(self, session: Session) -> None:
        self.unplugged.add(self.phones[id(session)])


@pytest.mark.parametrize("error", [DeviceUnavailable, DeviceLost])
def test_a_phone_that_is_gone_ends_nothing_while_another_is_there(
    error: type[DeviceError], caplog: pytest.LogCaptureFixture
) -> None:
    table = Table(2)
    table.error = error
    together = threading.Barrier(2, timeout=20)
    gone: list[int] = []

    def work(session: Session, number: int, context: JobContext) -> int:
        if number < 2 and not gone:
            together.wait()
        if number == 1 and not gone:
            gone.append(context.device)
            table.unplug(session)
            raise DeviceLost("the cable is out")
        return number

    with open_pool(table.open, size=2, tries=2) as pool:
        assert pool.map(jobs(work, range(30))) == list(range(30))
        assert list(pool.stream(jobs(work, range(30)), width=8)) == list(range(30))
    assert f"device {gone[0]} is not used any more, 1 left: no device that is not in use" in caplog.text


def test_the_loss_of_the_last_phone_ends_the_work() -> None:
    table = Table(2)

    def work(session: Session, number: int, context: JobContext) -> int:
        if number == 5:
            table.unplugged |= {0, 1}
            raise DeviceLost("both cables are out")
        if number > 5:
            raise DeviceLost("both cables are out")
        return number

    with open_pool(table.open, size=2) as pool, pytest.raises(DeviceUnavailable, match="no device"):
        pool.map(jobs(work, range(30)))


def test_a_place_for_which_there_is_no_device_is_left_out() -> None:
    with open_pool(Table(2).open, size=3) as pool:
        assert pool.map(jobs(launched, range(30))) == list(range(30))
    with open_pool(Table(0).open, size=3) as pool, pytest.raises(DeviceUnavailable):
        pool.map(jobs(launched, range(30)))


def test_after_the_cut_off_no_job_is_begun() -> None:
    shop, cut_off = Shop(), CutOff()
    with open_pool(shop.open, cut_off=cut_off) as pool:
        assert pool.map(jobs(launched, range(2))) == [0, 1]
        cut_off.set(0.0)
        with pytest.raises(TimeUp):
            pool.map(jobs(launched, range(2)))
        cut_off.set(math.inf)
        assert pool.map(jobs(launched, range(2))) == [0, 1]
    assert shop.opened == 1

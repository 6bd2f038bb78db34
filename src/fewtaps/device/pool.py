"""Lends sessions to jobs and replaces a lost one; the only place with threads that work for a stage."""

from __future__ import annotations

import logging
import math
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from queue import LifoQueue
from threading import Lock
from typing import TypeVar

from fewtaps.budget import CutOff
from fewtaps.device.jobs import Job, JobContext, OnWork, StopSignal, ignore_work, never
from fewtaps.device.session import Session
from fewtaps.errors import DeviceError, DeviceLost, DeviceUnavailable, TimeUp, UsageError

_Answer = TypeVar("_Answer")

OpenSession = Callable[[], AbstractContextManager[Session]]

NO_CONTEXT = JobContext()

log = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class _Slot:
    """The place of one session; the session is None until it is needed, and again after it was lost."""

    number: int
    session: Session | None = None
    stack: ExitStack = field(default_factory=ExitStack)
    failures: int = 0
    """How often in a row no session could be opened."""

    def lend(self, open_session: OpenSession) -> Session:
        if self.session is None:
            log.info("device %d: opening a session", self.number)
            self.failures += 1
            self.session = self.stack.enter_context(open_session())
            self.failures = 0
        return self.session

    def close(self) -> None:
        self.session = None
        self.stack.close()


class _Stop:
    """The stop signal of one call of `map` or `stream`: set when its answers are not awaited any more."""

    __slots__ = ("_asked", "is_set")

    def __init__(self, asked: StopSignal) -> None:
        self._asked = asked
        self.is_set = False

    def __call__(self) -> bool:
        return self.is_set or self._asked()


class SessionPool:
    """Some sessions of one app, opened when first needed and used by one job at a time.

    A place whose session cannot be opened is not used any more while there is another one: a phone that was unplugged
    ends neither a job nor the call. After the moment of `cut_off` no job is begun: TimeUp is raised instead.
    Ctrl-C, while threads are waited for, is such a moment.
    """

    def __init__(
        self,
        open_session: OpenSession,
        *,
        size: int = 1,
        tries: int = 3,
        cut_off: CutOff | None = None,
        on_work: OnWork = ignore_work,
    ) -> None:
        if size < 1 or tries < 1:
            raise UsageError("a pool needs at least one session and one try")
        self._open = open_session
        self._cut_off = cut_off or CutOff()
        self._on_work = on_work
        self._tries = tries
        self.size = size
        self._slots = tuple(_Slot(number) for number in range(1, size + 1))
        # Last in, first out: a session that is open is lent again before another one is opened.
        self._idle: LifoQueue[_Slot] = LifoQueue()
        for slot in reversed(self._slots):
            self._idle.put(slot)
        self._lock = Lock()
        self._in_use = size

    def ask(self, job: Job[_Answer], context: JobContext = NO_CONTEXT) -> _Answer:
        """The answer of one job; raises as `map`."""
        return self.map([job], context)[0]

    def map(self, jobs: Sequence[Job[_Answer]], context: JobContext = NO_CONTEXT) -> list[_Answer]:
        """The answers in the order of the jobs. A job whose session is lost is run again on a fresh one.

        Each job gets the context with the number of its device. Raises what a job raised; DeviceLost only after the
        last try; DeviceUnavailable only if no session can be opened in any place.
        """
        stop = _Stop(context.should_stop)
        context = replace(context, should_stop=stop)
        if self.size == 1 or len(jobs) <= 1:
            return [self._attempt(job, context) for job in jobs]
        workers = ThreadPoolExecutor(self.size, thread_name_prefix="session")
        try:
            return list(workers.map(lambda job: self._attempt(job, context), jobs))
        except KeyboardInterrupt:
            self._cut_off.set(-math.inf)
            raise
        finally:
            stop.is_set = True
            workers.shutdown(cancel_futures=True)

    def stream(
        self, jobs: Iterable[Job[_Answer]], *, width: int, context: JobContext = NO_CONTEXT
    ) -> Generator[_Answer, None, None]:
        """The answers in the order of the jobs, each job drawn when the answer `width` jobs before it was dealt with.

        So a caller that makes jobs from answers knows the same at each draw however many sessions there are and
        however fast each of them is. At most `width` sessions are busy. Otherwise as `map`.
        """
        stop = _Stop(context.should_stop)
        context = replace(context, should_stop=stop)
        if self.size == 1 or width == 1:
            yield from self._one_by_one(jobs, width, context)
            return
        workers = ThreadPoolExecutor(min(self.size, width), thread_name_prefix="session")
        waiting: deque[Future[_Answer]] = deque()
        # Set unless all answers were given: also if Ctrl-C ends the wait for the last one.
        stop_at_end = True
        try:
            for job in jobs:
                waiting.append(workers.submit(self._attempt, job, context))
                if len(waiting) == width:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
            stop_at_end = False
        except KeyboardInterrupt:
            self._cut_off.set(-math.inf)
            raise
        finally:
            stop.is_set = stop_at_end
            workers.shutdown(cancel_futures=True)

    def _one_by_one(
        self, jobs: Iterable[Job[_Answer]], width: int, context: JobContext
    ) -> Generator[_Answer, None, None]:
        drawn: deque[Job[_Answer]] = deque()
        for job in jobs:
            drawn.append(job)
            if len(drawn) == width:
                yield self._attempt(drawn.popleft(), context)
        while drawn:
            yield self._attempt(drawn.popleft(), context)

    def close(self) -> None:
        """Closes the sessions that are open; no job may be running."""
        for slot in self._slots:
            slot.close()

    def _attempt(self, job: Job[_Answer], context: JobContext) -> _Answer:
        for attempt in range(1, self._tries + 1):
            try:
                self._cut_off.check()
                with self._lent() as (number, session):
                    return job.run(session, replace(context, device=number, on_work=self._on_work))
            except TimeUp as error:
                return job.answer_if_late(error)
            except DeviceLost as error:
                # It was begun before jobs that may have been answered, so it is not put off any more.
                context = replace(context, is_paused=never)
                log.info("%s: try %d of %d lost its session: %s", type(job).__name__, attempt, self._tries, error)
                if attempt == self._tries:
                    return job.answer_if_lost(error)
        raise AssertionError("unreachable: the last try returns or raises")

    @contextmanager
    def _lent(self) -> Iterator[tuple[int, Session]]:
        slot, session = self._opened()
        try:
            yield slot.number, session
        except DeviceLost:
            slot.close()
            raise
        finally:
            self._idle.put(slot)

    def _opened(self) -> tuple[_Slot, Session]:
        """A place of its own for one job, and the session in it."""
        while True:
            slot = self._idle.get()
            is_kept = True
            try:
                return slot, slot.lend(self._open)
            except (DeviceLost, DeviceUnavailable) as error:
                is_final = isinstance(error, DeviceUnavailable) or slot.failures >= self._tries
                is_kept = not (is_final and self._retire(slot, error))
                if is_kept and (is_final or self._in_use == 1):
                    raise
            finally:
                if slot.session is None:
                    slot.close()
                    if is_kept:
                        self._idle.put(slot)

    def _retire(self, slot: _Slot, error: DeviceError) -> bool:
        """Whether a place is not used any more; the last one stays in use."""
        with self._lock:
            if self._in_use == 1:
                return False
            self._in_use -= 1
        log.warning("device %d is not used any more, %d left: %s", slot.number, self._in_use, error)
        return True


@contextmanager
def open_pool(
    open_session: OpenSession,
    *,
    size: int = 1,
    tries: int = 3,
    cut_off: CutOff | None = None,
    on_work: OnWork = ignore_work,
) -> Iterator[SessionPool]:
    """A pool, closed with all its sessions at the end of the `with` block."""
    pool = SessionPool(open_session, size=size, tries=tries, cut_off=cut_off, on_work=on_work)
    try:
        yield pool
    finally:
        pool.close()

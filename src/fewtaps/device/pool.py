"""Lends sessions to workers and replaces a lost one; the only place with threads."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import TypeVar

from fewtaps.device.session import Session
from fewtaps.errors import DeviceLost, UsageError

_Task = TypeVar("_Task")
_Answer = TypeVar("_Answer")

OpenSession = Callable[[], AbstractContextManager[Session]]


@dataclass(slots=True, eq=False)
class _Slot:
    """The place of one session; the session is None until it is needed, and again after it was lost."""

    place: int
    session: Session | None = None
    stack: ExitStack = field(default_factory=ExitStack)

    def lend(self, open_session: OpenSession) -> Session:
        if self.session is None:
            self.session = self.stack.enter_context(open_session())
        return self.session

    def close(self) -> None:
        self.session = None
        self.stack.close()


class SessionPool:
    """Some sessions of one app, opened when first needed and used by one worker at a time."""

    def __init__(self, open_session: OpenSession, *, size: int = 1, tries: int = 3) -> None:
        if size < 1 or tries < 1:
            raise UsageError("a pool needs at least one session and one try")
        self._open = open_session
        self._tries = tries
        self._size = size
        self.is_stopping = False
        """Whether nobody waits for answers any more; long work should ask now and then, and come to an end."""
        self._slots = tuple(_Slot(place) for place in range(1, size + 1))
        self._idle: SimpleQueue[_Slot] = SimpleQueue()
        for slot in self._slots:
            self._idle.put(slot)

    def place_of(self, session: Session) -> int:
        """The place, 1 to the pool's size, of a session that is lent; one that replaces a lost one has the same."""
        return next(slot.place for slot in self._slots if slot.session is session)

    def map(self, work: Callable[[Session, _Task], _Answer], tasks: Sequence[_Task]) -> list[_Answer]:
        """The work's answers in the order of the tasks. Work on a lost session is tried again on a fresh one.

        Raises what the work raised; DeviceLost only after the last try.
        """
        if self._size == 1 or len(tasks) <= 1:
            return [self._attempt(work, task) for task in tasks]
        workers = ThreadPoolExecutor(self._size, thread_name_prefix="session")
        try:
            return list(workers.map(lambda task: self._attempt(work, task), tasks))
        except BaseException:
            self.is_stopping = True
            raise
        finally:
            workers.shutdown(cancel_futures=True)
            self.is_stopping = False

    @property
    def lead(self) -> int:
        """How many tasks of a stream are drawn before the first of them is answered; with one session, one."""
        return lead_of(self._size)

    def stream(
        self, work: Callable[[Session, _Task], _Answer], tasks: Iterable[_Task]
    ) -> Generator[_Answer, None, None]:
        """The work's answers in the order of the tasks, each task drawn as late as keeps all sessions busy.

        A task is drawn only after the caller has dealt with the answer `lead` tasks before it: what a caller who makes
        up tasks from answers knows at that moment therefore does not depend on how fast each session is. Work on a
        lost session is tried again; raises as `map`.
        """
        if self._size == 1:
            for task in tasks:
                yield self._attempt(work, task)
            return
        workers = ThreadPoolExecutor(self._size, thread_name_prefix="session")
        waiting: deque[Future[_Answer]] = deque()
        try:
            for task in tasks:
                waiting.append(workers.submit(self._attempt, work, task))
                if len(waiting) == self.lead:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            self.is_stopping = bool(waiting)
            workers.shutdown(cancel_futures=True)
            self.is_stopping = False

    def close(self) -> None:
        """Closes the sessions that are open; no work may be under way."""
        for _ in range(self._size):
            slot = self._idle.get()
            slot.close()
            self._idle.put(slot)

    def _attempt(self, work: Callable[[Session, _Task], _Answer], task: _Task) -> _Answer:
        for attempt in range(1, self._tries + 1):
            try:
                with self._lent() as session:
                    return work(session, task)
            except DeviceLost:
                if attempt == self._tries:
                    raise
        raise AssertionError("unreachable: the last try returns or raises")

    @contextmanager
    def _lent(self) -> Iterator[Session]:
        slot = self._idle.get()
        try:
            yield slot.lend(self._open)
        except DeviceLost:
            slot.close()
            raise
        finally:
            self._idle.put(slot)


def lead_of(size: int) -> int:
    """The lead of a pool of this size: with one session, none is ahead of its answer.

    With more, enough that the others are busy while one is at a long task.
    """
    return 1 if size == 1 else 4 * size


@contextmanager
def open_pool(open_session: OpenSession, *, size: int = 1, tries: int = 3) -> Iterator[SessionPool]:
    """A pool, closed with all its sessions at the end of the `with` block."""
    pool = SessionPool(open_session, size=size, tries=tries)
    try:
        yield pool
    finally:
        pool.close()

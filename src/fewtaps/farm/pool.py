"""The pool of a run on a farm: the same `ask`, `map` and `stream` as a pool of threads, carried out by slots.

Tasks are given to slots here: a slot has one that runs and one that waits. Episodes are sent as numbers; what they are
planned with is told to the hub, lesson after lesson, in the order in which the run has kept them.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections import deque
from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from queue import Empty, Queue
from statistics import median
from typing import Any, TypeVar

from fewtaps.device.jobs import Job, JobContext
from fewtaps.device.pool import NO_CONTEXT, SessionPool
from fewtaps.errors import DeviceLost, DeviceUnavailable, FewtapsError
from fewtaps.explore.jobs import EpisodeOutcome, RunEpisode
from fewtaps.farm.address import FarmAddress
from fewtaps.farm.facts import facts_of
from fewtaps.farm.hub_line import HubLine
from fewtaps.farm.packing import pack, unpack
from fewtaps.farm.replica import SNAPSHOT_EVERY, EpisodeTask, Snapshot, lesson_of, level_of
from fewtaps.farm.tasks import FarmAnswer, FarmTask, Opener

_Answer = TypeVar("_Answer")

log = logging.getLogger(__name__)

TRIES = 3
"""Slots that may die with a task, or be unable to open the app for it, before it is given up."""
TASKS_AT_A_SLOT = 2
"""One uses the device, one is prepared meanwhile."""
LOOK_SECONDS = 0.5
"""Seconds between two questions to the hub which slots there are."""
WAIT_SECONDS = 0.1
"""Longest wait for an answer before the stop signal is asked again."""
NO_SLOT_SECONDS = 60.0
"""Seconds without any slot after which a run ends."""
NO_SLOT_WARNING_SECONDS = 5.0
COPY_FACTOR = 3.0
"""A task that takes so many times the median is also given to an idle slot."""
COPY_AFTER = 8
"""Answers that have to be known before a median is believed."""
COPY_SECONDS = 2.0
"""Shortest time after which a task is given to a second slot."""


@dataclass(slots=True, eq=False)
class _Entry:
    """A job under way. `places` are the slots that have it, `tries` those that died with it or could not do it.

    `failed_at` are the slots that could not open the app for it.
    """

    number: int
    job: Job[Any]
    packed: bytes
    tries: int = 0
    places: set[str] = field(default_factory=set)
    failure: FewtapsError | None = None
    failed_at: set[str] = field(default_factory=set)
    is_done: bool = False


@dataclass(slots=True, eq=False)
class _Sent:
    """A task at a slot."""

    key: str
    entry: _Entry
    slot: str
    future: Any = None
    running_since: float | None = None


@dataclass(slots=True)
class FarmFigures:
    """What sending cost: of the tasks of one pool. `awaited` are the seconds in which the run only waited."""

    task_bytes: list[int] = field(default_factory=list)
    answer_bytes: list[int] = field(default_factory=list)
    lesson_bytes: list[int] = field(default_factory=list)
    idle_seconds: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    awaited: float = 0.0
    lost: int = 0
    copies: int = 0


class FarmPool(SessionPool):
    """The devices of a farm, as the pool of one run. `size` is how many jobs are given at once if several are due."""

    def __init__(self, connection: HubLine, opener: Opener, *, size: int, width: int) -> None:
        super().__init__(opener, size=size)
        self._connection = connection
        self._apk = opener.apk[0]
        self._run = uuid.uuid4().hex
        self._calls = 0
        self._serial = 0
        self._feed = _FeedTeller(connection, self._run, self._apk)
        self._share: dict[str, int] = {}
        self._slots_asked = 0.0
        self._slots_seen = time.monotonic()
        self._has_warned = False
        self._last_fault: FewtapsError | None = None
        self._sent: dict[str, _Sent] = {}
        self._at: dict[str, list[_Sent]] = {}
        self._ended: Queue[tuple[str, bytes | None]] = Queue()
        self.figures = FarmFigures()
        path, digest = opener.apk
        if path:
            connection.send_file(path, digest)
        plan = pack((pack((opener.title, digest)), pack(opener, path)))
        refused = connection.ask(
            "begin",
            run=self._run,
            client=connection.client_id,
            title=opener.title,
            width=width,
            backend=opener.backend,
            facts=facts_of(),
            plan=plan,
        )
        if refused:
            raise DeviceUnavailable(f"{connection.address}: {refused}")

    def map(self, jobs: Sequence[Job[_Answer]], context: JobContext = NO_CONTEXT) -> list[_Answer]:
        """The answers in the order of the jobs. A job whose slot is lost is given to another one; raises as a pool."""
        call = _Call(self, context, width=0)
        try:
            for job in jobs:
                call.add(job)
            return [call.take() for _ in jobs]
        finally:
            call.close()

    def stream(
        self, jobs: Iterable[Job[_Answer]], *, width: int, context: JobContext = NO_CONTEXT
    ) -> Generator[_Answer, None, None]:
        """The answers in the order of the jobs; each is drawn when the answer `width` jobs before was dealt with."""
        call = _Call(self, context, width=width)
        try:
            for job in jobs:
                call.add(job)
                if call.waiting == width:
                    yield call.take()
                    call.dealt_with()
            while call.waiting:
                yield call.take()
                call.dealt_with()
        finally:
            call.close()

    def close(self) -> None:
        """Tells the hub that the run has ended. Devices stay open at their slots for a while."""
        self._connection.tell("end", run=self._run)

    def _look(self) -> None:
        """Asks the hub which slots there are. Raises DeviceUnavailable if there are none for long."""
        now = time.monotonic()
        if now - self._slots_asked < LOOK_SECONDS:
            return
        self._connection.require_hub()
        self._share = dict(self._connection.ask("share", run=self._run))
        now = self._slots_asked = time.monotonic()
        if self._share:
            self._slots_seen, self._has_warned = now, False
        elif now - self._slots_seen > NO_SLOT_SECONDS:
            address = self._connection.address
            last = "" if self._last_fault is None else f"; the last one said: {self._last_fault}"
            raise DeviceUnavailable(f"{address}: no slot of the farm could be used for {NO_SLOT_SECONDS:.0f} s{last}")
        elif now - self._slots_seen > NO_SLOT_WARNING_SECONDS and not self._has_warned:
            self._has_warned = True
            log.warning(
                "%s: the farm has no slot for this run; it ends in %.0f s if none joins",
                self._connection.address,
                NO_SLOT_SECONDS - (now - self._slots_seen),
            )

    def _lost_slots(self) -> list[str]:
        """The slots that have tasks and are not there any more."""
        return [slot for slot, sent in self._at.items() if sent and slot not in self._share]

    def _give(self, entry: _Entry, slot: str) -> None:
        self._serial += 1
        sent = _Sent(f"fewtaps-{self._run}-{self._serial}", entry, slot)
        line = self._at.setdefault(slot, [])
        if not line:
            sent.running_since = time.monotonic()
        line.append(sent)
        entry.places.add(slot)
        self._sent[sent.key] = sent
        key = sent.key
        sent.future = self._connection.send(slot, key, entry.packed, lambda packed: self._ended.put((key, packed)))

    def _forget(self, sent: _Sent) -> None:
        """Takes a task off its slot's line."""
        del self._sent[sent.key]
        line = self._at[sent.slot]
        was_running = line[0] is sent
        line.remove(sent)
        if line and was_running:
            line[0].running_since = time.monotonic()
        sent.entry.places.discard(sent.slot)


class _FeedTeller:
    """Tells the hub what slots need to know to carry episodes out."""

    def __init__(self, connection: HubLine, run: str, apk: str) -> None:
        self._connection = connection
        self._run = run
        self._apk = apk
        self._number = 0
        self._reached = -1
        """The level up to which snapshots and lessons lead; -1 before the first snapshot."""
        self._told: set[int] = set()
        self._next_snapshot = 0

    def task_of(self, job: RunEpisode, width: int) -> EpisodeTask:
        """The task of an episode. Tells a snapshot if lessons before it are missing, or if it is time for one.

        Lessons are missing at the first episodes of an exploration that is resumed.
        """
        level = level_of(job.plan.number, width)
        if level > self._reached or level >= self._next_snapshot:
            content = pack(Snapshot(level, width, job.plan), self._apk)
            needed = max(0, level - width)
            self._connection.tell(
                "snapshot", run=self._run, feed=self._number, level=level, needed=needed, content=content
            )
            self._next_snapshot = level + max(SNAPSHOT_EVERY, width)
            self._reached = max(self._reached, level)
            self._advance()
        return EpisodeTask.of(job, self._number, width)

    def tell(self, job: RunEpisode, outcome: EpisodeOutcome) -> int:
        """Tells the lesson of an episode that the run has kept; its size."""
        lesson = pack(lesson_of(job.plan, outcome))
        self._connection.tell("teach", run=self._run, feed=self._number, number=job.plan.number, lesson=lesson)
        self._told.add(job.plan.number)
        self._advance()
        return len(lesson)

    def _advance(self) -> None:
        while self._reached in self._told:
            self._told.discard(self._reached)
            self._reached += 1


class _Call:
    """One call of `map` or `stream`: its jobs under way, and their answers until their turn comes."""

    def __init__(self, pool: FarmPool, context: JobContext, width: int) -> None:
        pool._calls += 1
        self._pool = pool
        self._number = pool._calls
        self._context = context
        self._width = width
        self._drawn: deque[_Entry] = deque()
        self._count = 0
        self._pending: deque[_Entry] = deque()
        self._answers: dict[int, FarmAnswer] = {}
        self._last: tuple[Job[Any], Any] | None = None
        self._is_stopped = False

    @property
    def waiting(self) -> int:
        """Jobs that were added and whose answers were not taken."""
        return len(self._drawn)

    def add(self, job: Job[Any]) -> None:
        """Gives a job to the slots."""
        pool = self._pool
        task: Job[Any] | EpisodeTask = job
        # What is known of other phones is not fed to the slots: an episode on one carries it along.
        if self._width and isinstance(job, RunEpisode) and not job.plan.phone:
            task = pool._feed.task_of(job, self._width)
        packed = pack(FarmTask(pool._run, self._number, task), "" if isinstance(task, EpisodeTask) else pool._apk)
        pool.figures.task_bytes.append(len(packed))
        entry = _Entry(self._count, job, packed)
        self._count += 1
        self._drawn.append(entry)
        self._pending.append(entry)
        self._give()

    def take(self) -> Any:
        """The next answer, awaited. Raises what the job raised."""
        entry = self._drawn.popleft()
        while entry.number not in self._answers:
            self._wait()
        answer = self._answers.pop(entry.number)
        if answer.error is not None:
            raise answer.error
        self._last = (entry.job, answer.answer)
        return answer.answer

    def dealt_with(self) -> None:
        """Called when the last answer was kept: an episode becomes a lesson now."""
        assert self._last is not None
        job, answer = self._last
        if isinstance(job, RunEpisode):
            self._pool.figures.lesson_bytes.append(self._pool._feed.tell(job, answer))

    def close(self) -> None:
        """Takes back what is still under way."""
        pool = self._pool
        if mine := list(pool._sent.values()):
            pool._connection.tell("stop", run=pool._run, call=self._number)
            for sent in mine:
                pool._forget(sent)
            pool._connection.drop([sent.future for sent in mine])

    def _wait(self) -> None:
        """Waits a moment for an answer, and looks after everything else."""
        pool = self._pool
        if not self._is_stopped and self._context.should_stop():
            self._is_stopped = True
            pool._connection.tell("stop", run=pool._run, call=self._number)
        pool._look()
        for slot in pool._lost_slots():
            self._lose(slot, f"slot {slot} is gone")
        self._give()
        began = time.monotonic()
        try:
            key, packed = pool._ended.get(timeout=WAIT_SECONDS)
        except Empty:
            return
        finally:
            pool.figures.awaited += time.monotonic() - began
        while True:
            self._end(key, packed)
            try:
                key, packed = pool._ended.get_nowait()
            except Empty:
                break
        self._give()

    def _end(self, key: str, packed: bytes | None) -> None:
        pool = self._pool
        sent = pool._sent.get(key)
        if sent is None:
            return
        if packed is None:
            # The hub is asked anew before another task is given: this slot is not there any more.
            pool._share.pop(sent.slot, None)
            pool._slots_asked = 0.0
            self._lose(sent.slot, "its slot died")
            return
        pool._forget(sent)
        sent.future.release()
        entry = sent.entry
        if entry.is_done:
            return
        try:
            answer: FarmAnswer = unpack(packed)
        except DeviceLost as error:
            self._give_back(entry, str(error), counts=True)
            return
        pool.figures.answer_bytes.append(len(packed))
        if answer.idle is not None:
            pool.figures.idle_seconds.append(answer.idle)
        pool.figures.seconds.append(answer.seconds)
        if answer.is_slot_fault:
            entry.failure = pool._last_fault = answer.error
            entry.failed_at.add(sent.slot)
            self._give_back(entry, str(answer.error), counts=True)
        else:
            self._keep(entry, answer)

    def _lose(self, slot: str, reason: str) -> None:
        """Gives everything back that a slot had; only the first of its tasks, which ran, may have killed it."""
        pool = self._pool
        lost = list(pool._at[slot])
        for number, sent in enumerate(lost):
            pool._forget(sent)
            self._give_back(sent.entry, reason, counts=number == 0)
        pool._connection.drop([sent.future for sent in lost])

    def _keep(self, entry: _Entry, answer: FarmAnswer) -> None:
        entry.is_done = True
        self._answers[entry.number] = answer

    def _give_back(self, entry: _Entry, reason: str, *, counts: bool) -> None:
        """Lets another slot try; after the last try the job says what its answer is."""
        self._pool.figures.lost += 1
        log.info("%s: given to another slot: %s", type(entry.job).__name__, reason)
        entry.tries += counts
        if entry.places or entry.is_done:
            return
        if entry.tries < TRIES:
            self._pending.appendleft(entry)
            return
        if entry.failure is not None:
            self._keep(entry, FarmAnswer(error=entry.failure))
            return
        lost = DeviceLost(f"given up after {TRIES} slots were lost with it, the last one so: {reason}")
        try:
            self._keep(entry, FarmAnswer(entry.job.answer_if_lost(lost)))
        except FewtapsError as error:
            self._keep(entry, FarmAnswer(error=error))

    def _give(self) -> None:
        """Gives waiting jobs to slots, idle ones first; then second slots to jobs that take long."""
        pool = self._pool
        pool._look()
        for most in range(TASKS_AT_A_SLOT if self._pending else 0):
            for slot in pool._share:
                if len(pool._at.get(slot, ())) == most and (entry := self._next_for(slot)) is not None:
                    pool._give(entry, slot)
        if not self._pending and len(pool.figures.seconds) >= COPY_AFTER:
            self._give_copies()

    def _next_for(self, slot: str) -> _Entry | None:
        """Takes the first waiting job that a slot should try."""
        for number, entry in enumerate(self._pending):
            if not entry.failed_at or slot in untried(self._pool._share, entry.failed_at):
                del self._pending[number]
                return entry
        return None

    def _give_copies(self) -> None:
        pool = self._pool
        idle = [slot for slot in pool._share if not pool._at.get(slot)]
        if not idle:
            return
        patience = max(COPY_SECONDS, COPY_FACTOR * median(pool.figures.seconds[-100:]))
        now = time.monotonic()
        # What waits behind a task that takes long takes long too.
        slow = [
            sent.entry
            for line in pool._at.values()
            if line and line[0].running_since is not None and now - line[0].running_since > patience
            for sent in line
            if not sent.entry.is_done and len(sent.entry.places) == 1
        ]
        for slot, entry in zip(idle, slow, strict=False):
            pool.figures.copies += 1
            pool._give(entry, slot)


def untried(share: Collection[str], failed_at: Collection[str]) -> list[str]:
    """The slots that should try a job which others could not do: those of other machines, then other slots, then all.

    A machine that cannot open an app (it has no jail, its disk is full) is idle sooner than all others, so that every
    try would be its own.
    """
    machines = {slot.rpartition(":")[0] for slot in failed_at}
    elsewhere = [slot for slot in share if slot.rpartition(":")[0] not in machines]
    return elsewhere or [slot for slot in share if slot not in failed_at] or list(share)


@contextmanager
def open_farm_pool(address: FarmAddress, opener: Opener, *, size: int, width: int) -> Iterator[FarmPool]:
    """A pool on a farm; the run ends at the hub with the `with` block.

    Raises DeviceUnavailable if no farm answers, or if it refuses this machine.
    """
    connection = HubLine(address)
    try:
        pool = FarmPool(connection, opener, size=size, width=width)
        try:
            yield pool
        finally:
            pool.close()
    finally:
        connection.close()

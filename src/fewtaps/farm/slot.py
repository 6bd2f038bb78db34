"""A slot: a worker process of the engine with one thread and one device.

The device is opened when a task first needs it, kept between tasks and between runs of the same app, and closed when it
was not used for a while.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import signal
import socket
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from distributed.core import rpc
from distributed.diagnostics.plugin import WorkerPlugin
from distributed.utils import sync
from distributed.worker import Worker, get_worker

from fewtaps.device.capability import Capability
from fewtaps.device.jobs import Job, JobContext
from fewtaps.device.pool import SessionPool
from fewtaps.device.registry import parse_device
from fewtaps.device.session import Session
from fewtaps.errors import BridgeError, DeviceLost, DeviceTimeout, DeviceUnavailable, FewtapsError
from fewtaps.farm.address import FarmAddress, quiet_engine
from fewtaps.farm.facts import facts_of
from fewtaps.farm.files import apk_folder, keep_file
from fewtaps.farm.packing import pack, unpack
from fewtaps.farm.replica import EpisodeTask, Replica
from fewtaps.model.trace import Trace
from fewtaps.tracefile import trace_to_bytes

log = logging.getLogger(__name__)

PLUGIN = "fewtaps"
TRIES = 3
"""Sessions on which a job is tried by one slot."""
IDLE_SECONDS = 60
"""Seconds that a device is kept open after its last task."""
FAILURES_IN_A_ROW = 5
"""Sessions in a row that could not be opened, after which a slot is left out."""
KEPT_CALLS = 1000
"""Stop signals that are remembered, the last ones."""


class Opener(Protocol):
    """Opens an app on a device of its own; a value that can be sent to another machine."""

    @property
    def backend(self) -> str:
        """The name of the kind of device."""
        ...

    @property
    def title(self) -> str:
        """What `farm status` calls the app."""
        ...

    @property
    def apk(self) -> tuple[str, str]:
        """Path and digest of the APK file; both empty for an app that is no file."""
        ...

    def on_device(self, device: str) -> Opener:
        """The same app on the device of a slot."""
        ...

    def __call__(self) -> AbstractContextManager[Session]:
        """The session, closed with its device at the end of the `with` block."""
        ...


@dataclass(frozen=True, slots=True)
class FarmTask:
    """What a slot is asked to do: a job, or an episode whose knowledge the slot has. `call` is that of `map`."""

    run: str
    call: int
    job: Job[Any] | EpisodeTask


@dataclass(frozen=True, slots=True)
class FarmAnswer:
    """What became of a task: the answer, or the error that the job raised.

    `is_slot_fault` says that the slot could not open the app, so that another may. `idle` are the seconds since the
    last task of this slot, `seconds` those that this one took.
    """

    answer: Any = None
    error: FewtapsError | None = None
    is_slot_fault: bool = False
    idle: float | None = None
    seconds: float = 0.0


class _RunGone(Exception):
    """The run whose task this is does not exist any more, or the hub does not answer."""


def run_task(packed: bytes) -> bytes:
    """Runs a task in the slot of this process; the engine calls it on the worker's only thread."""
    slot = get_worker().plugins[PLUGIN]
    assert isinstance(slot, Slot)
    return slot.run(packed)


class Slot(WorkerPlugin):
    """The device of a worker process, and what it knows of the runs it works for."""

    name = PLUGIN

    def __init__(self, number: int, device: str) -> None:
        self.number = number
        self._device = device
        self._worker: Any = None
        self._run = ""
        self._plan = b""
        self._pool: SessionPool | None = None
        self._apk = ""
        self._title = ""
        self._replica: Replica | None = None
        self._feed: tuple[str, int] = ("", -1)
        self._stopped: dict[tuple[str, int], None] = {}
        self._is_busy = False
        self._last_end: float | None = None
        self._failures = 0
        self._tasks = 0
        self._events = 0
        self._began = time.monotonic()

    def setup(self, worker: Worker) -> None:
        """Listens to stop signals and closes the device when it is idle for long."""
        self._worker = worker
        worker.stream_handlers["fewtaps-stop"] = self.stop
        worker.loop.call_later(1, self._tick)

    def teardown(self, worker: Worker) -> None:
        """Closes the device."""
        self._close()

    def stop(self, run: str, call: int, **ignored: Any) -> None:
        """Remembers that the answers of a call are not awaited any more."""
        self._stopped[run, call] = None
        while len(self._stopped) > KEPT_CALLS:
            del self._stopped[next(iter(self._stopped))]

    def run(self, packed: bytes) -> bytes:
        """Runs a task and packs its answer."""
        began = time.monotonic()
        idle = None if self._last_end is None else began - self._last_end
        self._is_busy = True
        try:
            answer = self._answer(unpack(packed), idle, began)
            return pack(answer)
        finally:
            self._last_end = time.monotonic()
            self._is_busy = False

    def _answer(self, task: FarmTask, idle: float | None, began: float) -> FarmAnswer:
        try:
            pool = self._pool_for(task.run)
        except _RunGone as error:
            return FarmAnswer(error=DeviceLost(str(error)), is_slot_fault=True, idle=idle)
        except FewtapsError as error:
            self._note_failure(error)
            return FarmAnswer(error=error, is_slot_fault=True, idle=idle, seconds=time.monotonic() - began)
        self._failures = 0
        key = (task.run, task.call)
        context = JobContext(
            device=self.number, should_stop=lambda: key in self._stopped or (task.run, -1) in self._stopped,
            on_step=self._count_event,
        )  # fmt: skip
        try:
            job = self._episode(task.run, task.job) if isinstance(task.job, EpisodeTask) else task.job
            answer = pool.map([job], context)[0]
        except _RunGone as error:
            return FarmAnswer(error=DeviceLost(str(error)), is_slot_fault=True, idle=idle)
        except FewtapsError as error:
            return FarmAnswer(error=error, idle=idle, seconds=time.monotonic() - began)
        self._tasks += 1
        return FarmAnswer(answer, idle=idle, seconds=time.monotonic() - began)

    def _count_event(self, step: object) -> None:
        self._events += 1

    def _pool_for(self, run: str) -> SessionPool:
        """The session of a run: the one that is open if it is of the same plan. Its first launch is compared."""
        if run == self._run and self._pool is not None:
            return self._pool
        packed = self._ask("plan", run=run)
        if packed is None:
            raise _RunGone("the run is gone")
        if self._pool is None or packed != self._plan:
            self._close()
            self._pool = self._open(packed)
            self._plan = packed
        self._run = run
        return self._pool

    def _open(self, packed: bytes) -> SessionPool:
        title, digest = unpack(unpack(packed)[0])
        apk = ""
        if digest:
            apk = str(
                keep_file(apk_folder("worker"), digest, lambda at: self._ask("get_apk", digest=digest, offset=at))
            )
        opener: Opener = unpack(unpack(packed)[1], apk)
        opener = opener.on_device(self._device)
        pool = SessionPool(opener, size=1, tries=TRIES)
        try:
            seen = pool.ask(_Canary())
            if seen:
                key = hashlib.sha256(packed).hexdigest()
                wrong = self._ask("canary", slot=f"slot-{self.number}", app=key, digest=seen)
                if wrong:
                    raise DeviceUnavailable(wrong)
        except BaseException:
            pool.close()
            raise
        self._apk, self._title = apk, title
        return pool

    def _episode(self, run: str, task: EpisodeTask) -> Job[Any]:
        """The job of an episode, with the knowledge that it is planned with."""
        if self._feed != (run, task.feed):
            self._replica, self._feed = None, (run, task.feed)
        replica = self._replica
        knowledge = None if replica is None or task.level > replica.level else replica.at(task.level)
        if knowledge is None:
            # A level that is below all that are kept is made anew from a snapshot.
            known = -1 if replica is None or task.level < replica.level else replica.level
            told = self._ask("lessons", run=run, feed=task.feed, known=known, level=task.level)
            if told is None:
                raise _RunGone("the lessons of the run are gone")
            if told["snapshot"] is not None:
                replica = Replica(unpack(told["snapshot"], self._apk))
            assert replica is not None
            for lesson in told["lessons"]:
                replica.learn(unpack(lesson))
            self._replica = replica
            knowledge = replica.at(task.level)
        assert replica is not None and knowledge is not None
        return task.job(replica.plan, knowledge)

    def _ask(self, name: str, **arguments: Any) -> Any:
        """The hub's answer to a message. Raises _RunGone if the hub does not answer."""

        async def ask() -> Any:
            return await getattr(self._worker.scheduler, f"fewtaps_{name}")(**arguments)

        try:
            return sync(self._worker.loop, ask, callback_timeout=60)
        except (OSError, TimeoutError) as error:
            raise _RunGone(f"the hub does not answer ({type(error).__name__})") from error

    def _note_failure(self, error: FewtapsError) -> None:
        log.info("slot %d: the app cannot be opened", self.number, exc_info=error)
        self._failures += 1
        if self._failures == FAILURES_IN_A_ROW:
            with suppress(_RunGone):
                self._ask("leave", slot=f"slot-{self.number}", reason=str(error)[:300])

    def _tick(self) -> None:
        """Tells the hub how it is; lets the worker's thread close a device that is idle for long."""
        if self._worker.status.name in ("closing", "closed", "failed"):
            return
        if not self._is_busy and self._pool is not None and self._is_idle_for_long():
            self._worker.executors["default"].submit(self._close_if_idle)
        figures = {
            "app": self._title if self._pool is not None else "",
            "busy": self._is_busy,
            "tasks": self._tasks,
            "events_per_second": round(self._events / (time.monotonic() - self._began), 1),
        }
        self._worker.loop.add_callback(self._tell, figures)
        self._worker.loop.call_later(2, self._tick)

    async def _tell(self, figures: dict[str, Any]) -> None:
        with suppress(OSError, TimeoutError):
            await self._worker.scheduler.fewtaps_report(slot=f"slot-{self.number}", figures=figures)

    def _close_if_idle(self) -> None:
        if self._is_idle_for_long():
            self._close()

    def _is_idle_for_long(self) -> bool:
        return self._last_end is not None and time.monotonic() - self._last_end > IDLE_SECONDS

    def _close(self) -> None:
        pool, self._pool = self._pool, None
        self._run, self._plan = "", b""
        self._replica, self._feed = None, ("", -1)
        if pool is not None:
            pool.close()


@dataclass(frozen=True, slots=True)
class _Canary(Job[str]):
    """Launches the app in world 0 and gives a digest of what was seen; empty on a device without worlds."""

    def run(self, session: Session, context: JobContext) -> str:
        """The digest of screen, ending and covered code."""
        if Capability.WORLDS not in session.capabilities:
            return ""
        try:
            step = session.launch(0)
        except (DeviceLost, DeviceTimeout, BridgeError):
            # The job finds out by itself, and tells the run.
            return ""
        profile = session.settings.profile
        trace = Trace(session.app.ref, (step,), 0, profile.name, profile.screen)
        return hashlib.sha256(trace_to_bytes(trace)).hexdigest()


def serve_slot(address: FarmAddress, device: str, folder: Path, on_ready: Callable[[int], None]) -> None:
    """Works for a farm until SIGTERM, or until the hub is gone.

    Raises DeviceUnavailable if there is no hub, or if it refuses this machine.
    """
    quiet_engine()
    security = address.security()
    backend = parse_device(device).backend.name

    async def serve() -> None:
        ended = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, ended.set)
        arguments = {} if security is None else {"connection_args": security.get_connection_args("worker")}
        try:
            async with rpc(str(address), **arguments) as hub:  # type: ignore[no-untyped-call]
                joined = await hub.fewtaps_join(
                    facts=facts_of(device), device=device, backend=backend, machine=socket.gethostname()
                )
        except (OSError, TimeoutError) as error:
            raise DeviceUnavailable(f"{address}: no farm answers there ({type(error).__name__})") from error
        if "refused" in joined:
            raise DeviceUnavailable(f"{address}: the farm refuses this machine: {joined['refused']}")
        number = joined["number"]
        worker = Worker(
            str(address),
            nthreads=1,
            name=f"slot-{number}",
            security=security,
            plugins=(Slot(number, device),),
            local_directory=str(folder),
            memory_limit=0,
            dashboard_address="127.0.0.1:0",
            death_timeout=30,
        )
        await worker
        try:
            on_ready(number)
            waits = [asyncio.ensure_future(ended.wait()), asyncio.ensure_future(worker.finished())]  # type: ignore[no-untyped-call]
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            for each in waits:
                each.cancel()
        finally:
            await worker.close(timeout=5)

    asyncio.run(serve())

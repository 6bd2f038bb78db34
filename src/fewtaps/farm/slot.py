"""A slot: a worker process of the engine with one device.

The device is opened when a task first needs it, kept between tasks and between runs of the same app, and closed when it
was not used for a while. The worker has two threads: while a task uses the device, the next one is unpacked and learns
what it has to know.
"""

from __future__ import annotations

import logging
import time
from contextlib import suppress
from dataclasses import replace
from threading import Lock
from typing import Any

from distributed.diagnostics.plugin import WorkerPlugin
from distributed.utils import sync
from distributed.worker import Worker, get_worker

from fewtaps.device.jobs import Job, JobContext
from fewtaps.errors import DeviceLost, FewtapsError
from fewtaps.farm.learner import Learner
from fewtaps.farm.packing import pack, unpack
from fewtaps.farm.recent import RecentCount
from fewtaps.farm.replica import EpisodeTask
from fewtaps.farm.slot_app import SlotApp, open_app
from fewtaps.farm.tasks import FarmAnswer, FarmTask, RunGone

log = logging.getLogger(__name__)

PLUGIN = "fewtaps"
THREADS = 2
"""One uses the device, one prepares the next task."""
IDLE_SECONDS = 60
"""Seconds that a device is kept open after its last task."""
FAILURES_IN_A_ROW = 5
"""Sessions in a row that could not be opened, after which a slot is left out."""
KEPT_CALLS = 1000
"""Stop signals that are remembered, the last ones."""
TELL_SECONDS = 2.0
"""Seconds until the hub is told how the slot is again, if it did not answer."""
RECENT_SECONDS = 20.0
"""The seconds over which events are counted for `farm status`."""
HUB_SECONDS = 60
"""Longest wait for an answer of the hub."""


def run_task(packed: bytes) -> bytes:
    """Runs a task in the slot of this process; the engine calls it on one of the worker's threads."""
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
        self._turn = Lock()
        """Held by the thread that uses the device."""
        self._run = ""
        self._app: SlotApp | None = None
        self._learner = Learner(self._ask)
        self._stopped: dict[tuple[str, int], None] = {}
        self._last_end: float | None = None
        self._failures = 0
        self._tasks = 0
        self._recent = RecentCount(RECENT_SECONDS)
        self._is_telling = False
        self._next_report = 0.0

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
        task: FarmTask = unpack(packed)
        self._prepare(task)
        with self._turn:
            began = time.monotonic()
            idle = None if self._last_end is None else began - self._last_end
            answer = self._answer(task)
            self._last_end = time.monotonic()
        return pack(replace(answer, idle=idle, seconds=self._last_end - began))

    def _prepare(self, task: FarmTask) -> None:
        """Learns what an episode has to know before its turn; what goes wrong here goes wrong again in its turn."""
        app = self._app
        if isinstance(task.job, EpisodeTask) and app is not None and task.run == self._run:
            with suppress(RunGone, FewtapsError):
                self._job_of(task, app)

    def _answer(self, task: FarmTask) -> FarmAnswer:
        try:
            app = self._app_of(task.run)
        except RunGone as error:
            return FarmAnswer(error=DeviceLost(str(error)), is_slot_fault=True)
        except FewtapsError as error:
            self._note_failure(error)
            return FarmAnswer(error=error, is_slot_fault=True)
        self._failures = 0
        key = (task.run, task.call)
        context = JobContext(
            device=self.number, should_stop=lambda: key in self._stopped or (task.run, -1) in self._stopped,
            on_step=self._count_event,
        )  # fmt: skip
        try:
            answer = app.pool.map([self._job_of(task, app)], context)[0]
        except RunGone as error:
            return FarmAnswer(error=DeviceLost(str(error)), is_slot_fault=True)
        except FewtapsError as error:
            return FarmAnswer(error=error)
        self._tasks += 1
        return FarmAnswer(answer)

    def _job_of(self, task: FarmTask, app: SlotApp) -> Job[Any]:
        return self._learner.job_of(task.run, task.job, app.apk) if isinstance(task.job, EpisodeTask) else task.job

    def _count_event(self, step: object) -> None:
        self._recent.add()

    def _app_of(self, run: str) -> SlotApp:
        """The app of a run: the one that is open if it is of the same plan."""
        if run == self._run and self._app is not None:
            return self._app
        plan = self._ask("plan", run=run)
        if plan is None:
            raise RunGone("the run is gone")
        if self._app is None or plan != self._app.plan:
            self._close()
            self._app = open_app(plan, self._device, f"slot-{self.number}", self._ask)
        self._run = run
        return self._app

    def _ask(self, name: str, **arguments: Any) -> Any:
        """The hub's answer to a message. Raises RunGone if the hub does not answer."""

        async def ask() -> Any:
            return await getattr(self._worker.scheduler, f"fewtaps_{name}")(**arguments)

        try:
            return sync(self._worker.loop, ask, callback_timeout=HUB_SECONDS)
        except (OSError, TimeoutError) as error:
            raise RunGone(f"the hub does not answer ({type(error).__name__})") from error

    def _note_failure(self, error: FewtapsError) -> None:
        log.info("slot %d: the app cannot be opened", self.number, exc_info=error)
        self._failures += 1
        if self._failures == FAILURES_IN_A_ROW:
            with suppress(RunGone):
                self._ask("leave", slot=f"slot-{self.number}", reason=str(error)[:300])

    def _tick(self) -> None:
        """Tells the hub how it is; lets a thread of the worker close a device that is idle for long."""
        if self._worker.status.name in ("closing", "closed", "failed"):
            return
        app = self._app
        if app is not None and not self._turn.locked() and self._is_idle_for_long():
            self._worker.executors["default"].submit(self._close_if_idle)
        figures = {
            "app": "" if app is None else app.title,
            "busy": self._turn.locked(),
            "tasks": self._tasks,
            "events_per_second": round(self._recent.per_second(), 1),
        }
        if not self._is_telling and time.monotonic() >= self._next_report:
            self._is_telling = True
            self._worker.loop.add_callback(self._tell, figures)
        self._worker.loop.call_later(1, self._tick)

    async def _tell(self, figures: dict[str, Any]) -> None:
        pause = TELL_SECONDS
        try:
            pause = await self._worker.scheduler.fewtaps_report(slot=f"slot-{self.number}", figures=figures)
        except (OSError, TimeoutError) as error:
            log.info("slot %d: the hub was not told how it is (%s)", self.number, type(error).__name__)
        self._is_telling, self._next_report = False, time.monotonic() + pause

    def _close_if_idle(self) -> None:
        with self._turn:
            if self._is_idle_for_long():
                self._close()

    def _is_idle_for_long(self) -> bool:
        return self._last_end is not None and time.monotonic() - self._last_end > IDLE_SECONDS

    def _close(self) -> None:
        app, self._app, self._run = self._app, None, ""
        self._learner.forget()
        if app is not None:
            app.pool.close()

"""The hub: the engine's scheduler, and what a farm keeps beside it.

That is: which slots have joined, which runs there are and which slots each may use, the plan and the APK of each run,
and the lessons of explorations for the slots.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from distributed.diagnostics.plugin import SchedulerPlugin
from distributed.scheduler import Scheduler

from fewtaps.errors import DeviceUnavailable, UsageError
from fewtaps.farm.address import FarmAddress, quiet_engine
from fewtaps.farm.canary import CanaryAccount, canary_difference
from fewtaps.farm.facts import difference, facts_of, is_local_name
from fewtaps.farm.files import apk_folder, is_digest, keep_file, read_piece
from fewtaps.farm.sharing import share_out
from fewtaps.farm.streams import keep_sending

log = logging.getLogger(__name__)

SILENCE_SECONDS = 30.0
"""Seconds of silence after which a slot is given up, at the next look."""
COMING_SECONDS = 180.0
"""Seconds that a slot which has joined may take to connect: many processes that start at once are slow."""
LOOK_SECONDS = 5.0
"""Seconds between two looks at the slots."""
REPORT_SECONDS = 2.0
"""Seconds between two reports of a slot, if there are few."""
REPORTS_PER_SECOND = 100
"""Most reports of all slots that the hub takes in, unless the reports of a slot would be rarer than a third of the
silence."""
LESSON_SECONDS = 20
"""Seconds that a slot waits for a lesson that is still on its way."""
KEPT_LOSSES = 100
"""Losses that `farm status` can tell, the last ones."""


@dataclass(slots=True)
class _SlotRecord:
    """A slot that has joined. `device` names its device as `--device` does, `backend` is its kind.

    `group` are the phones that are alike, empty for devices that all are.
    """

    number: int
    backend: str
    device: str
    machine: str
    group: str = ""
    report: dict[str, Any] = field(default_factory=dict)
    heard: float = 0.0
    """When it told something last, by the hub's clock."""


@dataclass(slots=True)
class _LessonFeed:
    """The lessons of one exploration, by number, and the snapshots that may be needed, by level."""

    lessons: dict[int, bytes] = field(default_factory=dict)
    snapshots: dict[int, bytes] = field(default_factory=dict)


@dataclass(slots=True)
class _RunRecord:
    """A run that uses the farm. `group` are the only devices that it uses, None before it was given any."""

    client: str
    title: str
    width: int
    backend: str
    plan: bytes
    group: str | None = None
    feeds: dict[int, _LessonFeed] = field(default_factory=dict)


class Hub(SchedulerPlugin):
    """The state of a farm, asked and told by messages."""

    name = "fewtaps"

    def __init__(self, folder: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._folder = folder
        self._clock = clock
        """One that does not jump."""
        self._scheduler: Any = None
        self._facts = facts_of()
        self._device_facts: dict[str, dict[str, str]] = {}
        self._slots: dict[str, _SlotRecord] = {}
        self._names: dict[str, str] = {}
        """The names of connected slots, by their addresses."""
        self._runs: dict[str, _RunRecord] = {}
        self._shares: dict[str, list[str]] = {}
        self._owners: dict[str, str] = {}
        self._canaries: dict[str, CanaryAccount] = {}
        self._losses: list[str] = []
        self._lost = 0
        self._next_number = 1
        self._told = asyncio.Condition()
        self._tasks: set[asyncio.Task[Any]] = set()

    async def start(self, scheduler: Scheduler) -> None:
        """Answers the messages of slots and runs from now on."""
        self._scheduler = scheduler
        for name in ("join", "leave", "report", "canary", "begin", "end", "share", "stop", "plan", "teach", "snapshot",
                     "lessons", "has_apk", "put_apk", "get_apk", "status"):  # fmt: skip
            scheduler.handlers[f"fewtaps_{name}"] = getattr(self, name)
        self._begin(self._watch_slots())
        self._begin(keep_sending(lambda: [*scheduler.stream_comms.values(), *scheduler.client_comms.values()]))

    def _begin(self, work: Coroutine[Any, Any, Any]) -> None:
        """Lets something go on beside; the event loop ends it with the hub."""
        task = asyncio.get_running_loop().create_task(work)
        # The loop itself does not keep it.
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _watch_slots(self) -> None:
        """Gives silent slots up. The engine's own limit grows with the number of slots, and follows the time of day."""
        while True:
            began = self._clock()
            await asyncio.sleep(LOOK_SECONDS)
            late = self._clock() - began - LOOK_SECONDS
            await self.give_up_silent_slots(max(late, 0.0))

    async def give_up_silent_slots(self, late: float = 0.0) -> None:
        """Takes slots out that were silent for too long; what they told while the hub stood still is not read yet.

        `late` is how many seconds it stood still before this look.
        """
        now = self._clock()
        addresses = {name: address for address, name in self._names.items()}
        for name, record in list(self._slots.items()):
            record.heard += late
            if now - record.heard <= (SILENCE_SECONDS if name in addresses else COMING_SECONDS):
                continue
            self._note_loss(f"slot {record.number} on {record.machine} is silent for {now - record.heard:.0f} s")
            if name in addresses:
                await self._scheduler.remove_worker(addresses[name], stimulus_id=f"fewtaps-silent-{record.number}")
            self._slots.pop(name, None)

    def add_worker(self, scheduler: Scheduler, worker: str) -> None:
        """Shares the slots anew when one is connected."""
        name = self._names[worker] = str(scheduler.workers[worker].name)
        if name not in self._slots:
            # It came after it was given up: its process ends and is started again.
            self._begin(scheduler.remove_worker(worker, stimulus_id=f"fewtaps-late-{name}"))
            return
        self._slots[name].heard = self._clock()
        self._share_out()

    def remove_worker(self, scheduler: Scheduler, worker: str, *, stimulus_id: str, **kwargs: Any) -> None:
        """Shares the slots anew when one is gone."""
        record = self._slots.pop(self._names.pop(worker, ""), None)
        if record is not None:
            self._note_loss(f"slot {record.number} on {record.machine} is gone")
        self._share_out(without=worker)

    def remove_client(self, scheduler: Scheduler, client: str) -> None:
        """Ends the runs of a client that is gone: its tasks are stopped where they are."""
        for run in [run for run, record in self._runs.items() if record.client == client]:
            self.end(run)

    # Messages of slots

    def join(self, facts: dict[str, str], device: str, backend: str, machine: str, group: str = "") -> dict[str, Any]:
        """Takes in a slot and gives it a number; or says why it is refused."""
        used = {slot.backend for slot in self._slots.values()} | {run.backend for run in self._runs.values()}
        if backend not in used:
            # What slots that are gone had in common binds nothing any more.
            self._device_facts.pop(backend, None)
            self._canaries.clear()
        known = self._device_facts.get(backend, {})
        refused = difference({**known, **self._facts}, facts)
        if refused:
            self._note_loss(f"a slot on {machine} was refused: {refused}")
            return {"refused": refused}
        if self._is_lent(device, machine):
            # It may be the same slot, whose loss was not noticed yet.
            return {"taken": f"{device} is used by another slot"}
        self._device_facts.setdefault(backend, dict(facts))
        number, self._next_number = self._next_number, self._next_number + 1
        self._slots[f"slot-{number}"] = _SlotRecord(number, backend, device, machine, group, heard=self._clock())
        return {"number": number}

    def leave(self, slot: str, reason: str) -> None:
        """Leaves out a slot that says that it cannot work."""
        record = self._slots.pop(slot, None)
        if record is not None:
            self._note_loss(f"slot {record.number} on {record.machine} is left out: {reason}")
            self._share_out()

    def report(self, slot: str, figures: dict[str, Any]) -> float:
        """Keeps what a slot says of itself, for `farm status`; answers how many seconds later it has to do so again."""
        if slot in self._slots:
            record = self._slots[slot]
            record.report, record.heard = figures, self._clock()
        return min(max(REPORT_SECONDS, len(self._slots) / REPORTS_PER_SECOND), SILENCE_SECONDS / 3)

    def canary(self, slot: str, app: str, seen: CanaryAccount) -> str:
        """Compares what a slot saw of an app with what the first one saw: what differs, empty if it is the same."""
        differs = canary_difference(self._canaries.setdefault(app, seen), seen)
        return differs and f"the app does not behave as on the other slots: {differs}"

    def plan(self, run: str) -> bytes | None:
        """The plan of a run; None if the run is gone."""
        record = self._runs.get(run)
        return None if record is None else record.plan

    async def lessons(self, run: str, feed: int, known: int, level: int) -> dict[str, Any] | None:
        """The lessons from `known` up to `level`, after a snapshot if `known` is -1 or too old; None without the run.

        Waits for lessons that are still on their way.
        """

        def is_told() -> bool:
            record = self._runs.get(run)
            told = None if record is None else record.feeds.get(feed)
            return record is None or (told is not None and _reaches(told, known, level))

        try:
            async with self._told:
                await asyncio.wait_for(self._told.wait_for(is_told), LESSON_SECONDS)
        except TimeoutError:
            return None
        if run not in self._runs:
            return None
        told = self._runs[run].feeds[feed]
        snapshot = None
        if known < 0 or any(number not in told.lessons for number in range(known, level)):
            known = max(each for each in told.snapshots if each <= level)
            snapshot = told.snapshots[known]
        return {"snapshot": snapshot, "lessons": [told.lessons[number] for number in range(known, level)]}

    def has_apk(self, digest: str) -> bool:
        """Whether the hub has a copy of an APK."""
        return is_digest(digest) and (self._folder / f"{digest}.apk").exists()

    def put_apk(self, digest: str, offset: int, piece: bytes) -> str:
        """Takes in a piece of an APK, an empty one at the end; says why it cannot be kept, or nothing."""
        if not is_digest(digest):
            return "no digest"
        part = self._folder / f"{digest}.upload"
        try:
            if piece:
                with part.open("r+b" if offset else "wb") as stream:
                    stream.seek(offset)
                    stream.write(piece)
                return ""
            keep_file(self._folder, digest, lambda at: read_piece(part, at))
            part.unlink(missing_ok=True)
        except OSError as error:
            return f"the hub cannot keep the APK ({error.strerror or error})"
        except DeviceUnavailable as error:
            part.unlink(missing_ok=True)
            return str(error)
        return ""

    def get_apk(self, digest: str, offset: int) -> bytes:
        """A piece of an APK, empty at its end and if there is no such copy."""
        return read_piece(self._folder / f"{digest}.apk", offset) if self.has_apk(digest) else b""

    # Messages of runs

    def begin(
        self, run: str, client: str, title: str, width: int, backend: str, facts: dict[str, str], plan: bytes
    ) -> str:
        """Takes in a run; says why it is refused, or nothing."""
        refused = difference(self._facts, facts)
        if refused:
            return f"this machine and the farm differ: {refused}"
        self._runs[run] = _RunRecord(client, title, width, backend, plan)
        self._share_out()
        return ""

    def end(self, run: str) -> None:
        """Forgets a run; what its slots still do for it is stopped."""
        if self._runs.pop(run, None) is not None:
            self.stop(run, -1)
            self._share_out()

    def share(self, run: str) -> list[tuple[str, int]]:
        """The addresses and numbers of the slots that a run may use."""
        workers = self._scheduler.workers
        return [
            (address, self._slots[workers[address].name].number)
            for address in self._shares.get(run, ())
            if address in workers and workers[address].name in self._slots
        ]

    def stop(self, run: str, call: int) -> None:
        """Tells all slots that the answers of a call are not awaited any more; -1 means all calls of the run."""
        for address in list(self._scheduler.workers):
            self._scheduler.worker_send(address, {"op": "fewtaps-stop", "run": run, "call": call})

    async def teach(self, run: str, feed: int, number: int, lesson: bytes) -> None:
        """Takes in a lesson of a run's exploration."""
        if run in self._runs:
            self._feed(run, feed).lessons[number] = lesson
            async with self._told:
                self._told.notify_all()

    async def snapshot(self, run: str, feed: int, level: int, needed: int, content: bytes) -> None:
        """Takes in a snapshot. No slot will be asked for a level below `needed`, so what leads there is dropped."""
        if run not in self._runs:
            return
        told = self._feed(run, feed)
        told.snapshots[level] = content
        first = max((each for each in told.snapshots if each <= needed), default=0)
        for old in [each for each in told.snapshots if each < first]:
            del told.snapshots[old]
        for number in [number for number in told.lessons if number < min(told.snapshots)]:
            del told.lessons[number]
        async with self._told:
            self._told.notify_all()

    def status(self) -> dict[str, Any]:
        """Everything that `farm status` shows."""
        runs = {run: record.title for run, record in self._runs.items()}
        slots = []
        for address, worker in self._scheduler.workers.items():
            record = self._slots.get(worker.name)
            if record is None:
                continue
            slots.append(
                {
                    "number": record.number,
                    "machine": record.machine,
                    "device": record.device,
                    "group": record.group,
                    "address": address,
                    "run": runs.get(self._owners.get(address, ""), ""),
                    "silent_seconds": round(self._clock() - record.heard, 1),
                    **record.report,
                }
            )
        return {
            "slots": slots,
            "runs": [
                {
                    "app": record.title,
                    "width": record.width,
                    "group": record.group or "",
                    "slots": len(self._shares.get(run, ())),
                    "feed_bytes": sum(
                        len(each)
                        for feed in record.feeds.values()
                        for each in (*feed.lessons.values(), *feed.snapshots.values())
                    ),
                }
                for run, record in self._runs.items()
            ],
            "lost": self._lost,
            "losses": self._losses[-KEPT_LOSSES:],
        }

    def _feed(self, run: str, feed: int) -> _LessonFeed:
        """The feed of a run; a new one takes the place of those before."""
        feeds = self._runs[run].feeds
        if feed not in feeds:
            feeds.clear()
            feeds[feed] = _LessonFeed()
        return feeds[feed]

    def _note_loss(self, words: str) -> None:
        log.info("%s", words)
        self._lost += 1
        self._losses.append(f"{time.strftime('%H:%M:%S')} {words}")
        del self._losses[:-KEPT_LOSSES]

    def _is_lent(self, device: str, machine: str) -> bool:
        """Whether a device that has a name of its own is lent already."""
        return ":" in device and any(
            record.device == device and (record.machine == machine or not is_local_name(device))
            for record in self._slots.values()
        )

    def _share_out(self, without: str = "") -> None:
        groups: dict[tuple[str, str], list[str]] = {}
        for address, worker in self._scheduler.workers.items():
            record = self._slots.get(worker.name)
            if record is not None and address != without:
                groups.setdefault((record.backend, record.group), []).append(address)
        for run in self._runs.values():
            if run.group is None:
                run.group = self._group_for(run, groups)
        self._shares = {run: [] for run in self._runs}
        for (backend, group), slots in groups.items():
            widths = {
                run: record.width
                for run, record in self._runs.items()
                if (record.backend, record.group) == (backend, group)
            }
            self._shares |= share_out(slots, widths, self._owners)
        self._owners = {slot: run for run, slots in self._shares.items() for slot in slots}

    def _group_for(self, run: _RunRecord, groups: Mapping[tuple[str, str], Sequence[str]]) -> str | None:
        """The group of its kind with most slots for each run that uses it; None if there is no slot of its kind."""
        users = Counter((record.backend, record.group) for record in self._runs.values())
        found = [(len(slots) / (1 + users[key]), key[1]) for key, slots in groups.items() if key[0] == run.backend]
        return max(found)[1] if found else None


def _reaches(feed: _LessonFeed, known: int, level: int) -> bool:
    """Whether a feed leads from so many lessons, or from a snapshot, to a level."""
    starts = [start for start in (known, *feed.snapshots) if 0 <= start <= level]
    return any(all(number in feed.lessons for number in range(start, level)) for start in starts)


def serve_hub(address: FarmAddress, on_ready: Callable[[str], None]) -> None:
    """Serves a farm until SIGTERM or Ctrl-C; `on_ready` is called with the address when it listens.

    Raises UsageError if the address cannot be listened on.
    """
    quiet_engine()
    security = address.security()

    async def serve() -> None:
        ended = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, ended.set)
        scheduler = Scheduler(
            host=f"{address.scheme}://{address.host}",
            port=address.port,
            protocol=f"{address.scheme}://",
            security=security,
            dashboard_address="127.0.0.1:0",
            dashboard=False,
            allowed_failures=0,
            plugins=[Hub(apk_folder("hub"))],
        )
        try:
            await scheduler
        except (OSError, RuntimeError) as error:
            # The engine puts an error of its own around that of the system.
            cause = error.__cause__ if isinstance(error.__cause__, OSError) else error
            raise UsageError(f"{address}: cannot listen there ({getattr(cause, 'strerror', None) or cause})") from error
        try:
            on_ready(scheduler.address)
            await ended.wait()
        finally:
            await scheduler.close()

    asyncio.run(serve())

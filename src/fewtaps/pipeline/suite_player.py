"""Plays the runs of a suite reduction on a pool and keeps what they showed in a file, so that nothing is lost."""

from __future__ import annotations

import fcntl
import hashlib
import json
import logging
import os
import statistics
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import IO, Any

from fewtaps.budget import Budget
from fewtaps.device.jobs import JobContext
from fewtaps.device.pool import SessionPool
from fewtaps.errors import StoreError, TimeUp
from fewtaps.files import lack_of_room, open_regular
from fewtaps.model.coverage import Coverage
from fewtaps.model.ending import Ending
from fewtaps.model.event import Event, Launch, event_to_json
from fewtaps.model.phone import Differences
from fewtaps.model.state import StateId
from fewtaps.pipeline.news import LongRunAdvanced, Tell
from fewtaps.replay import Played, PlayEvents
from fewtaps.suite.observing import Observer, StepFacts
from fewtaps.suite.runs import RunAnswer, RunRequest, SuiteRun

log = logging.getLogger(__name__)

JOURNAL = "suite-runs.jsonl"
JOURNAL_VERSION = 4
LAUNCH_COSTS = (1, 2, 5, 10, 20, 50, 100)
"""What a restart may be worth, in events. Measured times are rounded to one of these, so that they can be the same on
the next run and on other machines."""
LONGEST_AHEAD = 2
"""A run is played ahead only if it has at most so many times the actions of the run that is waited for."""
MOST_DRAWN = 4
"""Runs that are looked at for each idle device, to find one that can be played ahead."""
MEASURED_EVENTS = 20
"""Events that are played to measure what a restart is worth."""


class SuiteJournal:
    """What every run showed, a line each; the file is only ever added to, and a torn last line is cut off.

    Runs of another build, abstraction or other settings are of no use: then the file begins anew.
    """

    def __init__(self, path: Path, settings: dict[str, Any]) -> None:
        self.path = path
        self._answers: dict[str, Any] = {}
        header = {"fewtaps": "suite-runs", "version": JOURNAL_VERSION, **settings}
        try:
            self._file: IO[bytes] = os.fdopen(
                open_regular(os.fspath(path), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW), "r+b"
            )
        except OSError as error:
            raise _unwritable(path, error) from error
        try:
            self._lock()
            good = self._read(header)
            self._file.truncate(good)
            self._file.seek(good)
            if not good:
                self._write(header)
        except BaseException as error:
            self.close()
            if not isinstance(error, OSError):
                raise
            raise _unwritable(path, error) from error

    def _lock(self) -> None:
        """Keeps other commands from the file until it is closed: the lines of two would be mixed."""
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise StoreError(f"another command is making a suite in {self.path.parent}") from error
        except OSError as error:
            log.debug("the file system has no locks", exc_info=error)

    def _read(self, header: dict[str, Any]) -> int:
        """Reads the answers; returns the length of the part that is whole and fits, 0 for none."""
        good = 0
        for number, line in enumerate(self._file):
            try:
                record = json.loads(line) if line.endswith(b"\n") else None
            except (ValueError, RecursionError):
                record = None
            if not isinstance(record, dict) or (number == 0 and record != json.loads(json.dumps(header))):
                break
            if number:
                self._answers[str(record.get("key"))] = record.get("value")
            good += len(line)
        return good

    def get(self, key: str) -> Any:
        """The value that was kept under a key; None if there is none."""
        return self._answers.get(key)

    def put(self, key: str, value: object) -> None:
        """Keeps a value: it is in the file when this returns."""
        self._answers[key] = value
        self._write({"key": key, "value": value})

    def _write(self, record: object) -> None:
        try:
            self._file.write(json.dumps(record, separators=(",", ":")).encode() + b"\n")
            self._file.flush()
        except OSError as error:
            raise _unwritable(self.path, error) from error

    def close(self) -> None:
        # Closing writes what is still buffered, which fails again on a full disk.
        with suppress(OSError):
            self._file.close()


def _unwritable(path: Path, error: OSError) -> StoreError:
    if lack := lack_of_room(error):
        return StoreError.of_no_room(f"{path}: {lack}")
    return StoreError(f"{path}: cannot be written ({error.strerror or error})")


class SuitePlayer:
    """The function that plays on one kind of phone, for a suite reduction. A run that was kept is not played again.

    Without a phone it is that of the session's settings.
    """

    def __init__(
        self,
        pool: SessionPool,
        observer: Observer,
        journal: SuiteJournal,
        budget: Budget,
        tell: Tell,
        phone: Differences | None = None,
    ) -> None:
        self._pool = pool
        self._launch = () if phone is None else (Launch(phone),)
        self._observer = observer
        self._journal = journal
        self._budget = budget
        self._context = JobContext(
            should_stop=lambda: budget.exhausted is not None,
            on_progress=lambda number, events: tell(LongRunAdvanced(number, events)),
        )
        self._last_key = ""
        self._foreseen: Iterator[RunRequest] = iter(())
        self._unasked: set[str] = set()
        """The keys of runs that were played ahead: they count as spent once they are requested."""
        self.seconds = 0.0
        """The time that all runs took, added up over the devices."""

    def foresee(self, requests: Iterable[RunRequest]) -> None:
        """Says what may be requested after the next request: devices that would be idle play it, and it is kept."""
        self._foreseen = iter(requests)

    def __call__(self, requests: Sequence[RunRequest]) -> list[RunAnswer]:
        """Plays the requests, as many at once as there are devices."""
        keys = [self._key(request) for request in requests]
        kept = [self._journal.get(key) for key in keys]
        jobs = [self._job(request) for request, known in zip(requests, kept, strict=True) if known is None]
        ahead = self._ahead(requests, keys, len(jobs))
        try:
            answered = self._pool.map([*jobs, *map(self._job, ahead.values())], self._context)
        except TimeUp:
            # The limit on time is reached as well: what was under way counts as not played.
            return [RunAnswer(self._run(request, ()), is_lost=True) for request in requests]
        for (key, request), each in zip(ahead.items(), answered[len(jobs) :], strict=True):
            self._keep_ahead(request, key, each)
        played = iter(answered)
        answers: list[RunAnswer] = []
        for request, key, known in zip(requests, keys, kept, strict=True):
            if known is None:
                answers.append(self._answer(request, key, next(played)))
            else:
                answers.append(self._from_json(request, key, known))
        return answers

    def _ahead(self, requests: Sequence[RunRequest], keys: Sequence[str], jobs: int) -> dict[str, RunRequest]:
        """What devices that are idle while these jobs are played can play ahead, by key."""
        found: dict[str, RunRequest] = {}
        idle = -jobs % self._pool.size
        # A run that goes on needs the device that is in the middle of it: no other run may take that.
        if jobs and idle and not any(request.begun for request in requests):
            longest = max(len(request.actions) for request in requests)
            for request in islice(self._foreseen, MOST_DRAWN * idle):
                key = self._key(request)
                is_long = len(request.actions) > LONGEST_AHEAD * longest
                if not is_long and key not in keys and self._journal.get(key) is None:
                    found[key] = request
                if len(found) == idle:
                    break
        self._foreseen = iter(())
        return found

    def _job(self, request: RunRequest) -> PlayEvents:
        expected: tuple[StateId | None, ...] = ()
        if request.expected:
            expected = (*[None] * len(self._observer.prelude), *request.expected)
        return PlayEvents(
            (*self._launch, *self._observer.events_of(request.actions)),
            request.world,
            retries_lost=True,
            expected=expected,
            abstraction=self._observer.abstraction,
            stops_at_deviation=True,
            goes_on=request.begun > 0,
        )

    def _answer(self, request: RunRequest, key: str, played: Played) -> RunAnswer:
        self.seconds += sum(played.seconds)
        facts = [self._observer.facts_of(step) for step in played.trace.steps]
        begun = len(self._observer.prelude) + request.begun if request.begun else 0
        self._spend(len(facts), begun)
        is_lost = _is_lost(played)
        if not is_lost:
            if not self._last_key or begun > len(facts):
                begun = 0
            self._keep(key, played, facts, begun)
        self._last_key = "" if is_lost else key
        return RunAnswer(self._run(request, facts), is_lost)

    def _keep_ahead(self, request: RunRequest, key: str, played: Played) -> None:
        """Keeps what a run showed that is not requested yet."""
        self.seconds += sum(played.seconds)
        if not _is_lost(played):
            self._keep(key, played, [self._observer.facts_of(step) for step in played.trace.steps], 0)
            self._unasked.add(key)

    def _keep(self, key: str, played: Played, facts: Sequence[StepFacts], begun: int) -> None:
        value: dict[str, Any] = {"seconds": sum(round(each, 4) for each in played.seconds)}
        if begun:
            value |= {"after": self._last_key, "begun": begun}
        value["steps"] = [_facts_to_json(fact) for fact in facts[begun:]]
        self._journal.put(key, value)

    def _spend(self, steps: int, begun: int) -> None:
        self._budget.spend(events=max(0, steps - (begun or 1)), runs=0 if begun else 1)

    def _from_json(self, request: RunRequest, key: str, kept: Any) -> RunAnswer:
        try:
            facts = self._facts(kept)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise StoreError(f"{self._journal.path}: cannot be read ({error}); delete it") from error
        if key in self._unasked:
            self._unasked.remove(key)
            self._spend(len(facts), 0)
        self._last_key = key
        return RunAnswer(self._run(request, facts))

    def _facts(self, kept: Any) -> list[StepFacts]:
        """The steps of a run that was kept; one that went on from another has that one's steps before its own."""
        parts: list[list[StepFacts]] = []
        wanted: int | None = None
        while True:
            part = [_facts_from_json(record) for record in kept["steps"]]
            begun = int(kept.get("begun", 0))
            parts.append(part if wanted is None else part[: max(0, wanted - begun)])
            if not begun:
                break
            wanted = begun if wanted is None else min(wanted, begun)
            kept = self._journal.get(kept["after"])
        return [fact for part in reversed(parts) for fact in part]

    def _run(self, request: RunRequest, facts: Sequence[StepFacts]) -> SuiteRun:
        return self._observer.run_from(self._observer.events_of(request.actions), facts, request.world)

    def _key(self, request: RunRequest) -> str:
        events = [event_to_json(event) for event in (*self._launch, *self._observer.events_of(request.actions))]
        text = json.dumps([request.world, events, request.expected])
        return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=16).hexdigest()

    def measure_launch_cost(self, events: Sequence[Event], world: int) -> int:
        """How many events a restart is worth: measured once, after a first run that loads the app's classes."""
        known = self._journal.get("launch cost")
        if isinstance(known, int):
            return known
        job = PlayEvents((*self._observer.prelude, *events[:MEASURED_EVENTS]), world)
        self._pool.ask(job)
        launch, *others = self._pool.ask(job).seconds
        launch += sum(others[: len(self._observer.prelude)])
        others = others[len(self._observer.prelude) :]
        ratio = launch / max(statistics.median(others), 1e-6) if others else 1.0
        cost = min(LAUNCH_COSTS, key=lambda each: abs(each - ratio))
        self._journal.put("launch cost", cost)
        log.info("a restart is worth %d events (%.1f measured)", cost, ratio)
        return cost


def _is_lost(played: Played) -> bool:
    return played.is_stopped or played.trace.ending is Ending.LOST


def _facts_to_json(facts: StepFacts) -> list[object]:
    return [facts.state, facts.covered.to_json(), facts.crash, facts.asked_world, list(facts.lists)]


def _facts_from_json(record: Any) -> StepFacts:
    state, covered, crash, asked, lists = record
    if not (state is None or isinstance(state, str)) or not (crash is None or isinstance(crash, str)):
        raise ValueError("a step is a state, coverage, a crash, whether the world was asked, and lists")
    names = tuple(map(str, lists))
    return StepFacts(None if state is None else StateId(state), Coverage.from_json(covered), crash, bool(asked), names)

"""Works on crashes: reduces the steps to each, replays what is left in many worlds, and slices it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import count, islice

from fewtaps.config import FlakySettings, ReduceSettings, RunSettings, SliceSettings
from fewtaps.device.jobs import StopSignal
from fewtaps.device.pool import SessionPool
from fewtaps.errors import BudgetSpent, DeviceError, FewtapsError, NotReproduced, TimeUp
from fewtaps.model.crash import Crash
from fewtaps.model.ending import Ending
from fewtaps.model.episode import Episode
from fewtaps.model.event import Wait
from fewtaps.model.goal import SameCrash
from fewtaps.model.slice import Slice
from fewtaps.model.trace import Aim, Step, Trace
from fewtaps.pipeline.cases import Case, kept_slice, read_cases
from fewtaps.pipeline.findings import found_traces
from fewtaps.pipeline.news import (
    CrashGivenUp,
    CrashNotSliced,
    CrashReplayed,
    CrashSliced,
    CrashSlicing,
    CrashWorkDone,
    CrashWorkStarted,
    Tell,
    ignore,
)
from fewtaps.pipeline.opening import Plan
from fewtaps.pipeline.reducing import reduce_with
from fewtaps.pipeline.reduction_job import ReductionContext, ReductionJob, do_nothing
from fewtaps.pipeline.replaying import replay_in_worlds
from fewtaps.pipeline.reporting import picture_steps
from fewtaps.pipeline.slicing import Slicing, can_record, slice_case
from fewtaps.pipeline.time_spent import RunStage, StageClock
from fewtaps.store.database import Store

log = logging.getLogger(__name__)

TRACES_TRIED = 3
"""Traces of a crash that are tried before the crash counts as one that does not replay."""

TRACES_LOOKED_AT = 50
"""The trace that was reduced is looked for among this many of the shortest."""

RATE_MARGIN = 0.1
"""A longer trace is preferred only if its reproduction rate is higher by more than this."""

WAIT_AT_END_MS = 5000
"""App time that is appended to a trace, so that background work can end in a crash before the trace does."""

REDUCE_SHARE = 0.8
"""Share of the time for one crash that reducing it may take; the rest is for its replays and its slice."""

MOST_LATE_SECONDS = 3.0
"""Seconds after the end of its time in which the pictures and a first replay of a crash may still be finished."""

SLICE_SHARE = 0.1
"""Share of the time for one crash that is kept for its slice."""


class CrashQueue:
    """The crashes of one build of an app, and which of them wait for work."""

    def __init__(
        self,
        plan: Plan,
        settings: RunSettings,
        store: Store,
        jobs: int,
        stages: StageClock,
        tell: Tell = ignore,
        after_run: Callable[[], None] = do_nothing,
    ) -> None:
        self._plan = plan
        self._settings = settings
        self._store = store
        self._stages = stages
        self._tell = tell
        self._after_run = after_run
        self._jobs = jobs
        self._makes_slices = settings.makes_slices and can_record(plan)
        self._given_up: set[str] = set()
        cases = self.read()
        self._waiting = {case.row.fingerprint for case in cases if self._needs_work(case)}
        self._noticed = {case.row.fingerprint for case in cases}
        self.urgent: list[str] = []
        """Fingerprints of crashes that were just found and for which exploring pauses."""

    def read(self) -> tuple[Case, ...]:
        """Every crash, with the work that is done on it by now."""
        return read_cases(self._store, self._plan.app.ref)

    def slices(self, cases: Sequence[Case]) -> dict[str, Slice]:
        """The slices of those crashes that have one, by their fingerprints."""
        found = {case.row.fingerprint: kept_slice(self._store, case) for case in cases}
        return {name: made for name, made in found.items() if made is not None}

    @property
    def waiting(self) -> int:
        """How many crashes wait for their reduction or their replays."""
        return len(self._waiting)

    @property
    def unsliced(self) -> int:
        """How many crashes may get a slice at the end."""
        return sum(self._needs_slice(case) for case in self.read()) if self._makes_slices else 0

    def notice(self, episode: Episode) -> None:
        """Takes the crashes of an episode that was kept into the queue."""
        for step in episode.trace.steps:
            if step.crash is not None and step.ending is not Ending.LOST:
                self._notice(step.crash)

    def _notice(self, crash: Crash) -> None:
        """The first time it is seen a crash waits for work; it is urgent unless suspect or slow to replay."""
        name = crash.fingerprint
        if name in self._noticed:
            return
        self._noticed.add(name)
        self._waiting.add(name)
        if crash.suspect is None and not crash.is_slow:
            self.urgent.append(name)

    def take_urgent(self) -> list[Case]:
        """The crashes that were just found; the next time there are others."""
        urgent, self.urgent = self.urgent, []
        return list(read_cases(self._store, self._plan.app.ref, urgent))

    def in_order(self, *, with_slices: bool) -> list[Case]:
        """The crashes that wait, in the order in which they are to be worked on.

        `with_slices`, those that lack nothing but a slice are among them, behind the others. Those that are suspect
        come last, and before them those that take long: the time for one of them is enough for several others.
        """
        cases = self.read()
        self._waiting = {case.row.fingerprint for case in cases if self._needs_work(case)}
        found = [case for case in cases if self._needs_work(case) or (with_slices and self._needs_slice(case))]

        def place(case: Case) -> tuple[bool, ...]:
            return not self._needs_work(case), case.is_suspect, case.row.crash.is_slow, case.is_reduced

        return sorted(found, key=place)

    def work_on(self, pool: SessionPool, case: Case, seconds: float, *, is_last: bool = False) -> None:
        """Reduces and replays a crash for so long at most; whatever was found out is kept.

        With `is_last` there will be no more time for it: what was not reduced to the end is replayed as it is, and
        sliced. Slices wait for that because they need a device that can record: exploring would lose the one it has.
        """
        until = time.monotonic() + seconds
        name = case.row.fingerprint
        lacks_slice_only = not self._needs_work(case)
        if not lacks_slice_only:
            self._tell(CrashWorkStarted(case))
        try:
            if not case.is_reduced:
                with self._stages.during(RunStage.REDUCING):
                    self._reduce(pool, case, seconds * REDUCE_SHARE)
                case = self._again(name)
            # Crashes that are not slow are replayed once even then; each replay of a hang may take half a minute.
            is_too_late = case.row.crash.is_slow and time.monotonic() >= until
            if (case.is_reduced or (is_last and case.is_begun)) and not is_too_late:
                # Pictures first: a crash that has all its replays is not worked on again.
                makes_slice = is_last and self._makes_slices
                before_slice = until - (seconds * SLICE_SHARE if makes_slice else 0.0)
                with self._stages.during(RunStage.REPLAYING):
                    self._take_pictures(pool, case, until)
                    self._replay(pool, self._again(name), before_slice)
                with self._stages.during(RunStage.REDUCING):
                    self._reduce_by_rate(pool, self._again(name), before_slice)
                if makes_slice:
                    with self._stages.during(RunStage.SLICING):
                        self._slice(pool, self._again(name), until)
        except DeviceError as error:
            # These steps may be the only ones that kill the device, so the next crash is tried.
            self._give_up(case, str(error))
        except TimeUp:
            log.info("crash %s: the time was up before a device answered", name)
        case = self._again(name)
        if not self._needs_work(case):
            self._waiting.discard(name)
        if name not in self._given_up and not lacks_slice_only:
            self._tell(CrashWorkDone(case, has_worlds=self._plan.has_worlds))

    def _needs_work(self, case: Case) -> bool:
        if case.row.fingerprint in self._given_up:
            return False
        return case.needs_work(self._settings.worlds)

    def _needs_slice(self, case: Case) -> bool:
        if case.row.fingerprint in self._given_up:
            return False
        return self._makes_slices and not case.is_sliced and not case.is_lost

    def _slice(self, pool: SessionPool, case: Case, until: float) -> None:
        """Makes the slice of the fewest steps; a crash without one is told, and the run goes on."""
        if not self._needs_slice(case):
            return
        self._tell(CrashSlicing(case))
        try:
            slicing = Slicing(self._plan, pool, SliceSettings(self._settings.device), until)
            sliced = slice_case(self._store, slicing, case)
        except (FewtapsError, OSError):
            raise
        except Exception as error:
            # A defect in slicing must not end an exploration of hours.
            log.warning("crash %s: slicing failed", case.row.fingerprint, exc_info=error)
            reason = f"a defect of fewtaps ({type(error).__name__}); the log has its traceback"
            self._store.slices.save_failure(case.trace.app, case.row.crash.signature, case.trace.events_digest, reason)
            self._tell(CrashNotSliced(case, reason))
            return
        self._after_run()
        if sliced.slice is not None:
            self._tell(CrashSliced(case, sliced.slice))
        else:
            self._tell(CrashNotSliced(case, str(sliced.failure)))

    def _again(self, name: str) -> Case:
        (case,) = read_cases(self._store, self._plan.app.ref, (name,))
        return case

    def _give_up(self, case: Case, words: str) -> None:
        self._given_up.add(case.row.fingerprint)
        self._tell(CrashGivenUp(case, words))

    def _reduce(self, pool: SessionPool, case: Case, seconds: float) -> None:
        words = ""
        app = self._plan.app.ref
        for trace in islice(found_traces(self._store, case.row.fingerprint, app), TRACES_TRIED):
            for aim in (Aim.SELECTOR, Aim.COORDINATES):
                try:
                    job = ReductionJob(case.row.fingerprint, trace, self._reduce_settings(aim, seconds))
                    reduce_with(job, self._context(pool))
                    return
                except BudgetSpent:
                    return
                except NotReproduced as error:
                    words = words or str(error)
            self._store.results.save_replays(case.row.crash.signature, trace.events_digest, {trace.world: False})
        self._give_up(case, words)

    def _context(self, pool: SessionPool) -> ReductionContext:
        return ReductionContext(self._plan, self._store, pool, self._tell, self._after_run)

    def _reduce_settings(self, aim: Aim, seconds: float) -> ReduceSettings:
        settings = self._settings
        return ReduceSettings(settings.folder, settings.device, by=aim.value, jobs=self._jobs, seconds=seconds)

    def _take_pictures(self, pool: SessionPool, case: Case, until: float) -> None:
        """A picture of each step, for the report, unless none are to be kept; the run for them is a replay too."""
        if not self._settings.pictures:
            return
        played = picture_steps(self._store, pool, case.trace, by=case.aim, should_stop=_too_late(until))
        if played is not None and played.ending is not Ending.LOST:
            goal = SameCrash(case.row.crash.signature)
            met = {played.world: goal.met_by(played)}
            self._store.results.save_replays(goal.signature, case.trace.events_digest, met)
            self._after_run()

    def _replay(self, pool: SessionPool, case: Case, until: float) -> None:
        """Plays the steps in the worlds they were not yet played in, as long as there is time.

        Without any replay so far one is tried, even if the time is up.
        """
        if case.replays and time.monotonic() >= until:
            return
        seen = dict(case.replays)

        def note(met: bool, world: int) -> None:
            seen[world] = met
            self._after_run()
            met_count, has_worlds = sum(seen.values()), self._plan.has_worlds
            self._tell(CrashReplayed(case, met_count, len(seen), self._settings.worlds, has_worlds=has_worlds))

        self._play_in_worlds(pool, case, case.trace, case.replays, until, note)

    def _play_in_worlds(
        self,
        pool: SessionPool,
        case: Case,
        trace: Trace,
        seen: Mapping[int, bool],
        until: float,
        on_play: Callable[[bool, int], None] | None = None,
    ) -> None:
        goal = SameCrash(case.row.crash.signature)
        missing = max(0, self._settings.worlds - len(seen))
        worlds = list(islice((world for world in count(case.trace.world) if world not in seen), missing))
        with closing(replay_in_worlds(pool, trace.events, worlds, case.aim, _too_late(until))) as plays:
            for play in plays:
                met = goal.met_by(play.trace)
                self._store.results.save_replays(goal.signature, trace.events_digest, {play.world: met})
                if on_play is not None:
                    on_play(met, play.world)
                if time.monotonic() >= until:
                    break

    def _reduce_by_rate(self, pool: SessionPool, case: Case, until: float) -> None:
        """Reduces a crash that replays in some worlds only once more, by repeated runs in many worlds.

        Every crash is reduced in one world first, where it is certain and one run per candidate is enough. If the
        result is flaky, it may hold steps that only that world needs, or lack steps that others need.
        """
        name = case.row.fingerprint
        if not case.is_reduced or len(case.replays) < self._settings.worlds or not case.may_gain_by_repeated_runs:
            return
        traces = islice(found_traces(self._store, name, self._plan.app.ref), TRACES_LOOKED_AT)
        original = next((trace for trace in traces if trace.events_digest == case.original), None)
        if original is None:
            self._give_up(case, "the trace that was reduced is not among those that were found")
            return
        start = self._most_reliable(pool, case, (case.trace, _with_wait_at_end(case.trace), original), until)
        seconds = until - time.monotonic()
        if seconds <= 0:
            return
        settings = self._reduce_settings(case.aim, seconds)
        settings = replace(settings, flaky=FlakySettings(), worlds=self._settings.worlds)
        try:
            reduce_with(ReductionJob(name, original, settings, start), self._context(pool))
        except BudgetSpent:
            return
        except NotReproduced as error:
            self._give_up(case, str(error))
            return
        self._take_pictures(pool, self._again(name), until)

    def _most_reliable(self, pool: SessionPool, case: Case, traces: Sequence[Trace], until: float) -> Trace:
        """The trace to begin with: a later one only if its rate is higher by more than `RATE_MARGIN`."""
        best, most = traces[0], -RATE_MARGIN
        for trace in traces:
            seen = self._store.results.replays(case.row.crash.signature, trace.events_digest)
            self._play_in_worlds(pool, case, trace, seen, until)
            seen = self._store.results.replays(case.row.crash.signature, trace.events_digest)
            rate = sum(seen.values()) / max(1, len(seen))
            if len(seen) >= self._settings.worlds and rate > most + RATE_MARGIN:
                best, most = trace, rate
        return best


def _too_late(until: float) -> StopSignal:
    """Asks to stop once the time has been over for long."""
    return lambda: time.monotonic() >= until + MOST_LATE_SECONDS


def _with_wait_at_end(trace: Trace) -> Trace:
    """The same steps, and a wait at the end in which background work can go on."""
    steps = trace.steps[:-1] if isinstance(trace.steps[-1].event, Wait) else trace.steps
    return replace(trace, steps=(*steps, Step(Wait(WAIT_AT_END_MS))))

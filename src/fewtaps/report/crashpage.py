"""Reads the page of one crash from the store: its steps, its stack, its reduction, its reproduction rate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

from fewtaps.errors import StoreError, UsageError
from fewtaps.exports.finding import Finding, rate_in_words
from fewtaps.model.app import AppRef
from fewtaps.model.event import needs_another_app
from fewtaps.model.result import ReductionState
from fewtaps.model.slice import Slice
from fewtaps.model.trace import Trace
from fewtaps.report.alignment import tree_rows
from fewtaps.report.filmstrip import film, picture_of
from fewtaps.report.slice_view import slice_view
from fewtaps.report.stack import exceptions_of, message_of, place_of, title_of, where_of
from fewtaps.report.views import CrashView, ReductionView, ReplayView, SliceView
from fewtaps.store.database import Store
from fewtaps.store.rows import CrashRow, ReductionRow
from fewtaps.store.slices import KeptSlice
from fewtaps.tracefile import trace_from_lines

MAX_TRACES = 200
"""The original of a reduction is looked for among this many traces of the crash, shortest first."""
MAX_LOG = 100_000
"""Characters of the crash log on a page."""
DIGEST_LETTERS = 8
MAX_ROWS = 3000
"""The tree of an original with more steps is left out, which keeps the page small."""


def build_name(app: AppRef) -> str:
    """The name of a build on pages: its version and the beginning of its digest."""
    return f"{app.version} ({app.digest[:DIGEST_LETTERS]})" if app.digest else app.version


def _trace_of(row: ReductionRow) -> Trace | None:
    """The trace of a reduction; None if it cannot be read, so that the report is built without it."""
    try:
        return trace_from_lines(enumerate(row.content.splitlines(), 1), "a reduction")
    except UsageError:
        return None


class CrashReader:
    """Reads crashes of one store; `project` is the name of its folder, `version` that of this program.

    `newest` is the build that was explored last; its traces are preferred to those of earlier builds. `seconds` maps
    fingerprints of that build's crashes to the seconds of work before they were first seen.
    """

    def __init__(
        self,
        store: Store,
        newest: AppRef,
        seconds: Mapping[str, float],
        *,
        project: str,
        version: str,
        has_worlds: bool = True,
    ) -> None:
        self._store = store
        self._newest = newest
        self._seconds = seconds
        self._project = project
        self._version = version
        self._has_worlds = has_worlds
        self._first: dict[AppRef, dict[str, int]] = {}
        self._reductions: dict[str, list[tuple[ReductionRow, Trace]]] = {}
        for row in sorted(store.results.reductions(), key=lambda each: each.rank):
            if row.crash is not None and not row.is_by_intent and (trace := _trace_of(row)) is not None:
                self._reductions.setdefault(row.crash, []).append((row, trace))

    def read(self, row: CrashRow) -> tuple[CrashView, tuple[Trace, ...]]:
        """The view of a crash, and two traces to it: the shortest of all, then the shortest that was explored."""
        found = self._found(row)
        best = self._best(row, found)
        reduction, trace = best if best is not None else (None, found)
        replay = self._replay(row, trace)
        kept = self._slice(row, trace, found)
        crash = row.crash
        view = CrashView(
            fingerprint=row.fingerprint,
            kind=crash.kind.value,
            title=title_of(crash),
            message=message_of(crash),
            where=where_of(crash),
            place=place_of(crash),
            thread=crash.thread,
            suspect=row.suspect,
            is_from_outside=needs_another_app(trace.events, is_reduced=reduction is not None),
            times=row.times,
            episodes=row.episodes,
            first_seconds=self._seconds.get(row.fingerprint, 0.0),
            first_events=row.first.events,
            first_step=self._first_steps(trace.app).get(row.fingerprint, row.first.step),
            world=trace.world if self._has_worlds else None,
            steps=film(trace, self._store.screen_pictures),
            last=picture_of(trace.steps[-1].before, self._store.screen_pictures),
            exceptions=exceptions_of(crash),
            log=crash.render()[:MAX_LOG],
            finding=self._finding(row, trace, replay, None if kept is None else kept.slice, reduction is not None),
            reduction=None if reduction is None else self._reduction(row, reduction, trace),
            replay=replay,
            slice=None if kept is None else _slice_view(kept),
            build="" if trace.app == self._newest else build_name(trace.app),
            elsewhere=self._elsewhere(row, trace.app),
        )
        return view, (trace, found)

    def _first_steps(self, app: AppRef) -> dict[str, int]:
        if app not in self._first:
            self._first[app] = self._store.runs.first_steps(app)
        return self._first[app]

    def _found(self, row: CrashRow) -> Trace:
        """The shortest explored trace of the newest build; of any build, if the newest did not show the crash."""
        traces = self._store.runs.every_trace(row.fingerprint)
        shortest = next(traces)
        if row.fingerprint not in self._seconds:
            return shortest
        return next((trace for trace in (shortest, *traces) if trace.app == self._newest), shortest)

    def _best(self, row: CrashRow, found: Trace) -> tuple[ReductionRow, Trace] | None:
        """The best reduction of this build: the most reliable, then that with the fewest steps.

        None if a shorter trace was explored since, or one on the ordinary phone where the reduction needs another. A
        reduction by repeated runs is kept even then, because its extra steps make it more reliable.
        """
        of_build = (pair for pair in self._reductions.get(row.crash.signature, ()) if pair[1].app == found.app)
        best = next(of_build, None)
        if best is None or best[0].is_repeated:
            return best
        if len(found.steps) - 1 < best[0].after or (best[1].phone and not found.phone):
            return None
        return best

    def _elsewhere(self, row: CrashRow, app: AppRef) -> tuple[str, ...]:
        """The numbers of steps in other builds, one line each."""
        builds: dict[AppRef, int] = {}
        for reduction, trace in self._reductions.get(row.crash.signature, ()):
            if trace.app != app:
                builds.setdefault(trace.app, reduction.after)
        return tuple(
            f"{build_name(build)}: {steps} {'step' if steps == 1 else 'steps'}" for build, steps in builds.items()
        )

    def _reduction(self, row: CrashRow, best: ReductionRow, trace: Trace) -> ReductionView:
        original = self._original(row, best)
        drawn = original is not None and len(original.steps) <= MAX_ROWS
        history, earlier = continued(self._store.results.improvements(best))
        return ReductionView(
            before=best.before,
            after=best.after,
            runs=earlier + best.runs,
            events=None if earlier else best.events,
            strategy=best.strategy,
            is_minimal=best.is_minimal,
            is_finished=best.state is ReductionState.FINISHED,
            history=history,
            rows=tree_rows(original, trace) if original is not None and drawn else (),
        )

    def _original(self, row: CrashRow, best: ReductionRow) -> Trace | None:
        """The trace that was reduced, if it is found in the store."""
        traces = islice(self._store.runs.every_trace(row.fingerprint), MAX_TRACES)
        lengths = (trace for trace in traces if len(trace.steps) == best.before + 1)
        return next((trace for trace in lengths if trace.events_digest == best.original), None)

    def _replay(self, row: CrashRow, trace: Trace) -> ReplayView | None:
        worlds = self._store.results.replays(row.crash.signature, trace.events_digest)
        return ReplayView(tuple(worlds.items()), self._has_worlds) if worlds else None

    def _slice(self, row: CrashRow, *traces: Trace) -> KeptSlice | None:
        """What is known of the first trace that was sliced; a slice that cannot be read is said on the page."""
        for trace in traces:
            try:
                kept = self._store.slices.find(trace.app, row.crash.signature, trace.events_digest)
            except StoreError:
                return KeptSlice(failure="the slice in the store is damaged; `fewtaps slice` makes it again")
            if kept is not None:
                return kept
        return None

    def _finding(
        self, row: CrashRow, trace: Trace, replay: ReplayView | None, made: Slice | None, is_reduced: bool
    ) -> Finding:
        """The input of the exports, without pictures, whose paths depend on the page."""
        return Finding(
            trace.app,
            row.crash,
            trace,
            rate=rate_in_words(replay.reproduction if replay is not None else None, has_worlds=self._has_worlds),
            origin=f"crash {row.fingerprint} of {self._project}",
            tool=f"fewtaps {self._version}".strip(),
            slice=made,
            needs_phone=is_reduced and bool(trace.phone),
        )


def _slice_view(kept: KeptSlice) -> SliceView:
    return SliceView(failure=kept.failure) if kept.slice is None else slice_view(kept.slice)


def continued(improvements: Sequence[tuple[int, int]]) -> tuple[tuple[tuple[int, int], ...], int]:
    """The improvements with the runs of all parts of a reduction, and the runs of the parts before the last.

    A reduction that is begun again counts its runs from zero, and knows the verdicts of the runs before.
    """
    history: list[tuple[int, int]] = []
    earlier = last = 0
    for runs, size in improvements:
        if runs < last:
            earlier += last
        last = runs
        history.append((earlier + runs, size))
    return tuple(history), earlier

"""Reads all that is known of one crash: its steps, its stack, how it was reduced, how often it replays."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

from fewtaps.errors import FewtapsError
from fewtaps.exports.finding import rate_in_words
from fewtaps.exports.registry import EXPORTS, Finding
from fewtaps.model.trace import Trace
from fewtaps.report.alignment import tree_rows
from fewtaps.report.filmstrip import film, picture_of
from fewtaps.report.stack import exceptions_of, message_of, place_of, title_of
from fewtaps.report.views import CrashView, ExportView, ReductionView, ReplayView
from fewtaps.store.database import Store
from fewtaps.store.rows import CrashRow, ReductionRow, RunId
from fewtaps.tracefile import trace_from_lines

MAX_TRACES = 200
"""The original of a reduction is looked for among so many traces, the shortest ones."""
MAX_LOG = 100_000
MAX_ROWS = 3000
"""A longer original is not drawn: nobody would read it."""


class CrashReader:
    """Reads crashes of one store; `project` is the name of its folder, `version` that of this program.

    `beginnings` says after how many seconds of work each run began.
    """

    def __init__(self, store: Store, project: str, version: str, beginnings: Mapping[RunId, float]) -> None:
        self._store = store
        self._beginnings = beginnings
        self._project = project
        self._version = version
        self._reductions: dict[str, list[ReductionRow]] = {}
        for row in store.results.reductions():
            if row.crash is not None and row.is_of_steps:
                self._reductions.setdefault(row.crash, []).append(row)

    def read(self, row: CrashRow) -> tuple[CrashView, tuple[Trace, ...]]:
        """What is known of a crash, and the traces to it: the shortest of all, then the shortest that was explored."""
        best = self._best(row)
        found = self._store.runs.shortest_trace(row.fingerprint)
        trace = found if best is None else trace_from_lines(enumerate(best.content.splitlines(), 1), "a reduction")
        replay = self._replay(row, trace)
        crash = row.crash
        view = CrashView(
            fingerprint=row.fingerprint,
            kind=crash.kind.value,
            title=title_of(crash),
            message=message_of(crash),
            where=place_of(crash),
            thread=crash.thread,
            suspect=row.suspect,
            times=row.times,
            outings=row.outings,
            first_seconds=self._beginnings.get(row.first.run, 0.0) + row.first.seconds,
            first_events=row.first.events,
            world=trace.world,
            steps=film(trace, self._store.gallery),
            last=picture_of(trace.steps[-1].before, self._store.gallery),
            exceptions=exceptions_of(crash),
            log=crash.render()[:MAX_LOG],
            reduction=None if best is None else self._reduction(row, best, trace),
            replay=replay,
            exports=self._exports(row, trace, replay),
        )
        return view, (trace, found)

    def _best(self, row: CrashRow) -> ReductionRow | None:
        """The reduction that counts: the most reliable, then that with the fewest steps."""
        return min(self._reductions.get(row.crash.signature, ()), key=lambda each: each.rank, default=None)

    def _reduction(self, row: CrashRow, best: ReductionRow, trace: Trace) -> ReductionView:
        original = self._original(row, best)
        drawn = original is not None and len(original.steps) <= MAX_ROWS
        return ReductionView(
            before=best.before,
            after=best.after,
            runs=best.runs,
            events=best.events,
            strategy=best.strategy,
            is_minimal=best.is_minimal,
            is_finished=best.state == "finished",
            history=self._store.results.improvements(best),
            rows=tree_rows(original, trace) if original is not None and drawn else (),
        )

    def _original(self, row: CrashRow, best: ReductionRow) -> Trace | None:
        """The trace that was reduced, if it is one of the store's."""
        traces = islice(self._store.runs.every_trace(row.fingerprint), MAX_TRACES)
        lengths = (trace for trace in traces if len(trace.steps) == best.before + 1)
        return next((trace for trace in lengths if trace.events_digest == best.original), None)

    def _replay(self, row: CrashRow, trace: Trace) -> ReplayView | None:
        worlds = self._store.results.replays(row.crash.signature, trace.events_digest)
        return ReplayView(tuple(worlds.items())) if worlds else None

    def _exports(self, row: CrashRow, trace: Trace, replay: ReplayView | None) -> tuple[ExportView, ...]:
        finding = Finding(
            trace.app,
            row.crash,
            trace,
            rate=rate_in_words(replay.reproduction if replay is not None else None),
            origin=f"crash {row.fingerprint} of {self._project}",
            tool=f"fewtaps {self._version}".strip(),
        )
        views = []
        for export in EXPORTS.values():
            try:
                written = export.render(finding)
            except FewtapsError:
                # One format that cannot say these steps must not cost the others.
                continue
            file_name = export.file_name(finding)
            views.append(
                ExportView(export.name, export.title, file_name, export.language, written.text, written.remarks)
            )
        return tuple(views)

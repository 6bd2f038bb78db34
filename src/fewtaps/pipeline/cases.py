"""What has become of each crash of an app: found, reduced, replayed; read from the store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from fewtaps.errors import UsageError
from fewtaps.model.app import AppRef
from fewtaps.model.event import describe
from fewtaps.model.result import Reproduction
from fewtaps.model.trace import Trace
from fewtaps.pipeline.findings import Finding
from fewtaps.store.database import Store
from fewtaps.store.rows import CrashRow, ReductionRow
from fewtaps.tracefile import trace_from_lines

FINISHED = "finished"
BEGUN = ("running", "stopped")


@dataclass(frozen=True, slots=True)
class Case:
    """A crash with the fewest steps that are known to show it.

    `found` and `steps` count the steps after the launch: of the trace that was reduced, and of the shortest. `is_begun`
    says that a reduction was begun, `is_reduced` that it came to its end. `replays` says by world whether the shortest
    showed the crash there. `is_lost` says that what was found does not show the crash again. `question` is that of the
    reduction.
    """

    row: CrashRow
    trace: Trace
    found: int
    is_begun: bool = False
    is_reduced: bool = False
    is_minimal: bool = False
    replays: Mapping[int, bool] = field(default_factory=dict, hash=False)
    is_lost: bool = False
    question: str = ""

    @property
    def steps(self) -> int:
        """How many steps after the launch it takes."""
        return len(self.trace.steps) - 1

    @property
    def is_suspect(self) -> bool:
        """Whether the device may be at fault."""
        return self.row.suspect is not None

    @property
    def reproduction(self) -> Reproduction | None:
        """In how many worlds the steps replay; None if nobody has tried."""
        return Reproduction(sum(self.replays.values()), len(self.replays)) if self.replays else None

    @property
    def is_flaky(self) -> bool:
        """Whether the steps replay in some worlds only."""
        return 0 < sum(self.replays.values()) < len(self.replays)

    def needs_work(self, worlds: int) -> bool:
        """Whether it is still to be reduced, or to be replayed in so many worlds."""
        return not self.is_lost and (not self.is_reduced or len(self.replays) < worlds)

    def finding(self, known: frozenset[str] = frozenset()) -> Finding:
        """The crash with its fewest steps; `known` are the fingerprints of a baseline."""
        return Finding(self.row, self.trace, self.row.fingerprint in known)

    def to_json(self) -> dict[str, Any]:
        """For a program: what `finding` does not say."""
        rate = self.reproduction
        return {
            "id": self.row.fingerprint,
            "found": self.found,
            "steps": [describe(event) for event in self.trace.events],
            "reduced": self.is_reduced,
            "minimal": self.is_minimal,
            "suspect": self.row.suspect,
            "lost": self.is_lost,
            "reproduction": None if rate is None else {"met": rate.met, "runs": rate.runs},
        }


def read_cases(store: Store, app: AppRef) -> tuple[Case, ...]:
    """Every crash that was found in this build of an app, in the order in which they were found."""
    runs = [run.run_id for run in store.runs.all() if run.app == app]
    here = {row.fingerprint for run in runs for row in store.runs.crashes(run)}
    reductions = _reductions(store, app)
    return tuple(
        _case(store, row, app, reductions.get(row.crash.signature))
        for row in store.runs.crashes()
        if row.fingerprint in here
    )


def found_traces(store: Store, fingerprint: str, app: AppRef) -> Iterator[Trace]:
    """The traces of this build that showed a crash, the shortest first."""
    return (trace for trace in store.runs.every_trace(fingerprint) if trace.app == app)


def _case(store: Store, row: CrashRow, app: AppRef, reduced: tuple[ReductionRow, Trace] | None) -> Case:
    shortest = next(found_traces(store, row.fingerprint, app))
    signature = row.crash.signature
    # What was found since may be shorter than what a reduction of something else came to.
    if reduced is None or len(shortest.steps) - 1 < reduced[0].after:
        seen = store.results.replays(signature, shortest.events_digest)
        is_lost = reduced is None and seen.get(shortest.world) is False
        return Case(row, shortest, len(shortest.steps) - 1, is_lost=is_lost)
    reduction, trace = reduced
    return Case(
        row=row,
        trace=trace,
        found=reduction.before,
        is_begun=True,
        is_reduced=reduction.state == FINISHED,
        is_minimal=reduction.is_minimal,
        replays=store.results.replays(signature, trace.events_digest),
        question=reduction.question,
    )


def _reductions(store: Store, app: AppRef) -> dict[str, tuple[ReductionRow, Trace]]:
    """By signature, the best reduction of a crash of this build: one that is finished, the shortest."""
    best: dict[str, tuple[ReductionRow, Trace]] = {}
    for row in store.results.reductions():
        if row.crash is None or row.state not in (FINISHED, *BEGUN):
            continue
        trace = _trace(row)
        if trace is None or trace.app != app:
            continue
        other = best.get(row.crash)
        if other is None or _rank(row) < _rank(other[0]):
            best[row.crash] = (row, trace)
    return best


def _rank(row: ReductionRow) -> tuple[bool, int]:
    return row.state != FINISHED, row.after


def _trace(row: ReductionRow) -> Trace | None:
    """The trace of a reduction; None if it cannot be read, which costs no more than another reduction."""
    try:
        return trace_from_lines(enumerate(row.content.splitlines(), 1))
    except UsageError:
        return None

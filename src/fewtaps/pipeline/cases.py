"""How far the work on each crash of an app is (found, reduced, replayed), read from the store."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from fewtaps.errors import StoreError, UsageError
from fewtaps.model.app import AppRef
from fewtaps.model.event import needs_another_app
from fewtaps.model.result import ReductionState, Reproduction
from fewtaps.model.slice import Slice
from fewtaps.model.told import describe_steps
from fewtaps.model.trace import Aim, Trace
from fewtaps.pipeline.findings import NO_BASELINE, Baseline, CrashFinding, by_weight, shortest_trace
from fewtaps.store.database import Store, open_store
from fewtaps.store.rows import CrashRow, ReductionRow
from fewtaps.tracefile import trace_from_lines


@dataclass(frozen=True, slots=True)
class Case:
    """A crash with the fewest steps that are known to show it.

    `found` and `steps` count the steps after the launch: when it was first found, and of the shortest. `is_begun`
    says that a reduction was begun, `is_reduced` that it came to its end. `replays` says by world whether the shortest
    showed the crash there. `is_lost` says that what was found does not show the crash again. `original` and
    `aim` are those of the reduction; `is_repeated` says that it was made by repeated runs, in many worlds. `is_sliced`
    says that the shortest has a slice, or that it is known why there is none.
    """

    row: CrashRow
    trace: Trace
    found: int = 0
    is_begun: bool = False
    is_reduced: bool = False
    is_minimal: bool = False
    replays: Mapping[int, bool] = field(default_factory=dict, hash=False)
    is_lost: bool = False
    original: str = ""
    aim: Aim = Aim.SELECTOR
    is_repeated: bool = False
    is_sliced: bool = False

    @property
    def steps(self) -> int:
        """How many steps after the launch it takes."""
        return len(self.trace.steps) - 1

    @property
    def is_suspect(self) -> bool:
        """Whether the device may be at fault."""
        return self.row.suspect is not None

    @property
    def is_from_outside(self) -> bool:
        """Whether the fewest known steps need an intent or a broadcast of another app."""
        return needs_another_app(self.trace.events, is_reduced=self.is_reduced)

    @property
    def reproduction(self) -> Reproduction | None:
        """In how many worlds the steps replay; None if they were not replayed."""
        return Reproduction(sum(self.replays.values()), len(self.replays)) if self.replays else None

    @property
    def is_flaky(self) -> bool:
        """Whether the steps replay in some worlds only."""
        return 0 < sum(self.replays.values()) < len(self.replays)

    @property
    def needs_phone(self) -> bool:
        """Whether the steps need the phone they are on: on phones with fewer differences they did not crash."""
        return bool(self.trace.phone) and self.is_begun

    def needs_work(self, worlds: int) -> bool:
        """Whether it is still to be reduced, to be replayed in so many worlds, or to be reduced again by its rate."""
        if self.is_lost:
            return False
        return not self.is_reduced or len(self.replays) < worlds or self.may_gain_by_repeated_runs

    @property
    def may_gain_by_repeated_runs(self) -> bool:
        """Whether the steps replay in some worlds only and were not yet reduced by repeated runs."""
        return self.is_flaky and not self.is_repeated

    def finding(self, known: Baseline = NO_BASELINE, made: Slice | None = None) -> CrashFinding:
        """The crash with its fewest steps and its slice; `known` are the crashes of a baseline."""
        is_known = known.knows(self.row.fingerprint, self.is_from_outside)
        return CrashFinding(
            self.row,
            self.trace,
            is_known,
            made,
            self.trace.phone,
            needs_phone=self.needs_phone,
            is_from_outside=self.is_from_outside,
        )

    def to_json(self) -> dict[str, Any]:
        """For a program: what `finding` does not say."""
        rate = self.reproduction
        return {
            "id": self.row.fingerprint,
            "found": self.found,
            "steps": describe_steps(self.trace),
            "reduced": self.is_reduced,
            "minimal": self.is_minimal,
            "flaky": self.is_flaky,
            "suspect": self.row.suspect,
            "outside": self.is_from_outside,
            "phone": dict(self.trace.phone),
            "lost": self.is_lost,
            "reproduction": None if rate is None else {"met": rate.met, "runs": rate.runs},
        }


def read_cases(store: Store, app: AppRef, only: Collection[str] | None = None) -> tuple[Case, ...]:
    """Every crash that was found in this build of an app, in the order in which they were found.

    `only` names those that are wanted, by their fingerprints.
    """
    first = store.runs.first_steps(app)
    wanted = [
        row for row in store.runs.crashes() if row.fingerprint in first and (only is None or row.fingerprint in only)
    ]
    reductions = _reductions(store, app, {row.crash.signature for row in wanted})
    return tuple(
        replace(_case(store, row, app, reductions.get(row.crash.signature)), found=first[row.fingerprint])
        for row in wanted
    )


def read_project_cases(folder: Path) -> tuple[Case, ...]:
    """Every crash of a project in the order of `by_weight`: in its newest build or, if only that one showed it, in an
    earlier one."""
    with open_store(folder) as store:
        found: dict[str, Case] = {}
        for app in dict.fromkeys(run.app for run in reversed(store.runs.all())):
            for case in read_cases(store, app):
                found.setdefault(case.row.fingerprint, case)
    return tuple(sorted(found.values(), key=by_weight))


def kept_slice(store: Store, case: Case) -> Slice | None:
    """The slice in the store; None if there is none, or a damaged one, which can be made again."""
    try:
        kept = store.slices.find(case.trace.app, case.row.crash.signature, case.trace.events_digest)
    except StoreError:
        return None
    return None if kept is None else kept.slice


def _case(store: Store, row: CrashRow, app: AppRef, reduced: tuple[ReductionRow, Trace] | None) -> Case:
    shortest = shortest_trace(store, row.fingerprint, app)
    signature = row.crash.signature
    if reduced is None or _is_overtaken(*reduced, shortest):
        seen = store.results.replays(signature, shortest.events_digest)
        is_lost = reduced is None and seen.get(shortest.world) is False
        return Case(row, shortest, is_lost=is_lost, is_sliced=store.slices.has(app, signature, shortest.events_digest))
    reduction, trace = reduced
    return Case(
        row=row,
        trace=trace,
        is_begun=True,
        is_reduced=reduction.state is ReductionState.FINISHED,
        is_minimal=reduction.is_minimal,
        replays=store.results.replays(signature, trace.events_digest),
        original=reduction.original,
        aim=reduction.aim,
        is_repeated=reduction.is_repeated,
        is_sliced=store.slices.has(app, signature, trace.events_digest),
    )


def _is_overtaken(reduction: ReductionRow, trace: Trace, shortest: Trace) -> bool:
    """Whether a shorter trace was found since, or one on the ordinary phone while the reduced one needs another.

    A result of repeated runs stays: a shorter one may replay less often.
    """
    is_plainer = bool(trace.phone) and not shortest.phone
    return not reduction.is_repeated and (is_plainer or len(shortest.steps) - 1 < reduction.after)


def _reductions(store: Store, app: AppRef, signatures: Collection[str]) -> dict[str, tuple[ReductionRow, Trace]]:
    """By signature, the reduction that counts of each crash of this build."""
    best: dict[str, tuple[ReductionRow, Trace]] = {}
    for row in store.results.reductions():
        if row.crash is None or row.crash not in signatures or row.is_by_intent:
            continue
        trace = _trace(row)
        if trace is None or trace.app != app:
            continue
        other = best.get(row.crash)
        if other is None or row.rank < other[0].rank:
            best[row.crash] = (row, trace)
    return best


def _trace(row: ReductionRow) -> Trace | None:
    """The trace of a reduction; None if it cannot be read, which costs no more than another reduction."""
    try:
        return trace_from_lines(enumerate(row.content.splitlines(), 1))
    except UsageError:
        return None

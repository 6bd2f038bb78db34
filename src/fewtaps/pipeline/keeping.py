"""What every reduction opens, keeps in the store and writes, however it finds its steps."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from fewtaps.config import ReduceSettings
from fewtaps.device.pool import SessionPool, open_pool
from fewtaps.errors import BudgetSpent, NotReproduced, UsageError
from fewtaps.model.app import App
from fewtaps.model.episode import Episode
from fewtaps.model.goal import Goal, SameCrash
from fewtaps.model.result import Reduction
from fewtaps.model.trace import Trace
from fewtaps.pipeline.news import OriginalMet, ResultSaved, ShorterFound, Tell, TraceNoted
from fewtaps.pipeline.opening import OnDownload, Plan, open_session, plan_app
from fewtaps.pipeline.replaying import TRIES
from fewtaps.pipeline.sources import differences, find_trace
from fewtaps.reducing.plan import check_strategy
from fewtaps.replay import Aim
from fewtaps.store.database import Store, open_store
from fewtaps.store.rows import ReductionRow
from fewtaps.tracefile import trace_to_bytes, write_trace

T = TypeVar("T")

KEPT_AT_ONCE = 1000
"""A longer trace takes long to be written: of those, only one that is a tenth shorter is kept, without its screens."""


@dataclass(frozen=True, slots=True)
class OpenedReduction:
    """Store, devices and trace of a reduction; `known_before` names the crashes of the project: signature and id."""

    plan: Plan
    store: Store
    pool: SessionPool
    trace: Trace
    known_before: Mapping[str, str]

    def keep_findings(self, goal: str, reduction: Reduction) -> None:
        """Crashes of another kind that were met on the way join those of the project, if they are news."""
        runs = self.store.runs
        shortest = {row.crash.signature: row.shortest for row in runs.crashes()}
        news = [
            trace
            for trace in reduction.findings
            if trace.crash is not None and len(trace.steps) < shortest.get(trace.crash.signature, len(trace.steps) + 1)
        ]
        if news:
            run = runs.start(self.plan.app, "reduce", {"goal": goal})
            for number, trace in enumerate(news):
                runs.add_episode(run, Episode(number, trace, reason="another crash than the one that was reduced"))
            runs.finish(run, "reduced")


@contextmanager
def open_reduction(
    name: str, path: str, settings: ReduceSettings, tell: Tell, progress: OnDownload | None
) -> Iterator[OpenedReduction]:
    """Finds app and trace, opens the project and the devices, and tells what a person should know of the trace."""
    check_strategy(settings.strategy)
    source = find_trace(path, settings.folder, settings.device.profile)
    plan = plan_app(name, settings.device, trace=source.trace)
    with (
        open_store(settings.folder, create=True, write=True) as store,
        open_pool(lambda: open_session(plan, progress), size=settings.jobs, tries=TRIES) as pool,
    ):
        for words in (*source.losses, *differences(source.trace, plan.app)):
            tell(TraceNoted(words))
        known = {row.crash.signature: row.fingerprint for row in store.runs.crashes()}
        yield OpenedReduction(plan, store, pool, source.trace, known)


class Best:
    """The best of a reduction so far: in the store as soon as it is found, and in a file when it ends."""

    def __init__(self, store: Store, app: App, question: str, words: str, goal: Goal, output: Path, tell: Tell) -> None:
        self._store = store
        self._app = app
        self._question = question
        self._words = words
        self._goal = goal
        self._output = output
        self._tell = tell
        self._kept = 0
        self.reduction: Reduction | None = None

    def better(self, reduction: Reduction) -> None:
        """A better one; the first of all is the original."""
        is_original = self.reduction is None
        self.reduction = reduction
        if is_original or reduction.size <= KEPT_AT_ONCE or reduction.size <= 0.9 * self._kept:
            self._kept = reduction.size
            self.keep(reduction, "running")
        if is_original:
            self._tell(OriginalMet(reduction))
        else:
            self._tell(ShorterFound(reduction))

    def keep(self, reduction: Reduction, state: str) -> None:
        """Puts it into the store."""
        row = row_of(reduction, self._question, self._words, self._goal, state)
        self._store.results.save_reduction(self._app.ref, row)

    def finish(self, reduction: Reduction, stopped: str | None) -> None:
        """The end, or a limit: into the store and into the file."""
        self.keep(reduction, "finished" if stopped is None else "stopped")
        write_trace(self._output, reduction.trace)
        self._tell(ResultSaved(self._output))

    def save(self) -> None:
        """Writes what there is when the reduction is interrupted or a device fails for good."""
        best = self.reduction
        # Nothing left at all is no result but the sign of a goal that says nothing; the original is there already.
        if best is None or not best.size or not best.is_news:
            return
        # What ended it is the news; that it could not be written either is not.
        with suppress(UsageError):
            write_trace(self._output, best.trace)
            self._tell(ResultSaved(self._output))


def until_end(
    work: Callable[[], T], kind: type[T], best: Best, advised: Callable[[NotReproduced], NotReproduced]
) -> tuple[T, str | None]:
    """The result of the work, and the limit that ended it early, if one did. Whatever else ends it, the best is saved.

    `advised` adds to the error of an original that does not do what it should.
    """
    try:
        return work(), None
    except BudgetSpent as spent:
        if isinstance(spent.best, kind):
            return spent.best, str(spent)
        if best.reduction is not None:
            raise
        raise BudgetSpent(f"{spent} before the original was played to its end") from None
    except NotReproduced as error:
        raise advised(error) from None
    except BaseException:
        best.save()
        raise


def question_for(plan: Plan, goal: str, world: int, aim: Aim = "selector") -> str:
    """What verdicts hold for: this app, this goal (in words), this world, this phone, this way of aiming; a digest."""
    session = plan.session
    parts = (
        *(plan.app.package, plan.app.digest, goal, world, aim, plan.backend),
        *(session.profile.name, session.api, session.permissions, session.neighbours, session.network),
    )
    return hashlib.blake2b(json.dumps(parts).encode(), digest_size=16).hexdigest()


def output_for(path: str, folder: Path) -> Path:
    """Where the result goes if nobody says: beside a file, or into the project for one of its crashes."""
    if Path(path).exists():
        return Path(path).with_suffix(".reduced.jsonl")
    return folder / f"{path}.reduced.jsonl"


def row_of(reduction: Reduction, question: str, words: str, goal: Goal, state: str) -> ReductionRow:
    """A reduction as the store keeps it."""
    return ReductionRow(
        question=question,
        original=reduction.original.events_digest,
        goal=words,
        crash=goal.signature if isinstance(goal, SameCrash) else None,
        strategy=reduction.strategy,
        before=reduction.original_size,
        after=reduction.size,
        runs=reduction.runs,
        events=reduction.events,
        is_minimal=reduction.is_minimal,
        state=state,
        content=trace_to_bytes(reduction.trace, observations=state != "running" or reduction.size <= KEPT_AT_ONCE),
    )

"""Reduces a trace: devices that play, a goal that judges, a strategy that proposes, a store that remembers.

Every verdict is in the store as soon as it is known. A reduction that was killed therefore goes on by being begun
again: what it asked before is answered at once.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from fewtaps.budget import Budget
from fewtaps.config import ReduceSettings
from fewtaps.device.pool import SessionPool, open_pool
from fewtaps.device.session import Session
from fewtaps.errors import BudgetSpent, NotReproduced, UsageError
from fewtaps.model.app import App
from fewtaps.model.event import Event
from fewtaps.model.goal import Goal, SameCrash
from fewtaps.model.outing import Outing
from fewtaps.model.result import Progress as RunProgress
from fewtaps.model.result import Reduction, Reproduction, Verdict
from fewtaps.model.trace import Trace
from fewtaps.pipeline.goals import goal_for, states_of
from fewtaps.pipeline.opening import Plan, Progress, open_session, plan_app
from fewtaps.pipeline.replaying import TRIES, count_met
from fewtaps.pipeline.sources import differences, find_trace
from fewtaps.reducing.direct import direct_starts
from fewtaps.reducing.hierarchy import Branch as Branch
from fewtaps.reducing.hierarchy import branches_of as branches_of
from fewtaps.reducing.hierarchy import hierarchy_of as hierarchy_of
from fewtaps.reducing.oracle import content_key
from fewtaps.reducing.plan import check_strategy, reduce_trace
from fewtaps.replay import Aim, play
from fewtaps.store.database import Store, open_store
from fewtaps.store.rows import ReductionRow
from fewtaps.tracefile import trace_to_bytes, write_trace

CHECKED_WORLDS = 20
CHECKED_EVENTS = 20_000
"""An original that does not do what it should is played in other worlds too: so many, unless it is very long."""

EXTRA = "extra"
"""The state, in the store, of a way that begins in the middle of the app."""


class Spectator:
    """Hears of a reduction as it goes on; every method may be left as it is."""

    def remark(self, words: str) -> None:
        """Something about the trace that a person should know."""

    def resumed(self, before: int, after: int, runs: int) -> None:
        """An earlier reduction goes on, which came from so many events to so many in so many runs."""

    def original(self, reduction: Reduction) -> None:
        """The original was played and meets the goal."""

    def checking(self, worlds: int) -> None:
        """The original does not meet the goal, and is now played in so many other worlds."""

    def solving(self, share: float) -> None:
        """The optimal schedule of a flaky reduction has to be solved first; so much of it is done."""

    def run(self, progress: RunProgress) -> None:
        """One more run."""

    def better(self, reduction: Reduction) -> None:
        """A shorter trace was found, and has been kept."""

    def saved(self, output: Path) -> None:
        """The best so far was written; more may come, or the reduction was ended early."""


@dataclass(frozen=True, slots=True)
class Direct:
    """An extra beside the result: the same from the middle of the app, begun there by an intent.

    `replaced` is how many of the result's events the intent stands for. Another app can send it only if the activity
    is exported; otherwise a test of the app's own can, or a shell with root.
    """

    activity: str
    is_exported: bool
    replaced: int
    reduction: Reduction


@dataclass(frozen=True, slots=True)
class Reduced:
    """A reduction at its end: what was asked, what was found, how often that replays; `stopped` says by which limit.

    `known_before` names the crashes of the project before the reduction: the id of each signature.
    """

    goal: str
    reduction: Reduction
    output: Path
    stopped: str | None = None
    reproduction: Reproduction | None = None
    direct: Direct | None = None
    known_before: Mapping[str, str] = field(default_factory=dict)


def reduce_file(
    name: str, path: str, settings: ReduceSettings, spectator: Spectator | None = None, progress: Progress | None = None
) -> Reduced:
    """Reduces the trace in a file, a recording, or the crash of the project that is named so; see `fewtaps reduce`.

    Raises NotReproduced, with what was seen instead, if the trace does not do what is asked for.
    """
    check_strategy(settings.strategy)
    source = find_trace(path, settings.folder, settings.device.profile)
    plan = plan_app(name, settings.device, trace=source.trace)
    heard = spectator or Spectator()
    with (
        open_store(settings.folder, create=True, write=True) as store,
        open_pool(lambda: open_session(plan, progress), size=settings.jobs, tries=TRIES) as pool,
    ):
        for words in (*source.remarks, *differences(source.trace, plan.app)):
            heard.remark(words)
        known = {row.crash.signature: row.fingerprint for row in store.runs.crashes()}
        reduced = reduce_with(plan, settings, store, pool, source.trace, path, heard)
        reduced = replace(reduced, known_before=known)
        keep_findings(store, plan.app, reduced.goal, reduced.reduction)
        return reduced


def keep_findings(store: Store, app: App, goal: str, reduction: Reduction) -> None:
    """Crashes of another kind that were met on the way join those of the project, if they are news."""
    shortest = {row.crash.signature: row.shortest for row in store.runs.crashes()}
    news = [
        trace
        for trace in reduction.findings
        if trace.crash is not None and len(trace.steps) < shortest.get(trace.crash.signature, len(trace.steps) + 1)
    ]
    if news:
        run = store.runs.start(app, "reduce", {"goal": goal})
        for number, trace in enumerate(news):
            store.runs.add_outing(run, Outing(number, trace, reason="another crash than the one that was reduced"))
        store.runs.finish(run, "reduced")


def reduce_with(
    plan: Plan,
    settings: ReduceSettings,
    store: Store,
    pool: SessionPool,
    trace: Trace,
    path: str,
    spectator: Spectator | None = None,
) -> Reduced:
    """As `reduce_file`, in a store and on devices that are open already."""
    return _Work(plan, settings, store, pool, trace, path, spectator or Spectator()).reduce()


class _Work:
    """One reduction."""

    def __init__(
        self,
        plan: Plan,
        settings: ReduceSettings,
        store: Store,
        pool: SessionPool,
        trace: Trace,
        path: str,
        spectator: Spectator,
    ) -> None:
        self._plan = plan
        self._settings = settings
        self._store = store
        self._pool = pool
        self._spectator = spectator
        self._aim: Aim = "coordinates" if settings.by == "coordinates" else "selector"
        self._world = trace.world if settings.world is None else settings.world
        self._trace = replace(trace, world=self._world)
        self._output = settings.output or output_for(path, settings.folder)
        states = partial(states_of, store)
        self._goal, self._words = goal_for(settings.goal, self._trace, pool, plan.app, states, self._aim)
        self._question = question_for(plan, self._words, self._world, self._aim)
        self._known = store.results.verdicts(self._question)
        self._budget = Budget(seconds=settings.seconds, events=settings.events, runs=settings.runs)
        self._best: Reduction | None = None

    def reduce(self) -> Reduced:
        """From the original to the shortest, or to a limit."""
        if self._settings.resume:
            earlier = self._earlier()
            self._spectator.resumed(earlier.before, earlier.after, earlier.runs)
        reduction, stopped = self._shortest()
        self._keep(reduction, "finished" if stopped is None else "stopped")
        write_trace(self._output, reduction.trace)
        self._spectator.saved(self._output)
        if stopped is not None:
            return Reduced(self._words, reduction, self._output, stopped)
        direct = self._direct(reduction.trace) if self._settings.plainer else None
        rate = self._rate(reduction.trace)
        return Reduced(self._words, reduction, self._output, reproduction=rate, direct=direct)

    def _shortest(self) -> tuple[Reduction, str | None]:
        """The reduction, and the limit that ended it early, if one did. Whatever else ends it, the best is written."""
        try:
            return self._run(self._trace, self._known, self._better), None
        except BudgetSpent as spent:
            if not isinstance(spent.best, Reduction):
                raise
            return spent.best, str(spent)
        except NotReproduced as error:
            if self._best is not None:
                raise
            raise self._not_reproduced(error) from None
        except BaseException:
            self._save_best()
            raise

    def _run(
        self, trace: Trace, known: MutableMapping[str, Verdict], better: Callable[[Reduction], None] | None = None
    ) -> Reduction:
        limits = self._settings
        return reduce_trace(
            trace,
            self._goal,
            self._play,
            strategy=limits.strategy,
            batch=limits.jobs,
            plainer=limits.plainer,
            budget=self._budget,
            known=known,
            trivial=limits.trivial,
            on_better=better,
            on_run=self._spectator.run if better is not None else None,
        )

    def _play(self, candidates: Sequence[tuple[Event, ...]]) -> list[Trace]:
        def work(session: Session, events: tuple[Event, ...]) -> Trace:
            return play(session, events, by=self._aim, world=self._world)

        return self._pool.map(work, list(candidates))

    def _better(self, reduction: Reduction) -> None:
        is_original = self._best is None
        self._best = reduction
        self._keep(reduction, "running")
        if is_original:
            self._spectator.original(reduction)
        else:
            self._spectator.better(reduction)

    def _keep(self, reduction: Reduction, state: str) -> None:
        row = row_of(reduction, self._question, self._words, self._goal, state)
        self._store.results.save_reduction(self._plan.app.ref, row)

    def _save_best(self) -> None:
        """Writes what there is when the reduction is interrupted or a device fails for good."""
        # Nothing left at all is no result but the sign of a goal that says nothing; the original is there already.
        if self._best is None or not self._best.size or not self._best.is_news:
            return
        # What ended it is the news; that the file could not be written either is not.
        with suppress(UsageError):
            write_trace(self._output, self._best.trace)
            self._spectator.saved(self._output)

    def _earlier(self) -> ReductionRow:
        """The earlier reduction of this trace that is to go on."""
        original = self._trace.events_digest
        for row in reversed(self._store.results.reductions()):
            if (row.question, row.original) == (self._question, original) and row.state != EXTRA:
                return row
        raise UsageError(
            f"--resume: no reduction of this trace with this goal was begun in {self._settings.folder}; "
            "leave the option out to begin one"
        )

    def _not_reproduced(self, error: NotReproduced) -> NotReproduced:
        """The error with the rate over other worlds: perhaps the original does it sometimes."""
        worlds = min(max(CHECKED_EVENTS // len(self._trace.steps), 3), CHECKED_WORLDS)
        others = [world for world in range(worlds) if world != self._world][: worlds - 1]
        self._spectator.checking(len(others))
        rate, met = count_met(self._pool, self._trace.events, self._goal, others, self._aim)
        if not met:
            return NotReproduced(f"{error} (nor does it in {rate.runs} other worlds)", [*error.traces, self._trace])
        told = f"{error}. But it {flaky_words(Reproduction(rate.met, worlds))}; --world {met[0]} is one of them"
        return NotReproduced(told, [*error.traces, self._trace])

    def _direct(self, result: Trace) -> Direct | None:
        """The shortest way that begins in the middle of the app, if there is one that is shorter; kept as an extra."""
        declared = {each.name: each for each in self._plan.app.activities}
        for start in direct_starts(result, declared):
            before = self._known.get(content_key(start.trace.events[1:]))
            if before is not None and not before.met:
                continue
            try:
                reduction = self._run(start.trace, self._known)
            except (NotReproduced, UsageError):
                continue
            except BudgetSpent:
                return None
            self._keep(replace(reduction, original=self._trace, strategy=f"{reduction.strategy}, intent"), EXTRA)
            return Direct(start.activity, declared[start.activity].exported, start.replaced, reduction)
        return None

    def _rate(self, trace: Trace) -> Reproduction | None:
        """In how many other worlds the result replays."""
        if self._settings.worlds <= 1:
            return None
        worlds = range(self._world, self._world + self._settings.worlds)
        rate, met = count_met(self._pool, trace.events, self._goal, worlds, self._aim)
        if isinstance(self._goal, SameCrash):
            replays = {world: world in met for world in worlds}
            self._store.results.save_replays(self._goal.signature, trace.events_digest, replays)
        return rate


def flaky_words(rate: Reproduction) -> str:
    """What is said of steps that do what they should in some worlds only."""
    return f"replays in {rate.met} of {rate.runs} worlds: fewtaps reduce --flaky reduces it by its rate"


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
        content=trace_to_bytes(reduction.trace),
    )

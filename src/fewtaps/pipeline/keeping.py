"""Opening, preparing and keeping, the same for every reduction."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial

from fewtaps.budget import Budget
from fewtaps.config import ReduceSettings
from fewtaps.device.pool import SessionPool
from fewtaps.errors import BudgetLimit, BudgetSpent, UsageError
from fewtaps.model.app import App
from fewtaps.model.episode import Episode, EpisodeEnd
from fewtaps.model.exploration_end import EndKind, ExplorationEnd
from fewtaps.model.goal import Goal, GoalSpec
from fewtaps.model.result import Reduction, ReductionProgress, ReductionState
from fewtaps.model.served import digest_of
from fewtaps.model.trace import Aim, Trace
from fewtaps.pipeline.candidates import CandidatePlayer
from fewtaps.pipeline.goals import goal_for, states_of
from fewtaps.pipeline.news import CandidateRun, OriginalMet, ResultSaved, ShorterFound, Tell, TraceNoted
from fewtaps.pipeline.opening import OnDownload, Plan, plan_app, require_worlds
from fewtaps.pipeline.plan_pools import open_plan_pool
from fewtaps.pipeline.reduction_job import ReductionContext, ReductionJob
from fewtaps.pipeline.sources import differences, find_trace
from fewtaps.reducing.plan import check_strategy
from fewtaps.store.database import Store, open_store
from fewtaps.store.rows import ReductionRow
from fewtaps.tracefile import trace_to_bytes, write_trace

KEPT_AT_ONCE = 1000
"""Steps up to which every better trace is kept at once. A longer one takes long to write: it is kept only if it is a
tenth shorter than the last one that was kept, and without its screens."""

ALL_WORLDS = -1
"""In place of a world, in the question: all of them."""


@dataclass(frozen=True, slots=True)
class OpenedReduction:
    """A job with its store and devices. `known_before` are the crashes of the project, the id by signature."""

    job: ReductionJob
    context: ReductionContext
    known_before: Mapping[str, str]

    def keep_findings(self, goal: GoalSpec, reduction: Reduction) -> None:
        """Adds crashes of another kind to those of the project, if they are new or were found in fewer steps."""
        runs = self.context.store.runs
        shortest = {row.crash.signature: row.shortest for row in runs.crashes()}
        found = [
            trace
            for trace in reduction.findings
            if trace.crash is not None and len(trace.steps) < shortest.get(trace.crash.signature, len(trace.steps) + 1)
        ]
        if found:
            run = runs.start(
                self.context.plan.app,
                "reduce",
                {"goal": [goal.kind.value, goal.value], "session": dict(found[0].session)},
            )
            for number, trace in enumerate(found):
                runs.add_episode(run, Episode(number, trace, end=EpisodeEnd.OTHER_CRASH))
            runs.finish(run, ExplorationEnd(EndKind.REDUCED))


@contextmanager
def open_reduction(
    name: str, path: str, settings: ReduceSettings, tell: Tell, progress: OnDownload | None
) -> Iterator[OpenedReduction]:
    """Finds app and trace, opens the project and the devices, and tells notes on the trace."""
    check_strategy(settings.strategy)
    source = find_trace(path, settings.folder, settings.device)
    plan = plan_app(name, settings.device, trace=source.trace)
    with (
        open_store(settings.folder, create=True, write=True) as store,
        open_plan_pool(plan, size=settings.jobs, progress=progress) as pool,
    ):
        for words in (*source.losses, *differences(source.trace, plan.app)):
            tell(TraceNoted(words))
        known = {row.crash.signature: row.fingerprint for row in store.runs.crashes()}
        job = ReductionJob(path, source.trace, settings)
        yield OpenedReduction(job, ReductionContext(plan, store, pool, tell), known)


class Best:
    """Keeps the best trace so far: in the store as soon as it is found, and in a file when the reduction ends."""

    def __init__(self, store: Store, app: App, question: str, goal: GoalSpec, job: ReductionJob, tell: Tell) -> None:
        self._store = store
        self._app = app
        self._question = question
        self._goal = goal
        self._aim = job.aim
        self._output = job.output
        self._keeps_link = job.is_output_named
        self._tell = tell
        self._kept = 0
        self.reduction: Reduction | None = None

    def better(self, reduction: Reduction) -> None:
        """Takes a better one; the first of all is the original."""
        is_original = self.reduction is None
        self.reduction = reduction
        if is_original or reduction.size <= KEPT_AT_ONCE or reduction.size <= 0.9 * self._kept:
            self._kept = reduction.size
            self.keep(reduction, ReductionState.RUNNING)
        if is_original:
            self._tell(OriginalMet(reduction))
        else:
            self._tell(ShorterFound(reduction))

    def keep(self, reduction: Reduction, state: ReductionState) -> None:
        """Writes the best trace and its figures into the store, in the place of what was kept for this question."""
        row = row_of(reduction, self._question, self._goal, self._aim, state)
        self._store.results.save_reduction(self._app.ref, row)

    def finish(self, reduction: Reduction, stopped: BudgetLimit | None) -> None:
        """Puts the result into the store and into the file, at the end or at a limit."""
        self.keep(reduction, ReductionState.FINISHED if stopped is None else ReductionState.STOPPED)
        write_trace(self._output, reduction.trace, keeps_link=self._keeps_link)
        self._tell(ResultSaved(self._output))

    def save(self) -> None:
        """Writes the best so far when the reduction is interrupted or a device fails for good."""
        best = self.reduction
        # A trace without steps means that the launch meets the goal; the original is in its file already.
        if best is None or not best.size or not best.is_news:
            return
        # The error that ended the reduction is reported, not one of writing.
        with suppress(UsageError):
            write_trace(self._output, best.trace, keeps_link=self._keeps_link)
            self._tell(ResultSaved(self._output))


@dataclass(frozen=True, slots=True)
class ReductionTask:
    """A job whose goal is known: everything that its verdicts, its results and its errors need.

    `trace` is the job's, in the world in which it is played. `seen` is a run of it that was made to find the goal, if
    one was. `question` is the digest from `question_for`.
    """

    job: ReductionJob
    context: ReductionContext
    trace: Trace
    goal: Goal
    spec: GoalSpec
    seen: Trace | None
    question: str
    budget: Budget
    player: CandidatePlayer
    best: Best

    @property
    def settings(self) -> ReduceSettings:
        """Strategy, limits and repeated runs, as the job was given them."""
        return self.job.settings

    @property
    def store(self) -> Store:
        """The store that verdicts and results are written to."""
        return self.context.store

    @property
    def pool(self) -> SessionPool:
        """The pool on which candidates are played."""
        return self.context.pool

    @property
    def tell(self) -> Tell:
        """Called with each piece of news of the reduction."""
        return self.context.tell

    def note_run(self, progress: ReductionProgress) -> None:
        """Called after each verdict: keeps the time that was used, and tells the progress."""
        self.context.after_run()
        self.tell(CandidateRun(progress))


def prepare_task(job: ReductionJob, context: ReductionContext, *, in_all_worlds: bool) -> ReductionTask:
    """Finds out the goal, for which a trace that remembers no crash is played once.

    Raises UsageError if the goal makes no sense for the app, and BudgetSpent if the time is up before it is known.
    """
    settings, plan, store = job.settings, context.plan, context.store
    require_worlds(plan.capabilities, settings.world)
    world = job.trace.world if settings.world is None else settings.world
    trace = replace(job.trace, world=world)
    budget = Budget(seconds=settings.seconds, events=settings.events, runs=settings.runs)
    player = CandidatePlayer(context.pool, job.aim, context.tell, budget)
    try:
        wanted = goal_for(settings.goal, trace, context.pool, plan.app, partial(states_of, store), player)
    except BudgetSpent as spent:
        raise BudgetSpent(spent.limit, played_original=False) from None
    question = question_for(plan, wanted.spec, ALL_WORLDS if in_all_worlds else world, job.aim)
    best = Best(store, plan.app, question, wanted.spec, job, context.tell)
    return ReductionTask(job, context, trace, wanted.goal, wanted.spec, wanted.seen, question, budget, player, best)


def question_for(plan: Plan, goal: GoalSpec, world: int, aim: Aim) -> str:
    """A digest of everything that verdicts depend on: app, goal, world, phone, and how events are aimed."""
    session = plan.session
    parts = (
        *(plan.app.package, plan.app.digest, goal.key, world, aim.value, plan.backend),
        *(session.profile.name, session.api, session.permissions, session.neighbours, session.content),
        *(session.network, digest_of(session.served)),
        *(() if session.names is None else (session.names.digest,)),
    )
    return hashlib.blake2b(json.dumps(parts).encode(), digest_size=16).hexdigest()


def row_of(reduction: Reduction, question: str, goal: GoalSpec, aim: Aim, state: ReductionState) -> ReductionRow:
    """The row of a reduction in the store."""
    has_screens = state is not ReductionState.RUNNING or reduction.size <= KEPT_AT_ONCE
    return ReductionRow(
        question=question,
        original=reduction.original.events_digest,
        goal=goal,
        aim=aim,
        strategy=reduction.strategy,
        is_repeated=reduction.is_repeated,
        is_by_intent=reduction.is_by_intent,
        before=reduction.original_size,
        after=reduction.size,
        runs=reduction.runs,
        events=reduction.events,
        is_minimal=reduction.is_minimal,
        state=state,
        content=trace_to_bytes(reduction.trace, observations=has_screens),
    )

"""Reduces a trace: devices that play, a goal that judges, a strategy that proposes, a store that remembers.

Every verdict is in the store as soon as it is known. A reduction that was killed therefore goes on by being begun
again: what it asked before is answered at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from fewtaps.budget import Budget
from fewtaps.config import ReduceSettings
from fewtaps.device.pool import SessionPool
from fewtaps.errors import BudgetSpent, NotReproduced, UsageError
from fewtaps.model.event import Event
from fewtaps.model.goal import SameCrash
from fewtaps.model.result import Reduction, ReductionProgress, Reproduction, Verdict
from fewtaps.model.trace import Trace
from fewtaps.pipeline.candidates import CandidatePlayer
from fewtaps.pipeline.goals import Wanted, goal_for, states_of
from fewtaps.pipeline.keeping import Best, open_reduction, output_for, until_end
from fewtaps.pipeline.keeping import question_for as question_for
from fewtaps.pipeline.news import CandidateRun, OtherWorldsTried, ReductionResumed, Tell, ignore
from fewtaps.pipeline.opening import OnDownload, Plan
from fewtaps.pipeline.replaying import count_met
from fewtaps.reducing.direct import direct_starts
from fewtaps.reducing.hierarchy import Branch as Branch
from fewtaps.reducing.hierarchy import branches_of as branches_of
from fewtaps.reducing.hierarchy import hierarchy_of as hierarchy_of
from fewtaps.reducing.oracle import content_key
from fewtaps.reducing.plan import reduce_trace
from fewtaps.replay import Aim
from fewtaps.store.database import Store
from fewtaps.store.rows import ReductionRow

CHECKED_WORLDS = 20
CHECKED_EVENTS = 20_000
"""An original that does not do what it should is played in other worlds too: so many, fewer if it is long, and none if
it is so long that a single run has more events than these."""

EXTRA = "extra"
"""The state, in the store, of a way that begins in the middle of the app."""


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


def do_nothing() -> None:
    """Is called after each run of a candidate if the caller has nothing to do then."""


def reduce_file(
    name: str,
    path: str,
    settings: ReduceSettings,
    tell: Tell = ignore,
    progress: OnDownload | None = None,
) -> Reduced:
    """Reduces the trace in a file, a recording, or the crash of the project that is named so; see `fewtaps reduce`.

    Raises NotReproduced, with what was seen instead, if the trace does not do what is asked for.
    """
    with open_reduction(name, path, settings, tell, progress) as opened:
        reduced = reduce_with(opened.plan, settings, opened.store, opened.pool, opened.trace, path, tell)
        opened.keep_findings(reduced.goal, reduced.reduction)
        return replace(reduced, known_before=opened.known_before)


def reduce_with(
    plan: Plan,
    settings: ReduceSettings,
    store: Store,
    pool: SessionPool,
    trace: Trace,
    path: str,
    tell: Tell = ignore,
    after_run: Callable[[], None] = do_nothing,
) -> Reduced:
    """As `reduce_file`, in a store and on devices that are open already; `after_run` is called after each run."""
    return _Work(plan, settings, store, pool, trace, path, tell, after_run).reduce()


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
        tell: Tell,
        after_run: Callable[[], None],
    ) -> None:
        self._plan = plan
        self._settings = settings
        self._store = store
        self._pool = pool
        self._tell = tell
        self._after_run = after_run
        self._aim: Aim = "coordinates" if settings.by == "coordinates" else "selector"
        self._world = trace.world if settings.world is None else settings.world
        self._trace = replace(trace, world=self._world)
        self._output = settings.output or output_for(path, settings.folder)
        self._budget = Budget(seconds=settings.seconds, events=settings.events, runs=settings.runs)
        self._player = CandidatePlayer(pool, self._aim, tell, self._budget)
        wanted = self._find_goal()
        self._goal, self._words, self._seen = wanted.goal, wanted.words, wanted.seen
        self._question = question_for(plan, self._words, self._world, self._aim)
        self._known = store.results.verdicts(self._question)
        self._best = Best(store, plan.app, self._question, self._words, self._goal, self._output, tell)

    def reduce(self) -> Reduced:
        """From the original to the shortest, or to a limit."""
        if self._settings.resume:
            earlier = self._earlier()
            self._tell(ReductionResumed(earlier.before, earlier.after, earlier.runs))
        reduction, stopped = until_end(
            lambda: self._run(self._trace, self._known, self._best.better), Reduction, self._best, self._advised
        )
        self._best.finish(reduction, stopped)
        if stopped is not None:
            return Reduced(self._words, reduction, self._output, stopped)
        direct = self._direct(reduction.trace) if self._settings.plainer else None
        rate = self._rate(reduction.trace)
        return Reduced(self._words, reduction, self._output, reproduction=rate, direct=direct)

    def _find_goal(self) -> Wanted:
        states = partial(states_of, self._store)
        try:
            return goal_for(self._settings.goal, self._trace, self._pool, self._plan.app, states, self._player)
        except BudgetSpent as spent:
            raise BudgetSpent(f"{spent} before the original was played to its end") from None

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
            on_run=self._ran if better is not None else None,
        )

    def _play(self, candidates: Sequence[tuple[Event, ...]]) -> list[Trace]:
        if self._seen is not None and list(candidates) == [self._trace.events]:
            # It was played to find out what it does; once is enough.
            seen, self._seen = self._seen, None
            return [seen]
        return [played.trace for played in self._player.play([(events, self._world) for events in candidates])]

    def _ran(self, progress: ReductionProgress) -> None:
        self._after_run()
        self._tell(CandidateRun(progress))

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

    def _advised(self, error: NotReproduced) -> NotReproduced:
        """The error with the rate over other worlds: perhaps the original does it sometimes."""
        if self._best.reduction is not None:
            return error
        if self._budget.exhausted is not None or len(self._trace.steps) > CHECKED_EVENTS:
            return NotReproduced(f"{error} (it was not tried in other worlds)", [*error.traces, self._trace])
        worlds = min(max(CHECKED_EVENTS // len(self._trace.steps), 3), CHECKED_WORLDS)
        others = [world for world in range(worlds) if world != self._world][: worlds - 1]
        self._tell(OtherWorldsTried(len(others)))
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
            self._best.keep(replace(reduction, original=self._trace, strategy=f"{reduction.strategy}, intent"), EXTRA)
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

"""A reduction as values: the job, the context it runs in, and the answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fewtaps.config import ReduceSettings
from fewtaps.device.pool import SessionPool
from fewtaps.errors import BudgetLimit
from fewtaps.model.event import Event
from fewtaps.model.goal import GoalSpec
from fewtaps.model.result import Reduction, Reproduction
from fewtaps.model.trace import Aim, Trace
from fewtaps.pipeline.news import Tell, ignore
from fewtaps.pipeline.opening import Plan
from fewtaps.reducing.repeated.cause import FlakyCause
from fewtaps.reducing.repeated.worlds import WorldReport
from fewtaps.reducing.trials import OddDevice
from fewtaps.store.database import Store


def do_nothing() -> None:
    """The function to call after each run if there is nothing to do then."""


@dataclass(frozen=True, slots=True)
class ReductionJob:
    """A trace and how it is to be reduced. The job pickles.

    `name` is the file of the trace, or the id of a crash of the project. `settings` hold the goal that was wished for;
    with `settings.flaky`, candidates are run repeatedly. `start` is a trace that the reduction begins with instead of
    the whole one: some of its steps, which are known to meet the goal too. Only repeated runs take a `start`.
    """

    name: str
    trace: Trace
    settings: ReduceSettings
    start: Trace | None = None

    @property
    def output(self) -> Path:
        """The file for the result: beside the file of the trace, or in the project for one of its crashes."""
        if self.settings.output is not None:
            return self.settings.output
        if Path(self.name).exists():
            return Path(self.name).with_suffix(".reduced.jsonl")
        return self.settings.folder / f"{self.name}.reduced.jsonl"

    @property
    def is_output_named(self) -> bool:
        """Whether the user named the file for the result."""
        return self.settings.output is not None

    @property
    def aim(self) -> Aim:
        """How events find their widgets."""
        return Aim(self.settings.by)


@dataclass(frozen=True, slots=True)
class ReductionContext:
    """The surroundings of a reduction: app, store and devices. `after_run` is called after each verdict."""

    plan: Plan
    store: Store
    pool: SessionPool
    tell: Tell = ignore
    after_run: Callable[[], None] = do_nothing


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
class RepeatedFigures:
    """The figures of a reduction by repeated runs.

    `precheck` is the rate of the original. `needed` is the rate that was asked for, `rate_holds` the probability that
    the result has it, `minimal` the probability that no single step can be left out. `is_always` says that the original
    met the goal in every run, so that one run per candidate was enough. `went_back` counts failed checks of a result.
    `worlds` are the worlds of the result, `cause` tells those in which it meets the goal from the others; None if there
    are no worlds. `shorter` is a trace with fewer steps that meets the goal too seldom, and its rate. `odd` are devices
    that disagree with all others. `is_crash` says that the goal is a crash. `steps` are those of an ND3MIN schedule.
    """

    schedule: str
    precheck: Reproduction
    needed: float
    rate_holds: float
    minimal: float
    seconds: float
    is_always: bool = False
    went_back: int = 0
    worlds: WorldReport | None = None
    cause: FlakyCause | None = None
    shorter: tuple[tuple[Event, ...], Reproduction] | None = None
    odd: tuple[OddDevice, ...] = ()
    is_crash: bool = True
    steps: int | None = None


@dataclass(frozen=True, slots=True)
class Reduced:
    """The answer to a `ReductionJob`.

    `stopped` is the limit that ended the reduction, None if it came to its end. `reproduction` is the rate of the
    result, None if it was not measured. `repeated` is set for a reduction by repeated runs. `known_before` are the
    crashes of the project before the reduction, the id by signature. Without `has_worlds` the rate is that of repeated
    runs, not of several worlds.
    """

    goal: GoalSpec
    reduction: Reduction
    output: Path
    stopped: BudgetLimit | None = None
    reproduction: Reproduction | None = None
    direct: Direct | None = None
    repeated: RepeatedFigures | None = None
    known_before: Mapping[str, str] = field(default_factory=dict)
    has_worlds: bool = True

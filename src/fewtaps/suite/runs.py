"""The values of a suite reduction: runs as actions, states and coverage, what a replay shows, costs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from fewtaps.model.state import StateId

LAUNCH = -1
"""The action of a run's first step."""

MISSED = StateId("")
"""The state after an action that could not be performed: no widget for its selector, or the app had ended."""


class RunStep(NamedTuple):
    """One step of a run: an action, the state after it, and everything it covered, as bits of an `ElementTable`.

    `asked_world` says whether anything was drawn from the world since the launch.
    """

    action: int
    state: StateId
    covered: int
    asked_world: bool = True


class Cost(NamedTuple):
    """The cost of a set of runs (DetReduce, 2.1)."""

    transitions: int
    restarts: int

    def weighed(self, launch_cost: int) -> int:
        """The cost as one number, in transitions; a restart counts `launch_cost` transitions."""
        return self.transitions + self.restarts * launch_cost


@dataclass(frozen=True, slots=True)
class SuiteRun:
    """A run in one world. Its first step is the launch, with the prelude if there is one: it is never cut.

    `covered` is C(τ) of the paper, with what launch and first state cover, which the paper's formula leaves out.
    """

    world: int
    steps: tuple[RunStep, ...]
    covered: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        bits = 0
        for step in self.steps:
            bits |= step.covered
        object.__setattr__(self, "covered", bits)

    @property
    def actions(self) -> tuple[int, ...]:
        """The actions after the launch."""
        return tuple([step.action for step in self.steps[1:]])

    @property
    def states(self) -> tuple[StateId, ...]:
        """The states after the launch and after each action."""
        return tuple([step.state for step in self.steps])

    @property
    def transitions(self) -> int:
        return len(self.steps) - 1

    def prefix(self, transitions: int) -> SuiteRun:
        """The first so many transitions."""
        return self if transitions >= self.transitions else SuiteRun(self.world, self.steps[: transitions + 1])


def cost_of(runs: Sequence[SuiteRun]) -> Cost:
    """Transitions and restarts of all runs."""
    return Cost(sum(run.transitions for run in runs), len(runs))


def coverage_of(runs: Sequence[SuiteRun]) -> int:
    """The union of what the runs cover."""
    bits = 0
    for run in runs:
        bits |= run.covered
    return bits


@dataclass(frozen=True, slots=True)
class RunRequest:
    """Actions to be played from launch in a world. The run may end at the first step that is not as expected.

    `expected` are the states after the launch and after each action; a missing or None state expects nothing. `begun`
    is the number of steps that the last request has shown: a device that is still there goes on from them. They do
    not count as played.
    """

    world: int
    actions: tuple[int, ...]
    expected: tuple[StateId | None, ...] = ()
    begun: int = 0


def request_of(run: SuiteRun, world: int | None = None) -> RunRequest:
    """The request to replay a run, in its own world or in another."""
    return RunRequest(run.world if world is None else world, run.actions, run.states)


@dataclass(frozen=True, slots=True)
class RunAnswer:
    """What playing a request showed.

    `run` has all steps that were played. If it is shorter than asked for, the next action could not be performed,
    unless `is_lost`: the device died or the run was stopped, and the rest is unknown.
    """

    run: SuiteRun
    is_lost: bool = False


PlayRuns: TypeAlias = Callable[[Sequence[RunRequest]], Sequence[RunAnswer]]
"""Plays requests, perhaps at the same time; the answers have the order of the requests."""

Foresee: TypeAlias = Callable[[Iterable[RunRequest]], None]
"""Is told before a request what may be requested after it, the likeliest first. Idle devices may play that meanwhile.
What they show counts only once it is requested, so that the suite does not depend on the number of devices. As many are
drawn as there are idle devices, while the request is played."""

ShouldStop: TypeAlias = Callable[[], bool]
"""Whether the reduction should come to its end."""


def never_stop() -> bool:
    """The signal that stops nothing."""
    return False


def foresee_nothing(requests: Iterable[RunRequest]) -> None:
    """For players that have no idle devices."""


@dataclass(frozen=True, slots=True)
class Replays:
    """All states of a run were as expected. `run` has the coverage that was measured."""

    run: SuiteRun


@dataclass(frozen=True, slots=True)
class Deviates:
    """Step number `step` of a run was not as expected; 0 is the launch.

    It differs in type from `Replays`, also if the step is the last one: the paper's `Replay` returns its argument in
    both cases. `run` is what was seen, up to and with the step.
    """

    step: int
    expected: StateId | None
    seen: StateId
    run: SuiteRun


ReplayAnswer: TypeAlias = Replays | Deviates

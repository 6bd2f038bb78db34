"""Plans tours: one long run that visits, by the shortest ways, the steps that cover what is still missing.

The ways are those of a map of all transitions that were seen. A state does not tell everything about an app, so a way
may lead elsewhere; the map learns that, and the next leg is planned from the state that was really reached.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass

from fewtaps.model.coverage import ProbeSet
from fewtaps.model.state import StateId
from fewtaps.suite.observing import is_end
from fewtaps.suite.runs import MISSED, RunStep, SuiteRun

LEAST_CHANCE = 0.2
"""A transition that was seen more rarely than so, of all times that its action was performed, is no way."""

SURPRISE_WEIGHT = 2.0
"""A transition that a tour saw counts as much as so many recorded ones: it was seen in the present context."""

MOST_TRIES = 4
"""Times that a tour tries to get a missing element; the steps before it that are kept double each time."""


class TransitionMap:
    """What each action did in each state."""

    def __init__(self) -> None:
        self._counts: dict[StateId, dict[int, dict[StateId, float]]] = {}
        self._edges: dict[StateId, list[tuple[StateId, float, int]]] = {}

    def learn(self, before: StateId, action: int, after: StateId, weight: float = 1.0) -> None:
        """Adds a transition; the state after an action that could not be performed is `MISSED`."""
        counts = self._counts.setdefault(before, {}).setdefault(action, {})
        counts[after] = counts.get(after, 0.0) + weight
        self._edges.pop(before, None)

    def edges(self, state: StateId) -> list[tuple[StateId, float, int]]:
        """The states that can be reached by one action: cost in transitions, and the action that is surest."""
        known = self._edges.get(state)
        if known is not None:
            return known
        best: dict[StateId, tuple[float, float, int]] = {}
        for action, counts in self._counts.get(state, {}).items():
            total = sum(counts.values())
            for after, count in counts.items():
                chance = count / total
                if after and after != state and chance >= LEAST_CHANCE:
                    # Of equals the action that was seen more often, then the one that was seen first.
                    rank = (1 / chance, -total, action)
                    if after not in best or rank < best[after]:
                        best[after] = rank
        found = self._edges[state] = [(after, cost, action) for after, (cost, _, action) in best.items()]
        return found

    def ways_from(self, start: StateId) -> Ways:
        """The cheapest ways from a state to all others."""
        costs: dict[StateId, float] = {start: 0.0}
        came: dict[StateId, tuple[StateId, int]] = {}
        done: set[StateId] = set()
        heap: list[tuple[float, int, StateId]] = [(0.0, 0, start)]
        serial = 0
        while heap:
            cost, _, state = heapq.heappop(heap)
            if state in done:
                continue
            done.add(state)
            for after, price, action in self.edges(state):
                total = cost + price
                if after not in costs or total < costs[after]:
                    costs[after] = total
                    came[after] = (state, action)
                    serial += 1
                    heapq.heappush(heap, (total, serial, after))
        return Ways(costs, came)


@dataclass(frozen=True, slots=True)
class Ways:
    """The cheapest ways from one state: the cost of each, and the last transition before each state."""

    costs: dict[StateId, float]
    came: dict[StateId, tuple[StateId, int]]

    def to(self, state: StateId) -> list[tuple[int, StateId]]:
        """The actions of the way to a state, each with the state that it should lead to."""
        way: list[tuple[int, StateId]] = []
        while state in self.came:
            before, action = self.came[state]
            way.append((action, state))
            state = before
        way.reverse()
        return way


@dataclass(slots=True, eq=False)
class _Goal:
    """A step of a run that covers something. `window` steps before it are kept as they were when it is tried."""

    run: SuiteRun
    place: int
    window: int = 0
    tries: int = 0

    @property
    def step(self) -> RunStep:
        return self.run.steps[self.place]


@dataclass(frozen=True, slots=True)
class TourLeg:
    """What a tour plays next: actions and the states they should lead to. `wanted` is what the last of them covers."""

    actions: tuple[int, ...]
    states: tuple[StateId, ...]
    wanted: int
    cost: float
    goal: _Goal


class TourPlanner:
    """Plans the legs of tours through all that was seen."""

    def __init__(self, runs: Iterable[SuiteRun], target: int) -> None:
        self.map = TransitionMap()
        self._target = target
        self._goals: list[_Goal] = []
        self._tries: dict[int, int] = {}
        self.given_up = 0
        """Elements that were tried too often."""
        for run in runs:
            self.add(run)

    def add(self, run: SuiteRun, begin: int = 1, weight: float = 1.0) -> None:
        """Learns the steps of a run from a place on."""
        for place in range(max(1, begin), len(run.steps)):
            before, step = run.steps[place - 1], run.steps[place]
            self.map.learn(before.state, step.action, step.state, weight)
            if step.covered & self._target:
                self._goals.append(_Goal(run, place))

    def try_again(self) -> None:
        """Forgets how often goals were tried, because the next tour begins anew. What was given up stays so."""
        for goal in self._goals:
            goal.tries = 0

    def leg(self, state: StateId, missing: int) -> TourLeg | None:
        """The cheapest leg from a state to a step that covers something that is missing; None if there is none.

        Steps that end the app come last: nothing can follow them.
        """
        wanted = missing & ~self.given_up
        if not wanted:
            return None
        ways = self.map.ways_from(state)
        best: tuple[bool, float, int, int] | None = None
        chosen: _Goal | None = None
        for number, goal in enumerate(self._goals):
            gained = goal.step.covered & wanted
            if not gained or goal.tries >= MOST_TRIES:
                continue
            begin = max(0, goal.place - 1 - goal.window)
            way = ways.costs.get(goal.run.steps[begin].state)
            if way is None:
                continue
            cost = (way + goal.place - begin) * (1 + goal.tries)
            rank = (is_end(goal.step.state), cost, -gained.bit_count(), number)
            if best is None or rank < best:
                best, chosen = rank, goal
        if best is None or chosen is None:
            return None
        begin = max(0, chosen.place - 1 - chosen.window)
        way_there = ways.to(chosen.run.steps[begin].state)
        rest = chosen.run.steps[begin + 1 : chosen.place + 1]
        return TourLeg(
            (*[action for action, _ in way_there], *[step.action for step in rest]),
            (*[after for _, after in way_there], *[step.state for step in rest]),
            chosen.step.covered & wanted,
            best[1],
            chosen,
        )

    def learn(self, before: SuiteRun, leg: TourLeg, after: SuiteRun, missed: bool) -> None:
        """Learns from a leg that was played: where it led, and whether it covered what it should.

        `missed` says that the run ended before an action that could not be performed.
        """
        known = len(self._goals)
        self.add(after, len(before.steps), SURPRISE_WEIGHT)
        for goal in self._goals[known:]:
            # It may have needed the steps before it, as its model did.
            goal.window = leg.goal.window
        if missed:
            action = leg.actions[len(after.steps) - len(before.steps)]
            self.map.learn(after.steps[-1].state, action, MISSED, SURPRISE_WEIGHT)
        lacking = leg.wanted & ~after.covered
        if lacking:
            goal = leg.goal
            goal.tries += 1
            goal.window = 2 * goal.window + 1
            for element in ProbeSet(lacking):
                self._tries[element] = self._tries.get(element, 0) + 1
                if self._tries[element] >= MOST_TRIES:
                    self.given_up |= 1 << element

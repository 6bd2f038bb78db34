"""Plans tours: one long run that visits, by the shortest ways, the steps that cover what is still missing.

The ways are those of a map of all transitions that were seen. A state does not tell everything about an app, so a way
may lead elsewhere; the map learns that, and the next leg is planned from the state that was really reached.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import inf

from fewtaps.model.coverage import ProbeSet
from fewtaps.model.state import StateId
from fewtaps.model.step_state import is_end
from fewtaps.suite.runs import MISSED, RunStep, SuiteRun

LEAST_CHANCE = 0.2
"""A transition that was seen more rarely than so, of all times that its action was performed, is no way."""

SURPRISE_WEIGHT = 2.0
"""A transition that a tour saw counts as much as so many recorded ones: it was seen in the present context."""

WORLD_WEIGHT = 8.0
"""A transition that another world does not show counts against its action as much as so many recorded ones."""

MOST_TRIES = 6
"""Times that one tour tries a step for something missing. The steps before it that are kept double each time."""

MOST_ELEMENT_TRIES = 12
"""Legs that did not get a missing element, whichever step they were for, after which it is no goal any more."""


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

    def price(self, before: StateId, action: int, after: StateId) -> float:
        """The cost in transitions of an action in a state that should lead to another one."""
        counts = self._counts.get(before, {}).get(action, {})
        return sum(counts.values()) / counts[after] if counts.get(after) else 1.0

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
        """The cheapest ways from a state."""
        return Ways(self, start)


class Ways:
    """The cheapest ways from one state, found as far as they are asked for."""

    def __init__(self, known: TransitionMap, start: StateId) -> None:
        self._map = known
        self._costs: dict[StateId, float] = {start: 0.0}
        self._came: dict[StateId, tuple[StateId, int]] = {}
        self._heap: list[tuple[float, int, StateId]] = [(0.0, 0, start)]

    def nearest(self) -> Iterator[tuple[float, StateId]]:
        """The states with the costs of their ways, the cheapest first."""
        done: set[StateId] = set()
        serial = 0
        while self._heap:
            cost, _, state = heapq.heappop(self._heap)
            if state in done:
                continue
            done.add(state)
            yield cost, state
            for after, price, action in self._map.edges(state):
                total = cost + price
                if after not in self._costs or total < self._costs[after]:
                    self._costs[after] = total
                    self._came[after] = (state, action)
                    serial += 1
                    heapq.heappush(self._heap, (total, serial, after))

    def to(self, state: StateId) -> list[tuple[int, StateId]]:
        """The actions of the way to a state that `nearest` gave, each with the state that it should lead to."""
        way: list[tuple[int, StateId]] = []
        while state in self._came:
            before, action = self._came[state]
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

    @property
    def begin(self) -> int:
        """The place in the run from which its steps are repeated."""
        return max(0, self.place - 1 - self.window)


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
        self._begins: dict[StateId, list[int]] = {}
        """The numbers of the goals by the state in which their steps begin; entries of earlier windows stay."""
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
                self._begins.setdefault(before.state, []).append(len(self._goals) - 1)

    def try_again(self) -> None:
        """Forgets how often goals were tried, because the next tour begins anew. What was given up stays so."""
        for goal in self._goals:
            goal.tries = 0

    def begin_anew(self, runs: Iterable[SuiteRun]) -> None:
        """Learns runs that were not tours, and forgets what was given up: the map is known better than before."""
        self.try_again()
        self.given_up = 0
        self._tries.clear()
        for run in runs:
            self.add(run, weight=SURPRISE_WEIGHT)

    def leg(self, state: StateId, missing: int, below: float = inf) -> TourLeg | None:
        """The cheapest leg from a state to a step that covers something that is missing; None if there is none.

        Steps that end the app come last: nothing can follow them. A leg that costs `below` or more is not looked for.
        """
        wanted = missing & ~self.given_up
        if not wanted:
            return None
        ways = self.map.ways_from(state)
        best: tuple[bool, float, int, int] | None = None
        chosen: _Goal | None = None
        for way, place in ways.nearest():
            # A leg has at least one step more than the way to where it begins.
            if best is not None and not best[0] and way + 1 > best[1]:
                break
            if way + 1 >= below:
                if best is not None and best[0]:
                    return None
                break
            for number in self._begins.get(place, ()):
                goal = self._goals[number]
                gained = goal.step.covered & wanted
                if not gained or goal.tries >= MOST_TRIES or goal.run.steps[goal.begin].state != place:
                    continue
                cost = (way + self._price(goal)) * (1 + goal.tries)
                rank = (is_end(goal.step.state), cost, -gained.bit_count(), number)
                if best is None or rank < best:
                    best, chosen = rank, goal
        if best is None or chosen is None or best[1] >= below:
            return None
        way_there = ways.to(chosen.run.steps[chosen.begin].state)
        rest = chosen.run.steps[chosen.begin + 1 : chosen.place + 1]
        return TourLeg(
            (*[action for action, _ in way_there], *[step.action for step in rest]),
            (*[after for _, after in way_there], *[step.state for step in rest]),
            chosen.step.covered & wanted,
            best[1],
            chosen,
        )

    def _price(self, goal: _Goal) -> float:
        """The cost of the steps of a goal that are kept."""
        steps = goal.run.steps
        return sum(
            self.map.price(steps[place - 1].state, steps[place].action, steps[place].state)
            for place in range(goal.begin + 1, goal.place + 1)
        )

    def deviates(self, before: StateId, action: int) -> None:
        """Learns that an action does not lead to the same state in every world."""
        self.map.learn(before, action, MISSED, WORLD_WEIGHT)

    def _widen(self, number: int, window: int) -> None:
        """Sets how many steps before a goal are kept."""
        goal = self._goals[number]
        goal.window = window
        self._begins.setdefault(goal.run.steps[goal.begin].state, []).append(number)

    def learn(self, before: SuiteRun, leg: TourLeg, after: SuiteRun, missed: bool) -> None:
        """Learns from a leg that was played: where it led, and whether it covered what it should.

        `missed` says that the run ended before an action that could not be performed.
        """
        known = len(self._goals)
        self.add(after, len(before.steps), SURPRISE_WEIGHT)
        if leg.goal.window:
            for number in range(known, len(self._goals)):
                # It may have needed the steps before it, as its model did.
                self._widen(number, leg.goal.window)
        if missed:
            action = leg.actions[len(after.steps) - len(before.steps)]
            self.map.learn(after.steps[-1].state, action, MISSED, SURPRISE_WEIGHT)
        lacking = leg.wanted & ~after.covered
        if lacking:
            leg.goal.tries += 1
            self._widen(self._goals.index(leg.goal), 2 * leg.goal.window + 1)
            for element in ProbeSet(lacking):
                self._tries[element] = self._tries.get(element, 0) + 1
                if self._tries[element] >= MOST_ELEMENT_TRIES:
                    self.given_up |= 1 << element

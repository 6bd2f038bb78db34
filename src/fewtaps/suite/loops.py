"""The first phase: shorter runs, made by leaving out loops and the tail of one run, cheapest first (DetReduce, 3.1)."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field

from fewtaps.model.state import StateId
from fewtaps.suite.known_runs import KnownRuns, KnownStep
from fewtaps.suite.runs import MISSED, SuiteRun

SEARCHED_BASE = 20_000
SEARCHED_PER_STEP = 4
"""A search expands at most `SEARCHED_BASE` nodes and this many for each step of its run.

If that is not enough, each element that is still needed is tied to one step, and the search becomes a straight line.
"""

BLAMED_TO_BAR = 2
"""After so many deviations that followed a jump to the same step, no jump leads to that step any more."""


@dataclass(frozen=True, slots=True)
class LoopCandidate:
    """A member of L(τ) or a prefix of one: the steps of the run that are left, by number, and what they would show."""

    places: tuple[int, ...]
    actions: tuple[int, ...]
    states: tuple[StateId, ...]
    end: _PathNode


@dataclass(slots=True, eq=False)
class _PathNode:
    """A partial candidate: it has reached `position` of the run and lacks `rest`.

    `landed` is the position where its last step ended; it differs from `position` while a loop is left out. `known` is
    the node of the tree of known runs, None if its actions have not been played.
    """

    position: int
    landed: int
    cost: int
    rest: int
    known: KnownStep | None
    parent: _PathNode | None
    parked: list[_PathNode] = field(default_factory=list)
    is_trusted: bool = True


class JumpBlame:
    """The jumps of a run that deviations followed: from the position after one step to another step."""

    def __init__(self) -> None:
        self._barred: set[tuple[int, int]] = set()
        self._counts: dict[int, int] = {}

    def learn(self, places: Sequence[int], deviation: int) -> None:
        """Bars the last jump before step number `deviation` of a candidate with these places."""
        for number in range(min(deviation, len(places)) - 1, -1, -1):
            place = places[number]
            landed = places[number - 1] if number else 0
            if place != landed + 1:
                self._barred.add((landed, place))
                self._counts[place] = self._counts.get(place, 0) + 1
                return

    def bars(self, landed: int, place: int) -> bool:
        """Whether no candidate should take the step at this place after landing elsewhere."""
        return (landed, place) in self._barred or self._counts.get(place, 0) >= BLAMED_TO_BAR


class LoopSearch:
    """All ways through a run that leave out loops and cover what is needed, cheapest first.

    `run` may be a recording: its coverage is a prediction. Where the tree of known runs has measured a step, the
    measured one counts, and a way whose next step is known to deviate is not followed.

    A node is a position in the run and the elements that are still needed. A step that alone covers a needed element
    cannot be left out, so only elements with several such steps are counted in a node. A node that another one
    dominates (same position, no more cost, nothing more needed) waits until the other one was refused.

    With `blame` the last jump before a deviation is barred. Without `cuts_tail` every candidate ends as the run does,
    as in the paper. With `window` the first step that covers a needed element stays, with so many steps before it.
    """

    def __init__(
        self,
        run: SuiteRun,
        needed: int,
        known: KnownRuns,
        *,
        blame: JumpBlame | None = None,
        cuts_tail: bool = True,
        window: int = 0,
    ) -> None:
        self._run = run
        self._known = known
        self._world = run.world
        self._blame = blame
        steps = run.steps
        first = known.root.in_world(run.world)
        self._needed = needed & ~(first.covered if first is not None else steps[0].covered)
        self._next_same = _next_same(run)
        self._fixed = _single_sources(run, self._needed)
        if not cuts_tail:
            self._fixed.add(len(steps) - 1)
        if window:
            for place in _first_sources(run, self._needed):
                self._fixed.update(range(max(1, place - window), place + 1))
        self._begin()

    @property
    def cheapest(self) -> int | None:
        """The fewest transitions that any candidate can have; None if none is possible."""
        return self._left[0]

    def _begin(self) -> None:
        steps = self._run.steps
        is_fixed = self._is_fixed = [False] * len(steps)
        sure = 0
        for place in self._fixed - {0}:
            is_fixed[place] = True
            sure |= steps[place].covered
        self._last_fixed = max(self._fixed, default=0)
        # The number of fixed steps up to each position, to see whether a loop contains one.
        self._fixed_up_to = [0] * len(steps)
        for place in range(1, len(steps)):
            self._fixed_up_to[place] = self._fixed_up_to[place - 1] + is_fixed[place]
        self._left = self._fewest_left()
        self._front: dict[int, list[_PathNode]] = {}
        self._heap: list[tuple[int, int, int, int, _PathNode]] = []
        self._serial = 0
        self._expanded = 0
        self._choices = self._needed & ~sure
        known = self._known.root
        self._push(_PathNode(0, 0, 0, self._choices, known, None))

    def _fewest_left(self) -> list[int | None]:
        """For each position the fewest steps that are left to take, through all fixed ones; None if there is no way."""
        count = len(self._run.steps)
        left: list[int | None] = [None] * count
        for place in range(count - 1, -1, -1):
            if place >= self._last_fixed:
                left[place] = 0
                continue
            stay = left[place + 1]
            best = None if stay is None else stay + 1
            jump = self._jump(place)
            if jump is not None and left[jump] is not None and (best is None or left[jump] < best):  # type: ignore[operator]
                best = left[jump]
            left[place] = best
        return left

    def _jump(self, place: int) -> int | None:
        """The next position with the same state, if no fixed step lies between."""
        same = self._next_same[place]
        if same is None or self._fixed_up_to[same] != self._fixed_up_to[place]:
            return None
        return same

    def _push(self, node: _PathNode) -> None:
        left = self._left[node.position]
        if left is None:
            return
        bound = node.cost + max(left, 1 if node.rest else 0)
        self._serial += 1
        heapq.heappush(self._heap, (bound, -node.cost, -node.position, self._serial, node))

    def next(self) -> LoopCandidate | None:
        """The cheapest candidate that was not given before; None if there is none, or the limit is reached."""
        found = self._search()
        if found is None and self._choices and self._expanded >= self._limit:
            self._fix_choices()
            found = self._search()
        return None if found is None else self._candidate(found)

    @property
    def _limit(self) -> int:
        return SEARCHED_BASE + SEARCHED_PER_STEP * len(self._run.steps)

    def _search(self) -> _PathNode | None:
        while self._heap and self._expanded < self._limit:
            node = heapq.heappop(self._heap)[-1]
            if node.rest == 0 and node.position >= self._last_fixed and node.landed == node.position:
                return node
            if self._is_dominated(node):
                continue
            self._expanded += 1
            if not self._expand(node):
                self._release(node)
        return None

    def _is_dominated(self, node: _PathNode) -> bool:
        front = self._front.setdefault(node.position, [])
        for other in front:
            if other.is_trusted and other.cost <= node.cost and other.rest & ~node.rest == 0:
                other.parked.append(node)
                return True
        front.append(node)
        return False

    def _expand(self, node: _PathNode) -> bool:
        """Adds the nodes after this one; False if it may not take the next step of the run, or the step deviates."""
        position = node.position
        jump = self._jump(position)
        if jump is not None:
            self._push(_PathNode(jump, node.landed, node.cost, node.rest, node.known, node.parent))
        if position + 1 >= len(self._run.steps):
            return True
        place = position + 1
        if node.landed != position and self._blame is not None and self._blame.bars(node.landed, place):
            return False
        step = self._run.steps[place]
        covered, known = step.covered, None
        if node.known is not None:
            known = node.known.children.get(step.action)
            seen = None if known is None else known.in_world(self._world)
            if seen is not None:
                if seen.state != step.state or seen.state == MISSED:
                    return False
                if step.covered & ~seen.covered & self._needed and self._is_fixed[place]:
                    # The step was measured after these actions and does not cover what it is fixed for.
                    return False
                covered = seen.covered
        self._push(_PathNode(place, place, node.cost + 1, node.rest & ~covered, known, node))
        return True

    def _candidate(self, node: _PathNode) -> LoopCandidate:
        places: list[int] = []
        each: _PathNode | None = node
        while each is not None and each.parent is not None:
            places.append(each.landed)
            each = each.parent
        places.reverse()
        steps = self._run.steps
        return LoopCandidate(
            tuple(places),
            tuple([steps[place].action for place in places]),
            (steps[0].state, *[steps[place].state for place in places]),
            node,
        )

    def refuse(self, candidate: LoopCandidate, deviation: int | None) -> None:
        """Says that a candidate does not do: its step `deviation` deviates, or with None it lacks coverage."""
        node: _PathNode | None = candidate.end
        while node is not None:
            self._release(node)
            node = node.parent
        if deviation is not None and self._blame is not None:
            self._blame.learn(candidate.places, deviation)

    def _release(self, node: _PathNode) -> None:
        """Lets the nodes go on that waited for this one; it dominates no others any more."""
        node.is_trusted = False
        for each in node.parked:
            self._push(each)
        node.parked.clear()

    def _fix_choices(self) -> None:
        """Ties each element that several steps cover to one of them: to the step with most of such elements."""
        rest = self._choices
        steps = self._run.steps
        while rest:
            best = max(range(1, len(steps)), key=lambda place: ((steps[place].covered & rest).bit_count(), -place))
            gained = steps[best].covered & rest
            if not gained:
                break
            self._fixed.add(best)
            rest &= ~gained
        self._begin()


def _next_same(run: SuiteRun) -> list[int | None]:
    """For each position the next one with the same state."""
    after: dict[StateId, int] = {}
    found: list[int | None] = [None] * len(run.steps)
    for place in range(len(run.steps) - 1, -1, -1):
        state = run.steps[place].state
        found[place] = after.get(state)
        after[state] = place
    return found


def _first_sources(run: SuiteRun, needed: int) -> list[int]:
    """The steps that are the first to cover a needed element."""
    found: list[int] = []
    for place, step in enumerate(run.steps):
        if step.covered & needed:
            needed &= ~step.covered
            if place:
                found.append(place)
    return found


def _single_sources(run: SuiteRun, needed: int) -> set[int]:
    """The steps that cover a needed element that no other step covers."""
    once = twice = 0
    for step in run.steps[1:]:
        bits = step.covered & needed
        twice |= once & bits
        once |= bits
    single = once & ~twice
    return {place for place in range(1, len(run.steps)) if run.steps[place].covered & single}

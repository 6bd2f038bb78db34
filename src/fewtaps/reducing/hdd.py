"""Level-by-level reduction of the tree of GUI states: plain, balanced, local (SimplyDroid, section III.C to III.E).

Where the paper's tables leave something open, its worked example (section II) decides:

- A part that fails is split finer until its parts are single nodes (Table 2, line 43, would split the wrong part).
- Pre-selection tries the last node also where it is alone on its level: the example checks the transition ⟨23, 24⟩,
  and node 23 is alone. Table 3, line 10, would skip it.
- The paper takes the crash to be on the lowest level. It may be on a higher one, with levels without the crash below
  nodes that are kept. Such a level is first left out as a whole, then each of its parts in turn, and the goal decides,
  also in LHDD.
- The first trial is the run of the original. Counted like this, the example takes the paper's trials: 6, 6 and 4.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, islice
from typing import Generic, TypeVar

from fewtaps.model.result import Verdict
from fewtaps.reducing.ddmin import complement, partition
from fewtaps.reducing.hierarchy import Hierarchy, build_hierarchy
from fewtaps.reducing.problem import AcceptedCandidate, Candidate, Problem

T = TypeVar("T")

Nodes = Sequence[int]


def hdd(problem: Problem[T]) -> None:
    """Reduces level by level, the parts of a level having equally many nodes (Table 2)."""
    _descend(problem)


def bhdd(problem: Problem[T]) -> None:
    """As `hdd`, but the parts of a level have equally many nodes with their subtrees (section III.D)."""
    _descend(problem, balanced=True)


def lhdd(problem: Problem[T], *, preselect: bool = True) -> None:
    """Reduces each level by whether the next level is still reached, and only the lowest by the goal (Table 3).

    The state of an app is more than its activity, so that the goal may be missed at the end. The paper leaves this
    case open. Here `bhdd` follows, which asks for the goal at every level.
    """
    if not _descend(problem, balanced=True, local=True, preselect=preselect):
        bhdd(problem)


def lhdd_without_preselection(problem: Problem[T]) -> None:
    """The paper's LHDD-NoPre (section IV.D)."""
    lhdd(problem, preselect=False)


def _descend(problem: Problem[T], *, balanced: bool = False, local: bool = False, preselect: bool = False) -> bool:
    """Reduces level by level, again with a new tree if a candidate met the goal early; whether the goal was met."""
    size = None
    while size != len(problem.best):
        size = len(problem.best)
        descent = _Descent(problem, balanced=balanced, local=local, preselect=preselect)
        if not descent.met_sooner():
            return descent.reached_goal
    return True


class _Descent(Generic[T]):
    """One reduction of the tree of the best sequence, level by level."""

    def __init__(self, problem: Problem[T], *, balanced: bool, local: bool, preselect: bool) -> None:
        self._problem = problem
        self._items = problem.best
        self._states = problem.states()
        self._tree: Hierarchy = build_hierarchy(self._states)
        self._balanced = balanced
        self._local = local
        self._preselects = preselect
        self._kept: list[int] = []
        self._last = 0
        self._has_crash = True
        self._sooner = False
        self.reached_goal = True

    def met_sooner(self) -> bool:
        """Reduces all levels; true if a candidate met the goal before its end, so that the tree is out of date."""
        level: Nodes = list(self._tree.children(None))
        while level:
            self._last = level[-1]
            self._has_crash = self._tree.subtree(self._last).stop == len(self._items)
            chosen = self._reduce_level(level)
            if self._sooner:
                return True
            self._kept.extend(chosen)
            level = [child for node in chosen for child in self._tree.children(node)]
        if self._local and self._items:
            self.reached_goal = self._problem.first([self._candidate(())]) is not None
        return False

    def _reduce_level(self, level: Nodes) -> Nodes:
        """The paper's inlevel_hdd: the last part alone, then all parts but one, then finer parts."""
        if not self._has_crash and self._first([()]) is not None:
            return ()
        chosen = self._preselected(level) if self._preselects and self._has_crash else level
        count = 2
        while len(chosen) >= count and not self._sooner:
            parts = self._split(chosen, count)
            found = self._first(self._options(parts))
            if found is not None:
                # Options are built one by one: all together would take memory with the square of the level's width.
                chosen = next(islice(self._options(parts), found.index, None))
                count = 2 if found.index == 0 else max(count - 1, 2)
            elif count < len(chosen):
                count = min(2 * count, len(chosen))
            else:
                break
        return chosen

    def _preselected(self, level: Nodes) -> Nodes:
        """The last 1, 2, 4 … nodes, as few as meet the goal; all nodes, without a run, if none of these does."""
        counts = [1]
        while 2 * counts[-1] < len(level):
            counts.append(2 * counts[-1])
        found = self._first([level[-count:] for count in counts])
        return level[-counts[found.index] :] if found is not None else level

    def _options(self, parts: Sequence[Nodes]) -> Iterator[Nodes]:
        """The options at one granularity: the last part, then everything but one part.

        The last part itself is not left out if the crash is below its last node.
        """
        yield parts[-1]
        if len(parts) == 2 and self._has_crash:
            return
        for left_out in range(len(parts) - (2 if self._has_crash else 1), -1, -1):
            yield complement(parts, left_out)

    def _first(self, options: Iterable[Nodes]) -> AcceptedCandidate | None:
        found = self._problem.first((self._candidate(nodes) for nodes in options), self._accepts)
        if found is not None and found.verdict.met:
            self._sooner = not found.is_whole or self._is_transition
        return found

    @property
    def _is_transition(self) -> bool:
        """Whether this level is judged by the transition to the next one: LHDD, above the crash."""
        return self._local and self._has_crash and self._last != len(self._items) - 1

    def _accepts(self, verdict: Verdict) -> bool:
        return verdict.met or (self._is_transition and verdict.end == str(self._states[self._last + 1]))

    def _candidate(self, nodes: Nodes) -> Candidate:
        """The events kept so far and the subtrees of the nodes; in LHDD, of the last node only the node itself."""
        numbers = set(self._kept)
        for node in nodes:
            if self._is_transition and node == self._last:
                numbers.add(node)
            else:
                numbers.update(self._tree.subtree(node))
        items = self._items
        return tuple([items[number] for number in sorted(numbers)])

    def _split(self, nodes: Nodes, count: int) -> Sequence[Nodes]:
        if not self._balanced:
            return partition(nodes, count)
        sizes = self._tree.sizes
        return split_balanced(
            nodes, [1 if self._is_transition and node == self._last else sizes[node] for node in nodes], count
        )


def split_balanced(nodes: Nodes, sizes: Sequence[int], count: int) -> list[Nodes]:
    """Cuts nodes into `count` parts, none empty, with totals as equal as possible; of two equal cuts the later one."""
    totals = list(accumulate(sizes))
    parts: list[Nodes] = []
    start = 0
    for number in range(1, count):
        goal = totals[-1] * number / count
        cut = bisect_left(totals, goal) + 1
        if cut >= 2 and goal - totals[cut - 2] < totals[cut - 1] - goal:
            cut -= 1
        cut = min(max(cut, start + 1), len(nodes) - (count - number))
        parts.append(nodes[start:cut])
        start = cut
    parts.append(nodes[start:])
    return parts

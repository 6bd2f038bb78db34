"""Places the states of an app on a map: a tree from left to right, by the way each was first reached.

States that lead to nothing new are the bulk of every exploration. Those of one parent stand together in a block, so
that a map of five hundred states is a sheet and not a ribbon.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, sqrt

WIDTH, HEIGHT = 120.0, 244.0
GAP_X, GAP_Y = 84.0, 30.0
BLOCK_GAP, PADDING = 18.0, 16.0
MARGIN = 30.0
LARGEST_BLOCK = 16
"""So many states stand side by side in a block, at most."""
STRETCH = 4
"""A block is so much wider than high: blocks stand one below the other."""

Box = tuple[float, float, float, float]
"""Left, top, width and height."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where states are (their upper left corners, by number), the blocks around some, and lines from parents on."""

    places: Mapping[int, tuple[float, float]]
    parents: Mapping[int, int | None]
    blocks: tuple[Box, ...]
    links: tuple[Box, ...]
    """From the first two numbers to the last two."""
    width: float
    height: float


def place_states(
    count: int, successors: Mapping[int, Sequence[int]], important: Collection[int] = frozenset()
) -> Layout:
    """The map of states 0 to `count` - 1; the first is where the app starts, and none is left out.

    Important states, and those that lead to them, come before their siblings.
    """
    return _Placer(count, successors, important).layout()


class _Placer:
    def __init__(self, count: int, successors: Mapping[int, Sequence[int]], important: Collection[int]) -> None:
        self._parents, self._order = _first_ways(count, successors)
        self._children: dict[int, list[int]] = {number: [] for number in range(count)}
        for number in self._order:
            parent = self._parents[number]
            if parent is not None:
                self._children[parent].append(number)
        self._weights = self._weigh(important)
        self._heights: dict[int, float] = {}
        self._places: dict[int, tuple[float, float]] = {}
        self._blocks: list[Box] = []
        self._links: list[Box] = []

    def _weigh(self, important: Collection[int]) -> dict[int, tuple[bool, int]]:
        """Of each state, whether it leads to something important, and how many states hang below it."""
        weights = {number: (number in important, 1) for number in self._order}
        for number in reversed(self._order):
            parent = self._parents[number]
            if parent is not None:
                above, size = weights[parent]
                weights[parent] = (above or weights[number][0], size + weights[number][1])
        return weights

    def layout(self) -> Layout:
        """Sizes from the leaves to the roots, then places from the roots to the leaves."""
        for number in reversed(self._order):
            parts = [height for _, height in self._parts(number)]
            self._heights[number] = max(HEIGHT, sum(parts) + GAP_Y * max(0, len(parts) - 1))
        top = MARGIN
        for number in self._order:
            if self._parents[number] is None:
                self._places[number] = (MARGIN, top)
                top += self._heights[number] + GAP_Y
            self._put_children(number)
        right = max((x + WIDTH for x, _ in self._places.values()), default=0.0)
        right = max([right, *(x + width for x, _, width, _ in self._blocks)])
        height = max(top - GAP_Y, MARGIN) + MARGIN
        places = {number: self._places[number] for number in sorted(self._places)}
        return Layout(places, self._parents, tuple(self._blocks), tuple(self._links), right + MARGIN, height)

    def _parts(self, number: int) -> list[tuple[list[int], float]]:
        """What hangs below a state, with heights: what matters or leads on, then the block of those that do neither."""
        children = sorted(self._children[number], key=self._weights.__getitem__, reverse=True)
        leaves = [child for child in children if self._weights[child] == (False, 1)]
        others = [([child], self._heights[child]) for child in children if self._weights[child] != (False, 1)]
        if not leaves:
            return others
        if len(leaves) == 1:
            return [*others, (leaves, HEIGHT)]
        rows = ceil(len(leaves) / _columns(len(leaves)))
        return [*others, (leaves, rows * HEIGHT + (rows - 1) * BLOCK_GAP + 2 * PADDING)]

    def _put_children(self, number: int) -> None:
        # What hangs below a state begins at its own height, as in an outline: the launch is at the top left.
        x, top = self._places[number]
        start = (x + WIDTH, top + HEIGHT / 2)
        left = x + WIDTH + GAP_X
        for members, height in self._parts(number):
            self._links.append((*start, left, top + HEIGHT / 2))
            if len(members) == 1:
                self._places[members[0]] = (left, top)
            else:
                self._put_block(members, left, top, height)
            top += height + GAP_Y

    def _put_block(self, members: Sequence[int], left: float, top: float, height: float) -> None:
        columns = _columns(len(members))
        self._blocks.append((left, top, columns * (WIDTH + BLOCK_GAP) - BLOCK_GAP + 2 * PADDING, height))
        for index, member in enumerate(members):
            row, column = divmod(index, columns)
            x = left + PADDING + column * (WIDTH + BLOCK_GAP)
            self._places[member] = (x, top + PADDING + row * (HEIGHT + BLOCK_GAP))


def _columns(count: int) -> int:
    return min(LARGEST_BLOCK, ceil(sqrt(STRETCH * count * HEIGHT / WIDTH)), count)


def _first_ways(count: int, successors: Mapping[int, Sequence[int]]) -> tuple[dict[int, int | None], list[int]]:
    """From where each state is reached by the fewest events, and all states in the order of their distance."""
    parents: dict[int, int | None] = {}
    order: list[int] = []
    for root in range(count):
        if root in parents:
            continue
        parents[root] = None
        queue = deque([root])
        while queue:
            number = queue.popleft()
            order.append(number)
            for following in successors.get(number, ()):
                if following not in parents:
                    parents[following] = number
                    queue.append(following)
    return parents, order

"""Places the states of an app on a map: a breadth-first tree from left to right.

Most states of an exploration have no child in this tree. Those of one parent are placed together in a block, which
keeps the map of five hundred states about as wide as high.
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
"""Most columns of a block."""
STRETCH = 4
"""Target ratio of a block's width to its height; wide blocks fit, because blocks are placed one below the other."""

Box = tuple[float, float, float, float]
"""Left, top, width and height."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The upper left corners of the states by number, the boxes of blocks, and the lines from parents to children."""

    places: Mapping[int, tuple[float, float]]
    parents: Mapping[int, int | None]
    blocks: tuple[Box, ...]
    links: tuple[Box, ...]
    """Each from the point of its first two numbers to that of its last two."""
    width: float
    height: float


def place_states(
    count: int, successors: Mapping[int, Sequence[int]], important: Collection[int] = frozenset()
) -> Layout:
    """The map of states 0 to `count` - 1, of which 0 is the one after launch; no state is left out.

    Important states, and those that lead to them, come before their siblings.
    """
    return _Placer(count, successors, important).layout()


class _Placer:
    """Places states in depth-first order.

    A state is in the column of its distance from the launch, as high as possible: not above its parent, and below all
    states that are already in its column. Therefore no line to it crosses another state.
    """

    def __init__(self, count: int, successors: Mapping[int, Sequence[int]], important: Collection[int]) -> None:
        self._parents, self._order = _breadth_first(count, successors)
        self._children: dict[int, list[int]] = {number: [] for number in range(count)}
        for number in self._order:
            parent = self._parents[number]
            if parent is not None:
                self._children[parent].append(number)
        self._weights = self._weigh(important)
        self._places: dict[int, tuple[float, float]] = {}
        self._blocks: list[Box] = []
        self._links: list[Box] = []
        self._bottoms: list[float] = []
        """The top of the free space in each column."""

    def layout(self) -> Layout:
        roots = [number for number in self._order if self._parents[number] is None]
        # Each entry holds the states that are placed together, and their column.
        waiting: list[tuple[list[int], int]] = [([root], 0) for root in reversed(roots)]
        while waiting:
            members, column = waiting.pop()
            self._put(members, column)
            if len(members) == 1:
                waiting.extend((part, column + 1) for part in reversed(self._parts(members[0])))
        right = max((x + WIDTH for x, _ in self._places.values()), default=0.0)
        right = max([right, *(x + width for x, _, width, _ in self._blocks)])
        height = max(self._bottoms, default=MARGIN) - GAP_Y + MARGIN
        places = {number: self._places[number] for number in sorted(self._places)}
        return Layout(places, self._parents, tuple(self._blocks), tuple(self._links), right + MARGIN, height)

    def _weigh(self, important: Collection[int]) -> dict[int, tuple[bool, int]]:
        """For each state, whether its subtree holds an important state, and the size of the subtree."""
        weights = {number: (number in important, 1) for number in self._order}
        for number in reversed(self._order):
            parent = self._parents[number]
            if parent is not None:
                above, size = weights[parent]
                weights[parent] = (above or weights[number][0], size + weights[number][1])
        return weights

    def _parts(self, number: int) -> list[list[int]]:
        """The children of a state: each important one or one with children alone, then all others together."""
        children = sorted(self._children[number], key=self._weights.__getitem__, reverse=True)
        leaves = [child for child in children if self._weights[child] == (False, 1)]
        others = [[child] for child in children if self._weights[child] != (False, 1)]
        return [*others, leaves] if leaves else others

    def _put(self, members: Sequence[int], column: int) -> None:
        left = MARGIN + column * (WIDTH + GAP_X)
        width, height = (WIDTH, HEIGHT) if len(members) == 1 else _block_size(len(members))
        last = column + int((width - WIDTH) // (WIDTH + GAP_X)) + (1 if len(members) > 1 else 0)
        self._bottoms.extend([MARGIN] * (last + 1 - len(self._bottoms)))
        parent = self._parents[members[0]]
        top = max(self._bottoms[column : last + 1])
        if parent is not None:
            x, y = self._places[parent]
            top = max(top, y)
            self._links.append((x + WIDTH, y + HEIGHT / 2, left, top + HEIGHT / 2))
        self._bottoms[column : last + 1] = [top + height + GAP_Y] * (last + 1 - column)
        if len(members) == 1:
            self._places[members[0]] = (left, top)
        else:
            self._put_block(members, (left, top, width, height))

    def _put_block(self, members: Sequence[int], box: Box) -> None:
        self._blocks.append(box)
        columns = _columns(len(members))
        for index, member in enumerate(members):
            row, column = divmod(index, columns)
            x = box[0] + PADDING + column * (WIDTH + BLOCK_GAP)
            self._places[member] = (x, box[1] + PADDING + row * (HEIGHT + BLOCK_GAP))


def _block_size(count: int) -> tuple[float, float]:
    columns = _columns(count)
    rows = ceil(count / columns)
    width = columns * (WIDTH + BLOCK_GAP) - BLOCK_GAP + 2 * PADDING
    return width, rows * (HEIGHT + BLOCK_GAP) - BLOCK_GAP + 2 * PADDING


def _columns(count: int) -> int:
    return min(LARGEST_BLOCK, ceil(sqrt(STRETCH * count * HEIGHT / WIDTH)), count)


def _breadth_first(count: int, successors: Mapping[int, Sequence[int]]) -> tuple[dict[int, int | None], list[int]]:
    """The parent of each state on a path with the fewest events, and all states in the order of their distance."""
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

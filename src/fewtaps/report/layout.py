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
    """Places states one after the other, each with all that hangs below it before its next sibling.

    A state stands in the column of its distance from the launch, as high as it can: not above its parent, and below
    whatever stands in its column already. So no line to it crosses another state.
    """

    def __init__(self, count: int, successors: Mapping[int, Sequence[int]], important: Collection[int]) -> None:
        self._parents, self._order = _first_ways(count, successors)
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
        """Of each column, where free space begins."""

    def layout(self) -> Layout:
        """From the roots on."""
        roots = [number for number in self._order if self._parents[number] is None]
        # A part is the states that are placed together, and their column.
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
        """Of each state, whether it leads to something important, and how many states hang below it."""
        weights = {number: (number in important, 1) for number in self._order}
        for number in reversed(self._order):
            parent = self._parents[number]
            if parent is not None:
                above, size = weights[parent]
                weights[parent] = (above or weights[number][0], size + weights[number][1])
        return weights

    def _parts(self, number: int) -> list[list[int]]:
        """What hangs below a state: each that matters or leads on, then, together, those that do neither."""
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

"""The tree of GUI states of a trace (SimplyDroid, section II.A and Table 1), and its drawing as text."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from fewtaps.model.state import activity_state
from fewtaps.model.trace import Trace


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """A tree with one node per item, numbered as the items are; None is the empty root of the paper, n₀.

    New nodes grow at the right edge only, so a subtree is a run of numbers: from the node, `sizes[node]` of them.
    """

    parents: tuple[int | None, ...]
    sizes: tuple[int, ...]

    def children(self, node: int | None) -> Iterator[int]:
        """The nodes right below a node, left to right."""
        child, end = (0, len(self.sizes)) if node is None else (node + 1, node + self.sizes[node])
        while child < end:
            yield child
            child += self.sizes[child]

    def subtree(self, node: int) -> range:
        """A node and all nodes below it."""
        return range(node, node + self.sizes[node])

    def levels(self) -> list[list[int]]:
        """The nodes of each level, the topmost first."""
        depths: list[int] = []
        levels: list[list[int]] = []
        for node, parent in enumerate(self.parents):
            depth = 0 if parent is None else depths[parent] + 1
            depths.append(depth)
            if depth == len(levels):
                levels.append([])
            levels[depth].append(node)
        return levels

    def draw(self, label: Callable[[int], str] = lambda node: str(node + 1)) -> str:
        """One line per node; nodes count from 1, as in the paper, unless a label says otherwise."""
        lines: list[str] = []
        bars: list[str] = []
        depths: list[int] = []
        for node, parent in enumerate(self.parents):
            depth = 0 if parent is None else depths[parent] + 1
            depths.append(depth)
            end = len(self.sizes) if parent is None else parent + self.sizes[parent]
            is_last = node + self.sizes[node] == end
            del bars[depth:]
            lines.append("".join(bars) + ("└─ " if is_last else "├─ ") + label(node))
            bars.append("   " if is_last else "│  ")
        return "\n".join(lines)


def build_hierarchy(states: Sequence[Hashable]) -> Hierarchy:
    """The tree of the states before each item, as Table 1 builds it.

    A node whose state is on the path from the root to its predecessor becomes a sibling of the node that has it, any
    other a child of its predecessor. No state is twice on a path, so a table from state to depth replaces the walk up.
    """
    parents: list[int | None] = []
    path: list[int] = []
    path_states: list[Hashable] = []
    depths: dict[Hashable, int] = {}
    sizes = [1] * len(states)
    for node, state in enumerate(states):
        depth = depths.get(state)
        if depth is None:
            depth = depths[state] = len(path)
        else:
            for left in path_states[depth + 1 :]:
                del depths[left]
            del path[depth:], path_states[depth:]
        parents.append(path[-1] if path else None)
        path.append(node)
        path_states.append(state)
    for node in range(len(states) - 1, -1, -1):
        above = parents[node]
        if above is not None:
            sizes[above] += sizes[node]
    return Hierarchy(tuple(parents), tuple(sizes))


def hierarchy_of(trace: Trace) -> Hierarchy:
    """The tree of a trace's events after the launch, by the activity that each was done in."""
    return build_hierarchy([activity_state(step.after) for step in trace.steps[:-1]])


@dataclass(frozen=True, slots=True)
class Branch:
    """All nodes of a tree that are reached through the same states: these states, their own last, and a count."""

    path: tuple[str, ...]
    count: int

    @property
    def depth(self) -> int:
        """How many states are above it."""
        return len(self.path) - 1

    @property
    def state(self) -> str:
        """The state that its nodes share."""
        return self.path[-1]


def branches_of(trace: Trace) -> tuple[Branch, ...]:
    """The tree of a trace with all equal branches in one, in the order of a walk through it."""
    states = [str(activity_state(step.after)) for step in trace.steps[:-1]]
    paths: list[tuple[str, ...]] = []
    counts: dict[tuple[str, ...], int] = {}
    for state, parent in zip(states, build_hierarchy(states).parents, strict=True):
        paths.append((*(() if parent is None else paths[parent]), state))
        counts[paths[-1]] = counts.get(paths[-1], 0) + 1
    return tuple(Branch(path, counts[path]) for path in _walk(counts))


def _walk(paths: Iterable[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    """The paths, each followed by all paths below it, otherwise in the order given."""
    below: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for path in paths:
        below.setdefault(path[:-1], []).append(path)
    waiting = below.get((), [])[::-1]
    while waiting:
        path = waiting.pop()
        yield path
        waiting += below.get(path, [])[::-1]

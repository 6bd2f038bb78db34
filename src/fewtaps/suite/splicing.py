"""The second phase: runs put together from fragments of others (DetReduce, 3.2)."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fewtaps.model.state import StateId
from fewtaps.suite.runs import RunStep, SuiteRun

MOST_PATHS = 5_000
"""T_k is enumerated up to so many paths. Beyond, a beam search looks for the paths that gain most."""

BEAM_WIDTH = 4
"""Partial paths that the beam search keeps for each state and number of switches."""

MOST_BEAM_STEPS = 30_000
"""Steps that the beam search makes for each number of switches, about a tenth of a second."""

SHORTEST_CAP = 10
"""A fragment may have at least so many steps."""


@dataclass(frozen=True, slots=True)
class Label:
    """A transition of the system: the place-th one of a run, both from their lists; places begin with 1."""

    run: int
    place: int


def is_switch(before: Label, after: Label) -> bool:
    """Whether two transitions that follow each other are from different fragments."""
    return before.run != after.run or before.place + 1 != after.place


@dataclass(frozen=True, slots=True)
class Splice:
    """A path of the transition system, as a run that is predicted; `source` is the run of its first fragment."""

    run: SuiteRun
    source: int

    @property
    def covered(self) -> int:
        return self.run.covered


class TransitionSystem:
    """The transitions of some runs, by the state they begin in; all runs begin in the same state.

    Runs with another state after their launch than the first run cannot be spliced with it, and are left out.
    """

    def __init__(self, runs: Sequence[SuiteRun], fragments: int) -> None:
        self.runs = tuple(runs)
        self.fragments = fragments
        self.start: StateId | None = runs[0].steps[0].state if runs else None
        self._from: dict[StateId, list[Label]] = {}
        for number, run in enumerate(self.runs):
            if run.steps[0].state != self.start:
                continue
            for place in range(1, len(run.steps)):
                self._from.setdefault(run.steps[place - 1].state, []).append(Label(number, place))

    def step(self, label: Label) -> RunStep:
        return self.runs[label.run].steps[label.place]

    def paths(self) -> Iterator[tuple[Label, ...]]:
        """All non-empty paths with fewer switches than fragments, depth first, a path before its extensions."""
        if self.start is None:
            return
        stack: list[tuple[tuple[Label, ...], int]] = [
            ((label,), 0) for label in reversed(self._from.get(self.start, []))
        ]
        while stack:
            path, switches = stack.pop()
            yield path
            last = path[-1]
            for label in reversed(self._from.get(self.step(last).state, [])):
                after = switches + is_switch(last, label)
                if after < self.fragments:
                    stack.append(((*path, label), after))

    def splices(self, limit: int = MOST_PATHS) -> list[Splice] | None:
        """T_k without duplicates, in the order of `paths`; None if there are more paths than the limit."""
        found: dict[tuple[RunStep, ...], Splice] = {}
        for number, path in enumerate(self.paths()):
            if number >= limit:
                return None
            splice = self._splice(path)
            found.setdefault(splice.run.steps, splice)
        return list(found.values())

    def _splice(self, path: Sequence[Label]) -> Splice:
        first = self.runs[path[0].run]
        return Splice(SuiteRun(first.world, (first.steps[0], *map(self.step, path))), path[0].run)

    def best(self, wanted: int, width: int = BEAM_WIDTH) -> list[Splice]:
        """Paths that cover much of what is wanted, found by a beam search; the best first.

        A fragment has at most as many steps as keep the search within `MOST_BEAM_STEPS`.
        """
        beams: dict[StateId, list[_Beam]] = {}
        ends: list[_Beam] = []
        if self.start is None:
            return []
        longest = max(SHORTEST_CAP, MOST_BEAM_STEPS // (width * max(1, sum(map(len, self._from.values())))))
        gained = self.runs[0].steps[0].covered & wanted
        beams[self.start] = [_Beam(gained.bit_count(), 0, 0, gained, None, None)]
        serial = 0
        for _ in range(self.fragments):
            following: dict[StateId, list[_Beam]] = {}
            for state, entries in beams.items():
                for label in self._from.get(state, []):
                    if not entries:
                        continue
                    for entry in entries:
                        if entry.label is not None and not is_switch(entry.label, label):
                            continue
                        node = entry
                        run = self.runs[label.run]
                        for place in range(label.place, min(len(run.steps), label.place + longest)):
                            step = run.steps[place]
                            gained = node.gained | (step.covered & wanted)
                            serial += 1
                            gain = gained.bit_count()
                            adds = gain > node.gain
                            node = _Beam(gain, node.cost + 1, serial, gained, node, Label(label.run, place))
                            _keep(following.setdefault(step.state, []), node, width)
                            if adds:
                                _keep(ends, node, width * 4)
            beams = following
        splices: dict[tuple[int, ...], Splice] = {}
        for end in sorted(ends, reverse=True):
            splice = self._splice(end.path())
            splices.setdefault(splice.run.actions, splice)
        return list(splices.values())


@dataclass(frozen=True, slots=True)
class _Beam:
    """A partial path; of two, the one with more gain is greater, of equals the one with less cost."""

    gain: int
    cost: int
    serial: int
    gained: int
    parent: _Beam | None
    label: Label | None

    def __lt__(self, other: _Beam) -> bool:
        return (self.gain, -self.cost, -self.serial) < (other.gain, -other.cost, -other.serial)

    def path(self) -> list[Label]:
        labels: list[Label] = []
        node: _Beam | None = self
        while node is not None and node.label is not None:
            labels.append(node.label)
            node = node.parent
        labels.reverse()
        return labels


def _keep(heap: list[_Beam], node: _Beam, width: int) -> None:
    """Keeps the node if it is among the `width` best; of several with the same gain the first one stays."""
    if len(heap) < width:
        heapq.heappush(heap, node)
    elif heap[0] < node:
        heapq.heapreplace(heap, node)

"""StateGraph: the states an exploration has seen, the transitions between them, and the ways that led there."""

from __future__ import annotations

import hashlib
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TypeAlias

from fewtaps.model.event import Event
from fewtaps.model.state import StateId

MAX_WAYS = 3
"""Ways to a state that are kept, the shortest ones."""
MAX_LOOP_FREE_PATHS = 2
"""Loop-free paths to a state that are kept beside them."""
MAX_FAILED_GUESSES = 2
"""Loop-free paths that led elsewhere after which no more are kept for a state: it depends on hidden state."""
MAX_EVENTS = 3
"""Different events of one transition that are kept, the first ones."""
MAX_STATES = 4_000
MAX_TRANSITIONS = 20_000
"""Beyond these numbers, some are dropped: some apps have a new state at every tick of a clock."""
MAX_INTERESTING = 2_000
"""Beyond this number interesting states are dropped too: their ways take memory."""


@dataclass(frozen=True, slots=True)
class Way:
    """Events that once led from a launch, which is not among them, to a state, and the world in which they did."""

    world: int
    events: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class StateInfo:
    """What is known of a state.

    `first_seen` is the number of the episode and of its step, `last_seen` the episode that entered it last; `visits`
    how often it was entered; `generated` how many interesting states were first entered from it; `returns` how often an
    episode began by returning to it, and `idle_returns` how many of the last ones in a row ran no new code. `ways` are
    the shortest that have led there, shortest first; `loop_free_paths` lack the events that seemed to make no
    difference, and were not tried yet.
    """

    activity: str | None
    first_seen: tuple[int, int]
    is_interesting: bool = False
    visits: int = 1
    generated: int = 0
    returns: int = 0
    idle_returns: int = 0
    ways: tuple[Way, ...] = ()
    loop_free_paths: tuple[Way, ...] = ()
    failed_guesses: int = 0
    last_seen: int = 0

    @property
    def shortest_way(self) -> Way | None:
        """The shortest way to try; None if none is left."""
        return min((*self.loop_free_paths[:1], *self.ways[:1]), key=_length, default=None)


@dataclass(frozen=True, slots=True)
class Transition:
    """One state followed another: how often, and by which events."""

    count: int
    events: tuple[Event, ...]


_NO_TRANSITIONS: Mapping[StateId, Transition] = MappingProxyType({})


Fitness: TypeAlias = Callable[[StateInfo], float]
"""How promising a state is; the least fit interesting states are dropped first."""


def _gain(info: StateInfo) -> float:
    return info.generated - info.visits


class StateGraph:
    """All that is known of states and transitions. What it holds are values; only the graph itself changes.

    A fork shares everything with its origin until one of them changes it, so forking costs no more than copying a
    table of references. The size is bounded: uninteresting states are dropped first, those not seen for longest before
    others; interesting states are dropped only if there are too many, those without a way and then the least fit.
    Which states are dropped depends on the calls and their order, and on nothing else.
    """

    def __init__(
        self,
        *,
        max_states: int = MAX_STATES,
        max_transitions: int = MAX_TRANSITIONS,
        max_interesting: int = MAX_INTERESTING,
        fitness: Fitness = _gain,
    ) -> None:
        self.seen = 0
        """How many different states were ever seen, those included that were dropped."""
        self._max_states = max_states
        self._max_transitions = max_transitions
        self._max_interesting = min(max_interesting, max_states * 3 // 4)
        self._fitness = fitness
        self._states: dict[StateId, StateInfo] = {}
        self._interesting: dict[StateId, None] = {}
        self._transitions: dict[StateId, dict[StateId, Transition]] = {}
        self._transition_count = 0
        self._by_visits: dict[int, int] = {}
        # The inner tables of transitions that no other graph shares.
        self._own: set[StateId] = set()
        self._forgotten = _Forgotten()

    def fork(self) -> StateGraph:
        """A graph that knows the same and changes on its own from here on."""
        graph = StateGraph(
            max_states=self._max_states,
            max_transitions=self._max_transitions,
            max_interesting=self._max_interesting,
            fitness=self._fitness,
        )
        graph.seen = self.seen
        graph._forgotten = self._forgotten
        graph._states = self._states.copy()
        graph._interesting = self._interesting.copy()
        graph._transitions = self._transitions.copy()
        graph._transition_count = self._transition_count
        graph._by_visits = self._by_visits.copy()
        self._own = set()
        return graph

    def __len__(self) -> int:
        return len(self._states)

    def __contains__(self, state: object) -> bool:
        return state in self._states

    def __getitem__(self, state: StateId) -> StateInfo:
        return self._states[state]

    @property
    def states(self) -> Mapping[StateId, StateInfo]:
        """All states, in the order in which they were first seen."""
        return MappingProxyType(self._states)

    @property
    def interesting(self) -> Iterator[StateId]:
        """The interesting states, in the order in which they were first seen."""
        return iter(self._interesting)

    def transitions(self, state: StateId) -> Mapping[StateId, Transition]:
        """The transitions from a state, by where they lead."""
        return self._transitions.get(state, _NO_TRANSITIONS)

    def visit(
        self, state: StateId, activity: str | None, first_seen: tuple[int, int], *, is_interesting: bool = False
    ) -> None:
        """The state was entered. Whether it is interesting is decided the first time.

        `first_seen` is the number of the episode and of its step, even if it was seen before.
        """
        info = self._states.get(state)
        if info is None:
            self._add(state, StateInfo(activity, first_seen, is_interesting, last_seen=first_seen[0]))
            return
        self._count_visits(info.visits, -1)
        self._count_visits(info.visits + 1, 1)
        self._states[state] = replace(info, visits=info.visits + 1, last_seen=first_seen[0])

    def move(self, source: StateId, target: StateId, event: Event) -> None:
        """The event led from one state to another; does nothing if one of them was dropped."""
        if source not in self._states or target not in self._states:
            return
        targets = self._transitions_to_change(source)
        known = targets.get(target)
        if known is None:
            targets[target] = Transition(1, (event,))
            self._transition_count += 1
            if self._transition_count > self._max_transitions:
                self._forget_transitions()
            return
        events = known.events
        if len(events) < MAX_EVENTS and event not in events:
            events = (*events, event)
        targets[target] = Transition(known.count + 1, events)

    def generate(self, source: StateId) -> None:
        """An interesting state was first entered from this one."""
        info = self._states.get(source)
        if info is not None:
            self._states[source] = replace(info, generated=info.generated + 1)

    def came_back(self, state: StateId, *, new_code: bool) -> None:
        """An episode began by returning to the state; `new_code` says that it ran new code."""
        info = self._states.get(state)
        if info is not None:
            idle = 0 if new_code else info.idle_returns + 1
            self._states[state] = replace(info, returns=info.returns + 1, idle_returns=idle)

    def wants_way(self, state: StateId, length: int) -> bool:
        """Whether a way of so many events to the state would be kept: only those to interesting states are."""
        info = self._states[state]
        return info.is_interesting and _fits(info.ways, MAX_WAYS, length)

    def wants_loop_free_path(self, state: StateId, length: int) -> bool:
        """As `wants_way`, for a loop-free path; it must be shorter than all ways that have led there."""
        info = self._states[state]
        if not info.is_interesting or info.failed_guesses >= MAX_FAILED_GUESSES:
            return False
        if info.ways and length >= _length(info.ways[0]):
            return False
        return _fits(info.loop_free_paths, MAX_LOOP_FREE_PATHS, length)

    def add_way(self, state: StateId, way: Way) -> None:
        """Keeps the way, which has led to the state, if it is among the shortest."""
        info = self._states[state]
        paths = tuple(each for each in info.loop_free_paths if _length(each) < _length(way))
        self._states[state] = replace(info, ways=_with(info.ways, way, MAX_WAYS), loop_free_paths=paths)

    def add_loop_free_path(self, state: StateId, way: Way) -> None:
        """Keeps a way that may lead to the state."""
        info = self._states[state]
        self._states[state] = replace(info, loop_free_paths=_with(info.loop_free_paths, way, MAX_LOOP_FREE_PATHS))

    def drop_ways(self, world: int, events: tuple[Event, ...], *, cut_short: bool) -> None:
        """Forgets ways that did not lead to their state: this one or, if it was cut short, all that begin with it.

        Such a return counts as idle: otherwise a way that is found again could fail without end.
        """

        def is_good(way: Way) -> bool:
            return not _begins_with(way, world, events, cut_short)

        for state in self._interesting:
            info = self._states[state]
            ways, loop_free_paths = tuple(filter(is_good, info.ways)), tuple(filter(is_good, info.loop_free_paths))
            if (ways, loop_free_paths) != (info.ways, info.loop_free_paths):
                failed = info.failed_guesses + len(info.loop_free_paths) - len(loop_free_paths)
                self._states[state] = replace(
                    info,
                    ways=ways,
                    loop_free_paths=loop_free_paths,
                    failed_guesses=failed,
                    idle_returns=info.idle_returns + 1,
                )

    def frequent_visits(self, share: float) -> float:
        """States with at least so many visits are, however ties are broken, among this share of the most visited."""
        room = share * len(self._states)
        bound = float("inf")
        for visits in sorted(self._by_visits, reverse=True):
            room -= self._by_visits[visits]
            if room < 0:
                break
            bound = visits
        return bound

    def _add(self, state: StateId, info: StateInfo) -> None:
        self.seen += state not in self._forgotten
        self._states[state] = info
        self._count_visits(info.visits, 1)
        if info.is_interesting:
            self._interesting[state] = None
            if len(self._interesting) > self._max_interesting:
                self._forget(self._least_fit(state))
        if len(self._states) > self._max_states:
            self._forget(self._long_unseen(state))

    def _count_visits(self, visits: int, change: int) -> None:
        count = self._by_visits.get(visits, 0) + change
        if count:
            self._by_visits[visits] = count
        else:
            del self._by_visits[visits]

    def _transitions_to_change(self, source: StateId) -> dict[StateId, Transition]:
        if source in self._own:
            return self._transitions[source]
        targets = dict(self._transitions.get(source, _NO_TRANSITIONS))
        self._transitions[source] = targets
        self._own.add(source)
        return targets

    def _least_fit(self, newest: StateId) -> list[StateId]:
        """A quarter of the interesting states: those without a way, then the least fit, the oldest first."""

        def rank(state: StateId) -> tuple[bool, bool, float]:
            way = self._states[state].shortest_way
            # The state after the launch is the most visited one, and so the least fit, but every episode passes it.
            return way is not None, way is not None and not way.events, self._fitness(self._states[state])

        # The sort is stable.
        candidates = sorted((state for state in self._interesting if state != newest), key=rank)
        return candidates[: len(self._interesting) - self._max_interesting * 3 // 4]

    def _long_unseen(self, newest: StateId) -> list[StateId]:
        """As many uninteresting states as free a quarter: those not seen for longest, of equal ones the rarest."""
        candidates = [state for state, info in self._states.items() if not info.is_interesting and state != newest]
        candidates.sort(key=lambda state: (self._states[state].last_seen, self._states[state].visits))
        return candidates[: len(self._states) - self._max_states * 3 // 4]

    def _forget(self, states: Iterable[StateId]) -> None:
        """Drops the states, with all transitions from and to them."""
        gone = set(states)
        for state in gone:
            self._count_visits(self._states.pop(state).visits, -1)
            self._interesting.pop(state, None)
        self._forgotten = self._forgotten.with_more(gone)
        self._keep_transitions(lambda source, target, _: source not in gone and target not in gone)

    def _forget_transitions(self) -> None:
        """Drops the quarter of all transitions that happened least often."""
        counts = sorted(each.count for targets in self._transitions.values() for each in targets.values())
        room = len(counts) // 4
        bound = counts[room]
        # Of those that happened as often as the last one to drop, the oldest are dropped.
        ties = room - bisect_left(counts, bound)

        def is_kept(source: StateId, target: StateId, transition: Transition) -> bool:
            nonlocal ties
            if transition.count == bound and ties > 0:
                ties -= 1
                return False
            return transition.count >= bound

        self._keep_transitions(is_kept)

    def _keep_transitions(self, is_kept: Callable[[StateId, StateId, Transition], bool]) -> None:
        transitions: dict[StateId, dict[StateId, Transition]] = {}
        for source, targets in self._transitions.items():
            kept = {target: each for target, each in targets.items() if is_kept(source, target, each)}
            if kept:
                transitions[source] = kept
        self._transitions = transitions
        self._own = set(transitions)
        self._transition_count = sum(map(len, transitions.values()))


class _Forgotten:
    """Eight bytes of each dropped state, so that a state which is seen again is not counted again. A value."""

    __slots__ = ("_hashes",)

    def __init__(self, hashes: array[int] | None = None) -> None:
        self._hashes = hashes if hashes is not None else array("q")

    def __contains__(self, state: StateId) -> bool:
        wanted = _stable_hash(state)
        place = bisect_left(self._hashes, wanted)
        return place < len(self._hashes) and self._hashes[place] == wanted

    def with_more(self, states: Iterable[StateId]) -> _Forgotten:
        """A new set that also holds these states."""
        return _Forgotten(array("q", sorted({*self._hashes, *map(_stable_hash, states)})))


def _stable_hash(state: StateId) -> int:
    """Eight bytes of the state, the same in every process; Python's own hash of a text differs between processes."""
    return int.from_bytes(hashlib.blake2b(state.encode(errors="surrogatepass"), digest_size=8).digest(), signed=True)


def _length(way: Way) -> int:
    return len(way.events)


def _fits(ways: tuple[Way, ...], most: int, length: int) -> bool:
    return len(ways) < most or length < _length(ways[-1])


def _with(ways: tuple[Way, ...], way: Way, most: int) -> tuple[Way, ...]:
    return ways if way in ways else tuple(sorted((*ways, way), key=_length)[:most])


def _begins_with(way: Way, world: int, events: tuple[Event, ...], cut_short: bool) -> bool:
    if way.world != world:
        return False
    return way.events[: len(events)] == events if cut_short else way.events == events

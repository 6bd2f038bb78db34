"""Who answers for a candidate: a device that plays it and a goal that judges the trace, or a predicate."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Generic, TypeAlias, TypeVar

from fewtaps.model.event import DoubleTap, Event, LongPress, Pinch, Swipe, Tap, event_to_json
from fewtaps.model.goal import Covers, Goal, Reaches, ReachesState, ShowsText, TellingGoal
from fewtaps.model.result import Verdict
from fewtaps.model.screen import Screen
from fewtaps.model.state import StateId, activity_state, content_state, layout_state
from fewtaps.model.trace import Ending, Step, Trace
from fewtaps.reducing.problem import Effect, Seen, Trait
from fewtaps.reducing.simplify import weight

T = TypeVar("T")

Events: TypeAlias = tuple[Event, ...]
"""What is played in one run, the launch first."""

Play: TypeAlias = Callable[[Sequence[Events]], Sequence[Trace]]
"""Plays candidates, perhaps several at once, and returns one trace for each, in their order."""

LAYERS: tuple[Callable[[Screen], StateId], ...] = (activity_state, layout_state, content_state)
"""What counts as a state, coarse to fine; the first is the papers'."""

MOVES = 1
"""The layer whose changes count as moves from screen to screen."""

_TELLING = {Effect.NONE: 0, Effect.TOUCHED: 1, Effect.HIDDEN: 2, Effect.SHOWN: 3, Effect.MOVED: 4}
"""What once changed the screen is no mystery, even where its code was new or another time nothing happened."""

_SEEN_ON_THE_WAY = (Reaches, ReachesState, ShowsText, Covers)
"""Goals that a part of a trace may meet; a crash is always at the end, and of a foreign goal nobody knows."""


class TraceOracle:
    """Plays candidates on a device. Items are the events after the launch, which no candidate can do without."""

    def __init__(self, original: Trace, goal: Goal, play: Play) -> None:
        self._original = original
        self._goal = goal
        self._play = play
        self._digests: dict[Event, bytes] = {}

    @property
    def layers(self) -> int:
        """Activities, layouts and contents."""
        return len(LAYERS)

    def judge(self, candidates: Sequence[Events]) -> Sequence[Seen]:
        """Plays all of them and judges what was seen."""
        launch = self._original.steps[0].event
        traces = self._play([(launch, *candidate) for candidate in candidates])
        return [self._seen(trace) for trace in traces]

    def states(self, trace: Trace | None, layer: int) -> Sequence[Hashable]:
        """The state before each event, by what the step before it showed."""
        state_of = LAYERS[layer]
        # Screens come back often, as the same object: ask once for each.
        asked: dict[int, StateId] = {}
        states: list[Hashable] = []
        for step in (trace or self._original).steps[:-1]:
            state = asked.get(id(step.after))
            if state is None:
                state = asked[id(step.after)] = state_of(step.after)
            states.append(state)
        return states

    def traits(self, trace: Trace | None) -> Sequence[Trait]:
        """What each event was done to, and what doing that was ever seen to do in the trace."""
        if trace is None:
            return ()
        actions = [action_of(step.event, before.after) for before, step in pairwise(trace.steps)]
        moved, shown = (self.states(trace, layer) for layer in (MOVES, len(LAYERS) - 1))
        effects: dict[ActionKey, Effect] = {}
        for place, action in enumerate(actions[:-1]):
            changes = (states[place] != states[place + 1] for states in (moved, shown))
            effect = _effect(action, trace.steps[place + 1], *changes)
            effects[action] = max(effect, effects.get(action, effect), key=_TELLING.__getitem__)
        return [Trait(action, effects.get(action, Effect.NONE)) for action in actions]

    def key(self, items: Sequence[Event]) -> str:
        """A hash of the events as JSON."""
        return content_key(items, self._digests)

    def weight(self, item: Event) -> int:
        """What `simplify` could still take away."""
        return weight(item)

    def _seen(self, trace: Trace) -> Seen:
        met = self._goal.met_by(trace)
        kept = self._until_met(trace) if met else trace
        last = kept.steps[-1]
        verdict = Verdict(
            met=met,
            length=len(kept.steps) - 1,
            end="" if last.ending.is_final else activity_state(last.after),
            crash=trace.crash.signature if trace.crash is not None else None,
            events=len(trace.steps),
        )
        # When a device died, nobody knows what the app would have done: true for now, and not for later.
        is_certain = trace.ending is not Ending.LOST
        # How a run ended by the device's death says more than what is missing in it.
        missed = self._goal.missed if is_certain and not met and isinstance(self._goal, TellingGoal) else ""
        return Seen(verdict, kept, is_certain, missed)

    def _until_met(self, trace: Trace) -> Trace:
        """The trace up to where the goal was first met. What was met stays met, so halving finds the place."""
        if not isinstance(self._goal, _SEEN_ON_THE_WAY):
            return trace
        missed, met = 0, len(trace.steps)
        while missed + 1 < met:
            middle = (missed + met) // 2
            if self._goal.met_by(replace(trace, steps=trace.steps[:middle])):
                met = middle
            else:
                missed = middle
        return replace(trace, steps=trace.steps[:met])


class PredicateOracle(Generic[T]):
    """Asks a predicate of a sequence. `states` are those before each item of the original, if there are any."""

    def __init__(
        self, predicate: Callable[[tuple[T, ...]], bool | Verdict], states: Sequence[Hashable] | None = None
    ) -> None:
        self._predicate = predicate
        self._given = states

    @property
    def layers(self) -> int:
        """One, if states were given."""
        return 0 if self._given is None else 1

    def judge(self, candidates: Sequence[tuple[T, ...]]) -> Sequence[Seen]:
        """Asks for each in turn."""
        return [Seen(self._verdict(candidate)) for candidate in candidates]

    def states(self, trace: Trace | None, layer: int) -> Sequence[Hashable]:
        """As they were given; without any, all items are in one state."""
        return self._given if self._given is not None else ()

    def traits(self, trace: Trace | None) -> Sequence[Trait]:
        """Nothing is known of items."""
        return ()

    def key(self, items: Sequence[T]) -> str:
        """A hash of how the items are written."""
        return hashlib.blake2b(repr(list(items)).encode(), digest_size=16).hexdigest()

    def weight(self, item: T) -> int:
        """Nothing is known of how plain an item is."""
        return 0

    def _verdict(self, candidate: tuple[T, ...]) -> Verdict:
        answer = self._predicate(candidate)
        if isinstance(answer, Verdict):
            return answer
        return Verdict(met=bool(answer), length=len(candidate), events=len(candidate))


@dataclass(frozen=True, slots=True)
class ActionKey:
    """What an event does: for a touch the gesture and the widget it is for, if there is one; else the event itself."""

    activity: str | None
    what: Event | str
    target: tuple[object, ...] | None = None

    @property
    def is_aimless(self) -> bool:
        """Whether it is a touch of nothing."""
        return isinstance(self.what, str) and self.target is None


def action_of(event: Event, before: Screen) -> ActionKey:
    """Names what an event does on the screen before it."""
    match event:
        case Tap() | LongPress() | DoubleTap() | Pinch():
            located = before.target_at(event.x, event.y)
        case Swipe():
            located = before.target_at(event.x1, event.y1)
        case _:
            return ActionKey(before.activity, event)
    if located is None or not located.widget.is_target:
        return ActionKey(before.activity, event.kind)
    return ActionKey(before.activity, event.kind, (located.path, located.widget.resource_id))


def _effect(action: ActionKey, step: Step, moved: bool, shown: bool) -> Effect:
    if moved:
        return Effect.MOVED
    if shown:
        return Effect.SHOWN
    if step.covered:
        return Effect.HIDDEN
    return Effect.NONE if action.is_aimless else Effect.TOUCHED


def content_key(events: Sequence[Event], digests: dict[Event, bytes] | None = None) -> str:
    """Names a sequence of events by its content, the same in every process; `digests` remembers single events."""
    remembered = {} if digests is None else digests
    parts: list[bytes] = []
    for event in events:
        part = remembered.get(event)
        if part is None:
            text = json.dumps(event_to_json(event), sort_keys=True, separators=(",", ":"))
            part = remembered[event] = hashlib.blake2b(text.encode(), digest_size=16).digest()
        parts.append(part)
    return hashlib.blake2b(b"".join(parts), digest_size=16).hexdigest()

"""Judges single runs: a device plays a candidate and a goal judges the trace, or a predicate is asked."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Generic, TypeAlias, TypeVar

from fewtaps.model.ending import Ending
from fewtaps.model.event import DoubleTap, Event, Launch, LongPress, Pinch, Swipe, Tap, event_to_json
from fewtaps.model.goal import Covers, Goal, Reaches, ReachesState, ShowsText, TellingGoal
from fewtaps.model.result import Verdict
from fewtaps.model.screen import Screen
from fewtaps.model.state import StateId, activity_state, content_state, layout_state
from fewtaps.model.trace import Step, Trace
from fewtaps.reducing.problem import Effect, Seen, Trait
from fewtaps.reducing.simplify import weight

T = TypeVar("T")

Events: TypeAlias = tuple[Event, ...]
"""The events of one run, the launch first."""

Play: TypeAlias = Callable[[Sequence[Events]], Sequence[Trace]]
"""Plays candidates, perhaps several at once, and returns one trace for each, in their order."""

LAYERS: tuple[Callable[[Screen], StateId], ...] = (activity_state, layout_state, content_state)
"""The abstractions of a screen that are used as states, coarse to fine; the first is that of the papers."""

MOVES = 1
"""The layer whose changes count as moves from screen to screen."""

_EFFECT_RANKS = {Effect.NONE: 0, Effect.TOUCHED: 1, Effect.HIDDEN: 2, Effect.SHOWN: 3, Effect.MOVED: 4}
"""Of several effects of one action the one with the highest rank counts.

An action that ever changed the screen has no hidden effect, even if its code was new or if another time it did nothing.
"""

_MET_ON_THE_WAY = (Reaches, ReachesState, ShowsText, Covers)
"""Goals that a beginning of a trace may meet. A crash is always at the end; of other goals it is not known."""


class TraceFacts:
    """Facts about the events of a trace after the launch. The launch is part of every run and is no item."""

    def __init__(self, original: Trace) -> None:
        self._original = original
        self._digests: dict[Event, bytes] = {}

    @property
    def launch(self) -> Event:
        """The event with which every run begins."""
        return self._original.steps[0].event

    @property
    def layers(self) -> int:
        """The number of layers: activities, layouts and contents."""
        return len(LAYERS)

    def states(self, trace: Trace | None, layer: int) -> Sequence[Hashable]:
        """The state before each event: that of the screen after the step before it."""
        state_of = LAYERS[layer]
        # The same screen object occurs in many steps: its state is computed once.
        asked: dict[int, StateId] = {}
        states: list[Hashable] = []
        for step in (trace or self._original).steps[:-1]:
            state = asked.get(id(step.after))
            if state is None:
                state = asked[id(step.after)] = state_of(step.after)
            states.append(state)
        return states

    def traits(self, trace: Trace | None) -> Sequence[Trait]:
        """The action of each event, and the effect that this action was ever seen to have in the trace."""
        if trace is None:
            return ()
        actions = [action_of(step.event, before.after) for before, step in pairwise(trace.steps)]
        moved, shown = (self.states(trace, layer) for layer in (MOVES, len(LAYERS) - 1))
        effects: dict[ActionKey, Effect] = {}
        for place, action in enumerate(actions[:-1]):
            changes = (states[place] != states[place + 1] for states in (moved, shown))
            effect = _effect(action, trace.steps[place + 1], *changes)
            effects[action] = max(effect, effects.get(action, effect), key=_EFFECT_RANKS.__getitem__)
        return [Trait(action, effects.get(action, Effect.NONE)) for action in actions]

    def key(self, items: Sequence[Event]) -> str:
        """A hash of the events as JSON, with the launch if it is not an ordinary one."""
        return run_key((self.launch, *items), self._digests)

    def weight(self, item: Event) -> int:
        """The weight that `simplify` reduces."""
        return weight(item)


class TraceOracle(TraceFacts):
    """Plays candidates of a trace on a device."""

    def __init__(self, original: Trace, goal: Goal, play: Play) -> None:
        super().__init__(original)
        self._goal = goal
        self._play = play

    def judge(self, candidates: Sequence[Events]) -> Sequence[Seen]:
        """Plays all of them and judges their traces."""
        traces = self._play([(self.launch, *candidate) for candidate in candidates])
        return [judge_trace(self._goal, trace) for trace in traces]


def judge_trace(goal: Goal, trace: Trace) -> Seen:
    """Whether a run met the goal, and the trace up to the step at which it did."""
    met = goal.met_by(trace)
    kept = _until_met(goal, trace) if met else trace
    last = kept.steps[-1]
    verdict = Verdict(
        met=met,
        length=len(kept.steps) - 1,
        end="" if last.ending.is_final else activity_state(last.after),
        crash=trace.crash.signature if trace.crash is not None else None,
        events=len(trace.steps),
    )
    # If the device died, the app might have gone on otherwise: the verdict counts now and is not stored.
    is_certain = trace.ending is not Ending.LOST
    # If the device died, the ending of the run explains more than the words of the goal.
    missed = goal.missed if is_certain and not met and isinstance(goal, TellingGoal) else ""
    return Seen(verdict, kept, is_certain, missed)


def _until_met(goal: Goal, trace: Trace) -> Trace:
    """The trace up to where the goal was first met. A goal that is met stays met, so halving finds the place."""
    if not isinstance(goal, _MET_ON_THE_WAY):
        return trace
    missed, met = 0, len(trace.steps)
    while missed + 1 < met:
        middle = (missed + met) // 2
        if goal.met_by(replace(trace, steps=trace.steps[:middle])):
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
        """Always empty: items have no actions."""
        return ()

    def key(self, items: Sequence[T]) -> str:
        """A hash of how the items are written."""
        return hashlib.blake2b(repr(list(items)).encode(), digest_size=16).hexdigest()

    def weight(self, item: T) -> int:
        """Always 0: there is nothing to simplify."""
        return 0

    def _verdict(self, candidate: tuple[T, ...]) -> Verdict:
        answer = self._predicate(candidate)
        if isinstance(answer, Verdict):
            return answer
        return Verdict(met=bool(answer), length=len(candidate), events=len(candidate))


@dataclass(frozen=True, slots=True)
class ActionKey:
    """The action of an event: for a touch the gesture and the widget it hits, if any; else the event itself."""

    activity: str | None
    what: Event | str
    target: tuple[object, ...] | None = None

    @property
    def is_aimless(self) -> bool:
        """Whether it is a touch that hits no widget."""
        return isinstance(self.what, str) and self.target is None


def action_of(event: Event, before: Screen) -> ActionKey:
    """The action of an event on the screen before it."""
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


def run_key(events: Sequence[Event], digests: dict[Event, bytes] | None = None) -> str:
    """Names a run by its events, of which the first is the launch; an ordinary launch does not count."""
    return content_key(events if events[0] != Launch() else events[1:], digests)


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

"""Observer: traces of the model as runs of a suite reduction, with numbers for events and for what is covered."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from fewtaps.model.coverage import Coverage, ProbeMap, ProbeSet
from fewtaps.model.ending import Ending
from fewtaps.model.event import DoubleTap, Event, LongPress, Pinch, Swipe, Tap, event_to_json
from fewtaps.model.state import StateId
from fewtaps.model.step_state import is_end, step_state
from fewtaps.model.suite import CoverageKind
from fewtaps.model.trace import Step, Trace
from fewtaps.suite.lists import long_lists
from fewtaps.suite.runs import LAUNCH, RunStep, SuiteRun

STATES_REMEMBERED = 4096
"""Screens whose state is cached: an abstraction walks through the whole tree of widgets."""


@dataclass(frozen=True, slots=True)
class StepFacts:
    """What a step showed, apart from its event: all that a suite reduction needs of it.

    `state` is None if the device was lost. `crash` is the signature of a crash that counts, None if there was none.
    `lists` names the lists that show two rows or more.
    """

    state: StateId | None
    covered: Coverage
    crash: str | None
    asked_world: bool
    lists: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Elements:
    """Elements of coverage by kind: code as probe numbers, the others by name."""

    code: Coverage
    states: tuple[StateId, ...]
    crashes: tuple[str, ...]
    lists: tuple[str, ...] = ()


class Observer:
    """Numbers events and what is seen in the order in which it first sees them; code has the numbers of its probes.

    `prelude` are events that every run begins with, after its launch: they belong to the first step of a run.
    """

    def __init__(
        self, kinds: Sequence[CoverageKind], abstraction: str, probes: ProbeMap | None, prelude: Sequence[Event] = ()
    ) -> None:
        self.kinds = tuple(kinds)
        self.abstraction = abstraction
        self.prelude = tuple(prelude)
        self._sizes = _sizes(probes if probes is not None else ProbeMap(), self.kinds)
        self._first_name = sum(self._sizes)
        self._names: dict[tuple[CoverageKind, str], int] = {}
        self._numbers: dict[str, int] = {}
        self._events: list[Event] = []
        self._ints: dict[int, int] = {}
        self._states: dict[int, tuple[object, StateId]] = {}
        self._lists: dict[int, tuple[object, tuple[str, ...]]] = {}

    def facts_of(self, step: Step) -> StepFacts:
        """What counts of a step. A crash that the device may have caused does not count."""
        crash = step.crash
        signature = crash.signature if crash is not None and crash.suspect is None else None
        asked = step.asked_world is not False
        return StepFacts(self._state(step), step.ran | step.covered, signature, asked, self._lists_of(step))

    def run_of(self, trace: Trace) -> SuiteRun:
        """The trace as a run, up to the step in which the device was lost; without steps if its prelude differs."""
        return self.run_from(trace.events[1:], [self.facts_of(step) for step in trace.steps], trace.world)

    def run_from(self, events: Sequence[Event], facts: Sequence[StepFacts], world: int) -> SuiteRun:
        """The run with these events after the launch, of which as many were played as there are facts."""
        begin = len(self.prelude)
        if not self.begins_with_prelude(events) or len(facts) <= begin:
            return SuiteRun(world, ())
        covered = 0
        steps: list[RunStep] = []
        for number, fact in enumerate(facts):
            if fact.state is None:
                break
            covered |= self._bits(fact)
            if number >= begin:
                action = LAUNCH if number == begin else self.action_of(events[number - 1])
                steps.append(RunStep(action, fact.state, self._ints.setdefault(covered, covered), fact.asked_world))
                covered = 0
        return SuiteRun(world, tuple(steps))

    def begins_with_prelude(self, events: Sequence[Event]) -> bool:
        """Whether the events after a launch begin with the prelude, wherever its widgets were on the screen."""
        first = events[: len(self.prelude)]
        return tuple(map(_without_place, first)) == tuple(map(_without_place, self.prelude))

    def action_of(self, event: Event) -> int:
        """The number of an event; events with the same JSON form are the same."""
        text = json.dumps(event_to_json(event))
        number = self._numbers.get(text)
        if number is None:
            number = self._numbers[text] = len(self._events)
            self._events.append(event)
        return number

    def events_of(self, actions: Sequence[int]) -> tuple[Event, ...]:
        """The prelude and the events of these numbers."""
        return (*self.prelude, *[self._events[action] for action in actions])

    def elements(self, bits: int) -> Elements:
        """What the bits of a run's coverage stand for."""
        parts: list[ProbeSet] = []
        for size in self._sizes:
            parts.append(ProbeSet(bits & ((1 << size) - 1)))
            bits >>= size
        named = [key for key, number in self._names.items() if bits >> number & 1]
        return Elements(
            Coverage(*parts),
            tuple(StateId(name) for kind, name in named if kind is CoverageKind.SCREENS),
            tuple(name for kind, name in named if kind is CoverageKind.CRASHES),
            tuple(name for kind, name in named if kind is CoverageKind.LISTS),
        )

    def _bits(self, fact: StepFacts) -> int:
        bits = 0
        offset = 0
        code = fact.covered
        for size, part in zip(self._sizes, (code.branches, code.lines, code.methods), strict=True):
            if size:
                bits |= (part.bits & ((1 << size) - 1)) << offset
            offset += size
        if CoverageKind.SCREENS in self.kinds and fact.state is not None and not is_end(fact.state):
            bits |= self._name(CoverageKind.SCREENS, fact.state)
        if CoverageKind.CRASHES in self.kinds and fact.crash is not None:
            bits |= self._name(CoverageKind.CRASHES, fact.crash)
        if CoverageKind.LISTS in self.kinds:
            for name in fact.lists:
                bits |= self._name(CoverageKind.LISTS, name)
        return bits

    def _name(self, kind: CoverageKind, name: str) -> int:
        return 1 << (self._first_name + self._names.setdefault((kind, name), len(self._names)))

    def _state(self, step: Step) -> StateId | None:
        if step.ending is not Ending.RUNNING:
            return step_state(step, self.abstraction)
        key = id(step.after)
        known = self._states.get(key)
        if known is not None and known[0] is step.after:
            return known[1]
        state = step_state(step, self.abstraction)
        if len(self._states) >= STATES_REMEMBERED:
            self._states.clear()
        if state is not None:
            self._states[key] = (step.after, state)
        return state

    def _lists_of(self, step: Step) -> tuple[str, ...]:
        if step.ending is not Ending.RUNNING:
            return ()
        key = id(step.after)
        known = self._lists.get(key)
        if known is not None and known[0] is step.after:
            return known[1]
        if len(self._lists) >= STATES_REMEMBERED:
            self._lists.clear()
        lists = long_lists(step.after)
        self._lists[key] = (step.after, lists)
        return lists


def _without_place(event: Event) -> Event:
    """The event without its place on the screen, if its selector names a widget."""
    selector = getattr(event, "selector", None)
    if selector is None or selector.is_empty:
        return event
    match event:
        case Tap() | LongPress() | DoubleTap() | Pinch():
            return replace(event, x=0, y=0)
        case Swipe():
            return replace(event, x1=0, y1=0, x2=event.x2 - event.x1, y2=event.y2 - event.y1)
    return event


def _sizes(probes: ProbeMap, kinds: Sequence[CoverageKind]) -> tuple[int, int, int]:
    branches = lines = methods = 0
    for each in probes.classes:
        branches = max(branches, *[probe.number + 1 for probe in each.branches], 0)
        lines = max(lines, *[probe.number + 1 for probe in each.lines], 0)
        methods = max(methods, *[probe.number + 1 for probe in each.methods], 0)
    return (
        branches if CoverageKind.BRANCHES in kinds else 0,
        lines if CoverageKind.LINES in kinds else 0,
        methods if CoverageKind.METHODS in kinds else 0,
    )

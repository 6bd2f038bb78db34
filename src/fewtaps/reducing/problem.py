"""What is being reduced: the best so far, the runs already seen, and the one door through which a better one comes in.

Passes propose candidates, and only `Problem` accepts one. It never runs the same content twice, counts what one device
would have spent, and announces each improvement so that it can be kept.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Hashable, Iterable, MutableMapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from hashlib import blake2b
from typing import Generic, Protocol, TypeAlias, TypeVar

from fewtaps.budget import Budget
from fewtaps.errors import NotReproduced
from fewtaps.model.event import printable
from fewtaps.model.result import ReductionProgress, Stage, Verdict
from fewtaps.model.trace import Trace

T = TypeVar("T")
Asked = TypeVar("Asked", contravariant=True)

Candidate: TypeAlias = tuple[int, ...]
"""Numbers of items, in the order in which they are to be played."""

Accepts: TypeAlias = Callable[[Verdict], bool]


@dataclass(frozen=True, slots=True)
class Seen:
    """A run: its verdict and, where there is one, its trace. One that is not `certain` is not remembered for later.

    `missed` says what is missing where a goal was not met, if the goal has words for it.
    """

    verdict: Verdict
    trace: Trace | None = None
    certain: bool = True
    missed: str = ""


@dataclass(frozen=True, slots=True)
class AcceptedCandidate:
    """An accepted candidate, and which one of those proposed it was, from 0."""

    index: int
    candidate: Candidate
    verdict: Verdict

    @property
    def is_whole(self) -> bool:
        """Whether all of the candidate was played: it met the goal at its end, not before."""
        return self.verdict.length == len(self.candidate)


class Effect(IntEnum):
    """What doing something was ever seen to do, the most telling first."""

    HIDDEN = 0
    """It ran code that had not run before, and nothing on the screen changed: something may have been remembered."""
    MOVED = 1
    """It led to another screen."""
    SHOWN = 2
    """It changed what a screen shows."""
    TOUCHED = 3
    """Nothing that could be seen, but there is a widget that takes touches, or it was no touch at all."""
    NONE = 4
    """Nothing at all: a touch of nothing."""


@dataclass(frozen=True, slots=True)
class Trait:
    """What an item is about: equal actions do the same to the same thing, and have one effect."""

    action: Hashable
    effect: Effect


class Oracle(Protocol[Asked]):
    """Answers for candidates: plays them, or asks a predicate."""

    @property
    def layers(self) -> int:
        """How many abstractions of states there are, coarse to fine; 0 if states are not known at all."""
        ...

    def judge(self, candidates: Sequence[tuple[Asked, ...]]) -> Sequence[Seen]:
        """One answer per candidate, in their order; it may work on several at once."""
        ...

    def states(self, trace: Trace | None, layer: int) -> Sequence[Hashable]:
        """The state before each item of a trace; without a trace, before each item of the original."""
        ...

    def traits(self, trace: Trace | None) -> Sequence[Trait]:
        """What is known of each item of a trace; nothing if there is no trace."""
        ...

    def key(self, items: Sequence[Asked]) -> str:
        """Names the content of a candidate, the same in every process."""
        ...

    def weight(self, item: Asked) -> int:
        """How much there is to simplify in an item; 0 if nothing."""
        ...


def is_met(verdict: Verdict) -> bool:
    """The usual question: was the goal met?"""
    return verdict.met


class Problem(Generic[T]):
    """The best sequence so far, and everything needed to find a better one.

    Its items have numbers; equal items at different places have different numbers and one content. `known` remembers
    verdicts by content and may outlive the process. With a `batch` above 1, candidates that will probably be asked for
    are judged ahead, so many at once; what is found and what is counted stay the same.
    """

    def __init__(
        self,
        items: Sequence[T],
        oracle: Oracle[T],
        *,
        batch: int = 1,
        budget: Budget | None = None,
        known: MutableMapping[str, Verdict] | None = None,
    ) -> None:
        self._oracle = oracle
        self._items: list[T] = []
        self._contents: list[int] = []
        self._content_numbers: dict[object, int] = {}
        self.best: Candidate = tuple(self.add(item) for item in items)
        self.trace: Trace | None = None
        self.runs = self.events = self.known = 0
        self.stages: list[Stage] = []
        self.findings: dict[str, Trace] = {}
        self._batch = max(1, batch)
        self._budget = budget or Budget()
        self._remembered = known
        self.stage = "original"
        self.on_better: Callable[[], None] = _nobody_hears
        self.on_run: Callable[[ReductionProgress], None] = _nobody_watches
        self._verdicts: dict[bytes, Verdict] = {}
        self._ahead: dict[bytes, Seen] = {}
        self._states: dict[int, dict[int, Hashable]] = {}
        self._has_traces = False

    # What there is.

    def add(self, item: T) -> int:
        """The number of a new item."""
        try:
            # The type counts too: 1 and True are equal, and not the same.
            content = self._content_numbers.setdefault((type(item), item), len(self._items))
        except TypeError:  # It cannot be hashed, so it is like no other.
            content = len(self._items)
        self._items.append(item)
        self._contents.append(content)
        return len(self._items) - 1

    def item(self, number: int) -> T:
        """The item with a number."""
        return self._items[number]

    def items(self, candidate: Candidate) -> tuple[T, ...]:
        """The items of a candidate."""
        return tuple([self._items[number] for number in candidate])

    @property
    def layers(self) -> int:
        """How many abstractions of states there are, coarse to fine."""
        return self._oracle.layers

    def states(self, layer: int = 0) -> tuple[Hashable, ...]:
        """The state before each item of the best; where nobody looked, what the item's last run showed."""
        known = self._states.get(layer)
        if known is None:
            original = range(len(self._contents))
            known = self._states[layer] = dict(zip(original, self._oracle.states(None, layer), strict=False))
            if self.trace is not None:
                known.update(zip(self.best, self._oracle.states(self.trace, layer), strict=False))
        return tuple([known.get(number) for number in self.best])

    def traits(self) -> Sequence[Trait]:
        """What is known of each item of the best; nothing if nobody watched it."""
        return self._oracle.traits(self.trace)

    # What is asked.

    def start(self) -> None:
        """Judges the original. Raises NotReproduced if it does not meet the goal."""
        self._budget.check()
        original = self.best
        seen = self._oracle.judge([self.items(original)])[0]
        self._count(original, seen)
        if not seen.verdict.met:
            traces = [seen.trace] if seen.trace is not None else []
            raise NotReproduced(f"the original does not meet the goal{_instead(seen)}", traces)
        self._remember(original, seen.verdict)
        self._has_traces = seen.trace is not None
        self._accept(original[: seen.verdict.length], seen.trace)
        self._tell(len(original), True)

    def first(self, candidates: Iterable[Candidate], accepts: Accepts = is_met) -> AcceptedCandidate | None:
        """The first candidate, in their order, whose verdict is accepted; None if none is.

        Raises BudgetSpent when a run is needed that the budget does not allow.
        """
        source = iter(candidates)
        waiting: deque[Candidate] = deque()
        index = 0
        while True:
            while len(waiting) < self._batch and (candidate := next(source, None)) is not None:
                waiting.append(candidate)
            if not waiting:
                return None
            self._play_ahead(waiting)
            candidate = waiting.popleft()
            verdict = self._settle(candidate)
            if accepts(verdict):
                return AcceptedCandidate(index, candidate, verdict)
            index += 1

    def confirm(self) -> None:
        """Plays the best once more if its verdict was only remembered, so that there is a trace of it.

        Raises NotReproduced if it does not meet the goal: what was remembered no longer holds.
        """
        if self.trace is not None or not self._has_traces:
            return
        self._budget.check(self)
        seen = self._oracle.judge([self.items(self.best)])[0]
        self._count(self.best, seen)
        if not seen.verdict.met:
            traces = [seen.trace] if seen.trace is not None else []
            raise NotReproduced("the best sequence known from earlier runs does not meet the goal", traces)
        self._accept(self.best, seen.trace)

    def is_known_to_miss(self, candidate: Candidate) -> bool:
        """Whether the candidate was tried and did not meet the goal."""
        verdict = self._recalled(candidate)
        return verdict is not None and not verdict.met

    def _content(self, candidate: Candidate) -> bytes:
        """Names the content, in this process. A hash, because a long reduction tries thousands of long candidates."""
        contents = self._contents
        numbers = array("Q", [contents[number] for number in candidate])
        return blake2b(numbers.tobytes(), digest_size=16).digest()

    def _play_ahead(self, waiting: Sequence[Candidate]) -> None:
        """Judges the first candidate if that is still to be done, and then the others in the same go."""
        if self._recalled(waiting[0]) is not None:
            return
        self._budget.check(self)
        contents = {self._content(candidate): candidate for candidate in waiting}
        if next(iter(contents)) in self._ahead:
            return
        wanted = {
            content: candidate
            for content, candidate in contents.items()
            if content not in self._ahead and self._recalled(candidate) is None
        }
        seen = self._oracle.judge([self.items(candidate) for candidate in wanted.values()])
        self._ahead.update(zip(wanted, map(_without_needless_trace, seen), strict=True))

    def _recalled(self, candidate: Candidate) -> Verdict | None:
        verdict = self._verdicts.get(self._content(candidate))
        if verdict is None and self._remembered is not None:
            return self._remembered.get(self._oracle.key(self.items(candidate)))
        return verdict

    def _settle(self, candidate: Candidate) -> Verdict:
        """The verdict, now that it is asked for; counts the run as if it had just been made."""
        seen = self._ahead.pop(self._content(candidate), None)
        if seen is None:
            verdict = self._recalled(candidate)
            assert verdict is not None, "candidates are played before they are settled"
            self.known += 1
            self._take_note(candidate, Seen(verdict))
            return verdict
        self._count(candidate, seen)
        self._take_note(candidate, seen)
        self._tell(len(candidate), seen.verdict.met)
        return seen.verdict

    def _take_note(self, candidate: Candidate, seen: Seen) -> None:
        self._remember(candidate, seen.verdict)
        if seen.verdict.met:
            self._consider(candidate[: seen.verdict.length], seen.trace)

    def _count(self, candidate: Candidate, seen: Seen) -> None:
        self.runs += 1
        self.events += seen.verdict.events
        self._budget.spend(runs=1, events=seen.verdict.events)
        if self._remembered is not None and seen.certain:
            self._remembered[self._oracle.key(self.items(candidate))] = seen.verdict
        crash = seen.verdict.crash
        if crash is not None and not seen.verdict.met and seen.trace is not None:
            found = self.findings.get(crash)
            if found is None or len(seen.trace.steps) < len(found.steps):
                self.findings[crash] = seen.trace

    def _tell(self, candidate: int, met: bool) -> None:
        self.on_run(ReductionProgress(self.stage, candidate, met, len(self.best), self.runs, self.events))

    def _remember(self, candidate: Candidate, verdict: Verdict) -> None:
        self._verdicts[self._content(candidate)] = verdict
        # What came after the end was never reached: without it, the run would have been the same.
        if verdict.met and verdict.length < len(candidate):
            self._verdicts.setdefault(self._content(candidate[: verdict.length]), verdict)

    def _consider(self, candidate: Candidate, trace: Trace | None) -> None:
        """The door: what meets the goal is let in if it is shorter than the best, or as short but plainer."""
        if len(candidate) > len(self.best):
            return
        if len(candidate) < len(self.best) or self._weight(candidate) < self._weight(self.best):
            self._accept(candidate, trace)

    def _accept(self, candidate: Candidate, trace: Trace | None) -> None:
        self.best, self.trace = candidate, trace
        if trace is not None:
            for layer, known in self._states.items():
                known.update(zip(candidate, self._oracle.states(trace, layer), strict=False))
        self.on_better()

    def _weight(self, candidate: Candidate) -> int:
        return sum([self._oracle.weight(self._items[number]) for number in candidate])


def _without_needless_trace(seen: Seen) -> Seen:
    """What was judged ahead may never be asked for; only a trace that would then be kept is worth its memory."""
    return seen if seen.verdict.met or seen.verdict.crash is not None else replace(seen, trace=None)


def _nobody_hears() -> None:
    pass


def _nobody_watches(progress: ReductionProgress) -> None:
    pass


def _instead(seen: Seen) -> str:
    if seen.missed:
        return f": {seen.missed}"
    if seen.trace is None:
        return ""
    if seen.verdict.crash is not None:
        return f": it crashed otherwise, {printable(seen.verdict.crash, 160)}"
    played = seen.verdict.length
    return f": after {played} event{'s' if played != 1 else ''} the app is {seen.trace.ending.value}"

"""The state of a reduction: the best sequence so far, and the only place that replaces it by a better one.

Passes propose candidates to a `Problem`. The problem asks its verdict source, accepts what is better than the best, and
announces each improvement so that it can be stored. A verdict source answers by one run per candidate (`SingleRuns`) or
by repeated runs (`fewtaps.reducing.repeated.runs.RepeatedRuns`).
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from hashlib import blake2b
from typing import Generic, Protocol, TypeAlias, TypeVar

from fewtaps.errors import NotReproduced
from fewtaps.model.event import printable
from fewtaps.model.result import ReductionProgress, Stage, Verdict
from fewtaps.model.trace import Trace

T = TypeVar("T")
Item = TypeVar("Item", contravariant=True)

Candidate: TypeAlias = tuple[int, ...]
"""Numbers of items, in the order in which they are to be played."""

Accepts: TypeAlias = Callable[[Verdict], bool]

NUMBER_BYTES = 8
"""Bytes of one number in `Proposal.content`."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A run: its verdict and, where there is one, its trace. A verdict that is not `certain` is not stored.

    `missed` says what is missing where a goal was not met, if the goal has words for it.
    """

    verdict: Verdict
    trace: Trace | None = None
    certain: bool = True
    missed: str = ""


@dataclass(frozen=True, slots=True)
class AcceptedCandidate:
    """An accepted candidate, and its place among the proposed ones, from 0."""

    index: int
    candidate: Candidate
    verdict: Verdict

    @property
    def is_whole(self) -> bool:
        """Whether all of the candidate was played: it met the goal at its end, not before."""
        return self.verdict.length == len(self.candidate)


class Effect(IntEnum):
    """The effect that an action was ever seen to have, the most informative first."""

    HIDDEN = 0
    """It ran code that had not run before, and the screen did not change: the app may have stored something."""
    MOVED = 1
    """It led to another screen."""
    SHOWN = 2
    """It changed what a screen shows."""
    TOUCHED = 3
    """Nothing visible, but it touched a widget that takes touches, or it was no touch."""
    NONE = 4
    """Nothing visible, and it touched no widget."""


@dataclass(frozen=True, slots=True)
class Trait:
    """The action of an item and its effect; items with equal actions have one effect."""

    action: Hashable
    effect: Effect


class ItemFacts(Protocol[Item]):
    """Facts about items that need no further run."""

    @property
    def layers(self) -> int:
        """How many abstractions of states there are, coarse to fine; 0 if states are not known at all."""
        ...

    def states(self, trace: Trace | None, layer: int) -> Sequence[Hashable]:
        """The state before each item of a trace; without a trace, before each item of the original."""
        ...

    def traits(self, trace: Trace | None) -> Sequence[Trait]:
        """Action and effect of each item of a trace; empty without a trace."""
        ...

    def key(self, items: Sequence[Item]) -> str:
        """Names the content of a candidate, the same in every process."""
        ...

    def weight(self, item: Item) -> int:
        """How much there is to simplify in an item; 0 if nothing."""
        ...


class Proposal(Generic[T]):
    """A candidate with its items. Proposals of equal content have equal digests, in one process."""

    __slots__ = ("candidate", "content", "digest", "items")

    def __init__(self, candidate: Candidate, items: tuple[T, ...], content: bytes) -> None:
        self.candidate = candidate
        self.items = items
        self.content = content
        # A digest instead of the content, because a long reduction remembers thousands of long candidates.
        self.digest = blake2b(content, digest_size=16).digest()

    def until(self, length: int) -> Proposal[T]:
        """The first `length` items of it."""
        if length >= len(self.candidate):
            return self
        return Proposal(self.candidate[:length], self.items[:length], self.content[: length * NUMBER_BYTES])


@dataclass(frozen=True, slots=True)
class EarlierBest:
    """A candidate that was the best before and is to be it again, with a trace of it if there is one."""

    candidate: Candidate
    trace: Trace | None


@dataclass(frozen=True, slots=True)
class Judged:
    """The answer of a verdict source. `is_new` says that it took a run; otherwise it was known before.

    `back_to` is set when the source found out that the best one does not meet the goal after all.
    """

    seen: Seen
    is_new: bool = True
    back_to: EarlierBest | None = None


class VerdictSource(Protocol[T]):
    """Says whether candidates meet the goal, and counts the runs for it."""

    @property
    def facts(self) -> ItemFacts[T]:
        """The facts about the items."""
        ...

    @property
    def lookahead(self) -> int:
        """How many candidates the source can use at once: the one that is asked about, and those that follow it."""
        ...

    @property
    def runs(self) -> int:
        """The runs that were counted."""
        ...

    @property
    def events(self) -> int:
        """The events that were played in them."""
        ...

    @property
    def findings(self) -> Mapping[str, Trace]:
        """Crashes of another kind than the goal's: the shortest trace of each, by signature."""
        ...

    def judge_original(self, original: Proposal[T]) -> Judged:
        """The verdict on the sequence that is to be reduced."""
        ...

    def judge(self, proposal: Proposal[T], following: Sequence[Proposal[T]]) -> Judged:
        """The verdict on a candidate; those that follow it may be run at the same time.

        Raises BudgetSpent when a run is needed that the budget does not allow.
        """
        ...

    def recall(self, proposal: Proposal[T]) -> Verdict | None:
        """The verdict if it is known already; makes no run."""
        ...

    def replay(self, proposal: Proposal[T]) -> Seen:
        """Runs a candidate whose verdict is known once more, so that there is a trace of it."""
        ...

    def accepted(self, proposal: Proposal[T]) -> None:
        """Takes note that this candidate is the best now."""
        ...


def is_met(verdict: Verdict) -> bool:
    """Accepts every candidate that meets the goal."""
    return verdict.met


class Problem(Generic[T]):
    """The best sequence so far, and everything that is needed to find a better one.

    Its items have numbers; equal items at different places have different numbers and one content.
    """

    def __init__(self, items: Sequence[T], source: VerdictSource[T]) -> None:
        self._source = source
        self._items: list[T] = []
        self._contents: list[int] = []
        self._content_numbers: dict[object, int] = {}
        self.best: Candidate = tuple(self.add(item) for item in items)
        self.trace: Trace | None = None
        self.known = 0
        """How many verdicts were known without a run."""
        self.stages: list[Stage] = []
        self.stage = "original"
        self.on_better: Callable[[], None] = _ignore_better
        """Called after the best was replaced, also by an earlier one."""
        self.on_run: Callable[[ReductionProgress], None] = _ignore_run
        """Called after each new verdict."""
        self.on_back: Callable[[Candidate], None] = _ignore_back
        """Called after the source went back to an earlier best, with the numbers that are in the best again."""
        self._states: dict[int, dict[int, Hashable]] = {}
        self._has_traces = False

    # Items.

    def add(self, item: T) -> int:
        """The number of a new item."""
        try:
            # The type is part of the content: 1 and True are equal, and not the same.
            content = self._content_numbers.setdefault((type(item), item), len(self._items))
        except TypeError:  # It cannot be hashed, so its content is its own.
            content = len(self._items)
        self._items.append(item)
        self._contents.append(content)
        return len(self._items) - 1

    def item(self, number: int) -> T:
        """The item of the original with this number, counted from 0."""
        return self._items[number]

    def items(self, candidate: Candidate) -> tuple[T, ...]:
        """The items that a candidate keeps, in the order of the original."""
        return tuple([self._items[number] for number in candidate])

    @property
    def layers(self) -> int:
        """How many abstractions of states there are, coarse to fine."""
        return self._source.facts.layers

    def states(self, layer: int = 0) -> tuple[Hashable, ...]:
        """The state before each item of the best; without a trace of it, what the item's last run showed."""
        known = self._states.get(layer)
        if known is None:
            original = range(len(self._contents))
            known = self._states[layer] = dict(zip(original, self._source.facts.states(None, layer), strict=False))
            if self.trace is not None:
                known.update(zip(self.best, self._source.facts.states(self.trace, layer), strict=False))
        return tuple([known.get(number) for number in self.best])

    def traits(self) -> Sequence[Trait]:
        """Action and effect of each item of the best; empty if there is no trace of it."""
        return self._source.facts.traits(self.trace)

    # Costs and findings.

    @property
    def runs(self) -> int:
        """The number of runs so far."""
        return self._source.runs

    @property
    def events(self) -> int:
        """The events that were played in them."""
        return self._source.events

    @property
    def findings(self) -> Mapping[str, Trace]:
        """Crashes of another kind than the goal's, by signature."""
        return self._source.findings

    # Verdicts.

    def start(self) -> None:
        """Judges the original. Raises NotReproduced if it does not meet the goal."""
        original = self._proposal(self.best)
        judged = self._source.judge_original(original)
        seen = judged.seen
        if not seen.verdict.met:
            traces = [seen.trace] if seen.trace is not None else []
            raise NotReproduced(f"the original does not meet the goal{_instead(seen)}", traces)
        self._has_traces = seen.trace is not None
        self._accept(original.until(seen.verdict.length), seen.trace)
        if judged.is_new:
            self._tell(len(original.candidate), True)

    def first(self, candidates: Iterable[Candidate], accepts: Accepts = is_met) -> AcceptedCandidate | None:
        """The first candidate, in their order, whose verdict is accepted; None if none is.

        Raises BudgetSpent when a run is needed that the budget does not allow.
        """
        drawn = iter(candidates)
        waiting: deque[Proposal[T]] = deque()
        index = 0
        while True:
            while len(waiting) < self._source.lookahead and (candidate := next(drawn, None)) is not None:
                waiting.append(self._proposal(candidate))
            if not waiting:
                return None
            proposal = waiting.popleft()
            verdict = self._judge(proposal, tuple(waiting))
            if accepts(verdict):
                return AcceptedCandidate(index, proposal.candidate, verdict)
            index += 1

    def confirm(self) -> None:
        """Runs the best once more if its verdict was only remembered, so that there is a trace of it.

        Raises NotReproduced if it does not meet the goal: what was remembered no longer holds.
        """
        if self.trace is not None or not self._has_traces:
            return
        best = self._proposal(self.best)
        seen = self._source.replay(best)
        if not seen.verdict.met:
            traces = [seen.trace] if seen.trace is not None else []
            raise NotReproduced("the best sequence known from earlier runs does not meet the goal", traces)
        self._accept(best, seen.trace)

    def is_known_to_miss(self, candidate: Candidate) -> bool:
        """Whether the candidate was tried and did not meet the goal."""
        verdict = self._source.recall(self._proposal(candidate))
        return verdict is not None and not verdict.met

    def go_back(self, earlier: EarlierBest) -> None:
        """Makes an earlier best the best again, because the source no longer believes in the one after it."""
        self.best, self.trace = earlier.candidate, earlier.trace
        self.on_better()

    def _proposal(self, candidate: Candidate) -> Proposal[T]:
        contents = self._contents
        numbers = array("Q", [contents[number] for number in candidate])
        return Proposal(candidate, self.items(candidate), numbers.tobytes())

    def _judge(self, proposal: Proposal[T], following: Sequence[Proposal[T]]) -> Verdict:
        judged = self._source.judge(proposal, following)
        seen = judged.seen
        if judged.back_to is not None:
            refused = set(self.best)
            self.go_back(judged.back_to)
            self.on_back(tuple(number for number in self.best if number not in refused))
        if seen.verdict.met:
            self._consider(proposal.until(seen.verdict.length), seen.trace)
        if judged.is_new:
            self._tell(len(proposal.candidate), seen.verdict.met)
        else:
            self.known += 1
        return seen.verdict

    def _consider(self, proposal: Proposal[T], trace: Trace | None) -> None:
        """Accepts a candidate that meets the goal if it is shorter than the best, or as short and plainer."""
        if len(proposal.candidate) > len(self.best):
            return
        if len(proposal.candidate) < len(self.best) or self._weight(proposal.candidate) < self._weight(self.best):
            self._accept(proposal, trace)

    def _accept(self, proposal: Proposal[T], trace: Trace | None) -> None:
        self._source.accepted(proposal)
        self.best, self.trace = proposal.candidate, trace
        if trace is not None:
            for layer, known in self._states.items():
                known.update(zip(self.best, self._source.facts.states(trace, layer), strict=False))
        self.on_better()

    def _weight(self, candidate: Candidate) -> int:
        return sum([self._source.facts.weight(self._items[number]) for number in candidate])

    def _tell(self, candidate: int, met: bool) -> None:
        self.on_run(ReductionProgress(self.stage, candidate, met, len(self.best), self.runs, self.events))


def keep_finding(findings: dict[str, Trace], seen: Seen) -> None:
    """Adds the trace of a run that showed another crash than the goal's; of each crash the shortest is kept."""
    crash, trace = seen.verdict.crash, seen.trace
    if crash is not None and trace is not None and not seen.verdict.met:
        found = findings.get(crash)
        if found is None or len(trace.steps) < len(found.steps):
            findings[crash] = trace


def _ignore_better() -> None:
    pass


def _ignore_run(progress: ReductionProgress) -> None:
    pass


def _ignore_back(numbers: Candidate) -> None:
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

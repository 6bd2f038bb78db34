"""A model of a farm: episodes before slots and before the one run that learns them, with losses and copies.

Every slot takes the next episode that is planned when it is free. The run keeps, learns and plans one episode after the
other, in their order, and plans an episode when the one *width* places before it is learned. A slot may be lost at
work: its episode goes to another one, and it comes back later. An episode that takes long is also given to an idle
slot, as `farm/pool.py` does; the first answer counts.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from statistics import median

from fewtaps.farm.pool import COPY_AFTER, COPY_FACTOR, COPY_SECONDS


@dataclass(frozen=True, slots=True)
class Costs:
    """In seconds: an event of a slot, between two episodes of a slot, the run's own work per event."""

    event: float
    idle: float
    own: float


@dataclass(frozen=True, slots=True)
class Trouble:
    """What goes wrong: seconds of work between two losses of a slot (0: never), seconds until it is back, and which
    share of the slots is how many times slower."""

    between_losses: float = 0.0
    back: float = 10.0
    slow_share: float = 0.0
    slow_factor: float = 10.0


NO_TROUBLE = Trouble()
LOOK_SECONDS = 0.5
"""Seconds between two looks for episodes that take long."""


@dataclass(slots=True)
class Outcome:
    """Seconds from the end of the first episode to that of the last, and the useful share of the slots' time."""

    seconds: float = 0.0
    busy: float = 0.0
    lost: int = 0
    copies: int = 0


@dataclass(slots=True, eq=False)
class _Work:
    """An episode at a slot."""

    episode: int
    slot: int
    began: float
    useful: float
    is_over: bool = field(default=False)


class FarmModel:
    """One exploration on a farm; `run` gives its outcome."""

    def __init__(
        self,
        lengths: Sequence[int],
        slots: int,
        width: int,
        costs: Costs,
        trouble: Trouble = NO_TROUBLE,
        *,
        copies: bool = True,
        seed: int = 1,
    ) -> None:
        self._lengths = lengths
        self._slots = slots
        self._width = width
        self._costs = costs
        self._trouble = trouble
        self._copies = copies
        self._random = Random(seed)
        slow = round(trouble.slow_share * slots)
        self._pace = [trouble.slow_factor if slot < slow else 1.0 for slot in range(slots)]
        self._now = 0.0
        self._happens: list[tuple[float, int, str, int, _Work | None]] = []
        self._count = 0
        self._idle = deque(range(slots))
        self._waiting: deque[int] = deque()
        self._at: list[list[_Work]] = [[] for _ in lengths]
        self._running: dict[int, _Work] = {}
        """By the slot."""
        self._next_look = 0.0
        self._answered = [False] * len(lengths)
        self._durations: deque[float] = deque(maxlen=100)
        self._learned = 0
        self._run_free = 0.0
        self._outcome = Outcome()

    def run(self) -> Outcome:
        """Lets everything happen in order until all episodes are learned."""
        for number in range(min(self._width, len(self._lengths))):
            self._at_time(0.0, "planned", number)
        first = useful = 0.0
        while self._learned < len(self._lengths):
            self._now, _, what, number, work = heapq.heappop(self._happens)
            if what == "planned":
                self._waiting.append(number)
            elif what == "back":
                self._idle.append(number)
            elif what == "lost":
                assert work is not None
                self._lose(work)
            elif what == "done":
                assert work is not None
                useful += self._end(work)
                first = first or self._run_free
            self._give()
        self._outcome.seconds = self._run_free - first
        self._outcome.busy = useful / (self._run_free * self._slots)
        return self._outcome

    def _at_time(self, when: float, what: str, number: int = 0, work: _Work | None = None) -> None:
        self._count += 1
        heapq.heappush(self._happens, (when, self._count, what, number, work))

    def _give(self) -> None:
        while self._idle and self._waiting:
            self._begin(self._waiting.popleft(), self._idle.popleft())
        is_due = self._now >= self._next_look and len(self._durations) >= COPY_AFTER
        if self._copies and is_due and self._idle and not self._waiting:
            self._give_copies()

    def _begin(self, episode: int, slot: int) -> None:
        useful = self._lengths[episode] * self._costs.event * self._pace[slot]
        work = _Work(episode, slot, self._now, useful)
        self._at[episode].append(work)
        self._running[slot] = work
        takes = self._costs.idle + useful
        lost = self._random.expovariate(1 / self._trouble.between_losses) if self._trouble.between_losses else takes
        self._at_time(self._now + min(takes, lost), "done" if takes <= lost else "lost", work=work)

    def _give_copies(self) -> None:
        patience = max(COPY_SECONDS, COPY_FACTOR * median(self._durations))
        running = self._running.values()
        alone = [work for work in running if len(self._at[work.episode]) == 1 and not self._answered[work.episode]]
        for work in alone:
            if not self._idle:
                return
            if self._now - work.began >= patience:
                self._outcome.copies += 1
                self._begin(work.episode, self._idle.popleft())
        self._next_look = self._now + LOOK_SECONDS
        self._at_time(self._next_look, "look")

    def _over(self, work: _Work) -> None:
        work.is_over = True
        del self._running[work.slot]
        self._at[work.episode].remove(work)

    def _lose(self, work: _Work) -> None:
        self._over(work)
        self._outcome.lost += 1
        self._at_time(self._now + self._trouble.back, "back", work.slot)
        if not self._answered[work.episode] and not self._at[work.episode]:
            self._waiting.appendleft(work.episode)

    def _end(self, work: _Work) -> float:
        """Seconds of useful work: none if another slot was sooner."""
        self._over(work)
        self._idle.append(work.slot)
        if self._answered[work.episode]:
            return 0.0
        self._answered[work.episode] = True
        self._durations.append(self._now - work.began)
        while self._learned < len(self._lengths) and self._answered[self._learned]:
            self._run_free = max(self._run_free, self._now) + self._lengths[self._learned] * self._costs.own
            if self._learned + self._width < len(self._lengths):
                self._at_time(self._run_free, "planned", self._learned + self._width)
            self._learned += 1
        return work.useful

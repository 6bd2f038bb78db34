"""isStuck: notices loops and dead ends (TimeMachine, section 3.2, algorithm 2)."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable

from fewtaps.model.episode import EpisodeEnd
from fewtaps.model.graph import StateGraph
from fewtaps.model.state import StateId


class StuckDetector:
    """Follows the states of one episode; each episode has its own."""

    def __init__(
        self,
        *,
        queue_length: int = 10,
        max_no_progress: int = 200,
        frequent_share: float = 0.2,
        easy_share: float = 0.8,
    ) -> None:
        """Takes l, maxNoProgress, alpha and beta of the paper."""
        self._queue: deque[StateId] = deque(maxlen=queue_length)
        self._max_no_progress = max_no_progress
        self._frequent_share = frequent_share
        self._easy_share = easy_share
        self._no_progress = 0

    def check(self, state: StateId, graph: StateGraph) -> EpisodeEnd | None:
        """To be asked once after each event with the state it led to; None as long as there is progress."""
        queue = self._queue
        if queue and queue[-1] == state:
            self._no_progress += 1
        else:
            queue.append(state)
            self._no_progress = 0
        if self._no_progress > self._max_no_progress:
            return EpisodeEnd.DEAD_END
        if self._no_progress == 0 and len(queue) == queue.maxlen:
            easy = count_easy(queue, graph, self._frequent_share)
            if easy / len(queue) > self._easy_share:
                return EpisodeEnd.LOOP
        return None


def count_easy(queue: Iterable[StateId], graph: StateGraph, frequent_share: float) -> int:
    """nRepeated + nFrequent: how many places of the queue hold a state that is easy to come to.

    Easy are states that are in the queue more than once and states that are among the most visited ones of the graph.
    A place is counted once even if its state is both, so that the result is a share of the queue, as the text has it.
    """
    frequent = graph.frequent_visits(frequent_share)
    times = Counter(queue)
    return sum(
        count for state, count in times.items() if count > 1 or (state in graph and graph[state].visits >= frequent)
    )

"""The strategies by name: TimeMachine, the baselines it is compared with (section 5.1), and those that see widgets."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from fewtaps.explore.frontier import Frontier
from fewtaps.explore.knowledge import Knowledge
from fewtaps.explore.monkey import Monkey
from fewtaps.explore.parameters import ExploreParameters
from fewtaps.explore.returning import fittest_return
from fewtaps.explore.strategy import EventSource, Memory, NoMemory, Policy, Return, Situation, Strategy
from fewtaps.explore.stuck import StuckDetector
from fewtaps.explore.system import SystemEvents
from fewtaps.explore.texts import Words
from fewtaps.explore.widget import WidgetStrategy
from fewtaps.model.app import App
from fewtaps.model.episode import EpisodeEnd
from fewtaps.model.event import Event
from fewtaps.model.state import StateId

LONG_EPISODE = 1000
"""For strategies that never go back: the paper's have no limit at all, but a trace has to fit into memory."""
SHORT_EPISODE = 300
"""For strategies that notice when they are stuck: longer than the 200 events that take a dead end to be one."""


class WithSystemEvents:
    """Draws from another source and now and then, instead, an event of the system (section 4)."""

    def __init__(self, source: EventSource, system: SystemEvents, share: float) -> None:
        self._source = source
        self._system = system
        self._share = share

    def draw(self, situation: Situation) -> Event:
        """An event of one kind or the other."""
        if situation.random.random() < self._share:
            return self._system.draw(situation.random, situation.listening())
        return self._source.draw(situation)


class Tireless:
    """A policy that goes on for ever."""

    def __init__(self, source: EventSource) -> None:
        self.draw = source.draw

    def should_stop(self, situation: Situation) -> EpisodeEnd | None:
        """Never."""
        return None


class Watchful:
    """A policy that has enough as soon as it is stuck."""

    def __init__(self, source: EventSource, detector: StuckDetector) -> None:
        self.draw = source.draw
        self._detector = detector

    def should_stop(self, situation: Situation) -> EpisodeEnd | None:
        """Algorithm 1, line 14."""
        return self._detector.check(situation.state, situation.knowledge.graph)


class MonkeyStrategy:
    """Blind Monkey, with or without system events, with or without an eye on being stuck; always starts afresh."""

    def __init__(
        self, app: App, parameters: ExploreParameters, *, with_system_events: bool = True, ends_when_stuck: bool = False
    ) -> None:
        self._app = app
        self._parameters = parameters
        self._with_system_events = with_system_events
        self._ends_when_stuck = ends_when_stuck

    @property
    def episode_events(self) -> int:
        """Long, unless being stuck ends it."""
        return SHORT_EPISODE if self._ends_when_stuck else LONG_EPISODE

    def memory(self) -> Memory:
        """None: all it needs is in the graph."""
        return NoMemory()

    def plan(self, knowledge: Knowledge, random: Random, turn: int) -> Return | None:
        """Always a fresh start."""
        return None

    def begin(self, knowledge: Knowledge, random: Random, target: StateId | None = None) -> Policy:
        """A monkey for one episode."""
        source: EventSource = Monkey()
        if self._with_system_events:
            source = WithSystemEvents(source, SystemEvents(self._app), self._parameters.system_share)
        return Watchful(source, detector(self._parameters)) if self._ends_when_stuck else Tireless(source)


class TimeMachine(MonkeyStrategy):
    """Algorithm 1: Monkey with system events, which goes back to the fittest state whenever it is stuck."""

    def __init__(self, app: App, parameters: ExploreParameters) -> None:
        super().__init__(app, parameters, ends_when_stuck=True)

    def plan(self, knowledge: Knowledge, random: Random, turn: int) -> Return | None:
        """Algorithm 1, lines 15 and 16."""
        return fittest_return(knowledge, self._parameters, turn)


def detector(parameters: ExploreParameters) -> StuckDetector:
    """isStuck for one episode."""
    return StuckDetector(
        queue_length=parameters.queue_length,
        max_no_progress=parameters.max_no_progress,
        frequent_share=parameters.frequent_share,
        easy_share=parameters.easy_share,
    )


MakeStrategy = Callable[[App, ExploreParameters, Words], Strategy]
"""Makes a strategy for an app, given who reads the texts of its resources."""

STRATEGIES: dict[str, MakeStrategy] = {
    "monkey": lambda app, parameters, words: MonkeyStrategy(app, parameters, with_system_events=False),
    "ms": lambda app, parameters, words: MonkeyStrategy(app, parameters),
    "mr": lambda app, parameters, words: MonkeyStrategy(app, parameters, ends_when_stuck=True),
    "timemachine": lambda app, parameters, words: TimeMachine(app, parameters),
    "widget": WidgetStrategy,
    "frontier": Frontier,
}
"""Strategies by name."""

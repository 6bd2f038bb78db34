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
"""New events of an episode that is not ended when stuck. The paper has no limit, but a trace has to fit into memory."""
SHORT_EPISODE = 300
"""New events of an episode that is ended when stuck: more than the 200 after which a dead end is noticed."""


class WithSystemEvents:
    """Draws from another source or, with probability `share`, an event of the system (section 4)."""

    def __init__(self, source: EventSource, system: SystemEvents, share: float) -> None:
        self._source = source
        self._system = system
        self._share = share

    def draw(self, situation: Situation) -> Event:
        """An event of one kind or the other."""
        if situation.random.random() < self._share:
            return self._system.draw(situation.random, situation.listening())
        return self._source.draw(situation)


class EndlessPolicy:
    """A policy that never ends an episode."""

    def __init__(self, source: EventSource) -> None:
        self.draw = source.draw

    def should_stop(self, situation: Situation) -> EpisodeEnd | None:
        """Always None: the episode goes on."""
        return None


class StopWhenStuckPolicy:
    """A policy that ends an episode when it is stuck."""

    def __init__(self, source: EventSource, detector: StuckDetector) -> None:
        self.draw = source.draw
        self._detector = detector

    def should_stop(self, situation: Situation) -> EpisodeEnd | None:
        """The end of an episode that is stuck, else None (Algorithm 1, line 14)."""
        return self._detector.check(situation.state, situation.knowledge.graph)


class MonkeyStrategy:
    """Blind Monkey, with or without system events, ending episodes when stuck or not; every start is fresh."""

    def __init__(
        self, app: App, parameters: ExploreParameters, *, with_system_events: bool = True, ends_when_stuck: bool = False
    ) -> None:
        self._app = app
        self._parameters = parameters
        self._with_system_events = with_system_events
        self._ends_when_stuck = ends_when_stuck

    @property
    def episode_events(self) -> int:
        """Fewer if being stuck ends an episode."""
        return SHORT_EPISODE if self._ends_when_stuck else LONG_EPISODE

    def memory(self) -> Memory:
        """None is needed: the graph of states suffices."""
        return NoMemory()

    def plan(self, knowledge: Knowledge, random: Random, turn: int) -> Return | None:
        """Always None: every episode starts with a launch."""
        return None

    def begin(self, knowledge: Knowledge, random: Random, target: StateId | None = None) -> Policy:
        """A policy for one episode."""
        source: EventSource = Monkey()
        if self._with_system_events:
            system = SystemEvents(self._app, self._parameters.system)
            source = WithSystemEvents(source, system, self._parameters.system_share)
        if self._ends_when_stuck:
            return StopWhenStuckPolicy(source, detector(self._parameters))
        return EndlessPolicy(source)


class TimeMachine(MonkeyStrategy):
    """Algorithm 1: Monkey with system events; after an episode that was stuck, the next begins at the fittest state."""

    def __init__(self, app: App, parameters: ExploreParameters) -> None:
        super().__init__(app, parameters, ends_when_stuck=True)

    def plan(self, knowledge: Knowledge, random: Random, turn: int) -> Return | None:
        """Algorithm 1, lines 15 and 16."""
        return fittest_return(knowledge, self._parameters, turn)


def detector(parameters: ExploreParameters) -> StuckDetector:
    """A detector for one episode: isStuck with these parameters."""
    return StuckDetector(
        queue_length=parameters.queue_length,
        max_no_progress=parameters.max_no_progress,
        frequent_share=parameters.frequent_share,
        easy_share=parameters.easy_share,
    )


MakeStrategy = Callable[[App, ExploreParameters, Words], Strategy]
"""Makes a strategy for an app, given a function that reads the strings of its resources."""


def _monkey(app: App, parameters: ExploreParameters, words: Words) -> Strategy:
    return MonkeyStrategy(app, parameters, with_system_events=False)


def _monkey_with_system_events(app: App, parameters: ExploreParameters, words: Words) -> Strategy:
    return MonkeyStrategy(app, parameters)


def _restarting_monkey(app: App, parameters: ExploreParameters, words: Words) -> Strategy:
    return MonkeyStrategy(app, parameters, ends_when_stuck=True)


def _timemachine(app: App, parameters: ExploreParameters, words: Words) -> Strategy:
    return TimeMachine(app, parameters)


STRATEGIES: dict[str, MakeStrategy] = {
    "monkey": _monkey,
    "ms": _monkey_with_system_events,
    "mr": _restarting_monkey,
    "timemachine": _timemachine,
    "widget": WidgetStrategy,
    "frontier": Frontier,
}
"""Strategies by name."""

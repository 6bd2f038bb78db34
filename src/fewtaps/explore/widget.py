"""Widget-aware random exploration: draws actions of the screen by weight, whatever was tried before."""

from __future__ import annotations

from random import Random

from fewtaps.explore.actions import weighted_choice
from fewtaps.explore.gestures import event_of
from fewtaps.explore.knowledge import Knowledge
from fewtaps.explore.parameters import ExploreParameters
from fewtaps.explore.screen_actions import ActionCache
from fewtaps.explore.strategy import Memory, NoMemory, Policy, Return, Situation
from fewtaps.explore.system import SystemEvents
from fewtaps.explore.texts import Texts, Words
from fewtaps.model.app import App
from fewtaps.model.episode import EpisodeEnd
from fewtaps.model.event import Event
from fewtaps.model.state import StateId

EPISODE_EVENTS = 300
"""New events of an episode: the app's state is reset at the start of the next one."""


class WidgetSource:
    """Draws actions of the screen by weight or, with probability `system_share`, an event of the system."""

    def __init__(self, app: App, texts: Texts, parameters: ExploreParameters) -> None:
        self._system = SystemEvents(app, parameters.system)
        self._texts = texts
        self._parameters = parameters
        self._cache = ActionCache(parameters)

    def draw(self, situation: Situation) -> Event:
        """An event of the system, or an action on a widget of the screen, drawn by chance."""
        random = situation.random
        if random.random() < self._parameters.system_share:
            return self._system.draw(random, situation.listening())
        actions = self._cache(situation.screen).actions
        action = weighted_choice(actions, [action.chance for action in actions], random)
        return event_of(action, situation.screen, random, self._texts, self._parameters.gestures)

    def should_stop(self, situation: Situation) -> EpisodeEnd | None:
        """Always None: the episode goes on."""
        return None


class WidgetStrategy:
    """A fresh start for every episode, and random actions in it."""

    def __init__(self, app: App, parameters: ExploreParameters, words: Words | None = None) -> None:
        self._app = app
        self._parameters = parameters
        self._texts = Texts(words, parameters.texts)

    @property
    def episode_events(self) -> int:
        """How many new events end an episode: the next one begins with a reset app."""
        return EPISODE_EVENTS

    def memory(self) -> Memory:
        """A memory that keeps nothing."""
        return NoMemory()

    def plan(self, knowledge: Knowledge, random: Random, turn: int) -> Return | None:
        """Always None: every episode starts with a launch."""
        return None

    def begin(self, knowledge: Knowledge, random: Random, target: StateId | None = None) -> Policy:
        """A source for one episode."""
        return WidgetSource(self._app, self._texts, self._parameters)

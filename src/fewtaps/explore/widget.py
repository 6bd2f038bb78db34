"""Widget-aware random exploration: any sensible thing, as often as a user would do it, whatever was tried before."""

from __future__ import annotations

from random import Random

from fewtaps.explore.gestures import event_of
from fewtaps.explore.knowledge import Knowledge
from fewtaps.explore.offers import Repertoire
from fewtaps.explore.parameters import ExploreParameters
from fewtaps.explore.strategy import Memory, NoMemory, Policy, Return, Situation
from fewtaps.explore.system import SystemEvents
from fewtaps.explore.texts import Texts, Words
from fewtaps.model.app import App
from fewtaps.model.episode import EpisodeEnd
from fewtaps.model.event import Event
from fewtaps.model.state import StateId

EPISODE_EVENTS = 300
"""It never goes back, so it starts afresh now and then: what broke in one run is whole in the next."""


class WidgetSource:
    """Draws actions of the screen by their chance, and now and then an event of the system."""

    def __init__(self, app: App, texts: Texts, *, system_share: float) -> None:
        self._system = SystemEvents(app)
        self._texts = texts
        self._system_share = system_share
        self._repertoire = Repertoire()

    def draw(self, situation: Situation) -> Event:
        """One event."""
        random = situation.random
        if random.random() < self._system_share:
            return self._system.draw(random, situation.listening())
        actions = self._repertoire(situation.screen).actions
        action = random.choices(actions, [action.chance for action in actions])[0]
        return event_of(action, situation.screen, random, self._texts)

    def should_stop(self, situation: Situation) -> EpisodeEnd | None:
        """Never: it does not notice being stuck."""
        return None


class WidgetStrategy:
    """A fresh start for every episode, and chance for everything in it."""

    def __init__(self, app: App, parameters: ExploreParameters, words: Words | None = None) -> None:
        self._app = app
        self._system_share = parameters.system_share
        self._texts = Texts(words)

    @property
    def episode_events(self) -> int:
        """As many as one start is good for."""
        return EPISODE_EVENTS

    def memory(self) -> Memory:
        """None."""
        return NoMemory()

    def plan(self, knowledge: Knowledge, random: Random, turn: int) -> Return | None:
        """Always a fresh start."""
        return None

    def begin(self, knowledge: Knowledge, random: Random, target: StateId | None = None) -> Policy:
        """A source for one episode."""
        return WidgetSource(self._app, self._texts, system_share=self._system_share)

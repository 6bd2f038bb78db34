"""Exploration: plans episodes and learns from them, one after the other, always the same for the same seed."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

from fewtaps.errors import UsageError
from fewtaps.explore.block import NOTHING_BLOCKED, Blocklist
from fewtaps.explore.episode_plan import Aim, EpisodePlan
from fewtaps.explore.knowledge import Knowledge, has_window, is_inside
from fewtaps.explore.lesson import Lesson, has_no_run
from fewtaps.explore.parameters import DEFAULT_PARAMETERS, ExploreParameters
from fewtaps.explore.phones import ALWAYS_ORDINARY, GoodWalks, PhoneSchedule
from fewtaps.explore.returning import fitness_with
from fewtaps.explore.strategy import Return, Strategy
from fewtaps.model.app import App
from fewtaps.model.coverage import NO_COVERAGE, Coverage
from fewtaps.model.ending import Ending
from fewtaps.model.episode import Episode, EpisodeEnd
from fewtaps.model.event import Event, Launch
from fewtaps.model.exploration_end import EndKind, ExplorationEnd
from fewtaps.model.phone import Differences
from fewtaps.model.state import StateId

FAILED_STARTS: dict[Ending, EndKind] = {
    Ending.CRASHED: EndKind.CRASHES_AT_LAUNCH,
    Ending.ANR: EndKind.NOT_RESPONDING_AT_LAUNCH,
    Ending.EXITED: EndKind.EXITS_AT_LAUNCH,
    Ending.LOST: EndKind.DEVICE_DIES_AT_LAUNCH,
}
"""Why an app cannot be explored, by how its process ended before it could be used."""


class ExplorationSummary(NamedTuple):
    """What was seen up to now: how many states and activities, and which code."""

    states: int
    activities: int
    covered: Coverage


class Exploration:
    """Plans episodes and absorbs them when they are over.

    The plan of episode k and its random numbers depend on the seed, on k and on the episodes up to k - `width`, and on
    nothing else: neither on how fast devices are nor on whether the exploration was interrupted. To resume one, absorb
    the episodes that are known, in order, and go on.

    Episodes on other phones than the ordinary one (`phones`) have a knowledge of their own for each phone, in which
    every action is untried at first. They begin with the events of an ordinary episode that ran new code. What they
    cover counts as covered for all; their states and paths do not.

    `prelude` is played after every fresh launch; `aim` finds the widgets of its events on the screen at that time.
    Fresh starts go through `worlds` worlds from `world` on. `events_per_episode` limits the new events of an episode;
    None leaves it to the strategy. `has_coverage` says whether the device measures coverage.
    """

    def __init__(
        self,
        app: App,
        strategy: Strategy,
        *,
        seed: int = 0,
        world: int = 0,
        worlds: int = 1,
        prelude: Sequence[Event] = (),
        aim: Aim | None = None,
        block: Blocklist = NOTHING_BLOCKED,
        events_per_episode: int | None = None,
        parameters: ExploreParameters = DEFAULT_PARAMETERS,
        pictures: bool = False,
        has_coverage: bool = True,
        width: int = 1,
        phones: PhoneSchedule = ALWAYS_ORDINARY,
    ) -> None:
        if worlds < 1 or width < 1 or (events_per_episode is not None and events_per_episode < 1):
            raise UsageError("an exploration needs at least one world and one event per episode")
        self.app = app
        self._has_coverage = has_coverage
        self._strategy = strategy
        self._parameters = parameters
        self.knowledge = self._nothing_known()
        self.finished: ExplorationEnd | None = None
        """Why there is nothing left to find out; None as long as there may be."""
        self._seed = seed
        self._first_world = world
        self._worlds = worlds
        self.prelude = tuple(prelude[1:] if prelude and isinstance(prelude[0], Launch) else prelude)
        self._aim = aim
        self._block = block
        self._max_events = events_per_episode or strategy.episode_events
        if width > parameters.wide:
            # Episodes are learned in order, so a long one holds up all.
            self._max_events = min(self._max_events, parameters.wide_events)
        self._pictures = pictures
        self._phones = phones
        self._on_phone: dict[Differences, Knowledge] = {}
        """What is known of the app on each other phone. Paths and states of one phone need not exist on another."""
        self._states_elsewhere: set[StateId] = set()
        """The states of learned episodes on other phones."""
        self._walks = GoodWalks(parameters.vary)
        self._width = width
        self._next = 0
        self._absorbed = 0
        self._waiting: deque[tuple[Episode, frozenset[StateId]]] = deque()
        """Absorbed episodes that are not learned yet, with the states that they saw."""
        self._states_ahead: Counter[StateId] = Counter()
        """The states of waiting episodes, by the number of these."""
        self._covered = NO_COVERAGE
        """What all absorbed episodes covered."""
        self._activities: set[str] = set()
        """The activities of all absorbed episodes."""
        self._plans: dict[int, Return | None] = {}
        self._has_started = False
        self._starts = 0
        self._failed_starts = 0

    def episode_plans(self) -> Iterator[EpisodePlan]:
        """Plans, each made when it is asked for, until the exploration is finished."""
        while self.finished is None:
            yield self._plan()

    def absorb(self, episode: Episode) -> None:
        """Learns from an episode; they have to come in the order of their numbers, none left out.

        An episode is learned when the first plan that may depend on it is made.
        """
        if episode.number != self._absorbed:
            raise UsageError(f"episode {self._absorbed} was expected, not {episode.number}")
        self._absorbed += 1
        if episode.number == self._next:
            self._next += 1
            phone = self._phones.phone(episode.number)
            if phone:
                # As when it was planned: a walk is chosen once for each phone.
                self._walk(episode.number, phone)
            elif has_no_run(episode):
                # An episode of a resumed exploration that no device launched does not show where it should have begun.
                self._plans[episode.number] = self._chosen(episode.number)
        self._look_ahead(episode)
        self._watch_starts(episode)
        if self._width == 1:
            self._learn_up_to(episode.number)

    def seen(self) -> ExplorationSummary:
        """What all absorbed episodes saw, those that are not learned yet too."""
        graph = self.knowledge.graph
        states = sum(state not in graph for state in self._states_elsewhere | self._states_ahead.keys())
        return ExplorationSummary(graph.seen + states, len(self._activities), self._covered)

    def _look_ahead(self, episode: Episode) -> None:
        """Adds what an episode saw to the summary, and the episode to those that are to be learned."""
        knowledge = self.knowledge
        seen = set()
        for step in episode.trace.steps:
            if step.covered and not step.covered <= self._covered:
                self._covered = self._covered | step.covered
            if (state := knowledge.state_of(step)) is not None:
                seen.add(state)
            if step.after.activity is not None and step.after.package == knowledge.package:
                self._activities.add(step.after.activity)
        self._waiting.append((episode, frozenset(seen)))
        self._states_ahead.update(seen)

    def learn_the_rest(self) -> None:
        """Learns all absorbed episodes, because nothing more is to be planned."""
        self._learn_up_to(self._absorbed)

    def _plan(self) -> EpisodePlan:
        number = self._next
        phone = self._phones.phone(number)
        if phone:
            return self._varied_plan(phone)
        self._next += 1
        plan = self._plans[number] = self._chosen(number)
        return EpisodePlan(
            number=number,
            world=plan.way.world if plan else self._fresh_world(number),
            way=plan.way.events if plan else self.prelude,
            target=plan.state if plan else None,
            strategy=self._strategy,
            knowledge=self.knowledge.fork(),
            seed=f"{self._seed}/{number}",
            max_events=self._max_events,
            parameters=self._parameters,
            block=self._block,
            aim=self._aim,
            pictures=self._pictures,
            prelude=len(self.prelude),
        )

    def _varied_plan(self, phone: Differences) -> EpisodePlan:
        number = self._next
        self._next += 1
        walk = self._walk(number, phone)
        return EpisodePlan(
            number=number,
            world=self._fresh_world(number),
            way=self.prelude + walk,
            target=None,
            strategy=self._strategy,
            knowledge=self._known_on(phone).fork(),
            seed=f"{self._seed}/{number}",
            max_events=min(self._max_events, self._parameters.vary.events),
            parameters=self._parameters,
            block=self._block,
            aim=self._aim,
            prelude=len(self.prelude),
            phone=phone,
        )

    def _walk(self, number: int, phone: Differences) -> tuple[Event, ...]:
        self._learn_up_to(number - self._width)
        return self._walks.choose(phone, Random(f"{self._seed}/{number}/plan"))

    def _is_varied(self, episode: Episode) -> bool:
        return bool(self._phones.phone(episode.number))

    def _known_on(self, phone: Differences) -> Knowledge:
        if phone not in self._on_phone:
            self._on_phone[phone] = self._nothing_known()
        return self._on_phone[phone]

    def _nothing_known(self) -> Knowledge:
        return Knowledge(
            self.app.package,
            self._strategy.memory(),
            has_coverage=self._has_coverage,
            loop_free_paths=bool(self._parameters.loop_free_paths),
            fitness=fitness_with(self._parameters),
            size=self._parameters.graph,
        )

    def _chosen(self, number: int) -> Return | None:
        self._learn_up_to(number - self._width)
        random = Random(f"{self._seed}/{number}/plan")
        plan = self._strategy.plan(self.knowledge, random, number % self._width)
        # A fresh start leads to the end of the prelude too, and in other worlds.
        return plan if plan is not None and len(plan.way.events) > len(self.prelude) else None

    def _fresh_world(self, number: int) -> int:
        # Until the app has started once, every start is in a new world: the app may start in another one.
        return self._first_world + (number % self._worlds if self._has_started else number)

    def _learn_up_to(self, number: int) -> None:
        while self._waiting and self._waiting[0][0].number <= number:
            episode, states = self._waiting.popleft()
            for state in states:
                self._states_ahead[state] -= 1
                if not self._states_ahead[state]:
                    del self._states_ahead[state]
            self._learn(episode)

    def _learn(self, episode: Episode) -> None:
        if self._is_varied(episode):
            self._learn_varied(episode)
            return
        plan = self._plans.pop(episode.number, None)
        lesson = Lesson.of(episode, None if plan is None else plan.way.events)
        taught = lesson.teach(self.knowledge, len(self.prelude))
        self._walks.add(episode, taught.useful, len(self.prelude))
        self._has_started = taught.has_begun or self._has_started

    def _learn_varied(self, episode: Episode) -> None:
        """Learns an episode on another phone: for that phone, and for all phones what was covered."""
        if has_no_run(episode):
            return
        phone = self._phones.phone(episode.number)
        lesson = Lesson.of(episode, phone=phone)
        lesson.teach_its_phone(self._known_on(phone))
        lesson.teach_other_phones(self.knowledge)
        states = map(self.knowledge.state_of, episode.trace.steps)
        self._states_elsewhere.update(state for state in states if state is not None)

    def _watch_starts(self, episode: Episode) -> None:
        if self._is_varied(episode):
            return
        failure = failed_start(episode, self.app.package)
        if failure is None:
            self._starts += episode.end is not EpisodeEnd.STOPPED
            return
        self._failed_starts += 1
        if self._starts == 0 and self._failed_starts >= self._parameters.max_failed_starts:
            self.finished = ExplorationEnd(failure)


def failed_start(episode: Episode, package: str) -> EndKind | None:
    """Why the app could not be used at all in this episode; None if it could."""
    steps = episode.trace.steps
    if episode.end is EpisodeEnd.STOPPED or any(is_inside(step, package) for step in steps):
        return None
    if steps[-1].ending.is_final:
        return FAILED_STARTS[steps[-1].ending]
    others = (step.after for step in steps if step.ending is Ending.RUNNING and step.after.package != package)
    return EndKind.ONLY_OTHER_APPS if any(has_window(screen) for screen in others) else EndKind.NEVER_A_WINDOW

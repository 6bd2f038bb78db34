"""What an exploration knows, kept by a slot: fed with lessons, so that a task needs only the number of an episode.

Episode k is planned with the lessons up to k - width. A slot may be asked for an episode whose number is below that of
its last one, because another slot was lost, so the knowledge before each of the last lessons is kept too.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace

from fewtaps.explore.episode_plan import EpisodePlan
from fewtaps.explore.jobs import EpisodeOutcome, RunEpisode
from fewtaps.explore.knowledge import Knowledge
from fewtaps.explore.lesson import Lesson
from fewtaps.model.ending import Ending
from fewtaps.model.episode import EpisodeEnd
from fewtaps.model.event import Event, Launch
from fewtaps.model.state import StateId
from fewtaps.model.trace import Step

SNAPSHOT_EVERY = 256
"""Lessons between two snapshots, unless the width is larger."""


def level_of(number: int, width: int) -> int:
    """How many lessons the plan of an episode is made with."""
    return max(0, number - width + 1)


def lesson_of(plan: EpisodePlan, outcome: EpisodeOutcome) -> Lesson:
    """The lesson of an outcome; of one without an episode, that no device launched the app."""
    way = None if plan.target is None else plan.way
    if outcome.episode is not None:
        return Lesson.of(outcome.episode, way, plan.phone)
    lost, end = Step(Launch(), ending=Ending.LOST), EpisodeEnd.DEVICE_FAILED
    return Lesson(outcome.number, outcome.world, (lost,), 0, reached=False, end=end, way=way, phone=plan.phone)


@dataclass(frozen=True, slots=True)
class EpisodeTask:
    """A `RunEpisode` without what all of them share and without what is known: `level` lessons of the feed say that."""

    feed: int
    level: int
    number: int
    world: int
    way: tuple[Event, ...]
    target: StateId | None
    seed: str
    allowed: int | None

    @classmethod
    def of(cls, job: RunEpisode, feed: int, width: int) -> EpisodeTask:
        """The task of a job whose lessons are told in a feed."""
        plan = job.plan
        level = level_of(plan.number, width)
        return cls(feed, level, plan.number, plan.world, plan.way, plan.target, plan.seed, job.allowed)

    def job(self, snapshot: EpisodePlan, knowledge: Knowledge) -> RunEpisode:
        """The whole job: what all share is taken from the plan of a snapshot."""
        plan = replace(
            snapshot,
            number=self.number,
            world=self.world,
            way=self.way,
            target=self.target,
            seed=self.seed,
            knowledge=knowledge,
        )
        return RunEpisode(plan, self.allowed)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The plan of one episode with all that was known at its level, for a slot that has not seen the lessons before.

    `width` is that of the exploration.
    """

    level: int
    width: int
    plan: EpisodePlan


class Replica:
    """The knowledge of one exploration at its last levels."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.plan = snapshot.plan
        self.level = snapshot.level
        """How many lessons are learned."""
        self._head = snapshot.plan.knowledge
        self._kept: OrderedDict[int, Knowledge] = OrderedDict()
        self._most = snapshot.width + 1

    def learn(self, lesson: Lesson) -> None:
        """Adds the next lesson."""
        assert lesson.number == self.level, "lessons come in order"
        # What a task has been given is not changed any more: it may be in use by another thread.
        self._kept[self.level] = self._head
        self._head = self._head.fork()
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)
        if lesson.phone:
            lesson.teach_other_phones(self._head)
        else:
            lesson.teach(self._head, self.plan.prelude)
        self.level += 1

    def at(self, level: int) -> Knowledge | None:
        """What was known after so many lessons; None if that is not kept any more. It must not be changed."""
        return self._head if level == self.level else self._kept.get(level)

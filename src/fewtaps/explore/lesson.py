"""Lesson: the part of an episode that an exploration learns from, as a small value that can be sent elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fewtaps.explore.knowledge import EpisodeTracker, Knowledge
from fewtaps.model.ending import Ending
from fewtaps.model.episode import Episode, EpisodeEnd
from fewtaps.model.event import Event
from fewtaps.model.phone import ORDINARY, Differences
from fewtaps.model.trace import Step


def has_no_run(episode: Episode) -> bool:
    """Whether no device launched the app and reported it."""
    return episode.trace.steps[0].ending is Ending.LOST


class Taught(NamedTuple):
    """What a lesson told of its episode: whether the app was in use when the new steps began, and the last useful step.

    A step is useful if it ran new code or reached a new state.
    """

    has_begun: bool
    useful: int


@dataclass(frozen=True, slots=True)
class Lesson:
    """An episode without its pictures: all that adds to what an exploration knows.

    `way` is the planned way back to a known state; None for a fresh start, or if the episode itself shows the way.
    `phone` is that of the episode: an ordinary one teaches everything, another one only what it covered.
    """

    number: int
    world: int
    steps: tuple[Step, ...]
    replayed: int
    reached: bool
    end: EpisodeEnd
    way: tuple[Event, ...] | None = None
    phone: Differences = ORDINARY

    @classmethod
    def of(cls, episode: Episode, way: tuple[Event, ...] | None = None, phone: Differences = ORDINARY) -> Lesson:
        """The lesson of an episode. The planned way is kept only if no device launched the app."""
        return cls(
            number=episode.number,
            world=episode.trace.world,
            steps=episode.trace.steps,
            replayed=episode.replayed,
            reached=episode.reached,
            end=episode.end,
            way=way if has_no_run(episode) else None,
            phone=phone,
        )

    def teach(self, knowledge: Knowledge, prelude: int) -> Taught:
        """Adds to the knowledge what the steps show; `prelude` is how many events are played after every launch."""
        tracker = self._tracker(knowledge)
        useful = prelude
        for number, step in enumerate(self.steps[1:], 1):
            before = knowledge.covered
            tracker.step(step)
            if knowledge.covered is not before or tracker.is_discovery:
                useful = number
        if self.way is not None:
            knowledge.graph.drop_ways(self.world, self.way, cut_short=False)
        elif self.replayed > prelude:
            self._teach_return(knowledge, tracker)
        return Taught(tracker.begin is not None, useful)

    def teach_its_phone(self, knowledge: Knowledge) -> None:
        """Adds what the steps show to the knowledge of the phone that they were played on."""
        tracker = self._tracker(knowledge)
        for step in self.steps[1:]:
            tracker.step(step)

    def teach_other_phones(self, knowledge: Knowledge) -> None:
        """Adds what holds for every phone: which code ran, and which activities there are."""
        for step in self.steps:
            knowledge.cover(step.covered)
            if step.after.activity is not None and step.after.package == knowledge.package:
                knowledge.activities |= {step.after.activity}

    def _tracker(self, knowledge: Knowledge) -> EpisodeTracker:
        """A tracker that has seen the launch."""
        # The steps of a way that led elsewhere show no state to return to.
        known = self.replayed if self.reached else len(self.steps)
        tracker = EpisodeTracker(knowledge, number=self.number, world=self.world, known=known)
        tracker.launch(self.steps[0])
        return tracker

    def _teach_return(self, knowledge: Knowledge, tracker: EpisodeTracker) -> None:
        """Counts a return that reached its state; drops a way that did not."""
        graph = knowledge.graph
        if tracker.begin is not None:
            graph.came_back(tracker.begin, new_code=tracker.new_code)
        elif self.end is not EpisodeEnd.STOPPED:
            events = tuple(step.event for step in self.steps[1 : self.replayed + 1])
            graph.drop_ways(self.world, events, cut_short=self.end is not EpisodeEnd.RETURN_FAILED)

"""Lesson: the part of an episode that an exploration learns from, as a small value that can be sent elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

from fewtaps.explore.knowledge import EpisodeTracker, Knowledge
from fewtaps.model.ending import Ending
from fewtaps.model.episode import Episode, EpisodeEnd
from fewtaps.model.event import Event
from fewtaps.model.trace import Step


def has_no_run(episode: Episode) -> bool:
    """Whether no device launched the app and reported it."""
    return episode.trace.steps[0].ending is Ending.LOST


@dataclass(frozen=True, slots=True)
class Lesson:
    """An episode without its pictures: all that adds to what an exploration knows.

    `way` is the planned way back to a known state; None for a fresh start, or if the episode itself shows the way.
    """

    number: int
    world: int
    steps: tuple[Step, ...]
    replayed: int
    reached: bool
    end: EpisodeEnd
    way: tuple[Event, ...] | None = None

    @classmethod
    def of(cls, episode: Episode, way: tuple[Event, ...] | None = None) -> Lesson:
        """The lesson of an episode. The planned way is kept only if no device launched the app."""
        return cls(
            number=episode.number,
            world=episode.trace.world,
            steps=episode.trace.steps,
            replayed=episode.replayed,
            reached=episode.reached,
            end=episode.end,
            way=way if has_no_run(episode) else None,
        )

    def teach(self, knowledge: Knowledge, prelude: int) -> bool:
        """Adds to the knowledge what the steps show; whether the app was in use at the begin of the new steps.

        `prelude` is how many events are played after every fresh launch.
        """
        # The steps of a way that led elsewhere show no state to return to.
        known = self.replayed if self.reached else len(self.steps)
        tracker = EpisodeTracker(knowledge, number=self.number, world=self.world, known=known)
        tracker.launch(self.steps[0])
        for step in self.steps[1:]:
            tracker.step(step)
        if self.way is not None:
            knowledge.graph.drop_ways(self.world, self.way, cut_short=False)
        elif self.replayed > prelude:
            self._teach_return(knowledge, tracker)
        return tracker.begin is not None

    def _teach_return(self, knowledge: Knowledge, tracker: EpisodeTracker) -> None:
        """Counts a return that reached its state; drops a way that did not."""
        graph = knowledge.graph
        if tracker.begin is not None:
            graph.came_back(tracker.begin, new_code=tracker.new_code)
        elif self.end is not EpisodeEnd.STOPPED:
            events = tuple(step.event for step in self.steps[1 : self.replayed + 1])
            graph.drop_ways(self.world, events, cut_short=self.end is not EpisodeEnd.RETURN_FAILED)

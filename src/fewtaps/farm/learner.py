"""What a slot knows of the exploration that it works for, learned from the lessons that the hub keeps."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any

from fewtaps.explore.jobs import RunEpisode
from fewtaps.farm.packing import unpack
from fewtaps.farm.replica import EpisodeTask, Replica
from fewtaps.farm.tasks import RunGone

AskHub = Callable[..., Any]
"""Asks the hub by the name of a message and its arguments. Raises RunGone if the hub does not answer."""


class Learner:
    """The replica of the exploration that was asked for last. Threads take turns."""

    def __init__(self, ask: AskHub) -> None:
        self._ask = ask
        self._replica: Replica | None = None
        self._feed: tuple[str, int] = ("", -1)
        self._turn = Lock()

    def job_of(self, run: str, task: EpisodeTask, apk: str) -> RunEpisode:
        """The job of an episode, with the knowledge that it is planned with. Raises RunGone if that is not told."""
        with self._turn:
            if self._feed != (run, task.feed):
                self._replica, self._feed = None, (run, task.feed)
            replica = self._replica
            knowledge = None if replica is None or task.level > replica.level else replica.at(task.level)
            if replica is None or knowledge is None:
                self._replica = replica = self._taught(run, task, apk)
                knowledge = replica.at(task.level)
                assert knowledge is not None
            return task.job(replica.plan, knowledge)

    def forget(self) -> None:
        """Drops what is known."""
        with self._turn:
            self._replica, self._feed = None, ("", -1)

    def _taught(self, run: str, task: EpisodeTask, apk: str) -> Replica:
        """The replica at the level of a task. A level below all that are kept is made anew from a snapshot."""
        replica = self._replica
        known = -1 if replica is None or task.level < replica.level else replica.level
        told = self._ask("lessons", run=run, feed=task.feed, known=known, level=task.level)
        if told is None:
            raise RunGone("the lessons of the run are gone")
        if told["snapshot"] is not None:
            replica = Replica(unpack(told["snapshot"], apk))
        assert replica is not None
        for lesson in told["lessons"]:
            replica.learn(unpack(lesson))
        return replica

"""Long runs of a reduction: how far they are is told, and a spent budget or a failing run ends them early."""

from __future__ import annotations

import threading
from contextlib import nullcontext
from dataclasses import dataclass

import pytest

from fewtaps.budget import Budget
from fewtaps.device.jobs import Job, JobContext
from fewtaps.device.pool import SessionPool
from fewtaps.device.session import DEFAULT_SETTINGS, Session
from fewtaps.device.simulated.device import SimulatedSession
from fewtaps.device.simulated.samples import bill
from fewtaps.errors import BudgetSpent
from fewtaps.model.event import Event, Launch, Wait
from fewtaps.model.trace import Aim
from fewtaps.pipeline.candidates import CandidatePlayer
from fewtaps.pipeline.news import LongRunAdvanced, News, ignore
from fewtaps.replay import PROGRESS_TOLD_EVERY, Played, PlayEvents

LONG: tuple[Event, ...] = (Launch(), *[Wait(1)] * (3 * PROGRESS_TOLD_EVERY))


def pool_of(size: int) -> SessionPool:
    return SessionPool(lambda: nullcontext(SimulatedSession(bill(), DEFAULT_SETTINGS)), size=size)


def test_a_long_run_is_told_now_and_then_and_a_short_one_is_not() -> None:
    told: list[News] = []
    player = CandidatePlayer(pool_of(1), Aim.SELECTOR, told.append)
    assert len(player.play([(LONG[:9], 0)])[0].trace.steps) == 9
    assert told == []
    assert len(player.play([(LONG, 0)])[0].trace.steps) == len(LONG)
    assert told == [LongRunAdvanced(number * PROGRESS_TOLD_EVERY, len(LONG)) for number in (1, 2, 3)]


def test_runs_come_back_in_their_order_each_in_its_world() -> None:
    played = CandidatePlayer(pool_of(2), Aim.SELECTOR, ignore).play([(LONG[: 2 + world], world) for world in range(6)])
    assert [(len(each.trace.steps), each.trace.world) for each in played] == [(2 + world, world) for world in range(6)]


def test_a_long_run_ends_when_the_time_is_up() -> None:
    told: list[News] = []
    budget = Budget(seconds=2, clock=lambda: float(len(told)))
    player = CandidatePlayer(pool_of(1), Aim.SELECTOR, told.append, budget)
    with pytest.raises(BudgetSpent, match="all 2 seconds are used"):
        player.play([(LONG, 0)])
    assert told == [LongRunAdvanced(number * PROGRESS_TOLD_EVERY, len(LONG)) for number in (1, 2)]


@dataclass(frozen=True)
class FailOnce(Job[Played]):
    """Raises KeyboardInterrupt as soon as another job has begun."""

    has_begun: threading.Event

    def run(self, session: Session, context: JobContext) -> Played:
        self.has_begun.wait(60)
        raise KeyboardInterrupt


@dataclass(frozen=True)
class PlayUntilStopped(Job[Played]):
    """Plays the long run, and at its first report waits for the stop signal, a minute if it never comes."""

    has_begun: threading.Event
    answers: list[Played]

    def run(self, session: Session, context: JobContext) -> Played:
        def wait(number: int, events: int) -> None:
            self.has_begun.set()
            for _ in range(6000):
                if context.should_stop():
                    return
                threading.Event().wait(0.01)

        played = PlayEvents(LONG, 0).run(
            session, JobContext(context.device, should_stop=context.should_stop, on_progress=wait)
        )
        self.answers.append(played)
        return played


def test_what_ends_one_run_ends_the_runs_on_the_other_devices() -> None:
    has_begun = threading.Event()
    answers: list[Played] = []
    jobs: list[Job[Played]] = [FailOnce(has_begun), PlayUntilStopped(has_begun, answers)]
    with pytest.raises(KeyboardInterrupt):
        pool_of(2).map(jobs)
    assert [(each.is_stopped, len(each.trace.steps)) for each in answers] == [(True, PROGRESS_TOLD_EVERY + 1)]

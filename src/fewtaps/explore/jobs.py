"""An episode as a job: the plan goes to a device, the episode comes back."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from fewtaps.device.jobs import Job, JobContext
from fewtaps.device.session import Session
from fewtaps.errors import BridgeError, DeviceLost, DeviceTimeout, DeviceUnavailable, TimeUp
from fewtaps.explore.episode_plan import EpisodePlan
from fewtaps.explore.loop import run_episode
from fewtaps.model.episode import Episode
from fewtaps.model.phone import ORDINARY, Differences

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class EpisodeOutcome:
    """What became of a plan: an episode or, if every device that tried it failed, the last error.

    An episode that a failure of its device ended has both, the steps up to then and the error.
    `allowed` is how many events the episode could have taken, None without a limit. `put_off` is the plan of an episode
    that was not begun, because the exploration was paused; it is to be carried out later.
    """

    number: int
    world: int
    allowed: int | None
    phone: Differences = ORDINARY
    episode: Episode | None = None
    error: str = ""
    put_off: EpisodePlan | None = None


@dataclass(frozen=True, slots=True)
class RunEpisode(Job[EpisodeOutcome]):
    """Carries a plan out; with `allowed`, in so many events at most, the launch and the known way included."""

    plan: EpisodePlan
    allowed: int | None = None

    def run(self, session: Session, context: JobContext) -> EpisodeOutcome:
        """One episode, or none if the exploration is paused.

        A failure of the session at launch counts as its loss, because its state is not known then.
        """
        plan = self.plan
        if context.is_paused():
            return EpisodeOutcome(plan.number, plan.world, self.allowed, plan.phone, put_off=plan)
        spent = 0

        def should_stop() -> bool:
            # Asked before every event but the launch.
            nonlocal spent
            spent += 1
            return (self.allowed is not None and spent >= self.allowed) or context.should_stop()

        try:
            observers = context.on_step, context.on_work, context.on_picture
            episode = run_episode(session, self.plan, should_stop, *observers)
        except (DeviceTimeout, BridgeError) as error:
            log.info("episode %d failed on device %d: %s", self.plan.number, context.device, error, exc_info=error)
            raise DeviceLost(str(error)) from error
        except DeviceUnavailable as error:
            if not plan.phone:
                raise
            # The ordinary phone is there, but the Android of this one may have to be downloaded first.
            raise DeviceLost(str(error)) from error
        return EpisodeOutcome(plan.number, plan.world, self.allowed, plan.phone, episode, episode.detail)

    def answer_if_late(self, error: TimeUp) -> EpisodeOutcome:
        """An episode that was not begun: it is carried out when the exploration goes on."""
        plan = self.plan
        return EpisodeOutcome(plan.number, plan.world, self.allowed, plan.phone, put_off=plan)

    def answer_if_lost(self, error: DeviceLost) -> EpisodeOutcome:
        """An outcome without an episode, so that no number is missing."""
        plan = self.plan
        return EpisodeOutcome(plan.number, plan.world, self.allowed, plan.phone, error=str(error))

"""What a device is asked to do, as values: a job goes to a session, and its answer is a value too.

A job holds no store, session or observer, so it can be pickled and run in another process. What surrounds it while it
runs is its `JobContext`. Jobs that need more than a session are beside the code they run: `fewtaps.replay.PlayEvents`
and `fewtaps.explore.jobs.RunEpisode`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Generic, TypeAlias, TypeVar

from fewtaps.device.session import Capabilities, Session, probe_teller
from fewtaps.errors import DeviceLost, TimeUp
from fewtaps.model.coverage import ProbeMap
from fewtaps.model.trace import Step

Answer_co = TypeVar("Answer_co", covariant=True)

StopSignal: TypeAlias = Callable[[], bool]
"""Whether a job should come to its end early. Asking is cheap and changes nothing."""

OnJobStep: TypeAlias = Callable[[Step], None]
"""Called with each step of a job as it happens, on the thread of the job."""


OnProgress: TypeAlias = Callable[[int, int], None]
"""Called by a long job with the events it has played and those it has to play, on the thread of the job."""


class Work(Enum):
    """What the time of a job goes into. The values are written to JSON and never change."""

    LAUNCHES = "launches"
    EVENTS = "events"
    PICTURES = "pictures"
    CHOICES = "choices"
    """Deciding which event is next."""


OnPicture: TypeAlias = Callable[[bytes], None]
"""Called with a picture of the screen, a PNG, as soon as it is taken, on the thread of the job."""

OnWork: TypeAlias = Callable[[Work, float], None]
"""Called with a piece of work and its seconds, on the thread of the job."""


def never() -> bool:
    """The signal that stops nothing."""
    return False


def ignore_step(step: Step) -> None:
    """The observer that does nothing."""


def ignore_progress(number: int, events: int) -> None:
    """The observer that does nothing."""


def ignore_work(work: Work, seconds: float) -> None:
    """The observer that does nothing."""


def ignore_picture(picture: bytes) -> None:
    """The observer that does nothing."""


@dataclass(frozen=True, slots=True)
class JobContext:
    """What surrounds a job while it runs.

    `device` is the number of the session's place in its pool, from 1: a session that replaces a lost one has the same.
    `is_paused` is asked by jobs that can be put off, before they begin.
    """

    device: int = 1
    should_stop: StopSignal = never
    is_paused: StopSignal = never
    on_step: OnJobStep = ignore_step
    on_progress: OnProgress = ignore_progress
    on_work: OnWork = ignore_work
    on_picture: OnPicture = ignore_picture


class Job(ABC, Generic[Answer_co]):
    """Something a session is asked to do."""

    __slots__ = ()

    @abstractmethod
    def run(self, session: Session, context: JobContext) -> Answer_co:
        """Does it and returns the answer. Raises DeviceLost if a fresh session may succeed."""

    def answer_if_late(self, error: TimeUp) -> Answer_co:
        """The answer of a job for which no time was left; without one, the error is raised."""
        raise error

    def answer_if_lost(self, error: DeviceLost) -> Answer_co:
        """The answer after the last session that tried was lost too; without one, the error is raised."""
        raise error


@dataclass(frozen=True, slots=True)
class AppFacts:
    """What an open session says of its app: what will not work as on a phone, the probes, and what can be asked.

    `probes` is None where coverage is not measured.
    """

    notes: tuple[str, ...]
    capabilities: Capabilities
    probes: ProbeMap | None


@dataclass(frozen=True, slots=True)
class InspectApp(Job[AppFacts]):
    """Asks a session for the facts that are known once the app is open."""

    def run(self, session: Session, context: JobContext) -> AppFacts:
        """Reads notes, capabilities and, with coverage, the probe map; does not launch the app."""
        teller = probe_teller(session)
        return AppFacts(session.notes, session.capabilities, None if teller is None else teller.probe_map())


@dataclass(frozen=True, slots=True)
class LaunchApp(Job[Step]):
    """Launches the app once, so that its code is loaded before the time of a run begins."""

    def run(self, session: Session, context: JobContext) -> Step:
        """Launches in the session's own world."""
        return session.launch()


@dataclass(frozen=True, slots=True)
class NamePhone(Job[str]):
    """Asks a session on which phone it runs."""

    def run(self, session: Session, context: JobContext) -> str:
        """Model and Android's version, "Pixel 6, Android 14"; empty where the profile names no version."""
        profile = session.settings.profile
        return f"{profile.model}, Android {profile.android}" if profile.android else ""

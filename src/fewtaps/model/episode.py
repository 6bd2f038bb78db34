"""Episode: one trace of an exploration, with the number of replayed events and why it ended."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from fewtaps.model.ending import Ending
from fewtaps.model.trace import Trace


class EpisodeEnd(Enum):
    """Why an episode ended. The values are kept in stores and never change; `model.words` has words for people."""

    STOPPED = "stopped"
    """The run was told to stop, or its events or its time were used up."""
    EVENT_LIMIT = "event_limit"
    """The episode reached the limit of new events of one episode."""
    RETURN_FAILED = "return_failed"
    """The way back to a known state led to another state."""
    APP_LEFT = "app_left"
    """The app was left, and launching it did not help."""
    OTHER_APP = "other_app"
    """Another app stayed in front."""
    NO_WINDOW = "no_window"
    """The app was in front and showed no window."""
    BLOCKED_ACTIVITY = "blocked_activity"
    """An activity of the block list stayed in front."""
    CRASHED = "crashed"
    NOT_RESPONDING = "not_responding"
    EXITED = "exited"
    """The app ended itself."""
    DEVICE_DIED = "device_died"
    """The device died during the episode; the steps up to then are known."""
    DEVICE_FAILED = "device_failed"
    """The device failed; `Episode.detail` is the error. The steps up to then are known, if there was a launch."""
    DEAD_END = "dead_end"
    """One state was not left for many events (TimeMachine's isStuck)."""
    LOOP = "loop"
    """The last states were all easy to reach (TimeMachine's isStuck)."""
    NOTHING_NEW = "nothing_new"
    """No new code was reached for many events."""
    MORE_ELSEWHERE = "more_elsewhere"
    """Another known place has more untried actions."""
    OTHER_CRASH = "other_crash"
    """A reduction met a crash other than the one it reduces; the trace ends with it."""
    UNKNOWN = "unknown"
    """The reason is not known as a value; a sentence of an older version may be in `Episode.detail`."""


ENDS_OF_APP: dict[Ending, EpisodeEnd] = {
    Ending.CRASHED: EpisodeEnd.CRASHED,
    Ending.ANR: EpisodeEnd.NOT_RESPONDING,
    Ending.EXITED: EpisodeEnd.EXITED,
    Ending.LOST: EpisodeEnd.DEVICE_DIED,
}
"""By the ending of the app's process, the end of the episode."""


@dataclass(frozen=True, slots=True)
class Episode:
    """One trace of an exploration: the launch, a replayed way back to a known state if there is one, then new events.

    `number` counts episodes in the order in which they were planned, which is also the order in which the strategy
    learns from them. Steps 1 to `replayed` are the way back; `reached` says whether it led to the known state. `end`
    says why the episode ended, and `detail` is free text beside it, such as the error of a device. `pictures` are PNGs
    by step number; `execution` is JaCoCo's record of the episode, kept if it covered something new.
    """

    number: int
    trace: Trace
    replayed: int = 0
    reached: bool = True
    end: EpisodeEnd = EpisodeEnd.UNKNOWN
    detail: str = ""
    pictures: tuple[tuple[int, bytes], ...] = ()
    execution: bytes | None = None

    @property
    def events(self) -> int:
        """How many events the device performed, the launch and the way back included."""
        return len(self.trace.steps)

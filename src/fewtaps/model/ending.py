"""Ending: how a step left the process of the app."""

from __future__ import annotations

from enum import Enum


class Ending(Enum):
    """The state of the app's process after a step."""

    RUNNING = "running"
    LEFT = "left"
    """In the background or finished: the device shows something else, and the app can come back."""
    CRASHED = "crashed"
    ANR = "anr"
    """The main thread did not answer."""
    EXITED = "exited"
    """It ended its own process."""
    LOST = "lost"
    """The device failed during the step, so the app's behaviour is unknown."""

    @property
    def is_final(self) -> bool:
        """Whether the next event must be a launch."""
        return self not in (Ending.RUNNING, Ending.LEFT)

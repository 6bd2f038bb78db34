"""Ending: how a step left the process of the app."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from fewtaps.model.record import text_in


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


def ending_in(record: Mapping[str, Any]) -> Ending:
    """The field `ending` of JSON data, `RUNNING` where it is absent. Raises ValueError for an unknown one."""
    ending = text_in(record, "ending") or Ending.RUNNING.value
    if ending not in _ENDINGS:
        raise ValueError(f"ending: not a way to end: {ending!r:.60}")
    return Ending(ending)


_ENDINGS = frozenset(ending.value for ending in Ending)

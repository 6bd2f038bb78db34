"""Episode: one trace of an exploration, with where its own part begins and why it ended."""

from __future__ import annotations

from dataclasses import dataclass

from fewtaps.model.trace import Trace


@dataclass(frozen=True, slots=True)
class Episode:
    """From launch to the end of one trace: a known way back first, if it began at a known state, then new events.

    `number` counts episodes in the order in which they were planned, which is also the order in which they are learned
    from. Steps 1 to `replayed` are the way back; `reached` says whether it led where it should. `reason` says why the
    episode ended, in words for a person. `pictures` are PNGs by step number; `execution` is JaCoCo's record of the run,
    kept where the run covered something that was not known before.
    """

    number: int
    trace: Trace
    replayed: int = 0
    reached: bool = True
    reason: str = ""
    pictures: tuple[tuple[int, bytes], ...] = ()
    execution: bytes | None = None

    @property
    def events(self) -> int:
        """How many events the device performed, the launch and the way back included."""
        return len(self.trace.steps)

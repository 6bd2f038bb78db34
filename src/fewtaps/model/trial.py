"""One run of a candidate whose runs do not all end alike."""

from __future__ import annotations

from dataclasses import dataclass

from fewtaps.model.result import Verdict


@dataclass(frozen=True, slots=True)
class Trial:
    """What one run of a candidate showed, in which world (None where there are none), on which device.

    `best_met` is what the best sequence of that moment does in that world, None if that was not known.
    """

    verdict: Verdict
    world: int | None = None
    device: str = ""
    best_met: bool | None = None

    @property
    def met(self) -> bool:
        """Whether the goal was met."""
        return self.verdict.met

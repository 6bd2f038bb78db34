"""Trial: one run of a candidate, for reductions that judge a candidate by repeated runs."""

from __future__ import annotations

from dataclasses import dataclass

from fewtaps.model.result import Verdict


@dataclass(frozen=True, slots=True)
class Trial:
    """The verdict of one run of a candidate, its world (None on a device without worlds) and its device.

    `best_met` is whether the best sequence at that moment meets the goal in the same world, None if unknown.
    """

    verdict: Verdict
    world: int | None = None
    device: str = ""
    best_met: bool | None = None

    @property
    def met(self) -> bool:
        return self.verdict.met

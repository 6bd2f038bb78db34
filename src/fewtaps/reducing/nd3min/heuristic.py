"""The paper's heuristic: confirm good-looking candidates, then discard bad-looking ones (section 4.2, figure 3)."""

from __future__ import annotations

from collections.abc import Sequence

from fewtaps.errors import UsageError
from fewtaps.reducing.nd3min.parameters import Nd3minParameters
from fewtaps.reducing.nd3min.schedule import deal
from fewtaps.reducing.nd3min.tally import Tally

LOOKS_GOOD = 0.8
"""The paper's c: from this observed rate on, a candidate is expected to pass."""


class Heuristic:
    """Runs every candidate once, and from then on fills the devices as figure 3 says.

    The paper sorts by a rate that a candidate without runs does not have. Such candidates, of which there are some in
    the second step if there were more candidates than devices, get their first run before anything else.
    """

    def __init__(self, parameters: Nd3minParameters, looks_good: float = LOOKS_GOOD) -> None:
        if not 0 < looks_good <= 1:
            raise UsageError(f"the rate that looks good is {looks_good:g}: it must be above 0 and at most 1")
        self._parameters = parameters
        self._looks_good = looks_good

    def __call__(self, tallies: Sequence[Tally], devices: int) -> tuple[int, ...]:
        """The first step goes round; later ones confirm, retry and discard, in this order, then go round."""
        rooms = [tally.room(self._parameters) for tally in tallies]
        planned = [0] * len(tallies)
        unseen = [number for number, tally in enumerate(tallies) if rooms[number] and not tally.runs]
        for number in unseen[:devices]:
            planned[number] = 1
        seen = [number for number, tally in enumerate(tallies) if rooms[number] and tally.runs]
        # sorted() keeps the order of equals, so that the plan depends on nothing but the tallies.
        seen.sort(key=lambda number: (tallies[number].rate, tallies[number].met), reverse=True)
        deferred = self._confirm(tallies, seen, devices, planned)
        deal(rooms, deferred, devices, planned)
        self._discard(tallies, seen, devices, planned)
        deal(rooms, seen + unseen, devices, planned)
        return tuple(planned)

    def _confirm(self, tallies: Sequence[Tally], seen: Sequence[int], devices: int, planned: list[int]) -> list[int]:
        """Plans for those that look good (Sc) and returns those that fit into the next step only (Sd)."""
        deferred: list[int] = []
        for number in seen:
            free = devices - sum(planned)
            if free <= 0 or tallies[number].rate < self._looks_good:
                break
            expected = self.runs_to_pass(tallies[number])
            if expected <= free:
                planned[number] = expected
            elif expected <= devices:
                deferred.append(number)
            else:
                planned[number] = free
        return deferred

    def _discard(self, tallies: Sequence[Tally], seen: Sequence[int], devices: int, planned: list[int]) -> None:
        """Plans for those that look bad (Sf), the best of them first, so that a misjudged one is noticed soon."""
        for number in seen:
            if tallies[number].rate < self._looks_good:
                planned[number] = min(self.runs_to_fail(tallies[number]), devices - sum(planned))

    def runs_to_pass(self, tally: Tally) -> int:
        """How many runs it takes, at the observed rate, until the candidate passes: x of line 11."""
        missing = self._parameters.needed - tally.met
        return min(tally.room(self._parameters), _quotient(missing * tally.runs, tally.met))

    def runs_to_fail(self, tally: Tally) -> int:
        """How many runs it takes, at the observed rate, until the candidate fails: y of line 22."""
        missing = self._parameters.spare + 1 - tally.missed
        return min(tally.room(self._parameters), _quotient(missing * tally.runs, tally.missed))


def _quotient(above: int, below: int) -> int:
    """Divides and rounds up, exactly."""
    return -(-above // below)

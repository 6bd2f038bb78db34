"""Losses: the parts of a file or trace that a conversion leaves out or changes, each reason once, with its places."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

MOST_PLACES = 8
"""A line names at most this many places and counts the others."""

AddLoss: TypeAlias = Callable[[str], None]
"""Adds a reason at one place."""


class Losses:
    """Collects reasons by place, a line of a file or a step of a trace, and writes one line per reason."""

    def __init__(self, place: str) -> None:
        self._place = place
        self._places: dict[str, list[int]] = {}
        self._counts: dict[str, int] = {}
        self._last: dict[str, int] = {}

    def add(self, number: int, reason: str) -> None:
        """Records that something at this place is lost or changed; the same reason again there changes nothing."""
        places = self._places.setdefault(reason, [])
        if self._last.get(reason) == number:
            return
        self._last[reason] = number
        self._counts[reason] = self._counts.get(reason, 0) + 1
        if len(places) < MOST_PLACES:
            places.append(number)

    def at(self, number: int) -> AddLoss:
        """A function that adds reasons at this place."""
        return lambda reason: self.add(number, reason)

    def lines(self) -> tuple[str, ...]:
        """One line per reason, in the order in which they came up."""
        return tuple(f"{where}: {reason}" for where, reason in self.located())

    def located(self) -> Iterator[tuple[str, str]]:
        """The places of each reason in words ("steps 1, 4"), and the reason."""
        yield from ((self._where(reason), reason) for reason in self._places)

    def _where(self, reason: str) -> str:
        places, count = self._places[reason], self._counts[reason]
        numbers = ", ".join(map(str, places)) + (f" and {count - len(places)} more" if count > len(places) else "")
        return f"{self._place}{'s' if count > 1 else ''} {numbers}"

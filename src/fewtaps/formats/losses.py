"""What could not be said: each reason once, with the places it applies to."""

from __future__ import annotations

SHOWN = 8


class Losses:
    """Collects reasons by place, a line of a file or a step of a trace, and tells each reason in one line."""

    def __init__(self, place: str) -> None:
        self._place = place
        self._places: dict[str, list[int]] = {}
        self._counts: dict[str, int] = {}

    def add(self, number: int, reason: str) -> None:
        """Something at this place is lost or changed."""
        places = self._places.setdefault(reason, [])
        self._counts[reason] = self._counts.get(reason, 0) + 1
        if len(places) < SHOWN:
            places.append(number)

    def lines(self) -> tuple[str, ...]:
        """One line per reason, in the order in which they came up."""
        return tuple(f"{self._where(reason)}: {reason}" for reason in self._places)

    def _where(self, reason: str) -> str:
        places, count = self._places[reason], self._counts[reason]
        numbers = ", ".join(map(str, places)) + (f" and {count - len(places)} more" if count > len(places) else "")
        return f"{self._place}{'s' if count > 1 else ''} {numbers}"

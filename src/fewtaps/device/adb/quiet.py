"""Waits until a screen rests, and remembers what never does."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from fewtaps.device.adb.agent import PhoneAgent
from fewtaps.device.adb.dumps import Path, changed_places, is_masked
from fewtaps.model.screen import Screen

IDLE_MS = 1000
"""Longest wait for half a second without an event of accessibility."""
KNOWN_IDLE_MS = 600
"""The same in an activity that is known never to rest."""
BETWEEN_SECONDS = 0.12
"""Time between two dumps that have to be equal."""
LONGEST_SECONDS = 3.0
"""Time after which what still changes is taken for something that always does."""
MOST_MASKED = 200


@dataclass(frozen=True, slots=True)
class Rested:
    """The screen at the end of a wait; `restless` says how many places still changed."""

    screen: Screen
    restless: int = 0


@dataclass(slots=True)
class Quiet:
    """Waits for the screen of one app. `masked` are the places that change by themselves, by activity."""

    agent: PhoneAgent
    look: Callable[[], Screen]
    has_ended: Callable[[], bool]
    activity: Callable[[], str | None]
    """The activity in front, as far as that is known before the screen is looked at."""
    masked: dict[str, frozenset[Path]] = field(default_factory=dict)

    def wait(self) -> Rested:
        """Looks until two screens in a row are equal, the masked places aside."""
        start = time.monotonic()
        is_known = self._is_restless(self.activity())
        self.agent.wait_for_idle(KNOWN_IDLE_MS if is_known else IDLE_MS)
        before = self.look()
        if is_known and not self._is_restless(before.activity):
            # The event led to another activity, which may rest.
            self.agent.wait_for_idle(IDLE_MS - KNOWN_IDLE_MS)
            before = self.look()
        changed: frozenset[Path] = frozenset()
        while not self.has_ended():
            time.sleep(BETWEEN_SECONDS)
            after = self.look()
            known = self.masked.get(after.activity or "", frozenset())
            changed = frozenset(place for place in changed_places(before, after) if not is_masked(place, known))
            before = after
            if not changed:
                break
            if time.monotonic() - start > LONGEST_SECONDS:
                self.masked[after.activity or ""] = frozenset(sorted(known | changed)[:MOST_MASKED])
                return Rested(after, len(changed))
        return Rested(before)

    def _is_restless(self, activity: str | None) -> bool:
        return bool(self.masked.get(activity or ""))

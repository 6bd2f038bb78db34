"""Moments: states of an emulator that its console keeps as snapshots, with the steps that led there."""

from __future__ import annotations

import logging
import secrets
from collections import OrderedDict

from fewtaps.device.adb.console import EmulatorConsole
from fewtaps.model.event import Event
from fewtaps.model.trace import Step

log = logging.getLogger(__name__)

MOST_KEPT = 10
"""Each snapshot of an emulator takes hundreds of megabytes; the one that was not used for longest is deleted."""


class Moments:
    """The moments that one session keeps, by the events that lead there."""

    def __init__(self, console: EmulatorConsole) -> None:
        self._console = console
        self._prefix = f"fewtaps-{secrets.token_hex(4)}"
        self._number = 0
        self._kept: OrderedDict[tuple[Event, ...], tuple[str, tuple[Step, ...]]] = OrderedDict()

    def save(self, way: tuple[Event, ...], steps: tuple[Step, ...]) -> None:
        """Keeps the present moment, unless the emulator refuses."""
        if way in self._kept:
            return
        self._number += 1
        name = f"{self._prefix}-{self._number}"
        if self._console.ask(f"avd snapshot save {name}") is None:
            log.info("the emulator keeps no snapshot")
            return
        self._kept[way] = name, steps
        while len(self._kept) > MOST_KEPT:
            self.forget(next(iter(self._kept)))

    def load(self, way: tuple[Event, ...]) -> tuple[Step, ...] | None:
        """Goes to the moment at the end of a way; the steps that led there, or None if it is not kept."""
        found = self._kept.get(way)
        if found is None:
            return None
        if self._console.ask(f"avd snapshot load {found[0]}") is None:
            self.forget(way)
            return None
        self._kept.move_to_end(way)
        return found[1]

    def forget(self, way: tuple[Event, ...]) -> None:
        """Deletes the snapshot of a moment."""
        found = self._kept.pop(way, None)
        if found is not None:
            self._console.ask(f"avd snapshot delete {found[0]}")

    def close(self) -> None:
        """Deletes all snapshots and leaves the console."""
        for way in tuple(self._kept):
            self.forget(way)
        self._console.close()

"""Classes that a process of the twin has translated from an APK, for the next process that opens the same APK.

Translating takes seconds of processor time, more than everything else in a first launch of a modern app. What is handed
on comes from a process in which the app's own code ran, so it is not trusted: it is not read here, and goes into the
jail of the same APK only, whose code could do the same there itself.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from pathlib import Path
from threading import Lock

from fewtaps.device.twin.jail import Place

log = logging.getLogger(__name__)

MOST_APPS = 3
"""Apps of which classes are kept in memory; each takes some megabytes."""

_kept: OrderedDict[str, bytes] = OrderedDict()
_lock = Lock()


class TranslatedClasses:
    """What is kept of one APK, by this process and for it."""

    def __init__(self, digest: str) -> None:
        self._digest = digest

    @property
    def is_known(self) -> bool:
        """Whether anything is kept."""
        with _lock:
            return self._digest in _kept

    def keep(self, packed: bytes) -> None:
        """Keeps this in the place of what was kept; nothing if it is empty."""
        if not packed:
            return
        with _lock:
            _kept[self._digest] = packed
            _kept.move_to_end(self._digest)
            while len(_kept) > MOST_APPS:
                _kept.popitem(last=False)

    def hand_in(self, place: Place) -> Path | None:
        """Writes what is kept where a process can read it, and returns the name inside; None if nothing is kept."""
        with _lock:
            packed = _kept.get(self._digest)
        if packed is None:
            return None
        try:
            (place.host_inbox / self._name).write_bytes(packed)
        except OSError as error:
            log.info("what was translated cannot be handed on: %s", error)
            return None
        return place.inbox / self._name

    def take_back(self, place: Place) -> None:
        """Removes what was handed in."""
        (place.host_inbox / self._name).unlink(missing_ok=True)

    @property
    def _name(self) -> str:
        return f"{self._digest[:16]}.translated"

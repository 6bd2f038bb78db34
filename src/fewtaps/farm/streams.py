"""The engine's streams of messages when the clock of the machine is set back.

The engine sends at most every few milliseconds, and notes by the time of day when it may send again. When the clock is
set back, it would keep all messages until the old time has come.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from typing import Any

LOOK_SECONDS = 1.0
FAR_SECONDS = 1.0
"""A pause until the next message that is longer comes from a clock that was set back."""


async def keep_sending(streams: Callable[[], Iterable[Any]]) -> None:
    """Lets streams send that wait for a time too far away; goes on until it is cancelled."""
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        for stream in streams():
            if stream.next_deadline is not None and stream.next_deadline > time.time() + FAR_SECONDS:
                stream.next_deadline = None
                stream.waker.set()

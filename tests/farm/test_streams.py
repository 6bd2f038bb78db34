"""Messages of the engine are sent after the clock of a machine was set back."""

from __future__ import annotations

import asyncio
import time

import pytest

from fewtaps.farm import streams
from fewtaps.farm.streams import keep_sending


class Stream:
    """What the engine's stream shows of itself."""

    def __init__(self, next_deadline: float | None) -> None:
        self.next_deadline = next_deadline
        self.waker = asyncio.Event()


def test_a_stream_that_waits_for_a_far_time_sends_now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "LOOK_SECONDS", 0.01)
    soon = time.time() + 0.5

    async def look() -> None:
        stuck, idle, busy = Stream(time.time() + 36000), Stream(None), Stream(soon)
        looking = asyncio.ensure_future(keep_sending(lambda: [idle, busy, stuck]))
        await asyncio.wait_for(stuck.waker.wait(), 20)
        looking.cancel()
        assert stuck.next_deadline is None
        assert (idle.next_deadline, busy.next_deadline) == (None, soon)
        assert not idle.waker.is_set() and not busy.waker.is_set()

    asyncio.run(look())

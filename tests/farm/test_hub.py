"""The hub as a value: which slots it takes in, and what it tells of lessons."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from fewtaps.farm.facts import facts_of
from fewtaps.farm.hub import Hub


class _Workers:
    """As much of a scheduler as a hub without slots asks for."""

    workers: dict[str, Any] = {}
    handlers: dict[str, Any] = {}

    def worker_send(self, address: str, message: dict[str, Any]) -> None:
        """No slot is connected."""


@pytest.fixture
def hub(tmp_path: Path) -> Hub:
    made = Hub(tmp_path)
    asyncio.run(made.start(_Workers()))  # type: ignore[arg-type]
    return made


def test_a_slot_of_another_version_is_refused(hub: Hub) -> None:
    facts = {**facts_of(), "java": "21"}
    assert hub.join(facts, "twin", "twin", "m1") == {"number": 1}
    refused = hub.join({**facts, "java": "17"}, "twin", "twin", "m2")
    assert refused == {"refused": "java is 17 and should be 21"}
    assert "python is 2.7" in hub.join({**facts, "python": "2.7"}, "twin", "twin", "m3")["refused"]
    assert "on m3 was refused" in hub.status()["losses"][-1]


def test_a_phone_is_lent_once(hub: Hub) -> None:
    assert hub.join(facts_of(), "adb:one", "adb", "m1") == {"number": 1}
    assert "used by another slot" in hub.join(facts_of(), "adb:one", "adb", "m2")["refused"]
    assert hub.join(facts_of(), "adb:two", "adb", "m2") == {"number": 2}


def test_a_slot_that_sees_another_app_than_the_first_is_told_so(hub: Hub) -> None:
    assert hub.canary("slot-1", "app", "seen") == ""
    assert hub.canary("slot-2", "app", "seen") == ""
    assert "not as on the other slots" in hub.canary("slot-3", "app", "seen otherwise")


def test_lessons_lead_from_a_snapshot_and_old_ones_are_dropped(hub: Hub) -> None:
    async def tell() -> None:
        assert hub.begin("run", "client", "app", 4, "simulated", facts_of(), b"plan") == ""
        await hub.snapshot("run", 0, level=0, needed=0, content=b"first")
        for number in range(10):
            await hub.teach("run", 0, number, bytes([number]))
        late = await hub.lessons("run", 0, known=-1, level=3)
        assert late == {"snapshot": b"first", "lessons": [b"\0", b"\1", b"\2"]}
        assert await hub.lessons("run", 0, known=7, level=9) == {"snapshot": None, "lessons": [b"\7", b"\x08"]}
        await hub.snapshot("run", 0, level=8, needed=4, content=b"second")
        assert (await hub.lessons("run", 0, known=-1, level=5) or {})["snapshot"] == b"first"
        await hub.snapshot("run", 0, level=10, needed=8, content=b"third")
        assert await hub.lessons("run", 0, known=-1, level=9) == {"snapshot": b"second", "lessons": [b"\x08"]}
        hub.end("run")
        assert await hub.lessons("run", 0, known=0, level=1) is None

    asyncio.run(tell())


def test_a_lesson_that_is_on_its_way_is_awaited(hub: Hub) -> None:
    async def tell() -> None:
        hub.begin("run", "client", "app", 4, "simulated", facts_of(), b"plan")
        asked = asyncio.ensure_future(hub.lessons("run", 0, known=-1, level=1))
        await asyncio.sleep(0)
        await hub.teach("run", 0, 0, b"lesson")
        await hub.snapshot("run", 0, level=0, needed=0, content=b"first")
        assert await asyncio.wait_for(asked, 10) == {"snapshot": b"first", "lessons": [b"lesson"]}

    asyncio.run(tell())

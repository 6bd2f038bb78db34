"""The hub as a value: which slots it takes in, and what it tells of lessons."""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fewtaps.farm.facts import facts_of
from fewtaps.farm.hub import COMING_SECONDS, LOOK_SECONDS, Hub, _SlotRecord


class _Workers:
    """As much of a scheduler as a hub without slots asks for."""

    def __init__(self) -> None:
        self.workers: dict[str, Any] = {}
        self.handlers: dict[str, Any] = {}
        self.removed: list[str] = []

    async def remove_worker(self, address: str, *, stimulus_id: str) -> None:
        """The slot is not connected any more."""
        del self.workers[address]
        self.removed.append(address)

    def worker_send(self, address: str, message: dict[str, Any]) -> None:
        """No slot is connected."""


@pytest.fixture
def workers() -> _Workers:
    return _Workers()


@pytest.fixture
def hub(tmp_path: Path, workers: _Workers) -> Hub:
    made = Hub(tmp_path)
    asyncio.run(made.start(workers))  # type: ignore[arg-type]
    return made


@pytest.mark.parametrize("count", [1, 500, 4000])
def test_silence_is_noticed_within_45_s_on_a_farm_of_any_size(hub: Hub, workers: _Workers, count: int) -> None:
    now = 1000.0
    hub._clock = lambda: now
    for number in range(1, count + 1):
        hub._slots[f"slot-{number}"] = _SlotRecord(number, "simulated", "simulated", "m1", heard=now)
        hub._names[f"tcp://{number}"] = f"slot-{number}"
        workers.workers[f"tcp://{number}"] = SimpleNamespace(name=f"slot-{number}")
    pause = 0.0
    next_report, next_look = now, now
    while not workers.removed:
        now += 1
        assert now < 1045, "slot 1 says nothing"
        if now >= next_report:
            for number in range(2, count + 1):
                pause = hub.report(f"slot-{number}", {})
            next_report = now + max(pause, 1)
        if now >= next_look:
            asyncio.run(hub.give_up_silent_slots())
            next_look = now + LOOK_SECONDS
    assert workers.removed == ["tcp://1"] and "slot-1" not in hub._slots
    assert "slot 1 on m1 is silent for 3" in hub.status()["losses"][-1]
    # The hub itself stood still for a minute: what the others told meanwhile is not read yet.
    now += 60
    asyncio.run(hub.give_up_silent_slots(late=60))
    assert workers.removed == ["tcp://1"]


def test_a_phone_of_a_slot_that_never_came_can_be_lent_again(hub: Hub) -> None:
    now = 0.0
    hub._clock = lambda: now
    assert hub.join(facts_of(), "adb:one", "adb", "m1") == {"number": 1}
    now = COMING_SECONDS + 1
    asyncio.run(hub.give_up_silent_slots())
    assert hub.join(facts_of(), "adb:one", "adb", "m2") == {"number": 2}


def test_a_slot_of_another_version_is_refused(hub: Hub) -> None:
    facts = {**facts_of(), "java": "21"}
    assert hub.join(facts, "twin", "twin", "m1") == {"number": 1}
    refused = hub.join({**facts, "java": "17"}, "twin", "twin", "m2")
    assert refused == {"refused": "java is 17 and should be 21"}
    assert "python is 2.7" in hub.join({**facts, "python": "2.7"}, "twin", "twin", "m3")["refused"]
    assert "on m3 was refused" in hub.status()["losses"][-1]
    hub.leave("slot-1", "its disk is full")
    assert "number" in hub.join({**facts, "java": "17"}, "twin", "twin", "m2"), "no other slot is there to differ from"


def test_a_phone_is_lent_once(hub: Hub) -> None:
    assert hub.join(facts_of(), "adb:one", "adb", "m1") == {"number": 1}
    assert "used by another slot" in hub.join(facts_of(), "adb:one", "adb", "m2")["taken"]
    assert hub.join(facts_of(), "adb:two", "adb", "m2") == {"number": 2}


def test_a_name_of_the_machine_itself_is_another_phone_on_another_machine(hub: Hub) -> None:
    for machine in ("m1", "m2"):
        assert "number" in hub.join(facts_of(), "adb:emulator-5554", "adb", machine)
        assert "used by another slot" in hub.join(facts_of(), "adb:emulator-5554", "adb", machine)["taken"]


def test_a_run_uses_phones_of_one_group_only(hub: Hub, workers: _Workers) -> None:
    def join(serial: str, group: str) -> None:
        number = hub.join(facts_of(), f"adb:{serial}", "adb", "m1", group)["number"]
        workers.workers[f"tcp://{serial}"] = SimpleNamespace(name=f"slot-{number}", last_seen=0.0)
        hub.add_worker(workers, f"tcp://{serial}")  # type: ignore[arg-type]

    def begin(run: str, backend: str = "adb") -> None:
        assert hub.begin(run, "client", "app", 8, backend, facts_of(), b"plan") == ""

    def used(run: str) -> set[str]:
        return {address.removeprefix("tcp://") for address, _ in hub.share(run)}

    begin("first")
    assert used("first") == set()
    join("a", "Pixel 6, API level 33")
    join("b", "Pixel 6, API level 34")
    join("c", "Pixel 6, API level 34")
    assert used("first") == {"a"}, "the group of the first phone that came"
    begin("second")
    assert used("second") == {"b", "c"}, "the group that has most for it"
    begin("third", "twin")
    assert used("third") == set()
    hub.remove_worker(workers, "tcp://a", stimulus_id="test")  # type: ignore[arg-type]
    assert used("first") == set(), "no phone of another group takes its place"
    assert [run["group"] for run in hub.status()["runs"]] == ["Pixel 6, API level 33", "Pixel 6, API level 34", ""]


def test_an_apk_that_changed_on_its_way_is_not_kept(hub: Hub, tmp_path: Path) -> None:
    digest = hashlib.sha256(b"old").hexdigest()
    assert hub.put_apk(digest, 0, b"new") == ""
    assert hub.put_apk(digest, 3, b"") == "the APK changed while it was sent; begin the run again"
    assert not hub.has_apk(digest) and not list(tmp_path.glob("*.apk")) + list(tmp_path.glob("*.upload"))
    assert hub.put_apk(digest, 0, b"old") == hub.put_apk(digest, 3, b"") == ""
    assert hub.has_apk(digest) and hub.get_apk(digest, 1) == b"ld"


def test_a_slot_that_sees_another_app_than_the_first_is_told_so(hub: Hub) -> None:
    first = [{"world": "0"}, {"event": "1", "after": "2"}, {"event": "3", "after": "4", "covered": "5"}]
    assert hub.canary("slot-1", "app", first) == ""
    assert hub.canary("slot-2", "app", [dict(each) for each in first]) == ""
    other = [*first[:2], {"event": "3", "after": "9"}]
    words = "the app does not behave as on the other slots: "
    assert hub.canary("slot-3", "app", other) == words + "event 1 after the launch differs in after, covered"
    assert hub.canary("slot-3", "app", first[:2]) == words + "it ended after 1 steps and should end after 2"
    assert hub.canary("slot-3", "another", other) == "", "the first slot of that app"


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

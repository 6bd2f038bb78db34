"""An app that hands over odd things: a step is described all the same, and nothing that it took stays taken."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from integration.player import Player

from fewtaps.device.twin.device import TwinDevice, TwinSession
from fewtaps.model.app import App
from fewtaps.model.ending import Ending
from fewtaps.model.event import Wait

pytestmark = pytest.mark.jvm

PACKAGE = "dev.fewtaps.samples.untidy"


@pytest.fixture(scope="module")
def session(twin: TwinDevice, sample: Callable[[str], App]) -> Iterator[TwinSession]:
    with twin.open(sample("untidy")) as opened:
        yield opened


def test_what_an_app_hands_over_is_described(session: TwinSession) -> None:
    player = Player(session)
    step = player.tap("Log").step
    assert step.ending is Ending.RUNNING
    assert step.log[0] == "W/: without a tag"
    assert step.log[1].startswith(f"W/: null\n{PACKAGE}.Unhelpful")
    step = player.tap("Odd texts").step
    assert step.after.shows("odd texts") and step.after.shows("described")
    crash = player.tap("Odd exception").step.crash
    assert crash is not None and crash.root is not None
    assert (crash.root.type, crash.root.message, crash.suspect) == (f"{PACKAGE}.Unhelpful", None, None)


def test_a_part_of_an_old_package_goes_with_the_part_that_the_phone_has(session: TwinSession) -> None:
    assert Player(session).tap("Old package").step.after.shows("timeout 7")


def test_paths_are_those_of_a_phone(session: TwinSession) -> None:
    player = Player(session)
    shown = player.tap("Paths").step.after
    assert shown.shows(f"files /data/user/0/{PACKAGE}/files")
    assert shown.shows("shared /storage/emulated/0")
    shown = player.tap("Database by path").step.after
    assert shown.shows("exists true") and shown.shows("rows 1")
    crash = player.tap("Missing file").step.crash
    assert crash is not None and crash.root is not None
    assert (crash.root.message or "").startswith(f"/data/user/0/{PACKAGE}/files/missing.txt")


def test_a_watched_folder_tells_its_changes(session: TwinSession) -> None:
    player = Player(session).tap("Watch")
    shown = session.perform(Wait(1000)).after
    assert [text for text in ("100", "2", "8") if not shown.shows(f"event {text} watched.txt")] == []
    assert player.step.ending is Ending.RUNNING


def test_what_an_app_takes_from_the_host_is_returned_at_the_next_launch(session: TwinSession) -> None:
    def taken() -> dict[str, int]:
        session.launch()
        process = session.reopen()
        (java,) = [pid for pid in _family(process.pid) if Path(f"/proc/{pid}/comm").read_text().strip() == "java"]
        links = [_link(path) for path in Path(f"/proc/{java}/fd").iterdir()]
        return {
            "descriptors": len(links),
            "inotify": sum("inotify" in link for link in links),
            "threads": len(list(Path(f"/proc/{java}/task").iterdir())),
            "temporary": len(os.listdir(f"/proc/{java}/root{process.place.temporary}")),
        }

    # The first times the runtime itself opens what it keeps: compilers, jars, a collector.
    for _ in range(2):
        Player(session).tap("Take everything")
    before = taken()
    for _ in range(2):
        assert Player(session).tap("Take everything").step.after.shows("taken")
    after = taken()
    assert after["inotify"] == 0
    # A compiler or collector of the runtime may come or go; the app takes 20 of each at a time.
    assert {name: after[name] - before[name] for name in after if after[name] - before[name] > 4} == {}


def _family(pid: int) -> list[int]:
    found = [pid]
    for parent in found:
        text = Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="ascii")
        found.extend(int(child) for child in text.split())
    return found


def _link(path: Path) -> str:
    try:
        return os.readlink(path)
    except FileNotFoundError:
        return ""

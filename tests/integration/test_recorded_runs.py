"""Recorded runs on the twin, by raw coordinates and nothing else: they end in the crash that the phone had.

The apps are their authors'. Whoever has them names the folder in `FEWTAPS_RECORDED_APPS`; else these tests skip.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from integration.player import Player
from recordings import Recording, iter_recordings

from fewtaps.apk.reader import read_apk
from fewtaps.device.session import SessionSettings
from fewtaps.device.twin.device import TwinDevice, TwinSession
from fewtaps.model.app import App

APPS = os.environ.get("FEWTAPS_RECORDED_APPS")
REPLAYED = {"Tippy": range(1, 10), "Dalvik": (1, 2, 3, 4, 5, 8, 10), "Chart": (1,)}
"""The others need what was on the phone besides: its files and locales (Dalvik 6, 7, 9, 11), its home screen (the rest
of Chart), its soft keyboard (Yahtzee)."""

EXACT = {"Dalvik/1", "Chart/1", *(f"Tippy/{number}" for number in range(1, 10) if number != 3)}
"""Those in which, event by event, the same activity was in front as on the phone, and the last one crashed it."""

RUNS = [run for run in iter_recordings() if run.number in REPLAYED.get(run.app, ())]
pytestmark = [
    pytest.mark.jvm,
    pytest.mark.skipif(not RUNS, reason="the recordings are not beside this checkout"),
    pytest.mark.skipif(APPS is None, reason="FEWTAPS_RECORDED_APPS does not name the folder of the recorded apps"),
]


@pytest.fixture(scope="module")
def apps() -> dict[str, App]:
    """The apps in the folder, by package."""
    read = (read_apk(path) for path in sorted(Path(APPS or "").glob("*.apk")))
    return {app.package: app for app in read}


@pytest.fixture
def session(twin: TwinDevice, apps: dict[str, App], recording: Recording) -> Iterator[TwinSession]:
    if recording.package not in apps:
        pytest.skip(f"no {recording.package} in {APPS}")
    settings = SessionSettings(profile=recording.profile, neighbours="absent", coverage="off")
    with twin.open(apps[recording.package], settings) as opened:
        yield opened


def prepare(player: Player, app: str) -> None:
    """Brings the app to where the recording found it: on that phone it had been started before, and lay on its side."""
    if app == "Chart":
        player.tap("kilogram", "Skip").rotate("landscape")


@pytest.mark.parametrize("recording", RUNS, ids=lambda run: run.name)
def test_it_ends_in_the_crash_of_the_phone(recording: Recording, session: TwinSession) -> None:
    player = Player(session)
    prepare(player, recording.app)
    fronts = []
    for event in recording.events:
        if player.step.ending.is_final:
            break
        fronts.append(player.screen.activity)
        player.do(event)
    crash = player.step.crash
    assert crash is not None and crash.exceptions[0].type == recording.exception
    assert crash.exceptions[0].message == recording.message
    if recording.name in EXACT:
        assert tuple(fronts) == recording.fronts

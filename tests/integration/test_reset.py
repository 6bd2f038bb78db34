"""A launch is a fresh process on a fresh phone: nothing of the run before remains."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from integration.conftest import OpenSample
from integration.player import Player

from fewtaps.device.session import SessionSettings
from fewtaps.device.twin.device import TwinDevice
from fewtaps.model.app import App
from fewtaps.model.ending import Ending
from fewtaps.model.event import SystemEvent

pytestmark = pytest.mark.jvm

FRESH = [
    *("statics 0", "preferences 0", "files 0", "databases 0", "cache 0", "external 0"),
    *("property null", "locale en_US zone UTC", "threads 0"),
]


def test_nothing_of_the_run_before_remains(open_sample: OpenSample) -> None:
    session = open_sample("lab")
    player = Player(session).open("ResetActivity")
    assert player.said == FRESH
    assert player.tap("Dirty").wait(5000).tap("Count").said == [
        *("statics 1", "preferences 1", "files 1", "databases 1", "cache 1", "external 1"),
        *("property yes", "locale de_DE zone Asia/Tokyo", "threads 1"),
    ]
    assert Player(session).open("ResetActivity").said == FRESH


def test_preferences_databases_and_files_are_gone(open_sample: OpenSample) -> None:
    session = open_sample("lab")
    player = Player(session).open("PreferencesActivity").tap("Count", "Commit")
    player.back().open("DatabaseActivity").tap("Insert")
    player.back().open("FilesActivity").tap("Write", "Card")
    player.back().open("ProviderActivity").tap("Insert")
    again = Player(session).open("PreferencesActivity")
    assert again.said == ["all {}"]
    assert again.back().open("DatabaseActivity").tap("Insert").said == ["create", "inserted 1"]
    assert again.back().open("FilesActivity").tap("List").said == ["files []"]
    assert again.back().open("ProviderActivity").tap("Query").said == ["rows 0"]


def test_the_phone_around_the_app_is_fresh(open_sample: OpenSample) -> None:
    session = open_sample("lab")
    player = Player(session).open("SystemActivity").rotate("landscape")
    player.do(SystemEvent("locale", (("to", "de-DE"),)))
    player.do(SystemEvent("permission", (("name", "android.permission.CAMERA"), ("to", "denied"))))
    player.back().open("ClipboardActivity").tap("Copy")
    player.back().open("NotificationActivity").tap("Notify")
    again = Player(session).open("SystemActivity")
    assert again.screen.rotation == 0
    assert again.tap("Locale").said == ["locale en_US cancel = Cancel"]
    assert again.tap("Screen").said == ["screen 720x1280 density 320"]
    assert again.back().open("ClipboardActivity").tap("Paste").said == ["pasted nothing"]
    assert again.back().open("NotificationActivity").tap("Active").said == ["active 0"]
    assert again.back().open("PermissionActivity").said == ["camera granted"]


def test_pending_work_does_not_reach_into_the_next_run(open_sample: OpenSample) -> None:
    session = open_sample("lab")
    player = Player(session).open("BackgroundActivity").tap("Post delayed", "Timer", "Thread", "Async task")
    player.open("AlarmActivity").tap("Set")
    player.open("JobActivity").tap("Schedule")
    player.open("ToastActivity").tap("Long toast")
    again = Player(session)
    assert not again.shows("long toast")
    again.open("BackgroundActivity").wait(10_000)
    assert again.heard == []


def test_the_clock_starts_anew(open_sample: OpenSample) -> None:
    session = open_sample("lab")
    first = Player(session).wait(60_000).step.clock_ms
    second = Player(session)
    assert second.step.clock_ms < first
    assert second.wait(60_000).step.clock_ms == first


def test_a_run_is_the_same_after_whatever_run(open_sample: OpenSample) -> None:
    session = open_sample("lab")

    def look() -> object:
        player = Player(session).open("RandomActivity").tap("Roll", "Clock")
        return player.heard, player.screen

    fresh = look()
    Player(session).open("ResetActivity").tap("Dirty").open("BackgroundActivity").tap("Thread", "Race")
    assert look() == fresh


def test_two_apps_alternate_on_one_device(twin: TwinDevice, sample: Callable[[str], App]) -> None:
    settings = SessionSettings(launch_ms=500)
    with twin.open(sample("lab"), settings) as lab, twin.open(sample("tipsplit"), settings) as tips:
        seen = []
        for _ in range(2):
            player = Player(lab).open("ResetActivity")
            seen.append(player.said)
            player.tap("Dirty")
            other = Player(tips).tap("more")
            assert other.screen.package == "dev.fewtaps.samples.tipsplit"
            assert other.step.ending is Ending.RUNNING
        assert seen == [FRESH, FRESH]


def test_coverage_belongs_to_its_run(open_sample: OpenSample) -> None:
    session = open_sample("tipsplit")
    first = Player(session)
    launched = first.step.covered
    assert launched.lines and launched.methods
    more = first.tap("more").step.covered
    again = Player(session)
    assert again.step.covered == launched
    assert again.tap("more").step.covered == more

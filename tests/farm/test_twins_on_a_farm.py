"""Real twins as slots of a farm: the episodes of one machine, also when a slot is killed, and no process is left."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from local_farm import LocalFarm, children, digest_of, is_alive, until

from fewtaps.config import DeviceSettings, ExploreLimits, ExploreSettings
from fewtaps.device.twin.jail import jail_problem
from fewtaps.pipeline.exploring import explore_app
from fewtaps.pipeline.news import EpisodeKept, News

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

APK = str(Path(__file__).resolve().parents[2] / "samples" / "tipsplit.apk")
JAILED = jail_problem() is None
EVENTS = 90


def explored(folder: Path, farm: str = "", kill: list[int] | None = None, apk: str = APK) -> str:
    """The digest of an exploration.

    `kill` is a slot's process that is killed when an episode was kept; the APK file is spoiled then too.
    """

    def on_news(news: News) -> None:
        if kill and isinstance(news, EpisodeKept):
            os.kill(kill.pop(), signal.SIGKILL)
            Path(apk).write_bytes(b"another build, of which half is copied")

    settings = ExploreSettings(
        folder,
        DeviceSettings(farm=farm, jail=JAILED),
        ExploreLimits(events=EVENTS),
        parameters=("episode.events=15",),
        width=6,
        pictures=False,
        vary=(),
    )
    explore_app(apk, settings, on_news)
    return digest_of(folder)


def descendants(pid: int) -> list[int]:
    """All processes that a process has started, and those that these have started."""
    return [each for child in children(pid) for each in (child, *descendants(child))]


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalFarm]:
    """A farm with one twin."""
    made = LocalFarm(tmp_path_factory.mktemp("farm"))
    try:
        made.add_worker(1, ("--device", "twin"))
        yield made
    finally:
        made.close()


@pytest.mark.timeout(600)
def test_twins_a_kill_and_an_apk_that_changes_give_the_episodes_of_threads(twins: LocalFarm, tmp_path: Path) -> None:
    by_threads = explored(tmp_path / "threads")
    assert explored(tmp_path / "one", twins.address) == by_threads
    twins.add_worker(1, ("--device", "twin"))
    victim = twins.slot_processes()[0]
    until(lambda: len(descendants(victim)) >= 1, "the twin of the first slot, which is kept open")
    mine = descendants(victim)
    names = {Path(f"/proc/{pid}/comm").read_text("utf-8").strip() for pid in mine}
    assert any(name.startswith("java") for name in names) and ("bwrap" in names or not JAILED), names
    lost = twins.status()["lost"]
    copy = tmp_path / "copy.apk"
    copy.write_bytes(Path(APK).read_bytes())
    assert explored(tmp_path / "two", twins.address, [victim], str(copy)) == by_threads
    assert twins.status()["lost"] > lost
    until(lambda: not any(is_alive(pid) for pid in mine), "Java and its jail to end with their slot", 10)
    until(lambda: len(twins.status()["slots"]) == 2, "the slot to be started again")


@pytest.mark.timeout(200)
def test_workers_that_end_leave_no_java(twins: LocalFarm, tmp_path: Path) -> None:
    explored(tmp_path, twins.address)
    mine = [each for worker in twins.workers for each in descendants(worker.pid)]
    assert any(Path(f"/proc/{pid}/comm").read_text("utf-8").startswith("java") for pid in mine)
    for worker, number in zip(twins.workers, (signal.SIGKILL, signal.SIGINT), strict=False):
        worker.send_signal(number)
        worker.wait(30)
    twins.workers.clear()
    until(lambda: not any(is_alive(pid) for pid in mine), "Java and its jail to end with their worker", 10)

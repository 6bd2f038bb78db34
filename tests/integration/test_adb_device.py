"""The adb backend on a twin that is served as a device, through a real adb server.

With `-m phone` the checks run on the phone or emulator that `ANDROID_SERIAL` names.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from adb_backend.rig import PhoneRig, served
from adbd.rig import ADB

from fewtaps.cli.main import main
from fewtaps.device.adb.device import AdbDevice
from fewtaps.device.conformance import CHECKS, Check, Subject
from fewtaps.device.twin.device import TwinDevice
from fewtaps.model.app import App
from fewtaps.model.event import Event, Launch, Selector, Tap, Text
from fewtaps.model.screen import Screen
from fewtaps.model.trace import Step, Trace
from fewtaps.tracefile import write_trace

IDS = "dev.fewtaps.samples.tipsplit:id/"
BILL = Selector(resource_id=f"{IDS}bill")

pytestmark = [pytest.mark.skipif(ADB is None, reason="there is no adb on this machine"), pytest.mark.slow]


def tap(screen: Screen, name: str) -> Tap:
    selector = Selector(resource_id=IDS + name)
    located = screen.find(selector)
    assert located is not None, f"the sample's first screen has no {name}"
    return Tap(*located.widget.bounds.centre, selector)


@contextmanager
def subject_on(device: AdbDevice, app: App) -> Iterator[Subject]:
    """The bill splitter: 'more' changes the screen, and sharing among nobody crashes."""
    try:
        with device.open(app) as session:
            first = session.launch().after
            fewer, more, split = (tap(first, name) for name in ("fewer", "more", "split"))
            crashes = (Text("60", replace=True, selector=BILL), fewer, fewer, split)
            yield Subject(session, (more, more, fewer), crashes, field=BILL, device=device)
    finally:
        device.close()


@pytest.fixture(scope="module")
def rig(twin: TwinDevice, sample: Callable[[str], App], tmp_path_factory: pytest.TempPathFactory) -> Iterator[PhoneRig]:
    app, folder = sample("tipsplit"), tmp_path_factory.mktemp("adb")
    with pytest.MonkeyPatch.context() as patch, twin.open(app) as session, served(session, folder) as served_rig:
        # The jars stay where they are; the lock and the kept settings of this device are the test's own.
        patch.setattr("fewtaps.device.adb.locks.cache_dir", lambda: folder / "cache")
        yield served_rig


@pytest.mark.jvm
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


@pytest.fixture(scope="module")
def served_subject(rig: PhoneRig) -> Iterator[Subject]:
    with subject_on(AdbDevice(rig.serial, rig.server), rig.phone.app) as subject:
        yield subject


@pytest.mark.jvm
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_a_served_twin_conforms(check: Check, served_subject: Subject) -> None:
    check(served_subject)


@pytest.fixture(scope="module")
def phone_subject(sample: Callable[[str], App]) -> Iterator[Subject]:
    serial = os.environ.get("ANDROID_SERIAL")
    if not serial:
        pytest.skip("ANDROID_SERIAL names no phone or emulator")
    with subject_on(AdbDevice(serial), sample("tipsplit")) as subject:
        yield subject


@pytest.mark.phone
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_a_phone_conforms(check: Check, phone_subject: Subject) -> None:
    check(phone_subject)

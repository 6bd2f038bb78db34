"""The adb backend on a twin that is served as a device, through a real adb server.

With `-m phone` the checks run on the phone or emulator that `ANDROID_SERIAL` names.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from adb_backend.rig import served
from adbd.rig import ADB

from fewtaps.device.adb.device import AdbDevice, AdbSession
from fewtaps.device.conformance import CHECKS, Check, Subject
from fewtaps.device.twin.device import TwinDevice
from fewtaps.model.app import App
from fewtaps.model.event import Selector, Tap, Text
from fewtaps.model.screen import Screen
from fewtaps.replay import play

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
def served_subject(
    twin: TwinDevice, sample: Callable[[str], App], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Subject]:
    app, folder = sample("tipsplit"), tmp_path_factory.mktemp("adb")
    with pytest.MonkeyPatch.context() as patch, twin.open(app) as session, served(session, folder) as rig:
        # The jars stay where they are; the lock and the kept settings of this device are the test's own.
        patch.setattr("fewtaps.device.adb.locks.cache_dir", lambda: folder / "cache")
        with subject_on(AdbDevice(rig.serial, rig.server), app) as subject:
            yield subject


@pytest.mark.jvm
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_a_served_twin_conforms(check: Check, served_subject: Subject) -> None:
    check(served_subject)


@pytest.mark.jvm
def test_a_served_twin_crashes_as_the_twin_itself(
    twin: TwinDevice, sample: Callable[[str], App], served_subject: Subject
) -> None:
    over_adb = play(served_subject.session, served_subject.crashes)
    assert isinstance(served_subject.session, AdbSession)
    assert over_adb.crash is not None
    assert over_adb.crash.signature.startswith("java.lang.ArithmeticException at dev.fewtaps.samples.tipsplit.")
    # The served session is the twin's own: a second one of the same app would end its run.
    assert over_adb.screen == (720, 1280, 320)
    assert over_adb.steps[-1].before.find(BILL) is not None


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

"""What becomes of a session when its JVM is replaced or dies: nothing that its user would notice later."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from fewtaps.cache import cache_dir
from fewtaps.device.twin.device import TwinDevice
from fewtaps.device.twin.jail import jail_problem
from fewtaps.device.twin.usage import family
from fewtaps.model.app import App
from fewtaps.model.crash import CrashKind
from fewtaps.model.ending import Ending
from fewtaps.model.event import Selector, Tap, Wait
from fewtaps.model.recorded_code import ClassCode, Code, Op

pytestmark = pytest.mark.jvm


def _pid(device: TwinDevice) -> int:
    assert device._process is not None
    return device._process.pid


def _without_resource_names(code: Code) -> Code:
    return Code({name: _class_without_resource_names(each) for name, each in code.classes.items()})


def _class_without_resource_names(code: ClassCode) -> ClassCode:
    methods = (
        replace(
            method,
            instructions=tuple(
                replace(each, name=None) if each.op is Op.CONST else each for each in method.instructions
            ),
        )
        for method in code.methods
    )
    return replace(code, methods=tuple(methods))


def test_a_jvm_that_has_grown_past_its_limit_is_replaced_between_runs(sample: Callable[[str], App]) -> None:
    device = TwinDevice(jail=jail_problem() is None, rss_limit_mb=1)
    with device, device.open(sample("tipsplit")) as session:
        first, first_pid = session.launch(), _pid(device)
        second, second_pid = session.launch(), _pid(device)
    assert first_pid != second_pid
    assert first == second


def test_a_jvm_killed_under_a_run_is_told_and_the_next_launch_works(sample: Callable[[str], App]) -> None:
    with TwinDevice(jail=jail_problem() is None) as device, device.open(sample("tipsplit")) as session:
        first = session.launch()
        session.launch_recorded()
        whole = session.record()
        # The jail's keeper and the JVM in it: one alone might still answer for a moment.
        for pid in reversed(family(_pid(device))):
            os.kill(pid, signal.SIGKILL)
        lost = session.perform(Wait(100))
        assert lost.ending is Ending.LOST
        assert lost.crash is not None
        assert lost.crash.suspect is not None
        # What was recorded before is not lost, and another process describes its code.
        left = session.record()
        assert left.words[: len(whole.words)].tolist() == whole.words.tolist()
        # Names of resources are known where the app was launched alone.
        assert left.code == _without_resource_names(whole.code)
        assert session.launch() == first


@pytest.mark.timeout(900)
def test_a_heap_that_was_full_is_told_the_same_way_each_time(sample: Callable[[str], App]) -> None:
    with TwinDevice(jail=jail_problem() is None) as device, device.open(sample("misbehave")) as session:
        crashes = []
        for _ in range(6):
            first = session.launch()
            button = first.after.find(Selector(text="Memory"))
            assert button is not None
            crashes.append(session.perform(Tap(*button.widget.bounds.centre)).crash)
    assert all(crash is not None and crash.kind is CrashKind.MEMORY for crash in crashes)
    assert len(set(crashes)) == 1


def test_a_jvm_shares_the_fonts_of_the_cache_and_unpacks_none(sample: Callable[[str], App]) -> None:
    with TwinDevice(jail=False) as device, device.open(sample("tipsplit")) as session:
        session.launch()
        assert device._process is not None
        mapped = [Path(f"/proc/{pid}/maps").read_text("utf-8") for pid in family(_pid(device))]
        unpacked = [path.name for path in device._process.place.host.rglob("*") if path.suffix in (".ttf", ".ttc")]
    assert any(str(cache_dir() / "fonts") in text for text in mapped)
    assert unpacked == []

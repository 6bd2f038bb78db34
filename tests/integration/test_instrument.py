"""Instrumented apps on the twin: both countings agree, at each step; over adb the same; bad input."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from adb_backend.rig import served
from adbd.rig import ADB

from fewtaps.apk.instrumented import read_probe_table
from fewtaps.cli.main import main
from fewtaps.device.adb.device import AdbDevice
from fewtaps.device.adb.entry import ADB as BACKEND
from fewtaps.device.session import Capability
from fewtaps.device.twin.device import TwinDevice
from fewtaps.explore.monkey import Monkey
from fewtaps.model.app import App
from fewtaps.model.coverage import NO_COVERAGE, Coverage, ProbeSet
from fewtaps.model.event import Event, Launch, Selector, Tap, Text
from fewtaps.model.probe_table import ProbeTable
from fewtaps.model.screen import Screen, WidgetFlags
from fewtaps.model.trace import Step
from fewtaps.pipeline.instrumenting import instrument_app

EVENTS = 25

pytestmark = [pytest.mark.slow, pytest.mark.jvm]


def instrumented(app: App, folder: Path) -> tuple[App, ProbeTable]:
    target = folder / "instrumented.apk"
    instrument_app(app.path, target, "app", None, jail=True)
    table = read_probe_table(target)
    assert table is not None
    return BACKEND.read_app(str(target), False), table


def taps(screen: Screen, chance: Random) -> Event:
    """A tap on something that takes taps, most of the time."""
    places = [each.widget for each in screen.iter_touchable() if WidgetFlags.CLICKABLE in each.widget.flags]
    if places and chance.random() < 0.8:
        return Tap(*chance.choice(places).bounds.centre)
    return Monkey().event(screen, chance)


@pytest.mark.parametrize("name", ["tipsplit", "museum", "lab", "orders"])
def test_both_countings_agree_at_each_step(
    name: str, twin: TwinDevice, sample: Callable[[str], App], tmp_path: Path
) -> None:
    app = sample(name)
    steps: list[Step] = []
    chance = Random(name)
    with twin.open(app) as session:
        steps.append(session.launch(1))
        while len(steps) <= EVENTS and not steps[-1].ending.is_final:
            steps.append(session.perform(taps(steps[-1].after, chance)))
    copy, table = instrumented(app, tmp_path)
    # Branches of which DEX and the translated code have others on a line are left out.
    provable = table.coverage(ProbeSet.of(range(len(table.proofs))))
    assert len(provable.lines) == table.probes.totals.lines
    assert len(provable.methods) == table.probes.totals.methods
    expected = NO_COVERAGE
    with twin.open(copy) as session:
        for step in steps:
            seen = session.launch(1) if step is steps[0] else session.perform(step.event)
            assert (seen.after.digest(), seen.ending) == (step.after.digest(), step.ending), step.event
            expected |= step.covered
            counted = table.coverage(session.probe_hits())
            assert counted == expected & Coverage(provable.branches, expected.lines, expected.methods), step.event


@pytest.mark.skipif(ADB is None, reason="there is no adb on this machine")
def test_coverage_over_adb_is_that_of_the_twin_up_to_the_crash(
    twin: TwinDevice, sample: Callable[[str], App], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = "dev.fewtaps.samples.tipsplit:id/"
    bill = Text("60", replace=True, selector=Selector(resource_id=f"{ids}bill"))
    names = ("fewer", "fewer", "split")

    def play(session: object) -> list[Step]:
        steps = [session.launch(0), session.perform(bill)]  # type: ignore[attr-defined]
        for name in names:
            located = steps[-1].after.find(Selector(resource_id=ids + name))
            steps.append(session.perform(Tap(*located.widget.bounds.centre)))  # type: ignore[attr-defined]
        return steps

    app = sample("tipsplit")
    with twin.open(app) as session:
        expected = play(session)
        probes = session.probe_map()
    copy, table = instrumented(app, tmp_path)
    assert copy.ref == app.ref and table.probes == probes
    monkeypatch.setattr("fewtaps.device.adb.locks.cache_dir", lambda: tmp_path / "cache")
    with twin.open(copy) as session, served(session, tmp_path) as rig:
        device = AdbDevice(rig.serial, rig.server)
        try:
            with device.open(copy) as phone:
                assert Capability.COVERAGE in phone.capabilities
                assert phone.probe_map() == probes
                steps = play(phone)
                assert phone.launch().covered == expected[0].covered
        finally:
            device.close()
    assert steps[-1].crash is not None
    assert [step.covered for step in steps] == [step.covered for step in expected]
    assert isinstance(steps[0].event, Launch)


def test_an_instrumented_app_is_not_instrumented_again(
    sample: Callable[[str], App], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "once.apk"
    assert main(["instrument", sample("calc").path, "-o", str(target)]) == 0
    shown = capsys.readouterr().out
    assert "signed with another key" in shown and f"written to {target}" in shown
    assert main(["instrument", str(target), "-o", str(tmp_path / "twice.apk")]) == 3
    assert capsys.readouterr().err.strip().endswith("it is instrumented already")

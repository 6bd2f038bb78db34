"""Sessions on a served device, through the real adb: what they do to it, and what happens when it fails."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from adb_backend.rig import PhoneRig, opened, served_simulation
from adbd.rig import ADB

from fewtaps.adbd.console import ConsoleConnection
from fewtaps.cli.main import main
from fewtaps.device.adb import agent as agent_module
from fewtaps.device.adb import wire as wire_module
from fewtaps.device.adb.console import open_console
from fewtaps.device.adb.device import AdbDevice, AdbSession
from fewtaps.device.adb.preparing import WANTED, KeptSettings
from fewtaps.device.adb.wire import AdbServer, AdbWire
from fewtaps.device.capability import Capability
from fewtaps.errors import DeviceLost, DeviceUnavailable, Unsupported
from fewtaps.explore.episode_plan import EpisodePlan
from fewtaps.explore.knowledge import Knowledge
from fewtaps.explore.loop import run_episode
from fewtaps.explore.parameters import DEFAULT_PARAMETERS
from fewtaps.explore.strategies import MonkeyStrategy
from fewtaps.model.ending import Ending
from fewtaps.model.event import (
    DoubleTap,
    Event,
    Key,
    Launch,
    LongPress,
    Pinch,
    Rotate,
    Selector,
    Swipe,
    SystemEvent,
    Tap,
    Text,
    Wait,
)
from fewtaps.model.trace import Step

pytestmark = [pytest.mark.skipif(ADB is None, reason="there is no adb on this machine"), pytest.mark.slow]

TITLE = Selector(resource_id="com.example.notes:id/title")


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PhoneRig]:
    with served_simulation(tmp_path_factory.mktemp("rig")) as opened:
        yield opened


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FEWTAPS_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("ANDROID_SERIAL", raising=False)
    return tmp_path / "cache"


def settings_of(rig: PhoneRig) -> list[str | None]:
    return [rig.phone.tables[table].get(name) for table, name, _ in WANTED]


def test_settings_are_changed_for_a_session_and_put_back_after_it(rig: PhoneRig, cache: Path) -> None:
    before = settings_of(rig)
    with opened(rig) as session:
        assert settings_of(rig) == [value for _, _, value in WANTED]
        session.launch()
        session.perform(SystemEvent("battery_low"))
        assert rig.phone.battery["level"] == "5"
        session.perform(SystemEvent("locale", (("to", "ar-EG"),)))
        for state in ("true", "false", "true"):
            session.perform(SystemEvent("airplane_mode", (("state", state),)))
        assert (rig.phone.app_locales, rig.phone.tables["global"]["airplane_mode_on"]) == ("ar-EG", "1")
        assert list(cache.glob("adb/*.settings.json"))
    assert settings_of(rig) == before
    assert rig.phone.battery["level"] == "100"
    assert (rig.phone.app_locales, rig.phone.tables["global"]["airplane_mode_on"]) == ("", "0")
    assert not list(cache.glob("adb/*.settings.json"))


def test_settings_are_put_back_after_an_interruption(rig: PhoneRig) -> None:
    before = settings_of(rig)
    with pytest.raises(KeyboardInterrupt), opened(rig):
        raise KeyboardInterrupt
    assert settings_of(rig) == before


def test_settings_of_a_command_that_was_killed_are_put_back_by_the_next(rig: PhoneRig) -> None:
    before = settings_of(rig)
    KeptSettings(AdbWire(rig.server, rig.serial)).change()
    assert settings_of(rig) != before
    with opened(rig):
        pass
    assert settings_of(rig) == before


def test_a_damaged_file_of_settings_does_no_harm(rig: PhoneRig) -> None:
    kept = KeptSettings(AdbWire(rig.server, rig.serial))
    kept.path.parent.mkdir(parents=True)
    for content in ("", "{", '{"a": 1}', "[1, null]"):
        kept.path.write_text(content)
        with opened(rig):
            assert all(isinstance(each, str) for each in json.loads(kept.path.read_text()))


def test_a_device_in_use_is_refused_and_any_takes_none_twice(rig: PhoneRig) -> None:
    with opened(rig):
        second = AdbDevice("any", rig.server)
        with pytest.raises(DeviceUnavailable, match="this command uses it already"), second.open(rig.phone.app):
            pass
    with AdbDevice("any", rig.server).open(rig.phone.app) as session:
        assert session.launch().ending is Ending.RUNNING


def test_every_kind_of_event_reaches_the_app(rig: PhoneRig) -> None:
    with opened(rig) as session:
        session.launch()
        for event in (
            Tap(300, 900),
            LongPress(300, 900),
            DoubleTap(300, 900),
            Swipe(300, 900, 300, 500),
            Swipe(300, 900, 300, 500, hold_ms=600),
            Pinch(360, 600, 100, 400),
            Text("Grüße 👋", replace=True, selector=TITLE),
            Key("DPAD_DOWN"),
            Rotate("landscape"),
            SystemEvent("airplane_mode", (("state", "true"),)),
            Wait(1500),
        ):
            assert session.perform(event).ending is Ending.RUNNING, event
    kinds = {step.event.kind for step in rig.runs[-1].trace.steps}
    assert {"tap", "long_press", "swipe", "pinch", "text", "key", "rotate", "system", "wait"} <= kinds


@pytest.mark.parametrize(
    ("buttons", "ending"),
    [(("Urgent", "Save"), Ending.CRASHED), (("Hang",), Ending.ANR), (("Leave",), Ending.EXITED)],
    ids=["crash", "hang", "exit"],
)
def test_ends_are_told_apart_and_have_the_stack_of_the_app_itself(
    rig: PhoneRig, buttons: tuple[str, ...], ending: Ending
) -> None:
    with opened(rig) as session:
        step = session.launch()
        for text in buttons:
            step = session.perform(Tap(*next(w for w in step.after.iter_widgets() if w.text == text).bounds.centre))
        assert step.ending is ending
    wanted = rig.runs[-1].crash
    if ending is Ending.EXITED:
        assert step.crash is None
    else:
        assert step.crash is not None and wanted is not None
        assert (step.crash.kind, step.crash.signature) == (wanted.kind, wanted.signature)


def test_text_is_added_or_replaces_what_is_there(rig: PhoneRig) -> None:
    with opened(rig) as session:
        session.launch()
        session.perform(Text("milk", selector=TITLE))
        step = session.perform(Text(" & 牛乳", selector=TITLE))
        found = step.after.find(TITLE)
        assert found is not None and found.widget.text == "milk & 牛乳"
        assert session.perform(Text("x", selector=Selector(resource_id="no:id/such"))).notes


def test_an_event_of_the_system_that_is_not_allowed_is_left_out_with_a_note(rig: PhoneRig) -> None:
    with opened(rig) as session:
        first = session.launch()
        step = session.perform(SystemEvent("time_changed"))
        assert (step.before, step.after, step.ending) == (first.after, first.after, Ending.RUNNING)
        assert step.notes[0].startswith("left out: the event time_changed")
        with pytest.raises(Unsupported):
            session.launch(phone=(("browser", "absent"),))


def test_an_event_takes_four_round_trips(rig: PhoneRig) -> None:
    with opened(rig) as session:
        session.launch()
        before = session.round_trips
        session.perform(Tap(5, 5))
        assert session.round_trips - before == 4


def test_a_lost_agent_loses_the_session_and_the_next_one_starts_another(rig: PhoneRig) -> None:
    with opened(rig) as session:
        session.launch()
        session._agent._drop()
        rig.phone.guests.agents.clear()
        with pytest.raises(DeviceLost):
            session.perform(Tap(300, 900))
    with opened(rig) as session:
        assert session.launch().ending is Ending.RUNNING


def test_a_cable_that_is_pulled_out_loses_the_device_and_is_no_crash(tmp_path: Path) -> None:
    with served_simulation(tmp_path) as rig:
        before = settings_of(rig)
        with opened(rig) as session:
            session.launch()
            rig.server.ask(f"host:disconnect:{rig.serial}")
            with pytest.raises(DeviceLost):
                session.perform(Tap(300, 900))
        with pytest.raises(DeviceUnavailable, match="no device"), opened(rig):
            pass
        assert settings_of(rig) != before
        rig.server.ask(f"host:connect:{rig.serial}")
        rig.adb("wait-for-device")
        with opened(rig) as session:
            session.launch()
        assert settings_of(rig) == before


def test_an_old_device_is_refused(rig: PhoneRig) -> None:
    rig.phone.properties["ro.build.version.sdk"] = "19"
    try:
        with pytest.raises(DeviceUnavailable, match="API level 19 is too old"), opened(rig):
            pass
    finally:
        rig.phone.properties["ro.build.version.sdk"] = "33"


def test_an_app_that_the_device_does_not_take_is_refused_with_the_reason(rig: PhoneRig, tmp_path: Path) -> None:
    device = AdbDevice(rig.serial, rig.server)
    missing = replace(rig.phone.app, package="com.example.other", digest="", path="")
    with pytest.raises(DeviceUnavailable, match=r"com\.example\.other is not installed"), device.open(missing):
        pass
    device.close()


def test_without_the_extra_one_line_says_what_to_install(rig: PhoneRig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent_module, "find_spec", lambda name: None)
    with pytest.raises(DeviceUnavailable, match=r"pip install 'fewtaps\[adb\]'"), opened(rig):
        pass


def test_without_adb_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire_module, "adb_program", lambda: None)
    with pytest.raises(DeviceUnavailable, match="install Android's platform-tools"):
        AdbServer(port=1).ask("host:devices-l")


def test_devices_are_listed_with_model_level_and_state(
    rig: PhoneRig, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(rig.server.port))
    assert main(["device", "list"]) == 0
    assert f"adb:{rig.serial}" in (shown := capsys.readouterr().out)
    assert "Fewtaps Twin" in shown and "API 33" in shown
    assert main(["device", "list", "--json"]) == 0
    (document,) = map(json.loads, capsys.readouterr().out.splitlines())
    device = {"device": f"adb:{rig.serial}", "model": "Fewtaps Twin", "api": 33, "state": "device", "advice": ""}
    assert document == {"devices": [device]}
    main(["doctor"])
    assert f"{rig.serial} (device)" in capsys.readouterr().out


def test_without_a_device_the_list_says_so_and_ends_with_3(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("fewtaps.device.adb.attached.attached_devices", lambda server: ())
    assert main(["device", "list"]) == 3
    assert "No device: plug in a phone" in capsys.readouterr().out
    assert main(["device", "list", "app.apk"]) == 2
    assert "takes no app" in capsys.readouterr().err


def test_any_takes_as_many_devices_as_there_are(rig: PhoneRig, tmp_path: Path) -> None:
    with served_simulation(tmp_path) as other:
        rig.server.ask(f"host:connect:{other.serial}")
        try:
            rig.adb("-s", other.serial, "wait-for-device")
            first, second, third = (AdbDevice("any", rig.server) for _ in range(3))
            with pytest.raises(DeviceUnavailable, match="several devices"):
                AdbDevice("", rig.server)._take()
            assert {first._take().serial, second._take().serial} == {rig.serial, other.serial}
            with pytest.raises(DeviceUnavailable, match="uses it already"):
                third._take()
            first.close()
            assert third._take().serial in (rig.serial, other.serial)
            second.close()
            third.close()
        finally:
            rig.server.ask(f"host:disconnect:{other.serial}")


def long_way(session: AdbSession) -> tuple[Step, ...]:
    """Launch and seven more steps, which leave a text in the title."""
    events: list[Event] = [
        *(Tap(300, 900) for _ in range(3)),
        Key("BACK"),
        Wait(100),
        Text("kept", replace=True, selector=TITLE),
    ]
    return (session.launch(), *(session.perform(event) for event in events))


@pytest.fixture
def console(rig: PhoneRig, monkeypatch: pytest.MonkeyPatch) -> int:
    """The port of an emulator's console beside the served device, which sessions find."""
    port = rig.serving.listen(0, lambda: ConsoleConnection(rig.phone, rig.serving))
    monkeypatch.setattr(
        "fewtaps.device.adb.device.open_console", lambda serial, host: open_console(f"emulator-{port}", host)
    )
    return port


@pytest.mark.usefixtures("console")
def test_a_moment_is_gone_back_to_with_the_steps_that_led_there(rig: PhoneRig) -> None:
    with opened(rig) as session:
        assert Capability.MOMENTS in session.capabilities
        steps = long_way(session)
        way = tuple(step.event for step in steps[1:])
        session.save_moment(way, steps)
        assert len(rig.phone.snapshots) == 1
        session.launch()
        assert session.load_moment(way[:-1]) is None
        assert session.load_moment(way) == steps
        after = session.perform(Wait(100))
        assert after.before == steps[-1].after
        assert after.clock_ms >= steps[-1].clock_ms
    assert rig.phone.snapshots == {}
    # The recording of the run can be played alone.
    recorded = [step.event for step in rig.runs[-1].trace.steps]
    assert [(each.x, each.y) for each in recorded if isinstance(each, Tap)][:3] == [(300, 900)] * 3
    assert isinstance(recorded[0], Launch)


@pytest.mark.usefixtures("console")
def test_a_moment_that_is_another_now_is_forgotten(rig: PhoneRig) -> None:
    with opened(rig) as session:
        steps = long_way(session)
        way = tuple(step.event for step in steps[1:])
        session.save_moment(way, steps)
        (name,) = rig.phone.snapshots
        world, events = rig.phone.snapshots[name]
        rig.phone.snapshots[name] = world, events[:1]
        assert session.load_moment(way) is None
        assert rig.phone.snapshots == {}
        assert session.launch().ending is Ending.RUNNING


@pytest.mark.usefixtures("console")
def test_an_exploration_returns_by_snapshots_and_its_traces_are_whole(
    rig: PhoneRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    way = tuple(Wait(ms) for ms in range(100, 106))
    strategy, knowledge = MonkeyStrategy(rig.phone.app, DEFAULT_PARAMETERS), Knowledge(rig.phone.app.package)
    plan = EpisodePlan(0, 0, way, None, strategy, knowledge, seed="1", max_events=2)
    with opened(rig) as session:
        loaded: list[bool] = []
        load = session.load_moment

        def noted(wanted: tuple[Event, ...]) -> tuple[Step, ...] | None:
            steps = load(wanted)
            loaded.append(steps is not None)
            return steps

        monkeypatch.setattr(session, "load_moment", noted)
        episodes = [run_episode(session, plan, lambda: False) for _ in range(2)]
    assert loaded == [False, True]
    for episode in episodes:
        assert [step.event for step in episode.trace.steps[:7]] == [Launch(), *way]
        assert episode.replayed == 6 and episode.reached


def test_a_phone_has_no_console(rig: PhoneRig) -> None:
    with opened(rig) as session:
        assert Capability.MOMENTS not in session.capabilities
    assert open_console("emulator-1", "127.0.0.1") is None

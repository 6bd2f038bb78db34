"""Devices as `fewtaps device serve` opens them: their ports, and the runs that they write."""

from __future__ import annotations

import base64
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from adbd.rig import shell

from fewtaps.config import DeviceSettings, ServeSettings
from fewtaps.device.session import Session
from fewtaps.errors import DeviceUnavailable, UsageError
from fewtaps.model.event import Tap
from fewtaps.pipeline import opening_ahead
from fewtaps.pipeline.device_serving import MOST_INSTALLED, open_devices
from fewtaps.pipeline.opening import Plan, open_session, plan_app
from fewtaps.stopping import check_stop

SIMULATED = DeviceSettings(backend="simulated")


def test_the_last_run_that_cannot_be_written_is_an_error_too(tmp_path: Path) -> None:
    settings = ServeSettings(record=tmp_path / "served", device=SIMULATED, port=0)
    with (
        pytest.raises(UsageError, match="cannot be written"),
        open_devices("sim:bill", settings, lambda run: None) as devices,
    ):
        devices.phones[0].launch()
        devices.phones[0].perform(Tap(100, 300))
        settings.record.write_text("no folder")


def two_free_ports() -> int:
    """The higher one of two ports that follow each other."""
    while True:
        with socket.socket() as lower, socket.socket() as higher:
            lower.bind(("127.0.0.1", 0))
            port = int(lower.getsockname()[1]) + 1
            try:
                higher.bind(("127.0.0.1", port))
            except (OSError, OverflowError):
                continue
            return port


@pytest.mark.parametrize("with_keys", [False, True])
def test_a_console_which_asks_for_no_key_is_there_without_keys_only(
    with_keys: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = two_free_ports()
    monkeypatch.setattr("fewtaps.pipeline.device_serving.EMULATOR_PORTS", (port,))
    monkeypatch.setattr("fewtaps.pipeline.device_serving.announce", lambda *ports: None)
    keys = tmp_path / "adbkey.pub"
    modulus = (1 << 2047 | 1).to_bytes(256, "little")
    keys.write_bytes(base64.b64encode(struct.pack("<II256s256sI", 64, 0, modulus, bytes(256), 65537)))
    settings = ServeSettings(record=tmp_path, device=SIMULATED, port=port, auth=keys if with_keys else None)
    with open_devices("sim:bill", settings, lambda run: None), socket.socket() as client:
        assert client.connect_ex(("127.0.0.1", port)) == 0
        with socket.socket() as console:
            assert (console.connect_ex(("127.0.0.1", port - 1)) == 0) is not with_keys


@pytest.mark.parametrize("jail", [True, False])
def test_another_app_is_taken_in_the_jail_alone_and_its_name_is_no_path(
    jail: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    def plan_other(name: str, settings: DeviceSettings) -> None:
        opened.append(name)
        raise UsageError("read, and not opened")

    served = tmp_path / "served"
    settings = ServeSettings(record=served, device=DeviceSettings(backend="simulated", jail=jail), port=0)
    with open_devices("sim:bill", settings, lambda run: None) as devices:
        monkeypatch.setattr("fewtaps.pipeline.device_serving.plan_app", plan_other)
        (phone,) = devices.phones
        hostile = replace(phone.app, package="../../outside")
        if not jail:
            assert not phone.install(b"PK", hostile)
            assert opened == []
            return
        for number in range(MOST_INSTALLED):
            with pytest.raises(UsageError, match="not opened"):
                phone.install(b"PK%d" % number, hostile)
        assert {Path(name).parent for name in opened} == {served}
        with pytest.raises(UsageError, match="delete some"):
            phone.install(b"PK more", hostile)
        assert phone.app.package == "com.example.bill"


def test_a_shell_answers_while_the_app_is_still_being_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    may_open = threading.Event()

    @contextmanager
    def slow(plan: Plan, progress: object) -> Iterator[Session]:
        assert may_open.wait(60)
        with open_session(plan) as session:
            yield session

    monkeypatch.setattr(opening_ahead, "open_session", slow)
    settings = ServeSettings(record=tmp_path, device=SIMULATED, port=0)
    with open_devices("sim:bill", settings, lambda run: None) as devices:
        (phone,) = devices.phones
        assert shell(phone, "getprop sys.boot_completed; pm list packages").text.startswith("1\npackage:")
        assert not devices.sessions[0].is_done
        may_open.set()
        assert "com.example.bill" in shell(phone, "pidof com.example.bill; dumpsys window").text
        assert phone.is_running


def test_a_session_that_cannot_be_opened_ends_the_server_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def refused(plan: Plan, progress: object) -> Iterator[Session]:
        raise DeviceUnavailable("there is no jail")
        yield

    monkeypatch.setattr(opening_ahead, "open_session", refused)
    settings = ServeSettings(record=tmp_path, device=SIMULATED, port=0)
    with (
        pytest.raises(DeviceUnavailable, match="no jail"),
        open_devices("sim:bill", settings, lambda run: None) as devices,
    ):
        devices.serve()


def test_a_session_that_is_being_opened_is_called_off_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[bool] = []

    @contextmanager
    def endless(plan: Plan, progress: object) -> Iterator[Session]:
        try:
            while True:
                check_stop()
                time.sleep(0.01)
        finally:
            ended.append(True)
        yield

    monkeypatch.setattr(opening_ahead, "open_session", endless)
    settings = ServeSettings(record=tmp_path, device=SIMULATED, port=0)
    with pytest.raises(KeyboardInterrupt), open_devices("sim:bill", settings, lambda run: None):
        raise KeyboardInterrupt
    assert ended == [True]


def test_an_app_that_is_replaced_while_it_is_being_opened_ends_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def endless(plan: Plan, progress: object) -> Iterator[Session]:
        while True:
            check_stop()
            time.sleep(0.01)
        yield

    with monkeypatch.context() as patch:
        patch.setattr(opening_ahead, "open_session", endless)
        settings = ServeSettings(record=tmp_path, device=SIMULATED, port=0)
        with open_devices("sim:bill", settings, lambda run: None) as devices:
            (phone,) = devices.phones
            other = plan_app("sim:notes", SIMULATED)
            patch.setattr("fewtaps.pipeline.device_serving.plan_app", lambda name, settings: other)
            assert phone.install(b"PK", other.app)
            assert devices.sessions[0].is_done and not devices.server.is_stopping
            assert "com.example.notes" in shell(phone, "pm list packages").text

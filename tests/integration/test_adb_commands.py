"""The commands themselves on served twins: `fewtaps device serve` of two devices, a real adb server, `--device adb:…`.

The commands that are killed are processes of their own; the others run in this one.
"""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from adbd.rig import ADB, free_port

from fewtaps.cli.main import main
from fewtaps.device.adb.preparing import WANTED
from fewtaps.device.adb.wire import AdbServer, AdbWire
from fewtaps.model.event import Event, Launch, Selector, SystemEvent, Tap, Text, Wait
from fewtaps.model.trace import Step, Trace
from fewtaps.tracefile import read_trace, write_trace

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
APK = SAMPLES / "tipsplit.apk"
IDS = "dev.fewtaps.samples.tipsplit:id/"


pytestmark = [
    pytest.mark.skipif(ADB is None, reason="there is no adb on this machine"),
    pytest.mark.slow,
    pytest.mark.jvm,
]


@dataclass(eq=False)
class Farm:
    """Two served devices of one process, and the adb server that knows them."""

    server: AdbServer
    serials: tuple[str, str]
    environment: dict[str, str]
    folder: Path
    served: Path

    def shell(self, serial: str, line: str) -> str:
        return AdbWire(self.server, serial).shell(line).text

    def settings(self, serial: str) -> list[str]:
        names = "; ".join(f"settings get {table} {name}" for table, name, _ in WANTED)
        return self.shell(serial, f"{names}; cmd connectivity airplane-mode").split()

    def adb(self, *words: str) -> subprocess.CompletedProcess[str]:
        command = [str(ADB), "-P", str(self.server.port), *words]
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=120, check=False)


def until(condition: Callable[[], bool], what: str, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


@pytest.fixture(scope="module")
def farm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Farm]:
    folder = tmp_path_factory.mktemp("commands")
    adb_port, first = free_port(), free_port()
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("ANDROID_")},
        "TMPDIR": str(folder),
        "ADB_MDNS": "0",
        "ADB_LOCAL_TRANSPORT_MAX_PORT": "5553",
        "ANDROID_ADB_SERVER_PORT": str(adb_port),
    }
    serials = (f"127.0.0.1:{first}", f"127.0.0.1:{first + 2}")
    served = folder / "served"
    words = ["device", "serve", str(APK), "--port", str(first), "--count", "2", "--api", "34"]
    words += ["--record", str(served), "--json"]
    with (folder / "serve.log").open("wb") as output, pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANDROID_ADB_SERVER_PORT", str(adb_port))
        patch.delenv("ANDROID_SERIAL", raising=False)
        serving = subprocess.Popen(
            [sys.executable, "-m", "fewtaps", *words], env=environment, stdout=output, stderr=subprocess.STDOUT
        )
        adb = subprocess.Popen(
            [str(ADB), "-P", str(adb_port), "nodaemon", "server"],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            server = AdbServer(adb_port)
            log = folder / "serve.log"
            until(lambda: server.is_running, "the adb server does not answer")
            until(lambda: log.read_text().count('"serving"') == 2 or serving.poll() is not None, "nothing is served")
            for serial in serials:
                assert "connected to" in server.ask(f"host:connect:{serial}"), log.read_text()
            found = Farm(server, serials, environment, folder, served)
            for serial in serials:
                assert found.adb("-s", serial, "wait-for-device").returncode == 0
            yield found
        finally:
            for process in (serving, adb):
                process.terminate()
                process.wait(30)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The locks and kept settings of the test's own."""
    monkeypatch.setattr("fewtaps.device.adb.locks.cache_dir", lambda: tmp_path / "cache")
    return tmp_path / "cache"


@pytest.fixture
def crash(tmp_path: Path) -> Path:
    """A trace with more steps than the crash needs."""
    taps = [Tap(0, 0, Selector(resource_id=IDS + name)) for name in ("fewer", "fewer", "split")]
    bill = Text("60", replace=True, selector=Selector(resource_id=f"{IDS}bill"))
    apk = read_trace(SAMPLES / "tipsplit" / "crash.jsonl").app
    events: tuple[Event, ...] = (Launch(), Wait(100), bill, *taps)
    write_trace(tmp_path / "crash.jsonl", Trace(apk, tuple(Step(event) for event in events)))
    return tmp_path / "crash.jsonl"


def test_tap_play_replay_and_reduce_run_on_a_device(
    farm: Farm, crash: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    on_device = ["--device", f"adb:{farm.serials[0]}"]
    before = farm.settings(farm.serials[0])
    made = tmp_path / "made.jsonl"
    monkeypatch.setattr("sys.stdin", io.StringIO(f"2\nsave {made}\n"))
    assert main(["tap", str(APK), *on_device]) == 0, capsys.readouterr()
    assert made.exists()
    capsys.readouterr()

    assert main(["play", str(APK), str(crash), *on_device, "--json"]) == 0
    assert "java.lang.ArithmeticException" in capsys.readouterr().out

    assert main(["replay", str(APK), str(crash), *on_device, "--runs", "2"]) == 0
    assert "2 of 2 runs" in capsys.readouterr().out

    shorter = tmp_path / "shorter.jsonl"
    assert main(["reduce", str(APK), str(crash), *on_device, "-o", str(shorter), "--runs", "8"]) == 0
    assert len(read_trace(shorter).steps) == 5
    assert farm.settings(farm.serials[0]) == before


def test_two_devices_share_an_exploration_and_a_run(
    farm: Farm, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    any_two = ["--device", "adb:any", "-j", "2", "--no-pictures"]
    explored = tmp_path / "explored"
    words = ["explore", str(APK), "-o", str(explored), *any_two, "--minutes", "0.1", "--json"]
    assert main(words) in (0, 1), capfd.readouterr()

    run = tmp_path / "run"
    words = ["run", str(APK), "-o", str(run), *any_two, "--minutes", "0.1"]
    assert main([*words, "--no-slice", "--no-suite"]) in (0, 1), capfd.readouterr()
    assert (run / "report").exists() or list(run.glob("*.html"))
    found = {path.name.partition("-")[0] for path in farm.served.glob("*.jsonl")}
    assert {"device1", "device2"} <= found


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL], ids=["SIGTERM", "kill -9"])
def test_settings_are_put_back_after_a_command_was_ended(
    farm: Farm, tmp_path: Path, how: signal.Signals, capsys: pytest.CaptureFixture[str], cache: Path
) -> None:
    serial = farm.serials[0]
    before = farm.settings(serial)
    events: list[Event] = [
        Launch(),
        SystemEvent("airplane_mode", (("state", "true"),)),
        SystemEvent("locale", (("to", "ar-EG"),)),
        SystemEvent("battery_low"),
        *(Wait(1) for _ in range(300)),
    ]
    apk = read_trace(SAMPLES / "tipsplit" / "crash.jsonl").app
    trace = tmp_path / "long.jsonl"
    write_trace(trace, Trace(apk, tuple(Step(event) for event in events)))
    # As in `cache`, for a process of its own.
    patched = f"import pathlib, fewtaps.device.adb.locks as it; it.cache_dir = lambda: pathlib.Path({str(cache)!r})"
    start = f"{patched}; from fewtaps.cli.main import main; raise SystemExit(main())"
    words = ["play", str(APK), str(trace), "--device", f"adb:{serial}"]
    with subprocess.Popen(
        [sys.executable, "-c", start, *words], env=farm.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        try:
            until(
                lambda: "level: 5" in farm.shell(serial, "dumpsys battery") or process.poll() is not None,
                "the events of the trace do not happen",
            )
            assert process.poll() is None, process.communicate()[0].decode()
            assert farm.settings(serial) != before
            process.send_signal(how)
            process.wait(60)
        finally:
            process.kill()
    if how is signal.SIGKILL:
        (kept,) = cache.glob("adb/*.settings.json")
        assert "cmd locale set-app-locales" in kept.read_text()
        assert farm.settings(serial) != before
        # The next command that uses the device puts them back first, and its own at the end.
        write_trace(trace, Trace(apk, (Step(Launch()),)))
        assert main([*words]) == 0, capsys.readouterr()
    assert farm.settings(serial) == before
    assert "level: 100" in farm.shell(serial, "dumpsys battery")
    assert "[]" in farm.shell(serial, "cmd locale get-app-locales dev.fewtaps.samples.tipsplit --user current")
    assert not list(cache.glob("adb/*.settings.json"))


def test_another_app_that_is_installed_is_served_and_what_it_did_can_be_played(farm: Farm) -> None:
    serial = farm.serials[1]
    installed = farm.adb("-s", serial, "install", str(SAMPLES / "calc.apk"))
    assert installed.returncode == 0, installed
    assert "package:dev.fewtaps.samples.calc" in farm.shell(serial, "pm list packages -3")
    assert "package:" not in farm.shell(serial, "pm path dev.fewtaps.samples.tipsplit")
    package = "dev.fewtaps.samples.calc"
    farm.shell(serial, f"monkey -p {package} 1; input tap 5 600; am force-stop {package}")
    (kept,) = farm.served.glob("installed-*.apk")
    assert kept.read_bytes() == (SAMPLES / "calc.apk").read_bytes()
    traces = (read_trace(path) for path in farm.served.glob("device2-run-*.jsonl"))
    assert any(trace.app.package == package and len(trace.steps) == 2 for trace in traces)

    broken = farm.folder / "broken.apk"
    broken.write_bytes((SAMPLES / "calc.apk").read_bytes()[:3000])
    refused = farm.adb("-s", serial, "install", str(broken))
    assert refused.returncode == 1 and f"{package} is served" in refused.stdout + refused.stderr

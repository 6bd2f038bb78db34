#!/usr/bin/env python3
"""Other tools on a served twin: crashes played by Appium and Maestro, recordings, damaged bytes, long connections.

Run: python benchmarks/agents.py [PART …] [--appium FOLDER] [--appium-python PYTHON] [--maestro FOLDER] [--write]

FOLDER of Appium is one in which `npm install appium appium-uiautomator2-driver` was run, PYTHON one with
`Appium-Python-Client` and pytest; FOLDER of Maestro has the jars of `dev.mobile:maestro-client` and
`maestro-orchestra` with all they need. Parts without their tools are left out. What a part measured is kept in the
folder `--keep`; `--write` writes benchmarks/results/agents.json.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

from adb import EXPORTED, FEWTAPS, SAMPLES, Served, exported, free_port, serving, world_of
from results import ROOT, Cell, Table, load_average, measured, save, shown, table, this_machine

from fewtaps.adbd.packets import CLSE, CNXN, MAX_PAYLOAD, OKAY, OPEN, VERSION, WRTE, Packet, PacketReader
from fewtaps.apk.reader import read_apk
from fewtaps.device.twin.device import TwinDevice
from fewtaps.device.twin.jail import jail_problem
from fewtaps.replay import play
from fewtaps.tracefile import read_trace, trace_to_bytes

EVENTS, DAMAGED, TAPS, RUNS = 10_000, 100_000, 50, 50
RECORDED = ("calc", "labels", "notes", "orders", "tipsplit")
"""Samples on which other tools make runs."""
HELLO = Packet(CNXN, VERSION, MAX_PAYLOAD, b"host::features=shell_v2").encode()
TESTS = ROOT / "tests" / "adbd"


def crashed(served: Served) -> bool:
    """Whether the served app has crashed since its log was cleared."""
    return "FATAL EXCEPTION" in served.adb("logcat", "-d", "-b", "crash").stdout


@contextmanager
def appium_server(served: Served, folder: Path, keep: Path) -> Iterator[str]:
    """Appium's server, which takes this device for every session."""
    port = free_port()
    wanted = {"appium:udid": served.serial, "appium:adbPort": served.server.port, "appium:systemPort": free_port()}
    command = [str(folder / "node_modules" / ".bin" / "appium"), "server", "-p", str(port), "--log-no-colors"]
    environment = {**served.environment, "ANDROID_HOME": os.environ.get("ANDROID_HOME", "/usr/lib/android-sdk")}
    with (
        (keep / "appium.log").open("ab") as log,
        subprocess.Popen(
            [*command, "--default-capabilities", json.dumps(wanted)],
            cwd=folder,
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
        ) as process,
    ):
        try:
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline:
                try:
                    socket.create_connection(("127.0.0.1", port), 1).close()
                    break
                except OSError:
                    time.sleep(0.2)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def measure_appium(keep: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Which exported crashes crash the served app again, played by Appium."""
    done: dict[str, bool] = {}
    for app in EXPORTED:
        script = exported(app, "appium", keep)
        with (
            serving(app, keep, "--world", world_of(app, keep)) as served,
            appium_server(served, options.appium, keep) as url,
        ):
            served.adb("logcat", "-c")
            environment = {**served.environment, "APPIUM_SERVER": url, "PAUSE": "0.2"}
            command = [str(options.appium_python), "-m", "pytest", "-q", "-p", "no:cacheprovider", str(script)]
            with (keep / f"{app}-appium.log").open("wb") as log:
                subprocess.run(command, env=environment, cwd=keep, stdout=log, stderr=log, timeout=400, check=False)
            done[app] = crashed(served)
        print("appium", app, done[app], flush=True)
    return done


def measure_maestro(keep: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Which exported crashes crash the served app again, played by Maestro's own client."""
    done: dict[str, bool] = {}
    for app in EXPORTED:
        flow = exported(app, "maestro", keep)
        with serving(app, keep, "--world", world_of(app, keep)) as served:
            served.adb("logcat", "-c")
            port = served.serial.rpartition(":")[2]
            command = ["java", "-cp", f"{options.maestro}/*", str(TESTS / "PlayFlow.java"), port, str(flow)]
            with (keep / f"{app}-maestro.log").open("wb") as log:
                subprocess.run(command, env=served.environment, stdout=log, stderr=log, timeout=400, check=False)
            done[app] = crashed(served)
        print("maestro", app, done[app], flush=True)
    return done


def measure_calls(keep: Path, options: argparse.Namespace) -> dict[str, Any]:
    """How many different calls of an unmodified uiautomator2 work."""
    with simulated(keep, "notes") as (port, _):
        with_adb = subprocess.run(
            [sys.executable, str(TESTS / "drive_uiautomator2.py"), f"127.0.0.1:{port}"],
            env={**os.environ, "ANDROID_ADB_SERVER_PORT": str(_adb_port(port, keep))},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    calls = re.search(r"(\d+) calls\n\Z", with_adb.stdout)
    return {"calls": int(calls[1]) if calls else 0, "error": "" if calls else with_adb.stderr[-500:]}


def _adb_port(port: int, keep: Path) -> int:
    """The port of an adb server that knows the device; the server ends with this program's children."""
    server = free_port()
    environment = {**os.environ, "HOME": str(keep), "ADB_MDNS": "0", "ADB_LOCAL_TRANSPORT_MAX_PORT": "5553"}
    subprocess.run(["adb", "-P", str(server), "start-server"], env=environment, capture_output=True, check=True)
    subprocess.run(["adb", "-P", str(server), "connect", f"127.0.0.1:{port}"], env=environment, check=True)
    SERVERS.append(server)
    return server


SERVERS: list[int] = []
"""The adb servers that were started."""


def measure_tap(keep: Path, options: argparse.Namespace) -> dict[str, Any]:
    """How long a tap by `adb shell input tap` takes, in milliseconds."""
    taps: list[float] = []
    with serving("tipsplit", keep) as served:
        for _ in range(TAPS):
            begun = time.monotonic()
            served.adb("shell", "input tap 5 5")
            taps.append((time.monotonic() - begun) * 1000)
    return {"tap_ms": taps}


def measure_recordings(keep: Path, options: argparse.Namespace) -> dict[str, Any]:
    """How many runs that other tools made on served twins are the same, byte for byte, when they are played again."""
    random = Random(19)
    done = {"same": 0, "runs": 0, "steps": 0}
    each = -(-options.runs // len(RECORDED))
    for app in RECORDED:
        apk = read_apk(SAMPLES / f"{app}.apk")
        folder = keep / f"served-{app}"
        shutil.rmtree(folder, ignore_errors=True)
        with serving(app, keep, "--each-world") as served:
            for number in range(each):
                served.adb("shell", f"pm clear {apk.package}; monkey -p {apk.package} 1")
                TOOLS[number % len(TOOLS)](served, apk.package, random)
            served.adb("shell", f"am force-stop {apk.package}")
        with TwinDevice(jail=jail_problem() is None) as device, device.open(apk) as session:
            for path in sorted(folder.glob("*.jsonl")):
                trace = read_trace(path)
                again = play(session, trace.events, world=trace.world)
                done["runs"] += 1
                done["steps"] += len(trace.steps)
                done["same"] += trace_to_bytes(again) == path.read_bytes()
        print("recordings", app, done, flush=True)
    return done


def _by_adb(served: Served, package: str, random: Random) -> None:
    """A script of `input` and other commands of a shell."""
    for _ in range(10):
        x, y = random.randrange(720), random.randrange(60, 1200)
        commands = [f"input tap {x} {y}"] * 6 + [f"input swipe {x} {y} {x} {max(0, y - 400)} 200", "input text 12"]
        served.adb("shell", random.choice([*commands, "input keyevent BACK", "sleep 1", "uiautomator dump"]))


def _by_monkey(served: Served, package: str, random: Random) -> None:
    served.adb("shell", f"monkey -p {package} -s {random.randrange(10_000)} 12")


def _by_uiautomator2(served: Served, package: str, random: Random) -> None:
    """An unmodified uiautomator2 that clicks what can be clicked, and types."""
    command = [sys.executable, "-c", CLICKING, served.serial, package, str(random.randrange(10_000))]
    subprocess.run(command, env=served.environment, capture_output=True, timeout=120, check=True)


CLICKING = """
import random, sys
import uiautomator2

serial, package, seed = sys.argv[1:]
chance = random.Random(int(seed))
d = uiautomator2.connect(serial)
for _ in range(6):
    fields, found = d(className="android.widget.EditText"), d(clickable=True, packageName=package)
    if fields.exists and chance.random() < 0.3:
        fields.set_text(str(chance.randrange(1000)))
    elif found.count:
        found[chance.randrange(found.count)].click()
    else:
        d.app_start(package)
"""
TOOLS = (_by_adb, _by_monkey, _by_uiautomator2)


@contextmanager
def simulated(keep: Path, name: str) -> Iterator[tuple[int, int]]:
    """A simulated app that is served by the command: its port, and the number of the process."""
    port, log = free_port(), keep / f"serve-sim-{name}.log"
    command = [*FEWTAPS, "device", "serve", f"sim:{name}", "--port", str(port), "--record", str(keep / "served-sim")]
    with log.open("wb") as output, subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT) as process:
        try:
            while "Serving" not in log.read_text("utf-8", "replace"):
                assert process.poll() is None, log.read_text("utf-8", "replace")[-500:]
                time.sleep(0.05)
            yield port, process.pid
            assert process.poll() is None, "the server has ended"
        finally:
            process.terminate()


class Wire:
    """A raw connection to a served device."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), 20)
        self.reader = PacketReader()
        self.reader.max_payload = MAX_PAYLOAD

    def send(self, data: bytes) -> None:
        """Sends bytes; a connection that the device closed is no error."""
        try:
            self.socket.sendall(data)
        except OSError:
            self.close()

    def packets(self) -> list[Packet]:
        """What has arrived, at least something unless the connection is over."""
        try:
            return list(self.reader.feed(self.socket.recv(1 << 20)))
        except (OSError, ValueError):
            return []

    def open(self, number: int, service: bytes) -> int:
        """Opens a service; the device's number for it, or 0."""
        self.send(Packet(OPEN, number, 0, service + b"\0").encode())
        for _ in range(50):
            found = self.packets()
            if not found:
                return 0
            for packet in found:
                if packet.arg1 == number:
                    return packet.arg0 if packet.command == OKAY else 0
        return 0

    def close(self) -> None:
        self.socket.close()


def resident_kb(pid: int) -> int:
    """The memory of a process."""
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text("utf-8"))
    return int(found[1]) if found else 0


def open_things(pid: int) -> dict[str, int]:
    """How many files and threads a process has, and how many of the files are sockets."""
    files = []
    for path in Path(f"/proc/{pid}/fd").iterdir():
        try:
            files.append(os.readlink(path))
        except OSError:
            continue
    return {
        "files": len(files),
        "sockets": sum(name.startswith("socket:") for name in files),
        "threads": len(list(Path(f"/proc/{pid}/task").iterdir())),
    }


def children(pid: int) -> int:
    """How many processes a process has started."""
    return len(Path(f"/proc/{pid}/task/{pid}/children").read_text("utf-8").split())


_WORDS = [
    *(b"input", b"tap", b"am", b"start", b"pm", b"install", b"cat", b"/sdcard", b"../..", b"$(id)", b"`id`", b"sh"),
    *(b"-c", b"|", b"&&", b"||", b";", b">", b">>", b"<", b"'", b'"', b"\\", b"$?", b"$X", b"logcat", b"-d", b"ls"),
    *(b"dumpsys", b"window", b"settings", b"put", b"system", b"monkey", b"-f", b"dd", b"if=/dev/zero", b"xargs"),
    *(b"\xff\xfe", b"\x00", b"99999999999999999999", b"-1", b"*", b"[", b"wm", b"size", b"cmd", b"exec", b"rm", b"-r"),
]
_SYNC = (b"STAT", b"STA2", b"LST2", b"LIST", b"LIS2", b"SEND", b"RECV", b"SND2", b"RCV2", b"DATA", b"DONE", b"QUIT")


def _damaged_packet(random: Random) -> bytes:
    command = random.choice([OPEN, OKAY, WRTE, CLSE, CNXN])
    data = bytearray(Packet(command, random.randrange(9), 0, b"shell:ls\0").encode())
    for _ in range(random.randrange(1, 4)):
        data[random.randrange(len(data))] = random.randrange(256)
    return bytes(data[: random.randrange(1, len(data) + 1)])


def _sync_request(random: Random) -> bytes:
    size = random.choice([0, 3, 9, 1 << 16, 1 << 31, (1 << 32) - 1]).to_bytes(4, "little")
    rest = [b"", b"/..", b"/sdcard/x,33188", b"../../etc", random.randbytes(12)]
    return random.choice(_SYNC) + size + random.choice(rest)


def measure_damage(keep: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Damaged packets, shell lines and sync requests: memory, processes and tracebacks of the server."""
    random = Random(19)
    with simulated(keep, "bill") as (port, pid):
        before = resident_kb(pid)
        most, started = before, children(pid)
        for number in range(options.damaged):
            wire = Wire(port)
            kind = number % 3
            if kind == 0:
                wire.send((HELLO if random.random() < 0.8 else b"") + _damaged_packet(random))
            else:
                wire.send(HELLO)
                wire.packets()
                if kind == 1:
                    line = b" ".join(random.choice(_WORDS) for _ in range(random.randrange(1, 9)))
                    wire.open(1, b"shell,v2,raw:" + line)
                else:
                    local = wire.open(1, b"sync:")
                    wire.send(Packet(WRTE, 1, local, _sync_request(random)).encode())
            wire.close()
            if number % 500 == 0:
                most, started = max(most, resident_kb(pid)), max(started, children(pid))
        wire = Wire(port)
        wire.send(HELLO)
        wire.packets()
        answers = wire.open(1, b"shell:echo alive") != 0
        most = max(most, resident_kb(pid))
    log = (keep / "serve-sim-bill.log").read_text("utf-8", "replace")
    return {
        "cases": options.damaged,
        "more_mb": (most - before) / 1024,
        "processes": started,
        "tracebacks": log.count("Traceback"),
        "answers": answers,
    }


def measure_connection(keep: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Ten thousand events over one connection, each in a stream of its own: what is open before and after."""
    with simulated(keep, "bill") as (port, pid):
        wire = Wire(port)
        wire.send(HELLO)
        wire.packets()
        wire.open(1, b"shell:input tap 5 5")
        before = open_things(pid)
        begun = time.monotonic()
        for number in range(2, options.events + 2):
            wire.open(number, b"shell:input tap 5 5")
        took = time.monotonic() - begun
        after = open_things(pid)
    return {"before": before, "after": after, "events": options.events, "per_second": options.events / took}


PARTS: dict[str, Callable[[Path, argparse.Namespace], dict[str, Any]]] = {
    "appium": measure_appium,
    "maestro": measure_maestro,
    "calls": measure_calls,
    "tap": measure_tap,
    "recordings": measure_recordings,
    "damage": measure_damage,
    "connection": measure_connection,
}


def aims_table(kept: dict[str, Any]) -> Table:
    """What is asked for, and what was measured."""
    rows: list[list[Cell]] = []
    for name in ("appium", "maestro"):
        if name in kept:
            found = sum(kept[name].values())
            missing = ", ".join(app for app, is_crashed in kept[name].items() if not is_crashed)
            shown_missing = f" (not {missing})" if missing else ""
            rows.append(
                [
                    f"exports as {name} that crash the served app",
                    "6",
                    f"{found} of {len(kept[name])}{shown_missing}",
                    _met(found == len(kept[name])),
                ]
            )
    if "calls" in kept:
        calls = kept["calls"]["calls"]
        rows.append(["different calls of uiautomator2 that work", "60", str(calls), _met(calls >= 60)])
    if "tap" in kept:
        tap = statistics.median(kept["tap"]["tap_ms"])
        rows.append(["`adb shell input tap`, median", "60 ms", f"{tap:.0f} ms", _met(tap <= 60)])
    if "recordings" in kept:
        same, runs = kept["recordings"]["same"], kept["recordings"]["runs"]
        words = "runs of adb, Monkey and uiautomator2 that are the same when played again, byte for byte"
        rows.append([words, "50", f"{same} of {runs}", _met(same == runs >= 50)])
    if "damage" in kept:
        damage = kept["damage"]
        rows.append(
            [
                f"{damage['cases']:,} damaged requests: more memory",
                "64 MB",
                f"{damage['more_mb']:.0f} MB",
                _met(damage["more_mb"] < 64),
            ]
        )
        rows.append(
            [
                "the same: tracebacks, processes",
                "none",
                f"{damage['tracebacks']}, {damage['processes']}",
                _met(not damage["tracebacks"] and not damage["processes"] and damage["answers"]),
            ]
        )
    if "connection" in kept:
        before, after = kept["connection"]["before"], kept["connection"]["after"]
        words = ", ".join(f"{after[name]} {name}" for name in before)
        rows.append(
            [
                f"open after {kept['connection']['events']:,} events over one connection",
                "as before",
                words,
                _met(before == after),
            ]
        )
    return table(["", "asked for", "measured", "met"], rows)


def _met(is_met: bool) -> str:
    return "yes" if is_met else "no"


def main() -> int:
    """Measures what is missing, keeps and prints it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--appium", type=Path)
    parser.add_argument("--appium-python", type=Path)
    parser.add_argument("--maestro", type=Path)
    parser.add_argument("--damaged", type=int, default=DAMAGED)
    parser.add_argument("--runs", type=int, default=RUNS, help="Runs of other tools that are recorded.")
    parser.add_argument("--events", type=int, default=EVENTS, help="Events over one connection.")
    parser.add_argument("--keep", type=Path, default=ROOT / "build" / "agents")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    options.keep.mkdir(parents=True, exist_ok=True)
    path = options.keep / "agents.json"
    load = load_average()
    missing = {name for name in ("appium", "maestro") if getattr(options, name) is None}
    for name in options.part or [name for name in PARTS if name not in missing]:
        kept: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}
        if name not in kept:
            found = PARTS[name](options.keep, options)
            # Another part may have been kept meanwhile.
            kept = json.loads(path.read_text("utf-8")) if path.exists() else {}
            path.write_text(json.dumps(kept | {name: found}), "utf-8")
    for server in SERVERS:
        subprocess.run(["adb", "-P", str(server), "kill-server"], capture_output=True, check=False)
    kept = json.loads(path.read_text("utf-8")) if path.exists() else {}
    tables = {"aims": aims_table(kept)}
    for each in tables.values():
        print(shown(each))
    if options.write:
        save("agents", measured(this_machine(jail=jail_problem() is None, load=load), tables, {"apps": len(EXPORTED)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())

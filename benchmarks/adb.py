#!/usr/bin/env python3
"""Measures phones over adb on twins that are served as devices, through a real adb server.

Run: python benchmarks/adb.py [PART …] [--minutes 2] [--rounds 3] [--app NAME] [--events 60] [--keep FOLDER] [--write]

The parts are `runs`, `events`, `timer`, `serve` and `exports`; without any, all. What is measured is kept in the folder
as it comes, so that the same command goes on after an interruption. `--write` writes
benchmarks/results/adb.json.

`runs` compares `fewtaps run` on the twin with the same on the served twin: the crashes and their fewest steps. `events`
counts the processor time of this program for each event, so that the device and all waiting are left out, and the
round trips. `timer` measures the time of taps in the sample timer while an exercise counts down, served in real time.
`exports` plays the known crashes of six samples, exported in each format.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from results import ROOT, Cell, Table, load_average, measured, save, shown, table, this_machine

from fewtaps.apk.reader import read_apk
from fewtaps.device.adb.device import AdbDevice
from fewtaps.device.adb.wire import AdbServer, adb_program
from fewtaps.device.twin.device import TwinDevice
from fewtaps.device.twin.jail import jail_problem
from fewtaps.model.event import Selector, Tap
from fewtaps.model.screen import Screen, Widget, WidgetFlags
from fewtaps.replay import aimed_anew, play
from fewtaps.tracefile import read_trace, write_trace

SAMPLES = ROOT / "samples"
APPS = ("calc", "labels", "orders", "tipsplit")
EXPORTED = ("calc", "labels", "notes", "orders", "tipsplit", "wizard")
"""Samples whose known crash is exported."""
FORMATS = ("adb", "monkey", "uiautomator2")
FEWTAPS = (sys.executable, "-m", "fewtaps")
START_SECONDS = 120
TAPS = 50
WORLDS = 20
"""In so many worlds a known crash is looked for."""
LONGEST_EXERCISE = 10
"""Seconds of an exercise of the sample timer, at most."""


@dataclass(frozen=True)
class Served:
    """A served app: its serial number, the adb server that knows it, its log, the seconds until a shell answered."""

    serial: str
    server: AdbServer
    environment: dict[str, str]
    log: Path
    start_seconds: float

    def adb(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Runs adb on the device."""
        command = [str(adb_program()), "-P", str(self.server.port), "-s", self.serial, *words]
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=120, check=False)


def free_port() -> int:
    """A port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def adb_server(folder: Path) -> Iterator[tuple[AdbServer, dict[str, str]]]:
    """An adb server of its own, and the environment in which programs use it."""
    port = free_port()
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("ANDROID_")},
        "HOME": str(folder),
        "ADB_MDNS": "0",
        "ADB_LOCAL_TRANSPORT_MAX_PORT": "5553",
        "ANDROID_ADB_SERVER_PORT": str(port),
        "FEWTAPS_CACHE": os.environ.get("FEWTAPS_CACHE", str(Path.home() / ".cache" / "fewtaps")),
    }
    command = [str(adb_program()), "-P", str(port)]
    subprocess.run([*command, "start-server"], env=environment, capture_output=True, check=True)
    try:
        yield AdbServer(port), environment
    finally:
        subprocess.run([*command, "kill-server"], env=environment, capture_output=True, check=False)


@contextmanager
def serving(name: str, folder: Path, *options: str) -> Iterator[Served]:
    """A sample served by the command, connected to an adb server of its own."""
    with adb_server(folder) as (server, environment):
        port, log = free_port(), folder / f"serve-{name}.log"
        words = ["device", "serve", str(SAMPLES / f"{name}.apk"), "--port", str(port), *options]
        begun = time.monotonic()
        with (
            log.open("wb") as output,
            subprocess.Popen(
                [*FEWTAPS, *words, "--record", str(folder / f"served-{name}")],
                env=environment,
                stdout=output,
                stderr=subprocess.STDOUT,
            ) as process,
        ):
            try:
                serial = f"127.0.0.1:{port}"
                served = Served(serial, server, environment, log, 0.0)
                # Before the device answers, adb would wait for many seconds on a connection that is not taken.
                while "Serving" not in log.read_text("utf-8", "replace"):
                    if time.monotonic() > begun + START_SECONDS or process.poll() is not None:
                        raise SystemExit(f"{name} is not served: {log.read_text('utf-8', 'replace')[-500:]}")
                    time.sleep(0.05)
                server.ask(f"host:connect:{serial}")
                while "1" not in served.adb("shell", "getprop sys.boot_completed").stdout:
                    if time.monotonic() > begun + START_SECONDS:
                        raise SystemExit(f"{name} does not answer")
                    time.sleep(0.05)
                yield Served(serial, server, environment, log, time.monotonic() - begun)
            finally:
                process.terminate()


def crashes_in(project: Path) -> dict[str, int]:
    """The fewest steps of each crash of a project that was reduced, by its fingerprint."""
    found: dict[str, int] = {}
    for path in sorted(project.glob("*.reduced.jsonl")):
        found[path.name.partition(".")[0]] = len(read_trace(path).steps) - 1
    return found


def explored(
    app: str, project: Path, minutes: float, environment: dict[str, str] | None, *device: str
) -> dict[str, int]:
    """Explores and reduces, and returns what was found."""
    words = [*FEWTAPS, "run", str(SAMPLES / f"{app}.apk"), "-o", str(project), "--minutes", str(minutes)]
    words += ["--no-slice", "--no-suite", "--worlds", "5", *device]
    subprocess.run(words, env=environment, stdout=subprocess.DEVNULL, check=False)
    return crashes_in(project)


def measure_runs(keep: Path, options: argparse.Namespace) -> dict[str, Any]:
    """The crashes of each app on the twin and on the served twin."""
    found: dict[str, Any] = {}
    for app in options.app or APPS:
        twin, adb = keep / f"twin-{app}", keep / f"adb-{app}"
        own, over = crashes_in(twin), crashes_in(adb)
        # A run that had too little time for its reductions goes on where it was.
        for _ in range(options.rounds):
            if own and own == over:
                break
            own = explored(app, twin, options.minutes, None)
            # Each run in another world, as on a phone: in one world some crashes need more steps, or do not happen.
            with serving(app, keep, "--each-world") as served:
                # By the variable: a run that goes on has to name the same device, and the port is another one.
                environment = {**served.environment, "ANDROID_SERIAL": served.serial}
                over = explored(app, adb, options.minutes, environment, "--device", "adb")
        found[app] = {"twin": own, "adb": over}
        print(app, found[app], flush=True)
    return found


def measure_events(keep: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Processor time of this program, and round trips, of each of many taps."""
    with serving("tipsplit", keep) as served:
        own, trips, wall = _taps(served, "tipsplit", options.events)
    return {"own_ms": own, "trips": trips, "wall_ms": wall}


def measure_timer(keep: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Time of each of many taps in the sample timer while it counts down, served in real time."""
    package = "dev.fewtaps.samples.timer"
    start, status, longer = (Selector(resource_id=f"{package}:id/{name}") for name in ("start", "status", "longer"))
    wall: list[float] = []
    ticks = 0
    with serving("timer", keep, "--time", "real") as served:
        device = AdbDevice(served.serial, served.server)
        try:
            with device.open(read_apk(SAMPLES / "timer.apk")) as session:
                screen = session.launch().after
                for _ in range(LONGEST_EXERCISE):
                    screen = session.perform(_tap(screen, longer)).after
                while len(wall) < options.events:
                    if WidgetFlags.ENABLED in _widget(screen, start).flags:
                        screen = session.perform(_tap(screen, start)).after
                        continue
                    told = _widget(screen, status).text
                    begun = time.monotonic()
                    screen = session.perform(_tap(screen, status)).after
                    wall.append((time.monotonic() - begun) * 1000)
                    ticks += _widget(screen, status).text != told
        finally:
            device.close()
    return {"wall_ms": wall, "ticks": ticks}


def _widget(screen: Screen, selector: Selector) -> Widget:
    located = screen.find(selector)
    if located is None:
        raise SystemExit(f"the timer shows no {selector.resource_id}")
    return located.widget


def _tap(screen: Screen, selector: Selector) -> Tap:
    return Tap(*_widget(screen, selector).bounds.centre)


def _taps(served: Served, app: str, count: int) -> tuple[list[float], list[int], list[float]]:
    own: list[float] = []
    trips: list[int] = []
    wall: list[float] = []
    device = AdbDevice(served.serial, served.server)
    try:
        with device.open(read_apk(SAMPLES / f"{app}.apk")) as session:
            screen = session.launch().after
            targets = [each.widget for each in screen.iter_touchable() if each.widget.is_target]
            for number in range(count):
                event = Tap(*targets[number % len(targets)].bounds.centre)
                before = time.process_time(), session.round_trips, time.monotonic()
                step = session.perform(event)
                own.append((time.process_time() - before[0]) * 1000)
                trips.append(session.round_trips - before[1])
                wall.append((time.monotonic() - before[2]) * 1000)
                if step.ending.is_final:
                    session.launch()
    finally:
        device.close()
    return own, trips, wall


def measure_serve(keep: Path, options: argparse.Namespace) -> dict[str, Any]:
    """From the start of the command to the first shell that answers, and how long a tap by adb takes."""
    taps: list[float] = []
    with serving("tipsplit", keep) as served:
        for _ in range(TAPS):
            begun = time.monotonic()
            served.adb("shell", "input tap 5 5")
            taps.append((time.monotonic() - begun) * 1000)
        return {"start_s": served.start_seconds, "tap_ms": taps}


def measure_exports(keep: Path, options: argparse.Namespace) -> dict[str, Any]:
    """How many exported crashes of each format crash the served app again."""
    done: dict[str, list[int]] = {name: [0, 0] for name in FORMATS}
    for app in EXPORTED:
        with serving(app, keep, "--world", world_of(app, keep)) as served:
            for name in FORMATS:
                done[name][1] += 1
                done[name][0] += _plays(served, keep, app, name)
    return done


def known_crash(app: str, folder: Path) -> Path:
    """The known crash of a sample in the first world in which it happens, with the points of its own screens."""
    path = folder / f"{app}.crash.jsonl"
    if path.exists():
        return path
    events = read_trace(SAMPLES / app / "crash.jsonl").events
    with TwinDevice(jail=jail_problem() is None) as device, device.open(read_apk(SAMPLES / f"{app}.apk")) as session:
        for world in range(WORLDS):
            trace = play(session, events, world=world)
            if trace.crash is not None:
                write_trace(path, aimed_anew(trace))
                return path
    raise SystemExit(f"{app}: its known crash does not happen in {WORLDS} worlds")


def world_of(app: str, folder: Path) -> str:
    """The world of a sample's known crash, as an option."""
    return str(read_trace(known_crash(app, folder)).world)


def exported(app: str, name: str, folder: Path) -> Path:
    """The known crash of a sample, written for another tool."""
    script = folder / f"{app}_{name}{'.yaml' if name == 'maestro' else '.py'}"
    command = [*FEWTAPS, "export", name, str(SAMPLES / f"{app}.apk"), str(known_crash(app, folder))]
    subprocess.run([*command, "-o", str(script)], capture_output=True, check=True)
    return script


def _plays(served: Served, folder: Path, app: str, name: str) -> bool:
    package = read_apk(SAMPLES / f"{app}.apk").package
    script = exported(app, name, folder)
    environment = {**served.environment, "ANDROID_SERIAL": served.serial, "FRESH": "1", "PAUSE": "0"}
    # A crash may need a turned screen, which the next script does not expect.
    served.adb("shell", "settings put system user_rotation 0")
    served.adb("logcat", "-c")
    if name == "adb":
        subprocess.run(["sh", str(script)], env=environment, capture_output=True, timeout=120, check=False)
    elif name == "monkey":
        served.adb("push", str(script), "/sdcard/crash.monkey")
        served.adb("shell", f"pm clear {package}; monkey -p {package} -f /sdcard/crash.monkey 1")
    else:
        served.adb("shell", f"pm clear {package}")
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(script)]
        subprocess.run(command, env=environment, cwd=folder, capture_output=True, timeout=240, check=False)
    log = served.adb("logcat", "-d", "-b", "crash").stdout
    print(app, name, "FATAL EXCEPTION" in log, flush=True)
    return "FATAL EXCEPTION" in log


PARTS: dict[str, Callable[[Path, argparse.Namespace], dict[str, Any]]] = {
    "runs": measure_runs,
    "events": measure_events,
    "timer": measure_timer,
    "serve": measure_serve,
    "exports": measure_exports,
}


def runs_table(runs: dict[str, Any]) -> Table:
    """The crashes of each app, and their fewest steps on both."""
    rows: list[list[Cell]] = []
    for app, found in runs.items():
        for crash in sorted({*found["twin"], *found["adb"]}):
            rows.append([app, crash[:8], found["twin"].get(crash), found["adb"].get(crash)])
    return table(["app", "crash", "steps on the twin", "steps over adb"], rows)


def aims_table(kept: dict[str, Any]) -> Table:
    """What is asked for, and what was measured."""
    rows: list[list[Cell]] = []
    if "events" in kept:
        own, trips = statistics.median(kept["events"]["own_ms"]), statistics.median(kept["events"]["trips"])
        rows.append(["own time per event, median", "60 ms", f"{own:.1f} ms", _met(own <= 60)])
        rows.append(["round trips per event, median", "4", f"{trips:g}", _met(trips <= 4)])
    if "timer" in kept:
        wall = kept["timer"]["wall_ms"]
        middle, worst = statistics.median(wall) / 1000, max(wall) / 1000
        rows.append(
            ["taps in timer while it counts, served in real time, median", "1 s", f"{middle:.2f} s", _met(middle <= 1)]
        )
        rows.append(["the same, longest", "3.5 s", f"{worst:.2f} s", _met(worst <= 3.5)])
        ticks = kept["timer"]["ticks"]
        rows.append(["the same: taps during which the screen changed", "", f"{ticks} of {len(wall)}", _met(ticks > 0)])
    if "serve" in kept:
        start, tap = kept["serve"]["start_s"], statistics.median(kept["serve"]["tap_ms"])
        rows.append(["`device serve` to the first shell", "6 s", f"{start:.1f} s", _met(start <= 6)])
        rows.append(["`adb shell input tap`, median", "60 ms", f"{tap:.0f} ms", _met(tap <= 60)])
    for name, (crashed, every) in kept.get("exports", {}).items():
        rows.append(
            [f"exports as {name} that crash the served app", "all", f"{crashed} of {every}", _met(crashed == every)]
        )
    return table(["", "asked for", "measured", "met"], rows)


def _met(is_met: bool) -> str:
    return "yes" if is_met else "no"


def main() -> int:
    """Measures what is missing, keeps and prints it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--minutes", type=float, default=2.0)
    parser.add_argument("--rounds", type=int, default=3, help="How often a run may go on until the results agree.")
    parser.add_argument("--app", action="append", choices=APPS, help="With `runs`: this app alone, also once more.")
    parser.add_argument("--events", type=int, default=60)
    parser.add_argument("--keep", type=Path, default=ROOT / "build" / "adb")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if shutil.which("adb") is None and adb_program() is None:
        raise SystemExit("there is no adb on this machine")
    options.keep.mkdir(parents=True, exist_ok=True)
    path = options.keep / "adb.json"
    load = load_average()
    kept: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    for name in options.part or PARTS:
        if name == "runs" and options.app:
            kept[name] = kept.get(name, {}) | measure_runs(options.keep, options)
        elif name not in kept:
            kept[name] = PARTS[name](options.keep, options)
        path.write_text(json.dumps(kept), "utf-8")
    tables = {"aims": aims_table(kept), "runs": runs_table(kept.get("runs", {}))}
    for each in tables.values():
        print(shown(each))
    if options.write:
        save(
            "adb", measured(this_machine(jail=jail_problem() is None, load=load), tables, {"minutes": options.minutes})
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())

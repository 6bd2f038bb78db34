#!/usr/bin/env python3
"""Kills what a farm consists of while a run is under way, and compares what the run found with a run without a farm.

Run: python benchmarks/farm_losses.py [--app sim:notes] [--minutes M] [--every S] [--kills N] [--write]

Two workers with two simulated devices each stand for two machines. As root, each is in a network namespace of its own
that reaches the hub over a veth pair with TLS; else all are on the loopback address.

1. `run` on this farm, on devices whose events also sleep, until the time is over; every so many seconds a slot or a
   whole worker is killed with SIGKILL, and once the second machine is cut off without a word for a minute.
2. The same run on threads of this machine, to the same number of events: episodes, crashes with their fewest steps,
   rates and suite have to be the same.
3. `explore` on the farm, killed so many times at random moments and resumed, against one that is not killed.
4. Seconds from the SIGKILL of a slot until its task runs on another one whose device is open.
5. Seconds from the moment at which a machine says nothing more (its network is cut or, without root, its slots are
   stopped) until the hub has given its slots up.

Exit code 1 if something is not the same. `--write` writes benchmarks/results/farm_losses.json.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

from farm_devices import SleepingOpener, StampedJob
from results import Cell, load_average, measured, save, shown, table, this_machine

from fewtaps.config import DeviceSettings, ExploreLimits, ExploreSettings, RunSettings
from fewtaps.errors import DeviceUnavailable, NotFound
from fewtaps.farm.address import CERTS_VARIABLE, parse_address
from fewtaps.farm.hub_line import HubLine
from fewtaps.farm.pool import open_farm_pool
from fewtaps.pipeline.exploring import explore_app
from fewtaps.pipeline.opening import plan_app
from fewtaps.pipeline.plan_pools import PlanOpener
from fewtaps.pipeline.running import run_app
from fewtaps.store.database import open_store
from fewtaps.tracefile import trace_to_bytes

PORT = 18992
WIDTH = 8
START_SECONDS = 180
"""Longest wait for the processes of a farm."""
CUT_SECONDS = 60
PARTS = ("episodes", "crashes with steps and rates", "tests and events of the suite", "failure")
NETWORK = "10.77.63"
"""The first three bytes of the addresses of the namespaces."""


@dataclass(slots=True)
class Machine:
    """A worker with two slots, in a network namespace of its own or in none."""

    name: str
    namespace: str
    process: subprocess.Popen[bytes] | None = None

    def slots(self) -> list[int]:
        """The processes of its slots."""
        if self.process is None:
            return []
        try:
            listed = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text("utf-8")
        except FileNotFoundError:
            return []
        return [int(each) for each in listed.split()]


@dataclass(slots=True)
class Farm:
    """A hub and two machines on this one."""

    folder: Path
    address: str
    certs: Path | None
    machines: tuple[Machine, ...]
    environment: dict[str, str]
    hub: subprocess.Popen[bytes] | None = None
    losses: list[str] = field(default_factory=list)

    def start(self, machine: Machine) -> None:
        """Starts the worker of a machine."""
        inside = ["ip", "netns", "exec", machine.namespace] if machine.namespace else []
        machine.process = self._process("worker", self.address, "--device", "simulated", "--count", "2", inside=inside)

    def start_hub(self) -> None:
        """Starts the hub."""
        listen = self.address.replace(f"{NETWORK}.1", "0.0.0.0")
        self.hub = self._process("hub", "--listen", listen, inside=[])

    def _process(self, *arguments: str, inside: list[str]) -> subprocess.Popen[bytes]:
        command = [*inside, sys.executable, "-m", "fewtaps", "farm", *arguments]
        with (self.folder / "farm.log").open("ab") as log:
            return subprocess.Popen(command, env=self.environment, stdout=log, stderr=log)

    def await_slots(self, count: int) -> None:
        """Waits until so many slots have joined."""
        end = time.monotonic() + START_SECONDS
        while True:
            try:
                line = HubLine(parse_address(self.address, self.certs))
            except DeviceUnavailable:
                if time.monotonic() > end:
                    raise
                time.sleep(0.2)
                continue
            break
        while len(line.ask("status")["slots"]) < count and time.monotonic() < end:
            time.sleep(0.2)
        line.close()

    def stop(self) -> None:
        """Ends everything."""
        processes = [*(each.process for each in self.machines), self.hub]
        for process in processes:
            if process is not None:
                process.terminate()
                process.wait(60)


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


@contextmanager
def namespaces() -> Iterator[tuple[str, ...]]:
    """Two network namespaces that reach this one over a bridge; none without the right to make them."""
    names = ("fewtaps-a", "fewtaps-b")
    if os.geteuid() != 0:
        yield ()
        return
    try:
        _ip("link", "add", "fewtaps-br", "type", "bridge")
        _ip("addr", "add", f"{NETWORK}.1/24", "dev", "fewtaps-br")
        _ip("link", "set", "fewtaps-br", "up")
        for number, name in enumerate(names, 2):
            _ip("netns", "add", name)
            _ip("link", "add", f"ft{number}", "type", "veth", "peer", "name", "eth0", "netns", name)
            _ip("link", "set", f"ft{number}", "master", "fewtaps-br", "up")
            _ip("-n", name, "addr", "add", f"{NETWORK}.{number}/24", "dev", "eth0")
            _ip("-n", name, "link", "set", "eth0", "up")
            _ip("-n", name, "link", "set", "lo", "up")
        yield names
    finally:
        for command in (("link", "del", "fewtaps-br"), *(("netns", "del", name) for name in names)):
            subprocess.run(["ip", *command], check=False, capture_output=True)


def make_certs(folder: Path) -> Path:
    """An authority and a certificate that it signed, by the commands of docs/farm.md."""
    folder.mkdir()
    for command in (
        "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=farm -keyout ca-key.pem -out ca.pem",
        "openssl req -newkey rsa:2048 -nodes -subj /CN=farm-member -keyout key.pem -out request.pem",
        "openssl x509 -req -in request.pem -CA ca.pem -CAkey ca-key.pem -CAcreateserial -days 2 -out cert.pem",
    ):
        subprocess.run(command.split(), cwd=folder, check=True, capture_output=True)
    return folder


@contextmanager
def farm_of_two(folder: Path) -> Iterator[Farm]:
    """A farm of two machines with two slots each."""
    path = os.pathsep.join([str(Path(__file__).resolve().parent), *sys.path])
    with namespaces() as names:
        certs = make_certs(folder / "certs") if names else None
        address = f"tls://{NETWORK}.1:{PORT}" if names else f"tcp://127.0.0.1:{PORT}"
        environment = {**os.environ, "PYTHONPATH": path}
        if certs is not None:
            environment[CERTS_VARIABLE] = os.environ[CERTS_VARIABLE] = str(certs)
        machines = tuple(Machine(each, name) for each, name in zip("ab", names or ("", ""), strict=True))
        farm = Farm(folder, address, certs, machines, environment)
        try:
            farm.start_hub()
            for machine in machines:
                farm.start(machine)
            farm.await_slots(4)
            yield farm
        finally:
            farm.stop()


class Killer(threading.Thread):
    """Kills a slot or a worker every so many seconds, and cuts the second machine off once."""

    def __init__(self, farm: Farm, every: float, cut_after: float) -> None:
        super().__init__(daemon=True)
        self._farm = farm
        self._every = every
        self._cut_after = cut_after
        self._random = Random(1)
        self._ended = threading.Event()
        self.kills = self.cuts = 0

    def run(self) -> None:
        """Goes on until `end`."""
        began = time.monotonic()
        while not self._ended.wait(self._every):
            machine = self._farm.machines[self.kills % 2]
            if machine.namespace and not self.cuts and time.monotonic() - began > self._cut_after:
                self._cut_off()
            slots = machine.slots()
            self.kills += 1
            if self.kills % 5 == 0 and machine.process is not None:
                machine.process.kill()
                machine.process.wait()
                self._farm.start(machine)
            elif slots:
                os.kill(self._random.choice(slots), signal.SIGKILL)

    def end(self) -> None:
        """Stops killing."""
        self._ended.set()
        self.join()

    def _cut_off(self) -> None:
        self.cuts += 1
        _ip("link", "set", "ft3", "down")
        self._ended.wait(CUT_SECONDS)
        _ip("link", "set", "ft3", "up")


def run_on(app: str, folder: Path, farm: str, events: int, event_seconds: float) -> Any:
    """A whole run; on a farm, on devices whose events also sleep."""

    @contextmanager
    def sleeping(address: Any, opener: Any, *, size: int, width: int) -> Iterator[Any]:
        with open_farm_pool(address, SleepingOpener(opener, event_seconds), size=size, width=width) as pool:
            yield pool

    # All other limits of time are far away, so that only events decide what is found. The sleeping devices take no
    # pictures.
    settings = RunSettings(
        folder,
        DeviceSettings(farm=farm),
        minutes=24 * 60,
        events=events,
        patience=0,
        jobs=4,
        width=WIDTH,
        pictures=False,
    )
    with patch("fewtaps.farm.pool.open_farm_pool", sleeping):
        return run_app(app, settings)


def digest_of(folder: Path) -> str:
    """A digest over all episodes of the exploration and the names of their pictures."""
    digest = hashlib.sha256()
    with open_store(folder) as store:
        run = store.runs.latest("explore")
        assert run is not None
        for episode in store.runs.iter_episodes(run.run_id):
            told = (episode.number, episode.replayed, episode.reached, episode.end.value, episode.detail)
            digest.update(trace_to_bytes(episode.trace) + repr(told).encode())
            digest.update(repr(store.runs.picture_names(run.run_id, episode.number)).encode())
    return digest.hexdigest()


def found_by(ran: Any, folder: Path) -> tuple[object, ...]:
    """What a run found, comparable with that of another one."""
    cases = [(case.row.fingerprint, trace_to_bytes(case.trace), case.reproduction) for case in ran.cases]
    suite = None if ran.suite is None else (ran.suite.tests, ran.suite.events)
    # In the order of PARTS.
    return digest_of(folder), cases, suite, ran.failure


def killed_and_resumed(app: str, folder: Path, farm: str, events: int, kills: int) -> int:
    """Explores, killed so many times at random moments; how many of the kills hit a run that was under way."""
    code = (
        "import sys; from pathlib import Path\n"
        "from fewtaps.config import *; from fewtaps.pipeline.exploring import explore_app\n"
        "folder = Path(sys.argv[2]); resume = (folder / 'fewtaps.db').exists()\n"
        "explore_app(sys.argv[1], ExploreSettings(folder, DeviceSettings(farm=sys.argv[3]),"
        f" ExploreLimits(events={events}), parameters=('episode.events=25',), width={WIDTH}, resume=resume))\n"
    )
    command = [sys.executable, "-c", code, app, str(folder), farm]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    random, hit = Random(2), 0

    def kept() -> int:
        try:
            with open_store(folder) as store:
                run = store.runs.latest("explore")
                return 0 if run is None else store.runs.totals(run.run_id).events
        except NotFound:
            return 0

    for number in range(kills):
        before = kept()
        goal = before + random.random() * (events * (number + 1) / (kills + 1) - before)
        process = subprocess.Popen(command, env=environment)
        while process.poll() is None and kept() < goal:
            time.sleep(0.05)
        time.sleep(random.random() / 2)
        hit += process.poll() is None
        process.kill()
        process.wait()
    subprocess.run(command, env=environment, check=True)
    return hit


def recovery_seconds(farm: Farm, folder: Path, times: int) -> list[float]:
    """Seconds from the SIGKILL of a slot until its task has begun on another slot whose device is open."""
    found = []
    opener = PlanOpener(plan_app("sim:bill", DeviceSettings()))
    for number in range(times):
        farm.await_slots(4)
        with open_farm_pool(parse_address(farm.address, farm.certs), opener, size=4, width=4) as pool:
            stamps = folder / f"stamps-{number}"
            stamps.mkdir()
            pool.map([StampedJob(str(stamps), 0.5) for _ in range(8)])
            for path in stamps.iterdir():
                path.unlink()
            killed: list[float] = []

            def kill(stamps: Path = stamps, killed: list[float] = killed) -> None:
                while not (began := list(stamps.glob("[0-9]*"))):
                    time.sleep(0.01)
                killed.append(time.monotonic())
                os.kill(int(began[0].name.partition("-")[0]), signal.SIGKILL)

            thread = threading.Thread(target=kill)
            thread.start()
            pool.map([StampedJob(str(stamps), 3)])
            thread.join()
            began = sorted(float(path.read_text("utf-8")) for path in stamps.glob("[0-9]*"))
            found.append(began[1] - killed[0])
    return found


def notice_seconds(farm: Farm) -> float:
    """Seconds from the silence of the second machine until the hub has given up both of its slots."""
    machine = farm.machines[1]
    farm.await_slots(4)
    line = HubLine(parse_address(farm.address, farm.certs))
    stopped = [] if machine.namespace else machine.slots()
    began = time.monotonic()
    try:
        if machine.namespace:
            _ip("link", "set", "ft3", "down")
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)
        while len(line.ask("status")["slots"]) > 2 and time.monotonic() - began < START_SECONDS:
            time.sleep(0.1)
        return time.monotonic() - began
    finally:
        line.close()
        if machine.namespace:
            _ip("link", "set", "ft3", "up")
        for pid in stopped:
            os.kill(pid, signal.SIGKILL)


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    began = time.monotonic()
    answer = call()
    return time.monotonic() - began, answer


def main() -> int:
    options = parse()
    load = load_average()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with farm_of_two(folder) as farm:
            address = farm.address
            recovered = recovery_seconds(farm, folder, 5)
            print("recovery", recovered, flush=True)
            noticed = notice_seconds(farm)
            print("noticed", noticed, flush=True)
            farm.await_slots(4)
            killer = Killer(farm, options.every, options.minutes * 20)
            killer.start()
            seconds, ran = timed(
                lambda: run_on(options.app, folder / "farm", address, options.events, options.event_ms / 1000)
            )
            killer.end()
            on_farm = found_by(ran, folder / "farm")
            line = HubLine(parse_address(address, farm.certs))
            lost = line.ask("status")["lost"]
            line.close()
            print("run", seconds, killer.kills, killer.cuts, lost, flush=True)
            farm.await_slots(4)
            hit = killed_and_resumed(options.app, folder / "killed", address, 1500, options.kills)
            print("resumed", hit, flush=True)
        alone = found_by(run_on(options.app, folder / "alone", "", options.events, 0), folder / "alone")
        limits = ExploreLimits(events=1500)
        explore_app(
            options.app,
            ExploreSettings(folder / "whole", limits=limits, parameters=("episode.events=25",), width=WIDTH),
        )
        same_run = [one == other for one, other in zip(on_farm, alone, strict=True)]
        print("run", on_farm[2:], "alone", alone[2:], flush=True)
        same_store = digest_of(folder / "killed") == digest_of(folder / "whole")
        cases = len(ran.cases)
    losses = f"{killer.kills} kills, {killer.cuts} cut off"
    rows: list[list[Cell]] = [
        [f"run with kills, as without: {part}", losses, "yes" if same else "no"]
        for part, same in zip(PARTS, same_run, strict=True)
    ]
    rows.append(["exploration killed and resumed, as without", f"{hit} kills", "yes" if same_store else "no"])
    values: dict[str, Cell] = {
        "app": options.app,
        "minutes": round(seconds / 60, 1),
        "every": options.every,
        "kills": killer.kills,
        "cuts": killer.cuts,
        "lost": lost,
        "crashes": cases,
        "events": options.events,
        "killed_runs": hit,
        "recovery_seconds": round(max(recovered), 1),
        "notice_seconds": round(noticed, 1),
        "encrypted": "TLS between network namespaces" if address.startswith("tls") else "one machine, plain",
    }
    tables = {"compared": table(["what", "losses", "the same"], rows)}
    print(*map(shown, tables.values()), values, sep="\n\n")
    if options.write:
        save("farm_losses", measured(this_machine(load=load), tables, values))
    return 0 if all(same_run) and same_store else 1


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--app", default="sim:notes")
    parser.add_argument("--events", type=int, default=6000)
    parser.add_argument("--event-ms", type=float, default=100)
    parser.add_argument("--minutes", type=float, default=10, help="about how long it takes, for the time of the cut")
    parser.add_argument("--every", type=float, default=20)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--write", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

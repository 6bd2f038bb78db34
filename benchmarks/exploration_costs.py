"""What an exploration itself costs, apart from the device, and what a second device gains."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from results import Cell, Table, table

from fewtaps.apk.reader import read_apk
from fewtaps.apk.strings import read_strings
from fewtaps.config import DeviceSettings, ExploreLimits, ExploreSettings
from fewtaps.device.simulated.device import SimulatedDevice
from fewtaps.device.simulated.samples import notes_app
from fewtaps.device.twin.device import TwinDevice
from fewtaps.device.twin.jail import jail_problem
from fewtaps.explore.exploration import Exploration
from fewtaps.explore.loop import run_episode
from fewtaps.explore.parameters import DEFAULT_PARAMETERS
from fewtaps.explore.strategies import STRATEGIES
from fewtaps.model.event import Event
from fewtaps.model.phone import Differences
from fewtaps.model.trace import Step
from fewtaps.pipeline.exploring import explore_app

POINTS = 10


class Timed:
    """A session that adds up the time spent in it, by the clock and of this thread's processor."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self.seconds = self.processor_seconds = 0.0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    def launch(self, world: int = 0, phone: Differences | None = None) -> Step:
        """As the session's own."""
        return self._timed(lambda: self._session.launch(world, phone))

    def perform(self, event: Event) -> Step:
        """As the session's own."""
        return self._timed(lambda: self._session.perform(event))

    def _timed(self, work: Any) -> Step:
        began, processor = time.perf_counter(), time.thread_time()
        try:
            step: Step = work()
            return step
        finally:
            self.seconds += time.perf_counter() - began
            self.processor_seconds += time.thread_time() - processor


@dataclass(slots=True)
class Cost:
    """What some events cost: all seconds, those of the device, and the memory at even distances."""

    events: int = 0
    seconds: float = 0.0
    processor_seconds: float = 0.0
    device_seconds: float = 0.0
    device_processor_seconds: float = 0.0
    megabytes: list[float] = field(default_factory=list)

    @property
    def own_ms(self) -> float:
        """Processor time of the exploration itself, per event."""
        return 1000 * (self.processor_seconds - self.device_processor_seconds) / self.events

    @property
    def own_share(self) -> float:
        """The share of the whole time that is not the device's, in percent."""
        return 100 * (1 - self.device_seconds / self.seconds)


def own_cost(strategy: str, events: int, apk: str | None = None, seed: int = 1) -> Cost:
    """Explores so far, on the simulated device or, with an APK, on the twin."""
    if apk is None:
        program = notes_app()
        with SimulatedDevice([program]).open(program.app) as session:
            return _explored(session, program.app, strategy, tuple, events, seed)
    app = read_apk(Path(apk))
    with TwinDevice(jail=jail_problem() is None) as device, device.open(app) as session:
        return _explored(session, app, strategy, lambda: read_strings(Path(apk)), events, seed)


def _explored(session: Any, app: Any, strategy: str, words: Any, events: int, seed: int) -> Cost:
    timed, cost = Timed(session), Cost()
    exploration = Exploration(app, STRATEGIES[strategy](app, DEFAULT_PARAMETERS, words), seed=seed, worlds=4)
    began, processor = time.perf_counter(), time.thread_time()
    for episode_plan in exploration.episode_plans():
        episode = run_episode(timed, episode_plan, lambda: False)
        exploration.absorb(episode)
        cost.events += episode.events
        if cost.events >= events * (len(cost.megabytes) + 1) // POINTS:
            cost.megabytes.append(resident_megabytes())
        if cost.events >= events:
            break
    cost.seconds, cost.processor_seconds = time.perf_counter() - began, time.thread_time() - processor
    cost.device_seconds, cost.device_processor_seconds = timed.seconds, timed.processor_seconds
    return cost


def resident_megabytes() -> float:
    """The memory of this process; 0 where the system does not tell."""
    try:
        for line in Path("/proc/self/status").read_text("ascii").splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
    except OSError:
        pass
    return 0.0


def events_in(apk: str, devices: int, minutes: float, seed: int = 1) -> int:
    """How many events `fewtaps explore --minutes M -j N` performs; the time begins when the first device is there."""
    with TemporaryDirectory() as folder:
        settings = ExploreSettings(
            Path(folder) / "project",
            device=DeviceSettings(jail=jail_problem() is None),
            limits=ExploreLimits(minutes=minutes),
            seed=seed,
            jobs=devices,
            pictures=False,
        )
        return explore_app(apk, settings).progress.events


def cost_table(strategy: str, events: int, apks: list[str]) -> Table:
    """What exploration itself costs: on the simulated device, and on the twin for every APK."""
    rows: list[tuple[Cell, ...]] = []
    for apk in (None, *apks):
        cost = own_cost(strategy, events if apk is None else min(events, 2000), apk)
        memory = ", ".join(f"{each:.0f}" for each in cost.megabytes)
        share = "" if apk is None else f"{cost.own_share:.1f} %"
        rows.append(("simulated" if apk is None else Path(apk).stem, cost.events, cost.own_ms, share, memory))
    own = (("own ms per event", "{:.3f}"), "own share of the time")
    return table([strategy, "events", *own, "memory, MB, at each tenth"], rows)


def speedup_table(minutes: float, apks: list[str], seeds: int) -> Table:
    """What two devices do against one in the same time, in turns, with several seeds.

    One seed says little: events do not all cost the same.
    """
    rows: list[tuple[Cell, ...]] = []
    ratios = []
    for apk in apks:
        counts = [[events_in(apk, devices, minutes, seed) for devices in (1, 2)] for seed in range(1, seeds + 1)]
        one, two = map(sum, zip(*counts, strict=True))
        ratios.append(two / one)
        each = ", ".join(f"{both / alone:.2f}" for alone, both in counts)
        rows.append((Path(apk).stem, seeds, one, two, f"{two / one:.2f} ({each})"))
    rows.append(("mean", "", "", "", f"{statistics.mean(ratios):.2f}"))
    return table([f"events in {minutes:g} min", "seeds", "one device", "two devices", "ratio (of each seed)"], rows)

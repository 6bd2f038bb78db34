"""Crash traces of the sample apps, recorded on the twin by random exploration with fixed seeds.

They are recorded once into a folder, because that takes a while; the traces of one folder can then be reduced again
and again. The same seeds give the same traces.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from fewtaps.apk.reader import read_apk
from fewtaps.apk.strings import read_strings
from fewtaps.device.session import Session, SessionSettings
from fewtaps.device.twin.device import TwinDevice
from fewtaps.explore.exploration import Exploration
from fewtaps.explore.loop import run_excursion
from fewtaps.explore.parameters import DEFAULT_PARAMETERS
from fewtaps.explore.strategies import STRATEGIES
from fewtaps.model.trace import Ending, Step, Trace
from fewtaps.tracefile import read_trace, write_trace

SAMPLES = Path(__file__).resolve().parent.parent / "samples"
CRASHING = ("calc", "feed", "labels", "museum", "notes", "orders", "timer", "tipsplit", "vault", "zones")
"""The samples in which blind events find a crash: into wizard and shop they do not come far enough."""

BLIND = ("widget", "monkey")
SHORTEST, LONGEST = 30, 1500
ENOUGH = 2
"""So many traces are kept of each exploration, which then ends."""


def settings_for(sample: str) -> SessionSettings:
    """The phone that a sample needs: only without a map does zones crash."""
    return SessionSettings(neighbours="absent" if sample == "zones" else "present")


class SampleSessions:
    """The twin with one sample open at a time."""

    def __init__(self, device: TwinDevice) -> None:
        self._device = device
        self._open = ExitStack()
        self._name = ""
        self._session: Session | None = None

    def open(self, sample: str) -> Session:
        """The session of the sample; that of another is closed first."""
        if self._session is None or self._name != sample:
            self.close()
            app = read_apk(SAMPLES / f"{sample}.apk")
            self._session = self._open.enter_context(self._device.open(app, settings_for(sample)))
            self._name = sample
        return self._session

    def close(self) -> None:
        """Closes what is open."""
        self._open.close()
        self._session = None


def crashes_of(session: Session, sample: str, strategy: str, seed: int, events: int) -> Iterator[tuple[int, Trace]]:
    """Explores without ever going back, each time until a crash or for as long as a trace may be; gives the crashes."""
    path = SAMPLES / f"{sample}.apk"
    policy = STRATEGIES[strategy](session.app, DEFAULT_PARAMETERS, lambda: read_strings(path))
    exploration = Exploration(session.app, policy, seed=seed, events_per_outing=LONGEST - 1)
    played = 0

    def count(step: Step) -> None:
        nonlocal played
        played += 1

    for excursion in exploration.excursions():
        outing = run_excursion(session, excursion, lambda: played >= events, count)
        exploration.absorb(outing)
        crash = outing.trace.crash
        if crash is not None and crash.suspect is None and outing.trace.ending is Ending.CRASHED:
            yield outing.number, outing.trace
        if played >= events:
            return


def record(folder: Path, seeds: Sequence[int], events: int, samples: Sequence[str] = CRASHING) -> None:
    """Explores the samples and keeps the crash traces that are neither short nor too long."""
    folder.mkdir(parents=True, exist_ok=True)
    with TwinDevice() as device:
        sessions = SampleSessions(device)
        for sample in samples:
            for strategy in BLIND:
                for seed in seeds:
                    _record_one(sessions.open(sample), folder, (sample, strategy, seed), events)
        sessions.close()


def _record_one(session: Session, folder: Path, task: tuple[str, str, int], events: int) -> None:
    fitting = (each for each in crashes_of(session, *task, events) if SHORTEST <= len(each[1].steps) <= LONGEST)
    for number, trace in islice(fitting, ENOUGH):
        assert trace.crash is not None
        name = "-".join(map(str, (*task, number)))
        write_trace(folder / f"{name}.jsonl", trace)
        print(f"{name}: {len(trace.steps)} events, {trace.crash.signature}", flush=True)


@dataclass(frozen=True, slots=True)
class Recorded:
    """A crash trace of a sample."""

    name: str
    sample: str
    trace: Trace


def read_recorded(folder: Path) -> Iterator[Recorded]:
    """The traces of a folder, sample by sample."""
    for path in sorted(folder.glob("*.jsonl")):
        yield Recorded(path.stem, path.stem.partition("-")[0], read_trace(path))

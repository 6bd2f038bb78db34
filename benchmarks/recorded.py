"""Crash traces of the sample apps, recorded on the twin by exploration with fixed seeds.

They are recorded once into a folder, because that takes a while; the traces of one folder can then be reduced again
and again. The same seeds give the same traces.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

from fewtaps.apk.reader import read_apk
from fewtaps.apk.strings import read_strings
from fewtaps.device.session import Session
from fewtaps.device.twin.device import TwinDevice
from fewtaps.explore.block import NOTHING_BLOCKED, Blocklist
from fewtaps.explore.exploration import Exploration
from fewtaps.explore.loop import run_episode
from fewtaps.explore.parameters import DEFAULT_PARAMETERS
from fewtaps.explore.strategies import STRATEGIES
from fewtaps.model.ending import Ending
from fewtaps.model.episode import Episode, EpisodeEnd
from fewtaps.model.event import Event
from fewtaps.model.screen import Screen
from fewtaps.model.trace import Trace
from fewtaps.reducing.oracle import ActionKey, action_of
from fewtaps.tracefile import read_trace, write_trace

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from sample_settings import settings_of

SAMPLES = Path(__file__).resolve().parent.parent / "samples"
CRASHING = (
    *("calc", "feed", "labels", "museum", "notes", "orders"),
    *("shop", "timer", "tipsplit", "vault", "wizard", "zones"),
)
"""The samples with crashes, without misbehave: each of its endless loops would be ended by real time."""

DEEP = ("museum", "shop", "vault", "wizard")
"""In these, blind events hardly come to the crash: the default exploration, which goes back, is asked too."""

SHORTEST, LONGEST = 30, 1500
WALKS = (("widget", SHORTEST), ("monkey", 150), ("widget", 500))
"""The kinds of walks: what chooses the events, and after how many events a crash ends the walk."""

PATIENCE = 8
"""A walk may play so many times the events that it is to have, and a thousand more; then it is given up."""

CLOSE = 3
"""A crash within so many events after the last one is taken for the same dead end."""


@dataclass(frozen=True, slots=True)
class Task:
    """One exploration. `shortest` is how many events its trace is to have at least."""

    sample: str
    strategy: str
    seed: int
    shortest: int

    @property
    def name(self) -> str:
        """Names the trace."""
        return f"{self.sample}-{self.strategy}-{self.shortest}-{self.seed}"

    @property
    def events(self) -> int:
        """So many may be played."""
        return PATIENCE * self.shortest + 1000


def tasks_for(sample: str, seeds: int) -> Iterator[Task]:
    """Each kind of walk with so many seeds, and where crashes are deep, explorations that go back."""
    for seed in range(1, seeds + 1):
        for strategy, shortest in WALKS:
            yield Task(sample, strategy, seed, shortest)
        if sample in DEEP:
            yield Task(sample, "frontier", seed, SHORTEST)


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
            self._session = self._open.enter_context(self._device.open(app, settings_of(sample)))
            self._name = sample
        return self._session

    def close(self) -> None:
        """Closes what is open."""
        self._open.close()
        self._session = None


def explore(session: Session, task: Task) -> Trace | None:
    """The first crash trace of the exploration that is long enough; None if it is not found in time."""
    return _go_back(session, task) if task.strategy == "frontier" else _walk(session, task)


def _go_back(session: Session, task: Task) -> Trace | None:
    """Explores as `fewtaps explore` does, for at most as many events as the longest trace has."""
    exploration = _exploration(session, task, task.seed)
    played = 0
    for episode_plan in exploration.episode_plans():
        episode = run_episode(session, episode_plan, lambda: False)
        exploration.absorb(episode)
        played += len(episode.trace.steps)
        if _is_crash(episode) and len(episode.trace.steps) >= task.shortest:
            return episode.trace
        if played >= LONGEST:
            break
    return None


def _walk(session: Session, task: Task) -> Trace | None:
    """Explores without going back. Crashes that come too early are walked round.

    The event that crashed is left out, what it did is not done again until the walk is long enough, and it goes on from
    there. Where it ends again at once, it takes back more: twice as many events each time.
    """
    way: tuple[Event, ...] = ()
    played = parts = back = 0
    shunned = Shunned()
    while played < task.events:
        missing = task.shortest - 1 - len(way)
        exploration = _exploration(session, task, 1000 * task.seed + parts, way, shunned if missing > 0 else None)
        episode = run_episode(session, next(exploration.episode_plans()), lambda: False)
        trace, parts = episode.trace, parts + 1
        played += len(trace.steps)
        if _is_crash(episode) and len(trace.steps) >= task.shortest:
            return trace
        if episode.end is EpisodeEnd.EVENT_LIMIT:
            if missing <= 0:
                return None
            way = trace.events[1:]
            continue
        if trace.crash is not None and len(trace.steps) > 1:
            shunned.actions.add(action_of(trace.steps[-1].event, trace.steps[-2].after))
        back = 2 * back if back and len(trace.steps) - 1 <= len(way) + CLOSE else 1
        way = trace.events[1 : max(1, len(trace.steps) - back)]
    return None


class Shunned(Blocklist):
    """Keeps away from what has crashed before."""

    def __init__(self) -> None:
        super().__init__()
        self.actions: set[ActionKey] = set()

    def forbids(self, event: Event, screen: Screen) -> bool:
        """Whether it does what crashed."""
        return action_of(event, screen) in self.actions


def _exploration(
    session: Session, task: Task, seed: int, way: Sequence[Event] = (), shunned: Shunned | None = None
) -> Exploration:
    path = SAMPLES / f"{task.sample}.apk"
    policy = STRATEGIES[task.strategy](session.app, DEFAULT_PARAMETERS, lambda: read_strings(path))
    most = task.shortest if shunned is not None else LONGEST
    limit = None if task.strategy == "frontier" else max(1, most - 1 - len(way))
    block = NOTHING_BLOCKED if shunned is None else shunned
    return Exploration(session.app, policy, seed=seed, prelude=way, events_per_episode=limit, block=block)


def _is_crash(episode: Episode) -> bool:
    crash = episode.trace.crash
    return crash is not None and crash.suspect is None and episode.trace.ending is Ending.CRASHED


def record(folder: Path, seeds: int, samples: Sequence[str] = CRASHING) -> None:
    """Explores the samples and keeps their crash traces; those that are there already are not made again."""
    folder.mkdir(parents=True, exist_ok=True)
    with TwinDevice() as device, closing(SampleSessions(device)) as sessions:
        for sample in samples:
            for task in tasks_for(sample, seeds):
                path = folder / f"{task.name}.jsonl"
                trace = read_trace(path) if path.exists() else explore(sessions.open(sample), task)
                print(f"{task.name}: {_summary(trace)}", flush=True)
                if trace is not None and not path.exists():
                    write_trace(path, trace)


def _summary(trace: Trace | None) -> str:
    if trace is None or trace.crash is None:
        return "no crash in time"
    return f"{len(trace.steps)} events, {trace.crash.signature}"


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

#!/usr/bin/env python3
"""Measures every reduction strategy, and picire beside them, on crash traces of simulated apps and of the samples.

Run: python benchmarks/reduce.py [--keep FILE] [--write]                 the simulated apps, by themselves
     python benchmarks/reduce.py --record FOLDER [--seeds 3]             records crash traces of the samples on the twin
     python benchmarks/reduce.py --recorded FOLDER [--keep FILE] [--write]     and reduces those too

What is measured is kept in a file as it comes (build/reduce.jsonl), so that a run that was ended goes on from there.
`--write` puts the tables into docs/performance.md and the plot beside it. For picire: pip install -e .[bench]
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Protocol

import page
from recorded import Recorded, SampleSessions, read_recorded, record
from reduce_plot import draw_costs
from reduce_table import RECHECKS_FREE, Cost, report
from shaped_apps import subjects

from fewtaps.device.session import Session
from fewtaps.device.twin.device import TwinDevice
from fewtaps.model.event import Event
from fewtaps.model.goal import SameCrash
from fewtaps.model.trace import Trace
from fewtaps.reducing.plan import STRATEGIES, reduce_trace
from fewtaps.replay import play

try:
    import picire
except ImportError:
    picire = None

ROOT = Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- reduced: begin -->", "<!-- reduced: end -->"

PARALLEL_EVERY = 11
"""picire starts a process per test in its parallel mode: every so manieth trace has to do."""


class Subject(Protocol):
    """A crash trace and a device that plays its candidates."""

    @property
    def name(self) -> str:
        """Names it in tables."""
        ...

    @property
    def trace(self) -> Trace:
        """What is to be reduced."""
        ...

    @property
    def shows_all(self) -> bool:
        """Whether the crash depends only on the way to it and on what was done there last."""
        ...

    def open(self, *, coverage: bool = True) -> Session:
        """A session that plays candidates."""
        ...


@dataclass(frozen=True, slots=True)
class SampleSubject:
    """A recorded crash of a sample app, on the twin."""

    recorded: Recorded
    sessions: SampleSessions

    @property
    def name(self) -> str:
        """The name of its file."""
        return self.recorded.name

    @property
    def trace(self) -> Trace:
        """As it was recorded."""
        return self.recorded.trace

    @property
    def shows_all(self) -> bool:
        """Real apps remember."""
        return False

    def open(self, *, coverage: bool = True) -> Session:
        """The sample on the twin, which measures coverage in any case."""
        return self.sessions.open(self.recorded.sample)


class Player:
    """Plays candidates on one session and keeps the computing time, which a busy machine does not stretch."""

    def __init__(self, session: Session, world: int) -> None:
        self._session = session
        self._world = world
        self.cpu_seconds = 0.0

    def __call__(self, candidates: Sequence[tuple[Event, ...]]) -> list[Trace]:
        """One trace for each."""
        started = time.process_time()
        traces = [play(self._session, candidate, by="coordinates", world=self._world) for candidate in candidates]
        self.cpu_seconds += time.process_time() - started
        return traces


def measure(subject: Subject, strategy: str, *, coverage: bool = True) -> Cost:
    """Reduces the subject's trace by one of our strategies, without the simplification that follows."""
    assert subject.trace.crash is not None
    player = Player(subject.open(coverage=coverage), subject.trace.world)
    started, computed = time.perf_counter(), time.process_time()
    reduction = reduce_trace(
        subject.trace, SameCrash(subject.trace.crash.signature), player, strategy=strategy, plainer=False
    )
    seconds, computed = time.perf_counter() - started, time.process_time() - computed
    return Cost(
        subject.name,
        strategy,
        len(subject.trace.steps),
        len(reduction.trace.steps),
        reduction.runs,
        reduction.events,
        seconds,
        computed - player.cpu_seconds,
        reduction.is_minimal,
        subject.shows_all,
        device_of(subject),
    )


def device_of(subject: Subject) -> str:
    """Where it is played."""
    return "twin" if isinstance(subject, SampleSubject) else "simulated"


class PicireTest:
    """The same predicate for picire: the launch is given, and a configuration is a list of event numbers."""

    def __init__(self, subject: Subject, *, with_rechecks: bool) -> None:
        assert subject.trace.crash is not None
        self._with_rechecks = with_rechecks
        self._player = Player(subject.open(), subject.trace.world)
        self._events = subject.trace.events
        self._goal = SameCrash(subject.trace.crash.signature)
        # Its parallel modes run tests in processes of their own and kill those they no longer need: a lock might never
        # be given back. What is appended to a file is written whole or not at all.
        self._counts = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115

    def __call__(self, config: Sequence[int], config_id: Sequence[str]) -> object:
        """Whether the configuration still crashes; picire calls that a failure."""
        trace = self._player([(self._events[0], *(self._events[number] for number in config))])[0]
        # picire asserts at the start of each round that what it has still fails; the first time that is the original.
        if self._with_rechecks or "assert" not in config_id or "r0" in config_id:
            os.write(self._counts.fileno(), b"%8d" % len(trace.steps))
        return picire.Outcome.FAIL if self._goal.met_by(trace) else picire.Outcome.PASS

    def counted(self) -> tuple[int, int]:
        """Runs and events so far."""
        self._counts.seek(0)
        written = self._counts.read()
        played = [int(written[start : start + 8]) for start in range(0, len(written), 8)]
        return len(played), sum(played)


def measure_picire(subject: Subject, name: str, make: Callable[[PicireTest], Callable[[list[int]], list[int]]]) -> Cost:
    """Reduces the subject's trace by picire."""
    test = PicireTest(subject, with_rechecks=name != RECHECKS_FREE)
    started, computed = time.perf_counter(), time.process_time()
    left = make(test)(list(range(1, len(subject.trace.steps))))
    seconds, computed = time.perf_counter() - started, time.process_time() - computed
    own = computed - test._player.cpu_seconds
    return Cost(
        *(subject.name, name, len(subject.trace.steps), len(left) + 1),
        *(*test.counted(), seconds, own, True, subject.shows_all, device_of(subject)),
    )


def picire_modes() -> dict[str, Callable[[PicireTest], Callable[[list[int]], list[int]]]]:
    """picire's default (it caches configurations), what of its options suits crashes best, and its parallel modes."""
    if picire is None:
        return {}
    backward = picire.config_iterators.backward
    return {
        "picire": lambda test: picire.DD(test),
        RECHECKS_FREE: lambda test: picire.DD(test),
        "picire no cache": lambda test: picire.DD(test, cache=picire.OutcomeCache()),
        "picire best": lambda test: picire.DD(
            test, subset_first=False, subset_iterator=picire.config_iterators.skip, complement_iterator=backward
        ),
        "picire -p": lambda test: picire.ParallelDD(test, proc_num=2),
        "picire -p -c": lambda test: picire.CombinedParallelDD(
            test, proc_num=2, config_iterator=picire.CombinedIterator()
        ),
    }


def measure_all(options: argparse.Namespace) -> Iterator[Cost]:
    """Every strategy on every subject that the options name; what was measured before is not measured again."""
    kept = {cost.key: cost for cost in read_kept(options.keep)}
    options.keep.parent.mkdir(parents=True, exist_ok=True)
    with options.keep.open("a", encoding="utf-8") as stream:
        for number, subject in enumerate(_subjects(options)):
            if options.limit is not None and number >= options.limit:
                break
            for name, work in _tasks(subject, number, coverage=not options.without_coverage):
                cost = kept.get((subject.name, name)) or work()
                if cost.key not in kept:
                    print(json.dumps(asdict(cost)), file=stream, flush=True)
                yield cost


def _subjects(options: argparse.Namespace) -> Iterator[Subject]:
    yield from subjects(options.per_trace)
    if options.recorded is not None:
        with TwinDevice() as device:
            sessions = SampleSessions(device)
            for recorded in read_recorded(options.recorded):
                yield SampleSubject(recorded, sessions)
            sessions.close()


def _tasks(subject: Subject, number: int, *, coverage: bool) -> Iterator[tuple[str, Callable[[], Cost]]]:
    """What is measured with a subject: every strategy, and those modes of picire that its device allows."""
    for strategy in STRATEGIES:
        yield strategy, lambda strategy=strategy: measure(subject, strategy, coverage=coverage)  # type: ignore[misc]
    for name, make in picire_modes().items():
        # A twin cannot be copied into picire's processes, and re-checks cost there what they cost anywhere.
        is_parallel = "-p" in name
        if device_of(subject) == "twin" and name != "picire":
            continue
        if not is_parallel or number % PARALLEL_EVERY == 0:
            yield name, lambda name=name, make=make: measure_picire(subject, name, make)  # type: ignore[misc]


def read_kept(path: Path) -> Iterator[Cost]:
    """What was measured before; a last line that was not finished is left out."""
    if path.is_file():
        for line in path.read_text("utf-8").splitlines():
            try:
                yield Cost(**json.loads(line))
            except (ValueError, TypeError):
                continue


def measure_recordings(folder: Path) -> list[Cost]:
    """Our strategies on the published logs: an event does what it did where it was recorded, and nothing elsewhere."""
    sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
    from reducing.recordings import THE_GOAL, read_recording

    costs: list[Cost] = []
    for each in sorted(folder.glob("*/*")):
        recording = read_recording(each)
        for strategy in STRATEGIES:
            reduction = reduce_trace(recording.trace, THE_GOAL, recording.play, strategy=strategy, plainer=False)
            sizes = (len(recording.events), len(reduction.trace.steps), reduction.runs, reduction.events)
            costs.append(
                Cost("/".join(each.parts[-2:]), strategy, *sizes, 0.0, 0.0, reduction.is_minimal, device="recordings")
            )
    return costs


def main() -> None:
    """Prints the report, and writes it where asked to."""
    options = parse()
    if options.record:
        record(options.record, range(1, options.seeds + 1), options.events)
        return
    load = page.load_average()
    if options.recordings:
        costs = measure_recordings(options.recordings)
    else:
        costs = list(read_kept(options.keep) if options.kept else measure_all(options))
    text = report(costs)
    print(text)
    if picire is None and not options.recordings:
        print("\nWithout picire: it is not installed (pip install picire).")
    if options.write:
        machine = page.machine("", jailed=True, load=load).replace(", Java unknown, in the jail", "")
        page.replace_measured(ROOT / "docs" / "performance.md", f"{machine}\n\n{text}", BEGIN, END)
        (ROOT / "docs" / "images" / "reduction-costs.svg").write_text(
            draw_costs([asdict(cost) for cost in costs]), encoding="utf-8"
        )


def parse() -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--per-trace", type=int, default=3, help="traces per recorded length (3)")
    parser.add_argument("--without-coverage", action="store_true", help="as on a device that cannot tell coverage")
    parser.add_argument("--recordings", type=Path, help="SimplyDroid's logs instead, each as a machine of activities")
    parser.add_argument("--record", type=Path, metavar="FOLDER", help="explore the samples and keep their crash traces")
    parser.add_argument("--seeds", type=int, default=3, help="with --record: so many explorations of each kind (3)")
    parser.add_argument("--events", type=int, default=1500, help="with --record: of so many events at most (1500)")
    parser.add_argument("--recorded", type=Path, metavar="FOLDER", help="measure those traces too, on the twin")
    parser.add_argument("--limit", type=int, help="measure only so many traces")
    parser.add_argument("--keep", type=Path, help="the file of results (build/reduce.jsonl)")
    parser.add_argument("--kept", action="store_true", help="measure nothing: only report what is in the file")
    parser.add_argument("--write", action="store_true", help="write docs/performance.md and the plot")
    options = parser.parse_args()
    options.keep = options.keep or ROOT / "build" / f"reduce{'-uncovered' if options.without_coverage else ''}.jsonl"
    return options


if __name__ == "__main__":
    main()

"""Measures every reduction strategy, and picire beside them, on crash traces of simulated apps.

Run: python benchmarks/reduce.py [--per-trace 3] [--without-coverage] [--recordings FOLDER] [--svg FILE] [--json FILE]
For the comparison with picire: pip install picire
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

from reduce_plot import draw_costs
from shaped_apps import Subject, subjects

from fewtaps.device.session import Session
from fewtaps.model.event import Event
from fewtaps.model.goal import SameCrash
from fewtaps.model.trace import Trace
from fewtaps.reducing.hierarchy import build_hierarchy
from fewtaps.reducing.plan import STRATEGIES, reduce_trace
from fewtaps.replay import play

try:
    import picire
except ImportError:
    picire = None

PAPER_WINS = {
    ("lhdd", "ddmin"): 93,
    ("lhdd", "hdd"): 91,
    ("lhdd", "bhdd"): 80,
    ("bhdd", "ddmin"): 81,
    ("bhdd", "hdd"): 77,
    ("hdd", "ddmin"): 60,
    ("lhdd", "lhdd-nopre"): 90,
}
"""SimplyDroid, Table 6 and section IV.E.3: on how many of a hundred traces the first took less time than the second."""

PARALLEL_EVERY = 11
"""picire starts a process per test in its parallel mode: every so manieth trace has to do."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one strategy did with one trace: what it left, what it played, and our own computing time besides."""

    subject: str
    strategy: str
    original: int
    length: int
    runs: int
    events: int
    seconds: float
    own_seconds: float
    is_minimal: bool
    shows_all: bool = True


class Player:
    """Plays candidates on one session and keeps the time."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.seconds = 0.0

    def __call__(self, candidates: Sequence[tuple[Event, ...]]) -> list[Trace]:
        """One trace for each."""
        started = time.perf_counter()
        traces = [play(self._session, candidate, by="coordinates") for candidate in candidates]
        self.seconds += time.perf_counter() - started
        return traces


def measure(subject: Subject, strategy: str, *, coverage: bool = True) -> Cost:
    """Reduces the subject's trace by one of our strategies, without the simplification that follows."""
    assert subject.trace.crash is not None
    player = Player(subject.open(coverage=coverage))
    started = time.perf_counter()
    reduction = reduce_trace(
        subject.trace, SameCrash(subject.trace.crash.signature), player, strategy=strategy, plainer=False
    )
    seconds = time.perf_counter() - started
    return Cost(
        subject.name,
        strategy,
        len(subject.trace.steps),
        len(reduction.trace.steps),
        reduction.runs,
        reduction.events,
        seconds,
        seconds - player.seconds,
        reduction.is_minimal,
        subject.shows_all,
    )


RECHECKS_FREE = "picire, re-checks free"
"""The default again, without counting that it plays the best once more in each round."""


class PicireTest:
    """The same predicate for picire: the launch is given, and a configuration is a list of event numbers."""

    def __init__(self, subject: Subject, *, with_rechecks: bool) -> None:
        assert subject.trace.crash is not None
        self._with_rechecks = with_rechecks
        self._player = Player(subject.open())
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
    started = time.perf_counter()
    left = make(test)(list(range(1, len(subject.trace.steps))))
    seconds = time.perf_counter() - started
    own = seconds - test._player.seconds
    return Cost(
        *(subject.name, name, len(subject.trace.steps), len(left) + 1),
        *(*test.counted(), seconds, own, True, subject.shows_all),
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


def measure_all(per_trace: int, limit: int | None, *, coverage: bool) -> list[Cost]:
    """Every strategy on every subject."""
    costs: list[Cost] = []
    modes = picire_modes()
    for number, subject in enumerate(subjects(per_trace)):
        if limit is not None and number >= limit:
            break
        costs += [measure(subject, strategy, coverage=coverage) for strategy in STRATEGIES]
        costs += [
            measure_picire(subject, name, make)
            for name, make in modes.items()
            if "-p" not in name or number % PARALLEL_EVERY == 0
        ]
    return costs


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
            costs.append(Cost("/".join(each.parts[-2:]), strategy, *sizes, 0.0, 0.0, reduction.is_minimal))
    return costs


def by_strategy(costs: Sequence[Cost]) -> dict[str, dict[str, Cost]]:
    """The costs by strategy, then by subject."""
    found: dict[str, dict[str, Cost]] = {}
    for cost in costs:
        found.setdefault(cost.strategy, {})[cost.subject] = cost
    return found


def report(costs: Sequence[Cost]) -> str:
    """Markdown: what each strategy left and cost, who wins against whom, and what was asked for."""
    found = by_strategy(costs)
    originals = [cost.original for cost in found["auto"].values()]
    lines = [
        f"{len(originals)} crash traces of {min(originals)} to {max(originals)} events (launch included), "
        f"median {statistics.median(originals):.0f}.",
        "",
        "| strategy | traces | left, mean | left, most | known 1-minimal | runs, median | events, median "
        "| events, total | own time, total |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name, each in found.items():
        values = list(each.values())
        lines.append(
            f"| {name} | {len(values)} | {statistics.mean(cost.length for cost in values):.2f} "
            f"| {max(cost.length for cost in values)} | {sum(cost.is_minimal for cost in values) / len(values):.0%} "
            f"| {statistics.median(cost.runs for cost in values):.0f} "
            f"| {statistics.median(cost.events for cost in values):.0f} | {sum(cost.events for cost in values):,} "
            f"| {sum(cost.own_seconds for cost in values):.1f} s |"
        )
    lines += ["", *_wins(found), "", *_aims(found)]
    return "\n".join(lines)


def _wins(found: dict[str, dict[str, Cost]]) -> list[str]:
    """Who plays fewer events than whom, on how many of the traces."""
    lines = [
        "| fewer events than | SimplyDroid (less time) | here | where screens show all | where the app remembers |",
        "|---|---|---|---|---|",
    ]
    for (better, worse), paper in PAPER_WINS.items():
        everywhere = _share(found, better, worse, lambda cost: True)
        shown = _share(found, better, worse, lambda cost: cost.shows_all)
        hidden = _share(found, better, worse, lambda cost: not cost.shows_all)
        lines.append(f"| {better} against {worse} | {paper} % | {everywhere} | {shown} | {hidden} |")
    return lines


def _share(found: dict[str, dict[str, Cost]], better: str, worse: str, counts: Callable[[Cost], bool]) -> str:
    pairs = [(cost, found[worse][name]) for name, cost in found[better].items() if name in found[worse]]
    wins = [left.events < right.events for left, right in pairs if counts(left)]
    return f"{sum(wins) / len(wins):.0%}" if wins else "none"


def _aims(found: dict[str, dict[str, Cost]]) -> list[str]:
    auto = found["auto"]
    shortest = sum(
        all(cost.length <= each[name].length for each in found.values() if name in each) for name, cost in auto.items()
    )
    lines = [
        "| asked for | found |",
        "|---|---|",
        f"| auto at least as short as every other, on 95 % of traces | {shortest / len(auto):.1%} |",
    ]
    best_single = [
        cost.events / min(found[name][subject].events for name in STRATEGIES if name != "auto")
        for subject, cost in auto.items()
    ]
    lines.append(f"| auto's events against the cheapest single strategy's | {statistics.median(best_single):.2f} |")
    for name in ("picire", RECHECKS_FREE, "picire best"):
        if name in found:
            ratio = statistics.median(auto[subject].events / cost.events for subject, cost in found[name].items())
            lines.append(f"| auto's events against those of {name}, median at most 0.25 | {ratio:.3f} |")
    longest = max(auto.values(), key=lambda cost: cost.original)
    slowest = max((cost for name in STRATEGIES for cost in found[name].values()), key=lambda cost: cost.own_seconds)
    if slowest.own_seconds:
        lines += [
            f"| own computing on the longest trace ({longest.original} events), under 2 s "
            f"| {longest.own_seconds:.2f} s |",
            f"| own computing, the most of all ({slowest.strategy}, {slowest.original} events) "
            f"| {slowest.own_seconds:.2f} s |",
        ]
    return [*lines, f"| tree of 100,000 events, under 1 s | {tree_seconds():.2f} s |"]


def tree_seconds(count: int = 100_000) -> float:
    """How long the tree of so many events takes, over a thousand activities."""
    random = Random(1)
    state, states = 0, []
    for _ in range(count):
        state = random.randrange(1000) if random.random() < 0.1 else state
        states.append(f"com.example.Activity{state}")
    started = time.perf_counter()
    build_hierarchy(states)
    return time.perf_counter() - started


def main() -> None:
    """Prints the report; writes the plot and the figures where asked to."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--per-trace", type=int, default=3, help="traces per recorded length (3)")
    parser.add_argument("--without-coverage", action="store_true", help="as on a device that cannot tell coverage")
    parser.add_argument("--recordings", type=Path, help="SimplyDroid's logs instead, each as a machine of activities")
    parser.add_argument("--limit", type=int, help="measure only so many traces")
    parser.add_argument("--svg", type=Path, help="where to draw the costs")
    parser.add_argument("--json", type=Path, help="where to write the single figures")
    options = parser.parse_args()
    if options.recordings:
        costs = measure_recordings(options.recordings)
    else:
        costs = measure_all(options.per_trace, options.limit, coverage=not options.without_coverage)
    print(report(costs))
    if picire is None and not options.recordings:
        print("\nWithout picire: it is not installed (pip install picire).")
    if options.svg:
        options.svg.write_text(draw_costs([asdict(cost) for cost in costs]), encoding="utf-8")
    if options.json:
        options.json.write_text(json.dumps([asdict(cost) for cost in costs], indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()

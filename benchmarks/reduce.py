#!/usr/bin/env python3
"""Measures every reduction strategy, and picire beside them, on crash traces of simulated apps and of the samples.

Run: python benchmarks/reduce.py [--keep FILE] [--write]                 the simulated apps, by themselves
     python benchmarks/reduce.py --record FOLDER [--seeds 1]             records crash traces of the samples on the twin
     python benchmarks/reduce.py --recorded FOLDER [--keep FILE] [--write]     and reduces those too

What is measured is kept in a file as it comes (build/reduce.jsonl), so that a run that was ended goes on from there.
On the twin each candidate is played once and then remembered for the strategies that follow, which are charged for it
all the same: runs, events and the time that it took. `--most-events` cuts off what would take too long there.
`--write` writes benchmarks/results/reduce.json and the plot of docs/performance.md. For picire: pip install -e .[bench]
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path

from recorded import record
from reduce_picire import measure_picire, picire_modes
from reduce_plot import draw_costs
from reduce_subjects import Subject, iter_subjects
from reduce_table import Cost, reduction_tables, reduction_values
from results import load_average, measured, save, shown, this_machine

from fewtaps.budget import Budget
from fewtaps.errors import BudgetSpent
from fewtaps.model.goal import SameCrash
from fewtaps.model.result import Reduction
from fewtaps.reducing.plan import STRATEGIES, reduce_trace

ROOT = Path(__file__).resolve().parent.parent
MOST_EVENTS = 20_000


def measure(subject: Subject, strategy: str, *, coverage: bool = True, most_events: int | None = None) -> Cost:
    """Reduces the subject's trace by one of our strategies, without the simplification that follows."""
    assert subject.trace.crash is not None
    player = subject.player(coverage=coverage)
    goal, budget, cut_off = SameCrash(subject.trace.crash.signature), Budget(events=most_events), False
    started, computed = time.perf_counter(), time.process_time()
    try:
        reduction = reduce_trace(subject.trace, goal, player, strategy=strategy, plainer=False, budget=budget)
    except BudgetSpent as spent:
        assert isinstance(spent.best, Reduction)
        reduction, cut_off = spent.best, True
    seconds, computed = time.perf_counter() - started, time.process_time() - computed
    return Cost(
        subject.name,
        strategy,
        len(subject.trace.steps),
        len(reduction.trace.steps),
        reduction.runs,
        reduction.events,
        seconds + player.saved_seconds,
        computed - player.cpu_seconds,
        reduction.is_minimal,
        subject.shows_all,
        subject.device,
        cut_off,
    )


def measure_all(options: argparse.Namespace) -> Iterator[Cost]:
    """Every strategy on every subject that the options name; what was measured before is not measured again."""
    kept = {cost.key: cost for cost in read_kept(options.keep)}
    options.keep.parent.mkdir(parents=True, exist_ok=True)
    with options.keep.open("a", encoding="utf-8") as stream:
        for number, subject in enumerate(iter_subjects(options.per_trace, options.recorded)):
            if options.limit is not None and number >= options.limit:
                break
            parallel = number % options.parallel_every == 0
            for name, work in _tasks(subject, parallel, options):
                cost = kept.get((subject.name, name)) or work()
                if cost.key not in kept:
                    print(json.dumps(asdict(cost)), file=stream, flush=True)
                yield cost


def _tasks(subject: Subject, parallel: bool, options: argparse.Namespace) -> Iterator[tuple[str, Callable[[], Cost]]]:
    """What is measured with a subject: every strategy, and those modes of picire that its device allows."""
    is_twin = subject.device == "twin"
    most_events = options.most_events if is_twin else None
    ours = partial(measure, subject, coverage=not options.without_coverage, most_events=most_events)
    for strategy in STRATEGIES:
        yield strategy, partial(ours, strategy)
    for name, make in picire_modes().items():
        # A twin cannot be copied into picire's processes.
        if "-p" not in name or (parallel and not is_twin):
            yield name, partial(measure_picire, subject, name, make, most_events)


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
        record(options.record, options.seeds)
        return
    load = load_average()
    if options.recordings:
        costs = measure_recordings(options.recordings)
    else:
        costs = list(read_kept(options.keep) if options.kept else measure_all(options))
    tables = reduction_tables(costs)
    print(*map(shown, tables.values()), sep="\n\n")
    if not picire_modes() and not options.recordings:
        print("\nWithout picire: it is not installed (pip install picire).")
    if options.write:
        save("reduce", measured(this_machine(load=load), tables, reduction_values(costs)))
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
    parser.add_argument("--seeds", type=int, default=1, help="with --record: so many explorations of each kind (1)")
    parser.add_argument("--recorded", type=Path, metavar="FOLDER", help="measure those traces too, on the twin")
    parser.add_argument(
        "--parallel-every",
        type=int,
        default=1,
        metavar="N",
        help="picire's parallel modes on every N-th trace only (1)",
    )
    parser.add_argument(
        "--most-events", type=int, default=MOST_EVENTS, help=f"cut a strategy off there, on the twin ({MOST_EVENTS})"
    )
    parser.add_argument("--limit", type=int, help="measure only so many traces")
    parser.add_argument("--keep", type=Path, help="the file of results (build/reduce.jsonl)")
    parser.add_argument("--kept", action="store_true", help="measure nothing: only report what is in the file")
    parser.add_argument("--write", action="store_true", help="write results/reduce.json and the plot")
    options = parser.parse_args()
    options.keep = options.keep or ROOT / "build" / f"reduce{'-uncovered' if options.without_coverage else ''}.jsonl"
    return options


if __name__ == "__main__":
    main()

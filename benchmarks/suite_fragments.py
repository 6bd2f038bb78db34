#!/usr/bin/env python3
"""Measures how many spliced traces replay, by the number of their fragments (RQ6 of the DetReduce paper, tables 4, 5).

Run: python benchmarks/suite_fragments.py [--actions N] [--samples N] [--worlds N] [--write] [APK …]

The traces are put together from fragments of what phase 1 leaves of an exploration by `widget`, which is taken from the
folder of benchmarks/suite.py (build/suite) or made there. For each k from 1 to 10, `--samples` (200) traces of 20
transitions with k fragments are drawn, each such trace with the same chance, and played in `--worlds` (10) worlds,
ended at the first deviation. Then 1,000 random paths of at most 20 transitions are drawn and their fragments counted.
`--write` writes benchmarks/results/suite_fragments.json.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path

from results import Cell, load_average, measured, save, shown, table, this_machine
from suite_making import SAMPLES, Task, explore, project_traces

from fewtaps.budget import Budget
from fewtaps.config import DeviceSettings
from fewtaps.device.jobs import InspectApp
from fewtaps.device.pool import open_pool
from fewtaps.device.twin.jail import jail_problem
from fewtaps.device.twin.runtime import find_java
from fewtaps.model.state import StateId
from fewtaps.model.suite import CoverageKind
from fewtaps.pipeline.news import ignore
from fewtaps.pipeline.opening import open_session, plan_app
from fewtaps.pipeline.suite_player import SuiteJournal, SuitePlayer
from fewtaps.suite.observing import Observer
from fewtaps.suite.reduction import Phase, SuiteReduction, SuiteRules
from fewtaps.suite.runs import Deviates, SuiteRun
from fewtaps.suite.splicing import Label, TransitionSystem, is_switch

ROOT = Path(__file__).resolve().parent.parent
MOST_FRAGMENTS = 10
TRANSITIONS = 20
"""Transitions of a trace, as in the paper."""
PATHS = 1_000
"""Random paths whose fragments are counted, as in the paper."""
APPS = ("shop", "museum", "wizard", "lab")
"""The samples with the most screens; the paper takes four of its larger apps too."""

PAPER_REPLAYABLE = {
    "acar": (195, 159, 119, 96, 94, 80, 70, 47, 54, 47),
    "astrid": (189, 108, 93, 64, 51, 41, 22, 16, 19, 14),
    "cnote": (186, 117, 77, 73, 53, 31, 22, 31, 16, 11),
    "emobile": (199, 169, 139, 116, 96, 93, 62, 41, 50, 57),
}
"""Table 4: of 200 traces, how many replay."""
PAPER_FRAGMENTS = {
    "acar": (25, 14, 22, 28, 37, 24, 42, 48, 73, 689),
    "astrid": (29, 3, 15, 16, 10, 13, 23, 38, 70, 783),
    "cnote": (12, 4, 11, 2, 7, 8, 10, 6, 13, 927),
    "emobile": (25, 16, 20, 23, 24, 59, 33, 59, 88, 685),
}
"""Table 5: of 1,000 paths, how many have so many fragments; the last column is 10 or more."""


class PathSampler:
    """Draws paths of a transition system with a given length and number of fragments, each with the same chance."""

    def __init__(self, system: TransitionSystem, seed: int) -> None:
        self._system = system
        self._random = random.Random(seed)
        self._from: defaultdict[StateId | None, list[Label]] = defaultdict(list)
        for number, run in enumerate(system.runs):
            if run.steps[0].state == system.start:
                for place in range(1, len(run.steps)):
                    self._from[run.steps[place - 1].state].append(Label(number, place))
        self.count = cache(self._count)

    def starts(self) -> Sequence[Label]:
        """The transitions that begin in the state after the launch."""
        return self._from[self._system.start]

    def following(self, label: Label) -> Sequence[Label]:
        """The transitions that can come after one."""
        return self._from[self._system.step(label).state]

    def run_of(self, path: Sequence[Label]) -> SuiteRun:
        """The run that a path predicts, in the world of its first fragment."""
        first = self._system.runs[path[0].run]
        return SuiteRun(first.world, (first.steps[0], *map(self._system.step, path)))

    def _count(self, label: Label, transitions: int, switches: int) -> int:
        """How many paths begin with a transition and have so many more, with just so many switches."""
        if switches < 0 or switches > transitions:
            return 0
        if not transitions:
            return 1
        return sum(
            self.count(each, transitions - 1, switches - is_switch(label, each)) for each in self.following(label)
        )

    def total(self, transitions: int, fragments: int) -> int:
        """How many paths there are with so many transitions and fragments."""
        return sum(self.count(label, transitions - 1, fragments - 1) for label in self.starts())

    def draw(self, transitions: int, fragments: int) -> tuple[Label, ...] | None:
        """One of these paths; None if there is none."""
        path: list[Label] = []
        choices, switches = self.starts(), fragments - 1
        for left in range(transitions - 1, -1, -1):
            spent = [switches - (is_switch(path[-1], each) if path else 0) for each in choices]
            weights = [self.count(each, left, rest) for each, rest in zip(choices, spent, strict=True)]
            total = sum(weights)
            if not total:
                return None
            # Not random.choices: it works with floats, and the numbers of paths are larger than those.
            place = self._random.randrange(total)
            number = 0
            while place >= weights[number]:
                place -= weights[number]
                number += 1
            path.append(choices[number])
            switches = spent[number]
            choices = self.following(path[-1])
        return tuple(path)

    def wander(self, transitions: int) -> tuple[Label, ...]:
        """A random path of at most so many transitions, the next one drawn from all that can follow."""
        path: list[Label] = []
        choices = self.starts()
        while choices and len(path) < transitions:
            path.append(self._random.choice(choices))
            choices = self.following(path[-1])
        return tuple(path)


def fragments_of(path: Sequence[Label]) -> int:
    """The number of fragments of a path."""
    return 1 + sum(is_switch(before, after) for before, after in zip(path, path[1:], strict=False))


class PhaseOneDone(Exception):
    """Carries the runs that phase 1 left."""

    def __init__(self, runs: Sequence[SuiteRun]) -> None:
        super().__init__()
        self.runs = tuple(runs)


class PhaseOne(SuiteReduction):
    """A reduction that ends after phase 1."""

    def end_phase(self, phase: Phase, runs: Sequence[SuiteRun]) -> None:
        """Raises PhaseOneDone after phase 1."""
        super().end_phase(phase, runs)
        if phase is Phase.LOOPS:
            raise PhaseOneDone(runs)


@contextmanager
def reduction_of(task: Task, folder: Path, worlds: int) -> Iterator[PhaseOne]:
    """The reduction of an explored project, with a device to play on."""
    project = folder / task.name
    explore(task, project)
    plan = plan_app(str(task.apk), DeviceSettings(coverage=task.coverage))
    kinds = (CoverageKind.BRANCHES, CoverageKind.SCREENS, CoverageKind.CRASHES)
    work = project / "fragments"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    with (
        open_pool(lambda: open_session(plan), size=1, tries=1) as pool,
        closing(SuiteJournal(work / "runs.jsonl", {})) as journal,
    ):
        observer = Observer(kinds, "actionable", pool.ask(InspectApp()).probes)
        recorded = [observer.run_of(trace) for trace in project_traces(project)]
        player = SuitePlayer(pool, observer, journal, Budget(), ignore)
        yield PhaseOne([run for run in recorded if run.steps], player, SuiteRules(worlds=worlds))


def measure(reduction: PhaseOne, samples: int, worlds: int, seed: int = 1) -> tuple[list[Cell], list[Cell]]:
    """The rows of both tables: of the drawn traces with k fragments the share that replays, and counts of fragments."""
    try:
        reduction.reduce()
    except PhaseOneDone as done:
        system = TransitionSystem(done.runs, MOST_FRAGMENTS)
    sampler = PathSampler(system, seed)
    replayable: list[Cell] = []
    for fragments in range(1, MOST_FRAGMENTS + 1):
        paths = [sampler.draw(TRANSITIONS, fragments) for _ in range(samples)]
        runs = [sampler.run_of(path) for path in paths if path is not None]
        kept = sum(replays(reduction, run, worlds) for run in runs)
        replayable.append(100 * kept / len(runs) if runs else None)
    counted = Counter(min(fragments_of(sampler.wander(TRANSITIONS)), MOST_FRAGMENTS) for _ in range(PATHS))
    return replayable, [counted[number] for number in range(1, MOST_FRAGMENTS + 1)]


def replays(reduction: PhaseOne, run: SuiteRun, worlds: int) -> bool:
    """Whether a run replays in all worlds; it is played until the first in which it does not."""
    others = [world for world in range(worlds + 1) if world != run.world]
    for world in (run.world, *others[: worlds - 1]):
        if isinstance(reduction.replay(world, run.actions, run.states), Deviates):
            return False
    return True


def main() -> int:
    """Prints both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("apk", nargs="*", type=Path)
    parser.add_argument("--actions", type=int, default=5_000)
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--worlds", type=int, default=10)
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "suite")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    load = load_average()
    replayable: list[list[Cell]] = []
    fragments: list[list[Cell]] = []
    for apk in options.apk or [SAMPLES / f"{name}.apk" for name in APPS]:
        task = Task(apk, "widget", 1, options.actions, "app")
        with reduction_of(task, options.folder, options.worlds) as reduction:
            shares, counts = measure(reduction, options.samples, options.worlds)
        replayable.append([apk.stem, *shares])
        fragments.append([apk.stem, *counts])
        print(f"{apk.stem}: {shares} {counts}", file=sys.stderr, flush=True)
    heads = [f"k={number}" for number in range(1, MOST_FRAGMENTS + 1)]
    theirs: list[list[Cell]] = [
        [f"{name}, in the paper", *(each / 2 for each in row)] for name, row in PAPER_REPLAYABLE.items()
    ]
    paths: list[list[Cell]] = [[f"{name}, in the paper", *row] for name, row in PAPER_FRAGMENTS.items()]
    tables = {
        "replayable": table(["replayable", *((head, "{:.0f} %") for head in heads)], [*replayable, *theirs]),
        "fragments": table(["paths with k fragments", *heads[:-1], f"{heads[-1]}+"], [*fragments, *paths]),
    }
    print(*map(shown, tables.values()), sep="\n\n")
    if options.write:
        machine = this_machine(str(find_java().version), jail_problem() is None, load)
        values = {"actions": options.actions, "samples": options.samples, "worlds": options.worlds}
        print(f"\nwrote {save('suite_fragments', measured(machine, tables, values))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

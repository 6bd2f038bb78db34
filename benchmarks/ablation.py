#!/usr/bin/env python3
"""Measures what each idea of the default strategy is worth: explores with the idea and without it.

Run: python benchmarks/ablation.py FOLDER_OR_APK… [--seeds N] [--events N] [-j N] [--ideas a,b] [--keep FILE]
[--write [NAME]]

An argument is an APK, a folder that is searched for APKs, or `sim:NAME` for a simulated app. Every app is explored with
the full strategy and once without each idea, with every seed, in `-j` processes. Each result is appended to a file of
JSON lines (build/ablation.jsonl) when it is there; a run that was ended goes on from there and repeats nothing.

Some episodes are on other phones, as those of `fewtaps explore` are; the idea `phones` is what that is worth.

The worth of an idea is the mean difference between the full strategy and the strategy without it, over all pairs of app
and seed, relative to the mean of the full strategy. Its interval is the middle 95 % of the means of resampled pairs
(bootstrap). `--write` writes benchmarks/results/ablation.json, `--write NAME` another file; `make docs` puts their
tables into docs/performance.md.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import ExitStack
from dataclasses import astuple, dataclass, fields
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

from gated_apps import programs
from results import Cell, Table, load_average, measured, save, shown, table, this_machine

from fewtaps.apk.reader import read_apk
from fewtaps.config import ExploreSettings
from fewtaps.device.registry import has_apk
from fewtaps.device.session import Capability, Session
from fewtaps.device.simulated.device import SimulatedDevice
from fewtaps.device.simulated.samples import SAMPLES
from fewtaps.device.twin.device import TwinDevice
from fewtaps.errors import FewtapsError
from fewtaps.explore.exploration import Exploration
from fewtaps.explore.loop import run_episode
from fewtaps.explore.parameters import IDEAS, without
from fewtaps.explore.strategies import STRATEGIES
from fewtaps.model.app import App
from fewtaps.model.ending import Ending
from fewtaps.model.trace import Step
from fewtaps.pipeline.resuming import AppStrings, phone_schedule

ROOT = Path(__file__).resolve().parent.parent
MEASURES = ("lines", "branches", "states", "crashes", "first_crash")
FEWER_IS_BETTER = frozenset({"first_crash"})
"""`first_crash` is the number of events up to the first crash, or all events of an exploration without one."""
FULL = ""
"""The name that stands for the full strategy in the place of an idea."""
WORLDS = 4
STEP_SECONDS = 15
SAMPLES_DRAWN = 2000
"""Resampled sets of pairs for one interval."""


@dataclass(frozen=True, slots=True)
class Task:
    """One exploration: of which app, without which idea, with which seed, of how many events, of which width."""

    app: str
    idea: str
    seed: int
    events: int
    width: int = 1

    @property
    def key(self) -> tuple[str, str, int, int]:
        """Identifies the task in the file of results; the folder of an APK does not matter."""
        name = self.app if self.app.startswith("sim:") else Path(self.app).stem
        return (name, self.idea if self.width == 1 else f"width {self.width}", self.seed, self.events)


@dataclass(frozen=True, slots=True)
class Worth:
    """What an idea adds to one measure, relative to the full strategy, in percent, with its 95 % interval."""

    idea: str
    measure: str
    percent: float
    low: float
    high: float
    pairs: int
    better: int
    """Pairs in which the full strategy is better."""
    worse: int
    """Pairs in which it is worse."""


Row = Mapping[str, Any]
_device: TwinDevice | None = None


def run(task: Task) -> dict[str, Any]:
    """Carries out one exploration on this process's own device."""
    with ExitStack() as stack:
        app, session = _open(task.app, stack)
        found = explore(app, session, task)
    return {"key": list(task.key), **found}


def _open(name: str, stack: ExitStack) -> tuple[App, Session]:
    global _device
    if name.startswith("sim:"):
        program = next(
            each for each in (*SAMPLES, *programs()) if each.app.package.rpartition(".")[2] == name.removeprefix("sim:")
        )
        return program.app, stack.enter_context(SimulatedDevice([program]).open(program.app))
    _device = _device or TwinDevice(step_seconds=STEP_SECONDS)
    app = read_apk(Path(name))
    return app, stack.enter_context(_device.open(app))


def explore(app: App, session: Session, task: Task) -> dict[str, Any]:
    """Explores until the events are spent; counts of everything that was found, and the length of every episode."""
    parameters = without(*([task.idea] if task.idea else []))
    strategy = STRATEGIES["frontier"](app, parameters, AppStrings(app.path if has_apk(app) else "", app.digest))
    settings = ExploreSettings(Path(), seed=task.seed)
    exploration = Exploration(
        app,
        strategy,
        seed=task.seed,
        worlds=WORLDS,
        parameters=parameters,
        width=task.width,
        phones=phone_schedule(app, session.capabilities, session.settings.profile.locale, settings, parameters),
    )
    performed, first_crash, crashes, lengths = 0, task.events, set[str](), list[int]()

    def count(step: Step) -> None:
        nonlocal performed, first_crash
        performed += 1
        if step.crash is not None and step.crash.suspect is None and step.ending is not Ending.LOST:
            first_crash = first_crash if crashes else performed
            crashes.add(step.crash.signature)

    began = time.monotonic()
    for plan in exploration.episode_plans():
        episode = run_episode(session, plan, lambda: performed >= task.events, count)
        exploration.absorb(episode)
        lengths.append(episode.events)
        if performed >= task.events:
            break
    exploration.learn_the_rest()
    covered = exploration.knowledge.covered
    has_coverage = Capability.COVERAGE in session.capabilities
    return {
        "lines": covered.lines.bits.bit_count() if has_coverage else 0,
        "branches": covered.branches.bits.bit_count() if has_coverage else 0,
        "states": exploration.knowledge.graph.seen,
        "crashes": len(crashes),
        "first_crash": first_crash,
        "events": performed,
        "phones": True,
        "lengths": lengths,
        "seconds": round(time.monotonic() - began, 2),
    }


def apps_in(names: Iterable[str]) -> list[str]:
    """The simulated apps and APKs that the arguments name; folders are searched, in alphabetical order."""
    found: list[str] = []
    for name in names:
        if name.startswith("sim:"):
            found.append(name)
        elif Path(name).is_dir():
            found += [str(path) for path in sorted(Path(name).rglob("*.apk"))]
        else:
            found.append(name)
    return found


def tasks_for(apps: Sequence[str], ideas: Sequence[str], seeds: int, events: int) -> list[Task]:
    """All explorations, seed by seed, so that a run that is ended early has whole pairs of every app."""
    return [Task(app, idea, seed, events) for seed in range(1, seeds + 1) for app in apps for idea in (FULL, *ideas)]


def kept(path: Path) -> dict[tuple[Any, ...], Row]:
    """The results of earlier runs by key.

    A last line that is not complete is left out, and so are explorations of the time when all episodes were on one
    phone.
    """
    rows: dict[tuple[Any, ...], Row] = {}
    for line in path.read_text("utf-8").splitlines() if path.is_file() else ():
        try:
            row = json.loads(line)
            if row["phones"]:
                rows[tuple(row["key"])] = row
        except (ValueError, KeyError, TypeError):
            continue
    return rows


def measure(tasks: Sequence[Task], jobs: int, path: Path, until: float | None = None) -> dict[tuple[Any, ...], Row]:
    """Carries out the tasks that the file has no result of, and appends each result; all results of the file.

    `until` is a time of `time.time()` after which no further task is begun.
    """
    rows = kept(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    waiting = iter([task for task in tasks if task.key not in rows])
    with path.open("a", encoding="utf-8") as stream, ProcessPoolExecutor(jobs, get_context("spawn")) as workers:
        # A broken last line of an earlier run must not swallow the next one.
        stream.write("\n")
        first = zip(range(jobs if until is None or time.time() < until else 0), waiting, strict=False)
        running = {workers.submit(run, task): task for _, task in first}
        while running:
            future = next(as_completed(running))
            task = running.pop(future)
            try:
                row = future.result()
            except FewtapsError as error:
                print(f"{task.key}: {error}", file=sys.stderr)
            else:
                rows[tuple(row["key"])] = row
                stream.write(json.dumps(row) + "\n")
                stream.flush()
                print(f"{len(rows)}: {task.key} {row['seconds']} s", file=sys.stderr)
            following = next(waiting, None) if until is None or time.time() < until else None
            if following is not None:
                running[workers.submit(run, following)] = following
    return rows


def pairs_of(rows: Iterable[Row], idea: str, name: str) -> list[tuple[float, float]]:
    """The values of a measure with the full strategy and without the idea, for every app and seed that has both."""
    by_key = {tuple(row["key"]): float(row[name]) for row in rows if name in row}
    found = []
    for (app, other, seed, events), value in sorted(by_key.items()):
        full = by_key.get((app, FULL, seed, events))
        if other == idea and full is not None:
            found.append((full, value))
    return found


def worth_of(
    pairs: Sequence[tuple[float, float]], random: Random, drawn: int = SAMPLES_DRAWN, sign: int = 1
) -> tuple[float, float, float]:
    """The worth of an idea in percent, and the ends of its 95 % interval. All are 0 without pairs.

    `sign` is -1 for a measure of which fewer is better.

    Every pair counts alike: it is divided by the full strategy's value of its app, so that a large app does not hide
    the others. Where that value is 0, the difference itself counts.
    """
    changes = [sign * 100.0 * (full - other) / (full or 1.0) for full, other in pairs]
    if not changes:
        return 0.0, 0.0, 0.0
    means = sorted(statistics.fmean(random.choices(changes, k=len(changes))) for _ in range(drawn))
    return statistics.fmean(changes), means[int(0.025 * drawn)], means[min(int(0.975 * drawn), drawn - 1)]


def worths(rows: Sequence[Row], ideas: Sequence[str]) -> list[Worth]:
    """The worth of every idea for every measure; the same for the same rows."""
    found = []
    for idea in ideas:
        for name in MEASURES:
            pairs = pairs_of(rows, idea, name)
            sign = -1 if name in FEWER_IS_BETTER else 1
            percent, low, high = worth_of(pairs, Random(f"{idea}/{name}"), sign=sign)
            better, worse = (sum(way * sign * (full - other) > 0 for full, other in pairs) for way in (1, -1))
            found.append(Worth(idea, name, percent, low, high, len(pairs), better, worse))
    return found


def without_effect(found: Iterable[Worth], fewest_apps: int, apps: int) -> list[str]:
    """The ideas for which no measure has an interval above 0, if there are enough apps to say so."""
    by_idea: dict[str, list[Worth]] = {}
    for each in found:
        by_idea.setdefault(each.idea, []).append(each)
    if apps < fewest_apps:
        return []
    return [idea for idea, several in by_idea.items() if all(each.low <= 0 for each in several)]


def worth_table(found: Sequence[Worth]) -> Table:
    """The worths with their intervals, the ideas worth most lines first."""
    by_idea: dict[str, dict[str, Worth]] = {}
    for each in found:
        by_idea.setdefault(each.idea, {})[each.measure] = each
    rows: list[list[Cell]] = []
    for idea, several in sorted(by_idea.items(), key=lambda item: -item[1]["lines"].percent):
        cells = (
            f"{each.percent:+.1f} ({each.low:+.1f} to {each.high:+.1f})" for each in map(several.get, MEASURES) if each
        )
        rows.append([f"`{idea}`", *cells, several["lines"].pairs])
    return table(["idea", *(f"{name.replace('_', ' ')}, %" for name in MEASURES), "pairs"], rows)


def result_tables(found: Sequence[Worth], rows: Sequence[Row]) -> dict[str, Table]:
    """The table of the page, the worths as numbers, and every exploration."""
    explored = sorted([*row["key"], *(row.get(name) for name in MEASURES)] for row in rows)
    return {
        "ideas": worth_table(found),
        "worths": table([each.name for each in fields(Worth)], [astuple(each) for each in found]),
        "explorations": table(["app", "without", "seed", "events", *MEASURES], explored),
    }


def main() -> int:
    options = parse()
    load = load_average()
    apps = apps_in(options.app)
    ideas = options.ideas.split(",") if options.ideas else [idea.name for idea in IDEAS]
    tasks = tasks_for(apps, ideas, options.seeds, options.events)
    until = None if options.minutes is None else time.time() + 60 * options.minutes
    rows = measure(tasks, options.jobs, options.keep, until)
    wanted = {task.key for task in tasks}
    used = [row for key, row in rows.items() if key in wanted]
    found = worths(used, ideas)
    named = sorted({row["key"][0] for row in used})
    print(shown(worth_table(found)))
    print("\nno effect seen:", ", ".join(without_effect(found, 8, len(named))) or "-")
    if options.write:
        values: dict[str, Cell] = {"apps": len(named), "names": ", ".join(named), "worlds": WORLDS, "phones": "varied"}
        values |= {"seeds": options.seeds, "events": options.events}
        save(options.write, measured(this_machine(load=load), result_tables(found, used), values))
    return 0


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("app", nargs="+", metavar="FOLDER_OR_APK")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--events", type=int, default=1000)
    parser.add_argument("-j", "--jobs", type=int, default=1)
    parser.add_argument("--ideas", help="only these, separated by commas")
    parser.add_argument("--minutes", type=float, help="begin no further exploration after so long")
    parser.add_argument("--keep", type=Path, default=ROOT / "build" / "ablation.jsonl")
    parser.add_argument("--write", nargs="?", const="ablation", metavar="NAME")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

"""Turns the costs of reductions into the Markdown of docs/performance.md: tables, win rates, what was asked for."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from fewtaps.reducing.hierarchy import build_hierarchy
from fewtaps.reducing.plan import STRATEGIES

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

RECHECKS_FREE = "picire, re-checks free"
"""picire's default again, without counting that it plays the best once more in each round."""


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
    device: str = "simulated"

    @property
    def key(self) -> tuple[str, str]:
        """Tells it from others in the file of results."""
        return self.subject, self.strategy


def by_strategy(costs: Sequence[Cost]) -> dict[str, dict[str, Cost]]:
    """The costs by strategy, then by subject."""
    found: dict[str, dict[str, Cost]] = {}
    for cost in costs:
        found.setdefault(cost.strategy, {})[cost.subject] = cost
    return found


def report(costs: Sequence[Cost]) -> str:
    """Markdown: what each strategy left and cost, who wins against whom, and what was asked for."""
    found = by_strategy(costs)
    lines = []
    for device, words in DEVICES.items():
        here = [cost for cost in costs if cost.device == device]
        if here:
            lines += [_subjects(here, words), "", *_table(by_strategy(here)), ""]
    return "\n".join([*lines, *_wins(found), "", *_aims(found)])


DEVICES = {
    "simulated": "on simulated apps shaped like SimplyDroid's recordings",
    "twin": "explored on the sample apps with fixed seeds, and reduced on the twin",
    "recordings": "that SimplyDroid published, each played as a machine of activities",
}


def _subjects(costs: Sequence[Cost], words: str) -> str:
    originals = [cost.original for cost in by_strategy(costs)["auto"].values()]
    return (
        f"{len(originals)} crash traces {words}, of {min(originals)} to {max(originals)} events (launch included), "
        f"median {statistics.median(originals):.0f}:"
    )


def _table(found: dict[str, dict[str, Cost]]) -> list[str]:
    lines = [
        "| strategy | traces | left, mean | left, most | known 1-minimal | runs, median | events, median "
        "| events, total | wall time, total | own time, total |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name, each in found.items():
        values = list(each.values())
        lines.append(
            f"| {name} | {len(values)} | {statistics.mean(cost.length for cost in values):.2f} "
            f"| {max(cost.length for cost in values)} | {sum(cost.is_minimal for cost in values) / len(values):.0%} "
            f"| {statistics.median(cost.runs for cost in values):.0f} "
            f"| {statistics.median(cost.events for cost in values):.0f} | {sum(cost.events for cost in values):,} "
            f"| {sum(cost.seconds for cost in values):.0f} s | {sum(cost.own_seconds for cost in values):.1f} s |"
        )
    return lines


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
        if all(subject in found.get(name, ()) for name in STRATEGIES)
    ]
    lines.append(f"| auto's events against the cheapest single strategy's | {statistics.median(best_single):.2f} |")
    for name in ("picire", RECHECKS_FREE, "picire best"):
        if name in found:
            ratio = statistics.median(auto[subject].events / cost.events for subject, cost in found[name].items())
            lines.append(f"| auto's events against those of {name}, median at most 0.25 | {ratio:.3f} |")
    longest = max(auto.values(), key=lambda cost: (cost.device == "simulated", cost.original))
    slowest = max(
        (cost for name in STRATEGIES for cost in found[name].values() if cost.device == "simulated"),
        key=lambda cost: cost.own_seconds,
        default=longest,
    )
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
    started = time.process_time()
    build_hierarchy(states)
    return time.process_time() - started

"""Turns the costs of reductions into tables: by strategy, win rates, what was asked for."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from results import Cell, Table, table

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
    """What one strategy did with one trace: what it left, what it played, and our own computing time besides.

    One that was `cut_off` would have played more, and perhaps left less.
    """

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
    cut_off: bool = False

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


def reduction_tables(costs: Sequence[Cost]) -> dict[str, Table]:
    """What each strategy left and cost on each device, which plays fewer events than which, and what was asked for."""
    found = {device: [cost for cost in costs if cost.device == device] for device in DEVICES}
    tables = {device: cost_table(by_strategy(here)) for device, here in found.items() if here}
    return tables | {"wins": _wins(by_strategy(costs)), "aims": _aims(costs)}


DEVICES = ("simulated", "twin", "recordings")


def reduction_values(costs: Sequence[Cost]) -> dict[str, Cell]:
    """How many traces of which lengths there are on each device, their launches included."""
    values: dict[str, Cell] = {}
    for device in DEVICES:
        originals = [cost.original for cost in costs if cost.device == device and cost.strategy == "auto"]
        if originals:
            values |= {f"{device}_traces": len(originals), f"{device}_shortest": min(originals)}
            values |= {f"{device}_longest": max(originals), f"{device}_median": round(statistics.median(originals))}
    return values


def cost_table(found: dict[str, dict[str, Cost]]) -> Table:
    """A row for each strategy; how often it was cut off only where one was."""
    has_cuts = any(cost.cut_off for each in found.values() for cost in each.values())
    traces = ("traces", "cut off") if has_cuts else ("traces",)
    shares = (("1-minimal", "{:.0%}"), ("runs", "{:.0f}"), ("events", "{:.0f}"), ("events, total", "{:,}"))
    times = (("wall time", "{:.0f} s"), ("own time", "{:.1f} s"))
    rows = [_row(name, list(each.values()), has_cuts) for name, each in found.items()]
    return table(["strategy", *traces, ("left: mean", "{:.2f}"), "most", *shares, *times], rows)


def _row(name: str, costs: Sequence[Cost], has_cuts: bool) -> list[Cell]:
    traces = (len(costs), sum(cost.cut_off for cost in costs)) if has_cuts else (len(costs),)
    return [
        *(name, *traces),
        *(statistics.mean(cost.length for cost in costs), max(cost.length for cost in costs)),
        sum(cost.is_minimal for cost in costs) / len(costs),
        *(statistics.median(cost.runs for cost in costs), statistics.median(cost.events for cost in costs)),
        sum(cost.events for cost in costs),
        *(sum(cost.seconds for cost in costs), sum(cost.own_seconds for cost in costs)),
    ]


def _wins(found: dict[str, dict[str, Cost]]) -> Table:
    """On how many of the traces one strategy plays fewer events than another."""
    columns = (
        "fewer events than",
        "SimplyDroid (less time)",
        "here",
        "where screens show all",
        "where the app remembers",
    )
    rows = []
    for (better, worse), paper in PAPER_WINS.items():
        everywhere = _share(found, better, worse, lambda cost: True)
        shown = _share(found, better, worse, lambda cost: cost.shows_all)
        hidden = _share(found, better, worse, lambda cost: not cost.shows_all)
        rows.append((f"{better} against {worse}", f"{paper} %", everywhere, shown, hidden))
    return table(columns, rows)


def _share(found: dict[str, dict[str, Cost]], better: str, worse: str, counts: Callable[[Cost], bool]) -> str:
    pairs = [(cost, found[worse][name]) for name, cost in found[better].items() if name in found[worse]]
    wins = [left.events < right.events for left, right in pairs if counts(left)]
    return f"{sum(wins) / len(wins):.0%}" if wins else "none"


def _aims(costs: Sequence[Cost]) -> Table:
    """What was asked for, over all traces and, where there is more than one device, on each."""
    devices = [device for device in DEVICES if any(cost.device == device for cost in costs)]
    groups = {"found": by_strategy(costs)}
    if len(devices) > 1:
        groups |= {name: by_strategy([cost for cost in costs if cost.device == name]) for name in devices}
    rows = [["auto at least as short as every other, on 95 % of traces", *map(_shortest, groups.values())]]
    rows.append(["auto's events against the cheapest single strategy's, median", *map(_near_best, groups.values())])
    for name in ("picire", RECHECKS_FREE, "picire best"):
        if name in groups["found"]:
            label = f"auto's events against those of {name}, median at most 0.25"
            rows.append([label, *(_against(name, found) for found in groups.values())])
    rows += [[*row, *[""] * (len(groups) - 1)] for row in _computing(costs)]
    return table(["asked for", *groups], rows)


def _shortest(found: dict[str, dict[str, Cost]]) -> str:
    """On how many traces no other strategy that came to its end left less."""
    auto = found["auto"]
    wins = sum(
        all(cost.length <= each[name].length for each in found.values() if name in each and not each[name].cut_off)
        for name, cost in auto.items()
    )
    return f"{wins / len(auto):.1%}"


def _near_best(found: dict[str, dict[str, Cost]]) -> str:
    shares = [
        cost.events / min(found[name][subject].events for name in STRATEGIES if name != "auto")
        for subject, cost in found["auto"].items()
        if all(subject in found.get(name, ()) for name in STRATEGIES)
    ]
    return f"{statistics.median(shares):.2f}" if shares else ""


def _against(name: str, found: dict[str, dict[str, Cost]]) -> str:
    shares = [found["auto"][subject].events / cost.events for subject, cost in found.get(name, {}).items()]
    return f"{statistics.median(shares):.3f}" if shares else ""


def _computing(costs: Sequence[Cost]) -> list[list[str]]:
    """Our own time; only where the device is one that takes nearly none itself."""
    ours = [cost for cost in costs if cost.device == "simulated" and cost.strategy in STRATEGIES]
    rows = []
    if ours:
        longest = max((cost for cost in ours if cost.strategy == "auto"), key=lambda cost: cost.original)
        slowest = max(ours, key=lambda cost: cost.own_seconds)
        words = f"own computing on the longest trace ({longest.original} events), under 2 s"
        rows.append([words, f"{longest.own_seconds:.2f} s"])
        words = f"own computing, the most of all ({slowest.strategy}, {slowest.original} events)"
        rows.append([words, f"{slowest.own_seconds:.2f} s"])
    return [*rows, ["tree of 100,000 events, under 1 s", f"{tree_seconds():.2f} s"]]


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

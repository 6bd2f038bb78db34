"""Turns the figures of flaky reductions into tables beside the paper's."""

from __future__ import annotations

import resource
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from results import Cell, Table, table

from fewtaps.reducing.nd3min.parameters import Nd3minParameters
from fewtaps.reducing.nd3min.prior import Prior

NINE = 9
"""The paper ran its naive schedule on the first nine lines of table 1."""

PAPER_EVENTS = {("gplay", "heuristic"): 4.57, ("gplay", "optimal (MDP)"): 4.18, ("fdroid", "heuristic"): 3.05}
PAPER_EVENTS |= {("fdroid", "optimal (MDP)"): 2.9, ("nine", "naive round-robin"): 6.2}
PAPER_EVENTS |= {("nine", "heuristic"): 6.22, ("nine", "optimal (MDP)"): 5.67}
PAPER_STEPS = {("gplay", "heuristic"): 30.18, ("gplay", "optimal (MDP)"): 29.86, ("fdroid", "heuristic"): 26.38}
PAPER_STEPS |= {("fdroid", "optimal (MDP)"): 24.61, ("nine", "naive round-robin"): 39.9}
PAPER_STEPS |= {("nine", "heuristic"): 31.11, ("nine", "optimal (MDP)"): 30.78}
PAPER_CHECK = {("gplay", "heuristic"): 19.21, ("gplay", "optimal (MDP)"): 18.54, ("fdroid", "heuristic"): 19.67}
PAPER_CHECK |= {("fdroid", "optimal (MDP)"): 19.81, ("nine", "naive round-robin"): 18.22}
PAPER_CHECK |= {("nine", "heuristic"): 18.67, ("nine", "optimal (MDP)"): 18.0}
"""Averages of tables 1 to 3; those of the nine, and of the checks, are added up from their lines."""


@dataclass(frozen=True, slots=True)
class Assessment:
    """One result: its size and cost, its final check of 20 runs, the truth about it, and what p1 and p2 claim."""

    subject: str
    events: int
    steps: int | None
    runs: int
    check: int
    rate: float
    is_good: bool
    is_minimal: bool
    claimed_good: float
    claimed_minimal: float


@dataclass(frozen=True, slots=True)
class Group:
    """What every reducer did with a group of subjects."""

    name: str
    assessments: Mapping[str, Sequence[Assessment]]

    def first(self, count: int, name: str) -> Group:
        """Only the first so many subjects."""
        kept = {f"{self.name} {number}" for number in range(1, count + 1)}
        assessments = {who: [each for each in some if each.subject in kept] for who, some in self.assessments.items()}
        return Group(name, assessments)


def groups_tables(groups: Sequence[Group]) -> dict[str, Table]:
    """One table for each group, with the paper's averages in brackets."""
    check = ("final check, of 20", ("true rate", "{:.3f}"), ("rate ≥ 0.85", "{:.1%}"), ("1-minimal", "{:.1%}"))
    columns = ("", "events left", "steps", ("median", "{:g}"), "runs", *check)
    return {
        group.name: table(
            columns,
            [_row(group.name, who, assessments) for who, assessments in group.assessments.items() if assessments],
        )
        for group in (*groups, groups[0].first(NINE, "nine"))
    }


def _row(group: str, who: str, assessments: Sequence[Assessment]) -> list[Cell]:
    steps = [each.steps for each in assessments if each.steps is not None]
    return [
        who,
        f"{_mean(each.events for each in assessments):.2f}" + _beside(PAPER_EVENTS, group, who),
        (_with_error(steps) if steps else "–") + _beside(PAPER_STEPS, group, who),
        statistics.median(steps) if steps else None,
        _with_error([each.runs for each in assessments], digits=0),
        f"{_mean(each.check for each in assessments):.2f}" + _beside(PAPER_CHECK, group, who),
        _mean(each.rate for each in assessments),
        _mean(each.is_good for each in assessments),
        _mean(each.is_minimal for each in assessments),
    ]


def _with_error(values: Sequence[int], digits: int = 1) -> str:
    """The mean and its standard error."""
    error = statistics.stdev(values) / len(values) ** 0.5
    return f"{_mean(values):.{digits}f} ± {error:.{digits}f}"


def _beside(printed: Mapping[tuple[str, str], float], group: str, who: str) -> str:
    value = printed.get((group, who))
    return "" if value is None else f" ({value:g})"


def _mean(values: Iterable[float]) -> float:
    return statistics.fmean(values)


def bounds(assessments: Sequence[Assessment]) -> dict[str, Cell]:
    """What p1 and p2 claim on average, and how often it is true."""
    good = [each for each in assessments if each.is_good]
    shares = {
        "p1_claims": _mean(each.claimed_good for each in assessments),
        "p1_true": _mean(each.is_good for each in assessments),
        "p2_claims": _mean(each.claimed_minimal for each in good),
        "p2_true": _mean(each.is_minimal for each in good),
    }
    return {name: round(share, 3) for name, share in shares.items()}


def _made_smaller(pairs: Sequence[tuple[Assessment, Assessment]]) -> list[tuple[Assessment, Assessment]]:
    return [(first, second) for first, second in pairs if second.events < first.events]


def smaller_share(pairs: Sequence[tuple[Assessment, Assessment]]) -> float:
    """How many results delta debugging that trusts one run makes smaller still."""
    return round(len(_made_smaller(pairs)) / len(pairs), 3)


def delta_table(pairs: Sequence[tuple[Assessment, Assessment]]) -> Table:
    """Table 4: those results that delta debugging which trusts one run makes smaller still, before and after."""
    rows: list[tuple[Cell, ...]] = []
    for name, place, events, check in (("optimal (MDP)", 0, 8.75, 17.25), ("then delta debugging", 1, 6.25, 9.38)):
        some = [pair[place] for pair in _made_smaller(pairs)]
        left = f"{_mean(each.events for each in some):.2f} ({events:g})"
        checked = f"{_mean(each.check for each in some):.2f} ({check:g})"
        rows.append((name, left, checked, _mean(each.rate for each in some)))
    return table(["", "events left", "check, of 20", ("true rate", "{:.3f}")], rows)


def fresh_table(steps: Mapping[str, Sequence[float]]) -> Table:
    """Steps of one `get_passing` for 2 to 5 fresh candidates."""
    return table(
        ["", *((str(count), "{:.3f}") for count in range(2, 6))], [(name, *row) for name, row in steps.items()]
    )


def solver_table() -> Table:
    """Time and memory of the solver."""
    from fewtaps.reducing.nd3min.mdp import solve as solve_process

    # So that compiling, or loading what was compiled before, is not measured.
    solve_process(Nd3minParameters(candidates=2), Prior.paper())
    rows: list[tuple[Cell, ...]] = []
    for count, printed in ((3, "8 min"), (4, "43 min"), (5, "83 h")):
        parameters = Nd3minParameters(candidates=count)
        seconds, busy = _timed(lambda: solve_process(parameters, Prior.paper()))  # noqa: B023
        largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        rows.append((count, printed, seconds, busy, largest))
    times = (("here", "{:.1f} s"), ("processor time", "{:.1f} s"), ("memory of the whole process", "{:.2f} GiB"))
    return table(["candidates", "the paper, four two-core machines", *times], rows)


def _timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds by the clock, and of all processors together."""
    started, busy = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - started, time.process_time() - busy

"""Turns the figures of flaky reductions into tables beside the paper's."""

from __future__ import annotations

import resource
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

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
class Told:
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
    told: Mapping[str, Sequence[Told]]

    def first(self, count: int, name: str) -> Group:
        """Only the first so many subjects."""
        kept = {f"{self.name} {number}" for number in range(1, count + 1)}
        told = {who: [each for each in some if each.subject in kept] for who, some in self.told.items()}
        return Group(name, told)


def groups_table(groups: Sequence[Group]) -> list[str]:
    """One table for each group, with the paper's averages in brackets."""
    lines: list[str] = []
    words = {"gplay": "The 28 sizes of its table 1 (gplay)", "fdroid": "The 21 sizes of its table 2 (fdroid)"}
    words["nine"] = "The nine sizes of its table 3, on which the paper measured its naive schedule"
    for group in (*groups, groups[0].first(NINE, "nine")):
        lines += [*([""] if lines else []), f"{words[group.name]}:", "", *_head()]
        lines += [_row(group.name, who, told) for who, told in group.told.items() if told]
    return lines


def _head() -> list[str]:
    columns = ("events left", "steps", "median", "runs", "final check, of 20", "true rate", "rate ≥ 0.85", "1-minimal")
    return [f"| | {' | '.join(columns)} |", "|---" * (len(columns) + 1) + "|"]


def _row(group: str, who: str, told: Sequence[Told]) -> str:
    steps = [each.steps for each in told if each.steps is not None]
    cells = [
        f"{_mean(each.events for each in told):.2f}" + _beside(PAPER_EVENTS, group, who),
        (_with_error(steps) if steps else "–") + _beside(PAPER_STEPS, group, who),
        f"{statistics.median(steps):g}" if steps else "–",
        _with_error([each.runs for each in told], digits=0),
        f"{_mean(each.check for each in told):.2f}" + _beside(PAPER_CHECK, group, who),
        f"{_mean(each.rate for each in told):.3f}",
        f"{_mean(each.is_good for each in told):.1%}",
        f"{_mean(each.is_minimal for each in told):.1%}",
    ]
    return f"| {who} | {' | '.join(cells)} |"


def _with_error(values: Sequence[int], digits: int = 1) -> str:
    """The mean and its standard error."""
    error = statistics.stdev(values) / len(values) ** 0.5
    return f"{_mean(values):.{digits}f} ± {error:.{digits}f}"


def _beside(printed: Mapping[tuple[str, str], float], group: str, who: str) -> str:
    value = printed.get((group, who))
    return "" if value is None else f" ({value:g})"


def _mean(values: Iterable[float]) -> float:
    return statistics.fmean(values)


def bounds_lines(told: Sequence[Told]) -> list[str]:
    """What p1 and p2 claim on average, beside how often it is true."""
    good = [each for each in told if each.is_good]
    return [
        f"p1 claims a rate of 0.85 with {_mean(each.claimed_good for each in told):.3f} on average, and it is true of "
        f"{_mean(each.is_good for each in told):.3f}; Lemma 1 (p2) claims 1-minimality of those with "
        f"{_mean(each.claimed_minimal for each in good):.3f}, and it is true of "
        f"{_mean(each.is_minimal for each in good):.3f}.",
    ]


def delta_table(pairs: Sequence[tuple[Told, Told]]) -> list[str]:
    """Table 4: those results that delta debugging which trusts one run makes smaller still, before and after."""
    smaller = [(first, second) for first, second in pairs if second.events < first.events]
    share = len(smaller) / len(pairs)
    lines = [
        f"Delta debugging that trusts one run, on the results of the optimal schedule, makes {share:.0%} of them "
        "smaller (the paper: 8 of 28, 29%). Of these, averages:",
        "",
        "| | events left | check, of 20 | true rate |",
        "|---|---|---|---|",
    ]
    for name, place, events, check in (("optimal (MDP)", 0, 8.75, 17.25), ("then delta debugging", 1, 6.25, 9.38)):
        some = [pair[place] for pair in smaller]
        cells = (f"{_mean(each.events for each in some):.2f} ({events:g})", f"{_mean(each.check for each in some):.2f}")
        lines.append(f"| {name} | {cells[0]} | {cells[1]} ({check:g}) | {_mean(each.rate for each in some):.3f} |")
    return [*lines, "", *bounds_lines([first for first, _ in pairs])]


def fresh_table(steps: Mapping[str, Sequence[float]], draws: int) -> list[str]:
    """Steps of one `get_passing`."""
    lines = [
        f"Steps that one call of `get_passing` takes for 2 to 5 fresh candidates, drawn from the prior {draws} times:",
        "",
        "| | 2 | 3 | 4 | 5 |",
        "|---|---|---|---|---|",
    ]
    return [*lines, *(f"| {name} | {' | '.join(f'{each:.3f}' for each in row)} |" for name, row in steps.items())]


def solver_table(solve: bool) -> list[str]:
    """Time and memory of the solver, if it is to be measured; the first line includes compiling."""
    if not solve:
        return []
    from fewtaps.reducing.nd3min.mdp import solve as solve_process

    # So that compiling, or loading what was compiled before, is not measured.
    solve_process(Nd3minParameters(candidates=2), Prior.paper())
    lines = [
        "Solving the decision process (20 runs, 18 needed, 15 devices). The solver is compiled at its first use, which "
        "takes some 12 s of processor time and is kept; it is not counted here.",
        "",
        "| candidates | the paper, four two-core machines | here | processor time | memory of the whole process |",
        "|---|---|---|---|---|",
    ]
    for count, printed in ((3, "8 min"), (4, "43 min"), (5, "83 h")):
        parameters = Nd3minParameters(candidates=count)
        seconds, busy = _timed(lambda: solve_process(parameters, Prior.paper()))  # noqa: B023
        largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        lines.append(f"| {count} | {printed} | {seconds:.1f} s | {busy:.1f} s | {largest:.2f} GiB |")
    return lines


def _timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds by the clock, and of all processors together."""
    started, busy = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - started, time.process_time() - busy


def compare_page(described: str, repeats: int, taps: int, *tables: Sequence[str]) -> str:
    """The whole part of the page."""
    head = (
        f"{described}\n\nTraces of 500 events; each size {repeats} times, each time with new rates from the prior. "
        f"One of {taps} taps does what some event of the minimal trace does. In brackets: the paper; "
        "±: the standard error of a mean."
    )
    return "\n".join([head, *(line for table in tables if table for line in ("", *table))])

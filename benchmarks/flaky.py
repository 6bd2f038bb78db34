"""Measures flaky reductions on pretend apps of the paper's sizes: its four schedules, ours, and delta debugging alone.

Run: python benchmarks/flaky.py [--repeats 20] [--solve] [--write]
`--solve` also solves the decision process anew, for which: pip install 'fewtaps[solver]'
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from flaky_ours import ours
from flaky_page import Assessment, Group, bounds, delta_table, fresh_table, groups_tables, smaller_share, solver_table
from flaky_subjects import TAPS_PER_HIT, Bench, Subject, subjects
from results import Cell, load_average, measured, save, shown, this_machine

from fewtaps.errors import FewtapsError
from fewtaps.model.result import Verdict
from fewtaps.reducing.nd3min.bound import judge
from fewtaps.reducing.nd3min.heuristic import Heuristic
from fewtaps.reducing.nd3min.nd3min import nd3min
from fewtaps.reducing.nd3min.optimal import Optimal
from fewtaps.reducing.nd3min.parameters import Nd3minParameters
from fewtaps.reducing.nd3min.passing import get_passing
from fewtaps.reducing.nd3min.policy import shipped_policy
from fewtaps.reducing.nd3min.prior import Prior
from fewtaps.reducing.nd3min.schedule import Greedy, RoundRobin, Schedule
from fewtaps.reducing.nd3min.tally import Tally

PAPER = Nd3minParameters()
ONCE = Nd3minParameters(runs=1, needed=1, precheck=0, slack=0)
"""Delta debugging that trusts one run (section 5.4)."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a reducer gave back; `steps` is None where the reducer does not work in steps."""

    items: tuple[int, ...]
    steps: int | None
    runs: int


Reducer = Callable[[Subject, Bench], Answer]


def by_schedule(schedule: Schedule) -> Reducer:
    """ND3MIN."""

    def reduce(subject: Subject, bench: Bench) -> Answer:
        reduction = nd3min(subject.events, bench, PAPER, schedule)
        return Answer(reduction.items, reduction.steps, reduction.runs)

    return reduce


def by_ours(subject: Subject, bench: Bench) -> Answer:
    """Any strategy by repeated runs, as `fewtaps reduce --flaky` does it by default, one run after the other."""
    found = ours(subject, bench.seed, Prior.paper(), PAPER)
    return Answer(found.items, None, found.runs)


def reducers() -> dict[str, Reducer]:
    """By the names of the page."""
    return {
        "naive greedy": by_schedule(Greedy(PAPER)),
        "naive round-robin": by_schedule(RoundRobin(PAPER)),
        "heuristic": by_schedule(Heuristic(PAPER)),
        "optimal (MDP)": by_schedule(Optimal(PAPER, shipped_policy())),
        "ours": by_ours,
    }


def assess(subject: Subject, answer: Answer, seed: str) -> Assessment:
    """What the answer is truly worth, and what the paper's final check says of it."""
    chance = Random(f"check/{subject.name}/{seed}")
    met = sum(subject.run(answer.items, chance).met for _ in range(PAPER.runs))
    check = judge(Prior.paper(), PAPER, Tally(met, PAPER.runs - met), len(answer.items))
    rate = subject.rate_of(answer.items)
    return Assessment(
        *(subject.name, len(answer.items), answer.steps, answer.runs, met, rate),
        *(
            rate >= PAPER.trusted_rate - 1e-9,
            subject.is_minimal(answer.items, PAPER),
            check.rate_holds,
            check.is_minimal,
        ),
    )


def measure(group: str, repeats: int, reducer: Reducer) -> list[Assessment]:
    """One reducer on all subjects of a group, drawn anew for each repeat."""
    assessments: list[Assessment] = []
    for seed in range(repeats):
        for subject in subjects(group, seed, Prior.paper(), PAPER):
            try:
                answer = reducer(subject, Bench(subject, f"{subject.name}/{seed}"))
            except FewtapsError as error:
                print(f"{subject.name}, {seed}: {error}", file=sys.stderr)
                continue
            assessments.append(assess(subject, answer, str(seed)))
    return assessments


def trust_one_run(group: str, repeats: int) -> list[tuple[Assessment, Assessment]]:
    """Table 4: results of the optimal schedule, and what delta debugging that trusts one run makes of them, if less."""
    pairs: list[tuple[Assessment, Assessment]] = []
    reducer = reducers()["optimal (MDP)"]
    for seed in range(repeats):
        for subject in subjects(group, seed, Prior.paper(), PAPER):
            bench = Bench(subject, f"{subject.name}/{seed}")
            first = reducer(subject, bench)
            once = nd3min(first.items, bench, ONCE, RoundRobin(ONCE))
            second = Answer(once.items, once.steps, once.runs)
            pairs.append((assess(subject, first, f"{seed}/1"), assess(subject, second, f"{seed}/2")))
    return pairs


def decide_fresh(schedule: Schedule, count: int, draws: int) -> float:
    """How many steps it takes on average to decide on fresh candidates drawn from the prior."""
    prior, chance = Prior.paper(), Random(f"fresh/{count}")
    steps = []
    for _ in range(draws):
        rates = chance.choices(prior.rates, prior.weights, k=count)

        def run(asked: Sequence[tuple[int, int]], rates: Sequence[float] = rates) -> list[list[Verdict]]:
            return [
                [Verdict(met=chance.random() < rates[number], length=0) for _ in range(runs)] for number, runs in asked
            ]

        steps.append(get_passing(range(count), run, schedule, PAPER).steps)
    return statistics.mean(steps)


def fresh(draws: int) -> dict[str, list[float]]:
    """For 2 to 5 candidates, by every schedule, and what the solver says of its own."""
    policy = shipped_policy()
    schedules: dict[str, Schedule] = {
        "naive greedy": Greedy(PAPER),
        "naive round-robin": RoundRobin(PAPER),
        "heuristic": Heuristic(PAPER),
        "optimal (MDP)": Optimal(PAPER, policy),
    }
    simulated = {
        name: [decide_fresh(schedule, count, draws) for count in range(2, 6)] for name, schedule in schedules.items()
    }
    return {**simulated, "optimal, as solved": list(policy.expected[1:])}


def main() -> None:
    """Measures, prints, and with --write keeps the tables in benchmarks/results/flaky.json."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=20, help="how often all subjects are drawn")
    parser.add_argument("--solve", action="store_true", help="solve the decision process anew, and time it")
    parser.add_argument("--write", action="store_true", help="write benchmarks/results/flaky.json")
    given = parser.parse_args()
    load = load_average()
    groups = [
        Group(name, {each: measure(name, given.repeats, reducer) for each, reducer in reducers().items()})
        for name in ("gplay", "fdroid")
    ]
    pairs = trust_one_run("gplay", given.repeats)
    draws = 200 * given.repeats
    tables = {**groups_tables(groups), "delta": delta_table(pairs), "fresh": fresh_table(fresh(draws))}
    solved = {"solver": solver_table()} if given.solve else {}
    print(*map(shown, (*tables.values(), *solved.values())), sep="\n\n")
    values: dict[str, Cell] = {"repeats": given.repeats, "taps": TAPS_PER_HIT, "draws": draws}
    values |= {"smaller": smaller_share(pairs), **bounds([first for first, _ in pairs])}
    print(values)
    if given.write:
        save("flaky", measured(this_machine(load=load), tables, values))
        if solved:
            save("flaky_solver", measured(this_machine(load=load), solved))


if __name__ == "__main__":
    main()

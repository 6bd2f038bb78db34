"""Reductions by repeated runs: what they find, what they cost, what they refuse, and when they go back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

import pytest

from fewtaps.budget import Budget
from fewtaps.errors import BudgetSpent, NotReproduced, UsageError
from fewtaps.model.result import Verdict
from fewtaps.model.trial import Trial
from fewtaps.reducing.nd3min.parameters import Nd3minParameters
from fewtaps.reducing.nd3min.prior import Prior
from fewtaps.reducing.oracle import PredicateOracle
from fewtaps.reducing.player import ObservedRun
from fewtaps.reducing.problem import Seen
from fewtaps.reducing.repeated.reduction import RepeatedReduction, reduce_repeatedly
from fewtaps.reducing.trials import TrialsInMemory, odd_devices

ITEMS = tuple(range(100))
WORLDS = range(120)


class Chance(PredicateOracle[int]):
    """Runs that succeed as often as a function of the items says; in a world, always alike."""

    def __init__(self, rate: Callable[[set[int]], float], seed: int = 1) -> None:
        super().__init__(lambda items: True)
        self._rate = rate
        self._random = Random(seed)
        self.lose = 0

    def run(self, tasks: Sequence[tuple[tuple[int, ...], int | None]]) -> Sequence[ObservedRun]:
        """One run each."""
        return [self._run(items, world) for items, world in tasks]

    def _run(self, items: tuple[int, ...], world: int | None) -> ObservedRun:
        drawn = self._random.random() if world is None else Random(f"world {world}").random()
        if self.lose:
            self.lose -= 1
            return ObservedRun(Seen(Verdict(False, 0), certain=False))
        return ObservedRun(Seen(Verdict(drawn < self._rate(set(items)), len(items), events=len(items) + 1)))


def needs(*core: int, rate: float = 1.0) -> Callable[[set[int]], float]:
    """A rate for whatever holds the core, else never."""
    return lambda items: rate if items >= set(core) else 0.0


def reduced(player: Chance, **options: object) -> RepeatedReduction[int]:
    """With the paper's parameters."""
    return reduce_repeatedly(ITEMS, player, Nd3minParameters(), **options)  # type: ignore[arg-type]


def test_what_always_works_is_reduced_the_deterministic_way() -> None:
    result = reduced(Chance(needs(3, 50, 51, 97)), worlds=WORLDS)
    assert result.items == (3, 50, 51, 97)
    assert result.is_always
    assert result.check is not None and result.check.met == 20
    assert result.minimal > 0.6
    assert result.runs < 150


def test_without_worlds_fifteen_good_runs_do_not_prove_that_it_always_works() -> None:
    result = reduced(Chance(needs(3, 50, 51, 97)))
    assert result.items == (3, 50, 51, 97)
    assert not result.is_always
    assert result.runs < 250


@pytest.mark.parametrize("worlds", [(), WORLDS], ids=["runs as they come", "runs in worlds"])
def test_what_works_in_half_of_the_runs_is_reduced_to_what_keeps_its_rate(worlds: Sequence[int]) -> None:
    result = reduced(Chance(needs(3, 50, 97, rate=0.5)), adapt=True, worlds=worlds)
    assert set(result.items) >= {3, 50, 97}
    assert len(result.items) <= 4
    assert not result.is_always
    assert result.check is not None and 4 <= result.check.met <= 16
    assert result.minimal > 0.6


def test_worlds_shared_by_all_candidates_save_runs() -> None:
    rate = needs(3, 50, 97, rate=0.5)
    apart = reduced(Chance(rate), adapt=True).runs
    assert reduced(Chance(rate), adapt=True, worlds=WORLDS).runs < apart


def test_an_item_that_only_makes_it_reliable_is_kept() -> None:
    """The app of section 2.1: without the dialog one tap is enough, with it two others are needed."""
    result = reduced(Chance(lambda items: 0.0 if 97 not in items else 1.0 if {20, 60} <= items else 0.3, seed=5))
    assert result.items == (20, 60, 97)
    assert result.check is not None and result.check.met == 20


def test_a_check_that_fails_leads_back_and_the_shorter_one_is_told() -> None:
    result = reduced(Chance(lambda items: 0.0 if 97 not in items else 1.0 if 20 in items else 0.5, seed=3))
    assert result.items == (20, 97)
    if result.went_back:
        assert result.shorter is None or result.shorter.check.met < 18


def test_an_original_that_never_works_is_refused_and_its_runs_are_kept() -> None:
    trials = TrialsInMemory()
    with pytest.raises(NotReproduced, match="any of 20 runs"):
        reduced(Chance(needs(rate=0.0)), trials=trials, worlds=WORLDS)
    assert sum(map(len, trials.all().values())) == 20


def test_an_original_below_what_is_asked_for_is_refused_with_its_rate() -> None:
    with pytest.raises(NotReproduced, match=r"in \d+ of 20 runs only, and 15 are asked for"):
        reduced(Chance(needs(rate=0.5)))


def test_a_rate_just_at_the_threshold_comes_to_an_end() -> None:
    result = reduced(Chance(needs(3, 97, rate=0.9), seed=2))
    assert set(result.items) >= {3, 97}
    assert result.check is not None


def test_another_reduction_begins_with_the_runs_of_the_one_before() -> None:
    trials = TrialsInMemory()
    first = reduced(Chance(needs(3, 50, rate=0.5)), adapt=True, worlds=WORLDS, trials=trials)
    again = reduced(Chance(needs(3, 50, rate=0.5)), adapt=True, worlds=WORLDS, trials=trials)
    assert again.items == first.items
    assert again.runs < first.runs / 4


def test_a_lost_device_costs_one_run() -> None:
    player = Chance(needs(3, 50))
    player.lose = 2
    result = reduced(player)
    assert result.items == (3, 50)
    assert result.precheck.runs == 15
    assert result.precheck.met == 15


@pytest.mark.parametrize("jobs", [2, 5])
def test_several_devices_find_the_same(jobs: int) -> None:
    rate = needs(3, 50, 97, rate=0.6)
    alone = reduced(Chance(rate), adapt=True, worlds=WORLDS)
    together = reduced(Chance(rate), adapt=True, worlds=WORLDS, jobs=jobs)
    assert together.items == alone.items


def test_a_budget_ends_it_with_the_best_so_far() -> None:
    with pytest.raises(BudgetSpent) as caught:
        reduced(Chance(needs(3, 50, 97)), budget=Budget(runs=30))
    assert isinstance(caught.value.best, RepeatedReduction)
    assert set(caught.value.best.items) >= {3, 50, 97}
    assert caught.value.best.check is None


def test_worlds_have_to_be_enough_for_both_checks() -> None:
    with pytest.raises(UsageError, match="too few"):
        reduced(Chance(needs(3)), worlds=range(30))


def test_a_device_that_never_does_what_others_do_is_named() -> None:
    def trials(device: str, *met: bool) -> list[Trial]:
        return [Trial(Verdict(each, 1), device=device) for each in met]

    same = trials("phone 1", True, True, True) + trials("phone 2", False, False, False)
    assert [odd.device for odd in odd_devices([same] * 3)] == ["phone 2"]
    assert "phone 2 never does it: 0 of its 9 runs" in str(odd_devices([same] * 3)[0])
    assert odd_devices([same]) == ()
    assert odd_devices([trials("phone 1", True, True), trials("phone 2", False, False)] * 9) == ()


class Killer(Chance):
    """A candidate with item 7 kills the device, so that its run is not certain."""

    def _run(self, items: tuple[int, ...], world: int | None) -> ObservedRun:
        if 7 in items and len(items) < 50:
            return ObservedRun(Seen(Verdict(False, 0), certain=False))
        return super()._run(items, world)


@pytest.mark.parametrize("jobs", [1, 4])
def test_a_candidate_that_always_kills_the_device_does_not_hold_up_the_others(jobs: int) -> None:
    result = reduced(Killer(needs(3, 50)), worlds=WORLDS, jobs=jobs)
    assert result.items == (3, 50)


class Deceiver(Chance):
    """Says yes to everything while candidates are chosen; in the worlds of a check only what is long enough works."""

    def __init__(self, shortest: int) -> None:
        super().__init__(needs())
        self._shortest = shortest

    def _run(self, items: tuple[int, ...], world: int | None) -> ObservedRun:
        assert world is not None
        met = world < 20 or len(items) >= self._shortest
        return ObservedRun(Seen(Verdict(met, len(items), events=len(items) + 1)))


@pytest.mark.parametrize("shortest", [1, 40, 100])
def test_what_fails_its_whole_check_is_never_the_result(shortest: int) -> None:
    result = reduced(Deceiver(shortest), worlds=WORLDS)
    assert len(result.items) >= shortest
    assert result.check is not None and result.check.met == 20
    assert result.went_back > 0 and not result.is_always


@pytest.mark.slow
def test_what_failed_its_whole_check_is_not_the_result_of_a_spent_budget_either() -> None:
    everything = reduced(Deceiver(40), worlds=WORLDS).runs
    for runs in range(21, everything):
        with pytest.raises(BudgetSpent) as spent:
            reduced(Deceiver(40), worlds=WORLDS, budget=Budget(runs=runs))
        if isinstance(spent.value.best, RepeatedReduction):
            check = spent.value.best.check
            assert check is None or check.met > 0


@pytest.mark.parametrize(("share", "words"), [(1.0, "every candidate does"), (0.0, "no candidate does")])
def test_a_prior_that_no_run_can_change_is_refused(share: float, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        reduced(Chance(needs(3, 50, rate=0.6)), adapt=True, worlds=WORLDS, prior=Prior((share,), (1.0,)))


def test_all_or_nothing_is_a_prior_for_what_works_in_half_of_the_runs() -> None:
    result = reduced(Chance(needs(3, 50, rate=0.6)), adapt=True, worlds=WORLDS, prior=Prior((0.0, 1.0), (0.5, 0.5)))
    assert result.items == (3, 50)


def test_once_in_twenty_runs_is_not_never() -> None:
    parameters = Nd3minParameters(needed=1, precheck=1)
    result = reduce_repeatedly(ITEMS, Chance(needs(3, 50, rate=0.6)), parameters, worlds=WORLDS)
    assert result.items == (3, 50)
    assert result.check is not None and result.check.met > 0

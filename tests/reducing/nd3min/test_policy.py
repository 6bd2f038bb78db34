"""Policies are kept in files, found again, and followed."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from reducing.nd3min.coins import needs_solver

from fewtaps.errors import UsageError
from fewtaps.reducing.nd3min.heuristic import Heuristic
from fewtaps.reducing.nd3min.optimal import Optimal, optimal_policy, policy_name, solve_policy
from fewtaps.reducing.nd3min.parameters import Nd3minParameters
from fewtaps.reducing.nd3min.policy import (
    MAGIC,
    plan_counts,
    policy_from_bytes,
    policy_to_bytes,
    shipped_policy,
)
from fewtaps.reducing.nd3min.prior import Prior
from fewtaps.reducing.nd3min.tally import Tally

SMALL = Nd3minParameters(4, 3, 3, 2, precheck=0)
PRIOR = Prior((0.0, 0.5, 1.0), (0.5, 0.2, 0.3))


def test_the_shipped_policy_is_for_the_papers_parameters_and_prior() -> None:
    policy = shipped_policy()
    assert policy.fits(Nd3minParameters(), Prior.paper())
    assert policy.fits(Nd3minParameters(candidates=3), Prior.paper())
    assert not policy.fits(Nd3minParameters(candidates=6), Prior.paper())
    assert not policy.fits(Nd3minParameters(devices=14), Prior.paper())
    assert not policy.fits(Nd3minParameters(), PRIOR)
    assert optimal_policy(Nd3minParameters(), Prior.paper()).expected == policy.expected


def test_more_candidates_take_more_steps() -> None:
    expected = shipped_policy().expected
    assert len(expected) == 5
    assert list(expected) == sorted(expected)


def test_the_shipped_policy_plays_as_one_would() -> None:
    policy = shipped_policy()
    # One more success is all it takes.
    plan = policy.plan([Tally(17, 0), Tally(0, 2), Tally(0, 2)])
    assert plan is not None and plan[0] >= 1 and sum(plan) == 15
    # Little is left: all of it is run.
    assert policy.plan([Tally(17, 1), Tally(0, 3)]) == (2, 0)
    # Nothing is left, or nothing is known.
    assert policy.plan([Tally(0, 3), Tally(0, 3)]) is None
    assert policy.plan([Tally(18, 0)]) is None
    assert policy.plan([Tally(1, 0)] * 5) is None


def test_the_order_of_candidates_does_not_matter() -> None:
    policy = shipped_policy()
    plan = policy.plan([Tally(3, 0), Tally(0, 2), Tally(2, 1), Tally(0, 3)])
    turned = policy.plan([Tally(0, 3), Tally(2, 1), Tally(0, 2), Tally(3, 0)])
    assert plan is not None and turned == plan[::-1]


def plan_number(counts: Sequence[int]) -> int:
    """The inverse of `plan_counts`."""
    number = before = 0
    for at, count in enumerate(counts[:-1]):
        before += count
        number += math.comb(before + at, at + 1)
    return number


def test_plans_are_numbered_without_gaps() -> None:
    parameters = Nd3minParameters(candidates=3, devices=4)
    plans = [plan_counts(number, parameters) for number in range(15)]
    assert len(set(plans)) == 15 and all(sum(plan) == 4 and len(plan) == 3 for plan in plans)
    assert [plan_number(plan) for plan in plans] == list(range(15))


@pytest.mark.slow
@needs_solver
def test_a_policy_comes_back_from_its_bytes() -> None:
    policy = solve_policy(SMALL, PRIOR)
    again = policy_from_bytes(policy_to_bytes(policy))
    assert (again.plans, again.expected, again.prior) == (policy.plans, policy.expected, policy.prior)


@pytest.mark.parametrize("data", [b"", b"PK", MAGIC, MAGIC + b"{}\n", MAGIC + b"[1]\nx"])
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(UsageError, match="not a policy|damaged"):
        policy_from_bytes(data)


@needs_solver
def test_a_policy_with_missing_plans_is_refused() -> None:
    policy = solve_policy(SMALL, PRIOR)
    with pytest.raises(UsageError, match="of .* states"):
        policy_from_bytes(policy_to_bytes(replace(policy, plans=policy.plans[:-1])))


@pytest.mark.slow
@needs_solver
def test_what_was_solved_is_kept_and_not_solved_again(tmp_path: Path) -> None:
    shares: list[float] = []
    first = optimal_policy(SMALL, PRIOR, cache=tmp_path / "kept", progress=shares.append)
    assert shares and [path.name for path in (tmp_path / "kept").iterdir()] == [policy_name(SMALL, PRIOR)]
    shares.clear()
    again = optimal_policy(SMALL, PRIOR, cache=tmp_path / "kept", progress=shares.append)
    assert again.plans == first.plans and not shares


@needs_solver
def test_what_was_solved_is_used_though_it_cannot_be_kept(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "kept").write_text("a file where the folder should be")
    assert optimal_policy(SMALL, PRIOR, cache=tmp_path / "kept").fits(SMALL, PRIOR)
    assert "the solved policy cannot be kept in" in caplog.text


@needs_solver
def test_a_damaged_policy_in_the_cache_is_solved_again(tmp_path: Path) -> None:
    (tmp_path / policy_name(SMALL, PRIOR)).write_bytes(b"half a fi")
    assert optimal_policy(SMALL, PRIOR, cache=tmp_path).fits(SMALL, PRIOR)
    assert policy_from_bytes((tmp_path / policy_name(SMALL, PRIOR)).read_bytes()).fits(SMALL, PRIOR)


def test_too_many_candidates_are_refused_with_what_they_would_take() -> None:
    with pytest.raises(UsageError, match=r"for 7 candidates of 20 runs needs about \d+\.\d GiB .* may have 8.0 GiB"):
        solve_policy(Nd3minParameters(candidates=7), Prior.paper())


def test_without_numba_the_way_out_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "fewtaps.reducing.nd3min.mdp", raising=False)
    monkeypatch.delitem(sys.modules, "fewtaps.reducing.nd3min.kernel", raising=False)
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(UsageError, match=r"pip install 'fewtaps\[solver\]'"):
        solve_policy(SMALL, PRIOR)


def test_where_the_policy_knows_nothing_the_heuristic_decides() -> None:
    paper = Nd3minParameters()
    optimal, heuristic = Optimal(paper, shipped_policy()), Heuristic(paper)
    six = [Tally()] * 6
    assert optimal(six, 15) == heuristic(six, 15)
    lost = [Tally(3, 0), Tally(2, 0), Tally(0, 2), Tally(3, 0), Tally(2, 1)]
    assert optimal(lost, 15) == heuristic(lost, 15)
    assert optimal([Tally()] * 3, 4) == heuristic([Tally()] * 3, 4)


def test_the_policy_takes_over_once_enough_have_failed() -> None:
    optimal = Optimal(Nd3minParameters(), shipped_policy())
    left = (Tally(3, 0), Tally(1, 2))
    tallies = [Tally(0, 3), left[0], *[Tally(0, 3)] * 5, left[1]]
    plan = shipped_policy().plan(left)
    assert plan is not None
    assert optimal(tallies, 15) == (0, plan[0], 0, 0, 0, 0, 0, plan[1])


def test_a_policy_for_another_threshold_is_refused() -> None:
    with pytest.raises(UsageError, match="18 of 20 runs, not for 17 of 20"):
        Optimal(Nd3minParameters(needed=17), shipped_policy())

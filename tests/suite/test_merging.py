"""Shards are joined to the result of the whole suite."""

from __future__ import annotations

from dataclasses import replace

import pytest
from report.suites import COVERAGE, OLD, a_result, outcome, run, suite_test

from fewtaps.errors import UsageError
from fewtaps.model.suite import NamedCoverage
from fewtaps.model.suite_result import CoverageNews, Reason, SuiteResult, SuiteTestResult, SuiteTestStatus
from fewtaps.suite.merging import merge_results

PASSED, FAILED, NOT_RUN = SuiteTestStatus.PASSED, SuiteTestStatus.FAILED, SuiteTestStatus.NOT_RUN
NAMES = ("a", "b", "c", "d")


def shard(number: int, count: int, **statuses: SuiteTestStatus) -> SuiteResult:
    """The results of a shard that ran the named tests."""
    results = [
        outcome(name, statuses[name], run(statuses[name]))
        if name in statuses
        else SuiteTestResult(suite_test(name), NOT_RUN, reason=Reason.OTHER_SHARD)
        for name in NAMES
    ]
    return a_result(*results, shard=(number, count), seconds=2.0)


def statuses(result: SuiteResult) -> dict[str, SuiteTestStatus]:
    return {each.name: each.status for each in result.results}


def test_every_test_has_the_result_of_the_shard_that_ran_it() -> None:
    merged = merge_results([shard(2, 2, b=FAILED, d=PASSED), shard(1, 2, a=PASSED, c=PASSED)])
    assert statuses(merged) == {"a": PASSED, "b": FAILED, "c": PASSED, "d": PASSED}
    assert merged.is_failure and merged.shard is None and merged.notes == () and merged.seconds == 4.0


def test_a_missing_shard_is_told_and_its_tests_are_not_run() -> None:
    merged = merge_results([shard(1, 3, a=PASSED), shard(3, 3, c=PASSED)])
    assert statuses(merged)["b"] is NOT_RUN
    assert merged.notes == ("missing of 3 shards: 2",)


def test_the_worst_of_two_results_counts_and_the_repetition_is_told() -> None:
    both = [shard(1, 1, a=PASSED, b=FAILED), shard(1, 1, a=FAILED, b=PASSED)]
    assert [statuses(merge_results(order))["a"] for order in (both, both[::-1])] == [FAILED, FAILED]
    assert merge_results(both).notes == ("given more than once: shard 1",)


def test_a_reason_of_its_own_is_kept_rather_than_that_of_another_shard() -> None:
    late = shard(1, 2, b=PASSED)
    stopped = SuiteTestResult(suite_test("a"), NOT_RUN, reason=Reason.NO_TIME)
    merged = merge_results([shard(2, 2, c=PASSED), replace(late, results=(stopped, *late.results[1:]))])
    assert merged.results[0].reason is Reason.NO_TIME


def test_coverage_that_one_shard_lost_and_another_reached_is_not_lost() -> None:
    one, two, three = (("C", "m()V", number) for number in range(3))
    first = CoverageNews(
        NamedCoverage(frozenset({one})), NamedCoverage(frozenset({two, three})), NamedCoverage(), ("N", "O"), ("L", "M")
    )
    second = CoverageNews(
        NamedCoverage(frozenset({two, ("N", "m()V", 0)})), NamedCoverage(), NamedCoverage(), ("O",), ("M",), 9
    )
    merged = merge_results([replace(shard(1, 2), coverage=first), replace(shard(2, 2), coverage=second)]).coverage
    assert merged is not None
    assert merged.lost.branches == {three} and merged.covered.branches == {one, two, ("N", "m()V", 0)}
    assert (merged.new_classes, merged.left_out, merged.total_branches) == (("O",), ("M",), 9)


def test_one_shard_alone_stays_what_it_is() -> None:
    whole = a_result(coverage=COVERAGE)
    assert merge_results([whole]) == whole


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"app": OLD}, "different builds"),
        ({"against": OLD}, "different builds"),
        ({"shard": (2, 3)}, "different divisions: 2 and 3 shards"),
    ],
)
def test_shards_that_do_not_belong_together_are_refused(change: dict[str, object], reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        merge_results([shard(1, 2), replace(shard(2, 2), **change)])  # type: ignore[arg-type]


def test_shards_of_other_suites_and_apps_are_refused() -> None:
    other = a_result(outcome("x", PASSED, run(PASSED)), shard=(2, 2))
    with pytest.raises(UsageError, match="different suites"):
        merge_results([shard(1, 2), other])
    foreign = replace(other, suite=replace(other.suite, app=replace(OLD, package="dev.other")))
    with pytest.raises(UsageError, match="different apps: dev.example and dev.other"):
        merge_results([shard(1, 2), foreign])
    with pytest.raises(UsageError, match="no results"):
        merge_results([])

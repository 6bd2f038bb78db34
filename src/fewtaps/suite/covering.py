"""What a suite covers of a build, compared with what it promises, by names of classes, methods and branches."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from fewtaps.model.suite import NamedCoverage, Suite
from fewtaps.model.suite_result import CoverageNews


def coverage_news(
    suite: Suite, covered: NamedCoverage, build: NamedCoverage, not_run: Collection[str], classes: Iterable[str]
) -> CoverageNews:
    """Compares what was covered with the promise.

    `build` is everything the build has, `classes` are its classes, `not_run` names the tests that were not run. Where
    tests were not run, coverage of their classes is left out and not lost.
    """
    run = [test for test in suite.tests if test.name not in not_run]
    left = [test for test in suite.tests if test.name in not_run]
    reached_by_run = {name for test in run for name in test.classes}
    left_out = sorted({name for test in left for name in test.classes} - reached_by_run)
    known = suite.covered.classes | suite.flaky.classes | frozenset(suite.uncovered)
    missing = without(suite.covered, covered)
    # Without a test, nothing can be said of what it would have covered.
    unreached = {name for test in left for name in test.classes}
    return CoverageNews(
        covered=covered,
        lost=of_classes(intersection(missing, build), lambda name: name not in unreached),
        gone=without(suite.covered, build),
        new_classes=tuple(sorted(set(classes) - known - covered.classes)) if known else (),
        left_out=tuple(left_out),
        total_branches=len(build.branches),
    )


def without(one: NamedCoverage, other: NamedCoverage) -> NamedCoverage:
    """What only the first covers."""
    return NamedCoverage(one.branches - other.branches, one.methods - other.methods, one.lines - other.lines)


def intersection(one: NamedCoverage, other: NamedCoverage) -> NamedCoverage:
    """What both cover."""
    return NamedCoverage(one.branches & other.branches, one.methods & other.methods, one.lines & other.lines)


def of_classes(coverage: NamedCoverage, is_wanted: Callable[[str], bool]) -> NamedCoverage:
    """The part of the coverage that lies in the wanted classes."""
    return NamedCoverage(
        frozenset(each for each in coverage.branches if is_wanted(each[0])),
        frozenset(each for each in coverage.methods if is_wanted(each[0])),
        frozenset(each for each in coverage.lines if is_wanted(each[0])),
    )

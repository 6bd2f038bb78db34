"""Joins the results of a suite's shards to those of the whole suite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from fewtaps.errors import UsageError
from fewtaps.model.event import printable
from fewtaps.model.suite import NamedCoverage
from fewtaps.model.suite_result import WORST_FIRST, CoverageNews, Reason, SuiteResult, SuiteTestResult


def merge_results(shards: Sequence[SuiteResult]) -> SuiteResult:
    """The results of all shards as those of one run.

    A test has the result of the shard that ran it, and of several the worst. Tests of a shard that is missing stay not
    run, which a note says. Raises UsageError if the shards are of different suites, builds or divisions.
    """
    if not shards:
        raise UsageError("there are no results to merge")
    first = shards[0]
    for other in shards[1:]:
        _require_alike(first, other)
    names = list(dict.fromkeys(result.name for shard in shards for result in shard.results))
    merged = tuple(_merged(name, shards) for name in names)
    coverages = [shard.coverage for shard in shards if shard.coverage is not None]
    return replace(
        first,
        results=merged,
        coverage=_merged_coverage(coverages) if coverages else None,
        notes=tuple(dict.fromkeys((*(note for shard in shards for note in shard.notes), *_notes(shards)))),
        seconds=sum(shard.seconds for shard in shards),
        shard=None,
    )


def _require_alike(first: SuiteResult, other: SuiteResult) -> None:
    """Raises UsageError unless both are runs of one suite against one build, divided into as many shards."""
    package, another = (printable(each.suite.app.package, 80) for each in (first, other))
    if package != another:
        raise UsageError(f"the results are of different apps: {package} and {another}")
    if first.app != other.app or first.against != other.against:
        raise UsageError(f"the results are of different builds of {package}")
    if [each.name for each in first.suite.tests] != [each.name for each in other.suite.tests]:
        raise UsageError("the results are of different suites: their tests are not the same")
    counts = {shard.shard[1] for shard in (first, other) if shard.shard is not None}
    if len(counts) > 1:
        raise UsageError(f"the results are of different divisions: {' and '.join(map(str, sorted(counts)))} shards")


def _merged(name: str, shards: Sequence[SuiteResult]) -> SuiteTestResult:
    found = [result for shard in shards for result in shard.results if result.name == name]
    # A reason such as the end of the time says more than that another shard should have run the test.
    return min(found, key=lambda each: (WORST_FIRST.index(each.status), each.reason is Reason.OTHER_SHARD))


def _notes(shards: Sequence[SuiteResult]) -> list[str]:
    numbered = [shard.shard for shard in shards if shard.shard is not None]
    if not numbered:
        return []
    count = numbered[0][1]
    given = [number for number, _ in numbered]
    missing = [str(number) for number in range(1, count + 1) if number not in given]
    notes = [f"missing of {count} shards: {', '.join(missing)}"] if missing else []
    twice = sorted({number for number in given if given.count(number) > 1})
    return notes + ([f"given more than once: shard {', '.join(map(str, twice))}"] if twice else [])


def _merged_coverage(parts: Sequence[CoverageNews]) -> CoverageNews:
    covered = reduce(_union, (part.covered for part in parts))
    lost = reduce(_union, (part.lost for part in parts))
    classes = covered.classes
    new = set.intersection(*(set(part.new_classes) for part in parts))
    left_out = set.intersection(*(set(part.left_out) for part in parts))
    return CoverageNews(
        covered=covered,
        lost=NamedCoverage(
            lost.branches - covered.branches, lost.methods - covered.methods, lost.lines - covered.lines
        ),
        gone=reduce(_union, (part.gone for part in parts)),
        new_classes=tuple(sorted(new - classes)),
        left_out=tuple(sorted(left_out)),
        total_branches=max(part.total_branches for part in parts),
    )


def _union(one: NamedCoverage, other: NamedCoverage) -> NamedCoverage:
    return NamedCoverage(one.branches | other.branches, one.methods | other.methods, one.lines | other.lines)

"""Which tests of a suite run, on which shard, and in which order."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from fnmatch import fnmatchcase

from fewtaps.model.suite import SuiteTest

STEP_SECONDS = 0.05
"""The time of a step of a test whose time was not measured, for balancing shards."""


def expected_seconds(test: SuiteTest) -> float:
    """The time that a test is expected to take: the measured one, or a guess by its steps."""
    return test.seconds or STEP_SECONDS * len(test.trace.steps)


def shard_of(tests: Sequence[SuiteTest], number: int, count: int) -> frozenset[str]:
    """The names of the tests of shard `number` of `count`, from 1.

    The shards take about the same time. The same tests with the same times are divided in the same way everywhere:
    the longest first, each to the shard that has the least so far.
    """
    loads = [0.0] * count
    members: list[set[str]] = [set() for _ in range(count)]
    for test in sorted(tests, key=lambda test: (-expected_seconds(test), test.name)):
        least = min(range(count), key=lambda shard: (loads[shard], len(members[shard]), shard))
        loads[least] += expected_seconds(test)
        members[least].add(test.name)
    return frozenset(members[number - 1])


def is_named(test: SuiteTest, wanted: Iterable[str]) -> bool:
    """Whether the test's name contains one of the texts, or matches one that has `*` or `?`; case does not matter."""
    name = test.name.casefold()
    return any(
        fnmatchcase(name, each.casefold()) if set(each) & set("*?[") else each.casefold() in name for each in wanted
    )


def reaches(test: SuiteTest, classes: Collection[str]) -> bool:
    """Whether the test runs code of one of the classes, or it is not known what it runs."""
    return not test.classes or not set(classes).isdisjoint(test.classes)


def run_order(tests: Iterable[SuiteTest], changed: Collection[str] = ()) -> list[SuiteTest]:
    """The tests in the order in which they find the most in the shortest time.

    Tests that reach changed classes come first. Then those that kill the most mutants per second, if that is known,
    and then those with the most coverage per second that the tests before them in the suite lack.
    """

    def key(test: SuiteTest) -> tuple[bool, float, float, str]:
        seconds = max(expected_seconds(test), 1e-3)
        is_changed = bool(changed) and reaches(test, changed)
        return not is_changed, -test.kills / seconds, -test.adds / seconds, test.name

    return sorted(tests, key=key)

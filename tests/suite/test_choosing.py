"""Shards, names, changed classes and the order of tests."""

from __future__ import annotations

from builders import trace
from hypothesis import given
from hypothesis import strategies as st

from fewtaps.model.suite import NamedCoverage, Suite, SuiteTest
from fewtaps.model.suite_result import CoverageNews
from fewtaps.suite.choosing import is_named, reaches, run_order, shard_of
from fewtaps.suite.covering import coverage_news


def made(name: str, seconds: float = 1.0, adds: int = 0, classes: tuple[str, ...] = (), kills: int = 0) -> SuiteTest:
    return SuiteTest(name, trace(), seconds, classes, adds, kills)


tests_of_suites = st.dictionaries(st.text("abcdef", min_size=1, max_size=4), st.floats(0, 100), max_size=20).map(
    lambda seconds: [made(name, each) for name, each in seconds.items()]
)


@given(tests_of_suites, st.integers(1, 6), st.randoms())
def test_every_test_is_in_one_shard_whatever_the_order(tests: list[SuiteTest], count: int, random: object) -> None:
    shards = [shard_of(tests, number, count) for number in range(1, count + 1)]
    assert sorted(name for shard in shards for name in shard) == sorted(test.name for test in tests)
    random.shuffle(tests)  # type: ignore[attr-defined]
    assert [shard_of(tests, number, count) for number in range(1, count + 1)] == shards


def test_shards_take_about_the_same_time() -> None:
    tests = [made(name, seconds) for name, seconds in (("a", 8), ("b", 5), ("c", 4), ("d", 3), ("e", 2))]
    assert shard_of(tests, 1, 2) == {"a", "d"}
    assert shard_of(tests, 2, 2) == {"b", "c", "e"}


def test_more_shards_than_tests_leave_some_empty() -> None:
    assert shard_of([made("a")], 2, 2) == frozenset()


def test_a_name_is_a_part_or_a_pattern() -> None:
    test = made("settings-round-up")
    assert is_named(test, ["ROUND"])
    assert is_named(test, ["none", "settings-*"])
    assert not is_named(test, ["round-*"])


def test_a_test_whose_classes_are_unknown_reaches_everything() -> None:
    assert reaches(made("by-hand"), {"a.B"})
    assert reaches(made("x", classes=("a.B", "a.C")), {"a.B"})
    assert not reaches(made("x", classes=("a.C",)), {"a.B"})


def test_the_most_coverage_per_second_comes_first_and_changed_code_before_it() -> None:
    fast = made("fast", 1.0, 10, ("a.Fast",))
    slow = made("slow", 10.0, 20, ("a.Slow",))
    idle = made("idle", 1.0, 0, ("a.Idle",))
    assert [test.name for test in run_order([idle, slow, fast])] == ["fast", "slow", "idle"]
    assert [test.name for test in run_order([idle, slow, fast], {"a.Slow"})] == ["slow", "fast", "idle"]


def test_kills_count_before_coverage() -> None:
    assert [test.name for test in run_order([made("a", adds=9), made("b", kills=1)])] == ["b", "a"]


def branches(*names: str) -> NamedCoverage:
    return NamedCoverage(frozenset((name, "run()V", 0) for name in names))


def news(covered: NamedCoverage, build: NamedCoverage, not_run: set[str]) -> CoverageNews:
    tests = (made("one", classes=("a.One", "a.Both")), made("two", classes=("a.Two", "a.Both")))
    suite = Suite(trace().app, "page", tests, covered=branches("a.One", "a.Two", "a.Gone"), uncovered=("a.Old",))
    return coverage_news(suite, covered, build, not_run, [*build.classes, "a.Old"])


def test_lost_coverage_is_told_apart_from_code_that_is_gone() -> None:
    told = news(branches("a.One"), branches("a.One", "a.Two", "a.New"), set())
    assert told.lost == branches("a.Two")
    assert told.gone == branches("a.Gone")
    assert told.new_classes == ("a.New",)


def test_coverage_of_tests_that_were_not_run_is_left_out_and_not_lost() -> None:
    told = news(branches("a.One"), branches("a.One", "a.Two"), {"two"})
    assert told.lost == NamedCoverage()
    assert told.left_out == ("a.Two",)


def test_a_new_class_that_is_covered_is_no_news() -> None:
    assert news(branches("a.New"), branches("a.New"), set()).new_classes == ()

"""Which mutants are played, by which tests, in which order, and what is counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import pytest
from builders import APP
from hypothesis import given
from hypothesis import strategies as st

from fewtaps.config import MORE_MUTATION_OPERATORS, MUTATION_OPERATORS
from fewtaps.errors import NotViable
from fewtaps.model.coverage import Coverage, ProbeSet
from fewtaps.model.event import Launch, Wait
from fewtaps.model.mutant import (
    OPTIONAL_OPERATORS,
    STANDARD_OPERATORS,
    Mutant,
    MutantResult,
    MutantStatus,
    MutationScore,
)
from fewtaps.model.suite import SuiteTest
from fewtaps.model.trace import Step, Trace
from fewtaps.suite.mutants import (
    TURNS_SPARE,
    KillHistory,
    MeasuredTest,
    MutantRun,
    judge_mutant,
    sample_mutants,
    score_by_states,
)

KILLED, SURVIVED, TIMED_OUT = MutantStatus.KILLED, MutantStatus.SURVIVED, MutantStatus.TIMED_OUT
PASSED = MutantRun(SURVIVED, SURVIVED)


def mutant(index: int = 0, operator: str = "MATH", class_name: str = "a.B", method: str = "m", line: int = 1) -> Mutant:
    return Mutant(class_name, method, "()V", index, operator, line, "B.java", line, 0)


def measured(name: str, *lines: int, steps: int = 2) -> MeasuredTest:
    trace = Trace(APP, (Step(Launch()), *[Step(Wait(1)) for _ in range(steps - 1)]))
    return MeasuredTest(SuiteTest(name, trace), Coverage(lines=ProbeSet.of(lines), methods=ProbeSet.of([0])))


def result(of: Mutant, status: MutantStatus = KILLED, test: str | None = None) -> MutantResult:
    return MutantResult(of, status, test, by_states=status)


def test_the_settings_and_the_model_name_the_same_operators() -> None:
    assert MUTATION_OPERATORS == STANDARD_OPERATORS
    assert MORE_MUTATION_OPERATORS == OPTIONAL_OPERATORS


# ---- the sample


def many() -> list[Mutant]:
    """700 mutants of one class and 300 of another; in both, every tenth is of another operator."""
    return [mutant(i, "MATH" if i % 10 else "INCREMENTS", "a.B" if i < 700 else "a.C") for i in range(1000)]


def test_a_sample_gives_each_operator_and_class_its_share() -> None:
    chosen = Counter((each.operator, each.class_name) for each in sample_mutants(many(), 100, seed=1))
    assert sum(chosen.values()) == 100
    shares = {("MATH", "a.B"): 63, ("MATH", "a.C"): 27, ("INCREMENTS", "a.B"): 7, ("INCREMENTS", "a.C"): 3}
    assert all(abs(chosen[stratum] - share) <= 1 for stratum, share in shares.items())


def test_the_seed_decides_the_sample_and_a_smaller_one_is_part_of_a_larger_one() -> None:
    assert sample_mutants(many(), 50, seed=1) == sample_mutants(many(), 50, seed=1)
    assert sample_mutants(many(), 50, seed=1) != sample_mutants(many(), 50, seed=2)
    assert set(sample_mutants(many(), 50, seed=1)) < set(sample_mutants(many(), 200, seed=1))


@given(st.integers(0, 60), st.integers(1, 80), st.integers())
def test_a_sample_has_the_size_that_was_asked_for_and_the_order_of_the_code(count: int, size: int, seed: int) -> None:
    mutants = [mutant(i, "MATH" if i % 3 else "INCREMENTS", f"a.C{i % 4}") for i in range(count)]
    chosen = sample_mutants(mutants, size, seed)
    assert len(chosen) == min(count, size)
    assert list(chosen) == [each for each in mutants if each in chosen]


# ---- the tests of a mutant


def test_a_mutant_is_played_by_the_tests_that_reach_its_line() -> None:
    tests = [measured("both", 1, 2), measured("one", 1), measured("none")]
    history = KillHistory()
    assert [each.test.name for each in history.ordered(mutant(line=2), tests)] == ["both"]
    assert [each.test.name for each in history.ordered(mutant(line=1), tests)] == ["both", "one"]
    assert history.ordered(mutant(line=9), tests) == ()


def test_without_lines_the_method_decides() -> None:
    no_line = replace(mutant(), line=0, line_probe=None)
    assert measured("test").covers(no_line)
    assert not measured("test").covers(replace(no_line, method_probe=1))
    assert not measured("test").covers(replace(no_line, method_probe=None))


def test_tests_that_killed_near_by_come_first_then_short_ones() -> None:
    tests = [measured("long", 1, steps=9), measured("short", 1, steps=3), measured("far", 1, steps=5)]
    history = KillHistory()

    def order() -> list[str]:
        return [each.test.name for each in history.ordered(mutant(method="here"), tests)]

    assert order() == ["short", "far", "long"]
    history.add(result(mutant(class_name="z.Z"), test="far"))
    assert order() == ["far", "short", "long"]
    history.add(result(mutant(method="here"), test="long"))
    assert order() == ["long", "far", "short"]
    history.add(result(mutant(method="here"), SURVIVED))
    assert order() == ["long", "far", "short"]


def test_of_tests_that_killed_as_much_the_one_that_reaches_the_line_first_comes_first() -> None:
    late, early = measured("a-late", 1, steps=4), measured("b-early", 1, steps=9)
    nothing, reached = Coverage(), Coverage(lines=ProbeSet.of([1]))
    late = replace(late, new_by_step=(nothing, nothing, nothing, reached))
    early = replace(early, new_by_step=(nothing, reached))
    assert (late.first_reach(mutant()), early.first_reach(mutant())) == (3, 1)
    assert [each.test.name for each in KillHistory().ordered(mutant(), [late, early])] == ["b-early", "a-late"]


def judged(runs: Mapping[str, MutantRun], with_states: bool = False) -> tuple[MutantResult, list[str]]:
    played: list[str] = []

    def run(test: MeasuredTest) -> MutantRun:
        played.append(test.test.name)
        return runs[test.test.name]

    return judge_mutant(mutant(), [measured(name, 1) for name in runs], run, with_states), played


def test_the_first_test_that_fails_ends_the_search() -> None:
    by_text = MutantRun(KILLED, None, 3, "text")
    found, played = judged({"a": PASSED, "b": by_text, "c": PASSED})
    assert (found.status, found.test, found.step, found.difference) == (KILLED, "b", 3, "text")
    assert found.by_states is None
    assert played == ["a", "b"]
    assert found.tests_run == 2


def test_for_states_alone_the_search_goes_on_after_a_text() -> None:
    by_text = MutantRun(KILLED, SURVIVED, 3, "text")
    by_state = MutantRun(KILLED, KILLED, 5, "state")
    found, played = judged({"a": by_text, "b": PASSED, "c": by_state, "d": PASSED}, with_states=True)
    assert (found.test, found.step, found.by_states) == ("a", 3, KILLED)
    assert played == ["a", "b", "c"]
    found, played = judged({"a": by_text, "b": PASSED}, with_states=True)
    assert (found.status, found.by_states) == (KILLED, SURVIVED)
    assert played == ["a", "b"]


@pytest.mark.parametrize("status", [TIMED_OUT, MutantStatus.MEMORY_ERROR, KILLED])
def test_what_a_state_shows_counts_with_and_without_texts(status: MutantStatus) -> None:
    found, played = judged({"a": MutantRun(status, status, 2, "ending"), "b": PASSED}, with_states=True)
    assert (found.status, found.by_states) == (status, status)
    assert played == ["a"]


def test_a_mutant_that_all_tests_pass_survives_and_one_without_tests_is_not_covered() -> None:
    found, played = judged({"a": PASSED, "b": PASSED})
    assert (found.status, found.by_states, found.test) == (SURVIVED, SURVIVED, None)
    assert played == ["a", "b"]
    found, played = judged({})
    assert found.status is MutantStatus.NO_COVERAGE
    assert played == []


def test_a_class_that_cannot_run_says_nothing_of_the_tests() -> None:
    def run(test: MeasuredTest) -> MutantRun:
        raise NotViable("no")

    found = judge_mutant(mutant(), [measured("a", 1)], run, False)
    assert found.status is MutantStatus.NON_VIABLE
    assert MutationScore.of([found]) == MutationScore(0, 0)
    assert MutationScore.of([found]).percent == 0


def test_a_run_may_turn_ten_times_as_often_as_without_a_fault_and_some() -> None:
    assert replace(measured("a"), turns=7).turns_limit == 70 + TURNS_SPARE


def test_scores_count_what_was_noticed_of_what_could_run() -> None:
    results = [
        result(mutant(0), KILLED),
        result(mutant(1), TIMED_OUT),
        result(mutant(2), MutantStatus.MEMORY_ERROR),
        result(mutant(3), SURVIVED),
        result(mutant(4), MutantStatus.NO_COVERAGE),
        result(mutant(5), MutantStatus.NON_VIABLE),
    ]
    assert MutationScore.of(results) == MutationScore(3, 5)
    assert MutationScore.of(results).percent == 60
    assert score_by_states(results) == MutationScore(3, 5)
    by_text = replace(results[0], by_states=SURVIVED)
    assert score_by_states([by_text, *results[1:]]) == MutationScore(2, 5)
    assert score_by_states([replace(by_text, by_states=None), *results[1:]]) is None

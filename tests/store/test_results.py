from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from builders import APP
from hypothesis import given
from hypothesis import strategies as st

from fewtaps.model.goal import GoalKind, GoalSpec
from fewtaps.model.result import ReductionState, Verdict
from fewtaps.store.database import open_store
from fewtaps.store.rows import ReductionRow

GOAL = GoalSpec(GoalKind.CRASH, "java.lang.Error at a.B")
ROW = ReductionRow("q", "o", GOAL, "auto", 90, 7, 12, 345, False, ReductionState.RUNNING, b"x")

verdicts = st.builds(
    Verdict,
    met=st.booleans(),
    length=st.integers(0, 1000),
    end=st.text(),
    crash=st.none() | st.text(),
    events=st.integers(0, 1000),
)


def test_a_verdict_is_there_as_soon_as_it_is_set(tmp_path: Path) -> None:
    verdict = Verdict(True, 3, "end", None, 4)
    with open_store(tmp_path, create=True) as store:
        store.results.verdicts("one")["a"] = verdict
    with open_store(tmp_path) as store:
        kept = store.results.verdicts("one")
        assert dict(kept) == {"a": verdict}
        assert len(kept) == 1 and "b" not in kept
        assert not store.results.verdicts("another")


def test_a_verdict_can_be_taken_back(tmp_path: Path) -> None:
    with open_store(tmp_path, create=True) as store:
        kept = store.results.verdicts("one")
        kept["a"] = Verdict(True, 3)
        del kept["a"]
        assert kept.get("a") is None


@given(verdicts)
def test_a_verdict_comes_back_equal(verdict: Verdict) -> None:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder, open_store(folder, create=True) as store:
        kept = store.results.verdicts("one")
        kept["a"] = verdict
        assert kept["a"] == verdict


def test_a_reduction_replaces_the_one_it_goes_on_from(tmp_path: Path) -> None:
    better = replace(ROW, after=5, state=ReductionState.FINISHED, is_minimal=True, content=b"y" * 10_000)
    other = replace(ROW, strategy="hdd", goal=GoalSpec(GoalKind.ACTIVITY, "a.Main"))
    with open_store(tmp_path, create=True) as store:
        store.results.save_reduction(APP, ROW)
        store.results.save_reduction(APP, other)
        store.results.save_reduction(APP, better)
    with open_store(tmp_path) as store:
        assert store.results.reductions() == (other, better)


def test_a_size_is_remembered_with_the_runs_it_first_took(tmp_path: Path) -> None:
    with open_store(tmp_path, create=True) as store:
        for after, runs in ((90, 1), (7, 12), (7, 30), (5, 31)):
            store.results.save_reduction(APP, replace(ROW, after=after, runs=runs))
        store.results.save_reduction(APP, replace(ROW, strategy="hdd", after=3, runs=9))
        assert store.results.improvements(ROW) == ((1, 90), (12, 7), (31, 5))


def test_replays_are_kept_by_world_and_the_last_one_counts(tmp_path: Path) -> None:
    with open_store(tmp_path, create=True) as store:
        store.results.save_replays("E at a.B", "t", {3: True, 1: True})
        store.results.save_replays("E at a.B", "t", {1: False})
        store.results.save_replays("E at a.B", "other", {2: True})
    with open_store(tmp_path) as store:
        assert store.results.replays("E at a.B", "t") == {1: False, 3: True}
        assert store.results.replays("F", "t") == {}


def test_a_reduction_by_repeated_runs_and_an_extra_do_not_replace_the_plain_one(tmp_path: Path) -> None:
    repeated = replace(ROW, is_repeated=True, after=6, runs=20)
    extra = replace(ROW, is_by_intent=True, after=2, runs=30)
    with open_store(tmp_path, create=True) as store:
        for row in (ROW, repeated, extra):
            store.results.save_reduction(APP, row)
        assert store.results.reductions() == (ROW, repeated, extra)
        assert [store.results.improvements(row) for row in (ROW, repeated, extra)] == [
            ((12, 7),),
            ((20, 6),),
            ((30, 2),),
        ]

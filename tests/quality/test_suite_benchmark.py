"""The benchmark of suites: how it computes the columns of the DetReduce paper's tables, and that it repeats nothing."""

from __future__ import annotations

import json
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from fewtaps.model.state import StateId
from fewtaps.model.suite_result import SuiteTestStatus
from fewtaps.pipeline.news import News, SuiteAdvanced, TestRecorded, TestRefused
from fewtaps.suite.reduction import Phase, SuiteProgress
from fewtaps.suite.runs import RunStep, SuiteRun
from fewtaps.suite.splicing import Label, TransitionSystem

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return import_module("suite_table")


def row(tables: Any, app: str = "notes", strategy: str = "widget", **values: Any) -> Any:
    size = tables.SuiteSize
    facts: dict[str, Any] = {
        "app": app,
        "package": f"dev.fewtaps.samples.{app}",
        "strategy": strategy,
        "seed": 1,
        "events": 1000,
        "worlds": 10,
        "order": "ours",
        "is_whole": True,
        "branches": 40,
        "screens": 8,
        "crashes": 1,
        "actions": 1000,
        "traces": 100,
        "phases": {
            "loops": size(100, 20, 3.0),
            "splicing": size(80, 10, 4.0),
            "selecting": size(38, 5, 1.0),
            "worlds": size(40, 5, 9.0),
        },
        "lost": 0,
        "flaky": 0,
        "crashes_kept": 1,
        "original_seconds": 50.0,
        "suite_seconds": 2.5,
        "making_seconds": 25.0,
        "played_runs": 70,
        "played_actions": 900,
        "refused": 6,
        "gap": 0.0,
        "deviations": {"1": 5, "3": 1},
    }
    return tables.SuiteRow(**(facts | values))


def column(table: Any, name: str) -> list[Any]:
    place = [each.name for each in table.columns].index(name)
    return [cells[place] for cells in table.rows]


def test_a_row_survives_the_file_of_results(tables: Any) -> None:
    kept = row(tables)
    assert tables.row_from_json(json.loads(json.dumps(asdict(kept)))) == kept


def test_suites_that_can_be_compared_follow_each_other(tables: Any) -> None:
    rows = [row(tables, "b", actions=100), row(tables, "a", worlds=1), row(tables, "a", actions=400)]
    sizes = tables.size_table(rows)
    assert column(sizes, "app") == ["a", "a", "b"]
    assert column(sizes, "traces of") == ["widget, 1000 actions, 1 world", *["widget, 1000 actions, 10 worlds"] * 2]
    assert column(sizes, "actions") == [1000, 400, 100]
    assert column(sizes, "of original") == [5.0] * 3


def test_every_figure_asked_for_stands_beside_what_was_reached(tables: Any) -> None:
    asked = tables.asked_table([row(tables), row(tables, "shop", lost=3)])
    met = dict(zip(column(asked, "figure"), column(asked, "met"), strict=True))
    reached = dict(zip(column(asked, "figure"), column(asked, "reached"), strict=True))
    assert (reached["actions removed, median"], met["actions removed, median"]) == ("96.0 %", "yes")
    assert (reached["cost with ten worlds, median"], met["cost with ten worlds, median"]) == ("0.50×", "yes")
    assert (reached["cost with one world, median"], met["cost with one world, median"]) == ("not measured", "–")
    assert (reached["suites that lost coverage"], met["suites that lost coverage"]) == ("1", "no")


def test_a_lost_crash_is_counted_and_not_guessed_from_lost_coverage(tables: Any) -> None:
    # Two elements and no crash are lost; the crash that is not kept is one that only some worlds show.
    flaky = row(tables, lost=2, flaky=1, crashes_kept=0, lost_crashes=0, flaky_crashes=1)
    lost = row(tables, "shop", lost=2, crashes_kept=0, lost_crashes=1, flaky_crashes=0)
    earlier = row(tables, "vault", lost=2, crashes_kept=0)
    asked = tables.asked_table([flaky, lost, earlier])
    suites = dict(zip(column(asked, "figure"), column(asked, "suites"), strict=True))
    reached = dict(zip(column(asked, "figure"), column(asked, "reached"), strict=True))
    assert (suites["suites that lost a crash"], reached["suites that lost a crash"]) == (2, "1")
    sizes = tables.size_table([flaky, lost, earlier])
    assert [cells[-2:] for cells in sizes.rows] == [(0, 1), (1, 0), (None, None)]


def test_the_proof_in_all_worlds_is_not_told_as_the_selection(tables: Any) -> None:
    sizes = tables.size_table([row(tables, again_seconds=6.0)])
    assert column(sizes, "exact: actions") == [38]
    assert column(sizes, "all worlds: actions") == [40]
    assert (column(sizes, "t3"), column(sizes, "t4"), column(sizes, "again")) == ([1.0], [9.0], [6.0])


def test_the_clock_tells_the_search_for_other_tests_from_the_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    making = import_module("suite_making")
    now = 0.0
    monkeypatch.setattr(making.time, "monotonic", lambda: now)
    clock = making.PhaseClock()

    def tell(seconds: float, news: News) -> None:
        nonlocal now
        now += seconds
        clock(news)

    def advanced(phase: Phase) -> News:
        return SuiteAdvanced(SuiteProgress(phase, 1, 2, 3, 3, 4, 5, 6), 0.0)

    tell(2.0, advanced(Phase.SELECTING))
    tell(3.0, advanced(Phase.WORLDS))
    tell(4.0, TestRecorded("one", 1, 2))
    tell(5.0, TestRefused("step 3 failed"))
    tell(6.0, advanced(Phase.LOOPS))
    tell(7.0, advanced(Phase.WORLDS))
    now += 8.0
    clock.end()
    assert dict(clock.seconds) == {Phase.SELECTING: 2.0, Phase.WORLDS: 3.0}
    assert (clock.recording_seconds, clock.again_seconds, clock.making_seconds) == (17.0, 13.0, 18.0)


def test_plays_that_were_kept_are_not_repeated_after_a_kill(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    repeats = import_module("suite_repeats")
    path = tmp_path / "plays.jsonl"
    failure = repeats.Failure("two", 0, SuiteTestStatus.FAILED, 3, "Tap 'Split'", "text")
    log = repeats.PlayLog(path)
    log.add(repeats.Play("one", 0, 0.5, None))
    log.add(repeats.Play("two", 0, 0.5, failure))
    # Killed in the middle of a line.
    with path.open("a", encoding="utf-8") as file:
        file.write('{"test": "one", "rep')
    again = repeats.PlayLog(path)
    assert again.plays == log.plays
    assert again.done == {(0, "one"), (0, "two")}
    again.add(repeats.Play("one", 1, 0.5, None))
    assert repeats.PlayLog(path).plays == again.plays
    again.add(repeats.Play("one", 1, 0.7, None))
    assert repeats.PlayLog(path).plays == again.plays[:-1], "of two plays of one repeat the first counts"


def test_a_reduction_that_its_time_ended_is_marked(tables: Any) -> None:
    sizes = tables.size_table([row(tables, is_whole=False)])
    assert column(sizes, "app") == ["notes (ended early)"]


def test_phase_2_is_measured_against_what_phase_1_left(tables: Any) -> None:
    medians = tables.median_table([row(tables)])
    assert column(medians, "traces of") == [
        *("widget, 1000 actions, 10 worlds", "SwiftHand, in the paper", "RANDOM, in the paper")
    ]
    assert column(medians, "phase 1: actions")[0] == pytest.approx(-90.0)
    assert column(medians, "phase 2, of the rest: actions")[0] == pytest.approx(-20.0)
    assert column(medians, "together: actions")[0] == pytest.approx(-96.0)
    assert column(medians, "time of the suite")[0] == 5.0
    assert column(medians, "cost of making it")[0] == 0.5


def test_the_order_of_the_paper_has_no_exact_selection(tables: Any) -> None:
    size = tables.SuiteSize
    without = row(tables, order="paper", phases={"loops": size(100, 20, 3.0), "splicing": size(80, 10, 4.0)})
    assert without.last == size(80, 10, 4.0)
    sizes = tables.size_table([without])
    assert column(sizes, "exact: actions") == [None]
    assert column(tables.median_table([without]), "together: actions")[0] == pytest.approx(-92.0)


def test_an_app_of_the_paper_stands_beside_its_own_rows(tables: Any) -> None:
    rows = [row(tables), row(tables, "whohas", package="de.freewarepoint.whohasmystuff")]
    beside = tables.paper_table(rows)
    assert column(beside, "traces of") == ["widget", "swifthand, in the paper", "random, in the paper"]
    assert column(beside, "actions after") == [40, 119, 81]
    assert "paper" in tables.suite_tables(rows)
    assert "paper" not in tables.suite_tables(rows[:1])


def test_candidates_are_added_up_by_the_run_that_refused_them(tables: Any) -> None:
    ours, paper = row(tables, refused=6, deviations={"3": 1}), row(tables, "shop", deviations={"1": 2, "10": 1})
    added = tables.deviation_table([ours, paper])
    assert added.rows[0] == ("our order, runs", 140, 7, 0, 1, 0, 0, 0, 0, 0, 0, 1)
    # 97 % of what the paper found not to replay was found by the first run.
    assert 0.969 < added.rows[1][2] / sum(added.rows[1][2:]) < 0.971


def test_the_states_of_each_abstraction_end_with_their_medians(tables: Any) -> None:
    counted = tables.state_table(
        {
            ("shop", "widget"): {"actionable": 14, "page": 20},
            ("notes", "widget"): {"actionable": 34, "page": 294},
        }
    )
    assert column(counted, "app") == ["notes", "shop", "median"]
    assert column(counted, "page") == [294, 20, 157]


@pytest.fixture
def fragments(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return import_module("suite_fragments")


def system() -> TransitionSystem:
    """Example 2.4 of the paper: a b c d, a d e c d and a b c f, in which an action leads to the state of its name."""
    runs = [
        SuiteRun(0, tuple(RunStep(ord(name), StateId(name), 0) for name in f"-{events}"))
        for events in ("abcd", "adecd", "abcf")
    ]
    return TransitionSystem(runs, 3)


@pytest.mark.parametrize("transitions", [1, 3, 4])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_the_number_of_paths_is_that_of_all_paths(fragments: Any, transitions: int, count: int) -> None:
    wanted: set[tuple[Label, ...] | None] = {
        path for path in system().paths() if len(path) == transitions and fragments.fragments_of(path) == count
    }
    sampler = fragments.PathSampler(system(), seed=1)
    assert sampler.total(transitions, count) == len(wanted)
    drawn = {sampler.draw(transitions, count) for _ in range(400)}
    assert drawn == (wanted or {None})


def test_a_random_path_ends_where_nothing_follows_or_at_its_length(fragments: Any) -> None:
    sampler = fragments.PathSampler(system(), seed=1)
    walks = [sampler.wander(6) for _ in range(200)]
    assert {len(walk) for walk in walks} <= set(range(1, 7))
    for walk in walks:
        assert len(walk) == 6 or not sampler.following(walk[-1])


def test_the_rows_of_the_paper_add_up_to_its_samples_or_nearly(fragments: Any) -> None:
    sums = {name: sum(counts) for name, counts in fragments.PAPER_FRAGMENTS.items()}
    # Of 1,000 samples each, as its text says.
    assert sums == {"acar": 1002, "astrid": 1000, "cnote": 1000, "emobile": 1032}
    assert all(0 <= count <= 200 for row in fragments.PAPER_REPLAYABLE.values() for count in row)

from __future__ import annotations

from pathlib import Path

import pytest
from projects import add, add_reduction, death, make_project, page, path

from fewtaps.errors import NotFound
from fewtaps.model.screen import Bounds
from fewtaps.report.pages import read_report
from fewtaps.report.views import CrashView, Report
from fewtaps.store.database import open_store


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    with open_store(make_project(tmp_path_factory.mktemp("project"))) as store:
        return read_report(store, "1.2.3")


@pytest.fixture
def crash(report: Report) -> CrashView:
    (found,) = report.findings
    return found


def test_a_suspect_crash_is_kept_apart(report: Report) -> None:
    assert [crash.title for crash in report.findings] == ["IllegalStateException"]
    assert [crash.suspect for crash in report.suspects] == ["a library for phones is missing"]


def test_the_steps_are_those_of_the_reduction(crash: CrashView) -> None:
    assert [step.words for step in crash.steps] == ["Tap 'Home'", "Tap 'Always'"]
    assert (crash.before, crash.world) == (4, 0)


def test_a_step_shows_the_screen_it_is_done_on_and_outlines_what_is_touched(crash: CrashView) -> None:
    first, last = crash.steps
    assert first.picture is not None and first.picture.screen == page("Home") and first.picture.name is not None
    assert first.outline == Bounds(0, 0, 100, 50)
    assert last.gesture is not None and last.gesture.start == (50, 75)


def test_the_original_is_drawn_with_what_was_cut(crash: CrashView) -> None:
    assert crash.reduction is not None and crash.reduction.has_cuts
    assert [row.kept_as for row in crash.reduction.rows] == [None, None, 1, 2]
    assert crash.reduction.history == ((0, 4), (10, 3), (30, 2))


def test_the_rate_is_that_of_the_reduced_steps(crash: CrashView) -> None:
    assert crash.replay is not None
    assert (crash.replay.reproduction.met, crash.replay.reproduction.runs) == (4, 5)


def test_every_export_is_there(crash: CrashView) -> None:
    names = [export.name for export in crash.exports]
    assert {"monkey", "adb"} <= set(names)
    assert all(export.text for export in crash.exports)


def test_states_are_connected_by_ways_and_the_crash_path_leads_through_them(report: Report, crash: CrashView) -> None:
    titles = [state.title.partition(" · ")[0] for state in report.states.states]
    assert titles == ["Home", "List", "About", "Item"]
    (path_of_crash, path_of_suspect) = report.states.paths
    assert [titles[number] for number in path_of_crash.states] == ["Home", "Item"]
    assert report.states.states[3].crashes == (crash.fingerprint,)
    assert [target for target, _, _ in report.states.states[0].ways] == [1, 3]
    assert path_of_suspect.states == (0,)


def test_steps_through_states_that_exploration_never_saw_are_marked_by_those_it_did(tmp_path: Path) -> None:
    long, short = path("Home", "List", "Item", crash=death()), path("Home", "Shortcut", crash=death())
    with open_store(tmp_path, create=True) as store:
        add(store, long)
        add_reduction(store, long, short)
        (crash_path,) = read_report(store, "").states.paths
    assert crash_path.states == (0, 1, 2)


def test_a_long_way_is_marked_without_its_loops(tmp_path: Path) -> None:
    with open_store(tmp_path, create=True) as store:
        add(store, path(*["Home", "List"] * 20, "Item", crash=death()))
        (crash_path,) = read_report(store, "").states.paths
    assert crash_path.states == (0, 1, 2)


def test_facts_add_up_over_all_outings(report: Report) -> None:
    facts = report.facts
    assert (facts.outings, facts.events, facts.seconds) == (3, 3 + 5 + 2, 3.0)
    assert (facts.activities_seen, facts.activities_declared) == (1, 2)
    assert (facts.label, facts.reason, facts.is_running) == ("Example", "the time is up", False)
    assert ("Strategy", "frontier") in facts.settings


def test_coverage_is_counted_against_all_lines(report: Report) -> None:
    assert report.coverage is not None
    assert (report.coverage.counts.lines.covered, report.coverage.counts.lines.total) == (2, 10)
    assert [point.lines for point in report.growth] == [2, 2, 2]
    assert [point.crashes for point in report.growth] == [0, 1, 2]


def test_the_time_of_several_explorations_adds_up(tmp_path: Path) -> None:
    with open_store(tmp_path, create=True) as store:
        add(store, path("Home"), path("Home", "List"))
        add(store, path("Home", crash=death()))
        report = read_report(store, "")
    assert report.crashes[0].first_seconds == report.growth[-1].seconds == 3.0


def test_without_a_reduction_the_shortest_trace_is_shown(tmp_path: Path) -> None:
    with open_store(tmp_path, create=True) as store:
        add(store, path("Home", "List", "Item", crash=death()), path("Home", "Item", crash=death()))
        report = read_report(store, "")
    (crash,) = report.crashes
    assert crash.reduction is None and crash.replay is None
    assert len(crash.steps) == 2


def test_an_app_that_crashes_at_launch_has_a_crash_without_steps(tmp_path: Path) -> None:
    from dataclasses import replace

    from builders import APP

    from fewtaps.model.event import Launch
    from fewtaps.model.trace import Ending, Step, Trace

    launch = Step(Launch(), crash=death(), ending=Ending.CRASHED)
    with open_store(tmp_path, create=True) as store:
        add(store, replace(Trace(APP, (launch,)), world=3))
        (crash,) = read_report(store, "").crashes
    assert crash.steps == () and crash.world == 3


def test_a_store_in_which_nothing_was_explored_is_told(tmp_path: Path) -> None:
    with open_store(tmp_path, create=True) as store, pytest.raises(NotFound, match="nothing has been explored here"):
        read_report(store, "")

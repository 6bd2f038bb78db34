from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from builders import screen, widget
from projects import THE_APP, add, add_reduction, death, make_project, page, path

from fewtaps.errors import NotFound
from fewtaps.model.app import App
from fewtaps.model.crash import CrashKind, Frame
from fewtaps.model.screen import Bounds, Widget, WidgetFlags
from fewtaps.model.trace import Trace
from fewtaps.pipeline.findings import read_states
from fewtaps.report.crashpage import continued
from fewtaps.report.pages import read_report
from fewtaps.report.views import BudgetView, CrashLink, CrashView, Report
from fewtaps.store.database import open_store
from fewtaps.store.rows import RunPart


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
    assert (crash.first_step, crash.is_of_later_sighting, crash.world) == (4, False, 0)


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


def test_states_are_connected_by_ways_and_the_crash_path_leads_through_them(report: Report, crash: CrashView) -> None:
    titles = [state.title.partition(" · ")[0] for state in report.states.states]
    assert titles == ["Home", "List", "About", "Item"]
    (path_of_crash, path_of_suspect) = report.states.paths
    assert [titles[number] for number in path_of_crash.states] == ["Home", "Item"]
    assert report.states.states[3].crashes == (CrashLink(crash.fingerprint, "IllegalStateException in Main.onClick"),)
    assert [target for target, _, _ in report.states.states[0].transitions] == [1, 3]
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


def test_facts_add_up_over_all_episodes(report: Report) -> None:
    facts = report.facts
    assert (facts.episodes, facts.events, facts.seconds) == (3, 3 + 5 + 2, 3.0)
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
    assert crash.missing == ("a reduction", "a reproduction rate")


def test_a_crash_that_was_worked_on_to_the_end_lacks_nothing(crash: CrashView) -> None:
    assert crash.missing == ()
    half_done = replace(crash, replay=None, steps=(crash.steps[0], replace(crash.steps[1], picture=None)))
    assert half_done.missing == ("a reproduction rate", "1 picture")


def test_an_app_that_crashes_at_launch_has_a_crash_without_steps(tmp_path: Path) -> None:
    from builders import APP

    from fewtaps.model.ending import Ending
    from fewtaps.model.event import Launch
    from fewtaps.model.trace import Step, Trace

    launch = Step(Launch(), crash=death(), ending=Ending.CRASHED)
    with open_store(tmp_path, create=True) as store:
        add(store, replace(Trace(APP, (launch,)), world=3))
        (crash,) = read_report(store, "").crashes
    assert crash.steps == () and crash.world == 3


def test_a_store_in_which_nothing_was_explored_is_told(tmp_path: Path) -> None:
    with open_store(tmp_path, create=True) as store, pytest.raises(NotFound, match="nothing has been explored here"):
        read_report(store, "")


def test_the_budget_is_what_all_parts_were_given_and_what_they_used(tmp_path: Path) -> None:
    parts = [RunPart(60.0, 9, 20.5), RunPart(30.0, 10, 5.0)]
    with open_store(tmp_path, create=True) as store:
        add(store, path("Home", "List"), path("Home"), parts=parts, jobs=2)
        assert read_report(store, "").facts.budget == BudgetView(25.5, 2.0, 3, 2, seconds_given=90.0, events_given=10)


def test_a_budget_without_limits_or_without_records_is_only_what_was_used(tmp_path: Path) -> None:
    with open_store(tmp_path, create=True) as store:
        add(store, path("Home"))
        assert read_report(store, "").facts.budget == BudgetView(1.0, 1.0, 1, 1)
        add(store, path("Home"), parts=[RunPart()])
        assert read_report(store, "").facts.budget == BudgetView(2.0, 2.0, 2, 1)


def test_the_launcher_is_no_state_here_either(tmp_path: Path) -> None:
    seen = path("Home", "Launcher", "List")
    launcher = replace(page("Launcher"), package="com.android.launcher")
    steps = [replace(step, after=launcher) if step.after == page("Launcher") else step for step in seen.steps]
    with open_store(tmp_path, create=True) as store:
        add(store, replace(seen, steps=tuple(steps)))
        states = read_report(store, "").states.states
    assert [state.title for state in states] == ["Home · Always", "List · Always"]
    assert len(states) == len(read_states(tmp_path).nodes)


@pytest.mark.parametrize(
    ("shown", "name"),
    [
        (widget(" ", description="Search"), "Search"),
        (widget(hint="Your name"), "Your name"),
        (widget(resource_id="com.example.app:id/fab"), "#fab"),
        (widget(flags=WidgetFlags.ENABLED), "Main, without any text"),
    ],
)
def test_a_state_without_a_text_has_a_name_all_the_same(tmp_path: Path, shown: Widget, name: str) -> None:
    seen = path("Home")
    with open_store(tmp_path, create=True) as store:
        add(store, replace(seen, steps=(replace(seen.steps[0], after=screen(shown)),)), pictures=False)
        assert [state.title for state in read_report(store, "").states.states] == [name]


def test_crashes_of_one_state_are_told_apart(tmp_path: Path) -> None:
    deaths = [death("a", "one"), death("b", "two"), replace(death("c", "one"), kind=CrashKind.ANR)]
    with open_store(tmp_path, create=True) as store:
        add(store, *(path("Home", crash=each) for each in deaths))
        (state,) = read_report(store, "").states.states
    names = [crash.name for crash in state.crashes]
    assert names == [
        "IllegalStateException in Main.one",
        "IllegalStateException in Main.two",
        "App not responding in Main.one",
    ]


def test_crashes_of_one_name_are_told_apart_by_their_ids(tmp_path: Path) -> None:
    first = death("a", "one")
    (outer, root) = first.exceptions
    deeper = replace(root, frames=(*root.frames[:2], Frame("com.example.app.Other", "call"), *root.frames[2:]))
    with open_store(tmp_path, create=True) as store:
        add(store, path("Home", crash=first), path("Home", crash=replace(first, exceptions=(outer, deeper))))
        (state,) = read_report(store, "").states.states
    assert [link.name for link in state.crashes] == [
        f"IllegalStateException in Main.one ({link.fingerprint[:6]})" for link in state.crashes
    ]


NEWER = replace(THE_APP, version_name="2.0", digest="cd" * 32)


def of(app: App, trace: Trace) -> Trace:
    """The same trace, of another build."""
    return replace(trace, app=app.ref)


def test_what_the_newest_build_needs_is_shown_though_an_older_one_needed_less(tmp_path: Path) -> None:
    long, longer = path("Home", "List", "Item", crash=death()), path("Home", "List", "About", "Item", crash=death())
    short, middle = path("Home", crash=death()), path("Home", "Item", crash=death())
    with open_store(tmp_path, create=True) as store:
        add(store, long)
        add_reduction(store, long, short)
        add(store, of(NEWER, longer), app=NEWER)
        add_reduction(store, of(NEWER, longer), of(NEWER, middle))
        report = read_report(store, "")
    (crash,) = report.findings
    assert (len(crash.steps), crash.first_step, crash.build) == (2, 4, "")
    assert crash.elsewhere == ("1.0 (abababab): 1 step",)
    assert report.earlier == () and report.facts.builds == 2


def test_a_build_without_a_reduction_of_its_own_shows_its_own_steps(tmp_path: Path) -> None:
    long = path("Home", "List", "Item", crash=death())
    with open_store(tmp_path, create=True) as store:
        add(store, long)
        add_reduction(store, long, path("Home", crash=death()))
        add(store, of(NEWER, long), app=NEWER)
        (crash,) = read_report(store, "").findings
    assert crash.reduction is None and len(crash.steps) == 3


def test_a_crash_that_only_an_earlier_build_showed_is_kept_apart(tmp_path: Path) -> None:
    with open_store(tmp_path, create=True) as store:
        add(store, path("Home", "Item", crash=death()))
        add(store, of(NEWER, path("Home", "List", crash=death("new", "other"))), app=NEWER)
        report = read_report(store, "")
    assert [crash.where for crash in report.findings] == ["Main.other (Main.java:42)"]
    (old,) = report.earlier
    assert (old.where, old.build) == ("Main.onClick (Main.java:42)", "1.0 (abababab)")


def test_something_shorter_that_was_found_since_counts_as_in_the_table_of_a_run(tmp_path: Path) -> None:
    long, short = path("Home", "List", "Item", crash=death()), path("Home", "Item", crash=death())
    with open_store(tmp_path, create=True) as store:
        add(store, long)
        add_reduction(store, long, short)
        add(store, path("Home", crash=death()))
        (crash,) = read_report(store, "").crashes
    assert crash.reduction is None and len(crash.steps) == 1


def test_the_steps_before_are_those_of_the_first_sighting_whatever_was_reduced(tmp_path: Path) -> None:
    first, later = path("Home", "List", "About", "Item", crash=death()), path("Home", "Item", crash=death())
    with open_store(tmp_path, create=True) as store:
        add(store, first)
        add(store, later)
        add_reduction(store, later, path("Home", crash=death()))
        (crash,) = read_report(store, "").findings
    assert (crash.first_step, len(crash.steps), crash.is_of_later_sighting) == (4, 1, True)


def test_a_reduction_that_was_begun_again_goes_on_in_its_curve() -> None:
    assert continued(((0, 100), (10, 30), (36, 8), (8, 7), (20, 4))) == (
        ((0, 100), (10, 30), (36, 8), (44, 7), (56, 4)),
        36,
    )
    assert continued(((0, 4), (10, 3), (30, 2))) == (((0, 4), (10, 3), (30, 2)), 0)

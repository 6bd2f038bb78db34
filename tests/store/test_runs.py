"""Runs and episodes come back equal from the store, and its sums are right."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from builders import (
    APP,
    CLICKABLE,
    crash,
    screen,
    texts,
    trace,
    traces,
    widget,
)
from hypothesis import given
from hypothesis import strategies as st

from fewtaps.errors import NotFound, StoreError, UsageError
from fewtaps.model.app import App, Component
from fewtaps.model.coverage import BranchProbe, ClassProbes, Coverage, LineProbe, MethodProbe, ProbeMap, ProbeSet
from fewtaps.model.crash import Frame
from fewtaps.model.ending import Ending
from fewtaps.model.episode import Episode, EpisodeEnd
from fewtaps.model.event import Key, Launch, StartIntent, Tap
from fewtaps.model.exploration_end import EndKind, ExplorationEnd
from fewtaps.model.screen import UNSEEN, WidgetFlags
from fewtaps.model.state import page_state
from fewtaps.model.trace import Step, Trace
from fewtaps.store.database import Store, open_store
from fewtaps.store.rows import RunPart

THE_APP = App(APP.package, version_name=APP.version, digest=APP.digest, label="An app \ud800")
MAIN, LIST = screen(widget("Open")), screen(widget("First"), widget("Second"), activity="com.example.app.List")
HERE, THERE = page_state(MAIN), page_state(LIST)
OPEN, BACK = Tap(50, 25), Key("BACK")

episodes = st.builds(
    Episode,
    st.just(0),
    traces,
    st.integers(0, 5),
    st.booleans(),
    st.sampled_from(EpisodeEnd),
    texts,
    st.just(()),
    st.none() | st.binary(max_size=300),
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "project", create=True) as opened:
        yield opened


@pytest.fixture(scope="module")
def long_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """One store for all examples of a property, because making a store takes longer than an example."""
    with open_store(tmp_path_factory.mktemp("long"), create=True) as opened:
        yield opened


def walk(*shown: object, **fields: object) -> Trace:
    """A trace from screen to screen: by a tap to the list, by Back to the main screen."""
    steps = [Step(Launch(), UNSEEN, MAIN)]
    for after in shown:
        steps.append(Step(OPEN if after is LIST else BACK, steps[-1].after, after))  # type: ignore[arg-type]
    last = replace(steps[-1], **fields)  # type: ignore[arg-type]
    return Trace(APP, (*steps[:-1], last))


def filled(store: Store, *kept: Trace) -> Store:
    run = store.runs.start(THE_APP, "explore", {})
    for number, each in enumerate(kept):
        store.runs.add_episode(run, Episode(number, each), seconds=10.0 * (number + 1))
    return store


@pytest.mark.slow
@given(values=st.lists(episodes, max_size=4))
def test_every_episode_comes_back_equal(values: list[Episode], long_store: Store) -> None:
    values = [replace(value, number=number) for number, value in enumerate(values)]
    run = long_store.runs.start(THE_APP, "explore", {})
    for value in values:
        long_store.runs.add_episode(run, value)
    assert list(long_store.runs.iter_episodes(run)) == values
    with open_store(long_store.folder) as store:
        assert list(store.runs.iter_episodes(run)) == values
        covered = Coverage()
        for value in values:
            covered = covered | value.trace.coverage
        assert store.runs.coverage(run) == covered
        assert store.runs.totals(run).events == sum(value.events for value in values)


def test_equal_screens_come_back_as_one_object(store: Store) -> None:
    filled(store, walk(LIST, MAIN), walk(LIST))
    first, second = store.runs.iter_episodes(store.runs.all()[0].run_id)
    assert first.trace.steps[0].after is first.trace.steps[2].after is second.trace.steps[0].after
    assert first.trace.steps[1].after is second.trace.steps[1].after


def test_a_screen_before_that_is_not_the_one_after_the_last_step_is_kept(store: Store) -> None:
    odd = trace(Step(OPEN, LIST, MAIN), Step(BACK, UNSEEN, UNSEEN))
    filled(store, odd)
    (episode,) = store.runs.iter_episodes(store.runs.all()[0].run_id)
    assert episode.trace == odd


def test_numbers_and_truths_in_an_intent_are_not_mistaken_for_each_other(store: Store) -> None:
    extras = (1, True, 1.0)
    filled(store, trace(*(StartIntent(extras=(("a", extra),)) for extra in extras)))
    (episode,) = store.runs.iter_episodes(store.runs.all()[0].run_id)
    back = [step.event.extras[0][1] for step in episode.trace.steps[1:] if isinstance(step.event, StartIntent)]
    assert [type(extra) for extra in back] == [int, bool, float]


def test_an_app_comes_back_with_all_its_manifest_says(store: Store) -> None:
    app = replace(
        THE_APP,
        path="/tmp/a\udcff.apk",
        max_sdk=33,
        launcher="com.example.app.Main",
        activities=(Component("com.example.app.Main", True, ("android.intent.action.MAIN",), ("a", "b")),),
        providers=(Component("com.example.app.P", authorities=("x.y",)),),
        permissions=("android.permission.INTERNET",),
    )
    store.runs.start(app, "explore", {})
    assert store.runs.app(app.ref) == app


def test_the_latest_run_of_a_kind_comes_back_with_its_settings(store: Store) -> None:
    assert store.runs.latest("explore") is None
    store.runs.start(THE_APP, "explore", {"seed": 1})
    run = store.runs.start(THE_APP, "explore", {"seed": 7, "folder": Path("x"), "limits": {"events": 9}})
    store.runs.start(THE_APP, "other", {})
    latest = store.runs.latest("explore")
    assert latest is not None
    assert (latest.run_id, latest.app, latest.seed, latest.is_finished) == (run, APP, 7, False)
    assert latest.settings == {"seed": 7, "folder": "x", "limits": {"events": 9}}


def test_a_run_ends_with_a_reason_and_can_be_taken_up_again(store: Store) -> None:
    run = store.runs.start(THE_APP, "explore", {})
    store.runs.finish(run, ExplorationEnd(EndKind.NOTHING_NEW, 700, "a\ud800b"))
    ended = store.runs.load(run)
    assert (
        ended.is_finished
        and ended.end == ExplorationEnd(EndKind.NOTHING_NEW, 700, "a\ud800b")
        and ended.ended is not None
    )
    assert ended.started <= ended.ended
    store.runs.resume(run)
    again = store.runs.load(run)
    assert not again.is_finished and again.end is None


def test_each_part_of_a_run_keeps_what_it_was_given_and_used(store: Store) -> None:
    run = store.runs.start(THE_APP, "explore", {}, RunPart(60.0, 100))
    other = store.runs.start(THE_APP, "explore", {}, RunPart())
    store.runs.set_used(run, 12.5)
    store.runs.resume(run, RunPart(30.0, 200))
    store.runs.set_used(run, 7)
    store.runs.set_used(run, 8)
    assert store.runs.parts(run) == (RunPart(60.0, 100, 12.5), RunPart(30.0, 200, 8.0))
    assert store.runs.parts(other) == (RunPart(),)


def test_pauses_do_not_count_as_time_at_work(tmp_path: Path) -> None:
    with open_store(tmp_path, create=True) as store:
        run = store.runs.start(THE_APP, "explore", {})
        store.runs.add_episode(run, Episode(0, walk(LIST)), seconds=100)
    with open_store(tmp_path, write=True) as store:
        store.runs.resume(run)
        store.runs.add_episode(run, Episode(1, walk(LIST)))
        assert 100 <= store.runs.totals(run).seconds < 1000


def test_only_the_next_episode_can_be_added(store: Store) -> None:
    run = store.runs.start(THE_APP, "explore", {})
    with pytest.raises(UsageError, match="episode 1 cannot be stored: the next one is 0"):
        store.runs.add_episode(run, Episode(1, walk(LIST)))
    store.runs.add_episode(run, Episode(0, walk(LIST)))
    with pytest.raises(UsageError, match="episode 0 cannot be stored: the next one is 1"):
        store.runs.add_episode(run, Episode(0, walk(LIST)))
    assert store.runs.next_number(run) == 1


def test_an_episode_for_a_run_that_is_not_there_is_refused(store: Store) -> None:
    run = store.runs.start(THE_APP, "explore", {})
    with pytest.raises(StoreError):
        store.runs.add_episode(type(run)(99), Episode(0, walk(LIST)))
    with pytest.raises(NotFound, match="no run 99"):
        store.runs.load(type(run)(99))


def test_crashes_of_one_signature_are_one_row_with_counts(store: Store) -> None:
    one = crash("com.example.app.A.b")
    again = replace(one, thread="worker", exceptions=(replace(one.exceptions[0], message="other words"),))
    two = crash("com.example.app.C.d")
    filled(
        store,
        walk(LIST, MAIN, LIST, crash=one, ending=Ending.CRASHED),
        walk(LIST, crash=two, ending=Ending.CRASHED),
        walk(LIST, MAIN, crash=again, ending=Ending.CRASHED),
        walk(LIST, MAIN, LIST, MAIN),
    )
    first, second = store.runs.crashes()
    assert (first.crash, first.times, first.episodes, first.shortest) == (one, 2, 2, 3)
    assert (first.first.episode, first.first.step, first.first.events, first.first.seconds) == (0, 3, 4, 10.0)
    assert (second.crash, second.times, second.shortest) == (two, 1, 2)
    assert (second.first.episode, second.first.events, second.first.seconds) == (1, 4 + 2, 20.0)


def test_each_sighting_of_a_crash_keeps_its_own_message(store: Store) -> None:
    one = crash("com.example.app.A.b")
    frames = (Frame("com.example.app.A", "b", "A.java", 7),)
    again = replace(one, exceptions=(replace(one.exceptions[0], message="again \ud801", frames=frames),))
    kept = [walk(LIST, crash=each, ending=Ending.CRASHED) for each in (one, again, one)]
    filled(store, *kept)
    assert [episode.trace for episode in store.runs.iter_episodes(store.runs.all()[0].run_id)] == kept


def test_the_traces_of_a_crash_come_shortest_first_and_end_with_it(store: Store) -> None:
    one = crash("com.example.app.A.b")
    long = walk(LIST, MAIN, LIST, crash=one, ending=Ending.CRASHED)
    goes_on = trace(Step(OPEN, MAIN, LIST, crash=one), Step(BACK, LIST, MAIN))
    middle = walk(LIST, MAIN, crash=one, ending=Ending.CRASHED)
    filled(store, long, goes_on, middle)
    assert list(store.runs.every_trace(one.fingerprint)) == [
        replace(goes_on, steps=goes_on.steps[:2]),
        middle,
        long,
    ]
    assert len(store.runs.shortest_trace(one.fingerprint[:4].upper()).steps) == 2


def test_a_crash_is_found_by_a_beginning_that_no_other_has(store: Store) -> None:
    many = [crash(f"com.example.app.A{number}.b") for number in range(40)]
    filled(store, *(walk(LIST, crash=each, ending=Ending.CRASHED) for each in many))
    with pytest.raises(NotFound, match="no crash 'xyz'; there are: [0-9a-f]{12}, .*, …"):
        store.runs.shortest_trace("xyz")
    with pytest.raises(UsageError, match="'' is the beginning of 40 crashes"):
        store.runs.shortest_trace("")
    with pytest.raises(NotFound):
        store.runs.shortest_trace("%\ud800")
    assert store.runs.shortest_trace(many[7].fingerprint).crash == many[7]


def test_a_crash_is_suspect_until_it_is_seen_without_suspicion(store: Store) -> None:
    one = crash("com.example.app.A.b")
    filled(store, walk(LIST, crash=replace(one, suspect="native code"), ending=Ending.CRASHED))
    (row,) = store.runs.crashes()
    assert row.suspect == row.crash.suspect == "native code"
    run = store.runs.all()[0].run_id
    store.runs.add_episode(run, Episode(1, walk(LIST, crash=one, ending=Ending.CRASHED)))
    (row,) = store.runs.crashes()
    assert row.suspect is None and row.crash.suspect is None
    assert next(store.runs.iter_episodes(run)).trace.crash == replace(one, suspect="native code")


def test_crashes_can_be_asked_of_one_run(store: Store) -> None:
    one, two = crash("com.example.app.A.b"), crash("com.example.app.C.d")
    filled(store, walk(LIST, crash=one, ending=Ending.CRASHED))
    filled(
        store, walk(MAIN), walk(LIST, crash=two, ending=Ending.CRASHED), walk(LIST, crash=one, ending=Ending.CRASHED)
    )
    first, second = (run.run_id for run in store.runs.all())
    assert [row.crash for row in store.runs.crashes(first)] == [one]
    assert [(row.crash, row.times, row.first.run) for row in store.runs.crashes(second)] == [
        (two, 1, second),
        (one, 1, second),
    ]
    assert [(row.crash, row.times) for row in store.runs.crashes()] == [(one, 2), (two, 1)]


def test_coverage_is_the_union_of_all_steps(store: Store) -> None:
    parts = [Coverage(ProbeSet.of([1, 2])), Coverage(ProbeSet.of([2, 9]), ProbeSet.of([3])), Coverage()]
    filled(filled(store, *(walk(LIST, covered=part) for part in parts)), walk(LIST, covered=parts[0]))
    assert store.runs.coverage() == Coverage(ProbeSet.of([1, 2, 9]), ProbeSet.of([3]))
    assert store.runs.coverage(store.runs.all()[1].run_id) == parts[0]


def test_coverage_of_another_build_is_not_mixed_in(store: Store) -> None:
    filled(store, walk(LIST, covered=Coverage(ProbeSet.of([1]))))
    newer = replace(THE_APP, digest="cd" * 32)
    run = store.runs.start(newer, "explore", {})
    store.runs.add_episode(run, Episode(0, walk(LIST, covered=Coverage(ProbeSet.of([2]))), execution=b"newer"))
    assert store.runs.coverage() == Coverage(ProbeSet.of([2]))
    assert list(store.runs.executions()) == [b"newer"]


def test_execution_data_comes_back_in_order(store: Store) -> None:
    run = store.runs.start(THE_APP, "explore", {})
    for number, data in enumerate((b"\xc0\xc0one", None, b"two" * 1000)):
        store.runs.add_episode(run, Episode(number, walk(LIST), execution=data))
    assert list(store.runs.executions(run)) == [b"\xc0\xc0one", b"two" * 1000]


def test_the_probe_map_of_an_app_is_kept(store: Store) -> None:
    probes = ProbeMap(
        (ClassProbes("a.B", "B.java", (MethodProbe(0, "b", "()V", 3),), (LineProbe(0, 3),), (BranchProbe(1, 4, 0),)),)
    )
    assert store.runs.load_probe_map(APP, "app") is None
    store.runs.save_probe_map(APP, "app", probes)
    store.runs.save_probe_map(APP, "all", ProbeMap())
    assert store.runs.load_probe_map(APP, "app") == probes
    assert store.runs.load_probe_map(APP, "all") == ProbeMap()
    assert store.runs.load_probe_map(replace(APP, digest="cd" * 32), "app") is None


def test_the_graph_has_every_state_and_transition_with_its_count(store: Store) -> None:
    one = crash("com.example.app.A.b")
    filled(store, walk(LIST, MAIN, LIST), walk(LIST, MAIN, UNSEEN, crash=one, ending=Ending.CRASHED))
    graph = store.runs.graph()
    assert [(row.state, row.visits, row.activity, row.screen) for row in graph.states] == [
        (HERE, 4, "com.example.app.Main", MAIN.digest()),
        (THERE, 3, "com.example.app.List", LIST.digest()),
    ]
    assert [(row.source, row.target, row.count, row.event, row.crashes) for row in graph.transitions] == [
        (HERE, THERE, 3, "Tap (50, 25)", 0),
        (THERE, HERE, 2, "Press Back", 0),
        (HERE, None, 1, "Press Back", 1),
    ]


def test_a_screen_is_found_by_its_digest(store: Store) -> None:
    filled(store, walk(LIST))
    assert store.runs.screen(LIST.digest()) == LIST
    for digest in ("ab" * 16, "no digest", "\ud800"):
        with pytest.raises(NotFound, match="there is no screen"):
            store.runs.screen(digest)


def test_screens_of_one_page_are_one_state(store: Store) -> None:
    box = CLICKABLE | WidgetFlags.EDITABLE
    empty, typed = (screen(widget(text, flags=box)) for text in ("", "typed"))
    filled(store, walk(empty, typed, empty))
    states = {row.state: row.visits for row in store.runs.graph().states}
    assert states == {HERE: 1, page_state(empty): 3}


def test_the_graph_of_one_run_leaves_out_the_others(store: Store) -> None:
    filled(filled(store, walk(LIST, MAIN)), walk(MAIN))
    first, second = (run.run_id for run in store.runs.all())
    assert len(store.runs.graph(first).states) == 2
    assert [row.visits for row in store.runs.graph(second).states] == [2]
    assert [row.visits for row in store.runs.graph().states] == [4, 1]


def test_totals_are_the_sums_over_all_runs(store: Store) -> None:
    filled(store, walk(LIST), walk(LIST, MAIN))
    run = store.runs.start(THE_APP, "explore", {})
    store.runs.add_episode(run, Episode(0, walk(LIST, MAIN), replayed=1), seconds=3)
    totals = store.runs.totals()
    assert (totals.episodes, totals.events, totals.replayed, totals.seconds) == (3, 8, 1, 23)
    assert store.runs.totals(run).events == 3

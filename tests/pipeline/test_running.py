"""A whole run on the simulated device: what is found, reduced and replayed, and that nothing is done twice."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kept import count_kept, episodes_in

from fewtaps.config import DeviceSettings, ExploreLimits, ExploreSettings, RunSettings
from fewtaps.device.jobs import StopSignal
from fewtaps.device.pool import SessionPool
from fewtaps.device.simulated.program import Phone, Program, Throw, View
from fewtaps.errors import DeviceLost, NotReproduced, UsageError
from fewtaps.explore.loop import run_episode
from fewtaps.model.episode import Episode
from fewtaps.model.event import Event
from fewtaps.model.exploration_end import EndKind, ExplorationEnd
from fewtaps.model.goal import SameCrash
from fewtaps.model.result import Reproduction
from fewtaps.model.trace import Aim, Trace
from fewtaps.pipeline import crash_queue, running
from fewtaps.pipeline.cases import Case
from fewtaps.pipeline.exploring import explore_app
from fewtaps.pipeline.news import (
    CandidateRun,
    CrashFound,
    CrashGivenUp,
    CrashReplayed,
    CrashWorkDone,
    CrashWorkStarted,
    DeviceOpening,
    EpisodeKept,
    ExploringStarted,
    News,
    StepSeen,
)
from fewtaps.pipeline.opening import open_app
from fewtaps.pipeline.playing import Play
from fewtaps.pipeline.reducing import reduce_with
from fewtaps.pipeline.reduction_job import Reduced, ReductionContext, ReductionJob
from fewtaps.pipeline.replaying import replay_in_worlds
from fewtaps.pipeline.running import Ran, run_app
from fewtaps.pipeline.time_shares import TimeShares
from fewtaps.replay import reproduce
from fewtaps.store.database import Store, open_store

EVENTS = 200
MINIMA = {"java.lang.System.exit": 1, "ANR": 1, "java.lang.NumberFormatException: empty title": 2}
"""The crashes of the simulated notes, and the fewest steps to each; how many are found is for others to test."""


def settings_for(folder: Path, **changes: object) -> RunSettings:
    """Without a suite at the end, which takes as long as all the rest; test_run_suites.py has those runs."""
    values: dict[str, object] = {"events": EVENTS, "minutes": 60, "jobs": 1, "makes_suite": False, **changes}
    return RunSettings(folder, **values)  # type: ignore[arg-type]


class Listener:
    """Remembers the news, in order and in words."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def __call__(self, news: News) -> None:
        match news:
            case DeviceOpening():
                self.heard.append("opening")
            case ExploringStarted():
                self.heard.append("exploring")
            case EpisodeKept():
                self.heard.append("episode")
            case CrashFound(crash):
                self.heard.append(f"crash {crash.fingerprint}")
            case CrashWorkStarted(case):
                self.heard.append(f"reducing {case.row.fingerprint}")
            case CrashWorkDone(case):
                self.heard.append(f"done {case.row.fingerprint}")
            case CrashGivenUp(case, error):
                self.heard.append(f"given up {case.row.fingerprint}: {error}")

    @property
    def work(self) -> list[str]:
        """What was heard, episodes left out."""
        return [words for words in self.heard if words != "episode"]


def found(ran: Ran) -> list[tuple[str, int, bool, Reproduction | None]]:
    """What is to be the same however a run came to its end."""
    return [(case.row.fingerprint, case.steps, case.is_reduced, case.reproduction) for case in ran.cases]


@pytest.mark.slow
def test_every_crash_is_reduced_to_its_known_minimum_and_replayed(tmp_path: Path) -> None:
    ran = run_app("sim:notes", settings_for(tmp_path))
    steps = {case.row.crash.summary: case.steps for case in ran.cases}
    assert len(steps) >= 2 and steps.items() <= MINIMA.items()
    assert {case.reproduction for case in ran.cases} == {Reproduction(20, 20)}
    assert all(case.is_reduced and case.is_minimal for case in ran.cases)
    assert ran.explored.end == ExplorationEnd(EndKind.EVENTS_USED, EVENTS)


@pytest.mark.slow
def test_a_flaky_crash_gets_the_rate_that_replaying_it_gives(tmp_path: Path) -> None:
    (case,) = run_app("sim:feed", settings_for(tmp_path)).cases
    assert case.is_flaky and len(case.replays) >= 20
    with open_app("sim:feed", DeviceSettings()) as opened:
        rate = reproduce(opened.session, case.trace.events, SameCrash(case.row.crash.signature), sorted(case.replays))
    assert case.reproduction == rate


@pytest.mark.slow
def test_a_crash_is_worked_on_as_soon_as_it_is_found(tmp_path: Path) -> None:
    listener = Listener()
    ran = run_app("sim:bill", settings_for(tmp_path, width=1), listener)
    crashes = [case.row.fingerprint for case in ran.cases]
    assert len(crashes) > 1
    for name in crashes:
        place = listener.work.index(f"crash {name}")
        assert listener.work[place + 1 : place + 3] == [f"reducing {name}", f"done {name}"]
    assert listener.heard[:2] == ["opening", "exploring"]


@pytest.mark.slow
def test_no_more_episodes_than_were_planned_come_between_a_crash_and_the_work_on_it(tmp_path: Path) -> None:
    listener = Listener()
    run_app("sim:bill", settings_for(tmp_path, width=4), listener)
    first = next(place for place, words in enumerate(listener.heard) if words.startswith("crash"))
    work = next(place for place, words in enumerate(listener.heard) if words.startswith("reducing"))
    assert listener.heard[first:work].count("episode") <= 4


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_the_time_that_is_used_is_kept_in_every_stage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    ticks = count(0.0, 0.25)
    monkeypatch.setattr(
        running, "TimeShares", lambda seconds, **options: TimeShares(seconds, clock=lambda: next(ticks), **options)
    )
    noted: dict[str, list[float]] = {"exploring": [], "run": [], "replaying": []}

    def read(news: News) -> None:
        """Reads from the store what another process would."""
        match news:
            case EpisodeKept():
                noted["exploring"].append(time_used(tmp_path))
            case CandidateRun():
                noted["run"].append(time_used(tmp_path))
            case CrashReplayed():
                noted["replaying"].append(time_used(tmp_path))

    run_app("sim:bill", settings_for(tmp_path, jobs=jobs), read)
    for values in noted.values():
        assert values == sorted(values) and len(set(values)) > 3
    assert time_used(tmp_path) > max(noted["replaying"])


def time_used(folder: Path) -> float:
    with open_store(folder) as store:
        return store.runs.parts(store.runs.all()[-1].run_id)[-1].seconds_used or 0.0


@pytest.mark.slow
def test_a_run_does_the_same_whether_it_is_shown_or_not(tmp_path: Path) -> None:
    shown = run_app("sim:bill", settings_for(tmp_path / "shown"), Listener())
    silent = run_app("sim:bill", settings_for(tmp_path / "silent"))
    assert found(shown) == found(silent)
    assert episodes_in(tmp_path / "shown") == episodes_in(tmp_path / "silent")


@pytest.mark.slow
def test_the_exploration_is_the_one_that_explore_makes(tmp_path: Path) -> None:
    run_app("sim:bill", settings_for(tmp_path / "run"))
    limits = ExploreLimits(events=EVENTS, minutes=60)
    explore_app("sim:bill", ExploreSettings(tmp_path / "explore", limits=limits))
    assert episodes_in(tmp_path / "run") == episodes_in(tmp_path / "explore")


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 3])
def test_several_devices_find_and_reduce_as_well(tmp_path: Path, jobs: int) -> None:
    ran = run_app("sim:notes", settings_for(tmp_path, jobs=jobs))
    steps = {case.row.crash.summary: case.steps for case in ran.cases}
    assert len(steps) >= 2 and steps.items() <= MINIMA.items()
    assert {case.reproduction for case in ran.cases} == {Reproduction(20, 20)}


@pytest.mark.slow
def test_a_run_again_opens_no_device_when_nothing_is_left_to_do(tmp_path: Path) -> None:
    first = run_app("sim:bill", settings_for(tmp_path))
    listener = Listener()
    again = run_app("sim:bill", settings_for(tmp_path), listener)
    assert listener.heard == []
    assert found(again) == found(first)


@pytest.mark.slow
def test_an_app_with_nothing_more_to_show_ends_the_run_for_good(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, events=None, patience=300)
    ran = run_app("sim:feed", settings)
    assert ran.explored.end.kind is EndKind.NOTHING_NEW
    listener = Listener()
    assert run_app("sim:feed", settings, listener).explored.end == ran.explored.end
    assert listener.heard == []


@pytest.mark.slow
def test_a_run_goes_on_with_what_explore_and_reduce_left(tmp_path: Path) -> None:
    explore_app("sim:bill", ExploreSettings(tmp_path, limits=ExploreLimits(events=300), seed=7))
    listener = Listener()
    ran = run_app("sim:bill", settings_for(tmp_path, events=300), listener)
    assert "exploring" not in listener.heard
    assert ran.cases and all(case.is_reduced for case in ran.cases)


@pytest.mark.slow
def test_a_shorter_trace_than_the_reduced_one_is_reduced_again(tmp_path: Path) -> None:
    ran = run_app("sim:bill", settings_for(tmp_path))
    shortest = min(ran.cases, key=lambda case: case.steps)
    with open_store(tmp_path, write=True) as store:
        rows = [row for row in store.results.reductions() if row.crash == shortest.row.crash.signature]
        store.results.save_reduction(shortest.trace.app, replace(rows[0], after=shortest.row.shortest + 5))
    listener = Listener()
    run_app("sim:bill", settings_for(tmp_path), listener)
    assert f"done {shortest.row.fingerprint}" in listener.heard


def test_an_app_that_crashes_at_launch_is_a_crash_of_no_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(phone: Phone) -> None:
        raise Throw("java.lang.IllegalStateException", "no")

    program = Program("com.example.stillborn", [View("Main")], on_create=fail)
    monkeypatch.setattr("fewtaps.device.simulated.samples.SAMPLES", (program,))
    ran = run_app("sim:stillborn", settings_for(tmp_path))
    assert ran.explored.end == ExplorationEnd(EndKind.CRASHES_AT_LAUNCH)
    (case,) = ran.cases
    assert (case.found, case.steps, case.is_reduced, case.reproduction) == (0, 0, True, Reproduction(20, 20))
    listener = Listener()
    run_app("sim:stillborn", settings_for(tmp_path), listener)
    assert listener.heard == []


class Impatient(Listener):
    """Interrupts after so many things that it hears of."""

    def __init__(self, patience: int) -> None:
        super().__init__()
        self.left = patience

    def __call__(self, news: News) -> None:
        self.left -= isinstance(news, StepSeen | CandidateRun | CrashReplayed)
        if self.left == 0:
            raise KeyboardInterrupt


@pytest.mark.slow
@settings(max_examples=6)
@given(st.lists(st.integers(1, 200), min_size=1, max_size=3))
def test_a_run_that_was_interrupted_and_goes_on_ends_as_one_that_was_not(breaks: list[int]) -> None:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as place:
        whole = run_app("sim:bill", settings_for(Path(place) / "whole"))
        broken = settings_for(Path(place) / "broken")
        for patience in breaks:
            ran = run_app("sim:bill", broken, Impatient(patience))
            assert ran.is_interrupted or found(ran) == found(whole)
        assert found(run_app("sim:bill", broken)) == found(whole)


def test_what_was_found_before_an_interruption_is_told(tmp_path: Path) -> None:
    def interrupt_after_one(news: News) -> None:
        if isinstance(news, CrashWorkDone):
            raise KeyboardInterrupt

    ran = run_app("sim:bill", settings_for(tmp_path, width=1), interrupt_after_one)
    assert ran.is_interrupted
    assert [case.is_reduced for case in ran.cases] == [True]


@pytest.mark.slow
def test_killed_at_random_moments_it_goes_on_to_the_same_end(tmp_path: Path) -> None:
    whole = run_app("sim:bill", settings_for(tmp_path / "whole"))
    chance = random.Random(7)
    broken = tmp_path / "broken"
    command = [
        sys.executable,
        "-m",
        "fewtaps",
        "run",
        "sim:bill",
        "-o",
        str(broken),
        "-j",
        "1",
        "--events",
        str(EVENTS),
    ]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for number in range(4):
        child = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            deadline = time.monotonic() + 120
            while child.poll() is None and count_kept(broken) <= number and time.monotonic() < deadline:
                time.sleep(0.005)
            time.sleep(chance.random() * 0.3)
        finally:
            child.send_signal(signal.SIGKILL)
            child.wait()
    assert found(run_app("sim:bill", settings_for(broken))) == found(whole)


@pytest.mark.slow
def test_suspect_crashes_wait_until_the_others_are_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def doubted(*arguments: object) -> Episode:
        episode = run_episode(*arguments)  # type: ignore[arg-type]
        steps = tuple(
            replace(step, crash=replace(step.crash, suspect="no such library"))
            if step.crash is not None and step.crash.summary == "java.lang.System.exit"
            else step
            for step in episode.trace.steps
        )
        return replace(episode, trace=replace(episode.trace, steps=steps))

    monkeypatch.setattr("fewtaps.explore.jobs.run_episode", doubted)
    listener = Listener()
    ran = run_app("sim:notes", settings_for(tmp_path), listener)
    (suspect,) = (case for case in ran.cases if case.is_suspect)
    done = [words for words in listener.heard if words.startswith("done")]
    assert len(done) == len(ran.cases) >= 2 and done[-1] == f"done {suspect.row.fingerprint}"
    assert listener.heard.index(f"crash {suspect.row.fingerprint}") < len(listener.heard) - 2


@pytest.mark.slow
def test_what_takes_long_to_replay_waits_until_the_others_are_done(tmp_path: Path) -> None:
    listener = Listener()
    ran = run_app("sim:notes", settings_for(tmp_path), listener)
    (hang,) = (case for case in ran.cases if case.row.crash.is_slow)
    done = [words for words in listener.heard if words.startswith("done")]
    assert len(done) == len(ran.cases) >= 2 and done[-1] == f"done {hang.row.fingerprint}"
    # Exploring went on after the episode in which it was found.
    after = listener.heard[listener.heard.index(f"crash {hang.row.fingerprint}") :]
    assert after[: after.index(f"reducing {hang.row.fingerprint}")].count("episode") > 1


@pytest.mark.slow
def test_a_hang_is_not_begun_with_when_the_time_is_nearly_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TimeShares, "for_waiting", lambda self, waiting, *, keep: self.least_for_slow)
    cases = run_app("sim:notes", settings_for(tmp_path)).cases
    assert {case.is_reduced for case in cases if case.row.crash.is_slow} == {False}
    assert {case.is_reduced for case in cases if not case.row.crash.is_slow} == {True}
    monkeypatch.undo()
    assert all(case.is_reduced for case in run_app("sim:notes", settings_for(tmp_path)).cases)


@pytest.mark.slow
def test_a_hang_whose_time_is_up_when_it_is_reduced_is_replayed_by_the_next_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reduce, work_on, clock = crash_queue.CrashQueue._reduce, crash_queue.CrashQueue.work_on, time.monotonic
    replays: dict[bool, list[int]] = {True: [], False: []}

    def overlong(self: crash_queue.CrashQueue, *rest: object) -> None:
        reduce(self, *rest)  # type: ignore[arg-type]
        monkeypatch.setattr(time, "monotonic", lambda: clock() + 1e6)

    def watched(self: crash_queue.CrashQueue, pool: object, case: Case, *rest: object, **named: bool) -> None:
        work_on(self, pool, case, *rest, **named)  # type: ignore[arg-type]
        monkeypatch.setattr(time, "monotonic", clock)
        replays[case.row.crash.is_slow].append(len(self._again(case.row.fingerprint).replays))

    monkeypatch.setattr(crash_queue.CrashQueue, "_reduce", overlong)
    monkeypatch.setattr(crash_queue.CrashQueue, "work_on", watched)
    run_app("sim:notes", settings_for(tmp_path))
    assert replays[True] == [0]
    assert replays[False][0] >= 1, "others are replayed once whatever the time"
    monkeypatch.undo()
    assert {case.reproduction for case in run_app("sim:notes", settings_for(tmp_path)).cases} == {Reproduction(20, 20)}


@pytest.mark.slow
def test_a_crash_that_does_not_replay_is_said_and_not_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[str] = []

    def never(job: ReductionJob, context: ReductionContext) -> None:
        tries.append(job.name)
        raise NotReproduced("the original does not meet the goal")

    monkeypatch.setattr(crash_queue, "reduce_with", never)
    listener = Listener()
    (case,) = run_app("sim:feed", settings_for(tmp_path), listener).cases
    assert not case.is_reduced
    assert f"given up {case.row.fingerprint}: the original does not meet the goal" in listener.heard
    # What was found since was not tried yet; then there is nothing left to try.
    (case,) = run_app("sim:feed", settings_for(tmp_path)).cases
    assert case.is_lost
    before = len(tries)
    assert run_app("sim:feed", settings_for(tmp_path)).cases == (case,)
    assert len(tries) == before


@pytest.mark.slow
def test_a_device_that_dies_of_one_crash_is_no_end_of_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    victims: list[str] = []

    def dying(job: ReductionJob, context: ReductionContext) -> Reduced:
        if not victims or victims[0] == job.name:
            victims.append(job.name)
            raise DeviceLost("the cable was pulled")
        return reduce_with(job, context)

    monkeypatch.setattr(crash_queue, "reduce_with", dying)
    listener = Listener()
    ran = run_app("sim:notes", settings_for(tmp_path), listener)
    assert ran.failure is None
    others = [case for case in ran.cases if case.row.fingerprint != victims[0]]
    assert others and all(case.is_reduced for case in others)
    assert f"given up {victims[0]}: the cable was pulled" in listener.heard


def test_devices_that_only_die_are_told_with_what_was_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def dying(session: object, episode_plan: object, *rest: object) -> Episode:
        if getattr(episode_plan, "number", 0) > 5:
            raise DeviceLost("no power")
        return run_episode(session, episode_plan, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr("fewtaps.explore.jobs.run_episode", dying)
    ran = run_app("sim:bill", settings_for(tmp_path))
    assert isinstance(ran.failure, DeviceLost)
    assert ran.cases


@pytest.mark.slow
def test_little_time_leaves_crashes_unreduced_and_the_next_run_reduces_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("fewtaps.pipeline.time_shares.TimeShares.for_new_crash", lambda self: 0.0)
        patch.setattr("fewtaps.pipeline.time_shares.TimeShares.for_waiting", lambda self, waiting, keep: 0.0)
        ran = run_app("sim:bill", settings_for(tmp_path))
        assert ran.cases and not any(case.is_begun for case in ran.cases)
    again = run_app("sim:bill", settings_for(tmp_path))
    assert len(again.cases) == len(ran.cases) and all(case.is_reduced for case in again.cases)


@pytest.mark.slow
def test_what_could_not_be_reduced_to_the_end_is_replayed_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings_of = crash_queue.CrashQueue._reduce_settings
    with monkeypatch.context() as patch:
        patch.setattr(crash_queue.CrashQueue, "_reduce_settings", lambda *given: replace(settings_of(*given), runs=1))
        ran = run_app("sim:notes", settings_for(tmp_path))
        assert ran.cases and not any(case.is_reduced for case in ran.cases)
        assert {case.reproduction for case in ran.cases} == {Reproduction(20, 20)}
    assert all(case.is_reduced for case in run_app("sim:notes", settings_for(tmp_path)).cases)


@pytest.mark.slow
def test_a_crash_in_which_luck_has_a_part_is_reduced_by_repeated_runs_in_many_worlds(tmp_path: Path) -> None:
    (case,) = run_app("sim:feed", settings_for(tmp_path)).cases
    assert case.is_repeated and case.is_reduced
    assert case.reproduction is not None and case.reproduction.runs >= 20
    listener = Listener()
    assert run_app("sim:feed", settings_for(tmp_path), listener).cases == (case,)
    assert listener.heard == []


@pytest.mark.slow
def test_a_crash_reduced_by_coordinates_and_then_by_its_rate_is_played_by_coordinates_throughout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reductions: list[tuple[Aim, bool]] = []
    played: list[Aim] = []

    def without_selectors(job: ReductionJob, context: ReductionContext) -> Reduced:
        if job.aim is Aim.SELECTOR:
            raise NotReproduced("the selectors find nothing")
        reduced = reduce_with(job, context)
        reductions.append((job.aim, reduced.repeated is not None))
        return reduced

    def picture(store: Store, pool: SessionPool, trace: Trace, *, by: Aim, should_stop: StopSignal) -> None:
        played.append(by)

    def replay(
        pool: SessionPool, events: tuple[Event, ...], worlds: list[int], aim: Aim, should_stop: StopSignal
    ) -> Iterator[Play]:
        played.append(aim)
        return replay_in_worlds(pool, events, worlds, aim, should_stop)

    monkeypatch.setattr(crash_queue, "reduce_with", without_selectors)
    monkeypatch.setattr(crash_queue, "picture_steps", picture)
    monkeypatch.setattr(crash_queue, "replay_in_worlds", replay)
    (case,) = run_app("sim:feed", settings_for(tmp_path)).cases
    assert reductions == [(Aim.COORDINATES, False), (Aim.COORDINATES, True)]
    assert case.is_repeated and case.aim is Aim.COORDINATES
    before = len(played)
    more = len(case.replays) + 5
    (case,) = run_app("sim:feed", settings_for(tmp_path, worlds=more)).cases
    assert len(case.replays) == more
    assert len(played) > before > 2 and set(played) == {Aim.COORDINATES}


PRELUDE = (
    '{"fewtaps":"trace","version":1,"app":{"package":"com.example.bill"},"world":0,"profile":"default"}\n'
    '{"event":{"kind":"launch"}}\n{"event":{"kind":"tap","x":0,"y":0,"selector":{"text":"About"}}}\n'
)


@pytest.mark.slow
def test_the_same_prelude_again_goes_on_and_another_is_refused(tmp_path: Path) -> None:
    prelude = tmp_path / "prelude.jsonl"
    prelude.write_text(PRELUDE)
    run_app("sim:bill", settings_for(tmp_path / "p", prelude=prelude, events=50))
    assert run_app("sim:bill", settings_for(tmp_path / "p", prelude=prelude, events=90)).explored.progress.events == 90
    prelude.write_text(PRELUDE.replace("About", "Split"))
    with pytest.raises(UsageError, match="--prelude: .* was explored with another prelude"):
        run_app("sim:bill", settings_for(tmp_path / "p", prelude=prelude))


@pytest.mark.slow
def test_another_build_of_the_app_is_explored_reduced_and_replayed_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = run_app("sim:notes", settings_for(tmp_path))
    app = vars(Program)["app"].fget
    monkeypatch.setattr(Program, "app", property(lambda program: replace(app(program), version_name="2")))
    listener = Listener()
    second = run_app("sim:notes", settings_for(tmp_path), listener)
    assert found(second) == found(first)
    assert {case.trace.app.version for case in second.cases} == {"2"}
    assert sum(words.startswith("done") for words in listener.heard) == len(first.cases)


def test_a_folder_of_another_app_is_refused(tmp_path: Path) -> None:
    run_app("sim:bill", settings_for(tmp_path, events=20))
    with pytest.raises(UsageError, match="belongs to com.example.bill"):
        run_app("sim:feed", settings_for(tmp_path))

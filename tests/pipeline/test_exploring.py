"""Exploration through the store, on the simulated device: what is kept, what is repeated, when it ends."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kept import count_kept, episodes_in, wait_for_more

from fewtaps.config import DEFAULT_WIDTH, ExploreLimits, ExploreSettings
from fewtaps.device.jobs import JobContext
from fewtaps.device.session import Session
from fewtaps.errors import DeviceLost, UsageError
from fewtaps.explore.episode_plan import EpisodePlan
from fewtaps.explore.jobs import EpisodeOutcome, RunEpisode
from fewtaps.explore.loop import run_episode
from fewtaps.model.crash import Crash
from fewtaps.model.episode import Episode, EpisodeEnd
from fewtaps.model.exploration_end import EndKind, ExplorationEnd
from fewtaps.pipeline.exploring import ExplorationDriver, explore_app
from fewtaps.pipeline.news import AppOpened, CrashFound, EpisodeFailed, EpisodeKept, ExplorationProgress, News, StepSeen
from fewtaps.pipeline.opening import plan_app
from fewtaps.pipeline.plan_pools import open_plan_pool
from fewtaps.pipeline.resuming import open_exploration
from fewtaps.store.database import open_store


def settings_for(folder: Path, **changes: object) -> ExploreSettings:
    values: dict[str, object] = {"limits": ExploreLimits(events=600), "strategy": "timemachine", **changes}
    return ExploreSettings(folder, **values)  # type: ignore[arg-type]


def test_every_episode_is_kept_in_order(tmp_path: Path) -> None:
    explored = explore_app("sim:bill", settings_for(tmp_path / "a"))
    episodes = episodes_in(tmp_path / "a")
    assert [episode.number for episode in episodes] == list(range(len(episodes)))
    assert sum(episode.events for episode in episodes) == explored.progress.events == 600
    assert explored.end == ExplorationEnd(EndKind.EVENTS_USED, 600)
    assert explored.progress.crashes == len(explored.new) == 1


@pytest.mark.parametrize("width", [1, 8])
def test_the_same_seed_and_width_repeat_the_whole_exploration(tmp_path: Path, width: int) -> None:
    for name in ("a", "b"):
        explore_app("sim:bill", settings_for(tmp_path / name, width=width, pictures=False))
    assert episodes_in(tmp_path / "a") == episodes_in(tmp_path / "b")


@pytest.fixture(scope="module")
def of_one_device(tmp_path_factory: pytest.TempPathFactory) -> list[Episode]:
    """The episodes of one device with the default width, given as a number."""
    folder = tmp_path_factory.mktemp("one")
    explore_app("sim:bill", settings_for(folder, jobs=1, width=DEFAULT_WIDTH, strategy="frontier", pictures=False))
    return episodes_in(folder)


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [2, 3, 8])
def test_any_number_of_devices_makes_the_same_exploration(
    tmp_path: Path, jobs: int, of_one_device: list[Episode]
) -> None:
    explore_app("sim:bill", settings_for(tmp_path, jobs=jobs, width=DEFAULT_WIDTH, strategy="frontier", pictures=False))
    assert episodes_in(tmp_path) == of_one_device


@pytest.mark.slow
def test_by_default_one_device_and_two_make_the_same_exploration(tmp_path: Path, of_one_device: list[Episode]) -> None:
    for jobs in (None, 1, 2):
        folder = tmp_path / str(jobs)
        explore_app("sim:bill", settings_for(folder, jobs=jobs, strategy="frontier", pictures=False))
        with open_store(folder) as store:
            assert store.runs.all()[-1].settings["width"] == DEFAULT_WIDTH
        assert episodes_in(folder) == of_one_device


@pytest.mark.slow
def test_another_width_is_another_exploration(tmp_path: Path, of_one_device: list[Episode]) -> None:
    explore_app("sim:bill", settings_for(tmp_path, jobs=1, width=1, strategy="frontier", pictures=False))
    assert episodes_in(tmp_path) != of_one_device


@pytest.mark.slow
def test_the_width_is_kept_with_the_run_and_holds_when_it_is_resumed(tmp_path: Path) -> None:
    limits = ExploreLimits(events=100)
    explore_app("sim:bill", settings_for(tmp_path, width=3, strategy="frontier", limits=limits))
    resumed = ExploreSettings(tmp_path, limits=ExploreLimits(events=300), resume=True)
    explored = explore_app("sim:bill", resumed)
    assert explored.progress.events == 300
    with open_store(tmp_path) as store:
        assert store.runs.all()[-1].settings["width"] == 3
    with pytest.raises(UsageError, match="--width: the exploration was begun with 3, not with 5"):
        explore_app("sim:bill", replace(resumed, width=5))


def test_an_exploration_of_width_1_goes_on_with_one_device_and_says_so(tmp_path: Path) -> None:
    explore_app("sim:bill", settings_for(tmp_path, width=1, limits=ExploreLimits(events=100)))
    notes: list[str] = []

    def note(news: News) -> None:
        if isinstance(news, AppOpened):
            notes.extend(news.notes)

    explore_app("sim:bill", ExploreSettings(tmp_path, limits=ExploreLimits(events=200), resume=True, jobs=2), note)
    assert notes == ["the exploration was begun with --width 1, which keeps no more devices busy"]


def test_more_devices_than_the_width_keeps_busy_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--width 2 keeps 2 devices busy at most$"):
        settings_for(tmp_path, width=2, jobs=3)
    many = DEFAULT_WIDTH + 1
    with pytest.raises(UsageError, match=f"{DEFAULT_WIDTH} devices busy at most; add --width {many}$"):
        settings_for(tmp_path, jobs=many)


def test_as_many_devices_as_the_kept_width_go_on_although_the_default_width_is_smaller(tmp_path: Path) -> None:
    many = DEFAULT_WIDTH + 1
    explore_app("sim:bill", settings_for(tmp_path, width=many, limits=ExploreLimits(events=100)))
    resumed = ExploreSettings(tmp_path, limits=ExploreLimits(events=200), resume=True, jobs=many)
    assert explore_app("sim:bill", resumed).progress.events == 200


def test_two_devices_work_at_once_as_long_as_both_have_events_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = threading.Barrier(2)

    def together(session, episode_plan, *rest):  # type: ignore[no-untyped-def]
        if episode_plan.number < 2:
            both.wait(120)
        return run_episode(session, episode_plan, *rest)

    monkeypatch.setattr("fewtaps.explore.jobs.run_episode", together)
    limits = ExploreLimits(events=700)
    explored = explore_app("sim:bill", settings_for(tmp_path, jobs=2, pictures=False, limits=limits))
    assert explored.progress.events == sum(episode.events for episode in episodes_in(tmp_path)) == 700


def test_an_episode_that_is_put_off_while_the_next_one_is_played_is_kept_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = RunEpisode.run
    put_off: list[EpisodePlan] = []

    def once(job: RunEpisode, session: Session, context: JobContext) -> EpisodeOutcome:
        plan = job.plan
        if plan.number == 1 and not put_off:
            put_off.append(plan)
            return EpisodeOutcome(plan.number, plan.world, job.allowed, plan.phone, put_off=plan)
        return run(job, session, context)

    monkeypatch.setattr(RunEpisode, "run", once)
    explored = explore_app(
        "sim:bill", settings_for(tmp_path, width=3, pictures=False, limits=ExploreLimits(events=1500))
    )
    numbers = [episode.number for episode in episodes_in(tmp_path)]
    assert put_off and numbers == list(range(len(numbers)))
    assert explored.progress.events == 1500


class FirstEpisode:
    """Remembers how far it is after the first episode."""

    progress: ExplorationProgress | None = None

    def __call__(self, news: News) -> None:
        if isinstance(news, EpisodeKept):
            self.progress = self.progress or news.progress


@pytest.mark.parametrize("jobs", [1, 3])
def test_what_an_episode_saw_is_told_at_once_although_it_is_learned_from_in_its_turn(tmp_path: Path, jobs: int) -> None:
    first = FirstEpisode()
    explored = explore_app("sim:bill", settings_for(tmp_path, jobs=jobs, pictures=False), first)
    told = first.progress
    assert told is not None and told.states > 0 and told.lines > 0 and told.activities == 1
    assert explored.progress.states >= told.states


@pytest.mark.slow
def test_another_seed_is_another_exploration(tmp_path: Path) -> None:
    for seed in (1, 2):
        explore_app("sim:bill", settings_for(tmp_path / str(seed), seed=seed))
    assert episodes_in(tmp_path / "1") != episodes_in(tmp_path / "2")


class Impatient:
    """Ends the program in the middle of an episode, as Ctrl-C would."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def __call__(self, news: News) -> None:
        self.left -= isinstance(news, StepSeen)
        if self.left == 0:
            raise KeyboardInterrupt


@pytest.mark.slow
@settings(max_examples=16)
@given(st.lists(st.integers(1, 400), min_size=1, max_size=4), st.sampled_from([1, 3, 8]))
def test_an_exploration_that_was_interrupted_and_resumed_equals_one_that_was_not(breaks: list[int], width: int) -> None:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as place:
        whole, broken = Path(place) / "whole", Path(place) / "broken"
        explore_app("sim:bill", settings_for(whole, width=width))
        for number, steps in enumerate(breaks):
            try:
                explore_app("sim:bill", settings_for(broken, width=width, resume=number > 0), Impatient(steps))
            except KeyboardInterrupt:
                continue
        explore_app("sim:bill", settings_for(broken, width=width, resume=True))
        assert episodes_in(broken) == episodes_in(whole)


def explore_with_pauses(folder: Path, pauses: list[int], jobs: int) -> None:
    """Explores to the end with a pause whenever so many more episodes are kept."""
    given = settings_for(folder, jobs=jobs, width=8, pictures=False, limits=ExploreLimits(events=2000))
    plan = plan_app("sim:bill", given.device)
    with open_exploration(plan, given) as (store, resumed), open_plan_pool(plan, size=jobs, width=8) as pool:
        driver = ExplorationDriver(plan, resumed, store)
        for episodes in (*pauses, sys.maxsize):
            kept: list[EpisodeKept] = []
            for outcome in driver.outcomes(pool, lambda kept=kept, most=episodes: len(kept) >= most):  # type: ignore[misc]
                kept.append(driver.keep(outcome))


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_episodes_that_a_pause_put_off_are_played_after_it_with_the_same_result(
    tmp_path: Path, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_off: list[int] = []
    is_slow = False

    def watched(job: RunEpisode, session: Session, context: JobContext) -> EpisodeOutcome:
        if is_slow:
            # The episode before is kept, and the pause asked for, before this one begins.
            time.sleep(0.03)
        outcome = run(job, session, context)
        if outcome.put_off is not None:
            put_off.append(outcome.number)
        return outcome

    run = RunEpisode.run
    monkeypatch.setattr(RunEpisode, "run", watched)
    limits = ExploreLimits(events=2000)
    explore_app("sim:bill", settings_for(tmp_path / "whole", width=8, pictures=False, limits=limits))
    assert not put_off
    is_slow = True
    explore_with_pauses(tmp_path / "paused", [1, 3, 2], jobs)
    assert put_off or jobs > 1, "two devices may have begun all that was planned"
    assert episodes_in(tmp_path / "paused") == episodes_in(tmp_path / "whole")


@pytest.mark.slow
@pytest.mark.parametrize("width", [1, 8])
def test_a_limit_on_events_changes_nothing_but_the_end(tmp_path: Path, width: int) -> None:
    for events in (700, 2000):
        limits = ExploreLimits(events=events)
        explore_app("sim:bill", settings_for(tmp_path / str(events), width=width, limits=limits, pictures=False))
    short, long = episodes_in(tmp_path / "700"), episodes_in(tmp_path / "2000")
    assert short[:-1] == long[: len(short) - 1]
    assert short[-1].trace.steps == long[len(short) - 1].trace.steps[: len(short[-1].trace.steps)]


def test_resuming_keeps_the_settings_it_was_begun_with(tmp_path: Path) -> None:
    explore_app("sim:bill", settings_for(tmp_path, seed=7, limits=ExploreLimits(events=50)))
    resumed = ExploreSettings(tmp_path, limits=ExploreLimits(events=200), resume=True)
    assert explore_app("sim:bill", resumed).progress.events == 200
    whole = tmp_path / "whole"
    explore_app("sim:bill", settings_for(whole, seed=7, limits=ExploreLimits(events=50)))
    assert episodes_in(tmp_path)[0] == episodes_in(whole)[0]
    with pytest.raises(UsageError, match="--seed: the exploration was begun with 7, not with 9"):
        explore_app("sim:bill", replace(resumed, seed=9))


def test_a_folder_of_another_app_is_refused(tmp_path: Path) -> None:
    explore_app("sim:bill", settings_for(tmp_path))
    with pytest.raises(UsageError, match="belongs to com.example.bill"):
        explore_app("sim:flakylock", settings_for(tmp_path))


def test_nothing_to_resume_is_said(tmp_path: Path) -> None:
    with pytest.raises(LookupError, match="nothing has been explored here"):
        explore_app("sim:bill", settings_for(tmp_path, resume=True))


def test_enough_crashes_end_it(tmp_path: Path) -> None:
    explored = explore_app("sim:bill", settings_for(tmp_path, limits=ExploreLimits(crashes=1, events=100_000)))
    assert explored.end == ExplorationEnd(EndKind.CRASHES_FOUND, 1)
    assert explored.progress.events < 100_000


def test_enough_coverage_ends_it(tmp_path: Path) -> None:
    explored = explore_app("sim:bill", settings_for(tmp_path, limits=ExploreLimits(covered=50, events=100_000)))
    assert explored.end.kind is EndKind.COVERAGE_REACHED
    assert explored.progress.events < 100_000


def slow(news: News) -> None:
    """Makes an episode of a thousand events last longer than the test's limit."""
    if isinstance(news, StepSeen):
        time.sleep(0.002)


@pytest.mark.slow
def test_the_time_ends_it_in_the_middle_of_an_episode(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, limits=ExploreLimits(minutes=0.005), strategy="monkey")
    explored = explore_app("sim:bill", settings, slow)
    assert explored.end == ExplorationEnd(EndKind.TIME_UP)
    assert episodes_in(tmp_path)[-1].end is EpisodeEnd.STOPPED


def test_a_prelude_comes_first_in_every_episode(tmp_path: Path) -> None:
    prelude = tmp_path / "prelude.jsonl"
    prelude.write_text(
        '{"fewtaps":"trace","version":1,"app":{"package":"com.example.bill"},"world":0,"profile":"default"}\n'
        '{"event":{"kind":"launch"}}\n{"event":{"kind":"tap","x":0,"y":0,"selector":{"text":"About"}}}\n'
    )
    explore_app("sim:bill", settings_for(tmp_path / "p", prelude=prelude, strategy="mr"))
    for episode in episodes_in(tmp_path / "p"):
        assert episode.trace.steps[1].after.shows("Splits bills.")
        assert episode.replayed == 1


class Listener:
    """Remembers the news."""

    def __init__(self) -> None:
        self.steps = 0
        self.episodes: list[int] = []
        self.crashes: list[Crash] = []
        self.failures: list[EpisodeFailed] = []

    def __call__(self, news: News) -> None:
        match news:
            case StepSeen():
                self.steps += 1
            case EpisodeKept(episode):
                self.episodes.append(episode.number)
            case CrashFound(crash):
                self.crashes.append(crash)
            case EpisodeFailed():
                self.failures.append(news)


def test_everything_is_told_once(tmp_path: Path) -> None:
    listener = Listener()
    explored = explore_app("sim:bill", settings_for(tmp_path), listener)
    assert listener.steps == explored.progress.events
    assert listener.episodes == list(range(explored.progress.episodes))
    assert [crash.signature for crash in listener.crashes] == [crash.signature for crash in explored.new]


def test_a_crash_is_news_only_once_in_a_project(tmp_path: Path) -> None:
    explore_app("sim:bill", settings_for(tmp_path))
    assert explore_app("sim:bill", settings_for(tmp_path, seed=2)).new == ()


def test_an_episode_that_no_device_can_carry_out_is_noted_and_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dying(session, episode_plan, *rest):  # type: ignore[no-untyped-def]
        if episode_plan.number == 1:
            raise DeviceLost("the cable was pulled")
        return run_episode(session, episode_plan, *rest)

    monkeypatch.setattr("fewtaps.explore.jobs.run_episode", dying)
    listener = Listener()
    explored = explore_app("sim:bill", settings_for(tmp_path), listener)
    assert listener.failures == [EpisodeFailed(1, "the cable was pulled")]
    assert explored.progress.events == 600
    failed = episodes_in(tmp_path)[1]
    assert (failed.end, failed.detail) == (EpisodeEnd.DEVICE_FAILED, "the cable was pulled")


def test_devices_that_only_die_end_it_with_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def dead(*arguments: object) -> Episode:
        raise DeviceLost("no power")

    monkeypatch.setattr("fewtaps.explore.jobs.run_episode", dead)
    explored = explore_app("sim:bill", settings_for(tmp_path))
    assert explored.end == ExplorationEnd(EndKind.DEVICE_DIES_AT_LAUNCH)


@pytest.mark.slow
def test_killed_twenty_times_at_random_moments_it_loses_nothing_that_was_finished(tmp_path: Path) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    chance = random.Random(20)
    command = [sys.executable, "-m", "fewtaps", "explore", "sim:bill", "--strategy", "timemachine", "--no-pictures"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    counts = [0]
    for _ in range(20):
        child = subprocess.Popen(
            [*command, "-o", str(broken), "--minutes", "60", *(["--resume"] if counts[-1] else [])],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        # Half of them die while they still set up or learn again what is known, half while they explore.
        try:
            if chance.random() < 0.5:
                wait_for_more(broken, counts[-1], child, seconds=60, pause=0.005)
            time.sleep(chance.random() * 0.05)
        finally:
            child.kill()
            child.wait()
        counts.append(count_kept(broken))
    assert counts == sorted(counts) and counts[-1] > 5
    episodes = episodes_in(broken)
    # Somewhat more than was kept, so that no limit cuts the last episode short and gives it another reason to end.
    events = sum(each.events for each in episodes) + 1000
    explore_app("sim:bill", settings_for(whole, pictures=False, limits=ExploreLimits(events=events)))
    assert episodes_in(whole)[: len(episodes)] == episodes

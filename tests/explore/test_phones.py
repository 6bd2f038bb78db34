"""Episodes on other phones than the ordinary one."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from fewtaps.device.simulated.device import SimulatedDevice
from fewtaps.device.simulated.samples import kiosk
from fewtaps.explore.exploration import Exploration
from fewtaps.explore.loop import run_episode
from fewtaps.explore.parameters import DEFAULT_PARAMETERS
from fewtaps.explore.phones import ALWAYS_ORDINARY, PhoneSchedule, conditions
from fewtaps.explore.strategies import STRATEGIES
from fewtaps.model.app import App
from fewtaps.model.episode import Episode
from fewtaps.model.phone import GROUPS, ORDINARY, SETTINGS, settings_in

ALL = settings_in(GROUPS)
CONDITIONS = conditions(kiosk().app, ALL, has_manifest=False)
AFTER, EVERY = DEFAULT_PARAMETERS.vary.after, round(1 / DEFAULT_PARAMETERS.vary.share)


def exploration(*, seed: int = 2, width: int = 4) -> Exploration:
    app = kiosk().app
    strategy = STRATEGIES["frontier"](app, DEFAULT_PARAMETERS, lambda: ())
    return Exploration(app, strategy, seed=seed, width=width, phones=PhoneSchedule(CONDITIONS, seed=seed))


def explored(exploring: Exploration, episodes: int) -> list[Episode]:
    """The next so many episodes."""
    program = kiosk()
    kept: list[Episode] = []
    with SimulatedDevice([program]).open(program.app) as session:
        for _ in range(episodes):
            plan = next(exploring.episode_plans())
            episode = run_episode(session, plan, lambda: False)
            exploring.absorb(episode)
            kept.append(episode)
    return kept


def test_the_first_episodes_are_ordinary_and_a_share_of_the_others_is_not() -> None:
    schedule = PhoneSchedule(CONDITIONS, seed=1)
    varied = [number for number in range(200) if schedule.phone(number)]
    assert varied == list(range(AFTER, 200, EVERY))
    assert all(len(schedule.phone(number)) in (1, 2) for number in varied)
    assert not any(map(ALWAYS_ORDINARY.phone, range(200)))


def test_seed_and_number_decide_the_phone_in_whatever_order_they_are_asked_for() -> None:
    one, other = PhoneSchedule(CONDITIONS, seed=1), PhoneSchedule(CONDITIONS, seed=1)
    forwards = [one.phone(number) for number in range(300)]
    assert forwards == [other.phone(number) for number in reversed(range(300))][::-1]
    assert forwards != [PhoneSchedule(CONDITIONS, seed=2).phone(number) for number in range(300)]


def test_every_condition_gets_its_turn_and_those_the_app_cares_about_more_often() -> None:
    schedule = PhoneSchedule(CONDITIONS, seed=3, cared={"maps"})
    counts = Counter(each for number in range(2000) for each in schedule.phone(number))
    assert set(counts) == set(CONDITIONS)
    assert counts["maps", "absent"] > 2 * counts["theme", "dark"] > 2 * counts["clock", "absent"]


def test_a_newer_android_comes_seldom_and_alone() -> None:
    schedule = PhoneSchedule(CONDITIONS, seed=3)
    turns = [schedule.phone(number) for number in range(AFTER, 1000, EVERY)]
    newest = [turn for turn, phone in enumerate(turns) if "android" in dict(phone)]
    every = DEFAULT_PARAMETERS.vary.android
    assert newest == list(range(every // 3, len(turns), every))
    assert {turns[turn] for turn in newest} == {(("android", "36"),)}
    only = PhoneSchedule([("android", "36")], seed=3)
    assert {only.phone(number) for number in range(AFTER, 100, EVERY)} == {(("android", "36"),)}
    without = replace(DEFAULT_PARAMETERS.vary, android=0)
    for given in ([("android", "36")], CONDITIONS):
        schedule = PhoneSchedule(given, seed=3, numbers=without)
        assert not any("android" in dict(schedule.phone(number)) for number in range(AFTER, 1000, EVERY))


def test_what_an_app_cannot_care_about_is_not_tried() -> None:
    app = App("com.example.app", permissions=("android.permission.VIBRATE",))
    names = {name for name, _ in conditions(app, ALL)}
    assert names == set(SETTINGS) - {"permissions", "network"}
    app = App("com.example.app", permissions=("android.permission.CAMERA", "android.permission.INTERNET"))
    tried = conditions(app, ALL, {("permissions", "granted"), ("network", "offline")})
    assert {("permissions", "denied"), ("permissions", "asked"), ("network", "online")} <= set(tried)
    assert not {("permissions", "granted"), ("network", "offline")} & set(tried)
    assert "permissions" not in {name for name, _ in conditions(app, ALL, api=22)}


def test_an_episode_on_another_phone_first_plays_what_ran_new_code() -> None:
    episodes = explored(exploration(), AFTER + 1)
    varied = episodes[AFTER]
    assert varied.trace.phone and varied.replayed
    played = varied.trace.events[1 : varied.replayed + 1]
    kinds = [type(event) for event in played]
    assert any(kinds == [type(event) for event in each.trace.events[1 : len(kinds) + 1]] for each in episodes[:AFTER])


@pytest.mark.slow
def test_a_resumed_exploration_goes_on_with_the_same_phones_and_events() -> None:
    whole = explored(exploration(), 40)
    resumed = exploration()
    for episode in whole[:22]:
        resumed.absorb(episode)
    assert explored(resumed, 18) == whole[22:]
    assert {each.trace.phone for each in whole[22:]} != {ORDINARY}


def test_what_is_seen_on_another_phone_adds_no_state_and_no_path() -> None:
    exploring = exploration(width=1)
    explored(exploring, AFTER)
    graph = exploring.knowledge.graph
    before = graph.seen, {state: (graph[state].visits, graph[state].ways) for state in graph.interesting}
    (varied,) = explored(exploring, 1)
    assert varied.trace.phone and varied.events > 5
    assert before == (graph.seen, {state: (graph[state].visits, graph[state].ways) for state in graph.interesting})


@pytest.mark.slow
def test_crashes_that_need_another_phone_are_found() -> None:
    crashes = {
        each.trace.crash.root.message
        for each in explored(exploration(seed=1, width=8), 100)
        if each.trace.crash is not None and each.trace.crash.root is not None
    }
    assert len(crashes) == 2

"""ExploreParameters: the paper's numbers are the defaults, and nonsense is refused in one line."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from mazes import endless, library, survey

from fewtaps.device.simulated.device import SimulatedDevice
from fewtaps.device.simulated.program import Program
from fewtaps.device.simulated.samples import notes_app
from fewtaps.errors import UsageError
from fewtaps.explore.exploration import Exploration
from fewtaps.explore.loop import run_episode
from fewtaps.explore.parameters import (
    DEFAULT_PARAMETERS,
    IDEAS,
    ExploreParameters,
    Idea,
    parameters_in,
    read_parameters,
    without,
)
from fewtaps.explore.phones import PhoneSchedule, conditions
from fewtaps.explore.strategies import STRATEGIES
from fewtaps.model.ending import Ending
from fewtaps.model.episode import Episode, EpisodeEnd
from fewtaps.model.event import Launch
from fewtaps.model.phone import GROUPS, settings_in
from fewtaps.model.trace import Step, Trace


def test_the_defaults_are_those_of_the_paper() -> None:
    parameters = DEFAULT_PARAMETERS
    assert (parameters.queue_length, parameters.max_no_progress) == (10, 200)
    assert (parameters.frequent_share, parameters.easy_share) == (0.2, 0.8)
    assert (parameters.path_length, parameters.reward, parameters.penalty) == (3, 0.1, 0.1)
    assert parameters.interesting_factor == 6


def test_reads_assignments_and_keeps_the_others() -> None:
    assert read_parameters(["queue_length=20", "easy-share=0.5"]) == ExploreParameters(queue_length=20, easy_share=0.5)
    assert read_parameters([]) == DEFAULT_PARAMETERS


@pytest.mark.parametrize(
    ("assignment", "words"),
    [
        ("queue=20", "no parameter 'queue'"),
        ("queue_length=many", "not a whole number: 'many'"),
        ("queue_length=1e3", "not a whole number: '1e3'"),
        ("easy_share=much", "not a number: 'much'"),
        ("queue_length=0", "queue_length: at least 1"),
        ("easy_share=1.5", "easy_share: between 0 and 1"),
        ("penalty=1", "penalty: between 0 and 0.999"),
        ("reward=nan", "reward"),
        ("path_length=-1", "path_length"),
        ("queue_length", "not a whole number"),
        ("forms.accept=1", "no parameter 'forms.accept'"),
        ("forms.accepted=2", "forms.accepted: between 0 and 1, not 2"),
        ("episode.burst_lengths=2,x", "episode.burst_lengths: not a whole number: '2,x'"),
        ("episode.random_chances=0.1,1.1", "episode.random_chances: between 0 and 1, not 1.1"),
        ("forms=1", "no parameter 'forms'"),
        ("ideas=forms", "'forms' switches none off"),
        ("ideas=-form", "'-form' switches none off"),
    ],
)
def test_refuses_what_makes_no_sense(assignment: str, words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        read_parameters([assignment])
    assert "\n" not in str(caught.value)


def test_the_documentation_names_every_parameter_idea_and_strategy() -> None:
    docs = Path(__file__).parents[2] / "docs"
    page = " ".join((docs / "parameters.md").read_text("utf-8").split())
    for each in parameters_in(DEFAULT_PARAMETERS):
        assert re.search(
            re.escape(f"- `{each.name}` = {each.text} (from ") + r"[^)]+\): " + re.escape(each.about), page
        )
    for idea in IDEAS:
        assert f"- `{idea.name}`: {idea.about}." in page
    for name in STRATEGIES:
        assert f"| `{name}` |" in (docs / "algorithms.md").read_text("utf-8")


def test_numbers_of_a_group_are_set_by_dotted_names() -> None:
    parameters = read_parameters(["forms.accepted=0.5", "episode.random_chances=0.1,0.3", "places.max-places=9"])
    assert parameters.forms.accepted == 0.5
    assert parameters.episode.random_chances == (0.1, 0.3)
    assert parameters.places.max_places == 9
    assert parameters.forms.hinted == DEFAULT_PARAMETERS.forms.hinted


def test_every_number_has_a_sentence_and_its_default_reads_back() -> None:
    for each in parameters_in(DEFAULT_PARAMETERS):
        assert each.about.endswith((".", "…")), each.name
        assert read_parameters([f"{each.name}={each.text}"]) == DEFAULT_PARAMETERS, each.name


@pytest.mark.parametrize("idea", IDEAS, ids=lambda idea: idea.name)
def test_an_idea_is_switched_off_by_its_numbers_and_nothing_else(idea: Idea) -> None:
    off = {each.name: each for each in parameters_in(read_parameters([f"ideas=-{idea.name}"]))}
    changed = {each.name for each in parameters_in(DEFAULT_PARAMETERS) if off[each.name].value != each.value}
    assert changed == set(idea.off)
    assert without(idea.name) == read_parameters([f"{name}={text}" for name, text in idea.off.items()])


def test_ideas_are_switched_off_together_and_later_assignments_win() -> None:
    parameters = read_parameters(["ideas=-forms, -hints", "episode.hint=0.9"])
    assert (parameters.episode.form, parameters.episode.hint, parameters.episode.hint_on_arrival) == (0, 0.9, 0)
    assert without() == DEFAULT_PARAMETERS
    assert len({idea.name for idea in IDEAS}) == len(IDEAS)


def events_of(program: Program, parameters: ExploreParameters, seed: int) -> list[object]:
    strategy = STRATEGIES["frontier"](program.app, parameters, lambda: ("sesame",))
    tried = conditions(program.app, settings_in(GROUPS), has_manifest=False)
    phones = PhoneSchedule(tried, seed=seed, numbers=parameters.vary)
    exploration = Exploration(program.app, strategy, seed=seed, worlds=2, parameters=parameters, phones=phones)
    events: list[object] = []
    with SimulatedDevice([program]).open(program.app) as session:
        for plan in exploration.episode_plans():
            episode = run_episode(session, plan, lambda: False)
            exploration.absorb(episode)
            events += episode.trace.events
            if len(events) >= 400:
                return events
    return events


PROGRAMS = (notes_app, survey, endless, library)


@cache
def events_with_all(number: int) -> list[object]:
    return events_of(PROGRAMS[number](), DEFAULT_PARAMETERS, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("name", [idea.name for idea in IDEAS])
def test_an_exploration_without_an_idea_takes_another_course(name: str) -> None:
    parameters = without(name)
    assert any(events_of(make(), parameters, seed=1) != events_with_all(number) for number, make in enumerate(PROGRAMS))


def test_a_wide_exploration_has_short_episodes() -> None:
    parameters = read_parameters(["wide=2", "wide_events=5"])
    for width, is_short in ((2, False), (3, True)):
        strategy = STRATEGIES["frontier"](notes_app().app, parameters, tuple)
        made = Exploration(notes_app().app, strategy, seed=1, width=width, parameters=parameters)
        assert (next(made.episode_plans()).max_events == 5) is is_short


def test_the_number_of_failed_starts_can_be_set() -> None:
    app = notes_app().app
    for least in (1, 4):
        parameters = read_parameters([f"max_failed_starts={least}"])
        made = Exploration(app, STRATEGIES["frontier"](app, parameters, tuple), parameters=parameters)
        plans = 0
        for plan in made.episode_plans():
            plans += 1
            steps = (Step(Launch(), ending=Ending.EXITED),)
            made.absorb(Episode(plan.number, Trace(app.ref, steps), 0, True, EpisodeEnd.EXITED))
        assert plans == least


@pytest.mark.slow
def test_an_exploration_goes_on_where_every_weight_is_zero() -> None:
    weights = [each.name for each in parameters_in(DEFAULT_PARAMETERS.actions, "actions.") if "Weight" in each.about]
    nothing = read_parameters([*(f"{name}=0" for name in weights), "forms.says_submit=0", "forms.not_a_button=0"])
    assert len(events_of(notes_app(), nothing, 1)) >= 400

"""Tests of the frontier strategy: that it repeats, and how soon it finds what is hard to find."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from builders import OpenProgram
from mazes import library, one_way_doors, quiz_with_paint_box, survey

from fewtaps.device.simulated.program import Phone, Program, Throw, View, button, field, label
from fewtaps.device.simulated.samples import lock, notes_app, two_writes, wizard
from fewtaps.explore.exploration import Exploration
from fewtaps.explore.forms import PlannedAction
from fewtaps.explore.frontier import Frontier, best_nearby, luby
from fewtaps.explore.ids import ActionName, PlaceId
from fewtaps.explore.loop import run_episode
from fewtaps.explore.memory import FrontierMemory
from fewtaps.explore.parameters import ExploreParameters
from fewtaps.explore.scores import Target, Try
from fewtaps.model.episode import Episode
from fewtaps.model.event import LongPress, Tap


def exploration_of(program: Program, seed: int) -> Exploration:
    return Exploration(program.app, Frontier(program.app, ExploreParameters()), seed=seed, worlds=4)


def episodes(open_program: OpenProgram, program: Program, exploration: Exploration) -> Iterator[Episode]:
    session = open_program(program)
    for episode_plan in exploration.episode_plans():
        episode = run_episode(session, episode_plan, lambda: False)
        exploration.absorb(episode)
        yield episode


def events_to_crash(open_program: OpenProgram, program: Program, seed: int, most: int) -> int:
    """How many events it takes, replayed ones included; `most` if they do not suffice."""
    events = 0
    for episode in episodes(open_program, program, exploration_of(program, seed)):
        events += episode.events
        if episode.trace.crash is not None or events >= most:
            break
    return min(events, most)


def median(numbers: list[int]) -> int:
    return sorted(numbers)[len(numbers) // 2]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "bound"),
    [(two_writes(), 100), (lock((3, 1, 4, 1, 5)), 300), (wizard(12), 500)],
    ids=["two writes", "lock", "wizard"],
)
def test_known_crashes_are_found_within_few_events(open_program: OpenProgram, program: Program, bound: int) -> None:
    assert median([events_to_crash(open_program, program, seed, 5 * bound) for seed in range(5)]) < bound


def shop() -> Program:
    """A login that tells its word, and says no more of it after the first failure."""

    def log_in(phone: Phone) -> None:
        if phone.state["user"] == phone.state["password"] == "sesame":
            phone.go("Inside")
        else:
            phone.state["message"] = "Wrong, try again"

    def inside(phone: Phone) -> None:
        raise Throw("java.lang.IllegalStateException", "inside")

    first = View(
        "Door",
        [
            field("user"),
            field("password", password=True),
            button("Log in", log_in),
            label(lambda state: state["message"], name="message"),
        ],
    )
    return Program(
        "com.example.door", [first, View("Inside", [button("Go", inside)])], state={"message": "Say sesame twice"}
    )


@pytest.mark.slow
def test_a_login_whose_word_is_on_the_screen_is_passed(open_program: OpenProgram) -> None:
    assert median([events_to_crash(open_program, shop(), seed, 2000) for seed in range(5)]) < 800


@pytest.mark.slow
def test_doors_that_lead_one_way_are_passed(open_program: OpenProgram) -> None:
    """Time travel needs five thousand events for what is done here in one."""
    program, opened = one_way_doors(8), 0
    for seed in range(4):
        exploration, events = exploration_of(program, seed), 0
        for episode in episodes(open_program, program, exploration):
            events += episode.events
            if events >= 1000:
                break
        opened += len(exploration.knowledge.covered.branches)
    assert opened >= 24, "of 32"


@pytest.mark.slow
def test_a_page_without_end_does_not_take_the_time_from_a_quiz(open_program: OpenProgram) -> None:
    found = [events_to_crash(open_program, quiz_with_paint_box(), seed, 4000) for seed in range(5)]
    assert median(found) < 1500, found


@pytest.mark.slow
def test_other_actions_on_a_row_follow_more_often_than_by_chance(open_program: OpenProgram) -> None:
    program = library(books=40)
    by_chance, again = 0.0, 0
    for number, episode in enumerate(episodes(open_program, program, exploration_of(program, seed=1))):
        tapped: set[str] = set()
        for event in (step.event for step in episode.trace.steps):
            if not isinstance(event, (Tap, LongPress)) or event.selector is None:
                continue
            book = event.selector.text or ""
            if not book.startswith("Book"):
                continue
            if isinstance(event, Tap):
                tapped.add(book)
            else:
                by_chance += len(tapped) / 40
                again += book in tapped
        if number == 60:
            break
    assert by_chance > 0 and again > 2 * by_chance


@pytest.mark.slow
def test_a_form_of_boxes_is_submitted_unchanged(open_program: OpenProgram) -> None:
    assert median([events_to_crash(open_program, survey(), seed, 2000) for seed in range(11)]) < 400


@pytest.mark.slow
def test_the_same_seed_gives_the_same_episodes(open_program: OpenProgram) -> None:
    runs = [
        [next(each) for _ in range(12)]
        for each in (episodes(open_program, notes_app(), exploration_of(notes_app(), 3)) for _ in range(2))
    ]
    assert runs[0] == runs[1]


@pytest.mark.slow
def test_an_exploration_that_was_interrupted_goes_on_as_if_it_had_not_been(open_program: OpenProgram) -> None:
    through = episodes(open_program, notes_app(), exploration_of(notes_app(), 5))
    whole = [next(through) for _ in range(14)]
    resumed = exploration_of(notes_app(), 5)
    for episode in whole[:7]:
        resumed.absorb(episode)
    rest = episodes(open_program, notes_app(), resumed)
    assert [next(rest) for _ in range(7)] == whole[7:]


A, B, C = map(PlaceId, "abc")


def memory_of(potential: dict[str, float], ways: dict[str, dict[str, str]]) -> FrontierMemory:
    memory = FrontierMemory()
    memory.places.potential.update({PlaceId(place): value for place, value in potential.items()})
    for place, actions in ways.items():
        for name, target in actions.items():
            add_try(memory, place, name, Try(1, (Target(PlaceId(target)),)))
    return memory


def add_try(memory: FrontierMemory, place: str, name: str, tries: Try) -> None:
    memory.places.tried.to_change(PlaceId(place))[ActionName(name)] = tries


def step(name: str, target: str) -> PlannedAction:
    return PlannedAction(ActionName(name), target=PlaceId(target))


def test_the_best_place_nearby_is_gone_to_by_the_shortest_way() -> None:
    memory = memory_of(
        {"a": 0.1, "b": 0.2, "c": 3.0}, {"a": {"open b": "b", "around": "d"}, "b": {"open c": "c"}, "d": {"far": "c"}}
    )
    steps, value = best_nearby(A, memory)
    assert steps == [step("open b", "b"), step("open c", "c")]
    assert 2.0 < value < 3.0


def test_a_way_that_broke_is_gone_around() -> None:
    memory = memory_of({"a": 0.1, "c": 3.0}, {"a": {"straight": "c", "around": "b"}, "b": {"on": "c"}})
    steps, _ = best_nearby(A, memory, {(A, ActionName("straight"), C)})
    assert [each.name for each in steps] == ["around", "on"]


def test_a_step_that_led_elsewhere_the_last_time_is_doubted() -> None:
    memory = memory_of({"a": 0.1, "b": 1.0, "c": 0.8}, {"a": {"sure": "c"}})
    add_try(memory, "a", "doubtful", Try(2, (Target(PlaceId("a2")), Target(B))))
    steps, value = best_nearby(A, memory)
    assert steps == [step("sure", "c")] and value < 0.8


def test_a_step_that_led_to_a_place_once_in_many_tries_is_no_way_there() -> None:
    memory = memory_of({"a": 0.5, "b": 9.0}, {})
    add_try(memory, "a", "lucky", Try(40, (Target(C, 39), Target(B, 1))))
    assert best_nearby(A, memory) == ([], 0.5)
    add_try(memory, "a", "lucky", Try(40, (Target(B, 20), Target(C, 20))))
    memory.places._exits.clear()
    assert best_nearby(A, memory)[0] == [step("lucky", "b")]


def test_a_sure_way_around_is_better_than_a_lucky_step() -> None:
    memory = memory_of({"a": 0.1, "c": 3.0}, {"a": {"around": "b"}, "b": {"on": "c"}})
    add_try(memory, "a", "lucky", Try(9, (Target(PlaceId("a2"), 8), Target(C, 1))))
    steps, value = best_nearby(A, memory)
    assert [each.name for each in steps] == ["around", "on"] and value > 2.0


def test_the_path_is_empty_if_this_place_is_the_best() -> None:
    assert best_nearby(A, memory_of({"a": 1.0, "b": 1.1}, {"a": {"open": "b"}})) == ([], 1.0)


@pytest.mark.parametrize("seed", range(20))
def test_a_search_that_wants_less_ends_earlier_with_the_same_answer(seed: int) -> None:
    random = Random(seed)
    places = [str(number) for number in range(30)]
    exits = {place: {f"to {to}": to for to in random.sample(places, 3)} for place in places}
    memory = memory_of({place: random.random() for place in places}, exits)
    first = PlaceId("0")
    best = best_nearby(first, memory)
    for wanted in (0.0, 0.3, 0.6, best[1], best[1] * 1.01, 2.0):
        found = best_nearby(first, memory, wanted=wanted)
        assert (found[1] >= wanted) == (best[1] >= wanted)
        assert found == best or found[1] >= wanted


def test_patience_follows_luby() -> None:
    assert [luby(index) for index in range(15)] == [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]

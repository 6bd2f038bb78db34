"""How good: what is left of known traces and how many runs and events it takes, with upper bounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

import pytest
from recordings import RECORDINGS
from reducing.recordings import THE_GOAL, read_recording

from fewtaps.device.session import DEFAULT_SETTINGS
from fewtaps.device.simulated.device import SimulatedSession
from fewtaps.device.simulated.program import Program
from fewtaps.device.simulated.samples import bill, lock, notes_app, two_writes, wizard
from fewtaps.model.event import Event, Key, Launch, Tap
from fewtaps.model.goal import SameCrash
from fewtaps.model.trace import Trace
from fewtaps.reducing.plan import reduce_trace
from fewtaps.replay import play


def player(program: Program) -> Callable[[Sequence[tuple[Event, ...]]], list[Trace]]:
    session = SimulatedSession(program, DEFAULT_SETTINGS)
    return lambda candidates: [play(session, candidate) for candidate in candidates]


def crash_after(program: Program, least: int) -> Trace:
    """A random trace of at least so many events that ends in a crash."""
    session = SimulatedSession(program, DEFAULT_SETTINGS)
    for seed in range(100_000):
        random = Random(seed)
        # The eager ones crash at once: a monkey that mostly hits nothing takes its time.
        rare = random.random() / 20
        steps = [session.launch()]
        while len(steps) < 3 * least and not steps[-1].ending.is_final:
            targets = [each.widget for each in steps[-1].after.iter_touchable() if each.widget.is_target]
            if targets and random.random() < rare:
                event: Event = Tap(*random.choice(targets).bounds.centre)
            else:
                event = Launch() if not targets else Tap(1, random.randrange(1, 40))
            steps.append(session.perform(event))
        if steps[-1].crash is not None and len(steps) > least:
            return play(session, [step.event for step in steps])
    raise AssertionError("no such trace")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "length", "runs"),
    [
        (bill(), 2, 4),
        (two_writes(), 4, 24),
        (notes_app(), 3, 8),
        (lock((3, 1, 4, 1, 5)), 6, 60),
        (wizard(3), 7, 26),
    ],
    ids=lambda value: value.package if isinstance(value, Program) else str(value),
)
def test_a_sample_comes_down_to_its_shortest_crash(program: Program, length: int, runs: int) -> None:
    original = crash_after(program, 200)
    assert original.crash is not None
    reduction = reduce_trace(original, SameCrash(original.crash.signature), player(program), plainer=False)
    assert len(reduction.trace.events) == length
    assert reduction.runs <= runs
    assert reduction.events <= 2.5 * len(original.steps)


recorded = pytest.mark.skipif(not RECORDINGS.is_dir(), reason="the published recordings are not here")


@pytest.mark.slow
@recorded
def test_every_recording_comes_down_to_its_way_in_a_handful_of_runs() -> None:
    for folder in sorted(RECORDINGS.glob("*/*")):
        recording = read_recording(folder)
        reduction = reduce_trace(recording.trace, THE_GOAL, recording.play, plainer=False)
        assert reduction.is_minimal
        assert reduction.size <= 5, folder
        assert reduction.runs <= 12, folder


@pytest.mark.slow
@recorded
def test_levels_cost_fewer_events_than_ddmin_on_nearly_every_recording() -> None:
    wins = dict.fromkeys(("hdd", "bhdd", "lhdd"), 0)
    folders = sorted(RECORDINGS.glob("*/*"))
    for folder in folders:
        recording = read_recording(folder)
        cost = {
            strategy: reduce_trace(recording.trace, THE_GOAL, recording.play, strategy=strategy, plainer=False).events
            for strategy in ("ddmin", *wins)
        }
        for strategy in wins:
            wins[strategy] += cost[strategy] < cost["ddmin"]
    assert wins["hdd"] / len(folders) >= 0.85
    assert wins["bhdd"] / len(folders) >= 0.9
    assert wins["lhdd"] / len(folders) >= 0.93


def _pages(first: Event, second: Event, count: int) -> list[Event]:
    return [first, second] * count


def test_back_and_forth_is_seen_through() -> None:
    program = wizard(4)
    session = SimulatedSession(program, DEFAULT_SETTINGS)
    first = session.launch().after
    accept, proceed = (
        Tap(*next(each for each in first.iter_widgets() if each.text == text).bounds.centre)
        for text in ("Accept", "Next")
    )
    back_and_forth: list[Event] = [accept, proceed, *_pages(Key("BACK"), proceed, 20)]
    original = play(session, [Launch(), *back_and_forth, *back_and_forth[:2], *_pages(accept, proceed, 3)])
    assert original.crash is not None
    reduction = reduce_trace(original, SameCrash(original.crash.signature), player(program), plainer=False)
    assert list(reduction.trace.events) == [Launch(), *_pages(accept, proceed, 4)]
    assert reduction.runs <= 20

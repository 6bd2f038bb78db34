"""What a person sees of a reduction while it goes on."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import APP

from fewtaps.cli.shrinking import LiveReductionView, PlainReductionView, branch_lines, steps_lines
from fewtaps.cli.terminal import Terminal
from fewtaps.config import ReduceSettings
from fewtaps.model.event import Key, Launch
from fewtaps.model.result import Reduction, ReductionProgress
from fewtaps.model.screen import Screen
from fewtaps.model.trace import Step, Trace
from fewtaps.pipeline.news import CandidateRun, LongRunAdvanced, OriginalMet, ShorterFound
from fewtaps.reducing.hierarchy import branches_of

Capture = pytest.CaptureFixture[str]


def walk(*activities: str) -> Trace:
    """A trace that is in these activities before each of its events."""
    steps = [Step(Key("BACK"), after=Screen("p", f"p.{name}", 720, 1280)) for name in activities]
    return Trace(APP, (Step(Launch(), after=steps[0].after), *steps[1:], Step(Key("BACK"))))


LONG = walk("Main", *["List", "Page", "List"] * 20, "Main")
SHORT = walk("Main", "List")


def reduction(trace: Trace, runs: int = 1) -> Reduction:
    return Reduction(LONG, trace, "auto", runs=runs)


class Clock:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def plain(clock: Clock, **limits: float) -> PlainReductionView:
    return PlainReductionView(Terminal(), ReduceSettings(Path("p"), **limits), clock)  # type: ignore[arg-type]


def test_the_branches_of_a_tree_are_counted_by_the_states_that_lead_to_them() -> None:
    found = {branch.path: branch.count for branch in branches_of(LONG)}
    assert found == {("p.Main",): 2, ("p.Main", "p.List"): 40, ("p.Main", "p.List", "p.Page"): 20}


def test_a_branch_shows_what_is_left_of_it() -> None:
    lines = [line.plain for line in branch_lines(branches_of(LONG), branches_of(SHORT))]
    assert [line.split()[0] for line in lines] == ["Main", "List", "Page"]
    assert lines[1].endswith("█░░░░░░░░░░░░░░░░░░░░░░░░░░░░░ 1")
    assert "█" not in lines[2] and "░" in lines[2]


def test_only_the_largest_branches_are_shown_and_the_rest_is_counted() -> None:
    many = walk("Main", *(name for number in range(30) for name in (f"A{number}", "Main")))
    lines = [line.plain for line in branch_lines(branches_of(many), branches_of(many))]
    assert len(lines) == 15
    assert lines[-1] == "  … and 17 smaller branches"


def test_a_short_trace_is_shown_step_by_step() -> None:
    assert [line.plain for line in steps_lines(SHORT)] == ["  └─ 1. Press Back", "     └─ 2. Press Back"]


def test_the_time_left_is_that_of_the_nearest_limit() -> None:
    clock = Clock()
    view = plain(clock, seconds=300.0, runs=40, events=100_000)
    clock.now = 60.0
    assert view.left(ReductionProgress("hdd", 5, True, 5, runs=30, events=100)) == "0:20 left"
    assert view.left(ReductionProgress("hdd", 5, True, 5, runs=2, events=100)) == "4:00 left"


def test_without_a_limit_the_time_left_is_a_guess() -> None:
    clock = Clock()
    view = plain(clock)
    clock.now = 50.0
    assert view.left(ReductionProgress("hdd", 5, True, size=4, runs=9, events=100)) == "about 0:10 left"


def test_plain_lines_come_now_and_then_and_say_all_there_is(capsys: Capture) -> None:
    clock = Clock()
    view = plain(clock, seconds=600.0)
    view(OriginalMet(reduction(LONG)))
    view(CandidateRun(ReductionProgress("shortcuts", 40, True, 40, 2, 103)))
    clock.now = 11.0
    view(CandidateRun(ReductionProgress("delete_one_by_one", 9, True, 9, 12, 1234)))
    view(CandidateRun(ReductionProgress("delete_one_by_one", 8, True, 8, 13, 1240)))
    assert capsys.readouterr().out.splitlines() == [
        "The original does it: 62 steps.",
        "0:11   62 → 9 steps   12 runs, 1,234 events   9:49 left   one by one",
    ]


def test_a_long_run_says_how_far_it_is(capsys: Capture) -> None:
    clock = Clock()
    view = plain(clock, seconds=600.0)
    clock.now = 11.0
    view(LongRunAdvanced(2048, 100_000))
    view(OriginalMet(reduction(LONG)))
    view(CandidateRun(ReductionProgress("original", 62, True, 62, 1, 62)))
    clock.now = 22.0
    view(LongRunAdvanced(256, 40_000))
    assert capsys.readouterr().out.splitlines() == [
        "0:11   playing the original, event 2,048 of 100,000",
        "The original does it: 62 steps.",
        "0:22   62 → 62 steps   1 run, 62 events   9:38 left   the original   event 256 of 40,000",
    ]


def test_the_live_view_shows_the_tree_that_shrinks(capsys: Capture) -> None:
    view = LiveReductionView(Terminal(), ReduceSettings(Path("p")), Clock())
    console = view.terminal.console
    view(OriginalMet(reduction(LONG)))
    view(CandidateRun(ReductionProgress("shortcuts", 40, True, 62, 1, 62)))
    console.print(view.draw())
    assert "Page" in capsys.readouterr().out
    view(ShorterFound(reduction(SHORT, runs=2)))
    console.print(view.draw())
    out = capsys.readouterr().out
    assert "└─ 2. Press Back" in out and "Page" not in out

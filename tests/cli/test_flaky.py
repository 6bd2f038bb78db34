"""`fewtaps reduce --flaky` and `fewtaps prior` on the simulated device."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cli.test_reduce import documents, reduce, write

from fewtaps.cli.main import main
from fewtaps.cli.reduce import print_reduced
from fewtaps.cli.terminal import Terminal
from fewtaps.config import FlakySettings, ReduceSettings
from fewtaps.device.session import DEFAULT_SETTINGS
from fewtaps.device.simulated.device import SimulatedSession
from fewtaps.device.simulated.samples import feed
from fewtaps.model.result import ReductionState
from fewtaps.pipeline.reducing import reduce_file
from fewtaps.replay import play
from fewtaps.store.database import open_store
from fewtaps.tracefile import read_trace, write_trace

Capture = pytest.CaptureFixture[str]

HESITANT = ["First post", "Back", "", "Refresh", "", "", "", "", "", "", "", "Refresh", "First post"]
"""The last two crash the feed, where loading takes longer than the user: in about half of the worlds."""


@pytest.fixture
def seldom(tmp_path: Path) -> Path:
    """Sixty-odd steps with a crash in about half of the worlds."""
    waits = [""] * 50
    return write(tmp_path / "seldom.jsonl", "feed", *HESITANT[:3], *waits, *HESITANT[3:])


def summary(capsys: Capture) -> dict[str, Any]:
    found: dict[str, Any] = documents(capsys)[-1]["summary"]
    return found


def flaky(trace: Path, folder: Path, *options: str) -> int:
    return reduce(trace, folder, "--flaky", *options, app="sim:feed")


@pytest.fixture
def crashing(seldom: Path, tmp_path: Path) -> Path:
    """The same with the crash that it is about: recorded in a world where it happens."""
    session = SimulatedSession(feed(), DEFAULT_SETTINGS)
    events = read_trace(seldom).events
    crashed = next(trace for world in range(20) if (trace := play(session, events, world=world)).crash is not None)
    write_trace(tmp_path / "crashing.jsonl", replace(crashed, world=0))
    return tmp_path / "crashing.jsonl"


def test_a_race_is_reduced_to_its_two_steps_with_its_rate_and_its_cause(
    crashing: Path, tmp_path: Path, capsys: Capture
) -> None:
    capsys.readouterr()
    assert flaky(crashing, tmp_path / "p", "--worlds", "60") == 0
    out = capsys.readouterr().out
    assert "   1. Tap 'Refresh'" in out and "   2. Tap 'First post'" in out
    assert "→ 2 steps (with probability 0." in out
    assert "Reproduction rate: " in out and "95% interval" in out
    assert "of 60 worlds; world " in out and " always." in out
    assert "What makes it flaky: loaded on thread loader is not due before step 2: in " in out
    assert "and in 0 of " in out
    assert "runs, " in out and "events played" in out
    assert len(read_trace(tmp_path / "crashing.reduced.jsonl").events) == 3


def test_a_program_gets_all_figures(crashing: Path, tmp_path: Path, capsys: Capture) -> None:
    capsys.readouterr()
    assert flaky(crashing, tmp_path / "p", "--json") == 0
    found = summary(capsys)
    assert found["after"] == 2
    assert 0 < found["reproduction"]["met"] < found["reproduction"]["runs"] == 20
    assert found["reproduction"]["low"] < found["reproduction"]["high"]
    assert found["minimal"] >= 0.6
    assert found["cause"]["true_met"] == found["cause"]["met"]
    assert found["worlds"]["met"] and found["worlds"]["missed"]
    assert not found["always"]
    with open_store(tmp_path / "p") as store:
        (row,) = store.results.reductions()
        assert (row.strategy, row.is_repeated, row.after, row.state) == ("auto", True, 2, ReductionState.FINISHED)
        assert row.runs == found["runs"]


def test_a_world_in_which_it_happens_makes_it_certain(crashing: Path, tmp_path: Path, capsys: Capture) -> None:
    capsys.readouterr()
    assert flaky(crashing, tmp_path / "p", "--json") == 0
    found = summary(capsys)
    world = found["worlds"]["met"][0]
    assert reduce(crashing, tmp_path / "q", "--world", str(world), "--json", app="sim:feed") == 0
    certain = summary(capsys)
    assert certain["after"] == 2
    assert certain["minimal"]


def test_the_runs_are_kept_so_that_the_same_question_costs_next_to_nothing(
    crashing: Path, tmp_path: Path, capsys: Capture
) -> None:
    capsys.readouterr()
    assert flaky(crashing, tmp_path / "p", "--json") == 0
    first = summary(capsys)
    assert flaky(crashing, tmp_path / "p", "--json", "--resume") == 0
    again = summary(capsys)
    assert again["steps"] == first["steps"]
    assert again["runs"] < first["runs"] / 4


def test_resume_without_anything_to_resume_is_refused(crashing: Path, tmp_path: Path, capsys: Capture) -> None:
    assert flaky(crashing, tmp_path / "p", "--resume") == 2
    assert "no flaky reduction with this goal was begun" in capsys.readouterr().err


@pytest.mark.parametrize("schedule", ["heuristic", "round-robin", "greedy"])
def test_the_schedules_of_the_paper_find_it_too(schedule: str, crashing: Path, tmp_path: Path, capsys: Capture) -> None:
    capsys.readouterr()
    assert flaky(crashing, tmp_path / "p", "--schedule", schedule, "--needed", "6", "--json") == 0
    found = summary(capsys)
    assert found["schedule"] == schedule
    assert found["after"] <= 3
    assert found["schedule_steps"] > 0


def test_what_always_happens_is_reduced_the_deterministic_way(tmp_path: Path, capsys: Capture) -> None:
    trace = write(tmp_path / "long.jsonl", "bill", *[""] * 40, "Split")
    assert reduce(trace, tmp_path / "p", "--flaky") == 0
    out = capsys.readouterr().out
    assert "→ 1 steps" in out
    assert "it was reduced the deterministic way, one run per candidate" in out


def test_what_never_happens_is_said_and_its_runs_are_kept(tmp_path: Path, capsys: Capture) -> None:
    trace = write(tmp_path / "calm.jsonl", "feed", "Refresh", "", "")
    shows = ("--shows", "Nothing like this")
    assert reduce(trace, tmp_path / "p", "--flaky", *shows, app="sim:feed") == 3
    assert "does not meet the goal in any of 20 runs" in capsys.readouterr().err


def test_what_happens_too_seldom_for_what_is_asked_comes_with_advice(
    crashing: Path, tmp_path: Path, capsys: Capture
) -> None:
    assert flaky(crashing, tmp_path / "p", "--needed", "18") == 3
    err = capsys.readouterr().err
    assert "of 20 runs only, and 15 are asked for; ask for less with --needed" in err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--needed", "21"), "--needed: between 1 and --repeats, which is 20, not 21"),
        (("--needed", "0"), "--needed: between 1 and"),
        (("--repeats", "0"), "--repeats: between 1 and 1000"),
        (("--precheck", "21"), "--precheck: between 0 and"),
        (("--per-step", "0"), "--per-step: at least one run"),
        (("--parts", "1"), "--parts: a trace is cut into at least 2 parts"),
        (("--confidence", "1"), "--confidence: a probability"),
        (("--schedule", "guess"), "--schedule: 'guess' is none of"),
        (("--world", "3"), "--flaky plays in many worlds"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_runs(
    options: tuple[str, ...], words: str, seldom: Path, tmp_path: Path, capsys: Capture
) -> None:
    assert flaky(seldom, tmp_path / "p", *options) == 2
    assert words in capsys.readouterr().err
    assert not (tmp_path / "p").exists()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('{"rates": [0, 1], "weights": [0.5, 0.6]}', "must sum to one, not 1.1"),
        ('{"rates": [0, 1]}', "not a prior"),
        ("[1]", "not a prior"),
        ("nothing", "not JSON"),
    ],
)
def test_a_prior_that_is_none_is_refused(
    content: str, words: str, crashing: Path, tmp_path: Path, capsys: Capture
) -> None:
    prior = tmp_path / "prior.json"
    prior.write_text(content)
    assert flaky(crashing, tmp_path / "p", "--prior", str(prior)) == 2
    assert words in capsys.readouterr().err


def test_a_prior_is_learned_from_the_runs_of_the_project_and_used_from_then_on(
    crashing: Path, tmp_path: Path, capsys: Capture
) -> None:
    capsys.readouterr()
    assert main(["prior", "show", "--json"]) == 0
    shipped = documents(capsys)[0]
    assert shipped["learned"] is None
    folder = str(tmp_path / "p")
    assert flaky(crashing, tmp_path / "p", "--as-they-are", "--json") == 0
    capsys.readouterr()
    code = main(["prior", "learn", "--dir", folder, "--json"])
    told = capsys.readouterr()
    if code == 2:
        assert "too few to learn from" in told.err
        return
    learned = json.loads(told.out)
    assert learned["candidates"] >= 20 and sum(learned["prior"]["weights"]) == pytest.approx(1)
    assert learned["prior"] != shipped["prior"]
    assert main(["prior", "show", "--dir", folder, "--json"]) == 0
    assert documents(capsys)[0] == learned


def test_a_prior_cannot_be_learned_from_nothing(tmp_path: Path, capsys: Capture) -> None:
    assert main(["prior", "learn"]) == 2
    assert main(["prior", "guess"]) == 2
    assert main(["prior", "learn", "--dir", str(tmp_path / "none")]) != 0
    err = capsys.readouterr().err
    assert "with --dir" in err and "there are show and learn" in err and "no such folder" in err


def test_a_goal_that_the_launch_meets_is_refused_unless_that_is_wished(tmp_path: Path, capsys: Capture) -> None:
    trace = write(tmp_path / "calm.jsonl", "feed", "Refresh", "", "")
    goal = ("--flaky", "--reaches", "com.example.feed.Feed")
    assert reduce(trace, tmp_path / "p", *goal, app="sim:feed") == 2
    assert "already the launch meets the goal" in capsys.readouterr().err
    assert reduce(trace, tmp_path / "p", *goal, "--trivial", app="sim:feed") == 0
    assert "→ 0 steps" in capsys.readouterr().out


def test_several_devices_find_what_one_finds(crashing: Path, tmp_path: Path, capsys: Capture) -> None:
    capsys.readouterr()
    assert flaky(crashing, tmp_path / "p", "-j", "3", "--json") == 0
    assert summary(capsys)["after"] == 2


def test_a_limit_ends_it_with_the_best_so_far_and_all_runs(crashing: Path, tmp_path: Path, capsys: Capture) -> None:
    capsys.readouterr()
    assert flaky(crashing, tmp_path / "p", "--runs", "25", "--json") == 0
    found = summary(capsys)
    assert found["stopped"] == "all 25 runs are used"
    assert found["reproduction"] is None
    with open_store(tmp_path / "p") as store:
        assert store.results.reductions()[0].state is ReductionState.STOPPED
    assert flaky(crashing, tmp_path / "p", "--resume", "--json") == 0
    assert summary(capsys)["after"] == 2


@pytest.mark.parametrize(
    "option",
    ["--schedule=greedy", "--repeats=20", "--needed=5", "--parts=4", "--per-step=3", "--precheck=5", "--confidence=0.7",
     "--prior=nosuch.json"],
)  # fmt: skip
def test_an_option_of_flaky_reductions_is_not_ignored_without_flaky(
    option: str, crashing: Path, tmp_path: Path, capsys: Capture
) -> None:
    capsys.readouterr()
    assert reduce(crashing, tmp_path / "p", option, app="sim:feed") == 2
    err = capsys.readouterr().err
    assert f"{option.partition('=')[0]} is for flaky reductions: give --flaky too" in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize("schedule", ["sequential", "heuristic"])
def test_a_prior_that_cannot_be_is_refused_after_the_original_was_seen(
    schedule: str, crashing: Path, tmp_path: Path, capsys: Capture
) -> None:
    prior = tmp_path / "prior.json"
    prior.write_text('{"rates": [1], "weights": [1]}')
    options = ("--needed", "5", "--schedule", schedule, "--prior", str(prior))
    capsys.readouterr()
    assert flaky(crashing, tmp_path / "p", *options) == 2
    assert "this prior" in capsys.readouterr().err
    assert not (tmp_path / "crashing.reduced.jsonl").exists()


def test_the_prior_of_no_project_is_not_the_shipped_one(tmp_path: Path, capsys: Capture) -> None:
    report = main(["report", str(tmp_path / "nosuch")])
    assert main(["prior", "show", "--dir", str(tmp_path / "nosuch")]) == report != 0
    captured = capsys.readouterr()
    assert captured.out == "" and "nosuch: there is no such folder" in captured.err


def test_another_goal_than_a_crash_is_not_said_to_crash(tmp_path: Path, capsys: Capture) -> None:
    trace = write(tmp_path / "calm.jsonl", "feed", "", "Refresh", "", "", "", "", "", "", "", "")
    assert (
        reduce(trace, tmp_path / "p", "--flaky", "--reaches", "com.example.feed.Feed", "--trivial", app="sim:feed") == 0
    )
    out = capsys.readouterr().out
    assert "It does it in 20 of 20 worlds" in out and "crashes" not in out


def test_the_verb_is_the_goals_even_if_no_run_of_the_result_crashed(
    crashing: Path, tmp_path: Path, capsys: Capture
) -> None:
    session = SimulatedSession(feed(), DEFAULT_SETTINGS)
    settings = ReduceSettings(tmp_path / "p", flaky=FlakySettings())
    reduced = reduce_file("sim:feed", str(crashing), settings)
    calm = next(
        t for world in range(40) if (t := play(session, reduced.reduction.trace.events, world=world)).crash is None
    )
    capsys.readouterr()
    print_reduced(Terminal(as_json=False), replace(reduced, reduction=replace(reduced.reduction, trace=calm)))
    assert "It crashes in " in capsys.readouterr().out


@pytest.mark.parametrize("schedule", ["sequential", "greedy"])
def test_another_crash_on_the_way_joins_those_of_the_project(schedule: str, tmp_path: Path, capsys: Capture) -> None:
    walk = write(tmp_path / "walk.jsonl", "bill", "More people", "Split", "About")
    # Without more people the bill cannot be split, and these ways leave that out early.
    options = ("--flaky", "--shows", "Splits bills.", "--strategy", "segments", "--schedule", schedule)
    assert reduce(walk, tmp_path / "p", *options) == 0
    out = capsys.readouterr().out
    assert "Another crash on the way: " in out and out.count("(kept)") == 1
    with open_store(tmp_path / "p") as store:
        (row,) = store.runs.crashes()
    assert "ArithmeticException" in row.crash.signature

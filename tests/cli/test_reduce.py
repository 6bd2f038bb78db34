"""`fewtaps reduce` on the simulated device."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fewtaps import replay
from fewtaps.budget import Budget
from fewtaps.cli.main import main
from fewtaps.cli.shrinking import PlainReductionView
from fewtaps.device.session import DEFAULT_SETTINGS, Session
from fewtaps.device.simulated.device import SimulatedSession
from fewtaps.device.simulated.samples import bill, lock, wizard
from fewtaps.model.event import Event, Launch, Selector, Tap
from fewtaps.model.result import ReductionState
from fewtaps.model.state import page_state
from fewtaps.model.trace import Trace
from fewtaps.pipeline import advice, keeping, single_runs
from fewtaps.pipeline.news import CandidateRun, LongRunAdvanced, News
from fewtaps.replay import StepPlayed, play, play_steps
from fewtaps.store.database import open_store
from fewtaps.tracefile import read_trace, write_trace

Capture = pytest.CaptureFixture[str]
HEADER = '{"fewtaps":"trace","version":1,"app":{"package":"com.example.%s"},"world":0,"profile":"default"}'
LAUNCH = '{"event":{"kind":"launch"}}'


def tap_on(text: str) -> str:
    return json.dumps({"event": {"kind": "tap", "x": 0, "y": 0, "selector": {"text": text}}})


WAIT = '{"event":{"kind":"wait","ms":20}}'


def write(path: Path, app: str, *texts: str) -> Path:
    """A trace that taps on the texts; an empty one is a pause."""
    path.write_text("\n".join([HEADER % app, LAUNCH, *(tap_on(text) if text else WAIT for text in texts)]) + "\n")
    return path


@pytest.fixture
def long(tmp_path: Path) -> Path:
    """A bill is split among zero people, after some unneeded events."""
    return write(tmp_path / "long.jsonl", "bill", *[""] * 40, "Split")


def reduce(trace: Path | str, folder: Path, *options: str, app: str = "sim:bill") -> int:
    return main(["reduce", app, str(trace), "--dir", str(folder), *options])


def documents(capsys: Capture) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_only_the_step_that_matters_is_left(long: Path, tmp_path: Path, capsys: Capture) -> None:
    assert reduce(long, tmp_path / "p") == 0
    out = capsys.readouterr().out
    assert "   1. Tap 'Split'" in out
    assert "41 → 1 steps (no single step can be left out)" in out
    events = read_trace(tmp_path / "long.reduced.jsonl").events
    assert len(events) == 2 and isinstance(events[1], Tap)


@pytest.mark.parametrize("strategy", ["auto", "ddmin", "hdd", "bhdd", "lhdd", "lhdd-nopre", "segments"])
def test_every_strategy_ends_in_a_trace_that_crashes(strategy: str, long: Path, tmp_path: Path) -> None:
    out = tmp_path / "short.jsonl"
    assert reduce(long, tmp_path / "p", "--strategy", strategy, "-o", str(out)) == 0
    assert main(["play", "sim:bill", str(out), "--fail-on-crash"]) == 1


def test_a_second_time_nothing_is_played_but_the_original_and_the_result(
    long: Path, tmp_path: Path, capsys: Capture
) -> None:
    assert reduce(long, tmp_path / "p", "--json") == 0
    first = documents(capsys)[-1]["summary"]
    assert reduce(long, tmp_path / "p", "--json") == 0
    second = documents(capsys)[-1]["summary"]
    assert second["trace"] == first["trace"]
    assert first["runs"] > 2 >= second["runs"]


def test_what_one_strategy_has_tried_another_does_not_try_again(long: Path, tmp_path: Path, capsys: Capture) -> None:
    assert reduce(long, tmp_path / "p", "--strategy", "ddmin", "--json") == 0
    first = documents(capsys)[-1]["summary"]
    assert reduce(long, tmp_path / "p", "--strategy", "segments", "--json") == 0
    second = documents(capsys)[-1]["summary"]
    assert reduce(long, tmp_path / "fresh", "--strategy", "segments", "--json") == 0
    alone = documents(capsys)[-1]["summary"]
    assert second["trace"] == first["trace"] == alone["trace"]
    assert second["known"] > alone["known"] and second["runs"] < alone["runs"]


def test_a_crash_of_the_project_is_named_by_its_id(tmp_path: Path, capsys: Capture) -> None:
    folder = tmp_path / "p"
    main(["explore", "sim:bill", "-o", str(folder), "--events", "300", "--strategy", "timemachine", "--width", "1"])
    main(["crashes", str(folder), "--json"])
    found = documents_of_last_line(capsys)["crashes"][0]
    assert reduce(found["id"][:6], folder, "--json") == 0
    assert documents(capsys)[-1]["summary"]["after"] == 1


def documents_of_last_line(capsys: Capture) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(capsys.readouterr().out.splitlines()[-1])
    return data


def test_the_result_is_the_same_with_several_devices(long: Path, tmp_path: Path, capsys: Capture) -> None:
    summaries = []
    for jobs in ("1", "4"):
        assert reduce(long, tmp_path / jobs, "-j", jobs, "--json") == 0
        summaries.append(documents(capsys)[-1]["summary"])
    assert summaries[0] | {"output": ""} == summaries[1] | {"output": ""}


def test_another_goal_than_a_crash(tmp_path: Path, capsys: Capture) -> None:
    walk = write(tmp_path / "walk.jsonl", "bill", "More people", "About", "Close", "About")
    assert reduce(walk, tmp_path / "p", "--shows", "Splits bills.", "--json") == 0
    assert documents(capsys)[-1]["summary"]["steps"] == ["Launch", "Tap 'About'"]


def test_a_line_of_code_can_be_the_goal(tmp_path: Path, capsys: Capture) -> None:
    walk = write(tmp_path / "walk.jsonl", "wizard", "", "Accept", "", "Next", "", "Accept", "Next", "")
    second = next(each for each in SimulatedSession(wizard(), DEFAULT_SETTINGS).probe_map().classes if "2" in each.name)
    place = f"{second.name}:{second.lines[0].line}"
    assert reduce(walk, tmp_path / "p", "--covers", place, "--json", app="sim:wizard") == 0
    summary = documents(capsys)[-1]["summary"]
    assert summary["goal"] == f"covers {place}"
    assert summary["steps"] == ["Launch", "Tap 'Accept'", "Tap 'Next'", "Tap 'Accept'"]


@pytest.mark.slow
def test_a_state_of_the_project_can_be_the_goal(tmp_path: Path, capsys: Capture) -> None:
    walk = write(tmp_path / "walk.jsonl", "bill", "More people", "About")
    seen = play(SimulatedSession(bill(), DEFAULT_SETTINGS), read_trace(walk).events)
    state = page_state(seen.steps[-1].after)
    assert reduce(walk, tmp_path / "p", "--state", state) == 2
    assert main(["explore", "sim:bill", "-o", str(tmp_path / "p"), "--events", "300"]) == 0
    capsys.readouterr()
    assert reduce(walk, tmp_path / "p", "--state", state, "--json") == 0
    assert documents(capsys)[-1]["summary"]["steps"] == ["Launch", "Tap 'About'"]


def test_another_crash_on_the_way_joins_those_of_the_project(tmp_path: Path, capsys: Capture) -> None:
    walk = write(tmp_path / "walk.jsonl", "bill", "More people", "Split", "About")
    # Without more people the bill cannot be split, and this strategy leaves out the first part first.
    goal = ("--shows", "Splits bills.", "--strategy", "segments")
    assert reduce(walk, tmp_path / "p", *goal) == 0
    out = capsys.readouterr().out
    assert "Another crash on the way: " in out and out.count("(kept)") == 1
    for _ in range(2):
        assert main(["crashes", str(tmp_path / "p"), "--json"]) == 0
        (found,) = documents(capsys)[-1]["crashes"]
        assert "ArithmeticException" in found["signature"]
        assert reduce(walk, tmp_path / "p", *goal) == 0
        capsys.readouterr()
    assert reduce(found["id"][:6], tmp_path / "p", "--json") == 0
    assert documents(capsys)[-1]["summary"]["steps"] == ["Launch", "Tap 'Split'"]


@pytest.mark.slow
def test_another_crash_on_the_way_that_is_known_is_named(tmp_path: Path, capsys: Capture) -> None:
    assert main(["explore", "sim:bill", "-o", str(tmp_path / "p"), "--events", "300"]) == 0
    capsys.readouterr()
    assert main(["crashes", str(tmp_path / "p"), "--json"]) == 0
    ids = {row["id"][:8] for row in documents(capsys)[-1]["crashes"] if "ArithmeticException" in row["signature"]}
    walk = write(tmp_path / "walk.jsonl", "bill", "More people", "Split", "About")
    assert reduce(walk, tmp_path / "p", "--shows", "Splits bills.", "--strategy", "segments") == 0
    out = capsys.readouterr().out
    assert any(f"(already known as {each})" in out for each in ids) and "(kept)" not in out


def test_a_program_can_be_the_judge(tmp_path: Path, capsys: Capture) -> None:
    walk = write(tmp_path / "walk.jsonl", "bill", "More people", "About", "Close", "More people")
    assert reduce(walk, tmp_path / "p", "--test", "grep -q 'Splits bills'", "--json") == 0
    assert documents(capsys)[-1]["summary"]["steps"] == ["Launch", "Tap 'About'"]


def test_the_program_is_started_without_a_shell_and_may_be_one(tmp_path: Path, capsys: Capture) -> None:
    walk = write(tmp_path / "walk.jsonl", "bill", "More people", "About", "Close", "More people")
    assert reduce(walk, tmp_path / "p", "--test", "true && false") == 2, "the words after true are its arguments"
    shell = """sh -c 'grep -q "Splits bills" "$0" && true'"""
    assert reduce(walk, tmp_path / "p", "--test", shell) == 0
    capsys.readouterr()
    assert main(["reduce", "--help"]) == 0
    told = " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert "Started without a shell" in told and "--limit-time" in told


def test_a_goal_that_the_launch_meets_is_no_goal(tmp_path: Path, capsys: Capture) -> None:
    walk = write(tmp_path / "walk.jsonl", "bill", "About", "Close")
    assert reduce(walk, tmp_path / "p", "--shows", "Split") == 2
    assert "already the launch meets the goal" in capsys.readouterr().err
    assert reduce(walk, tmp_path / "p", "--shows", "Split", "--trivial") == 0


def test_what_happened_instead_is_told(tmp_path: Path, capsys: Capture) -> None:
    walk = write(tmp_path / "walk.jsonl", "bill", "About")
    assert reduce(walk, tmp_path / "p", "--shows", "no such text") == 3
    captured = capsys.readouterr()
    assert "What happened instead:" in captured.out and "Tap 'About'" in captured.out
    assert "does not meet the goal" in captured.err


def test_a_limit_keeps_the_best_so_far(long: Path, tmp_path: Path, capsys: Capture) -> None:
    assert reduce(long, tmp_path / "p", "--runs", "2", "--json") == 0
    summary = documents(capsys)[-1]["summary"]
    assert summary["stopped"] == "all 2 runs are used"
    assert summary["runs"] == 2
    assert reduce(long, tmp_path / "p", "--json") == 0
    assert documents(capsys)[-1]["summary"]["after"] == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--strategy", "magic"), "'magic' is none of auto"),
        (("--runs", "0"), "--runs: more than nothing"),
        (("-j", "0"), "-j: between 1 and 64"),
        (("--shows", "a", "--reaches", "b"), "one goal at a time"),
        (("--covers", "nowhere"), "not FILE:LINE"),
        (("--covers", "Nothing.java:1"), "no such line"),
        (("--test", "no-such-program"), "no-such-program"),
        (("--test", "'"), "--test"),
        (("--shows", ""), "--shows: says nothing"),
    ],
)
def test_a_bad_option_is_one_line(
    long: Path, tmp_path: Path, capsys: Capture, options: tuple[str, ...], words: str
) -> None:
    assert reduce(long, tmp_path / "p", *options) == 2
    error = capsys.readouterr().err
    assert words in error and len(error.splitlines()) == 1


def test_a_trace_that_does_not_crash_needs_a_goal(tmp_path: Path, capsys: Capture) -> None:
    walk = write(tmp_path / "walk.jsonl", "bill", "About")
    assert reduce(walk, tmp_path / "p") == 2
    assert "--reaches, --state, --shows, --covers or --test" in capsys.readouterr().err


def test_a_program_that_dies_loses_nothing(long: Path, tmp_path: Path, capsys: Capture) -> None:
    killer = tmp_path / "killer.sh"
    killer.write_text('#!/bin/sh\n[ $(grep -c . "$1") -lt 15 ] && kill -9 $$\nexit 0\n')
    killer.chmod(0o755)
    assert reduce(long, tmp_path / "p", "--strategy", "ddmin", "--test", str(killer)) == 2
    captured = capsys.readouterr()
    assert captured.err.splitlines() == [f"fewtaps: --test {killer}: it was killed by signal 9"]
    assert f"Saved to {tmp_path / 'long.reduced.jsonl'}" in captured.out
    saved = read_trace(tmp_path / "long.reduced.jsonl")
    assert saved.crash is not None and 13 <= len(saved.steps) < 42


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "code", "words"), [("true", 2, "already the launch"), ("false", 3, "does not meet")]
)
def test_a_program_that_says_always_the_same_is_told(
    long: Path, tmp_path: Path, capsys: Capture, program: str, code: int, words: str
) -> None:
    assert reduce(long, tmp_path / "p", "--test", program) == code
    captured = capsys.readouterr()
    assert words in captured.err and len(captured.err.splitlines()) == 1
    assert "Saved to" not in captured.out


@pytest.mark.parametrize(
    ("app", "goal", "words"),
    [
        ("bill", ("--test", "false"), "the program said no, false"),
        ("bill", ("--shows", "Nowhere"), "the text 'Nowhere' was not shown"),
        ("wizard", ("--reaches", "com.example.wizard.Page3"), "the activity com.example.wizard.Page3 was not reached"),
    ],
)
def test_what_is_missing_is_told_in_the_words_of_the_goal(
    tmp_path: Path, capsys: Capture, app: str, goal: tuple[str, str], words: str
) -> None:
    walk = write(tmp_path / "walk.jsonl", app, "", "Split")
    assert reduce(walk, tmp_path / "p", *goal, app=f"sim:{app}") == 3
    error = capsys.readouterr().err
    assert f"the original does not meet the goal: {words} (nor does it in" in error
    assert "crash" not in error


@pytest.mark.slow
def test_a_state_that_was_not_reached_is_told(tmp_path: Path, capsys: Capture) -> None:
    about = write(tmp_path / "about.jsonl", "bill", "About")
    state = page_state(play(SimulatedSession(bill(), DEFAULT_SETTINGS), read_trace(about).events).steps[-1].after)
    assert main(["explore", "sim:bill", "-o", str(tmp_path / "p"), "--events", "300"]) == 0
    assert reduce(write(tmp_path / "walk.jsonl", "bill", "", "Split"), tmp_path / "p", "--state", state) == 3
    error = capsys.readouterr().err
    assert f"goal: the state {state} was not reached" in error and "crash" not in error


@pytest.mark.parametrize("command", ["reduce", "replay"])
@pytest.mark.parametrize(
    ("goal", "words"),
    [
        (("--reaches", "com.example.None"), "--reaches com.example.None: the app has no such activity"),
        (("--state", "zzz"), "--state zzz: neither the project nor the trace has seen such a state"),
    ],
)
def test_what_the_app_or_the_project_does_not_know_is_refused_first(
    long: Path, tmp_path: Path, capsys: Capture, command: str, goal: tuple[str, str], words: str
) -> None:
    assert main([command, "sim:bill", str(long), "--dir", str(tmp_path / "p"), *goal]) == 2
    captured = capsys.readouterr()
    assert words in captured.err and len(captured.err.splitlines()) == 1
    assert "What happened instead" not in captured.out


def test_a_trace_of_another_version_is_reduced_and_that_is_told(tmp_path: Path, capsys: Capture) -> None:
    walk = write(tmp_path / "walk.jsonl", "bill", "", "Split")
    header, _, rest = walk.read_text().partition("\n")
    walk.write_text(header.replace('"com.example.bill"', '"com.example.bill","version":"0.1"') + "\n" + rest)
    assert reduce(walk, tmp_path / "p") == 0
    assert "note: the trace was made with version 0.1, this is 1.0" in capsys.readouterr().out


def test_steps_for_widgets_that_are_gone_are_left_out(tmp_path: Path, capsys: Capture) -> None:
    walk = write(tmp_path / "walk.jsonl", "bill", "No longer there", "Split")
    assert reduce(walk, tmp_path / "p", "--json") == 0
    assert documents(capsys)[-1]["summary"]["steps"] == ["Launch", "Tap 'Split'"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "line 1: the file is empty"),
        (HEADER % "bill", "line 2: the trace has no steps"),
        ("\0\1", "line 1: not JSON"),
        (f"{HEADER % 'bill'}\n{WAIT}", "line 2: event: a trace starts with a launch"),
    ],
)
def test_what_is_no_trace_is_refused_by_its_line(tmp_path: Path, capsys: Capture, content: str, words: str) -> None:
    (tmp_path / "bad.jsonl").write_text(content)
    assert reduce(tmp_path / "bad.jsonl", tmp_path / "p") == 2
    error = capsys.readouterr().err
    assert words in error and len(error.splitlines()) == 1


def test_neither_a_file_nor_a_crash(long: Path, tmp_path: Path, capsys: Capture) -> None:
    assert reduce(long, tmp_path / "p") == 0
    capsys.readouterr()
    assert reduce("abcd", tmp_path / "p") == 2
    assert "abcd: neither a file nor a crash" in capsys.readouterr().err
    assert reduce("abcd", tmp_path / "q") == 2


def test_a_trace_of_another_app_is_refused(long: Path, tmp_path: Path, capsys: Capture) -> None:
    assert reduce(long, tmp_path / "p", app="sim:flakylock") == 2
    assert "the trace is for com.example.bill" in capsys.readouterr().err


# Another way in.


def test_an_intent_that_gets_there_directly_is_an_extra_beside_the_result(tmp_path: Path, capsys: Capture) -> None:
    walk = write(tmp_path / "walk.jsonl", "wizard", *["Accept", "", "Next"] * 11, "Accept", "Finish")
    assert reduce(walk, tmp_path / "p", "--json", app="sim:wizard") == 0
    summary = documents(capsys)[-1]["summary"]
    assert summary["after"] == 24
    extra = summary["extra"]
    page = "com.example.wizard.Page12"
    assert (extra["kind"], extra["activity"], extra["exported"], extra["replaced"]) == ("intent", page, False, 22)
    assert extra["steps"] == ["Launch", f"Start com.example.wizard/{page}", "Tap 'Accept'", "Tap 'Finish'"]
    with open_store(tmp_path / "p") as store:
        rows = [(row.strategy, row.is_by_intent, row.state, row.after) for row in store.results.reductions()]
    assert rows == [("auto", False, ReductionState.FINISHED, 24), ("auto", True, ReductionState.FINISHED, 3)]


def test_the_extra_is_marked_for_a_person(tmp_path: Path, capsys: Capture) -> None:
    walk = write(tmp_path / "walk.jsonl", "wizard", *["Accept", "Next"] * 11, "Accept", "Finish")
    assert reduce(walk, tmp_path / "p", app="sim:wizard") == 0
    out = capsys.readouterr().out
    assert "Extra: an intent gets there directly, in the place of 22 steps; it is not exported" in out


def test_there_is_no_extra_where_events_stay_as_they_are(tmp_path: Path, capsys: Capture) -> None:
    walk = write(tmp_path / "walk.jsonl", "wizard", *["Accept", "Next"] * 11, "Accept", "Finish")
    assert reduce(walk, tmp_path / "p", "--as-they-are", "--json", app="sim:wizard") == 0
    assert documents(capsys)[-1]["summary"]["extra"] is None


# An original that does it sometimes, or never.


@pytest.fixture
def flaky() -> dict[int, Trace]:
    """A lock that breaks in half of the worlds: what is seen in each of twenty when it is opened."""
    program = lock((2, 7, 1), probability=0.5, package="com.example.flakylock")
    session = SimulatedSession(program, DEFAULT_SETTINGS)
    taps = [Tap(0, 0, Selector(text=f"Button {number}")) for number in (2, 7, 1)]
    return {world: play(session, [Launch(), *taps], world=world) for world in range(20)}


def in_another_world(path: Path, flaky: dict[int, Trace]) -> int:
    """Writes a trace that crashed, as if it had been recorded in a world in which it does not; returns that world."""
    crashed = next(trace for trace in flaky.values() if trace.crash is not None)
    calm = next(world for world, trace in flaky.items() if trace.crash is None)
    write_trace(path, replace(crashed, world=calm))
    return calm


def test_an_original_that_does_it_sometimes_is_told_with_its_rate_and_the_way_to_go_on(
    flaky: dict[int, Trace], tmp_path: Path, capsys: Capture
) -> None:
    in_another_world(tmp_path / "flaky.jsonl", flaky)
    assert reduce(tmp_path / "flaky.jsonl", tmp_path / "p", app="sim:flakylock") == 3
    captured = capsys.readouterr()
    crashed = [world for world, trace in flaky.items() if trace.crash is not None]
    told = f"it replays in {len(crashed)} of 20 worlds: fewtaps reduce --flaky reduces it by its rate"
    assert f"{told}; --world {crashed[0]} is one of them" in captured.err
    assert "   3. Tap 'Button 1'" in captured.out
    assert len(captured.err.splitlines()) == 1


def test_a_world_in_which_it_does_it_can_be_chosen_and_the_rate_of_the_result_is_told(
    flaky: dict[int, Trace], tmp_path: Path, capsys: Capture
) -> None:
    in_another_world(tmp_path / "flaky.jsonl", flaky)
    world = next(world for world, trace in flaky.items() if trace.crash is not None)
    assert reduce(tmp_path / "flaky.jsonl", tmp_path / "p", "--world", str(world), app="sim:flakylock") == 0
    out = capsys.readouterr().out
    assert "of 10 worlds (" in out
    assert "of 10 worlds: fewtaps reduce --flaky reduces it by its rate" in out


def test_an_original_that_never_does_it_is_told_step_by_step(tmp_path: Path, capsys: Capture) -> None:
    walk = write(tmp_path / "walk.jsonl", "bill", "About", "No such button")
    assert reduce(walk, tmp_path / "p", "--shows", "no such text") == 3
    captured = capsys.readouterr()
    assert "(nor does it in 19 other worlds)" in captured.err
    assert "note: not found: No such button; used the coordinates" in captured.out


# Stopped and gone on with.


def test_a_very_long_original_that_does_not_do_it_is_not_tried_in_other_worlds(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    walk = write(tmp_path / "walk.jsonl", "bill", *[""] * 40)
    monkeypatch.setattr(advice, "CHECKED_EVENTS", 40)
    assert reduce(walk, tmp_path / "p", "--shows", "Nothing of the kind") == 3
    captured = capsys.readouterr()
    assert "(it was not tried in other worlds)" in captured.err
    assert "other worlds …" not in captured.out and "What happened instead:" in captured.out


def test_resume_wants_something_to_go_on_with(long: Path, tmp_path: Path, capsys: Capture) -> None:
    assert reduce(long, tmp_path / "p", "--resume") == 2
    assert "--resume: no reduction of this trace with this goal was begun in" in capsys.readouterr().err
    assert reduce(long, tmp_path / "p", "--runs", "3", "--json") == 0
    stopped = documents(capsys)[-1]["summary"]
    assert reduce(long, tmp_path / "p", "--resume", "--json") == 0
    told = documents(capsys)
    assert told[0] == {"resumed": {"before": 41, "after": stopped["after"], "runs": 3}}
    assert told[-1]["summary"]["after"] == 1


def before_news(patch: pytest.MonkeyPatch, act: Callable[[PlainReductionView, News], None]) -> None:
    """Calls `act` with the view and each of its news before they are shown."""
    show = PlainReductionView.__call__

    def shown(view: PlainReductionView, news: News) -> None:
        act(view, news)
        show(view, news)

    patch.setattr(PlainReductionView, "__call__", shown)


def interrupt_after_four_runs(view: PlainReductionView, news: News) -> None:
    if isinstance(news, CandidateRun) and news.progress.runs == 4:
        raise KeyboardInterrupt


@pytest.mark.slow
def test_an_interruption_prints_and_keeps_the_best_and_where_it_is(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    walk = write(tmp_path / "walk.jsonl", "wizard", *["Accept", "", "", "Next"] * 11, "Accept", "", "", "Finish")
    whole = tmp_path / "whole"
    assert reduce(walk, whole, "--json", "-o", str(tmp_path / "whole.jsonl"), app="sim:wizard") == 0
    undisturbed = documents(capsys)[-1]["summary"]
    with monkeypatch.context() as patch:
        before_news(patch, interrupt_after_four_runs)
        assert reduce(walk, tmp_path / "p", app="sim:wizard") == 130
    out = capsys.readouterr().out
    saved = tmp_path / "walk.reduced.jsonl"
    assert "The shortest so far, " in out
    assert f"Saved to {saved}; the same command goes on from there." in out
    assert read_trace(saved).crash is not None
    assert 24 <= len(read_trace(saved).events) - 1 < 48
    assert reduce(walk, tmp_path / "p", "--resume", "--json", app="sim:wizard") == 0
    resumed = documents(capsys)[-1]["summary"]
    assert resumed["trace"] == undisturbed["trace"]
    assert resumed["runs"] < undisturbed["runs"]


def test_an_interruption_before_anything_is_left_out_claims_no_result(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def at_once(view: PlainReductionView, news: News) -> None:
        if isinstance(news, CandidateRun):
            raise KeyboardInterrupt

    walk = write(tmp_path / "walk.jsonl", "bill", *[""] * 200, "Split")
    before_news(monkeypatch, at_once)
    assert reduce(walk, tmp_path / "p") == 130
    out = capsys.readouterr().out
    assert "Nothing left out yet of 201 steps; the same command goes on from there." in out
    assert "Saved to" not in out and len(out.splitlines()) < 10
    assert not (tmp_path / "walk.reduced.jsonl").exists()


def test_a_limit_before_anything_is_left_out_says_that_it_is_the_original(tmp_path: Path, capsys: Capture) -> None:
    walk = write(tmp_path / "walk.jsonl", "bill", *[""] * 200, "Split")
    assert reduce(walk, tmp_path / "p", "--runs", "1") == 0
    out = capsys.readouterr().out
    assert "Stopped: all 1 runs are used. Nothing left out yet, this is the original:" in out
    assert len(out.splitlines()) < 50


@pytest.mark.slow
def test_a_hundred_thousand_events_come_down_to_the_one_that_matters(tmp_path: Path, capsys: Capture) -> None:
    walk = write(tmp_path / "walk.jsonl", "bill", *[""] * 100_000, "Split")
    assert reduce(walk, tmp_path / "p", "--json", "--worlds", "1") == 0
    summary = documents(capsys)[-1]["summary"]
    assert (summary["before"], summary["after"], summary["minimal"]) == (100_001, 1, True)
    assert summary["events"] < 110_000


def test_a_trace_that_remembers_no_crash_is_played_once(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    walk = write(tmp_path / "walk.jsonl", "bill", *[""] * 40, "Split")
    played: list[int] = []

    def counted(session: Session, events: Sequence[Event], **options: Any) -> Iterator[StepPlayed]:
        # The launch is an event too, and not among those that are handed in.
        played.append(1 + len(events))
        return play_steps(session, events, **options)

    monkeypatch.setattr(replay, "play_steps", counted)
    assert reduce(walk, tmp_path / "p", "--json", "--worlds", "1") == 0
    summary = documents(capsys)[-1]["summary"]
    assert played.count(42) == 1
    assert (summary["runs"], summary["events"]) == (len(played), sum(played))


def test_an_original_that_takes_all_the_time_is_told_as_such(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    walk = write(tmp_path / "walk.jsonl", "bill", *[""] * 1000, "Split")
    seconds = iter(range(1000))
    monkeypatch.setattr(keeping, "Budget", partial(Budget, clock=lambda: next(seconds)))
    assert reduce(walk, tmp_path / "p", "--minutes", "0.05") == 3
    assert "all 3 seconds are used before the original was played to its end" in capsys.readouterr().err


@pytest.mark.slow
def test_a_time_that_is_up_in_the_middle_of_a_run_keeps_the_best(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    walk = write(tmp_path / "walk.jsonl", "wizard", *["Accept", *[""] * 90, "Next"] * 11, "Accept", "Finish")
    now = 0

    def advance(view: PlainReductionView, news: News) -> None:
        nonlocal now
        if isinstance(news, LongRunAdvanced):
            now += view.best is not None

    before_news(monkeypatch, advance)
    monkeypatch.setattr(keeping, "Budget", partial(Budget, clock=lambda: now))
    assert reduce(walk, tmp_path / "p", "--strategy", "ddmin", "--minutes", "0.1", app="sim:wizard") == 0
    assert "Stopped: all 6 seconds are used." in capsys.readouterr().out
    assert read_trace(tmp_path / "walk.reduced.jsonl").crash is not None


def test_a_long_original_can_be_interrupted_before_its_end(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(view: PlainReductionView, news: News) -> None:
        if isinstance(news, LongRunAdvanced):
            assert news.number < news.events
            raise KeyboardInterrupt

    walk = write(tmp_path / "walk.jsonl", "bill", *[""] * 1000, "Split")
    before_news(monkeypatch, interrupted)
    assert reduce(walk, tmp_path / "p") == 130
    assert capsys.readouterr().err == "fewtaps: interrupted\n"


@pytest.mark.parametrize("option", ["--minutes", "--limit-time"])
def test_time_can_be_limited_by_either_name(long: Path, tmp_path: Path, capsys: Capture, option: str) -> None:
    assert reduce(long, tmp_path / "p", option, "10", "--json") == 0
    assert documents(capsys)[-1]["summary"]["stopped"] is None
    assert reduce(long, tmp_path / "q", option, "-1") == 2
    assert "--minutes" in capsys.readouterr().err


def test_an_interruption_while_the_rate_is_measured_still_tells_the_result(
    long: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(single_runs, "count_met", interrupted)
    assert reduce(long, tmp_path / "p") == 130
    out = capsys.readouterr().out
    assert "The shortest so far, 1 of 41 steps:" in out
    assert f"Saved to {tmp_path / 'long.reduced.jsonl'}" in out


@pytest.mark.slow
def test_a_reduction_that_was_killed_goes_on_where_it_was(tmp_path: Path, capsys: Capture) -> None:
    walk = write(tmp_path / "walk.jsonl", "wizard", *["Accept", "", "Next"] * 11, "Accept", "Finish")
    arguments = ["reduce", "sim:wizard", str(walk), "--dir", str(tmp_path / "p")]
    program = "\n".join(
        [
            "import os, signal, sys",
            "from fewtaps.cli.main import main",
            "from fewtaps.cli.shrinking import PlainReductionView",
            "from fewtaps.pipeline.news import CandidateRun",
            "show = PlainReductionView.__call__",
            "def shown(self, news):",
            "    if isinstance(news, CandidateRun) and news.progress.runs == 6:",
            "        os.kill(os.getpid(), signal.SIGKILL)",
            "    show(self, news)",
            "PlainReductionView.__call__ = shown",
            "main(sys.argv[1:])",
        ]
    )
    killed = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, timeout=300)
    assert killed.returncode == -signal.SIGKILL
    assert main([*arguments, "--resume", "--json"]) == 0
    told = documents(capsys)
    assert told[0]["resumed"]["runs"] >= 1
    resumed = told[-1]["summary"]
    assert main(["reduce", "sim:wizard", str(walk), "--dir", str(tmp_path / "q"), "--json"]) == 0
    undisturbed = documents(capsys)[-1]["summary"]
    assert resumed["trace"] == undisturbed["trace"]
    # The original and the best so far are played again, and nothing else that was tried before.
    assert resumed["runs"] == undisturbed["runs"] - 6 + 2

"""The phone that a crash is reduced to: the first Android that shows it, and the fewest differences."""

from __future__ import annotations

from pathlib import Path

import pytest

from fewtaps.config import ReduceSettings
from fewtaps.device.session import DEFAULT_SETTINGS
from fewtaps.device.simulated.device import SimulatedSession
from fewtaps.device.simulated.program import Phone, Program, View, button
from fewtaps.errors import BudgetUnit
from fewtaps.model.event import Launch, Selector, Tap, describe
from fewtaps.model.phone import ANDROID_LEVELS, phone_from_text
from fewtaps.pipeline.reducing import reduce_file
from fewtaps.pipeline.reduction_job import Reduced
from fewtaps.pipeline.single_runs import first_level
from fewtaps.replay import play
from fewtaps.tracefile import write_trace

LEVELS = ANDROID_LEVELS[1:]
NEWEST = LEVELS[-1]


@pytest.mark.parametrize("first", LEVELS)
@pytest.mark.parametrize("known", LEVELS)
def test_the_lowest_level_is_found_in_few_runs(first: int, known: int) -> None:
    if known < first:
        return
    asked: list[int] = []

    def meets(level: int) -> bool:
        asked.append(level)
        return level >= first

    assert first_level(LEVELS, known, meets) == (first, True)
    assert len(asked) <= 4 and len(set(asked)) == len(asked)
    assert known not in asked


def test_a_crash_of_a_level_in_the_middle_is_not_told_of_later_ones() -> None:
    assert first_level(LEVELS, 33, lambda level: level == 33) == (33, False)


def hide(phone: Phone) -> None:
    # With large texts the button does not fit on the screen, and hides nothing.
    phone.state["hidden"] = "font_scale" not in phone.differences


def show(phone: Phone) -> None:
    if phone.differences.get("theme") == "dark" and not phone.state["hidden"]:
        phone.state["colour"] = 1 // 0


READER = Program("com.example.reader", [View("Main", [button("Hide", hide), button("Show", show)])], {"hidden": False})


def test_differences_that_only_the_removed_steps_needed_are_removed_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fewtaps.device.simulated.samples.SAMPLES", (READER,))
    taps = [Tap(0, 0, Selector(text=text)) for text in ("Hide", "Show")]
    launch = Launch(phone_from_text("font_scale=2.0,theme=dark"))
    long = play(SimulatedSession(READER, DEFAULT_SETTINGS), [launch, *taps])
    write_trace(tmp_path / "long.jsonl", long)

    def reduce(runs: int | None) -> Reduced:
        settings = ReduceSettings(tmp_path / f"within-{runs}", runs=runs)
        return reduce_file("sim:reader", str(tmp_path / "long.jsonl"), settings)

    whole = reduce(None).reduction
    assert whole.original.events == long.events
    assert whole.trace.phone == phone_from_text("theme=dark")
    assert [describe(event) for event in whole.trace.events[1:]] == ["Tap 'Show'"]
    for runs in range(5, whole.runs):
        limited = reduce(runs)
        assert limited.stopped is not None and limited.stopped.unit is BudgetUnit.RUNS
        assert limited.reduction.original.events == long.events
        assert limited.reduction.trace.crash is not None, "what was found before the limit is kept"

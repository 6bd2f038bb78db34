"""The model of a farm in benchmarks/farm_model.py, where the answer is known without it."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
LENGTHS = 30 * [10, 20, 30]
EVENTS = sum(LENGTHS)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Any:
    pytest.importorskip("distributed")
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return import_module("farm_model")


def test_one_slot_does_one_episode_after_the_other(model: Any) -> None:
    found = model.FarmModel(LENGTHS, 1, 8, model.Costs(event=0.1, idle=0.5, own=0.01)).run()
    # From the end of the first episode to the end of the last, which the run then learns.
    assert found.seconds == pytest.approx((EVENTS - 10) * 0.1 + 89 * 0.5 + (30 - 10) * 0.01)
    assert (found.lost, found.copies) == (0, 0)


def test_slots_are_no_faster_than_the_run_that_learns(model: Any) -> None:
    found = model.FarmModel(LENGTHS, 80, 80, model.Costs(event=0.01, idle=0, own=0.1)).run()
    assert found.seconds == pytest.approx((EVENTS - 10) * 0.1)


def test_no_more_slots_are_busy_than_the_width(model: Any) -> None:
    costs = model.Costs(event=0.1, idle=0, own=0)
    assert (
        model.FarmModel(90 * [10], 50, 5, costs).run().seconds == model.FarmModel(90 * [10], 5, 5, costs).run().seconds
    )


def test_losses_cost_time_and_no_episode(model: Any) -> None:
    costs = model.Costs(event=0.1, idle=0, own=0)
    well = model.FarmModel(LENGTHS, 4, 16, costs).run()
    found = model.FarmModel(LENGTHS, 4, 16, costs, model.Trouble(between_losses=20, back=5)).run()
    assert found.lost > 0 and found.seconds > well.seconds and found.busy < well.busy


def test_copies_help_where_some_slots_are_slow(model: Any) -> None:
    costs, slow = model.Costs(event=1, idle=0, own=0), model.Trouble(slow_share=0.25, slow_factor=20)
    with_copies = model.FarmModel(LENGTHS, 8, 16, costs, slow).run()
    without = model.FarmModel(LENGTHS, 8, 16, costs, slow, copies=False).run()
    assert with_copies.copies > 0 and with_copies.seconds < without.seconds / 1.5

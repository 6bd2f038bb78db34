"""The benchmark of reductions counts what it says it counts."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fewtaps.device.session import Session
from fewtaps.model.event import Event
from fewtaps.model.trace import Trace
from fewtaps.replay import play

BENCHMARKS = Path(__file__).resolve().parent.parent.parent / "benchmarks"


@pytest.fixture
def remembered(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A simulated subject whose players share a memory, as those of the twin do; `played` are their real runs."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    subjects = import_module("reduce_subjects")
    shaped = next(import_module("shaped_apps").subjects(1))
    played: list[int] = []
    memory: dict[str, Any] = {}

    def counted(session: Session, events: Sequence[Event], **options: Any) -> Trace:
        played.append(len(events))
        return play(session, events, **options)

    def player(*, coverage: bool = True) -> Any:
        return subjects.Player(shaped.open(coverage=coverage), shaped.trace.world, memory)

    monkeypatch.setattr(subjects, "play", counted)
    return SimpleNamespace(
        name=shaped.name, trace=shaped.trace, shows_all=True, device="twin", player=player, played=played
    )


def test_what_is_remembered_is_charged_as_if_it_had_been_played(remembered: SimpleNamespace) -> None:
    measure = import_module("reduce").measure
    first = measure(remembered, "ddmin")
    assert len(remembered.played) == first.runs
    again = measure(remembered, "ddmin")
    assert len(remembered.played) == first.runs
    assert (again.length, again.runs, again.events) == (first.length, first.runs, first.events)


def test_what_is_cut_off_keeps_its_best_and_is_told_in_the_table(remembered: SimpleNamespace) -> None:
    cost = import_module("reduce").measure(remembered, "auto", most_events=1)
    assert cost.cut_off and not cost.is_minimal
    assert (cost.runs, cost.length) == (1, cost.original)
    table = import_module("reduce_table")
    costs = table.cost_table(table.by_strategy([cost]))
    assert [column.name for column in costs.columns][:4] == ["strategy", "traces", "cut off", "left: mean"]
    assert costs.rows[0][:3] == ("auto", 1, 1)

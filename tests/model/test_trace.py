from __future__ import annotations

import pytest
from builders import APP, crash, trace

from fewtaps.model.coverage import Coverage, ProbeSet
from fewtaps.model.ending import Ending
from fewtaps.model.event import Launch, Tap, Wait
from fewtaps.model.trace import Step, Trace


def test_a_trace_starts_with_a_launch() -> None:
    for steps in ((), (Step(Wait(1)),)):
        with pytest.raises(ValueError, match="launch"):
            Trace(APP, steps)


def test_a_trace_knows_its_events_and_its_end() -> None:
    value = trace(Tap(1, 2), Step(Wait(1), crash=crash("a.B.m"), ending=Ending.CRASHED))
    assert value.events == (Launch(), Tap(1, 2), Wait(1))
    assert value.ending is Ending.CRASHED
    assert value.crash == crash("a.B.m")


def test_coverage_of_a_trace_is_that_of_all_its_steps() -> None:
    parts = [Coverage(lines=ProbeSet.of([number])) for number in (3, 5)]
    assert trace(*(Step(Wait(1), covered=part) for part in parts)).coverage == parts[0] | parts[1]


def test_only_a_running_app_or_one_left_can_go_on() -> None:
    assert {ending for ending in Ending if not ending.is_final} == {Ending.RUNNING, Ending.LEFT}

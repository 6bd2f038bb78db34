from __future__ import annotations

import pytest

from fewtaps.pipeline.time_spent import RunStage, StageClock, StageTime


def test_each_second_belongs_to_one_stage_also_of_a_stage_that_fails() -> None:
    now = 0.0
    clock = StageClock(lambda: now)
    with clock.during(RunStage.EXPLORING):
        now = 5.0
    with pytest.raises(KeyboardInterrupt), clock.during(RunStage.REDUCING):
        now = 7.0
        raise KeyboardInterrupt
    now = 7.5
    with clock.during(RunStage.EXPLORING):
        now = 8.0
    assert clock.times() == (
        StageTime(RunStage.EXPLORING, 5.5, 2),
        StageTime(RunStage.REDUCING, 2.0, 1),
        StageTime(RunStage.REST, 0.5, 1),
    )

from __future__ import annotations

import pytest

from fewtaps.device.jobs import Work
from fewtaps.pipeline.time_spent import RunStage, StageClock, StageTime, WorkTime


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


def test_the_work_of_devices_belongs_to_the_stage_that_is_under_way() -> None:
    now = 0.0
    clock = StageClock(lambda: now)
    with clock.during(RunStage.EXPLORING):
        clock.worked(Work.LAUNCHES, 0.5)
        clock.worked(Work.EVENTS, 0.25)
        clock.worked(Work.EVENTS, 0.25)
        now = 1.0
    with clock.during(RunStage.REPLAYING):
        clock.worked(Work.PICTURES, 2.0)
    exploring, replaying, _ = clock.times()
    assert exploring.works == (WorkTime(Work.LAUNCHES, 0.5, 1), WorkTime(Work.EVENTS, 0.5, 2))
    assert replaying.works == (WorkTime(Work.PICTURES, 2.0, 1),)

"""The rate that `farm status` shows is that of the last seconds."""

from __future__ import annotations

import pytest

from fewtaps.farm.recent import RecentCount


def test_a_rate_is_that_of_the_last_seconds() -> None:
    now = 100.0
    recent = RecentCount(20, clock=lambda: now)
    assert recent.per_second() == 0
    for _ in range(40):
        now += 0.1
        recent.add()
    assert recent.per_second() == pytest.approx(10), "of a slot that has just begun"
    for _ in range(600):
        now += 0.1
        recent.add()
    assert recent.per_second() == pytest.approx(10, rel=0.06)
    now += 9
    assert recent.per_second() == pytest.approx(5.5, rel=0.15)
    now += 20
    assert recent.per_second() == 0, "nothing happened lately, whatever happened before"

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewtaps.model.result import Reproduction, wilson_interval


@pytest.mark.parametrize(
    ("met", "runs", "low", "high"),
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (5, 10, 0.2366, 0.7634), (98, 200, 0.4216, 0.5588), (0, 0, 0.0, 1.0)],
)
def test_the_interval_is_that_of_wilson(met: int, runs: int, low: float, high: float) -> None:
    assert wilson_interval(met, runs) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(0, 1000), st.integers(0, 1000))
def test_the_rate_lies_in_its_interval(met: int, missed: int) -> None:
    value = Reproduction(met, met + missed)
    low, high = value.interval
    assert 0 <= low <= value.rate <= high <= 1


def test_more_than_all_is_no_share() -> None:
    with pytest.raises(ValueError, match="share"):
        wilson_interval(3, 2)


def test_it_reads_as_a_share_with_its_bounds() -> None:
    assert str(Reproduction(19, 20)) == "19 of 20 (76% to 99%)"

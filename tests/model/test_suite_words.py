"""Numbers of steps in words."""

from __future__ import annotations

import pytest

from fewtaps.model import words


@pytest.mark.parametrize(
    ("numbers", "text"),
    [([3], "step 3"), ([0, 1], "steps 0–1"), ([7, 0, 1, 2, 2], "steps 0–2, 7"), ([1, 3], "steps 1, 3")],
)
def test_steps_in_a_row_are_one_stretch(numbers: list[int], text: str) -> None:
    assert words.steps(numbers) == text

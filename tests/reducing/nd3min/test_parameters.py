"""Settings that make no sense are refused in one line."""

from __future__ import annotations

from typing import Any

import pytest

from fewtaps.errors import UsageError
from fewtaps.reducing.nd3min.parameters import Nd3minParameters
from fewtaps.reducing.nd3min.tally import Tally


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"needed": 21}, "needed is 21: it must be between 1 and runs"),
        ({"needed": 0}, "needed is 0"),
        ({"runs": 0, "needed": 0, "precheck": 0}, "at least one run"),
        ({"devices": 0}, "devices is 0: at least one is needed"),
        ({"candidates": 1}, "at least 2 parts"),
        ({"precheck": 21}, "precheck is 21"),
        ({"slack": 1.0}, "slack is 1"),
    ],
)
def test_impossible_settings_are_refused(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        Nd3minParameters(**settings)
    assert "\n" not in str(caught.value)


def test_the_defaults_are_the_papers() -> None:
    paper = Nd3minParameters()
    assert (paper.runs, paper.needed, paper.candidates, paper.devices, paper.precheck) == (20, 18, 5, 15, 15)
    assert (paper.rate, paper.spare) == (0.9, 2)
    assert paper.trusted_rate == pytest.approx(0.85)


def test_a_tally_is_open_until_it_passes_or_cannot_any_more() -> None:
    paper = Nd3minParameters()
    assert Tally(17, 2).is_open(paper) and Tally(17, 2).room(paper) == 1
    assert Tally(18, 0).passes(paper) and Tally(18, 0).room(paper) == 0
    assert Tally(0, 3).fails(paper) and Tally(0, 3).room(paper) == 0
    assert Tally().rate == 0.0 and Tally(3, 1).rate == 0.75

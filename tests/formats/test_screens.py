"""Which profile a recording gets."""

from __future__ import annotations

import pytest

from fewtaps.errors import UsageError
from fewtaps.formats.screens import Measures, choose_profile, nearest_profile
from fewtaps.model.event import Tap
from fewtaps.model.profile import PROFILES
from fewtaps.model.trace import Step


@pytest.mark.parametrize("name", sorted(PROFILES))
def test_the_screen_of_a_profile_finds_it_upright_and_on_its_side(name: str) -> None:
    profile = PROFILES[name]
    assert nearest_profile((profile.width, profile.height, profile.dpi)) is profile
    assert nearest_profile((profile.height, profile.width, None)) is profile


@pytest.mark.parametrize(
    ("screen", "name"), [((1080, 2400, 420), "tall"), ((1080, 1794, None), "mi5"), ((480, 800, 240), "mi1")]
)
def test_the_nearest_profile_is_taken_and_told(screen: Measures, name: str) -> None:
    choice = choose_profile((), screen, None)
    assert choice.profile.name == name
    assert choice.screen is not None and choice.screen[:2] == screen[:2]
    assert name in choice.losses[0]


def test_a_wanted_profile_wins() -> None:
    assert choose_profile((), (320, 480, 160), "mi5").profile.name == "mi5"
    with pytest.raises(UsageError, match="--profile"):
        choose_profile((), None, "nokia")


def test_many_points_tell_the_smallest_screen_and_few_do_not() -> None:
    corners = [Step(Tap(479, 850)), *(Step(Tap(number, number)) for number in range(20))]
    assert choose_profile(corners, None, None).profile.name == "mi1"
    assert choose_profile(corners[:3], None, None).profile.name == "default"
    assert choose_profile([Step(Tap(1000, 1800))], None, None).profile.name == "mi5"


def test_a_guessed_screen_is_not_remembered_as_known() -> None:
    choice = choose_profile([Step(Tap(1, 1))], None, None)
    assert choice.screen is None
    assert "not recorded" in choice.losses[0]

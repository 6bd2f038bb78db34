"""What a farm sends: values come back equal, those of slotted dataclasses by their fields."""

from __future__ import annotations

import pickle
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from fewtaps.config import DeviceSettings, ExploreLimits, ExploreSettings
from fewtaps.errors import DeviceLost
from fewtaps.farm.packing import pack, unpack
from fewtaps.pipeline.exploring import explore_app
from fewtaps.store.database import open_store


@dataclass(frozen=True, slots=True)
class _Counted:
    """Its constructor does more than to keep its arguments."""

    number: int
    made: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "made", self.made + 1)


@dataclass(frozen=True, slots=True)
class _Own:
    """Says itself what is packed."""

    number: int
    cache: dict[int, int]

    def __getstate__(self) -> Any:
        return self.number

    def __setstate__(self, state: int) -> None:
        object.__setattr__(self, "number", state)
        object.__setattr__(self, "cache", {})


def test_the_episodes_of_an_exploration_come_back_equal_and_are_no_larger_than_python_makes_them(
    tmp_path: Path,
) -> None:
    settings = ExploreSettings(tmp_path, DeviceSettings(), ExploreLimits(events=200), pictures=False)
    explore_app("sim:bill", settings)
    with open_store(tmp_path) as store:
        (run,) = store.runs.all()
        episodes = list(store.runs.iter_episodes(run.run_id))
    assert episodes and [unpack(pack(episode)) for episode in episodes] == episodes
    plain = sum(len(zlib.compress(pickle.dumps(episode), 1)) for episode in episodes)
    assert sum(len(pack(episode)) for episode in episodes) < 1.1 * plain


def test_a_value_is_made_again_without_its_constructor() -> None:
    again = unpack(pack(_Counted(3)))
    assert again == _Counted(3) and again.made == 1


def test_a_class_that_says_itself_what_is_packed_is_asked() -> None:
    again = unpack(pack(_Own(3, {1: 2})))
    assert again.number == 3 and again.cache == {}


def test_a_value_with_a_missing_field_cannot_be_read() -> None:
    damaged = zlib.compress(zlib.decompress(pack((_Counted(3), "x"))).replace(b"K\x03K\x01\x86", b"K\x03\x85"))
    with pytest.raises(DeviceLost):
        unpack(damaged)

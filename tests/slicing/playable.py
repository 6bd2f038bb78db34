"""The demands as parameters of tests; those of crashes on an Android that is not on this machine are skipped."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from slicing.demanded import Demand

from fewtaps.device.twin.jars import JarStore
from fewtaps.tracefile import read_trace


def playable(demands: Iterable[Demand]) -> list[object]:
    """A parameter for each demand, by its name."""
    return [pytest.param(demand, id=demand.name, marks=_marks(demand)) for demand in demands]


def _marks(demand: Demand) -> tuple[pytest.MarkDecorator, ...]:
    level = dict(read_trace(demand.trace).phone).get("android", "").removesuffix("+")
    if not level or not JarStore().missing(f"android-{level}"):
        return ()
    return (pytest.mark.skip(reason=f"the Android of API level {level} has not been downloaded"),)

"""The slices of the samples' crashes show what each sample's `slice.toml` demands."""

from __future__ import annotations

import pytest
from slicing.compared import SlicedCrash, SliceLab, source_lines
from slicing.demanded import SAMPLES, Demand, demands
from slicing.playable import playable

from fewtaps.tracefile import read_trace

pytestmark = pytest.mark.jvm

FIRST = 10


@pytest.fixture(params=playable(demands()))
def demand(request: pytest.FixtureRequest) -> Demand:
    found: Demand = request.param
    return found


@pytest.fixture
def sliced(slice_lab: SliceLab, demand: Demand) -> SlicedCrash:
    return slice_lab.sliced(SAMPLES / f"{demand.sample}.apk", read_trace(demand.trace), demand.world)


def test_demanded_lines_are_in_the_slice(demand: Demand, sliced: SlicedCrash) -> None:
    missing = [str(line) for line in demand.must if line not in sliced.lines]
    assert missing == []
    if demand.only:
        assert sorted(sliced.lines) == sorted(demand.must)


def test_lines_that_ran_and_do_not_matter_are_not_in_the_slice(demand: Demand, sliced: SlicedCrash) -> None:
    ran = sliced.ran()
    assert [str(line) for line in demand.must_not if line not in ran] == []
    assert [str(line) for line in demand.must_not if line in sliced.lines] == []


def test_the_lines_that_tell_most_are_among_the_first(demand: Demand, sliced: SlicedCrash) -> None:
    assert [str(line) for line in demand.first if line not in sliced.lines[:FIRST]] == []


def test_what_did_not_happen_is_told(demand: Demand, sliced: SlicedCrash) -> None:
    told = tuple(source_lines((omission.place.file, omission.place.line) for omission in sliced.slice.omissions))
    assert [str(line) for line in demand.did_not_happen if line not in told] == []


def test_the_steps_of_the_papers_example_are_exact(demand: Demand, sliced: SlicedCrash) -> None:
    if demand.steps is not None:
        assert tuple(sorted(sliced.slice.steps)) == demand.steps


def test_every_read_shows_the_value_that_the_slice_says(
    slice_lab: SliceLab, demand: Demand, sliced: SlicedCrash
) -> None:
    check = slice_lab.checked(SAMPLES / f"{demand.sample}.apk", sliced)
    assert check.reads > 0
    assert (check.wrong, check.broken_flow) == ((), 0)

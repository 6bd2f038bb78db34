"""What a slice leaves out does not matter: without a store outside the slice the app crashes as before."""

from __future__ import annotations

import pytest
from slicing.compared import SliceLab, build_of
from slicing.demanded import SAMPLES, Demand, demands
from slicing.dropped import dropped_runs, unexplained
from slicing.playable import playable
from slicing.written_truth import SLOW, WrittenTruth, programs

from fewtaps.tracefile import read_trace

pytestmark = [pytest.mark.jvm, pytest.mark.slow, pytest.mark.timeout(900)]

# Of one crash: the samples have hundreds of stores that slices leave out. `benchmarks/slice_enough.py` drops more.
MOST_OF_ONE = 3

OF_LARGE_SAMPLES = {"museum": "museum-crash-audio", "vault": "vault-crash"}
"""Of samples whose recordings take many seconds one crash is enough here. The benchmark plays all."""


@pytest.mark.parametrize(
    "program",
    # An app that ends itself has no crash to compare.
    [program for program in programs() if program.name not in SLOW | {"ExitProgram"}],
    ids=lambda program: program.name,
)
def test_a_store_outside_the_slice_of_a_program_does_not_matter(slice_lab: SliceLab, program: WrittenTruth) -> None:
    apk = build_of("debug")
    sliced = slice_lab.sliced(apk, program.trace)
    runs = dropped_runs(slice_lab, program.name, apk, sliced, file=program.file, most=MOST_OF_ONE)
    assert unexplained(list(runs)) == []


@pytest.mark.parametrize(
    "demand",
    playable(each for each in demands() if OF_LARGE_SAMPLES.get(each.sample, each.name) == each.name),
)
def test_a_store_outside_the_slice_of_a_sample_does_not_matter(slice_lab: SliceLab, demand: Demand) -> None:
    apk = SAMPLES / f"{demand.sample}.apk"
    sliced = slice_lab.sliced(apk, read_trace(demand.trace), demand.world)
    runs = list(dropped_runs(slice_lab, demand.name, apk, sliced, world=sliced.run.trace.world, most=MOST_OF_ONE))
    assert runs
    assert unexplained(runs) == []

"""The values at the criterion of every crash follow from the instructions of its slice."""

from __future__ import annotations

from pathlib import Path

import pytest
from slicing.compared import SlicedCrash, SliceLab, build_of
from slicing.demanded import SAMPLES, Demand, demands
from slicing.playable import playable
from slicing.written_truth import SLOW, WrittenTruth, programs

from fewtaps.slicing.recompute import Recomputed
from fewtaps.tracefile import read_trace

pytestmark = pytest.mark.jvm

# Of the programs every third: each takes a replay of its own. `benchmarks/slice_enough.py` does all of them.
EVERY_THIRD = [program for program in programs() if program.name not in SLOW][::3]
# A thread is in error there, a monitor or what the framework could not make, and no value.
WITHOUT_VALUES = {"WrongThreadProgram", "NoFrameProgram", "DeadlockProgram", "MonitorHeldProgram"}
SOME_PROGRAMS = [program for program in EVERY_THIRD if program.name not in WITHOUT_VALUES]


def recomputed(lab: SliceLab, apk: Path, sliced: SlicedCrash) -> Recomputed:
    criterion = sliced.slicer.criterion_of_crash(sliced.crash)
    return sliced.slicer.recompute(criterion, lab.values(apk, sliced))


@pytest.mark.parametrize("program", SOME_PROGRAMS, ids=lambda program: program.name)
def test_the_values_at_the_criterion_of_a_program_follow_from_its_slice(
    slice_lab: SliceLab, program: WrittenTruth
) -> None:
    apk = build_of("debug")
    found = recomputed(slice_lab, apk, slice_lab.sliced(apk, program.trace))
    assert (found.wrong, found.missing) == ((), ())
    assert found.criterion and found.values


@pytest.mark.parametrize("demand", playable(demands()))
def test_the_values_at_the_criterion_of_a_sample_follow_from_its_slice(slice_lab: SliceLab, demand: Demand) -> None:
    apk = SAMPLES / f"{demand.sample}.apk"
    found = recomputed(slice_lab, apk, slice_lab.sliced(apk, read_trace(demand.trace), demand.world))
    assert (found.wrong, found.missing) == ((), ())
    assert found.criterion and found.values

"""The slices of the small programs are the ones written into their sources, line for line, in all three builds."""

from __future__ import annotations

import pytest
from slicing.compared import BuildLines, SliceLab, build_of, difference, read_left_out
from slicing.demanded import SourceLine
from slicing.written_truth import WrittenTruth, programs

pytestmark = pytest.mark.jvm

BUILDS = ("debug", "release", "shrunk")
LEFT_OUT = read_left_out()


def lines_of(build: str, program: WrittenTruth) -> BuildLines:
    return LEFT_OUT[build].get(program.name, BuildLines())


@pytest.mark.parametrize("program", programs(), ids=lambda program: program.name)
@pytest.mark.parametrize("build", BUILDS)
def test_a_slice_is_the_one_that_the_source_says(slice_lab: SliceLab, build: str, program: WrittenTruth) -> None:
    sliced = slice_lab.sliced(build_of(build), program.trace)
    assert difference(program, sliced, lines_of(build, program)) == []


@pytest.mark.parametrize("program", programs(), ids=lambda program: program.name)
@pytest.mark.parametrize("build", BUILDS)
def test_only_lines_without_code_are_left_out(slice_lab: SliceLab, build: str, program: WrittenTruth) -> None:
    code = slice_lab.sliced(build_of(build), program.trace).code_lines()
    without_code = {number for number in program.full if SourceLine(program.file, number) not in code}
    assert without_code == lines_of(build, program).without_code


@pytest.mark.parametrize("program", programs(), ids=lambda program: program.name)
def test_lines_marked_out_did_run_unless_they_have_no_code(slice_lab: SliceLab, program: WrittenTruth) -> None:
    sliced = slice_lab.sliced(build_of("debug"), program.trace)
    idle = sliced.code_lines() - sliced.ran()
    assert [number for number in sorted(program.out) if SourceLine(program.file, number) in idle] == []


@pytest.mark.parametrize("program", programs(), ids=lambda program: program.name)
def test_thin_is_part_of_full_and_both_have_the_criterion(slice_lab: SliceLab, program: WrittenTruth) -> None:
    sliced = slice_lab.sliced(build_of("debug"), program.trace)
    assert sliced.thin_lines <= frozenset(sliced.lines)
    assert sliced.slice.lines[0].thin
    assert sliced.slice.lines[0].distance == 0


@pytest.mark.parametrize("program", programs(), ids=lambda program: program.name)
def test_the_same_recording_gives_the_same_slice(slice_lab: SliceLab, program: WrittenTruth) -> None:
    sliced = slice_lab.sliced(build_of("debug"), program.trace)
    again = sliced.slicer.slice(sliced.slicer.criterion_of_crash(sliced.crash))
    assert again == sliced.slice

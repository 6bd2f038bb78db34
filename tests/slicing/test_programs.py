"""The slices of the small programs are the ones written into their sources, line for line, in all builds."""

from __future__ import annotations

import os

import pytest
from slicing.compared import BuildLines, SliceLab, build_of, difference, read_left_out
from slicing.demanded import SourceLine
from slicing.written_truth import SLOW, WrittenTruth, programs

pytestmark = pytest.mark.jvm

BUILDS = ("debug", "release", "shrunk")
LEFT_OUT = read_left_out()
PROGRAMS = [program for program in programs() if program.name not in SLOW]
CASES = [(build, program) for build in BUILDS for program in PROGRAMS]
# R8 moves code between methods and classes here: `left-out.toml` names the programs that are compared.
OPTIMIZED = [program for program in programs() if program.name in LEFT_OUT["optimized"]]


def name_of(value: object) -> str:
    return value.name if isinstance(value, WrittenTruth) else str(value)


def lines_of(build: str, program: WrittenTruth) -> BuildLines:
    return LEFT_OUT[build].get(program.name, BuildLines())


@pytest.mark.parametrize(("build", "program"), CASES, ids=name_of)
def test_a_slice_is_the_one_that_the_source_says(slice_lab: SliceLab, build: str, program: WrittenTruth) -> None:
    sliced = slice_lab.sliced(build_of(build), program.trace)
    assert difference(program, sliced, lines_of(build, program)) == []


@pytest.mark.skipif("FEWTAPS_SLOW_PROGRAMS" not in os.environ, reason="takes minutes; set FEWTAPS_SLOW_PROGRAMS")
@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("program", [each for each in programs() if each.name in SLOW], ids=name_of)
def test_the_slice_of_a_slow_program_is_the_one_that_the_source_says(
    slice_lab: SliceLab, program: WrittenTruth, build: str
) -> None:
    assert difference(program, slice_lab.sliced(build_of(build), program.trace), lines_of(build, program)) == []


@pytest.mark.parametrize("program", OPTIMIZED, ids=name_of)
def test_a_slice_leads_through_inlined_methods_and_merged_classes(slice_lab: SliceLab, program: WrittenTruth) -> None:
    sliced = slice_lab.sliced(build_of("optimized"), program.trace)
    build = lines_of("optimized", program)
    code = sliced.code_lines()
    without_code = {number for number in program.full if SourceLine(program.file, number) not in code}
    assert without_code == build.without_code
    assert difference(program, sliced, build) == []


@pytest.mark.parametrize(("build", "program"), CASES, ids=name_of)
def test_only_lines_without_code_are_left_out(slice_lab: SliceLab, build: str, program: WrittenTruth) -> None:
    code = slice_lab.sliced(build_of(build), program.trace).code_lines()
    without_code = {number for number in program.full if SourceLine(program.file, number) not in code}
    assert without_code == lines_of(build, program).without_code


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_lines_marked_out_did_run_unless_they_have_no_code(slice_lab: SliceLab, program: WrittenTruth) -> None:
    sliced = slice_lab.sliced(build_of("debug"), program.trace)
    idle = sliced.code_lines() - sliced.ran()
    assert [number for number in sorted(program.out) if SourceLine(program.file, number) in idle] == []


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_thin_is_part_of_full_and_both_have_the_criterion(slice_lab: SliceLab, program: WrittenTruth) -> None:
    sliced = slice_lab.sliced(build_of("debug"), program.trace)
    assert sliced.thin_lines <= frozenset(sliced.lines)
    assert sliced.slice.lines[0].thin
    assert sliced.slice.lines[0].distance == 0


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_the_same_recording_gives_the_same_slice(slice_lab: SliceLab, program: WrittenTruth) -> None:
    sliced = slice_lab.sliced(build_of("debug"), program.trace)
    again = sliced.slicer.slice(sliced.slicer.criterion_of_crash(sliced.crash))
    assert again == sliced.slice


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_every_read_shows_the_value_that_the_slice_says(slice_lab: SliceLab, program: WrittenTruth) -> None:
    check = slice_lab.checked(build_of("debug"), slice_lab.sliced(build_of("debug"), program.trace))
    assert check.reads > 0
    assert (check.wrong, check.broken_flow) == ((), 0)


@pytest.mark.parametrize(
    ("name", "edges"),
    [
        ("FigureFourProgram", ["3 on 2: data by o1"]),
        (
            "FigureFivePauseProgram",
            ["1 on 1: lifecycle by FigureFivePauseProgram.onPause before FigureFivePauseProgram$Act8.onCreate"],
        ),
        # Both activities run in one step: only the lines say that one started the other.
        ("FigureFiveStartProgram", []),
        ("ListenerProgram", ["3 on 2: data by value", "3 on 1: control by setOnClickListener"]),
    ],
)
def test_the_kinds_of_dependences_between_steps_are_kept_apart(
    slice_lab: SliceLab, name: str, edges: list[str]
) -> None:
    (program,) = (each for each in PROGRAMS if each.name == name)
    found = slice_lab.sliced(build_of("debug"), program.trace).slice.event_edges
    assert [f"{each.source} on {each.target}: {each.kind.value} by {each.what}" for each in found] == edges

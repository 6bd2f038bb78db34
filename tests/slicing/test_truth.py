"""The truth that slices are compared with can be read, is complete, and speaks of lines that exist."""

from __future__ import annotations

from pathlib import Path

import pytest
from slicing.demanded import SAMPLES, Demand, demands, read_line, source_of
from slicing.written_truth import PACKAGE, PROGRAMS, SOURCES, WrittenTruth, programs, read_truth

# "At least 55 small ones": the figures of the paper are among them.
FEWEST_PROGRAMS = 55
# `programs` says the slices of its crashes in its sources.
WITHOUT_DEMANDS = {"programs"}


def test_there_are_enough_programs_and_each_is_in_the_manifest() -> None:
    names = {program.name for program in programs()}
    assert len(names) >= FEWEST_PROGRAMS
    assert (PROGRAMS / "NOTES.md").read_text(encoding="utf-8").startswith(f"# Programs\n\n{len(names)} small programs,")
    manifest = (PROGRAMS / "AndroidManifest.xml").read_text(encoding="utf-8")
    assert all(f'android:name=".{name}"' in manifest for name in names)
    assert {name for name in names if name.startswith("Figure")} == {
        *("FigureFourProgram", "FigureFiveBranchProgram", "FigureFiveStartProgram", "FigureFivePauseProgram"),
    }


@pytest.mark.parametrize("program", programs(), ids=lambda program: program.name)
def test_a_program_has_a_criterion_and_something_that_is_left_out_or_needed(program: WrittenTruth) -> None:
    assert program.thin
    assert program.thin <= program.full
    assert not program.out & program.full
    assert program.played[0] == "open"
    assert program.steps and program.steps[-1] == len(program.played)
    assert all(1 <= step <= len(program.played) for step in program.steps)
    assert len(program.trace.steps) == len(program.played) + 1


@pytest.mark.parametrize("program", programs(), ids=lambda program: program.name)
def test_a_marked_line_has_code(program: WrittenTruth) -> None:
    lines = (SOURCES / program.file).read_text(encoding="utf-8").splitlines()
    for number in program.full | program.out:
        code = lines[number - 1].partition("//")[0].strip()
        assert code, f"{program.file}:{number}"
        assert not code.startswith(("@", "*", "import", "package")), f"{program.file}:{number}"


def test_a_misspelt_mark_is_an_error(tmp_path: Path) -> None:
    source = tmp_path / "OddProgram.java"
    source.write_text("// Played: open. In the slice: 1.\nint a = 1; // Full\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"OddProgram.java:2: not a mark"):
        read_truth(source)


def test_a_program_that_does_not_say_what_is_played_is_an_error(tmp_path: Path) -> None:
    source = tmp_path / "OddProgram.java"
    source.write_text("int a = 1; // full\n", encoding="utf-8")
    with pytest.raises(ValueError, match="no line says what is played"):
        read_truth(source)


def test_the_trace_beside_the_programs_is_that_of_the_first_one_in_the_note() -> None:
    kept = (PROGRAMS / "crash.jsonl").read_text(encoding="utf-8")
    assert f"{PACKAGE}/.FieldProgram" in kept


def test_every_crash_of_every_sample_has_demands() -> None:
    traces = {
        (path.parent.name, path.stem)
        for path in SAMPLES.glob("*/crash*.jsonl")
        if path.parent.name not in WITHOUT_DEMANDS
    }
    assert {(demand.sample, demand.crash) for demand in demands()} == traces


@pytest.mark.parametrize("demand", demands(), ids=lambda demand: demand.name)
def test_demands_do_not_contradict_each_other(demand: Demand) -> None:
    assert demand.must and demand.must_not and demand.first
    assert not set(demand.must) & set(demand.must_not)
    assert set(demand.first) <= set(demand.must)
    assert len(demand.first) <= 10
    # What did not happen cannot be in a slice.
    assert not set(demand.did_not_happen) & set(demand.must)


def test_a_quotation_of_another_line_is_an_error() -> None:
    line = read_line("calc", "MainActivity.java:26 " + source_of("calc", "MainActivity.java")[25].strip())
    assert str(line) == "MainActivity.java:26"
    with pytest.raises(ValueError, match="MainActivity.java:27 is"):
        read_line("calc", "MainActivity.java:27 height = height - 1;")

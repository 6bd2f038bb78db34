"""What a slice leaves out does not matter: without a store outside the slice the app crashes as before."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from slicing.compared import SlicedCrash, SliceLab, build_of
from slicing.demanded import SAMPLES, Demand, SourceLine, demands
from slicing.written_truth import SLOW, WrittenTruth, programs

from fewtaps.device.mutated import MutatedSession
from fewtaps.errors import NotViable
from fewtaps.model.crash import Crash
from fewtaps.model.mutant import Mutant
from fewtaps.model.trace import Trace
from fewtaps.replay import play
from fewtaps.tracefile import read_trace

pytestmark = [pytest.mark.jvm, pytest.mark.slow, pytest.mark.timeout(900)]

DROPPED_STORES = "DROPPED_STORES"
# Of one crash: the samples have hundreds of stores that their slices leave out.
MOST_OF_ONE = 10

NOT_EXPLAINED = "not explained"
# Without the flag the thread waits for ever.
ENDS_A_LOOP = {("WaitNotifyProgram", SourceLine("WaitNotifyProgram.java", 21))}


@dataclass(frozen=True, slots=True)
class Dropped:
    """A run without one store: `difference` is None if the crash was the same."""

    name: str
    line: SourceLine
    difference: str | None


def told(crash: Crash | None) -> tuple[str, str | None] | None:
    """What a person reads of a crash: its signature and the message of the root cause."""
    if crash is None:
        return None
    return crash.signature, None if crash.root is None else crash.root.message


def is_lost(trace: Trace) -> bool:
    """Whether a step did not find its widget."""
    return any("not found" in note for step in trace.steps for note in step.notes)


def failing_line(crash: Crash | None) -> SourceLine | None:
    """The innermost line of the app in the root cause."""
    if crash is None or crash.root is None:
        return None
    places = (SourceLine(frame.file, frame.line) for frame in crash.root.frames if frame.file and frame.line)
    return next((place for place in places if place.file.endswith(".java")), None)


def stores_outside(sliced: SlicedCrash, mutants: tuple[Mutant, ...], file: str | None) -> list[Mutant]:
    """The stores on lines that ran and are not in the slice, evenly chosen; of one file if there is one."""
    outside = {line for line in sliced.ran() - frozenset(sliced.lines) if file is None or line.file == file}
    found = [mutant for mutant in mutants if mutant.file and SourceLine(mutant.file, mutant.line) in outside]
    return found[:: max(1, len(found) // MOST_OF_ONE)][:MOST_OF_ONE]


def dropped_runs(
    lab: SliceLab, name: str, apk: Path, sliced: SlicedCrash, world: int = 0, file: str | None = None
) -> list[Dropped]:
    """Plays the crash without each of the chosen stores."""
    session = lab.session(apk)
    runs = []
    for mutant in stores_outside(sliced, session.mutants([DROPPED_STORES]), file):
        try:
            trace = play(MutatedSession(session, mutant), sliced.run.trace.events, world=world)
        except NotViable:
            continue
        line = SourceLine(mutant.file or "", mutant.line)
        same = told(trace.crash) == told(sliced.crash)
        runs.append(Dropped(name, line, None if same else explained(name, line, sliced, trace)))
    return runs


def explained(name: str, dropped: SourceLine, sliced: SlicedCrash, trace: Trace) -> str:
    """Why a run differs, as docs/slicing-truth.md says that it may."""
    failed = failing_line(trace.crash)
    if failed is not None and failed != sliced.lines[0]:
        return "another line fails first"
    if is_lost(trace):
        return "a step does not find its widget"
    if (name, dropped) in ENDS_A_LOOP:
        return "a loop does not end"
    return f"{NOT_EXPLAINED}: {'no crash' if trace.crash is None else trace.crash.signature}"


def unexplained(runs: list[Dropped]) -> list[str]:
    return [f"{run.line}: {run.difference}" for run in runs if NOT_EXPLAINED in (run.difference or "")]


@pytest.mark.parametrize(
    "program",
    # An app that ends itself has no crash to compare.
    [program for program in programs() if program.name not in SLOW | {"ExitProgram"}],
    ids=lambda program: program.name,
)
def test_a_store_outside_the_slice_of_a_program_does_not_matter(slice_lab: SliceLab, program: WrittenTruth) -> None:
    apk = build_of("debug")
    sliced = slice_lab.sliced(apk, program.trace)
    assert unexplained(dropped_runs(slice_lab, program.name, apk, sliced, file=program.file)) == []


@pytest.mark.parametrize("demand", demands(), ids=lambda demand: demand.name)
def test_a_store_outside_the_slice_of_a_sample_does_not_matter(slice_lab: SliceLab, demand: Demand) -> None:
    apk = SAMPLES / f"{demand.sample}.apk"
    sliced = slice_lab.sliced(apk, read_trace(demand.trace), demand.world)
    runs = dropped_runs(slice_lab, demand.name, apk, sliced, demand.world or 0)
    assert runs
    assert unexplained(runs) == []

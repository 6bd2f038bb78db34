"""Runs of a crash in which one store outside the slice is dropped, and why a run may differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from slicing.compared import SlicedCrash, SliceLab
from slicing.demanded import SourceLine

from fewtaps.device.mutated import MutatedSession
from fewtaps.errors import NotViable
from fewtaps.model.crash import Crash
from fewtaps.model.mutant import Mutant
from fewtaps.model.recorded_code import Block
from fewtaps.model.trace import Trace
from fewtaps.replay import finds_widget, play
from fewtaps.slicing.code_tables import MethodTable
from fewtaps.slicing.criteria import Criterion, places_at, rows_that_ran
from fewtaps.slicing.nodes import FAILED, WHOLE

DROPPED_STORES = "DROPPED_STORES"
NOT_EXPLAINED = "not explained"


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


def failing_lines(crash: Crash | None) -> tuple[SourceLine, ...]:
    """The lines of the app in the root cause, the innermost first."""
    if crash is None or crash.root is None:
        return ()
    places = (SourceLine(frame.file, frame.line) for frame in crash.root.frames if frame.file and frame.line)
    return tuple(place for place in places if place.file.endswith(".java"))


def stores_outside(sliced: SlicedCrash, mutants: tuple[Mutant, ...], file: str | None, most: int) -> list[Mutant]:
    """The stores on lines that ran and are not in the slice, evenly chosen; of one file if there is one."""
    outside = {line for line in sliced.ran() - frozenset(sliced.lines) if file is None or line.file == file}
    found = [mutant for mutant in mutants if mutant.file and SourceLine(mutant.file, mutant.line) in outside]
    return found[:: max(1, len(found) // most)][:most]


def dropped_runs(
    lab: SliceLab, name: str, apk: Path, sliced: SlicedCrash, *, world: int = 0, file: str | None = None, most: int = 10
) -> Iterator[Dropped]:
    """Plays the crash without each of the chosen stores."""
    session = lab.session(apk)
    for mutant in stores_outside(sliced, session.mutants([DROPPED_STORES]), file, most):
        try:
            trace = play(MutatedSession(session, mutant), sliced.run.trace.events, world=world)
        except NotViable:
            continue
        line = SourceLine(mutant.file or "", mutant.line)
        same = told(trace.crash) == told(sliced.crash)
        yield Dropped(name, line, None if same else explained(line, sliced, trace))


def explained(dropped: SourceLine, sliced: SlicedCrash, trace: Trace) -> str:
    """Why a run differs, as docs/slicing-truth.md says that it may; each reason is shown by the recording itself."""
    for failed in failing_lines(trace.crash):
        if failed in sliced.ran() and depend_on(sliced, [failed], dropped):
            return f"{failed} fails first, which depends on the store"
    if any(not finds_widget(step.event, step.before) for step in trace.steps):
        return "a step does not find its widget"
    if ends_a_loop(sliced, dropped):
        return "a loop or a wait does not end"
    crash = (
        "no crash" if trace.crash is None else " ".join(map(str, (trace.crash.summary, *failing_lines(trace.crash))))
    )
    return f"{NOT_EXPLAINED}: {crash}"


def depend_on(sliced: SlicedCrash, lines: Iterable[SourceLine], dropped: SourceLine) -> bool:
    """Whether any of some lines that ran in the recorded run depends there on another one, by the slicer's own answer.

    What a line would depend on if it failed counts too: a call that fails has read more than it passes on.
    """
    index = sliced.slicer.index
    starts = [
        (row, number, role)
        for line in lines
        for table, number in places_at(index, line.file, line.number)
        for rows in [rows_that_ran(index, table, number)]
        for row in dict.fromkeys([*rows[:3], *rows[-3:]])
        for role in (WHOLE, FAILED)
    ]
    if not starts:
        return False
    (row, number, _), *others = starts
    graph = sliced.slicer.dependence_graph(Criterion(row, number, None, "", also=tuple(others)), full=True)
    return any(is_at(index.frame_of(node.row).method, node.instruction, dropped) for node in graph.visits)


def is_at(table: MethodTable, instruction: int, line: SourceLine) -> bool:
    """Whether an instruction is on a line."""
    return (table.owner.file, table.code.instructions[instruction].line) == (line.file, line.number)


def ends_a_loop(sliced: SlicedCrash, dropped: SourceLine) -> bool:
    """Whether a condition of a loop that ran depends on the line: what ends a loop decides nothing after it."""
    return depend_on(sliced, sorted(loop_conditions(sliced)), dropped)


def loop_conditions(sliced: SlicedCrash) -> frozenset[SourceLine]:
    """The lines of the branches that lie in a cycle of their method."""
    found: set[SourceLine] = set()
    for owner in sliced.slicer.index.record.code.classes.values():
        for method in owner.methods:
            for number, block in enumerate(method.blocks):
                branches = len(block.successors) > 1 and block.last >= block.first
                if branches and owner.file and owner.is_app and _reaches(method.blocks, number):
                    found.add(SourceLine(owner.file, method.instructions[block.last].line))
    return frozenset(found & sliced.ran())


def _reaches(blocks: tuple[Block, ...], start: int) -> bool:
    """Whether a block can be reached from itself."""
    waiting, seen = [start], set[int]()
    while waiting:
        for each in blocks[waiting.pop()].successors:
            if each == start:
                return True
            if each >= 0 and each not in seen:
                seen.add(each)
                waiting.append(each)
    return False


def unexplained(runs: list[Dropped]) -> list[str]:
    """The runs that differ without a reason."""
    return [f"{run.line}: {run.difference}" for run in runs if NOT_EXPLAINED in (run.difference or "")]

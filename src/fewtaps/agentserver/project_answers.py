"""How the tools that work on projects say what they found: answers as data, and as lines of text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from fewtaps.agentserver.answers import (
    ClassCoverageAnswer,
    CountAnswer,
    CrashDetailAnswer,
    ExportAnswer,
    FoundCrashAnswer,
    SliceAnswer,
    SliceLineAnswer,
    SuiteAnswer,
    TestAnswer,
    WrittenFileAnswer,
)
from fewtaps.agentserver.app_tools import crash_answer, crash_lines
from fewtaps.agentserver.quoting import NOTICE, bounded, clean, counted, from_app
from fewtaps.agentserver.tool import ToolReply
from fewtaps.model import words
from fewtaps.model.crash import Crash
from fewtaps.model.event import describe
from fewtaps.model.result import Reproduction
from fewtaps.model.slice import Slice, SlicedLine
from fewtaps.model.suite_result import SuiteResult, SuiteTestResult, SuiteTestStatus
from fewtaps.model.summary import ClassSummary
from fewtaps.model.trace import Trace
from fewtaps.pipeline.cases import Case
from fewtaps.pipeline.exporting import FoundSteps, Written

MOST_CRASHES = 20
"""Crashes in one answer at most."""
MOST_STEPS = 60
"""Steps of a trace in one answer at most."""
FOREIGN_FRAMES = 2
"""Frames in a row that are not the app's own in a stack at most."""
MOST_SLICE_LINES = 20
MOST_TESTS = 20
MOST_NUMBERS = 400
MOST_NOTES = 5
LONGEST_FILE = 20_000
"""Characters of a written test in an answer at most, if so many are asked for."""


def found_crash(case: Case) -> FoundCrashAnswer:
    rate: Reproduction | None = case.reproduction
    return FoundCrashAnswer(
        crash=crash_answer(case.row.crash),
        times=case.row.times,
        steps=case.steps,
        met=None if rate is None else rate.met,
        runs=None if rate is None else rate.runs,
        is_reduced=case.is_reduced,
    )


def case_lines(cases: Sequence[Case]) -> Iterator[str]:
    for case in cases[:MOST_CRASHES]:
        yield from crash_lines(case.row.crash)
        rate = case.reproduction
        often = "not replayed" if rate is None else f"replays in {rate.met} of {rate.runs} worlds"
        yield f"  {counted(case.steps, 'step')}, {often}, seen {counted(case.row.times, 'time')}"
    if len(cases) > MOST_CRASHES:
        yield f"… {len(cases) - MOST_CRASHES} more crashes were left out"


def detail_lines(
    case: Case, stack: Sequence[str], answer: CrashDetailAnswer, made: Slice | None, numbers: Sequence[int]
) -> Iterator[str]:
    yield f"Crash {case.row.fingerprint[:8]} of {answer.project}, world {case.trace.world}. {NOTICE}"
    yield from list(case_lines([case]))
    yield from step_lines(case.trace)
    yield from (f"stack {from_app(line.strip(), 300)}" for line in stack)
    if answer.stack_left_out:
        yield f"… {answer.stack_left_out} more lines of the stack were left out"
    if made is None:
        yield "There is no slice of it yet; explain makes one."
    else:
        yield from slice_lines(made)
    if numbers:
        yield f"Pictures: the screens after {words.steps(numbers)}."


def stack_lines(crash: Crash) -> Iterator[str]:
    """The lines of the stack; of frames in a row that are not the app's, the first two."""
    for is_foreign, run in groupby(crash.lines(), lambda line: line[1] is not None and not line[1].is_app):
        lines = [text for text, _ in run]
        kept = lines[:FOREIGN_FRAMES] if is_foreign else lines
        yield from kept
        if len(lines) > len(kept):
            yield f"… {counted(len(lines) - len(kept), 'frame')} that are not the app's"


def step_texts(trace: Trace) -> tuple[str, ...]:
    return tuple(clean(describe(event)) for event in trace.events[:MOST_STEPS])


def step_lines(trace: Trace) -> Iterator[str]:
    for number, event in enumerate(trace.events[:MOST_STEPS]):
        yield f"step {number} {from_app(describe(event))}"
    if len(trace.events) > MOST_STEPS:
        yield f"… {len(trace.events) - MOST_STEPS} more steps were left out"


def _shown_lines(made: Slice) -> tuple[SlicedLine, ...]:
    return tuple(line for number, line in enumerate(made.lines) if line.place.is_app or number == 0)


def slice_answer(made: Slice) -> SliceAnswer:
    own = _shown_lines(made)
    return SliceAnswer(
        app_criterion=clean(made.criterion, 300),
        steps=made.steps[:MOST_NUMBERS],
        lines=tuple(
            SliceLineAnswer(
                app_place=clean(line.place.source_name),
                app_code=clean(line.code, 200),
                app_value=None if line.value is None else clean(line.value),
                why=words.DEPENDENCES[line.kind],
                steps=line.steps[:MOST_NUMBERS],
            )
            for line in own[:MOST_SLICE_LINES]
        ),
        lines_left_out=max(0, len(made.lines) - MOST_SLICE_LINES),
        app_omissions=tuple(clean(each.sentence, 300) for each in made.omissions[:MOST_NOTES]),
    )


def slice_lines(made: Slice) -> Iterator[str]:
    yield f"sliced from {from_app(made.criterion, 300)}"
    if made.steps:
        yield f"it depends on {words.steps(made.steps)}"
    own = _shown_lines(made)
    for line in own[:MOST_SLICE_LINES]:
        value = "" if line.value is None else f" with the value {from_app(line.value)}"
        ran = f" [{words.steps(line.steps)}]" if line.steps else ""
        code = f"{from_app(line.place.source_name)} {from_app(line.code, 200)}"
        yield f"  {words.DEPENDENCES[line.kind]}: {code}{value}{ran}"
    if len(made.lines) > min(len(own), MOST_SLICE_LINES):
        yield f"… {len(made.lines) - min(len(own), MOST_SLICE_LINES)} more lines were left out"
    yield from (f"did not happen {from_app(each.sentence, 300)}" for each in made.omissions[:MOST_NOTES])


def export_reply(format: str, written: Written, found: FoundSteps, limit: int) -> ToolReply[ExportAnswer]:
    name = written.path.name if written.path is not None else written.export.file_name(found.finding)
    text = None if written.path is not None else written.text[:limit]
    left_out = 0 if written.path is not None else max(0, len(written.text) - limit)
    file = WrittenFileAnswer(clean(name), None if written.path is None else str(written.path), text, left_out)
    losses = tuple(clean(loss, 300) for loss in written.losses)
    lines = [f"The steps of crash {found.finding.crash.fingerprint[:8]} for {format}. {NOTICE}"]
    lines += [f"not said in this format: {from_app(loss, 300)}" for loss in losses]
    if text is None:
        lines.append(f"written to {written.path}")
    else:
        # Exports keep a text of the app on one line, inside a literal or a comment.
        lines.append("The file follows, each line behind a bar:")
        lines += [f"| {line}" for line in text.splitlines()]
    if left_out:
        lines.append(f"… {left_out} more characters were left out; name an output file to get all")
    return ToolReply(ExportAnswer(format, (file,), 0, losses), bounded(lines, LONGEST_FILE + 4000))


def suite_answer(result: SuiteResult) -> SuiteAnswer:
    counts = Counter(each.status for each in result.results)
    bad = [each for each in result.results if not each.status.is_pass and each.status is not SuiteTestStatus.NOT_RUN]
    return SuiteAnswer(
        tests=len(result.results),
        counts=tuple(CountAnswer(status.value, counts[status]) for status in SuiteTestStatus if counts[status]),
        is_failure=result.is_failure,
        not_passed=tuple(map(_test_answer, bad[:MOST_TESTS])),
        not_passed_left_out=max(0, len(bad) - MOST_TESTS),
        notes=tuple(clean(note, 300) for note in result.notes[:MOST_NOTES]),
    )


def _test_answer(result: SuiteTestResult) -> TestAnswer:
    shown = result.shown
    reasons: list[str] = []
    found: Crash | None = None
    if shown is not None:
        reasons = [f"{each.kind.value}: expected {each.expected}, seen {each.seen}" for each in shown.differences]
        found = shown.crash
    if found is not None:
        reasons.append(found.summary)
    return TestAnswer(
        app_name=clean(result.name),
        status=result.status.value,
        step=None if shown is None else shown.step,
        app_reasons=tuple(clean(reason, 300) for reason in reasons[:MOST_NOTES]),
    )


def class_answer(found: ClassSummary) -> ClassCoverageAnswer:
    counts = found.counts
    return ClassCoverageAnswer(
        app_name=clean(found.name, 200),
        app_file=None if found.file is None else clean(found.file),
        lines_covered=counts.lines.covered,
        lines_total=counts.lines.total,
        branches_covered=counts.branches.covered,
        branches_total=counts.branches.total,
        methods_covered=counts.methods.covered,
        methods_total=counts.methods.total,
    )


def class_line(found: ClassCoverageAnswer) -> str:
    return (
        f"class {from_app(found.app_name, 200)} lines {found.lines_covered} of {found.lines_total},"
        f" branches {found.branches_covered} of {found.branches_total},"
        f" methods {found.methods_covered} of {found.methods_total}"
    )

"""Tools that work on projects: find crashes, show and explain them, replay, reduce, write tests, run suites."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Annotated

from fewtaps.agentserver.answers import (
    AppRunAnswer,
    CoverageAnswer,
    CrashDetailAnswer,
    CrashListAnswer,
    ExportAnswer,
    ReductionAnswer,
    ReplayAnswer,
    SliceAnswer,
    SuiteAnswer,
)
from fewtaps.agentserver.app_tools import crash_answer, crash_lines
from fewtaps.agentserver.pictures import smaller
from fewtaps.agentserver.project_answers import (
    LONGEST_FILE,
    MOST_CRASHES,
    MOST_NOTES,
    MOST_NUMBERS,
    case_lines,
    class_answer,
    class_line,
    detail_lines,
    export_reply,
    found_crash,
    slice_answer,
    slice_lines,
    stack_lines,
    step_lines,
    step_texts,
    suite_answer,
)
from fewtaps.agentserver.quoting import NOTICE, bounded, clean, counted, from_app
from fewtaps.agentserver.schemas import Limits
from fewtaps.agentserver.tool import CallWork, Lane, ToolReply, make_tool
from fewtaps.agentserver.workbench import Workbench
from fewtaps.config import (
    EXPORTED,
    ReduceSettings,
    ReplaySettings,
    RunSettings,
    SliceSettings,
    SuiteRunSettings,
)
from fewtaps.errors import NotFound, UsageError
from fewtaps.model import words
from fewtaps.model.event import printable
from fewtaps.pipeline.cases import read_project_cases
from fewtaps.pipeline.exporting import find_crash, find_steps, write_exports
from fewtaps.pipeline.findings import by_weight, read_class_coverage, read_coverage
from fewtaps.pipeline.news import CandidateRun, EpisodeKept, News, SuiteTestDone, Tell
from fewtaps.pipeline.playing import Play
from fewtaps.pipeline.reducing import reduce_file
from fewtaps.pipeline.replaying import replay_source
from fewtaps.pipeline.running import run_app
from fewtaps.pipeline.slicing import slice_project
from fewtaps.pipeline.sources import TraceSource, find_trace
from fewtaps.pipeline.suite_app import last_app
from fewtaps.pipeline.testing import run_suite as play_suite
from fewtaps.stopping import stopped_by

MOST_FRAMES = 30
MOST_PICTURES = 6
MOST_CLASSES = 20
SHORT_FILE = 3000
"""Characters of a written test in an answer, unless more are asked for."""
SECONDS_BETWEEN_REPORTS = 0.5

App = Annotated[str, Limits("The path of the APK file in an allowed folder.")]
Project = Annotated[str, Limits("The folder of the project, or the APK file that it was made from.")]
MaybeProject = Annotated[str | None, Limits("The folder of the project; by default fewtaps-NAME for NAME.apk.")]
CrashId = Annotated[str, Limits("The id of a crash, or its first digits.", longest=12)]
Steps = Annotated[str, Limits("The id of a crash of the project, or the path of a trace file.")]
Minutes = Annotated[float, Limits("The time limit.", low=0.01, high=600)]
Jobs = Annotated[int, Limits("So many devices share the work; each takes half a gigabyte of memory.", low=1, high=8)]


def run(
    bench: Workbench,
    work: CallWork,
    app: App,
    project: MaybeProject = None,
    minutes: Minutes = 2.0,
    events: Annotated[int | None, Limits("Stop exploring after so many events.", low=1, high=10_000_000)] = None,
    seed: Annotated[int, Limits("The same seed repeats the exploration.", low=0, high=1e9)] = 1,
    jobs: Jobs = 1,
    suite: Annotated[bool, Limits("Also make a suite of tests of what was explored.")] = False,
) -> ToolReply[AppRunAnswer]:
    """Explore an app, reduce each crash that is found to few steps, replay these for their rate, and slice them.
    Reports progress. A run that was cancelled, or whose time is up, goes on when it is called again."""
    folder = bench.new_project(project, app)
    settings = RunSettings(
        folder=folder, device=bench.device, minutes=minutes, events=events, seed=seed, jobs=jobs, makes_suite=suite
    )
    ran = run_app(bench.folders.app(app), settings, _reporting(work, minutes * 60))
    # A client that has cancelled the call reads no answer.
    work.check()
    if ran.failure is not None and not ran.cases:
        raise ran.failure
    cases = sorted(ran.cases, key=by_weight)
    progress, end = ran.explored.progress, words.exploration_end(ran.explored.end)
    made = None if ran.suite is None or not ran.suite.is_there else str(ran.suite.folder)
    notes = (str(ran.failure),) if ran.failure is not None else ()
    answer = AppRunAnswer(
        project=str(folder),
        ended=clean(end, 200),
        interrupted=ran.is_interrupted,
        events=progress.events,
        states=progress.states,
        lines_covered=progress.lines,
        lines_total=None if progress.totals is None else progress.totals.lines,
        crashes=tuple(found_crash(case) for case in cases[:MOST_CRASHES]),
        crashes_left_out=max(0, len(cases) - MOST_CRASHES),
        suite=made,
        notes=tuple(clean(note, 300) for note in notes),
    )
    covered = f"{progress.lines} of {answer.lines_total} lines" if answer.lines_total else f"{progress.lines} lines"
    head = f"{progress.events} events, {progress.states} states, {covered} covered. Ended: {answer.ended}. {NOTICE}"
    tail = ["Next: crash and explain for one of these, write_test for a test of it."] if cases else []
    return ToolReply(answer, bounded([head, f"project {folder}", *case_lines(cases), *tail]))


def crashes(bench: Workbench, work: CallWork, project: Project) -> ToolReply[CrashListAnswer]:
    """List the crashes of a project: what, where, how many steps, how often they replay."""
    folder = bench.project(project)
    cases = read_project_cases(folder)
    answer = CrashListAnswer(
        str(folder),
        tuple(found_crash(case) for case in cases[:MOST_CRASHES]),
        max(0, len(cases) - MOST_CRASHES),
    )
    return ToolReply(answer, bounded([f"{counted(len(cases), 'crash')} in {folder}. {NOTICE}", *case_lines(cases)]))


def crash(
    bench: Workbench,
    work: CallWork,
    project: Project,
    id: CrashId,
    pictures: Annotated[bool, Limits("Also return pictures of the screens before the last steps.")] = False,
    frames: Annotated[int, Limits("Lines of the stack at most.", low=1, high=200)] = MOST_FRAMES,
) -> ToolReply[CrashDetailAnswer]:
    """One crash of a project: its fewest steps, its stack, the slice if one was made, and on request pictures."""
    folder = bench.project(project)
    kept = find_crash(id, folder)
    case, made = kept.case, kept.found.finding.slice
    stack = list(stack_lines(case.row.crash))
    numbers = sorted(kept.found.pictures)[-MOST_PICTURES:] if pictures else []
    answer = CrashDetailAnswer(
        project=str(folder),
        found=found_crash(case),
        world=case.trace.world,
        app_steps=step_texts(case.trace),
        app_stack=tuple(clean(line, 300) for line in stack[:frames]),
        stack_left_out=max(0, len(stack) - frames),
        slice=None if made is None else slice_answer(made),
        pictures=len(numbers),
    )
    text = bounded(detail_lines(case, stack[:frames], answer, made, numbers))
    return ToolReply(answer, text, tuple(smaller(kept.found.pictures[number].read_bytes()) for number in numbers))


def explain(
    bench: Workbench,
    work: CallWork,
    project: Project,
    id: CrashId,
    sources: Annotated[str | None, Limits("A folder of the app's sources, whose lines are quoted.")] = None,
) -> ToolReply[SliceAnswer]:
    """Why a crash happened: the lines of code and the steps that made the value in error, nearest first. Plays the
    steps again if that was not done yet."""
    folder = bench.project(project)
    _require_allowed_app(bench, folder)
    where = () if sources is None else (bench.folders.existing(sources),)
    settings = SliceSettings(device=bench.device, sources=where)
    with stopped_by(work.is_cancelled):
        found = next(slice_project(folder, id, settings))
    if found.failure is not None:
        raise found.failure
    made = found.slice
    if made is None:
        raise NotFound("no slice was made of this crash")
    head = f"Why crash {found.case.row.fingerprint[:8]} happened. {NOTICE}"
    return ToolReply(slice_answer(made), bounded([head, *crash_lines(found.case.row.crash), *slice_lines(made)]))


def replay(
    bench: Workbench,
    work: CallWork,
    app: App,
    steps: Steps,
    project: MaybeProject = None,
    worlds: Annotated[int, Limits("In so many worlds.", low=1, high=200)] = 5,
) -> ToolReply[ReplayAnswer]:
    """Replay the steps of a crash or a trace in several worlds: how often do they show the crash? After a fix of the
    app, 0 of all worlds say that the crash is gone."""
    folder = bench.new_project(project, app)
    settings = ReplaySettings(folder=folder, device=bench.device, worlds=worlds)
    played = 0

    def report(play: Play) -> None:
        nonlocal played
        played += 1
        work.advance(played, worlds, f"{played} of {worlds} worlds")

    found = replay_source(bench.folders.app(app), _source(bench.steps(steps, folder), folder), settings, report)
    goal = words.goal(found.goal)
    rate = found.reproduction
    answer = ReplayAnswer(
        app_goal=clean(goal, 300),
        met=rate.met,
        runs=rate.runs,
        worlds_met=tuple(sorted(found.met))[:MOST_NUMBERS],
        app_steps=step_texts(found.trace),
        crash=None if found.wanted is None else crash_answer(found.wanted),
        notes=tuple(clean(note, 300) for note in found.notes[:MOST_NOTES]),
    )
    what = "The crash came back" if found.wanted is not None else "The goal was met"
    lines = [f"{what} in {rate.met} of {counted(rate.runs, 'run')}. {NOTICE}", f"goal {from_app(goal, 300)}"]
    lines += [*step_lines(found.trace), *(f"note {from_app(note, 300)}" for note in answer.notes)]
    return ToolReply(answer, bounded(lines))


def reduce(
    bench: Workbench,
    work: CallWork,
    app: App,
    steps: Steps,
    project: MaybeProject = None,
    minutes: Minutes = 2.0,
    output: Annotated[str | None, Limits("The file for the reduced trace, in an allowed folder.")] = None,
    overwrite: Annotated[bool, Limits("Replace a file that is there.")] = False,
) -> ToolReply[ReductionAnswer]:
    """Reduce a trace or a crash to the few steps that are needed. Reports progress."""
    folder = bench.new_project(project, app)
    named = bench.steps(steps, folder)
    target = None if output is None else bench.folders.new_file(output, overwrite=overwrite)
    settings = ReduceSettings(folder=folder, device=bench.device, seconds=minutes * 60, output=target)
    reduced = reduce_file(bench.folders.app(app), named, settings, _reporting(work, None))
    reduction = reduced.reduction
    trace = reduction.trace
    answer = ReductionAnswer(
        before=reduction.original_size,
        after=reduction.size,
        runs=reduction.runs,
        is_minimal=reduction.is_minimal,
        stopped_by=None if reduced.stopped is None else str(reduced.stopped),
        app_steps=step_texts(trace),
        crash=None if trace.crash is None else crash_answer(trace.crash),
        path=str(reduced.output),
    )
    minimal = "no single step can be left out" if reduction.is_minimal else "some step may still be superfluous"
    head = (
        f"{counted(answer.before, 'step')} became {answer.after} in {counted(answer.runs, 'run')}; {minimal}. {NOTICE}"
    )
    shown = crash_lines(trace.crash) if trace.crash is not None else ()
    return ToolReply(answer, bounded([head, *step_lines(trace), *shown, f"written to {reduced.output}"]))


def write_test(
    bench: Workbench,
    work: CallWork,
    format: Annotated[str, Limits("The tool that the test is for.", choices=EXPORTED)],
    project: Project,
    steps: Steps,
    output: Annotated[
        str | None, Limits("The file to write, in an allowed folder; without it the text is returned.")
    ] = (None),
    overwrite: Annotated[bool, Limits("Replace a file that is there.")] = False,
    characters: Annotated[
        int, Limits("Without output: how much of the text is returned.", low=100, high=LONGEST_FILE)
    ] = SHORT_FILE,
) -> ToolReply[ExportAnswer]:
    """Write the steps of a crash as a test, flow or script of another tool, or as an issue. Without an output file the
    beginning of the text is returned."""
    folder = bench.new_project(None, project)
    named = bench.steps(steps, folder)
    found = find_crash(named, folder).found if not Path(named).is_absolute() else find_steps(named, folder)
    target = None if output is None else bench.folders.new_file(output, overwrite=overwrite)
    (written,) = write_exports(found, format, target)
    return export_reply(format, written, found, characters)


def run_suite(
    bench: Workbench,
    work: CallWork,
    suite: Annotated[str, Limits("The folder of the suite: PROJECT/suite.")],
    app: App,
    only: Annotated[str | None, Limits("Run only the tests whose name has this part.", longest=200)] = None,
    minutes: Minutes = 5.0,
    jobs: Jobs = 1,
) -> ToolReply[SuiteAnswer]:
    """Run the tests of a suite against a build of the app. Reports progress. The files of the suite stay as they
    are."""
    settings = SuiteRunSettings(
        folder=bench.folders.whole(suite), device=bench.device, jobs=jobs, minutes=minutes,
        named=() if only is None else (only,), keeps_rates=False,
    )  # fmt: skip
    result = play_suite(bench.folders.app(app), settings, _reporting(work, None))
    answer = suite_answer(result)
    counts = ", ".join(f"{each.count} {each.status}" for each in answer.counts)
    lines = [f"{counted(answer.tests, 'test')}: {counts or 'none'}. {NOTICE}"]
    for each in answer.not_passed:
        lines.append(
            f"{each.status} {from_app(each.app_name)}{f' at step {each.step}' if each.step is not None else ''}"
        )
        lines += [f"  difference {from_app(reason, 300)}" for reason in each.app_reasons]
    lines += [f"note {from_app(note, 300)}" for note in answer.notes]
    return ToolReply(answer, bounded(lines))


def coverage(
    bench: Workbench,
    work: CallWork,
    project: Project,
    class_name: Annotated[
        str | None, Limits("The name of a class, with or without its package; by default the least covered classes.")
    ] = None,
) -> ToolReply[CoverageAnswer]:
    """What code the explorations of a project covered; for one class, which lines and methods never ran."""
    folder = bench.project(project)
    whole = read_coverage(folder).summary
    everything = [each for package in whole.packages for each in package.classes]
    if class_name is not None:
        one = read_class_coverage(folder, class_name)
        chosen, lines, methods = [one.summary], one.missed_lines, one.missed_methods
    else:
        chosen = [each for each in everything if each.counts.lines.missed]
        chosen.sort(key=lambda each: (-each.counts.lines.missed, each.name))
        lines, methods = (), ()
    answer = CoverageAnswer(
        project=str(folder),
        lines_covered=whole.counts.lines.covered,
        lines_total=whole.counts.lines.total,
        classes=tuple(map(class_answer, chosen[:MOST_CLASSES])),
        classes_left_out=max(0, len(chosen) - MOST_CLASSES),
        missed_lines=lines[:MOST_NUMBERS],
        app_missed_methods=tuple(clean(name) for name in methods[:MOST_CLASSES]),
    )
    head = f"{answer.lines_covered} of {answer.lines_total} lines of the app are covered. {NOTICE}"
    shown = [head, *map(class_line, answer.classes)]
    if class_name is not None:
        shown.append(f"lines that never ran: {words.ranges(answer.missed_lines) or 'none'}")
        shown += [f"method that never ran {from_app(name)}" for name in answer.app_missed_methods]
    return ToolReply(answer, bounded(shown))


TOOLS = (
    make_tool(run, Lane.WORK),
    make_tool(crashes, Lane.READ, is_reading=True),
    make_tool(crash, Lane.READ, is_reading=True),
    make_tool(explain, Lane.WORK),
    make_tool(replay, Lane.WORK),
    make_tool(reduce, Lane.WORK),
    make_tool(write_test, Lane.READ),
    make_tool(run_suite, Lane.WORK),
    make_tool(coverage, Lane.READ, is_reading=True),
)
"""In the order in which clients list them."""


def _reporting(work: CallWork, seconds: float | None) -> Tell:
    """Reports news as progress, in seconds of `seconds`, and ends the stage if the call was cancelled."""
    began = time.monotonic()
    last = -SECONDS_BETWEEN_REPORTS

    def tell(news: News) -> None:
        nonlocal last
        work.check()
        message = _progress_words(news)
        now = time.monotonic() - began
        if message and now - last >= SECONDS_BETWEEN_REPORTS:
            last = now
            # The start of the first device does not count for the time limit, so more may pass.
            work.advance(round(now, 1), None if seconds is None else max(seconds, now), message)

    return tell


def _progress_words(news: News) -> str:
    """What a piece of news says of the progress, in words of ours alone; empty if nothing."""
    match news:
        case EpisodeKept(progress=progress):
            return f"{progress.events} events, {progress.states} states, {counted(progress.crashes, 'crash')}"
        case CandidateRun(progress=reduction):
            return f"{counted(reduction.runs, 'run')}, {counted(reduction.size, 'step')} left"
        case SuiteTestDone(done=done, tests=tests):
            return f"{done} of {tests} tests"
        case _:
            return ""


def _source(named: str, folder: Path) -> TraceSource:
    """The trace in a file, or the fewest known steps of a crash of the project."""
    if Path(named).is_absolute():
        return find_trace(named)
    return TraceSource(find_crash(named, folder).case.trace)


def _require_allowed_app(bench: Workbench, folder: Path) -> None:
    """Raises UsageError if a project, which may come from elsewhere, names an app outside of the allowed folders."""
    path = last_app(folder)
    if os.sep in path and not os.path.isabs(path):
        raise UsageError(f"{printable(path, 300)}: the project names its app by a path that is not absolute")
    if os.sep in path:
        bench.folders.app(path)

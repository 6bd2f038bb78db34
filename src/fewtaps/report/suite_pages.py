"""Makes the pages of a suite's run from its results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fewtaps.errors import NotFound
from fewtaps.model.event import Selector
from fewtaps.model.expectation import Expectation
from fewtaps.model.screen import Bounds, Screen, Widget
from fewtaps.model.suite_result import WORST_FIRST, SuiteResult, SuiteTestResult, SuiteTestRun, SuiteTestStatus
from fewtaps.model.told import describe_step
from fewtaps.report.filmstrip import clipped
from fewtaps.report.stack import exceptions_of
from fewtaps.report.suite_results import kept_pictures, picture_name
from fewtaps.report.suite_views import (
    ComparedStep,
    ComparedValue,
    OutlinedPicture,
    SuiteReport,
    SuiteTestPage,
    SuiteTestRow,
)
from fewtaps.report.suite_words import (
    expectation_words,
    healing_words,
    result_words,
    selector_words,
    subject_words,
)
from fewtaps.report.views import Picture

MAX_LOG = 100_000
"""Characters of the crash log on a page."""
MAX_STEPS = 400
"""Of a longer test the last steps are shown."""


class RunPictures:
    """The pictures of a run's results, by the names of their files."""

    def __init__(self, result: SuiteResult) -> None:
        self._pictures = {picture.name: picture.png for picture in kept_pictures(result)}

    def load(self, name: str) -> bytes:
        """The PNG of this name; raises NotFound if there is none."""
        if name not in self._pictures:
            raise NotFound(f"there is no picture {name}")
        return self._pictures[name]


def suite_report(result: SuiteResult, version: str = "") -> SuiteReport:
    """The pages of a run: those that failed first, then the flaky ones, the healed ones, the passed ones."""
    ordered = sorted(result.results, key=lambda each: WORST_FIRST.index(each.status))
    pages = {each.name: _page(each) for each in ordered if _has_page(each)}
    return SuiteReport(
        app=result.app,
        against=result.against,
        rows=tuple(_row(each, pages[each.name].page if each.name in pages else "") for each in ordered),
        tests=tuple(pages.values()),
        coverage=result.coverage,
        notes=result.notes,
        seconds=result.seconds,
        shard=result.shard,
        version=version,
    )


def _has_page(result: SuiteTestResult) -> bool:
    return result.shown is not None and result.status not in (SuiteTestStatus.PASSED, SuiteTestStatus.NOT_RUN)


def _row(result: SuiteTestResult, page: str) -> SuiteTestRow:
    steps = len(result.test.trace.steps) - 1
    return SuiteTestRow(result.name, result.status, result_words(result), steps, result.seconds, page)


def _page(result: SuiteTestResult) -> SuiteTestPage:
    run, reference = result.shown, result.shown_reference
    assert run is not None
    crash = run.crash if not run.status.is_pass else None
    return SuiteTestPage(
        name=result.name,
        page=f"test-{result.name}.html",
        status=result.status,
        words=result_words(result),
        steps=tuple(_steps(result, run, reference))[-MAX_STEPS:],
        differences=tuple(ComparedValue(subject_words(each), each.expected, each.seen) for each in run.differences),
        missing="" if run.selector is None else selector_words(run.selector),
        nearest=tuple(map(selector_words, run.nearest)),
        healings=tuple(map(healing_words, run.healings)),
        exceptions=() if crash is None else exceptions_of(crash),
        log="" if crash is None else crash.render()[:MAX_LOG],
        world=run.world,
        worlds=tuple((each.world, each.status) for each in result.runs),
        reproduction=result.reproduction,
        has_reference=reference is not None and reference.trace is not None,
    )


def _steps(result: SuiteTestResult, run: SuiteTestRun, reference: SuiteTestRun | None) -> Iterator[ComparedStep]:
    """The steps of the test up to the one that differs and those after it, each with the screens of both runs.

    Both runs play the steps of one test, so that the same number is the same step.
    """
    for number, step in enumerate(result.test.trace.steps):
        yield ComparedStep(
            number=number,
            words=describe_step(step),
            expected=tuple(expectation_words(_expected(run, number) or step.expect)),
            seen=_picture(run, number, tuple(_outlines(run, number))),
            reference=None
            if reference is None
            else _picture(reference, number, tuple(_reference_outlines(run, reference, number))),
            is_different=number == run.step,
            note=_note(run, number),
        )


def _expected(run: SuiteTestRun, number: int) -> Expectation | None:
    """What the run expected after a step: with an older build to compare with, what that one showed."""
    return run.trace.steps[number].expect if run.trace is not None and number < len(run.trace.steps) else None


def _note(run: SuiteTestRun, number: int) -> str:
    seen = 0 if run.trace is None else len(run.trace.steps)
    if run.trace is not None and number < seen:
        ending = run.trace.steps[number].ending
        return ending.value if ending.is_final else ""
    return "its widget is not there" if number == run.step else "not played"


def _picture(run: SuiteTestRun, number: int, outlines: tuple[Bounds, ...]) -> OutlinedPicture | None:
    screen = _screen(run, number)
    if screen is None:
        return None
    png = dict(run.pictures).get(number)
    return OutlinedPicture(Picture(picture_name(png) if png else None, screen), outlines)


def _screen(run: SuiteTestRun, number: int) -> Screen | None:
    """The screen after a step; None if the run has no such step or shows nothing there."""
    if run.trace is None or number >= len(run.trace.steps):
        return None
    step = run.trace.steps[number]
    screen = step.after
    return screen if screen.is_seen and screen.width and screen.height and not step.ending.is_final else None


def _outlines(run: SuiteTestRun, number: int) -> Iterator[Bounds]:
    """The widgets that differ, on the screen where they were seen.

    Of a broken test, the widgets that fit best, on the screen before the step that could not be played.
    """
    screen = _screen(run, number)
    if screen is None or run.step is None:
        return
    if run.selector is not None and number == run.step - 1:
        yield from _bounds(screen, run.nearest)
    if number == run.step:
        for difference in run.differences:
            widget = _at(screen, difference.path) if difference.path else None
            outline = None if widget is None else clipped(widget, screen)
            if outline is not None:
                yield outline
            elif difference.selector is not None:
                yield from _bounds(screen, (difference.selector,))


def _reference_outlines(run: SuiteTestRun, reference: SuiteTestRun, number: int) -> Iterator[Bounds]:
    """The same widgets where the older build has them."""
    screen = _screen(reference, number)
    if screen is None or run.step is None:
        return
    if run.selector is not None and number == run.step - 1:
        yield from _bounds(screen, (run.selector,))
    if number == run.step:
        yield from _bounds(screen, [each.selector for each in run.differences if each.selector is not None])


def _bounds(screen: Screen, selectors: Sequence[Selector]) -> Iterator[Bounds]:
    for selector in selectors:
        located = screen.find(selector)
        outline = None if located is None else clipped(located.widget, screen)
        if outline is not None:
            yield outline


def _at(screen: Screen, path: tuple[int, ...]) -> Widget | None:
    return next((located.widget for located in screen.iter_located() if located.path == path), None)

"""Plays a trace in one world or several, and returns the plays with their reproduction rate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from fewtaps.config import PlaySettings
from fewtaps.device.session import (
    Capability,
    RecordsExecution,
    Session,
    coverage_reporter,
    execution_recorder,
    probe_teller,
)
from fewtaps.errors import DeviceLost, Unsupported, UsageError
from fewtaps.model.app import App
from fewtaps.model.coverage import Coverage, ProbeTotals
from fewtaps.model.crash import Crash
from fewtaps.model.result import Reproduction
from fewtaps.model.trace import Aim, Step, Trace
from fewtaps.pipeline.goals import remembered_crash
from fewtaps.pipeline.opening import OnDownload, OpenedApp, open_app, require_worlds, save_screenshot
from fewtaps.pipeline.sources import differences, find_trace
from fewtaps.replay import play, play_to_count
from fewtaps.tracefile import write_trace

OnWorldStep = Callable[[int, int, Step], None]
"""Called after each step: the world, the step's number from 0, and the step."""


@dataclass(frozen=True, slots=True)
class Play:
    """One play of a trace in one world.

    `world` is the number of the run on a device without worlds. `planned` is the number of the trace's events, the
    launch included. `execution` is JaCoCo's execution data, if a report was requested.
    """

    world: int
    trace: Trace
    planned: int
    execution: bytes | None = None

    @property
    def crash(self) -> Crash | None:
        """The first crash of the play."""
        return next((step.crash for step in self.trace.steps if step.crash is not None), None)


@dataclass(frozen=True, slots=True)
class PlayReport:
    """All plays of one trace. `wanted` is the crash to reproduce: the one stored in the trace, else the commonest."""

    app: App
    plays: tuple[Play, ...]
    remembered: Crash | None
    wanted: Crash | None
    reproduction: Reproduction
    coverage: Coverage
    totals: ProbeTotals | None
    notes: tuple[str, ...]
    has_worlds: bool = True


def play_file(
    name: str,
    path: Path,
    settings: PlaySettings,
    on_step: OnWorldStep | None = None,
    progress: OnDownload | None = None,
) -> PlayReport:
    """Plays the trace in a file, or the recording of another tool; see `play_trace`."""
    source = find_trace(str(path), None, settings.device)
    report = play_trace(name, source.trace, settings, on_step, progress)
    return replace(report, notes=(*source.losses, *report.notes))


def save_trace(path: Path, trace: Trace) -> None:
    """Writes a trace with its observations, atomically."""
    write_trace(path, trace)


def play_trace(
    name: str,
    trace: Trace,
    settings: PlaySettings,
    on_step: OnWorldStep | None = None,
    progress: OnDownload | None = None,
) -> PlayReport:
    """Plays a trace in one world or several."""
    folder = screenshot_folder(settings.screenshots)
    if settings.jacoco is not None and not settings.jacoco.parent.is_dir():
        raise UsageError(f"{settings.jacoco}: there is no folder {settings.jacoco.parent}")
    with open_app(name, settings.device, trace=trace, progress=progress) as opened:
        require_worlds(opened.session.capabilities, settings.world)
        first = trace.world if settings.world is None else settings.world
        plays = tuple(
            _play_once(opened, trace, world, settings, folder, on_step)
            for world in range(first, first + settings.worlds)
        )
        totals = _totals(opened.session, settings)
        has_worlds = Capability.WORLDS in opened.session.capabilities
        notes = (*opened.session.notes, *differences(trace, opened.app))
        if settings.jacoco is not None:
            notes += _write_jacoco(opened, plays, settings.jacoco)
    remembered = remembered_crash(trace)
    wanted = remembered or commonest_crash(plays)
    coverage = Coverage()
    for each in plays:
        coverage = coverage | each.trace.coverage
    reproduced = sum(is_same_crash(each.crash, wanted) for each in plays)
    rate = Reproduction(reproduced, len(plays))
    return PlayReport(opened.app, plays, remembered, wanted, rate, coverage, totals, notes, has_worlds)


def is_same_crash(crash: Crash | None, wanted: Crash | None) -> bool:
    """Whether both exist and have the same signature."""
    return crash is not None and wanted is not None and crash.signature == wanted.signature


def screenshot_folder(folder: Path | None) -> Path | None:
    """The folder for pictures, made if it does not exist. Raises UsageError."""
    if folder is None:
        return None
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be made ({error.strerror or error})") from error
    return folder


def _play_once(
    opened: OpenedApp,
    trace: Trace,
    world: int,
    settings: PlaySettings,
    folder: Path | None,
    on_step: OnWorldStep | None,
) -> Play:
    execution: bytes | None = None
    recorder = _recorder(opened) if settings.jacoco is not None else None

    def seen(number: int, step: Step) -> None:
        nonlocal execution
        if recorder is not None:
            # Read after every step, so that the data up to the previous step is kept if the device fails.
            with suppress(DeviceLost):
                execution = recorder.execution_data()
        if folder is not None and not step.ending.is_final:
            place = folder if settings.worlds == 1 else folder / f"world-{world}"
            save_screenshot(opened.session, place / f"{number:03}.png")
        if on_step is not None:
            on_step(world, number, step)

    aim = Aim(settings.by)
    player = play_to_count if settings.worlds > 1 else play
    played = player(opened.session, trace.events, by=aim, world=world, on_step=seen)
    return Play(world, played, len(trace.events), execution)


def _write_jacoco(opened: OpenedApp, plays: tuple[Play, ...], path: Path) -> tuple[str, ...]:
    executions = [each.execution for each in plays if each.execution is not None]
    reporter = coverage_reporter(opened.device)
    if reporter is None:
        raise _without_java(opened)
    return reporter.coverage_report(opened.app, opened.session.settings, executions, xml=path)


def _recorder(opened: OpenedApp) -> RecordsExecution:
    recorder = execution_recorder(opened.session)
    if recorder is None:
        raise _without_java(opened)
    return recorder


def _without_java(opened: OpenedApp) -> Unsupported:
    return Unsupported(f"the {opened.device.name} device has no Java code that JaCoCo could measure")


def _totals(session: Session, settings: PlaySettings) -> ProbeTotals | None:
    teller = None if settings.device.coverage == "off" else probe_teller(session)
    return None if teller is None else teller.probe_map().totals


def commonest_crash(plays: Sequence[Play]) -> Crash | None:
    """The crash of the most plays; of several with equally many, the one that was seen first."""
    seen = [each.crash for each in plays if each.crash is not None]
    if not seen:
        return None
    commonest = Counter(crash.signature for crash in seen).most_common(1)[0][0]
    return next(crash for crash in seen if crash.signature == commonest)

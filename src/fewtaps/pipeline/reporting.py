"""Builds the report of a project, and takes the pictures for it."""

from __future__ import annotations

import logging
from importlib import metadata
from pathlib import Path

from fewtaps.device.jobs import JobContext, StopSignal, never
from fewtaps.device.pool import SessionPool
from fewtaps.model.trace import Aim, Step, Trace
from fewtaps.pipeline.opening import had_worlds
from fewtaps.replay import PlayEvents
from fewtaps.report.folder import new_folder
from fewtaps.report.html import render_report
from fewtaps.report.pages import read_report
from fewtaps.report.thumbnails import Thumbnails
from fewtaps.store.database import Store, open_store
from fewtaps.store.lock import is_held

REPORT = "report"
"""The folder, inside the project's, that holds the report."""
FIRST_PAGE = "index.html"

log = logging.getLogger(__name__)


def write_report(
    folder: Path,
    output: Path | None = None,
    *,
    live: bool = False,
    earlier: Path | None = None,
    pictures: bool = True,
) -> Path:
    """Builds the report of a project and returns the path of its first page.

    It is written to the folder `report` of the project, or to `output`. The folder is replaced at once, so an earlier
    report stays unchanged on failure. The pages of a `live` report poll their server for a new version. Pictures are
    reused from an `earlier` report, by default the one that is replaced; without `pictures` all screens are drawn.
    Raises NotFound if nothing was explored,
    UsageError if the folder cannot be written or holds something else, and StoreError for a store that cannot be read
    or a full disk.
    """
    with open_store(folder) as store:
        runs = store.runs.all()
        report = read_report(
            store,
            version(),
            has_worlds=not runs or had_worlds(runs[-1]),
            links_mutants=output is None and not live,
        )
        target = folder / REPORT if output is None else output
        with new_folder(target) as place:
            thumbnails = Thumbnails(store.pictures if pictures else None, place, earlier=earlier or target)
            render_report(report, thumbnails, place, live=live, working=live and is_held(folder))
    if thumbnails.missing:
        log.warning("%s: pictures missing or damaged: %d; those screens are drawn", folder, len(thumbnails.missing))
    return target / FIRST_PAGE


def picture_steps(
    store: Store, pool: SessionPool, trace: Trace, *, by: Aim = Aim.SELECTOR, should_stop: StopSignal = never
) -> Trace | None:
    """Plays a trace once more if pictures of its screens are missing, and stores a picture of every screen.

    Returns what was played; None if nothing was, or if it was stopped.
    """
    screens = [step.after for step in trace.steps if _can_be_pictured(step)]
    if screens and all(map(store.screen_pictures.has, screens)):
        return None
    job = PlayEvents(trace.events, trace.world, by, takes_pictures=True)
    played = pool.ask(job, JobContext(should_stop=should_stop))
    for number, picture in played.pictures:
        if _can_be_pictured(played.trace.steps[number]):
            store.screen_pictures.save(played.trace.steps[number].after, picture)
    return None if played.is_stopped else played.trace


def _can_be_pictured(step: Step) -> bool:
    return not step.ending.is_final and step.after.is_seen


def version() -> str:
    """The version of this installation; empty for a source tree that was not installed."""
    try:
        return metadata.version("fewtaps")
    except metadata.PackageNotFoundError:
        return ""

"""Builds the report of a project, and takes the pictures it wants to show."""

from __future__ import annotations

from pathlib import Path

from fewtaps.device.session import Capability, Session
from fewtaps.model.trace import Step, Trace
from fewtaps.replay import Aim, play
from fewtaps.store.database import Store

REPORT = "report"
"""The folder, inside the project's, that holds the report."""


def write_report(folder: Path, output: Path | None = None) -> Path:
    """Builds the report of a project and gives the path of its first page.

    It becomes the folder `report` in the project's, or `output`. It is built beside and swapped in whole: whatever goes
    wrong, an earlier report stays as it is. Raises NotFound if nothing was explored, UsageError if the folder cannot be
    written or holds something else, and StoreError for a store that cannot be read.
    """
    raise NotImplementedError


def picture_steps(store: Store, session: Session, trace: Trace, *, by: Aim = "selector") -> Trace:
    """Plays a trace once more and keeps a picture of every screen it shows; gives what was seen.

    Does nothing on a device without pictures, and needs nothing if all pictures are there already.
    """
    if Capability.SCREENSHOTS not in session.capabilities:
        return trace
    screens = [step.after for step in trace.steps if not step.ending.is_final and step.after.is_seen]
    if screens and all(map(store.gallery.has, screens)):
        return trace

    def seen(number: int, step: Step) -> None:
        if not step.ending.is_final and step.after.is_seen:
            store.gallery.save(step.after, session.screenshot())

    return play(session, trace.events, by=by, world=trace.world, on_step=seen)

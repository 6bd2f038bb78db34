"""The steps of a crash in every format of `fewtaps export`, with the pictures that the report has of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from fewtaps.errors import FewtapsError
from fewtaps.exports.finding import Finding
from fewtaps.exports.registry import EXPORTS
from fewtaps.report.views import CrashView, ExportView, Picture


def export_views(crash: CrashView, address: Callable[[Picture], str]) -> tuple[ExportView, ...]:
    """The steps in each format that supports them; `address` gives the path of a picture relative to the report.

    Paths of pictures are relative to the page, as if the export were a file beside it.
    """
    finding = replace(crash.finding, pictures=_pictures(crash, address))
    views = (_view(name, finding) for name in EXPORTS)
    return tuple(view for view in views if view is not None)


def _pictures(crash: CrashView, address: Callable[[Picture], str]) -> dict[int, str]:
    """The picture of the screen after each step, by the number of the step; it is the one before the next step.

    Drawn wireframes are left out, as in `fewtaps export`.
    """
    shown = ((step.number - 1, step.picture) for step in crash.steps)
    return {number: address(picture) for number, picture in shown if picture is not None and picture.name is not None}


def _view(name: str, finding: Finding) -> ExportView | None:
    export = EXPORTS[name]
    try:
        written = export.render(finding)
    except FewtapsError:
        # A format that does not support these steps is left out, and the others are kept.
        return None
    return ExportView(name, export.title, export.file_name(finding), export.language, written.text, written.losses)

"""The steps of a crash in every format of `fewtaps export`, with the pictures that the report has of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from fewtaps.errors import FewtapsError
from fewtaps.exports.finding import Finding
from fewtaps.exports.registry import EXPORTS
from fewtaps.report.views import CrashView, ExportView, Picture


def export_views(crash: CrashView, address: Callable[[Picture], str]) -> tuple[ExportView, ...]:
    """The steps in each format that can say them; `address` tells where the report has a picture, from its folder.

    Pictures are named as if the export lay beside the page: there the files are that have to be uploaded with it.
    """
    finding = replace(crash.finding, pictures=_pictures(crash, address))
    views = (_view(name, finding) for name in EXPORTS)
    return tuple(view for view in views if view is not None)


def _pictures(crash: CrashView, address: Callable[[Picture], str]) -> dict[int, str]:
    """By the number of a step the screen it led to, which is the one that the next step is done on.

    What had to be drawn is left out, as `fewtaps export` does.
    """
    shown = ((step.number - 1, step.picture) for step in crash.steps)
    return {number: address(picture) for number, picture in shown if picture is not None and picture.name is not None}


def _view(name: str, finding: Finding) -> ExportView | None:
    export = EXPORTS[name]
    try:
        written = export.render(finding)
    except FewtapsError:
        # One format that cannot say these steps must not cost the others.
        return None
    return ExportView(name, export.title, export.file_name(finding), export.language, written.text, written.losses)

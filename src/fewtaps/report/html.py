"""Renders a report into a folder that opens from disk: no server, no network, no build step.

Every text of the app goes through Jinja2's autoescaping and through `visible`, and the pages forbid all scripts and
styles but the report's own files.
"""

from __future__ import annotations

import json
import re
from importlib import resources
from pathlib import Path
from types import CodeType
from typing import Any

from jinja2 import BytecodeCache, Environment, PackageLoader, StrictUndefined
from jinja2.bccache import Bucket
from markupsafe import Markup

from fewtaps.model.event import printable
from fewtaps.report.drawing import curve, elbow, growth_plot, reduction_plot
from fewtaps.report.export_views import export_views
from fewtaps.report.folder import MARK
from fewtaps.report.layout import HEIGHT, WIDTH
from fewtaps.report.plots import time_label
from fewtaps.report.thumbnails import Size, Thumbnails
from fewtaps.report.views import CrashView, Report

POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'"
LIVE_POLICY = f"{POLICY}; connect-src 'self'"
ASSETS = ("report.css", "report.js", "states.js", "slice.js", "live.js", "icon.svg")
FORMAT_VERSION = 1
# Controls except tab and newline, single surrogates, noncharacters, and characters that override the text direction.
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def render_report(
    report: Report, thumbnails: Thumbnails, folder: Path, *, live: bool = False, working: bool = False
) -> None:
    """Writes every page, the assets and the pictures that the pages show.

    Pages that are `live` poll their server for a new version, and show whether a run is `working` on the project.
    """
    environment = environment_for(thumbnails)
    shared: dict[str, Any] = {"report": report, "facts": report.facts, "live": live, "working": working}
    shared["has_pictures"] = thumbnails.has_pictures
    shared["policy"] = LIVE_POLICY if live else POLICY

    def write(name: str, template: str, **values: Any) -> None:
        text = environment.get_template(template).render(page=name, **shared, **values)
        (folder / name).write_text(text, encoding="utf-8")

    write("index.html", "overview.html", growth=growth_plot(report))
    write("states.html", "states.html", data=_graph_data(report))
    write("coverage.html", "coverage.html")
    ordered = (*report.findings, *report.suspects, *report.earlier)
    for number, crash in enumerate(ordered):
        write(
            crash.page,
            "crash.html",
            crash=crash,
            exports=export_views(crash, lambda picture: thumbnails.show(picture, Size.MEDIUM).address),
            position=number + 1,
            earlier=ordered[number - 1] if number else None,
            later=ordered[number + 1] if number + 1 < len(ordered) else None,
            history=reduction_plot(crash.reduction) if crash.reduction is not None else None,
        )
    write_assets(folder)
    (folder / MARK).write_text(_mark(report), encoding="utf-8")


class _CompiledTemplates(BytecodeCache):
    """The code of templates, in memory: a process that writes several reports compiles each template once."""

    def __init__(self) -> None:
        self._code: dict[tuple[str, str], CodeType] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Gives the code of the same template with the same source, if there is one."""
        bucket.code = self._code.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keeps the code of a template that was compiled."""
        if bucket.code is not None:
            self._code[bucket.key, bucket.checksum] = bucket.code


_COMPILED = _CompiledTemplates()


def environment_for(thumbnails: Thumbnails) -> Environment:
    """The templates, with escaping of all texts and the filters that pages use."""
    environment = Environment(
        loader=PackageLoader("fewtaps.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        bytecode_cache=_COMPILED,
    )
    environment.filters |= {
        "number": lambda value: f"{value:,}".replace(",", "\u202f"),
        "time": time_label,
        "percent": _percent,
        "short": lambda text, limit: printable(text, limit),
        "breakable": breakable,
        "plural": lambda count, one, many=None: one if count == 1 else (many or f"{one}s"),
    }
    environment.globals |= {
        "small": lambda picture: thumbnails.show(picture, Size.SMALL),
        "medium": lambda picture: thumbnails.show(picture, Size.MEDIUM),
        "curve": curve,
        "elbow": elbow,
        "node": (WIDTH, HEIGHT),
        "middle": (WIDTH / 2, HEIGHT / 2),
    }
    return environment


def visible(text: str) -> str:
    """The text with characters that HTML or UTF-8 forbid, and direction overrides, written as \\uXXXX.

    Right-to-left letters stay, because the pages isolate them.
    """
    return _UNSEEN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def breakable(name: str) -> Markup:
    """A Java name in which lines may break before capital letters and after dots."""
    parts = re.split(r"(?<=[a-z0-9.])(?=[A-Z])|(?<=[.$_])", visible(name))
    return Markup("<wbr>").join(parts)


def _finalize(value: object) -> object:
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    return visible(value)


def _percent(share: float) -> str:
    """Whole percents; 100 and 0 only if the share is exactly 1 or 0."""
    rounded = min(99, max(1, round(share * 100))) if 0 < share < 1 else round(share * 100)
    return f"{rounded}\u202f%"


def _graph_data(report: Report) -> Markup:
    """The data for the script of the map, as JSON that cannot end its HTML element."""
    states = [
        [
            visible(state.title),
            visible(state.activity.rpartition(".")[2]),
            state.visits,
            [[target, visible(words), count] for target, words, count in state.transitions],
            [[crash.page, visible(crash.name)] for crash in state.crashes],
        ]
        for state in report.states.states
    ]
    text = json.dumps({"states": states, "node": [WIDTH, HEIGHT]}, separators=(",", ":"))
    for char in "<>&":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return Markup(text)


def write_assets(folder: Path) -> None:
    """Copies styles, scripts and icon into the folder of a report."""
    target = folder / "assets"
    target.mkdir()
    source = resources.files("fewtaps.report") / "assets"
    for name in ASSETS:
        (target / name).write_bytes((source / name).read_bytes())


def _mark(report: Report) -> str:
    """The JSON of the marker file: the format's version and a summary of the report for programs."""
    crashes = [_summary(crash) for crash in report.crashes]
    facts = report.facts
    content = {"fewtaps": "report", "version": FORMAT_VERSION, "package": facts.package, "crashes": crashes}
    return json.dumps(content, indent=1) + "\n"


def _summary(crash: CrashView) -> dict[str, Any]:
    return {"id": crash.fingerprint, "title": crash.title, "steps": len(crash.steps), "page": crash.page}

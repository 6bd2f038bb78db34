"""Makes docs/performance.md from the prose of benchmarks/performance.md.in and the figures of benchmarks/results.

The prose is a Jinja2 template. It knows `measured(RESULT)`: when, where and by which command; `table(RESULT, TABLE)`;
`cell(RESULT, TABLE, ROW, COLUMN)`: one cell as the table shows it, so that a sentence cannot differ from its table;
`value(RESULT, NAME)`: a figure that stands in no table; `has(RESULT, TABLE)` and `known(RESULT, NAME)`: whether it was
measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from jinja2 import Environment, StrictUndefined
from results import ROOT, UNKNOWN, Result, load_all, shown
from wrapping import wrap

PAGE = ROOT / "docs" / "performance.md"
TEMPLATE = Path(__file__).resolve().parent / "performance.md.in"


def render(template: str, results: Mapping[str, Result]) -> str:
    """The page."""

    def measured(name: str) -> str:
        result = results[name]
        when = "" if result.date == UNKNOWN else f" on {result.date}"
        version = f"at commit {result.commit}"
        if result.commit == UNKNOWN and result.recorded_in:
            version = f"before commit {result.recorded_in}"
        return f"Measured{when} {version} by `{result.command}`: {result.machine}."

    def table(name: str, which: str) -> str:
        return shown(results[name].tables[which])

    def has(name: str, which: str) -> bool:
        return name in results and which in results[name].tables

    def cell(name: str, which: str, row: str, column: str) -> str:
        found = results[name].tables[which]
        place = [each.name for each in found.columns].index(column)
        return next(cells[place] for cells in found.cells() if cells[0] == row)

    def value(name: str, which: str) -> str:
        return str(results[name].values[which])

    def known(name: str, which: str) -> bool:
        return name in results and which in results[name].values

    environment = Environment(undefined=StrictUndefined, keep_trailing_newline=True, autoescape=False)
    environment.globals |= {
        "measured": measured,
        "table": table,
        "cell": cell,
        "value": value,
        "has": has,
        "known": known,
    }
    return wrap(environment.from_string(template).render())


def page() -> str:
    """The page from the files as they are."""
    return render(TEMPLATE.read_text("utf-8"), load_all())

"""Result files: what a benchmark measured, with the machine, the commit, the command and the date.

Each benchmark has one file, benchmarks/results/NAME.json. docs/performance.md is made from these files and the prose of
benchmarks/performance.md.in by `make docs`. Numbers are kept as numbers; how many digits are shown is part of a column.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from wrapping import table as markdown_table

ROOT = Path(__file__).resolve().parent.parent
FOLDER = Path(__file__).resolve().parent / "results"
UNKNOWN = "unknown"
Cell = str | int | float | None
"""A text, a number, or None for what was not measured."""


@dataclass(frozen=True, slots=True)
class Machine:
    """Where something was measured. None: not known, or it has no part in the measurement."""

    processor: str | None = None
    cores: int | None = None
    memory_gb: int | None = None
    system: str | None = None
    python: str | None = None
    java: str | None = None
    jail: bool | None = None
    load_average: tuple[float, ...] = ()
    """Of the last minute before each start: figures of a busy machine cannot be compared."""

    def __str__(self) -> str:
        forms = ("{}", "{} cores", "{} GB RAM", "{}", "Python {}", "Java {}")
        facts = (self.processor, self.cores, self.memory_gb, self.system, self.python, self.java)
        parts = [form.format(fact) for form, fact in zip(forms, facts, strict=True) if fact is not None]
        if self.jail is not None:
            parts.append("in the jail" if self.jail else "without a jail")
        if self.load_average:
            parts.append(f"load average {' and '.join(f'{each:.1f}' for each in self.load_average)} before the start")
        return ", ".join(parts) or f"machine {UNKNOWN}"


@dataclass(frozen=True, slots=True)
class Column:
    """A heading, and the format string of the numbers below it, such as `{:.1f} s`."""

    name: str
    form: str = "{}"

    def show(self, cell: Cell) -> str:
        """The cell as it stands on the page."""
        if cell is None:
            return "–"
        return cell if isinstance(cell, str) else self.form.format(cell)


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of figures."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def cells(self) -> Iterator[list[str]]:
        """The rows as they stand on the page."""
        for row in self.rows:
            yield [column.show(cell) for column, cell in zip(self.columns, row, strict=True)]


def table(columns: Sequence[str | tuple[str, str]], rows: Sequence[Sequence[Cell]]) -> Table:
    """A table; a column is its heading, or its heading and its format string. Six digits after the point are kept."""
    heads = (Column(each) if isinstance(each, str) else Column(*each) for each in columns)
    return Table(tuple(heads), tuple(tuple(map(_rounded, row)) for row in rows))


def _rounded(cell: Cell) -> Cell:
    return round(cell, 6) if isinstance(cell, float) else cell


def shown(table: Table) -> str:
    """The table in Markdown."""
    return "\n".join(markdown_table([each.name for each in table.columns], table.cells()))


@dataclass(frozen=True, slots=True)
class Result:
    """One result file. `values` are single figures, by name; `recorded_in` is the commit that first had the figures.

    `commit` is the version that was measured. Of figures from the time before there were result files it is unknown,
    and `recorded_in` is the nearest that the history tells.
    """

    date: str
    commit: str
    command: str
    machine: Machine = Machine()
    recorded_in: str | None = None
    tables: Mapping[str, Table] = field(default_factory=dict)
    values: Mapping[str, Cell] = field(default_factory=dict)


def measured(
    machine: Machine,
    tables: Mapping[str, Table] | None = None,
    values: Mapping[str, Cell] | None = None,
) -> Result:
    """A result of this program's command, of today, at the commit of the working tree."""
    name = _without_folders(str(Path(sys.argv[0]).resolve()))
    words = [*([] if name == "scripts/bench" else ["python"]), name, *map(_without_folders, sys.argv[1:])]
    return Result(
        date.today().isoformat(), current_commit(), shlex.join(words), machine, None, tables or {}, values or {}
    )


def _without_folders(word: str) -> str:
    """A path relative to the project; of a path elsewhere only the last part, because folders may be private."""
    path = Path(word)
    if not path.is_absolute():
        return word
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name


def save(name: str, result: Result, folder: Path = FOLDER) -> Path:
    """Writes the file, whole or not at all."""
    path = folder / f"{name}.json"
    folder.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(to_json(result), encoding="utf-8")
    part.replace(path)
    return path


def load(name: str, folder: Path = FOLDER) -> Result:
    """Reads one file."""
    return from_json((folder / f"{name}.json").read_text("utf-8"))


def load_all(folder: Path = FOLDER) -> dict[str, Result]:
    """All files, by name."""
    return {path.stem: load(path.stem, folder) for path in sorted(folder.glob("*.json"))}


def to_json(result: Result) -> str:
    """JSON with a line for each row, so that a change of one row is a change of one line."""
    tables = {
        name: {"columns": [[each.name, each.form] for each in table.columns], "rows": list(table.rows)}
        for name, table in result.tables.items()
    }
    record = asdict(result) | {"tables": tables}
    text = json.dumps(record, indent=2, ensure_ascii=False)
    return re.sub(r"\[\n\s+((?:[^\[\]{}\"]|\"(?:[^\"\\]|\\.)*\")*?)\n\s+\]", _one_line, text) + "\n"


def _one_line(match: re.Match[str]) -> str:
    return "[" + re.sub(r",\n\s+", ", ", match[1]) + "]"


def from_json(text: str) -> Result:
    """The result that `to_json` wrote."""
    record: dict[str, Any] = json.loads(text)
    machine = Machine(**(record["machine"] | {"load_average": tuple(record["machine"]["load_average"])}))
    tables = {
        name: table([(head, form) for head, form in each["columns"]], each["rows"])
        for name, each in record["tables"].items()
    }
    return Result(**(record | {"machine": machine, "tables": tables}))


def this_machine(java: str | None = None, jail: bool | None = None, load: float | None = None) -> Machine:
    """The machine that this program runs on."""
    return Machine(
        processor=_processor(),
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        memory_gb=_memory_gb(),
        system=platform.system(),
        python=platform.python_version(),
        java=java,
        jail=jail,
        load_average=() if load is None else (round(load, 1),),
    )


def load_average() -> float | None:
    """How many programs want a core, over the last minute; None where the system does not tell."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def current_commit() -> str:
    """The commit of the working tree, with a mark if files differ from it; unknown outside of a clone."""
    done = subprocess.run(
        ["git", "describe", "--always", "--dirty=-modified"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.stdout.strip() or UNKNOWN


def _processor() -> str:
    match = re.search(r"^model name\s*:\s*(.+)$", _read("/proc/cpuinfo"), re.MULTILINE)
    return match[1].strip() if match else platform.processor() or platform.machine()


def _memory_gb() -> int | None:
    match = re.search(r"^MemTotal:\s*(\d+) kB", _read("/proc/meminfo"), re.MULTILINE)
    return round(int(match[1]) / 1024**2) if match else None


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""

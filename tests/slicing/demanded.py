"""What `samples/*/slice.toml` demands of the slices of the samples' crashes."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
FIELDS = frozenset({"why", "steps", "only", "must", "must_not", "first", "did_not_happen", "world"})
CUT = " …"
NAMED = re.compile(r"(\w+\.java):([0-9]+) (.+)")


@dataclass(frozen=True, slots=True, order=True)
class SourceLine:
    """A line of a sample's source."""

    file: str
    number: int

    def __str__(self) -> str:
        return f"{self.file}:{self.number}"


@dataclass(frozen=True, slots=True)
class Demand:
    """What the slice of one crash has to show.

    `steps` is None where any steps will do. `only` says that `must` is the whole slice. `world` is one in which it
    crashes, None if that of the trace is.
    """

    sample: str
    crash: str
    must: tuple[SourceLine, ...]
    must_not: tuple[SourceLine, ...]
    first: tuple[SourceLine, ...]
    did_not_happen: tuple[SourceLine, ...] = ()
    steps: tuple[int, ...] | None = None
    only: bool = False
    world: int | None = None

    @property
    def name(self) -> str:
        """The sample and the trace."""
        return f"{self.sample}-{self.crash}"

    @property
    def trace(self) -> Path:
        """The trace that crashes."""
        return SAMPLES / self.sample / f"{self.crash}.jsonl"


def source_of(sample: str, file: str) -> list[str]:
    """The lines of one source file of a sample."""
    (path,) = (SAMPLES / sample / "src").rglob(file)
    return path.read_text(encoding="utf-8").splitlines()


def read_line(sample: str, text: str) -> SourceLine:
    """Reads `Bill.java:19 long share = …`; raises ValueError if the source has another text there."""
    named = NAMED.fullmatch(text)
    if named is None:
        raise ValueError(f"{sample}: not a line: {text}")
    file, number, quoted = named[1], int(named[2]), named[3]
    there = source_of(sample, file)[number - 1].strip()
    same = there.startswith(quoted.removesuffix(CUT)) if quoted.endswith(CUT) else there == quoted
    if not same:
        raise ValueError(f"{sample}: {file}:{number} is {there!r}, not {quoted!r}")
    return SourceLine(file, number)


def read_demands(path: Path) -> tuple[Demand, ...]:
    """Reads one `slice.toml`; raises ValueError if it cannot be understood or quotes what is not there."""
    sample = path.parent.name
    demands = []
    for crash, table in tomllib.loads(path.read_text(encoding="utf-8")).items():
        unknown = set(table) - FIELDS
        if unknown:
            raise ValueError(f"{sample}: unknown: {', '.join(sorted(unknown))}")
        lines = {
            name: tuple(read_line(sample, text) for text in table.get(name, ()))
            for name in ("must", "must_not", "first", "did_not_happen")
        }
        steps = tuple(table["steps"]) if "steps" in table else None
        only, world = table.get("only", False), table.get("world")
        demands.append(Demand(sample, crash, **lines, steps=steps, only=only, world=world))
    return tuple(demands)


@cache
def demands() -> tuple[Demand, ...]:
    """All demands, by sample."""
    return tuple(demand for path in sorted(SAMPLES.glob("*/slice.toml")) for demand in read_demands(path))

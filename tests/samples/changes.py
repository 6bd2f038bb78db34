"""Reads `samples/changed/changes.toml`: what each changed build of a sample is, and where the change can be seen."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
CHANGED = SAMPLES / "changed"


@dataclass(frozen=True, slots=True)
class Change:
    """A changed build; `samples/changed/README.md` explains the fields."""

    name: str
    kind: Literal["regression", "harmless"]
    base: str
    changed: str
    step: int | None = None
    expected: str | None = None
    seen: str | None = None
    widget: str | None = None
    crash: str | None = None
    healed: tuple[int, ...] = ()
    added: tuple[str, ...] = ()

    @property
    def folder(self) -> Path:
        """The folder with the patch and the steps."""
        return CHANGED / self.name

    @property
    def apk(self) -> Path:
        """The changed build."""
        return CHANGED / f"{self.name}.apk"

    @property
    def steps(self) -> Path:
        """The trace through the changed place."""
        return self.folder / "steps.jsonl"


def read_changes() -> list[Change]:
    """All changed builds, in the order of the file."""
    tables = tomllib.loads((CHANGED / "changes.toml").read_text(encoding="utf-8"))
    return [_change(name, facts) for name, facts in tables.items()]


def _change(name: str, facts: dict[str, Any]) -> Change:
    facts = {key: tuple(value) if isinstance(value, list) else value for key, value in facts.items()}
    return Change(name=name, **facts)


def of_kind(kind: Literal["regression", "harmless"]) -> list[Change]:
    """The changed builds of one kind."""
    return [change for change in read_changes() if change.kind == kind]

"""The fingerprint of an exploration: the same for the same search, and kept in a result file."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from fewtaps.config import ExploreLimits, ExploreSettings
from fewtaps.pipeline.exploring import explore_app

BENCHMARKS = Path(__file__).resolve().parent.parent.parent / "benchmarks"


@pytest.fixture
def fingerprint(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return import_module("fingerprint")


def project(folder: Path, seed: int = 1) -> Path:
    explore_app("sim:bill", ExploreSettings(folder, limits=ExploreLimits(events=60), seed=seed))
    return folder


def test_an_exploration_has_one_fingerprint_and_another_seed_has_another(
    fingerprint: ModuleType, tmp_path: Path
) -> None:
    first, again = (fingerprint.read_exploration(project(tmp_path / name)) for name in ("a", "b"))
    other = fingerprint.read_exploration(project(tmp_path / "c", seed=2))
    assert first == again and first.key == ("com.example.bill", 1, 8, "varied", 60)
    assert other.digest != first.digest


def test_what_is_kept_is_compared(fingerprint: ModuleType, tmp_path: Path) -> None:
    results = import_module("results")
    found = fingerprint.read_exploration(project(tmp_path / "a"))
    assert fingerprint.kept_rows(tmp_path) == {}
    assert last_cells(fingerprint.compared([found], {})) == (["not kept yet"], False)
    rows = results.table(fingerprint.COLUMNS, [found.row])
    results.save(fingerprint.NAME, results.measured(results.Machine(), {fingerprint.NAME: rows}), tmp_path)
    kept = fingerprint.kept_rows(tmp_path)
    assert last_cells(fingerprint.compared([found], kept)) == (["as kept"], False)
    assert last_cells(fingerprint.compared([replace(found, digest="0")], kept)) == (["another"], True)


def last_cells(compared: tuple[Any, bool]) -> tuple[list[str], bool]:
    table, has_changed = compared
    return [row[-1] for row in table.rows], has_changed

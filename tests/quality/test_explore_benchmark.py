"""The benchmark of strategies: it goes on where it was ended, and begins nothing after its time."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

BENCHMARKS = Path(__file__).resolve().parent.parent.parent / "benchmarks"


@pytest.fixture
def explore(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return import_module("explore")


def test_nothing_is_begun_after_the_time_is_up(explore: ModuleType, tmp_path: Path) -> None:
    results: dict[Any, dict[str, Any]] = {}
    task = explore.Task("no-such.apk", "frontier", 1, 20)
    explore.measure([task], 1, tmp_path / "kept.jsonl", results, until=0.0)
    assert results == {}


def test_a_line_that_was_cut_off_swallows_nothing(explore: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"
    row = {"key": ["calc", "frontier", 1, 20], "lines": [3]}
    path.write_text(json.dumps(row) + "\n" + '{"key": ["calc", "mon')
    explore.measure([], 1, path, {})
    with path.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(row | {"lines": [4]}) + "\n")
    assert [each["lines"] for each in explore.kept(path)] == [[3], [4]]

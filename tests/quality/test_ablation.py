"""The benchmark of ideas: what it explores, that it repeats nothing, and how it computes what an idea is worth."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest

BENCHMARKS = Path(__file__).resolve().parent.parent.parent / "benchmarks"


@pytest.fixture
def ablation(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return import_module("ablation")


def row(app: str, idea: str, seed: int, **values: float) -> dict[str, Any]:
    measures = ("lines", "branches", "states", "crashes", "first_crash")
    return {"key": [app, idea, seed, 100], "phones": True, **dict.fromkeys(measures, 10), **values}


def test_every_app_is_explored_with_all_ideas_and_without_each(ablation: ModuleType) -> None:
    tasks = ablation.tasks_for(["sim:notes", "a/b/shop.apk"], ["forms", "hints"], seeds=2, events=50)
    assert len(tasks) == len({task.key for task in tasks}) == 2 * 2 * 3
    assert tasks[0].key == ("sim:notes", "", 1, 50)
    assert tasks[-1].key == ("shop", "hints", 2, 50)


def test_a_folder_stands_for_the_apks_in_it(ablation: ModuleType, tmp_path: Path) -> None:
    for name in ("b.apk", "a.apk", "notes.txt"):
        (tmp_path / name).touch()
    found = ablation.apps_in(["sim:notes", str(tmp_path)])
    assert found == ["sim:notes", str(tmp_path / "a.apk"), str(tmp_path / "b.apk")]


@pytest.mark.slow
def test_a_simulated_app_is_explored_the_same_each_time(ablation: ModuleType) -> None:
    task = ablation.Task("sim:notes", "", 1, 120)
    first, second = (ablation.run(task) for _ in range(2))
    assert first | {"seconds": 0} == second | {"seconds": 0}
    assert first["events"] == 120 and first["states"] > 3 and first["lines"] > 3
    assert first["crashes"] > 0 and 0 < first["first_crash"] < 120


@pytest.mark.slow
def test_what_was_measured_is_not_measured_again(
    ablation: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "kept.jsonl"
    tasks = ablation.tasks_for(["sim:notes"], ["forms", "hints", "bursts"], seeds=1, events=40)
    path.write_text(json.dumps(row("sim:notes", "", 1) | {"key": list(tasks[0].key)}) + "\n" + '{"key": ["sim:no')
    rows = ablation.measure(tasks, 2, path)
    assert set(rows) == {task.key for task in tasks}
    assert rows[tasks[0].key]["lines"] == 10, "the kept result counts"
    before = path.read_text()
    monkeypatch.setattr(ablation, "run", None)
    assert ablation.measure(tasks, 2, path) == rows
    assert path.read_text().split() == before.split()


def test_no_task_is_begun_after_the_time_is_up(ablation: ModuleType, tmp_path: Path) -> None:
    tasks = ablation.tasks_for(["sim:notes"], ["forms", "hints"], seeds=1, events=20)
    assert ablation.measure(tasks, 1, tmp_path / "kept.jsonl", until=0.0) == {}


def test_pairs_need_both_explorations(ablation: ModuleType) -> None:
    rows = [row("a", "", 1, lines=20), row("a", "forms", 1, lines=15), row("b", "forms", 1), row("a", "hints", 1)]
    assert ablation.pairs_of(rows, "forms", "lines") == [(20, 15)]


def test_the_worth_is_the_mean_share_of_what_is_lost_without_the_idea(ablation: ModuleType) -> None:
    assert ablation.worth_of([(100, 90), (10, 9), (50, 45)], Random(1)) == (10.0, 10.0, 10.0)
    assert ablation.worth_of([], Random(1)) == (0.0, 0.0, 0.0)
    mean, low, high = ablation.worth_of([(10, 9), (10, 11)] * 20, Random(1))
    assert mean == 0 and -4 < low < 0 < high < 4


def test_a_later_first_crash_without_the_idea_counts_for_it(ablation: ModuleType) -> None:
    rows = [row("a", "", 1, first_crash=20), row("a", "forms", 1, first_crash=30)]
    found = {each.measure: each for each in ablation.worths(rows, ["forms"])}
    assert (found["first_crash"].percent, found["first_crash"].better, found["first_crash"].worse) == (50.0, 1, 0)


def test_the_interval_narrows_with_more_pairs(ablation: ModuleType) -> None:
    random = Random(5)
    pairs = [(100.0, 95.0 + random.uniform(-20, 20)) for _ in range(200)]
    few, many = (ablation.worth_of(pairs[:count], Random(1)) for count in (10, 200))
    assert many[2] - many[1] < (few[2] - few[1]) / 2
    assert many[1] > 0, "a real effect is told from none"


def test_ideas_without_effect_are_named_only_with_enough_apps(ablation: ModuleType) -> None:
    rows = [
        row(f"app{number}", idea, seed, lines=lines)
        for number in range(8)
        for seed in (1, 2)
        for idea, lines in (("", 100), ("good", 80), ("idle", 100 + (number + seed) % 3 - 1))
    ]
    found = ablation.worths(rows, ["good", "idle"])
    assert ablation.without_effect(found, 8, 8) == ["idle"]
    assert ablation.without_effect(found, 8, 7) == []
    good = next(each for each in found if (each.idea, each.measure) == ("good", "lines"))
    assert (good.percent, good.pairs, good.better, good.worse) == (20.0, 16, 16, 0)
    assert [row[0] for row in ablation.worth_table(found).rows] == ["`good`", "`idle`"]
    tables = ablation.result_tables(found, rows)
    assert len(tables["worths"].rows) == len(found) and len(tables["explorations"].rows) == len(rows)


@pytest.fixture
def width(ablation: ModuleType) -> ModuleType:
    return import_module("width")


def test_a_width_has_a_key_of_its_own(width: ModuleType) -> None:
    tasks = width.tasks_for(["sim:notes"], [4, 8], seeds=1, events=50)
    assert [task.key[1] for task in tasks] == ["", "width 4", "width 8"]
    assert [task.width for task in tasks] == [1, 4, 8]


@pytest.mark.parametrize(
    ("lengths", "devices", "size", "busy"),
    [
        ([10, 10, 10, 10], 2, 1, 1.0),
        ([10, 10, 10, 10], 2, 2, 2.0),
        ([10, 10, 10, 10], 8, 4, 4.0),
        # The third episode waits for the first, which is long; with a larger width it does not.
        ([30, 10, 10, 10], 2, 2, 60 / 40),
        ([30, 10, 10, 10], 2, 4, 60 / 30),
        ([], 2, 4, 0.0),
    ],
)
def test_devices_wait_for_the_episode_that_is_the_width_before(
    width: ModuleType, lengths: list[int], devices: int, size: int, busy: float
) -> None:
    assert width.busy_devices(lengths, devices, size) == pytest.approx(busy)


def test_a_width_that_covers_more_and_crashes_later_has_these_signs(width: ModuleType) -> None:
    rows = [row("a", "", 1, lines=20, first_crash=10), row("a", "width 8", 1, lines=22, first_crash=15)]
    cells = next(width.cost_table(rows, [8]).cells())
    assert cells[1].startswith("+10.0") and cells[5].startswith("-50.0") and cells[6] == "1"

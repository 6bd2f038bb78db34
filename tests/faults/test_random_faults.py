"""Random faults: nothing is lost, damaged or left, and every exit code is right. `make faults` tries a thousand."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from faults.cases import FARM_FAULTS, Case
from faults.children import Child
from faults.commands import COMMANDS, Projects, results_in

from fewtaps.store.database import FILE

ROOT = Path(__file__).resolve().parents[2]
CASES, PARTS = 60, 4


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_commands_stand_random_faults(part: int, tmp_path: Path) -> None:
    # Python's threads and pytest's own children are no part of it: faults happen in a process of their own.
    command = [sys.executable, str(ROOT / "scripts" / "faults"), "--cases", str(CASES // PARTS), "-j", "1"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [*command, "--seed", str(100 + part), "--folder", str(tmp_path)],
        env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    records = [json.loads(line) for line in (tmp_path / f"seed-{100 + part}.jsonl").read_text().splitlines()]
    assert len(records) == CASES // PARTS and not any(record["wrong"] for record in records)


def empty_projects(folder: Path) -> Projects:
    """Projects in which nothing was done, for cases that do not run."""
    for command in COMMANDS:
        (folder / "projects" / command.project).mkdir(parents=True, exist_ok=True)
    return Projects(folder / "projects")


def test_seed_and_number_decide_a_fault_and_all_are_met(tmp_path: Path) -> None:
    projects = empty_projects(tmp_path)
    cases = [Case(number, 1, tmp_path / str(number), projects, False, None) for number in range(300)]
    again = Case(7, 1, tmp_path / "again", projects, False, None)
    assert again.outcome == cases[7].outcome
    assert {case.fault for case in cases} == set(FARM_FAULTS)
    assert {case.command.name for case in cases} == {command.name for command in COMMANDS}


def test_what_goes_wrong_is_counted(tmp_path: Path) -> None:
    projects = empty_projects(tmp_path)
    case = Case(0, 1, tmp_path / "case", projects, False, None)
    case.project.mkdir(exist_ok=True)
    (case.project / FILE).write_bytes(b"no database" * 1000)
    (case.temporary / "fewtaps-x").mkdir()
    child = Child(lambda: 1, tmp_path, dict(os.environ))
    child.wait()
    case.check_store("now")
    case.check_left()
    case.check_output(child, (0,))
    assert set(case.outcome.wrong) == {"damaged", "left", "codes"}


def test_results_that_are_missing_are_seen(tmp_path: Path) -> None:
    (tmp_path / "suite-runs.jsonl").write_bytes(b'{"version": 3}\n{"key": "a"}\n{"key": "b"}\n')
    before = results_in(tmp_path)
    (tmp_path / "suite-runs.jsonl").write_bytes(b'{"version": 3}\n{"key": "a"}\n')
    assert before - results_in(tmp_path) == {("journal", "suite-runs.jsonl", b'{"key": "b"}')}


@pytest.mark.slow
def test_an_orphan_is_found_and_ended(tmp_path: Path) -> None:
    script = (
        "import os, subprocess, sys\n"
        "from faults import children\n"
        "children.ORPHAN_SECONDS = 0.2\n"
        "children.adopt_orphans()\n"
        "subprocess.run(['sh', '-c', 'sleep 600 >/dev/null 2>&1 &'])\n"
        "assert children.orphans_left(os.getpid()) == ['sleep 600 ']\n"
        "assert children.orphans_left(os.getpid()) == []\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", script], env=environment, check=True, timeout=60)

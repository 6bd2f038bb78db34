"""A full disk is one line and exit code 3, in every command that writes and at every moment."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from store.test_trials import MET
from suites import failing_suite

from fewtaps.cli.main import main
from fewtaps.files import FULL
from fewtaps.store.database import open_store
from fewtaps.tracefile import write_trace

TESTS = Path(__file__).resolve().parents[1]
PROGRAM = TESTS / "cli" / "on_a_full_disk.py"
ROOMS = (0, 12, 100)
"""Kilobytes that are free when a command begins."""

# Its port is refused; a test of the suite fails also when its texts are updated, because a button is gone.
USUAL = {"serve": 2, "test --update": 1}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with crashes, a long trace and a suite."""
    folder = tmp_path_factory.mktemp("full") / "project"
    assert main(["explore", "sim:notes", "-o", str(folder), "--events", "120"]) == 0
    assert main(["suite", str(folder), "sim:notes", "-o", str(folder / "tests")]) == 0
    with open_store(folder) as store:
        latest = store.runs.latest("explore")
        assert latest is not None
        traces = [each.trace for each in store.runs.iter_episodes(latest.run_id) if each.trace.crash is not None]
        (folder / "crash.txt").write_text(store.runs.crashes()[0].crash.fingerprint)
    write_trace(folder / "steps.jsonl", max(traces, key=lambda trace: len(trace.steps)))
    # The runs of a suite of files are kept in the project beside the caller.
    with contextlib.chdir(folder):
        assert main(["suite", str(folder / "steps.jsonl"), "sim:notes", "-o", str(folder / "small")]) == 0
    (folder / "apps.txt").write_text("sim:bill\n")
    assert main(["test", str(folder / "tests"), "sim:notes", "-o", str(folder / "shard")]) == 0
    # What `test --update` rewrites.
    failing_suite(folder / "broken")
    with open_store(folder, write=True) as store:
        # What `prior learn` learns from.
        trials = store.trials.on("a question")
        for number in range(40):
            trials.add(f"candidate {number % 25}", MET)
    return folder


def check(records: list[dict[str, Any]]) -> None:
    """Each command ended as if it had all room, or with 3 and one line; without any room, with 3."""
    for each in records:
        assert each["code"] in (USUAL.get(each["command"], 0), 3), each
        assert "Traceback" not in each["errors"], each
        assert each["code"] == 3 or FULL not in each["errors"], each
    full = [each for each in records if each["code"] == 3]
    for each in full:
        # Java has words of its own.
        (line,) = each["errors"].splitlines()[-1:]
        assert line.endswith(FULL) or f"{FULL};" in line or "No space left on device" in line, each
    told = {each["command"] for each in full if each["room"] == 0}
    assert told == {each["command"] for each in records}


def on_a_disk(disk: Path, *words: str | Path, megabytes: int = 3) -> list[str | Path]:
    """A command on a small disk of its own; skips the test where that is forbidden."""
    disk.mkdir()
    mounting = f'mount -t tmpfs -o size={megabytes}m none "$0" && exec "$@"'
    prefix = ["unshare", "--mount", "--map-root-user", "sh", "-c", mounting, str(disk)]
    if not shutil.which("unshare") or subprocess.run([*prefix, "true"], capture_output=True).returncode:
        pytest.skip("no small disk can be made here: unshare or mount is not permitted")
    return [*prefix, *words]


@pytest.mark.slow
def test_a_full_disk_is_3_in_every_command_and_at_every_moment(project: Path, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    command = on_a_disk(disk, sys.executable, PROGRAM, disk, project, "sim", *map(str, ROOMS))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    records = [json.loads(line) for line in done.stdout.splitlines()]
    check(records)


@pytest.mark.jvm
def test_a_full_disk_is_3_in_commands_that_need_a_twin(tmp_path: Path) -> None:
    project, disk = tmp_path / "project", tmp_path / "disk"
    command = ["run", str(TESTS.parent / "samples" / "calc.apk"), "-o", str(project), "--events", "60", "-j", "1"]
    assert main([*command, "--no-slice", "--no-suite", "--no-pictures", "--worlds", "2"]) == 0
    with open_store(project) as store:
        assert store.runs.crashes(), "there is nothing to slice"
    words = on_a_disk(disk, sys.executable, PROGRAM, disk, project, "twin", "0", "60", megabytes=24)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(words, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    check([json.loads(line) for line in done.stdout.splitlines()])


@pytest.mark.slow
@pytest.mark.parametrize("command", [["crashes"], ["states"], ["coverage"], ["export", "issue"], ["prior", "show"]])
def test_output_that_goes_to_a_full_disk_is_3(command: list[str], project: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    crash = [(project / "crash.txt").read_text()] if command[0] == "export" else []
    place = [] if command[0] == "prior" else [str(project)]
    with open("/dev/full", "w") as full:
        words = [sys.executable, "-m", "fewtaps", *command, *place, *crash]
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (3, "fewtaps: cannot write the output: No space left on device\n")

"""`fewtaps suite` and `fewtaps run` killed while the suite is made: the same command goes on to the same result."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fewtaps.cli.main import main
from fewtaps.model.event import Tap
from fewtaps.pipeline.suite_player import JOURNAL
from fewtaps.suitefile import read_suite

Capture = pytest.CaptureFixture[str]
DEADLINE_SECONDS = 120
ABOUT = (
    '{"fewtaps":"trace","version":1,"app":{"package":"com.example.bill"},"world":0,"profile":"default"}\n'
    '{"event":{"kind":"launch"}}\n{"event":{"kind":"tap","x":0,"y":0,"selector":{"text":"About"}}}\n'
)


def killed_after(lines: int, folder: Path, *arguments: str) -> None:
    """Starts the command and kills it once so many runs are in the folder's journal."""
    journal = folder / JOURNAL
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    child = subprocess.Popen([sys.executable, "-m", "fewtaps", *arguments], env=environment, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + DEADLINE_SECONDS
    while child.poll() is None and time.monotonic() < deadline:
        if journal.exists() and journal.read_bytes().count(b"\n") > lines:
            break
        time.sleep(0.001)
    child.send_signal(signal.SIGKILL)
    assert child.wait() == -signal.SIGKILL, "it came to its end before it was killed"


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.jsonl"))}


@pytest.mark.slow
def test_a_killed_suite_goes_on_and_is_the_same(tmp_path: Path) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    assert main(["explore", "sim:notes", "-o", str(whole), "--events", "300"]) == 0
    shutil.copytree(whole, killed)
    command = ("sim:notes", "--launch-cost", "20")
    assert main(["suite", str(whole), *command]) == 0
    killed_after(3, killed, "suite", str(killed), *command)
    assert not (killed / "suite" / "suite.json").exists()
    journal = (killed / JOURNAL).read_bytes().rpartition(b"\n")[0]
    assert main(["suite", str(killed), *command]) == 0
    assert (killed / JOURNAL).read_bytes().startswith(journal)
    assert files_in(killed / "suite") == files_in(whole / "suite")
    assert read_suite(killed / "suite").covered == read_suite(whole / "suite").covered
    assert main(["test", str(killed / "suite"), "sim:notes"]) == 0


@pytest.mark.slow
def test_a_run_that_is_killed_while_its_suite_is_made_goes_on(tmp_path: Path, capsys: Capture) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    options = ("--events", "200", "-j", "1", "--worlds", "2", "--minutes", "60")
    assert main(["run", "sim:notes", "-o", str(whole), *options]) == 0
    killed_after(3, killed, "run", "sim:notes", "-o", str(killed), *options)
    assert not (killed / "suite" / "suite.json").exists()
    journal = (killed / JOURNAL).read_bytes().rpartition(b"\n")[0]
    capsys.readouterr()
    assert main(["run", "sim:notes", "-o", str(killed), *options]) == 0
    assert "Suite: " in capsys.readouterr().out
    assert (killed / JOURNAL).read_bytes().startswith(journal)
    one, other = read_suite(whole / "suite"), read_suite(killed / "suite")
    assert one.covered == other.covered and one.flaky == other.flaky
    assert main(["test", str(killed / "suite"), "sim:notes"]) == 0


@pytest.mark.slow
def test_a_run_with_a_prelude_ends_with_a_suite_whose_tests_begin_with_it(tmp_path: Path, capsys: Capture) -> None:
    prelude = tmp_path / "about.jsonl"
    prelude.write_text(ABOUT)
    folder = tmp_path / "project"
    options = ("--prelude", str(prelude), "--events", "80", "-j", "1", "--worlds", "2")
    assert main(["run", "sim:bill", "-o", str(folder), *options]) == 0
    tests = read_suite(folder / "suite").tests
    assert tests
    for test in tests:
        event = test.trace.steps[1].event
        assert isinstance(event, Tap) and event.selector is not None and event.selector.text == "About"
    assert main(["test", str(folder / "suite"), "sim:bill"]) == 0
    capsys.readouterr()
    # The same command makes no second suite of the same traces.
    assert main(["run", "sim:bill", "-o", str(folder), *options]) == 0
    assert [test.name for test in read_suite(folder / "suite").tests] == [test.name for test in tests]

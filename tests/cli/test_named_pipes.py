"""A named pipe in a folder of others is no file: a command says so in one line, and waits for nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fewtaps.errors import StoreError
from fewtaps.files import open_regular, read_inside
from fewtaps.pipeline.suite_player import SuiteJournal

DEADLINE_SECONDS = 60
"""A command that waits for a writer of the pipe ends here."""


def fewtaps(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "fewtaps", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=DEADLINE_SECONDS,
        stdin=subprocess.DEVNULL,
    )


def require_refused(done: subprocess.CompletedProcess[str], name: str) -> None:
    assert done.returncode == 2, done.stderr
    assert name in done.stderr
    assert "neither a file nor a folder" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_pipe_in_the_place_of_a_suites_index(tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    suite.mkdir()
    os.mkfifo(suite / "suite.json")
    require_refused(fewtaps("test", suite, "sim:bill"), "suite")


def test_a_pipe_in_the_place_of_a_test(tmp_path: Path) -> None:
    saved = subprocess.run(
        [sys.executable, "-m", "fewtaps", "tap", "sim:bill"],
        input="3\n3\n4\ntest suite\n",
        capture_output=True,
        text=True,
        timeout=DEADLINE_SECONDS,
        cwd=tmp_path,
    )
    assert saved.returncode == 0, saved.stderr
    (test,) = (tmp_path / "suite").glob("*.jsonl")
    test.unlink()
    os.mkfifo(test)
    require_refused(fewtaps("test", tmp_path / "suite", "sim:bill"), test.name)


def test_a_pipe_in_the_place_of_an_event_of_droidbot(tmp_path: Path) -> None:
    (tmp_path / "bot" / "events").mkdir(parents=True)
    os.mkfifo(tmp_path / "bot" / "events" / "event_1.json")
    require_refused(fewtaps("convert", tmp_path / "bot", tmp_path / "out.jsonl"), "event_1.json")


def test_a_run_on_a_project_with_pipes_ends(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "suite-made.json")
    os.mkfifo(tmp_path / "suite-runs.jsonl")
    done = fewtaps("run", "sim:bill", "-o", tmp_path, "--events", "20")
    assert done.returncode in (0, 1, 3), done.stderr
    assert "Traceback" not in done.stderr
    assert "internal error" not in done.stderr


def test_a_pipe_in_the_place_of_the_journal_of_a_suite_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "suite-runs.jsonl")
    with pytest.raises(StoreError, match=r"suite-runs\.jsonl: cannot be written \(neither a file nor a folder\)"):
        SuiteJournal(tmp_path / "suite-runs.jsonl", {})


def test_only_regular_files_are_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").write_bytes(b"content")
    (tmp_path / "link").symlink_to("pipe")
    assert read_inside(tmp_path / "file") == b"content"
    for name in ("pipe", "link", "/dev/null"):
        with pytest.raises(OSError, match="neither a file nor a folder"):
            open_regular(os.fspath(tmp_path / name), os.O_RDONLY)
    with pytest.raises(IsADirectoryError):
        read_inside(tmp_path)

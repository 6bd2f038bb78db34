"""`fewtaps slice` on a real app when something is wrong: one clear line, the documented exit code, nothing left."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from integration.conftest import SAMPLES
from processes import started

from fewtaps.cli.main import main
from fewtaps.device.twin import device, recording
from fewtaps.device.twin.recording import RecordFile

pytestmark = pytest.mark.jvm

Capture = pytest.CaptureFixture[str]
CALC, CRASH = SAMPLES / "calc.apk", SAMPLES / "calc" / "crash.jsonl"


def one_line(capsys: Capture) -> str:
    """What was said on the error stream: one line, and no traceback."""
    error = capsys.readouterr().err
    assert error.startswith("fewtaps: ") and error.count("\n") == 1 and "Traceback" not in error
    return error


def test_a_recording_that_is_damaged_on_its_way_is_said(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    """The words of a real recording are changed as a broken disk or a hostile app could."""
    read = recording.read_file

    def damaged(path: Path, limit_mb: int, *, is_cut: bool = False) -> RecordFile:
        file = read(path, limit_mb, is_cut=is_cut)
        words = file.words.copy()
        words[len(words) // 2 :: 7] ^= 0x11
        return replace(file, words=words)

    monkeypatch.setattr(device, "read_file", damaged)
    assert main(["slice", str(CALC), str(CRASH)]) == 3
    assert "the recording is damaged" in one_line(capsys)


def test_a_disk_without_room_for_the_recording_is_said(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage

    def full(path: str | os.PathLike[str]) -> object:
        return usage(path)._replace(free=1 << 20)

    monkeypatch.setattr(recording.shutil, "disk_usage", full)  # type: ignore[attr-defined]
    assert main(["slice", str(CALC), str(CRASH)]) == 3
    assert "no room for a recording of" in one_line(capsys)


def test_a_crash_that_no_longer_happens_names_the_step_that_differs(tmp_path: Path, capsys: Capture) -> None:
    lines = CRASH.read_text("utf-8").splitlines(keepends=True)
    kept = [line for line in lines if "less_height" not in line]
    assert len(kept) == len(lines) - 1
    (tmp_path / "changed.jsonl").write_text("".join(kept), "utf-8")
    assert main(["slice", str(CALC), str(tmp_path / "changed.jsonl")]) == 3
    assert "step 1 (Tap #compress) does not crash" in one_line(capsys)


def test_ctrl_c_while_recording_ends_with_130_and_leaves_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "fewtaps", "--verbose", "slice", str(CALC), str(CRASH), "--format", "json"]
    output = tmp_path / "slice.json"
    with started([*command, "-o", str(output)], env={**os.environ, "TMPDIR": str(tmp_path)}) as running:
        assert running.stderr is not None
        for line in running.stderr:
            if "of the twin is up" in line:
                break
        running.send_signal(signal.SIGINT)
        _, error = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "fewtaps: interrupted" in error and "Traceback" not in error
    assert list(tmp_path.iterdir()) == []

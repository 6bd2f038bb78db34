"""Fewtaps that cannot be loaded says so: never the exit code of a crash that was found, never 'interrupted'."""

from __future__ import annotations

import importlib.util
import os
import py_compile
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import fewtaps
from fewtaps.__main__ import _keep as keep

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package."""
    folder = tmp_path_factory.mktemp("installation")
    ignored = shutil.ignore_patterns("__pycache__", "*.jar", "*.pyc")
    shutil.copytree(Path(fewtaps.__file__).parent, folder / "fewtaps", ignore=ignored)
    return folder


def run_with_a_module_cut_short(installation: Path, module: str, cut: int) -> subprocess.CompletedProcess[str]:
    source = installation / "fewtaps" / module
    compiled = Path(importlib.util.cache_from_source(str(source)))
    py_compile.compile(str(source), doraise=True)
    whole = compiled.read_bytes()
    # The header stays, so that the file counts as that of its source.
    compiled.write_bytes(whole[: 16 + cut])
    environment = {**os.environ, "PYTHONPATH": str(installation), "FEWTAPS_CACHE": str(installation / "cache")}
    command = [sys.executable, "-m", "fewtaps", "show", "sim:bill"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    compiled.write_bytes(whole)
    return done


@pytest.mark.parametrize("cut", [0, 40])
def test_a_module_of_the_start_that_is_cut_short_is_70(installation: Path, cut: int) -> None:
    done = run_with_a_module_cut_short(installation, "cli/main.py", cut)
    assert done.returncode == 70 and done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("fewtaps: cannot be loaded (EOFError: ") and "__pycache__" in line
    named = re.search(r"please report it with the file (\S+\.log), which has the traceback", line)
    assert named is not None
    log = Path(named[1])
    assert log.read_text().startswith("Python ") and "EOFError" in log.read_text()
    assert log.stat().st_mode & 0o077 == 0
    log.unlink()


def test_where_no_file_can_be_made_the_traceback_is_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def no_room(*arguments: object, **options: object) -> None:
        raise OSError("full")

    monkeypatch.setattr(tempfile, "NamedTemporaryFile", no_room)
    assert keep(EOFError("cut")) == "the traceback above"
    assert "EOFError: cut" in capsys.readouterr().err


def test_a_module_of_a_command_that_is_cut_short_is_70_and_not_interrupted(installation: Path) -> None:
    done = run_with_a_module_cut_short(installation, "cli/show.py", 40)
    assert done.returncode == 70
    (line,) = done.stderr.splitlines()
    assert line.startswith("fewtaps: this is a defect of fewtaps (EOFError: ") and "last-failure.log" in line


def test_the_copy_works_where_nothing_is_cut(installation: Path) -> None:
    done = run_with_a_module_cut_short(installation, "cli/show.py", 10**6)
    assert done.returncode == 0, done.stderr

"""Fewtaps that cannot be loaded says so: never the exit code of a crash that was found, never 'interrupted'."""

from __future__ import annotations

import importlib.util
import os
import py_compile
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import fewtaps

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


def test_a_module_of_a_command_that_is_cut_short_is_70_and_not_interrupted(installation: Path) -> None:
    done = run_with_a_module_cut_short(installation, "cli/show.py", 40)
    assert done.returncode == 70
    (line,) = done.stderr.splitlines()
    assert line.startswith("fewtaps: this is a defect of fewtaps (EOFError: ") and "last-failure.log" in line


def test_the_copy_works_where_nothing_is_cut(installation: Path) -> None:
    done = run_with_a_module_cut_short(installation, "cli/show.py", 10**6)
    assert done.returncode == 0, done.stderr

"""Nothing leaves the machine: commands do all they do in a network namespace without a way out."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fewtaps.device.twin.jail import jail_problem

ROOT = Path(__file__).resolve().parents[2]
WITHOUT_NETWORK = ["unshare", "--net", "--map-root-user"]
APP = "sim:notes"


@pytest.fixture(scope="module")
def isolated() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs a command of fewtaps without a network."""
    if not shutil.which("unshare") or subprocess.run([*WITHOUT_NETWORK, "true"], capture_output=True).returncode:
        pytest.skip("no network namespace can be made here: unshare is missing or not permitted")

    def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [*WITHOUT_NETWORK, sys.executable, "-m", "fewtaps", *map(str, words)]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=250)

    return run


def test_the_namespace_has_no_way_out(isolated: Callable[..., object]) -> None:
    script = "import socket; socket.create_connection(('192.0.2.1', 9), 2)"
    done = subprocess.run([*WITHOUT_NETWORK, sys.executable, "-c", script], capture_output=True, text=True)
    assert "Network is unreachable" in done.stderr
    assert socket.if_nameindex(), "outside there is one"


@pytest.mark.slow
def test_every_command_works_without_a_network(
    isolated: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    project, suite = tmp_path / "project", tmp_path / "project" / "suite"
    limits = ("--events", "60", "-j", "1", "--worlds", "2")
    assert isolated("run", APP, "-o", project, *limits).returncode == 0
    crash = next(project.glob("*.reduced.jsonl"))
    name = crash.name.partition(".")[0]
    for words in (
        ("explore", APP, "-o", tmp_path / "explored", "--events", "30"),
        ("play", APP, crash),
        ("replay", APP, crash, "--worlds", "2"),
        ("reduce", APP, crash, "--dir", project, "--worlds", "2", "-o", tmp_path / "short.jsonl"),
        ("suite", tmp_path / "explored", APP),
        ("test", suite, APP, "-o", tmp_path / "results"),
        ("crashes", project),
        ("coverage", project),
        ("states", project, "--svg", tmp_path / "states.svg"),
        ("report", project),
        ("export", "all", project, name, "-o", tmp_path / "exports"),
        ("convert", crash, tmp_path / "steps.sh"),
        ("prior", "show"),
        ("scrub", project, "--yes"),
        ("show", APP),
    ):
        done = isolated(*words)
        assert done.returncode == 0, (words, done.stderr)


@pytest.mark.jvm
def test_a_twin_works_without_a_network(
    isolated: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    if jail_problem() is not None:
        pytest.skip("there is no jail here")
    apk = ROOT / "samples" / "calc.apk"
    limits = ("--events", "20", "-j", "1", "--worlds", "1", "--no-suite", "--no-slice")
    done = isolated("run", apk, "-o", tmp_path / "project", *limits)
    assert done.returncode == 0, done.stderr
    assert "Explored: 20 events" in done.stdout

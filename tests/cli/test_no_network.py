"""Nothing leaves the machine: commands do all they do in a network namespace without a way out, and try none."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer.main

from fewtaps.cli.main import app
from fewtaps.device.twin.jail import jail_problem

ROOT = Path(__file__).resolve().parents[2]
WITHOUT_NETWORK = ["unshare", "--net", "--map-root-user"]
# Servers listen on 127.0.0.1, which a new namespace has, but does not use yet.
WITH_OWN_ADDRESS = """
import fcntl, os, socket, struct, sys
with socket.socket() as line:
    fcntl.ioctl(line, 0x8914, struct.pack("16sh14x", b"lo", 1 | 64))
os.execvp(sys.argv[1], sys.argv[1:])
"""
APP = "sim:notes"
TWIN_COMMANDS = {"slice", "instrument"}


@dataclass(frozen=True)
class Isolated:
    """Runs commands of fewtaps without a network; notes what they were and which addresses they meant to reach."""

    watched: Path
    used: set[str]

    def run(self, *words: str | Path, lines: str = "") -> subprocess.CompletedProcess[str]:
        """Runs one command."""
        self.used.add(str(words[0]))
        return self.python("-m", "fewtaps", *map(str, words), lines=lines)

    def python(self, *words: str, lines: str = "") -> subprocess.CompletedProcess[str]:
        """Runs Python."""
        return subprocess.run(
            self._command(words), env=self._environment, capture_output=True, text=True, timeout=250, input=lines
        )

    def serve(self, *words: str | Path) -> int:
        """Runs a server until it has told its address; its exit code."""
        self.used.add(str(words[0]))
        command = self._command(("-m", "fewtaps", *map(str, words)))
        with subprocess.Popen(
            command, env=self._environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as process:
            assert process.stdout is not None
            heard = ""
            for line in process.stdout:
                heard += line
                if "127.0.0.1" in line:
                    process.terminate()
        assert "127.0.0.1" in heard and "Traceback" not in heard, heard
        return process.returncode

    def _command(self, words: Sequence[str]) -> list[str]:
        return [*WITHOUT_NETWORK, sys.executable, "-I", "-c", WITH_OWN_ADDRESS, sys.executable, *words]

    @property
    def _environment(self) -> dict[str, str]:
        path = [str(Path(__file__).parent / "watched"), *sys.path]
        return {**os.environ, "PYTHONPATH": os.pathsep.join(path), "NETWORK_WATCH": str(self.watched)}

    @property
    def tried(self) -> list[str]:
        """What was to be reached."""
        return self.watched.read_text().splitlines() if self.watched.exists() else []


@pytest.fixture
def isolated(tmp_path: Path) -> Isolated:
    if not shutil.which("unshare") or subprocess.run([*WITHOUT_NETWORK, "true"], capture_output=True).returncode:
        pytest.skip("no network namespace can be made here: unshare is missing or not permitted")
    return Isolated(tmp_path / "watched", set())


def test_the_namespace_has_no_way_out_and_a_try_is_noted(isolated: Isolated) -> None:
    done = isolated.python("-c", "import socket; socket.create_connection(('192.0.2.1', 9), 2)")
    assert "Network is unreachable" in done.stderr
    assert [line.split()[0] for line in isolated.tried] == ["socket.getaddrinfo", "socket.connect"]
    assert socket.if_nameindex(), "outside there is one"


HELLO = {
    "jsonrpc": "2.0", "id": 0, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}  # fmt: skip


@pytest.mark.slow
def test_every_command_works_without_a_network_and_tries_none(isolated: Isolated, tmp_path: Path) -> None:
    project, suite = tmp_path / "project", tmp_path / "project" / "suite"
    limits = ("--events", "60", "-j", "1", "--worlds", "2")
    assert isolated.run("run", APP, "-o", project, *limits).returncode == 0
    crash = next(project.glob("*.reduced.jsonl"))
    name = crash.name.partition(".")[0]
    (tmp_path / "apps.txt").write_text("sim:bill\n")
    for words in (
        ("explore", APP, "-o", tmp_path / "explored", "--events", "30"),
        ("play", APP, crash),
        ("replay", APP, crash, "--worlds", "2"),
        ("reduce", APP, crash, "--dir", project, "--worlds", "2", "-o", tmp_path / "short.jsonl"),
        ("suite", tmp_path / "explored", APP),
        ("test", suite, APP, "-o", tmp_path / "results"),
        ("mutate", suite, APP, "-o", tmp_path / "mutants", "--mutants", "2"),
        ("crashes", project),
        ("coverage", project),
        ("states", project, "--svg", tmp_path / "states.svg"),
        ("report", project),
        ("export", "all", project, name, "-o", tmp_path / "exports"),
        ("convert", crash, tmp_path / "steps.sh"),
        ("prior", "show"),
        ("campaign", tmp_path / "apps.txt", "-o", tmp_path / "night", "--events", "20"),
        ("merge", tmp_path / "all", tmp_path / "explored"),
        ("scrub", project, "--yes"),
        ("show", APP),
        ("doctor",),
    ):
        done = isolated.run(*words)
        assert done.returncode == 0, (words, done.stderr)
    assert isolated.run("tap", APP, lines="back\n").returncode == 0
    done = isolated.run("mcp", "--allow", tmp_path, "--device", "simulated", lines=json.dumps(HELLO) + "\n")
    assert done.returncode == 0 and json.loads(done.stdout)["id"] == 0, done.stderr
    assert isolated.serve("serve", project, "--json") in (0, 143)
    assert isolated.serve("device", "serve", "sim:bill", "--port", "5599") in (0, 143)
    assert isolated.serve("farm", "hub", "--listen", "tcp://127.0.0.1:5598") in (0, 143)
    group: Any = typer.main.get_command(app)
    assert isolated.used | TWIN_COMMANDS == set(group.commands)
    assert isolated.tried == []


@pytest.mark.jvm
def test_a_twin_works_without_a_network_and_tries_none(isolated: Isolated, tmp_path: Path) -> None:
    if jail_problem() is not None:
        pytest.skip("there is no jail here")
    apk = ROOT / "samples" / "calc.apk"
    limits = ("--events", "60", "-j", "1", "--worlds", "1", "--no-suite", "--no-slice")
    done = isolated.run("run", apk, "-o", tmp_path / "project", *limits)
    assert done.returncode == 0, done.stderr
    assert "Explored: 60 events" in done.stdout
    for words in (("slice", tmp_path / "project"), ("instrument", apk, "-o", tmp_path / "probes.apk")):
        done = isolated.run(*words)
        assert done.returncode == 0, (words, done.stderr)
    assert isolated.tried == []

"""`fewtaps device serve`: what it refuses, and a whole run of it with the real adb."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fewtaps.cli.main import main

ADB = shutil.which("adb")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["device", "serve", "sim:nosuch"], "no such simulated app"),
        (["device", "serve", "none.apk"], "none.apk"),
        (["device", "frobnicate", "sim:bill"], "there is: serve, list"),
        (["device", "serve", "sim:bill", "--time", "fast"], "--time: steps, real or a factor"),
        (["device", "serve", "sim:bill", "--count", "99"], "--count: between 1 and 16"),
        (["device", "serve", "sim:bill", "--port", "99999"], "--port"),
        (["device", "serve", "sim:bill", "--adb-server", "-4"], "--adb-server"),
        (["device", "serve", "sim:bill", "--auth", "none.pub"], "none.pub: cannot be read"),
        (["device", "serve", "sim:bill", "--record", __file__], "not a folder"),
        (["device", "serve", "sim:bill", "--profile", "nosuch", "--port", "0"], "--profile"),
    ],
)
def test_what_cannot_be_served_is_one_line_and_status_2(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert words in error and error.count("\n") == 1


def test_a_port_that_is_taken_is_one_line_and_status_2(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["device", "serve", "sim:bill", "--port", str(port)]) == 2
    assert f"--port {port}: cannot be used" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.skipif(ADB is None, reason="there is no adb on this machine")
def test_a_crash_made_with_adb_is_a_file_that_reduce_makes_short(tmp_path: Path) -> None:
    assert ADB is not None
    with socket.create_server(("127.0.0.1", 0)) as probe:
        adb_port = str(probe.getsockname()[1])
    environment = {**os.environ, "HOME": str(tmp_path), "ANDROID_ADB_SERVER_PORT": adb_port, "ADB_MDNS": "0"}
    command = [sys.executable, "-m", "fewtaps", "device", "serve", "sim:bill", "--port", "0", "--json"]
    command += ["--record", str(tmp_path / "runs"), "--count", "2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True) as process:
        try:
            assert process.stdout is not None
            devices = [json.loads(process.stdout.readline())["serving"] for _ in range(2)]
            serial = f"127.0.0.1:{devices[1]['port']}"
            subprocess.run([ADB, "connect", serial], env=environment, check=True, capture_output=True, timeout=60)
            script = "input tap 360 290; input tap 360 520; input tap 5 1200; pm clear com.example.bill; am start "
            script += (
                "com.example.bill; input tap 5 1200; input keyevent MENU; input tap 360 380; pidof com.example.bill"
            )
            answer = subprocess.run([ADB, "-s", serial, "shell", script], env=environment, check=False, timeout=60)
            assert answer.returncode == 1
            runs = [json.loads(process.stdout.readline())["run"] for _ in range(2)]
        finally:
            subprocess.run([ADB, "kill-server"], env=environment, check=False, capture_output=True, timeout=60)
            process.send_signal(signal.SIGINT)
            process.wait(60)
    assert [(run["steps"], run["crash"] is not None) for run in runs] == [(4, False), (4, True)]
    assert process.returncode == 0
    began = time.monotonic()
    short = tmp_path / "short.jsonl"
    assert main(["reduce", "sim:bill", runs[1]["file"], "-o", str(short), "--dir", str(tmp_path / "project")]) == 0
    assert len(short.read_text().splitlines()) == 3, time.monotonic() - began

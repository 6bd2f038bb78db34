"""Start-up, help, errors and exit codes, as a shell sees them."""

from __future__ import annotations

import ast
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from apk_parts import LAUNCHER, activity, manifest, write_apk, write_zip
from processes import started

from fewtaps.cli.main import exit_code, main
from fewtaps.errors import (
    ApkError,
    BridgeError,
    DeviceUnavailable,
    FewtapsError,
    NotFound,
    SchemaTooNew,
    StoreError,
    UnsupportedApp,
    UsageError,
)

TRACE_HEADER = '{"fewtaps":"trace","version":1,"app":{"package":"%s"},"world":0,"profile":"default"}\n'
LAUNCH = '{"event":{"kind":"launch"}}\n'


def run(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "fewtaps", *arguments], input=stdin, capture_output=True, text=True, timeout=60
    )


def one_line_error(errors: str) -> str:
    assert "Traceback" not in errors
    (line,) = errors.strip().splitlines()
    assert line.startswith("fewtaps: ")
    return line


def test_version_and_help_start_fast() -> None:
    for option in ("--version", "--help"):
        # 0.1 s on an idle machine. Processor time, because on a busy machine the elapsed time is longer.
        assert any(_processor_seconds(option) < 0.8 for _ in range(3)), option


def _processor_seconds(option: str) -> float:
    before = os.times()
    assert run(option).returncode == 0
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


@pytest.mark.slow
def test_help_loads_neither_device_nor_decoder() -> None:
    script = (
        "import sys, fewtaps.cli.main; "
        "print([m for m in sys.modules if m.startswith(('androguard', 'rich', 'fewtaps.device', 'fewtaps.apk'))])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = set(ast.literal_eval(done.stdout))
    entries = {name for name in loaded if name.endswith(".entry")}
    table = {f"fewtaps.device{each}" for each in ("", ".backend", ".capability", ".registry")}
    assert loaded == entries | table | {name.removesuffix(".entry") for name in entries}


@pytest.mark.parametrize("command", ["doctor", "show", "play", "tap"])
def test_every_command_explains_itself(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    assert f"fewtaps {command}" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments", [["--nonsense"], ["nonsense"], ["show"], ["play", "sim:bill"], ["tap", "sim:bill", "--world", "x"]]
)
def test_wrong_usage_exits_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert "-h)" in one_line_error(capsys.readouterr().err)


@pytest.mark.slow
def test_a_shell_gets_the_line_and_the_exit_code() -> None:
    done = run("nonsense")
    assert (done.returncode, done.stdout) == (2, "")
    assert "-h)" in one_line_error(done.stderr)


def test_wrong_usage_is_json_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", "sim:bill", "--json", "--nonsense"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["exit_code"] == 2


def test_without_a_command_there_is_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert capsys.readouterr().err.startswith("Usage: fewtaps")


@pytest.mark.parametrize(
    ("option", "value"),
    [("--device", "toaster"), ("--by", "luck"), ("--permissions", "x"), ("--neighbours", "x"), ("--coverage", "x"),
     ("--profile", "x"), ("--worlds", "0")],
)  # fmt: skip
def test_a_wrong_choice_is_named(option: str, value: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = tmp_path / "t.jsonl"
    trace.write_text(TRACE_HEADER % "com.example.bill" + LAUNCH)
    assert main(["play", "sim:bill", str(trace), option, value]) == 2
    assert option in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UsageError("x"), 2), (ApkError("x"), 2), (UnsupportedApp("x"), 3), (DeviceUnavailable("x"), 3),
        (BridgeError("x"), 3), (StoreError("x"), 3), (SchemaTooNew("x"), 3), (NotFound("x"), 2),
    ],
)  # fmt: skip
def test_errors_have_their_exit_codes(error: FewtapsError, code: int) -> None:
    assert exit_code(error) == code


@pytest.mark.parametrize("command", ["show", "tap"])
@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "no such file"),
        (b"hello", "not a ZIP file"),
        (b"", "empty"),
        (b"PK\x03\x04\x14\0", "cut short"),
        ({}, "Manifest"),
    ],
)
def test_what_is_no_apk_gives_one_line_and_2(
    command: str,
    content: bytes | dict[str, bytes] | None,
    reason: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "bad.apk"
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content is not None:
        write_zip(path, content)
    assert main([command, str(path)]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"fewtaps: {path}: ")
    assert reason in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("content", "reason"),
    [(manifest(root={"split": "config.en"}), "split APK"), (manifest(activity(".Main")), "no launcher")],
)
def test_an_app_that_cannot_run_gives_its_reason_and_3(
    content: bytes, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    apk = write_apk(tmp_path / "app.apk", content)
    assert main(["tap", str(apk)]) == 3
    error = capsys.readouterr().err
    assert reason in error
    assert error.count("\n") == 1


def test_errors_are_json_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(tmp_path / "absent.apk"), "--json"]) == 2
    error = json.loads(capsys.readouterr().out)["error"]
    assert (error["kind"], error["exit_code"]) == ("UsageError", 2)


def test_a_file_name_cannot_command_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(tmp_path / "\x1b[2Jevil\n.apk")]) == 2
    error = capsys.readouterr().err
    assert "\x1b" not in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", ""),
        ("not json\n", "line 1"),
        ('{"fewtaps":"trace","version":99,"app":{"package":"a"}}\n' + LAUNCH, "version"),
        (TRACE_HEADER % "com.example.bill" + LAUNCH + '{"event":{"kind":"fly"}}\n', "line 3"),
        (TRACE_HEADER % "com.other" + LAUNCH, "com.other"),
    ],
)
def test_a_wrong_trace_gives_one_line_and_2(
    content: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = tmp_path / "t.jsonl"
    trace.write_text(content)
    assert main(["play", "sim:bill", str(trace)]) == 2
    assert reason in one_line_error(capsys.readouterr().err)


@pytest.mark.slow
def test_output_into_a_closed_pipe_is_no_error() -> None:
    script = f"{sys.executable} -m fewtaps show sim:wizard | head -0"
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True)
    assert done.stderr == ""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_full_disk_is_one_line(options: list[str]) -> None:
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "fewtaps", "show", "sim:bill", *options]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 3
    assert done.stderr == "fewtaps: cannot write the output: No space left on device\n"


@pytest.mark.slow
def test_an_ascii_terminal_can_show_any_app(tmp_path: Path) -> None:
    apk = write_apk(
        tmp_path / "app.apk", manifest(activity(".Main", LAUNCHER), application={"label": "Ünïcøde ✓ [red]"})
    )
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0"}
    done = subprocess.run(
        [sys.executable, "-m", "fewtaps", "show", str(apk)], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert "[red]" in done.stdout


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
@pytest.mark.timeout(60)
def test_a_pipe_is_no_apk_and_is_not_waited_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(tmp_path / "pipe.apk")
    assert main(["show", str(tmp_path / "pipe.apk")]) == 2
    assert "not an ordinary file" in one_line_error(capsys.readouterr().err)


@pytest.mark.parametrize(
    ("message", "stack", "lines"),
    [
        ("no code in it", "java.io.IOException: no code in it\n\tat a.B.c", "no code in it"),
        ("it failed", "java.io.IOException: why\n\tat a.B.c", "it failed"),
        ("it failed", "", "it failed"),
    ],
)
def test_a_failure_inside_the_twin_is_its_message_and_the_name_of_the_log(
    message: str,
    stack: str,
    lines: str,
    failure_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(apk: str, as_json: bool) -> None:
        raise BridgeError(message, stack)

    monkeypatch.setattr("fewtaps.cli.show.run_show", fail)
    assert main(["show", "sim:bill"]) == 3
    path = failure_folder / "log" / "last-failure.log"
    assert capsys.readouterr().err == f"fewtaps: {lines}; details: {path}\n"


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_ends_the_command_tidily(number: signal.Signals, code: int, tmp_path: Path) -> None:
    script = (
        "import sys, time, fewtaps.cli.show, fewtaps.cli.main\n"
        "def wait(apk, as_json):\n"
        "    try:\n"
        "        print('ready', flush=True); time.sleep(30)\n"
        "    finally:\n"
        "        print('closed', flush=True)\n"
        "fewtaps.cli.show.run_show = wait\n"
        "sys.exit(fewtaps.cli.main.main(['show', 'x']))\n"
    )
    with started([sys.executable, "-c", script]) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(number)
        out, errors = process.communicate(timeout=20)
    assert (process.returncode, out) == (code, "closed\n")
    assert errors == ("fewtaps: interrupted\n" if number == signal.SIGINT else "")


@pytest.mark.slow
def test_ctrl_c_ends_with_130_and_no_traceback() -> None:
    with started([sys.executable, "-m", "fewtaps", "tap", "sim:bill"], stdin=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert any("About" in line for line in process.stdout)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "Traceback" not in errors

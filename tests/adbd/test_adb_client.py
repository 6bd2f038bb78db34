"""The real adb on a served device: transport, services, shell and files."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from adbd.rig import ADB, Rig, open_rig

pytestmark = [pytest.mark.skipif(ADB is None, reason="there is no adb on this machine"), pytest.mark.slow]


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    with open_rig(tmp_path_factory.mktemp("adb")) as opened:
        opened.phone.launch()
        yield opened


def test_adb_lists_the_device_with_its_model(rig: Rig) -> None:
    listed = rig.adb("devices", "-l").text
    assert re.search(rf"^{re.escape(rig.serial)}\s+device product:\S+ model:Fewtaps_Twin device:", listed, re.M)
    assert "shell_v2" in rig.adb("features").text


@pytest.mark.parametrize("status", [0, 1, 2, 42, 126, 127, 128, 200, 254, 255])
def test_exit_codes_arrive(rig: Rig, status: int) -> None:
    assert rig.adb("shell", f"exit {status}").status == status


def test_output_and_errors_arrive_apart(rig: Rig) -> None:
    answer = rig.adb("shell", "echo out; ls /none; echo $?")
    assert (answer.out, answer.err) == (b"out\n1\n", b"ls: /none: No such file or directory\n")
    joined = rig.adb("shell", "-x", "echo out; ls /none")
    assert joined.out == b"out\nls: /none: No such file or directory\n"


def test_input_arrives_whole_and_so_does_binary_output(rig: Rig) -> None:
    data = Random(1).randbytes(2_500_000)
    assert rig.adb("shell", "cat > /data/local/tmp/in; md5sum < /data/local/tmp/in", stdin=data).text.split()[0] == (
        hashlib.md5(data).hexdigest()
    )
    assert rig.adb("exec-out", "cat /data/local/tmp/in").out == data
    assert rig.adb("exec-in", "cat > /data/local/tmp/in2", stdin=data[:1000]).status == 0
    assert rig.adb("shell", "wc -c < /data/local/tmp/in2").text.strip() == "1000"


@pytest.mark.parametrize("size", [0, 1, 65535, 65536, 65537, 3_000_000])
def test_a_pushed_file_is_pulled_as_it_was(rig: Rig, tmp_path: Path, size: int) -> None:
    source, back = tmp_path / "source", tmp_path / "back"
    source.write_bytes(Random(size).randbytes(size))
    source.chmod(0o640)
    os.utime(source, (1_600_000_000, 1_600_000_000))
    assert rig.adb("push", str(source), "/sdcard/Download/file").status == 0
    assert rig.adb("shell", "stat -c '%s %Y' /sdcard/Download/file").text == f"{size} 1600000000\n"
    assert rig.adb("pull", "-a", "/sdcard/Download/file", str(back)).status == 0
    assert back.read_bytes() == source.read_bytes()
    assert int(back.stat().st_mtime) == 1_600_000_000


def test_a_folder_goes_there_and_back(rig: Rig, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    for name in ("a", "b/c", "b/d/e é", "f"):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(name)
    assert rig.adb("push", str(tree), "/sdcard/tree").status == 0
    assert rig.adb("pull", "/sdcard/tree", str(tmp_path / "back")).status == 0
    found = sorted(
        str(path.relative_to(tmp_path / "back")) for path in (tmp_path / "back").rglob("*") if path.is_file()
    )
    assert found == ["a", "b/c", "b/d/e é", "f"]
    assert "b" in rig.adb("ls", "/sdcard/tree").text


def test_what_cannot_be_pulled_or_pushed_is_said(rig: Rig, tmp_path: Path) -> None:
    missing = rig.adb("pull", "/sdcard/none", str(tmp_path / "x"))
    assert missing.status == 1 and b"No such file or directory" in missing.err + missing.out
    (tmp_path / "x").write_text("x")
    refused = rig.adb("push", str(tmp_path / "x"), "/sdcard/Download/file/below")
    assert refused.status == 1 and b"Not a directory" in refused.err + refused.out


def test_lines_of_a_script_are_run_one_after_the_other(rig: Rig) -> None:
    answer = rig.adb("shell", stdin=b"cd /sdcard\npwd\nX=1\necho $X\nexit 3\necho never\n")
    assert (answer.out, answer.status) == (b"/sdcard\n1\n", 3)


def test_a_terminal_has_a_prompt_an_echo_and_line_ends_of_its_own(rig: Rig) -> None:
    answer = rig.adb("shell", "-tt", stdin=b"ls /none\nexit 4\n")
    assert answer.status == 4
    assert answer.out.startswith(b"fewtaps:/ $ ") and b"\r\nls: /none: No such file or directory\r\n" in answer.out


def test_a_crash_is_in_logcat_and_the_screen_can_be_taken(rig: Rig) -> None:
    rig.adb("shell", "pm clear com.example.bill; am start -W com.example.bill")
    assert rig.adb("exec-out", "screencap -p").out.startswith(b"\x89PNG")
    rig.adb("shell", "input tap 360 380")
    assert "FATAL EXCEPTION: main" in rig.adb("logcat", "-d", "-b", "crash").text
    assert rig.runs[-1].crash is not None


def test_refused_services_are_told_with_a_status(rig: Rig) -> None:
    answer = rig.adb("reverse", "tcp:1", "tcp:2")
    assert answer.status == 1 and b"ports of the host cannot be reached" in answer.err, answer
    assert b"no process can be debugged" in rig.adb("jdwp").out
    assert b"cannot run as root" in rig.adb("root").out


def test_a_file_that_is_no_app_is_refused_in_words(rig: Rig, tmp_path: Path) -> None:
    (tmp_path / "other.apk").write_bytes(b"PK" + bytes(300_000))
    answer = rig.adb("install", str(tmp_path / "other.apk"))
    assert answer.status == 1
    assert b"com.example.bill is served; the file is no app that can be read" in answer.err + answer.out


def test_many_streams_are_served_side_by_side(rig: Rig) -> None:
    lines = " & ".join(f"{ADB} -P {rig.adb_port} -s {rig.serial} shell 'echo {number}; exit 0'" for number in range(50))
    answer = rig.run(["sh", "-c", f"{lines} & wait"])
    assert sorted(map(int, answer.out.split())) == list(range(50))

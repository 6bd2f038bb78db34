"""Command lines of the device's shell, parsed and run."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Iterator

import pytest
from adbd.rig import shell, simulated_phone

from fewtaps.adbd.command_line import ShellSyntaxError, parse_line
from fewtaps.adbd.phone import ServedPhone


@pytest.fixture(scope="module")
def phone() -> Iterator[ServedPhone]:
    with simulated_phone() as (opened, _):
        yield opened


@pytest.mark.parametrize(
    ("line", "out"),
    [
        ("echo a   b", "a b\n"),
        ("echo 'a   b' \"c  d\" e\\ f", "a   b c  d e f\n"),
        ("echo one; echo two", "one\ntwo\n"),
        ("true && echo yes || echo no", "yes\n"),
        ("false && echo yes || echo no", "no\n"),
        ("false; echo $?", "1\n"),
        ("NAME=x; echo $NAME \"${NAME}y\" '$NAME'", "x xy $NAME\n"),
        ("NAME='a b'; printf '%s|' $NAME; printf '%s|' \"$NAME\"", "a|b|a b|"),
        ("echo a > /sdcard/f; echo b >> /sdcard/f; cat < /sdcard/f", "a\nb\n"),
        ("printf '3\\n1\\n2\\n' | sort | head -n 2", "1\n2\n"),
        ("nosuch 2>/dev/null; echo $?", "127\n"),
        ("ls /none 2>&1 | grep -c No", "1\n"),
        ("echo $NOTHING end", "end\n"),
        ("echo a # b", "a\n"),
        ("echo 'it'\"'\"'s'", "it's\n"),
        ("echo one\necho two", "one\ntwo\n"),
        ("test -d /sdcard && [ -f /none ] || echo right", "right\n"),
        ("cd /sdcard && pwd", "/sdcard\n"),
        ("sh -c 'exit 3'; echo $?", "3\n"),
        ("echo é | cat", "é\n"),
        ("echo ../../etc > /data/local/tmp/../../../x; cat /x", "../../etc\n"),
        ("seq=1; echo hi & echo there", "hi\nthere\n"),
    ],
)
def test_a_line_prints_what_a_phone_s_shell_would(phone: ServedPhone, line: str, out: str) -> None:
    answer = shell(phone, line)
    assert answer.text == out, answer.err


@pytest.mark.parametrize("status", [0, 1, 7, 127, 255])
def test_exit_is_the_status_of_the_shell(phone: ServedPhone, status: int) -> None:
    assert shell(phone, f"exit {status}; echo never").status == status


@pytest.mark.parametrize(
    "line", ["'", '"', "a |", "| a", "a && && b", "echo >", "(ls)", "echo $(ls)", "echo `ls`", "${", "a ||"]
)
def test_a_line_that_cannot_be_read_is_one_line_of_error(phone: ServedPhone, line: str) -> None:
    answer = shell(phone, line)
    assert answer.status == 2
    assert answer.out == b"" and answer.err.startswith(b"sh: syntax error") and answer.err.count(b"\n") == 1


def test_input_reaches_the_first_command_of_a_pipeline(phone: ServedPhone) -> None:
    data = bytes(range(256)) * 4000
    assert shell(phone, "cat | cat", data).out == data


def test_a_reader_that_has_enough_ends_a_writer_that_has_not(phone: ServedPhone) -> None:
    assert shell(phone, "logcat | head -n 1").text == "--------- beginning of main\n"


def test_an_unknown_command_has_status_127_and_is_counted(phone: ServedPhone) -> None:
    answer = shell(phone, "frobnicate --all")
    assert answer.status == 127
    assert "not on this device: the command frobnicate, asked for 1 time" in list(phone.notes())


@pytest.mark.slow
def test_lines_of_noise_never_raise_anything_but_a_syntax_error() -> None:
    randoms = random.Random(19)
    for _ in range(5_000):
        line = "".join(randoms.choice("ab '\"$\\|&;<>(){}#`?=\n2") for _ in range(randoms.randrange(30)))
        try:
            parse_line(line)
        except ShellSyntaxError as error:
            assert "\n" not in str(error)


@pytest.mark.slow
def test_commands_of_noise_leave_the_device_alive(phone: ServedPhone) -> None:
    randoms = random.Random(20)
    choices = [
        "input",
        "tap",
        "swipe",
        "text",
        "keyevent",
        "am",
        "start",
        "broadcast",
        "pm",
        "list",
        "install",
        "clear",
        "wm",
        "size",
        "settings",
        "put",
        "get",
        "system",
        "dumpsys",
        "window",
        "battery",
        "set",
        "level",
        "-p",
        "-f",
        "-s",
        "3",
        "cmd",
        "package",
        "uiautomator",
        "dump",
        "ls",
        "cat",
        "rm",
        "-rf",
        "/",
        ".",
        "..",
        "/sdcard",
        "x",
        "-1",
        "'",
        '"',
        "$?",
        ";",
        "&&",
        "|",
        ">",
        "<",
        "ime",
        "svc",
        "wifi",
        "printf",
        "%d",
        "%s",
        "grep",
        "-E",
        "[",
        "test",
        "head",
        "tail",
        "stat",
        "-c",
        "999999999999999999999",
        "-d",
        "-b",
        "-v",
    ]
    choices += ["logcat -d", "monkey -p com.example.bill", "xargs", "sleep"]
    for _ in range(1500):
        line = " ".join(randoms.choice(choices) for _ in range(randoms.randrange(1, 7)))
        answer = shell(phone, line)
        assert 0 <= answer.status <= 255
        assert b"Traceback" not in answer.err
    assert shell(phone, "echo alive").text == "alive\n"


@pytest.mark.parametrize(
    "line",
    [
        "echo a | grep -E 'a{99999999999999999999}'",
        "mkdir -p " + "a/" * 5000,
        "echo a | tr '" + " -\uffff" * 10000 + "' b",
        "pgrep 'a{99999999999999999999}'",
        "pgrep '[[a]'; echo a | grep '[[a]'; logcat -d -e '[[a]'; logcat -d -e 'a{99999999999999999999}'",
        "input tap 99999999999999999999999 nan",
        "input swipe 1 2 3 4 " + "9" * 400,
        "sleep 1e400",
        "echo $((9<<99999999999))",
        "$(" * 3000,
        "echo a" + " | cat" * 3000,
        "cat ../../../../../etc/passwd /proc/self/environ",
        "ln -s /etc/passwd /sdcard/p; cat /sdcard/p",
        "sh -c 'python3 -c 1'; exec bash; find / -exec sh {} \\;",
    ],
)
def test_no_line_ends_the_server_or_reaches_the_machine(phone: ServedPhone, line: str) -> None:
    assert "root:" not in shell(phone, line).out.decode(errors="replace")
    assert shell(phone, "echo alive").text == "alive\n"


TEN = "a=aaaaaaaaaa; " + "a=$a$a$a$a$a$a$a$a$a$a; " * 10
FILL = "echo " + "a" * 60_000 + " > /data/local/tmp/f; "
"""A file of 60 kB, the longest that one line of a client can make."""


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (TEN, "sh: argument list too long"),
        (TEN + "export b=$a; export c=$a; export d=$a", "export: out of memory"),
        (TEN + "b=$a; c=$a; d=$a; e=$a", "sh: out of memory"),
        (TEN + "echo $a $a $a $a", "sh: argument list too long"),
        (TEN + "echo > $a$a$a$a", "sh: argument list too long"),
        ("x='%999s'; " + "x=$x$x$x$x$x$x$x$x$x$x; " * 4 + "printf $x", "printf: the text is too long"),
        (TEN + "date +$a", "date: the format is too long"),
        (TEN + "stat -c $a /sdcard", "stat: the format is too long"),
        ("echo a" + " | cat" * 100, "more than 64 commands in a pipeline"),
        (TEN + 'sh -c "$a$a"', "the line is too long"),
    ],
    ids=["words", "export", "variables", "arguments", "target", "printf", "date", "stat", "pipeline", "sh"],
)
def test_what_a_line_multiplies_is_an_error_of_its_command(phone: ServedPhone, line: str, words: str) -> None:
    tracemalloc.start()
    try:
        answer = shell(phone, line)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert words in answer.err.decode()
    assert peak < 100 << 20
    assert shell(phone, "echo alive").text == "alive\n"


def test_pipes_that_nothing_takes_from_are_limited_together(
    phone: ServedPhone, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fewtaps.adbd.shell.WAITING_BYTES", 1 << 20)
    files = " /data/local/tmp/f" * 40
    answer = shell(phone, f"{FILL} grep a{files} | sort; base64{files} > /dev/null; echo $?")
    assert "grep: out of memory" in answer.err.decode()
    assert b"base64" not in answer.err


def test_an_input_that_is_too_long_is_an_error_and_not_cut(phone: ServedPhone, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("shell", "file_commands"):
        monkeypatch.setattr(f"fewtaps.adbd.{module}.TEXT_BYTES", 100_000)
    two = "/data/local/tmp/f /data/local/tmp/f"
    for command in (f"sort {two}", f"tail {two}", f"head {two}", f"cat {two} | sort", f"cat {two} | tr a b"):
        assert "0 MB of input" in shell(phone, f"{FILL} {command}").err.decode()
    assert shell(phone, f"{FILL} cat {two} | wc -c").text == "120002\n"


def test_a_file_is_read_as_input_piece_by_piece(phone: ServedPhone) -> None:
    assert (
        shell(phone, f"{FILL} cat /data/local/tmp/f /data/local/tmp/f > /sdcard/g; wc -c < /sdcard/g").text
        == "120002\n"
    )
    assert shell(phone, "cat < /sdcard/g | wc -l; head -n 1 < /sdcard/g | wc -c; grep -c a < /sdcard/g").text == (
        "2\n60001\n2\n"
    )

"""The log: where it is kept, what is in it and what is not, and that it never breaks a command."""

from __future__ import annotations

import json
import logging
import os
import sqlite3
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from cli.test_reduce import reduce, write
from projects import THE_APP

from fewtaps.cli import log_file
from fewtaps.cli.logs import CommandLog, LogLines, command_log, current_log, escaped, log_files, without_texts
from fewtaps.cli.main import main
from fewtaps.device.simulated.device import SimulatedDevice, SimulatedSession
from fewtaps.errors import BridgeError, DeviceLost, StoreError, UsageError
from fewtaps.model.event import Event
from fewtaps.model.goal import GoalKind, GoalSpec
from fewtaps.model.trace import Step
from fewtaps.pipeline.bundling import read_settings, shareable, without_homes
from fewtaps.store.database import open_store

Capture = pytest.CaptureFixture[str]
log = logging.getLogger("fewtaps.test")


def project(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "fewtaps.db").write_bytes(b"")
    return folder


def kept(folder: Path) -> str:
    return (folder / "log" / "fewtaps.log").read_text("utf-8")


def record(message: str, **extra: object) -> logging.LogRecord:
    made = logging.LogRecord("fewtaps.x", logging.INFO, "x.py", 1, message, (), None)
    made.__dict__.update(extra)
    return made


@pytest.mark.slow
def test_a_run_keeps_a_log_of_its_stages_in_the_project(tmp_path: Path) -> None:
    assert main(["run", "sim:bill", "-o", str(tmp_path / "p"), "--events", "60", "--worlds", "2", "-j", "1"]) == 0
    text = kept(tmp_path / "p")
    for words in ("arguments: 'run' 'sim:bill'", "opening a session", "exploring: ", "crash ", "exit code 0"):
        assert words in text
    assert stat.S_IMODE((tmp_path / "p" / "log" / "fewtaps.log").stat().st_mode) == 0o600


@pytest.mark.slow
def test_the_log_has_no_texts_of_the_app(tmp_path: Path) -> None:
    main(["run", "sim:notes", "-o", str(tmp_path / "p"), "--events", "60", "--worlds", "2", "-j", "1", "-vv"])
    text = kept(tmp_path / "p")
    assert "episode 0 is kept" in text
    for words in ("Urgent", "Sync", "empty title"):
        assert words not in text


def test_a_log_is_begun_only_in_a_project(tmp_path: Path) -> None:
    with command_log([], "1") as opened:
        opened.keep_in(tmp_path / "p")
        log.info("before")
        (tmp_path / "p").mkdir()
        log.info("still before")
        assert not (tmp_path / "p" / "log").exists()
        project(tmp_path / "p")
        log.info("after")
    lines = kept(tmp_path / "p").splitlines()
    assert [line.rpartition(": ")[2] for line in lines[-3:]] == ["before", "still before", "after"]


def test_a_log_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_file, "FILE_BYTES", 2000)
    with command_log([], "1") as opened:
        opened.keep_in(project(tmp_path))
        for number in range(300):
            log.info("line %d", number)
    files = sorted((tmp_path / "log").iterdir())
    assert [file.name for file in files] == ["fewtaps.log", "fewtaps.log.1", "fewtaps.log.2"]
    assert all(file.stat().st_size <= 2000 for file in files)
    assert "line 299" in kept(tmp_path)
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


def test_a_second_process_does_not_write_to_the_log(tmp_path: Path, failure_folder: Path) -> None:
    with command_log([], "1") as first:
        first.keep_in(project(tmp_path))
        log.info("mine")
        second = CommandLog()
        second.keep_in(tmp_path)
        second.emit(record("theirs"))
        assert second.details() == failure_folder / "log" / "last-failure.log"
        second.close()
    assert "theirs" not in kept(tmp_path)
    assert "theirs" in (failure_folder / "log" / "last-failure.log").read_text()


@pytest.mark.parametrize("hindrance", ["file", "folder", "link", "pipe", "read-only"])
def test_a_log_that_cannot_be_written_breaks_nothing(hindrance: str, tmp_path: Path) -> None:
    folder = project(tmp_path / "p")
    (folder / "fewtaps.db").unlink()
    match hindrance:
        case "file":
            (folder / "log").write_bytes(b"")
        case "folder":
            (folder / "log" / "fewtaps.log").mkdir(parents=True)
        case "link":
            (folder / "log").mkdir()
            (folder / "log" / "fewtaps.log").symlink_to(tmp_path / "elsewhere")
        case "pipe":
            (folder / "log").mkdir()
            os.mkfifo(folder / "log" / "fewtaps.log")
        case "read-only":
            (folder / "log").mkdir(mode=0o500)
    assert main(["explore", "sim:bill", "-o", str(folder), "--events", "20"]) == 0
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full disk here")
def test_a_full_disk_ends_the_log_and_nothing_else(tmp_path: Path, capsys: Capture) -> None:
    with command_log([], "1") as opened:
        opened.keep_in(project(tmp_path))
        log.info("before")
        file = opened._file
        assert file is not None and file.stream is not None
        with open("/dev/full", "w") as full:
            os.dup2(full.fileno(), file.stream.fileno())
        log.info("lost")
        log.info("kept in memory")
        assert opened._file is None
    assert capsys.readouterr().err == ""


def test_a_failure_names_the_file_with_the_java_stack(
    tmp_path: Path, failure_folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    def fail(apk: str, as_json: bool) -> None:
        log.info("the stack: %s", "java.io.IOException\n\tat a.B.c(B.java:7)")
        raise BridgeError("it failed", "")

    monkeypatch.setattr("fewtaps.cli.show.run_show", fail)
    assert main(["show", "sim:bill", "--json"]) == 3
    seen = capsys.readouterr()
    path = failure_folder / "log" / "last-failure.log"
    assert seen.err == f"fewtaps: it failed; details: {path}\n"
    assert json.loads(seen.out)["error"]["log"] == str(path)
    text = path.read_text("utf-8")
    assert "    \tat a.B.c(B.java:7)\n" in text
    assert "BridgeError: it failed" in text and "Traceback" in text
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_failure_in_a_project_names_its_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    def die(device: SimulatedDevice, *arguments: object) -> None:
        raise DeviceLost("it fell from the table")

    monkeypatch.setattr(SimulatedDevice, "open", die)
    assert main(["explore", "sim:bill", "-o", str(tmp_path / "p"), "--events", "20"]) == 3
    assert f"details: {tmp_path / 'p' / 'log' / 'fewtaps.log'}" in capsys.readouterr().err
    assert "try 1 of 3 lost its session: it fell from the table" in kept(tmp_path / "p")


def test_what_the_message_says_completely_has_no_details(failure_folder: Path, tmp_path: Path, capsys: Capture) -> None:
    assert main(["play", "sim:bill", str(tmp_path / "none.jsonl")]) == 2
    assert "details" not in capsys.readouterr().err
    assert list(failure_folder.iterdir()) == []


def test_a_defect_is_one_line_with_its_own_code_and_its_traceback_is_kept(
    failure_folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    def fail(apk: str, as_json: bool) -> None:
        raise ZeroDivisionError("ours")

    monkeypatch.setattr("fewtaps.cli.show.run_show", fail)
    assert main(["show", "sim:bill"]) == 70
    shown = capsys.readouterr().err
    assert "this is a defect of fewtaps (ZeroDivisionError: ours)" in shown
    assert str(failure_folder / "log" / "last-failure.log") in shown
    assert shown.count("\n") == 1
    text = (failure_folder / "log" / "last-failure.log").read_text("utf-8")
    assert "a defect of fewtaps" in text
    assert "in fail\n" in text
    assert "ZeroDivisionError (its message is left out; --log-texts keeps it)" in text
    assert main(["show", "sim:bill", "--log-texts"]) == 70
    assert "ZeroDivisionError: ours" in (failure_folder / "log" / "last-failure.log").read_text("utf-8")


@pytest.mark.parametrize(
    "arguments", [["-v", "explore"], ["explore", "-v"], ["explore", "--verbose"], ["--verbose", "explore"]]
)
def test_verbose_shows_the_log_on_the_error_stream(arguments: list[str], tmp_path: Path, capsys: Capture) -> None:
    assert main([*arguments, "sim:bill", "-o", str(tmp_path / "p"), "--events", "20"]) == 0
    seen = capsys.readouterr()
    assert "fewtaps: fewtaps.device.pool: device 1: opening a session" in seen.err
    assert "opening a session" not in seen.out
    assert "episode 0 is kept" not in seen.err
    assert "episode 0 is kept" in kept(tmp_path / "p")


def test_twice_verbose_shows_details(tmp_path: Path, capsys: Capture) -> None:
    assert main(["explore", "-vv", "sim:bill", "-o", str(tmp_path / "p"), "--events", "20"]) == 0
    assert "episode 0 is kept" in capsys.readouterr().err


def test_without_verbose_only_warnings_are_shown_each_on_one_line(capsys: Capture) -> None:
    with command_log([], "1"):
        log.info("not shown")
        log.warning("care: %s", "\x1b[31mred\nnext", exc_info=ValueError("hidden"))
    assert capsys.readouterr().err == "fewtaps: care: \\u001b[31mred\n"


def test_after_a_command_the_loggers_are_as_before() -> None:
    before = logging.getLogger().handlers[:]
    with command_log([], "1") as opened:
        opened.speak(2)
        assert logging.getLogger("fewtaps").level == logging.DEBUG
        assert current_log() is opened
    assert logging.getLogger().handlers == before
    assert logging.getLogger("fewtaps").level == logging.NOTSET


def test_texts_of_the_app_are_kept_only_if_asked_for() -> None:
    made = record("it printed", texts="my secret")
    assert "my secret" not in LogLines().format(made)
    assert "--log-texts" in LogLines().format(made)
    assert LogLines(with_texts=True).format(made).endswith("\n    my secret")


def test_log_texts_is_an_option_of_every_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    performed = SimulatedSession.perform

    def speak(session: SimulatedSession, event: Event) -> Step:
        log.info("the app printed", extra={"texts": "my secret"})
        return performed(session, event)

    monkeypatch.setattr(SimulatedSession, "perform", speak)
    for name, options in (("without", []), ("with", ["--log-texts"])):
        main(["explore", "sim:bill", "-o", str(tmp_path / name), "--events", "20", *options])
    assert "my secret" not in kept(tmp_path / "without")
    assert "my secret" in kept(tmp_path / "with")


@pytest.mark.parametrize(
    ("before", "behind"),
    [(["--log-texts"], ["-v"]), (["-v"], ["--log-texts"]), (["-v", "--log-texts"], []), ([], ["-v", "--log-texts"])],
)
def test_options_of_the_log_hold_before_and_behind_the_command(
    before: list[str], behind: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    performed = SimulatedSession.perform

    def speak(session: SimulatedSession, event: Event) -> Step:
        log.info("the app printed", extra={"texts": "my secret"})
        return performed(session, event)

    monkeypatch.setattr(SimulatedSession, "perform", speak)
    main([*before, "explore", "sim:bill", "-o", str(tmp_path / "p"), "--events", "20", *behind])
    assert "my secret" in kept(tmp_path / "p")
    assert "episode 0 is kept" in kept(tmp_path / "p")
    assert "my secret" in capsys.readouterr().err


def test_the_higher_verbosity_holds(tmp_path: Path, capsys: Capture) -> None:
    main(["-vv", "explore", "sim:bill", "-o", str(tmp_path / "p"), "--events", "20", "-v"])
    assert "episode 0 is kept" in capsys.readouterr().err


@pytest.mark.parametrize(
    "goal", [["--shows", "Dear Anna 1234"], ["--shows=Dear Anna 1234"], ["--test", "false 'Dear Anna 1234'"]]
)
@pytest.mark.parametrize("flaky", [[], ["--flaky"]])
def test_a_missed_goal_is_not_quoted_in_the_log(
    goal: list[str], flaky: list[str], tmp_path: Path, capsys: Capture
) -> None:
    trace = write(tmp_path / "calm.jsonl", "feed", "Refresh", "", "")
    assert reduce(trace, tmp_path / "p", *goal, *flaky, "-v", app="sim:feed") == 3
    seen = capsys.readouterr()
    text = kept(tmp_path / "p")
    assert "NotReproduced (its message is left out; --log-texts keeps it)" in text
    assert "exit code 3" in text
    assert '.py", line ' in text
    assert "Anna" not in text
    # All lines but the message for the user show the log.
    messages = [line for line in seen.err.splitlines() if line.startswith("fewtaps: the original does not meet")]
    assert len(messages) == 1
    assert "Anna" not in seen.err.replace(messages[0], "")


def test_log_texts_keeps_the_messages_of_errors(tmp_path: Path, capsys: Capture) -> None:
    trace = write(tmp_path / "calm.jsonl", "feed", "Refresh", "", "")
    assert reduce(trace, tmp_path / "p", "--shows", "Dear Anna 1234", "--log-texts", app="sim:feed") == 3
    assert "Dear Anna 1234" in capsys.readouterr().err
    assert "the text 'Dear Anna 1234' was not shown" in kept(tmp_path / "p")


def test_a_refused_block_is_not_quoted_in_the_log(tmp_path: Path, capsys: Capture) -> None:
    explore = ["explore", "sim:bill", "-o", str(tmp_path / "p"), "--events", "20"]
    assert main([*explore, "--block", "text:Dear Anna"]) == 0
    assert main([*explore, "--block", "text:Dear Bert", "--resume"]) == 2
    assert "Dear Bert" in capsys.readouterr().err
    text = kept(tmp_path / "p")
    assert "UsageError (its message is left out; --log-texts keeps it)" in text
    assert "Dear" not in text


def test_a_test_that_cannot_be_started_is_not_named_in_the_log(tmp_path: Path, capsys: Capture) -> None:
    trace = write(tmp_path / "calm.jsonl", "feed", "Refresh", "", "")
    assert reduce(trace, tmp_path / "p", "--test", "no-such-program --password=secret", app="sim:feed") == 2
    assert "no-such-program" in capsys.readouterr().err
    text = kept(tmp_path / "p")
    assert "FileNotFoundError: No such file or directory" in text
    assert "no-such-program" not in text
    assert "secret" not in text


def test_the_words_of_a_failed_device_are_kept_and_those_of_its_cause_are_not() -> None:
    try:
        try:
            value = "my " + "secret"
            raise UsageError(value)
        except UsageError as error:
            raise DeviceLost("it fell from the table") from error
    except DeviceLost as error:
        made = record("it failed")
        made.exc_info = (type(error), error, error.__traceback__)
    # Another handler may have left its own words for the traceback.
    made.exc_text = "my secret"
    text = LogLines().format(made)
    assert "UsageError (its message is left out" in text
    assert text.index("UsageError (") < text.index("DeviceLost: it fell from the table")
    assert "my secret" not in text
    assert "my secret" in LogLines(with_texts=True).format(made)


@pytest.mark.parametrize("hostile", ["\x1b]0;title\x07", "a\rb", "\x00", "\u202egnp", "\x9b31m", "\ud800"])
def test_no_character_of_a_record_commands_a_terminal(hostile: str) -> None:
    line = LogLines().format(record(f"before {hostile} after"))
    assert all(char.isprintable() or char in "\t\n" for char in line)
    assert escaped(hostile).isprintable()


def test_a_record_cannot_pass_for_another() -> None:
    forged = "it failed\n2026-01-01T00:00:00.000Z INFO fewtaps.cli.main: exit code 0"
    lines = LogLines().format(record(forged)).splitlines()
    assert len(lines) == 2 and lines[1].startswith("    2026")


def test_arguments_are_kept_without_texts() -> None:
    given = ["reduce", "a.apk", "--shows", "my secret", "--shows=my secret", "--block", "text:me", "-j", "2"]
    assert list(without_texts(given)) == ["reduce", "a.apk", "--shows", "…", "--shows=…", "--block", "…", "-j", "2"]
    assert list(without_texts(["--test", "grep secret", "--test=grep secret"])) == ["--test", "…", "--test=…"]


def test_a_message_that_does_not_fit_its_arguments_ends_no_command(capsys: Capture) -> None:
    CommandLog().handle(logging.LogRecord("fewtaps.x", logging.INFO, "x.py", 1, "%d", ("no number",), None))
    assert "Logging error" in capsys.readouterr().err


def test_doctor_packs_a_bundle_and_says_what_is_in_it(tmp_path: Path, capsys: Capture) -> None:
    folder = tmp_path / "p"
    main(["explore", "sim:bill", "-o", str(folder), "--events", "20", "--block", "text:my secret"])
    capsys.readouterr()
    main(["doctor", "--bundle", str(tmp_path / "b.zip"), "--dir", str(folder), "--json"])
    bundle = json.loads(capsys.readouterr().out)["bundle"]
    with zipfile.ZipFile(tmp_path / "b.zip") as archive:
        assert archive.namelist() == bundle["files"]
        assert bundle["files"] == ["versions.json", "checks.json", "settings.json", "log/fewtaps.log"]
        whole = b"".join(map(archive.read, archive.namelist())).decode()
        versions = json.loads(archive.read("versions.json"))
    assert versions["python"] == sys.version.split()[0]
    assert len(versions["backends"]["twin"]["jars"]) == 64
    assert "my secret" not in whole
    assert str(Path.home()) + "/" not in whole


def test_a_project_folder_is_packed_into_itself(tmp_path: Path, capsys: Capture) -> None:
    main(["explore", "sim:bill", "-o", str(tmp_path / "p"), "--events", "20"])
    main(["doctor", "--bundle", str(tmp_path / "p")])
    assert "settings.json" in capsys.readouterr().out
    assert (tmp_path / "p" / "fewtaps-bundle.zip").is_file()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--dir", "p"], "give --bundle too"),
        (["--bundle", "no/where.zip"], "there is no folder"),
        (["--bundle", "b.zip", "--dir", "nothing"], "nothing"),
    ],
)
def test_a_bundle_that_cannot_be_made_is_refused(
    options: list[str], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["doctor", *options]) == 2
    assert words in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_project_can_be_packed(tmp_path: Path) -> None:
    (tmp_path / "fewtaps.db").write_bytes(b"no database at all, but long enough to be read as one" * 20)
    main(["doctor", "--bundle", str(tmp_path)])
    with zipfile.ZipFile(tmp_path / "fewtaps-bundle.zip") as archive:
        told = json.loads(archive.read("settings.json"))
    assert told == {"error": "StoreError, caused by DatabaseError: file is not a database"}


def test_homes_are_not_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    home = tmp_path / "people" / "eve"
    monkeypatch.setattr(Path, "home", lambda: home)
    text = f"{home}/a.apk {home}lyn /home/bob/x /Users/carol/y 'C:\\Users\\dan\\z' C:\\\\Users\\\\dan\\\\z"
    assert without_homes(text) == f"~/a.apk {home}lyn ~/x ~/y '~\\z' ~\\\\z"


def test_settings_that_hold_texts_are_counted() -> None:
    assert shareable({"seed": 1, "block": ["text:me"], "prelude": []}) == {
        "seed": 1,
        "block": "(1 left out)",
        "prelude": [],
    }


@pytest.mark.parametrize("kind", GoalKind)
def test_of_a_goal_only_the_kind_is_packed(kind: GoalKind) -> None:
    goal = GoalSpec(kind, "my secret")
    assert shareable({"goal": [goal.kind.value, goal.value]}) == {"goal": kind.value}


@pytest.mark.parametrize("goal", ["shows 'my secret'", ["my secret", "text"], [], None, [["my secret"]]])
def test_a_goal_of_another_shape_is_left_out(goal: object) -> None:
    assert shareable({"goal": goal}) == {"goal": "(left out)"}


def test_a_setting_that_is_not_known_is_left_out() -> None:
    assert shareable({"greeting": "my secret"}) == {"greeting": "(left out)"}


def test_all_settings_of_an_exploration_but_texts_are_packed(tmp_path: Path) -> None:
    main(["explore", "sim:bill", "-o", str(tmp_path), "--events", "20", "--block", "text:my secret", "--seed", "7"])
    (run,) = read_settings(tmp_path)["runs"]
    assert run["settings"].pop("block") == "(1 left out)"
    assert run["settings"]["seed"] == 7
    assert run["settings"]["device"]["network"] == "offline"
    assert "left out" not in json.dumps(run)


def test_a_bundle_has_no_goal_of_a_reduction(tmp_path: Path) -> None:
    with open_store(tmp_path, create=True, write=True) as store:
        store.runs.start(THE_APP, "reduce", {"goal": ["text", "my secret"]})
    main(["doctor", "--bundle", str(tmp_path)])
    with zipfile.ZipFile(tmp_path / "fewtaps-bundle.zip") as archive:
        whole = b"".join(map(archive.read, archive.namelist())).decode()
    assert '"goal": "text"' in whole
    assert "my secret" not in whole


def test_settings_that_cannot_be_read_are_not_quoted(tmp_path: Path) -> None:
    with open_store(tmp_path, create=True, write=True) as store:
        store.runs.start(THE_APP, "explore", {"seed": 1})
    with sqlite3.connect(tmp_path / "fewtaps.db") as connection:
        connection.execute("UPDATE run SET settings = '[\"my secret\"]'")
    connection.close()
    with pytest.raises(StoreError, match="my secret"), open_store(tmp_path) as store:
        store.runs.all()
    assert read_settings(tmp_path) == {"error": "StoreError, caused by ValueError"}


def test_only_logs_are_packed(tmp_path: Path, failure_folder: Path) -> None:
    (tmp_path / "log").mkdir()
    (tmp_path / "log" / "fewtaps.log.1").write_text("old")
    (tmp_path / "log" / "fewtaps.log").symlink_to("/etc/passwd")
    (tmp_path / "log" / "other.txt").write_text("other")
    assert [path.name for path in log_files(tmp_path)] == ["fewtaps.log.1"]


def test_help_loads_no_log_file() -> None:
    script = "import sys, fewtaps.cli.main; print('logging.handlers' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"

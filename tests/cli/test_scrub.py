"""`fewtaps scrub`: nothing of what was removed is in any file of the project, and the project can still be read."""

from __future__ import annotations

import json
import shutil
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from projects import add, add_reduction, death, page, path

from fewtaps.cli.main import main
from fewtaps.errors import StoreError
from fewtaps.model.event import Text
from fewtaps.model.trace import Trace
from fewtaps.pipeline.cases import read_cases
from fewtaps.store.database import FILE, open_store
from fewtaps.tracefile import read_trace, write_trace

SECRET = "Zebra-4711"
Capture = pytest.CaptureFixture[str]


def with_typed_secret(trace: Trace) -> Trace:
    """The trace with a step in which the secret is typed, and which logs it."""
    shown = trace.steps[0].after
    typed = replace(trace.steps[0], event=Text(f"my {SECRET}"), before=shown, log=(f"D/App: {SECRET}", "D/App: ok"))
    return replace(trace, steps=(trace.steps[0], typed, *trace.steps[1:]))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose screens, events, pictures, crash, log, reduced trace and report hold the secret."""
    folder = tmp_path_factory.mktemp("scrub") / "project"
    original = with_typed_secret(path("Start", SECRET, "End", crash=death(f"kaboom {SECRET}")))
    reduced = path("Start", SECRET, crash=death(f"kaboom {SECRET}"))
    with open_store(folder, create=True) as store:
        add(store, path("Start", "Plain"), original)
        store.screen_pictures.save(page("Plain"), b"another picture")
        add_reduction(store, original, reduced, (3, 2))
        signature = death().signature
        store.results.save_replays(signature, reduced.events_digest, {0: True, 1: False})
    write_trace(folder / "crash.reduced.jsonl", reduced)
    (folder / "served").mkdir()
    write_trace(folder / "served" / "run-001.jsonl", original)
    (folder / "log").mkdir()
    (folder / "log" / "fewtaps.log").write_text(f"log-line-1\nlog-line-2 with {SECRET}\n")
    (folder / "mine.txt").write_text("a file of the user")
    assert main(["report", str(folder)]) == 0
    assert any(SECRET.encode() in content for content in contents(folder))
    return folder


@pytest.fixture
def project(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "project"))


def contents(folder: Path) -> Iterator[bytes]:
    """Every file, and every column of the store unpacked."""
    for file in folder.rglob("*"):
        if file.is_file():
            yield file.read_bytes()
    with closing(sqlite3.connect(folder / FILE)) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            for row in connection.execute(f"SELECT * FROM {table}"):
                for value in row:
                    if isinstance(value, bytes) and value[:1] == b"x":
                        yield zlib.decompress(value)
                    elif isinstance(value, str | bytes):
                        yield value.encode() if isinstance(value, str) else value


def require_sound(folder: Path) -> None:
    """The store is whole and holds the same runs, crashes and rates as before."""
    with closing(sqlite3.connect(folder / FILE)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    with open_store(folder) as store:
        latest = store.runs.latest("explore")
        assert latest is not None
        assert [len(each.trace.steps) for each in store.runs.iter_episodes(latest.run_id)] == [2, 5]
        (case,) = read_cases(store, latest.app)
        assert case.row.crash.signature == death().signature
        assert len(case.trace.steps) == 3 and case.replays == {0: True, 1: False}
    assert main(["crashes", str(folder)]) == 0 and main(["report", str(folder)]) == 0


def test_all_is_removed_and_the_project_can_be_read(project: Path, capsys: Capture) -> None:
    assert main(["scrub", str(project), "--yes", "--json"]) == 0
    removed = json.loads(capsys.readouterr().out)["removed"]
    assert removed["pictures"] > 0 and removed["texts"] > 0 and removed["log_lines"] == 2
    assert removed["traces"] == ["crash.reduced.jsonl", "served/run-001.jsonl"]
    assert removed["log_files"] == ["fewtaps.log"]
    assert removed["left_alone"] == ["mine.txt"]
    for word in (SECRET, "Always", "kaboom", "log-line", "D/App"):
        assert not any(word.encode() in content for content in contents(project)), word
    assert not list(project.rglob("*.png")) and not list((project / "report").rglob("*.webp"))
    require_sound(project)
    read_trace(project / "crash.reduced.jsonl")


def test_only_what_matches_is_removed(project: Path, capsys: Capture) -> None:
    before = {file.name for file in project.glob("pictures/*.png")}
    assert main(["scrub", str(project), "--matching", r"Zebra-\d+", "--yes"]) == 0
    assert not any(SECRET.encode() in content for content in contents(project))
    assert (project / "log" / "fewtaps.log").read_text() == "log-line-1\n"
    found = list(contents(project))
    for word in ("Always", "Plain", "kaboom", "D/App: ok", "my [removed "):
        assert any(word.encode() in content for content in found), word
    (left,) = project.glob("pictures/*.png")
    assert left.read_bytes() == b"another picture" and len(before) > 1
    require_sound(project)


@pytest.mark.parametrize(
    ("kind", "stays"), [("--pictures", (SECRET, "D/App")), ("--texts", ("D/App",)), ("--logs", (SECRET, "kaboom"))]
)
def test_one_kind_leaves_the_others(kind: str, stays: tuple[str, ...], project: Path) -> None:
    assert main(["scrub", str(project), kind, "--yes"]) == 0
    found = list(contents(project))
    for word in stays:
        assert any(word.encode() in content for content in found), word
    assert bool(list(project.glob("pictures/*.png"))) == (kind != "--pictures")
    assert kind != "--logs" or not any(b"D/App" in content for content in found)
    require_sound(project)


def test_a_second_time_there_is_nothing_to_remove(project: Path, capsys: Capture) -> None:
    assert main(["scrub", str(project), "--yes"]) == 0
    capsys.readouterr()
    assert main(["scrub", str(project), "--yes"]) == 0
    assert "there is nothing to remove" in capsys.readouterr().out


@pytest.mark.parametrize("place", ["fewtaps.pipeline.scrubbing._apply", "fewtaps.store.scrubbing.Scrubbing._compact"])
def test_one_that_was_interrupted_is_finished_by_the_same_command(
    place: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise StoreError("interrupted")

    command = ["scrub", str(project), "--matching", SECRET, "--yes"]
    with monkeypatch.context() as patched:
        patched.setattr(place, interrupted)
        assert main(command) == 3
    assert main(command) == 0
    assert not any(SECRET.encode() in content for content in contents(project))
    require_sound(project)


def test_it_asks_and_a_no_leaves_everything(project: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    before = {file: file.read_bytes() for file in project.rglob("*") if file.is_file() and file.suffix != ".lock"}
    assert main(["scrub", str(project)]) == 2
    assert "--yes" in capsys.readouterr().err
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda words: "n")
    assert main(["scrub", str(project)]) == 0
    assert "nothing was removed" in capsys.readouterr().out
    for file, content in before.items():
        if file.name != ".lock":
            assert file.read_bytes() == content, file


@pytest.mark.parametrize("pattern", ["(", "a*", "x{99999999999}"])
def test_a_wrong_expression_is_2(pattern: str, project: Path, capsys: Capture) -> None:
    assert main(["scrub", str(project), "--matching", pattern, "--yes"]) == 2
    assert "--matching" in capsys.readouterr().err


@pytest.mark.slow
def test_a_project_that_is_being_written_is_refused(project: Path, capsys: Capture) -> None:
    with open_store(project, write=True):
        assert main(["scrub", str(project), "--yes"]) == 3
    assert "another exploration is writing" in capsys.readouterr().err


@pytest.mark.slow
def test_tests_of_the_suite_that_hold_a_text_are_removed(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    assert main(["run", "sim:notes", "-o", str(folder), "--events", "80", "-j", "1", "--worlds", "2"]) == 0
    assert list((folder / "suite").glob("*.jsonl"))
    assert main(["scrub", str(folder), "--yes"]) == 0
    assert not (folder / "suite").exists() and not (folder / "suite-runs.jsonl").exists()
    # The same run goes on with the project, and makes a new suite.
    assert main(["run", "sim:notes", "-o", str(folder), "--events", "80", "-j", "1", "--worlds", "2"]) == 0


def test_a_report_without_pictures_draws_the_screens_and_says_what_it_holds(project: Path, capsys: Capture) -> None:
    assert main(["report", str(project)]) == 0
    assert "texts and pictures of the app" in capsys.readouterr().out
    assert list((project / "report").rglob("*.webp"))
    assert "pictures of its screens." in (project / "report" / "index.html").read_text()
    assert main(["report", str(project), "--no-pictures"]) == 0
    assert "texts of the app, no pictures" in capsys.readouterr().out
    assert not list((project / "report").rglob("*.webp")) and list((project / "report").rglob("*.svg"))
    assert "; no pictures." in (project / "report" / "index.html").read_text()
    assert main(["report", "--merge", str(project), "--no-pictures", "-o", str(project / "x")]) == 2


@pytest.mark.slow
def test_a_run_without_pictures_keeps_none(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    command = ["run", "sim:notes", "-o", str(folder), "--events", "60", "-j", "1", "--worlds", "2", "--no-suite"]
    assert main([*command, "--no-pictures"]) == 0
    assert not list(folder.rglob("*.png")) and not list(folder.rglob("*.webp"))
    # The same command goes on without them.
    assert main([*command, "--no-pictures", "--events", "90"]) == 0
    assert not list(folder.rglob("*.png"))


@pytest.mark.parametrize("name", ["pictures", "log", "served", "report", "suite"])
@pytest.mark.parametrize("target", ["outside", "project/own"])
def test_folders_that_are_links_are_named_and_left_alone(
    project: Path, tmp_path: Path, capsys: Capture, name: str, target: str
) -> None:
    """Out of the project they are refused, within it they are left."""
    victim = tmp_path / target
    victim.mkdir()
    names = [f"{'a' * 64}.png", "fewtaps.log", "run-001.jsonl", "suite.json", "fewtaps-report.json"]
    shutil.copy(project / "served" / "run-001.jsonl", victim)
    for each in names:
        if not (victim / each).exists():
            (victim / each).write_text(f"log-line with {SECRET}\n")
    before = {each: (victim / each).read_bytes() for each in names}
    if (project / name).exists():
        shutil.rmtree(project / name)
    (project / name).symlink_to(victim)
    code = main(["scrub", str(project), "--yes", "--json"])
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    if target == "outside":
        assert code == 2 and f"{project / name}: a link that leads out of" in told["error"]["message"]
    else:
        assert code == 0 and name in told["removed"]["left_alone"]
    assert (project / name).is_symlink()
    assert {each: (victim / each).read_bytes() for each in names} == before


def test_files_that_fewtaps_did_not_name_are_named_and_left_alone(
    project: Path, tmp_path: Path, capsys: Capture
) -> None:
    mine = ["pictures/holiday.png", f"pictures/{'A' * 64}.png", "log/diary.txt", "log/fewtaps.log.old"]
    for name in mine:
        (project / name).write_text(SECRET)
    (tmp_path / "outside.jsonl").write_bytes((project / "crash.reduced.jsonl").read_bytes())
    before = (tmp_path / "outside.jsonl").read_bytes()
    (project / "link.jsonl").symlink_to(tmp_path / "outside.jsonl")
    assert main(["scrub", str(project), "--yes", "--json"]) == 0
    left = json.loads(capsys.readouterr().out.splitlines()[-1])["removed"]["left_alone"]
    assert left == sorted([*mine, "link.jsonl", "mine.txt"])
    assert all((project / name).read_text() == SECRET for name in mine)
    assert (tmp_path / "outside.jsonl").read_bytes() == before
    assert not (project / "log" / "fewtaps.log.1").exists()

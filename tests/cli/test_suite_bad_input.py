"""`fewtaps suite` and `fewtaps test` on input that is mixed, damaged, useless or hostile, and on full disks."""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from suites import bill_suite, bill_test, failing_suite, wrong

from fewtaps.cli.main import main
from fewtaps.device.session import DEFAULT_SETTINGS
from fewtaps.device.simulated.device import SimulatedSession
from fewtaps.device.simulated.program import Phone, Program, Throw, View, button, label
from fewtaps.device.simulated.samples import bill
from fewtaps.errors import DeviceLost
from fewtaps.model.coverage import ProbeMap
from fewtaps.model.event import Launch, Selector, Tap
from fewtaps.model.trace import Step
from fewtaps.replay import play
from fewtaps.suitefile import read_suite
from fewtaps.tracefile import write_trace

Capture = pytest.CaptureFixture[str]
Serve = Callable[..., None]
COST = ("--launch-cost", "20")
ABOUT = (
    '{"fewtaps":"trace","version":1,"app":{"package":"com.example.bill"},"world":0,"profile":"default"}\n'
    '{"event":{"kind":"launch"}}\n{"event":{"kind":"tap","x":0,"y":0,"selector":{"text":"About"}}}\n'
)
HOSTILE = "\x1b[31m</title><script>alert(1)</script>\u202e\x00]]>\n\ud800"


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Serve:
    """Makes these programs the only apps of the simulated device."""

    def serving(*programs: Program) -> None:
        monkeypatch.setattr("fewtaps.device.simulated.samples.SAMPLES", programs)

    return serving


def explore(folder: Path, app: str, events: int, *options: str) -> None:
    assert main(["explore", app, "-o", str(folder), "--events", str(events), *options]) == 0


def suite(capsys: Capture, *arguments: str) -> tuple[int, str, str]:
    """Runs `fewtaps suite`: exit code, output, error output, without a traceback."""
    capsys.readouterr()
    code = main(["suite", *arguments, *COST])
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err
    return code, captured.out, captured.err


def summary(out: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(out.splitlines()[-1])["summary"]
    return found


# What a project holds.


@pytest.mark.slow
def test_the_newest_build_counts_and_it_is_said(tmp_path: Path, capsys: Capture, serve: Serve) -> None:
    old, new = bill(), Program("com.example.bill", [View("Main", [button("Start"), button("Help")])], version="2.0")
    serve(old)
    explore(tmp_path, "sim:bill", 60)
    serve(new)
    explore(tmp_path, "sim:bill", 30)
    code, out, _ = suite(capsys, str(tmp_path), "sim:bill")
    assert code == 0
    assert "note: 1 run is of another build left out; the newest build counts" in out
    assert read_suite(tmp_path / "suite").app.version == "2.0"


@pytest.mark.slow
def test_the_newest_prelude_counts_and_it_is_said(tmp_path: Path, capsys: Capture) -> None:
    prelude = tmp_path / "about.jsonl"
    prelude.write_text(ABOUT)
    project = tmp_path / "project"
    explore(project, "sim:bill", 60)
    explore(project, "sim:bill", 40, "--prelude", str(prelude))
    code, out, _ = suite(capsys, str(project), "sim:bill")
    assert code == 0
    assert "note: 1 run is with another prelude left out; the newest one counts" in out
    for test in read_suite(project / "suite").tests:
        event = test.trace.steps[1].event
        assert isinstance(event, Tap) and event.selector is not None and event.selector.text == "About"
    assert main(["test", str(project / "suite"), "sim:bill"]) == 0


@pytest.mark.slow
def test_the_newest_phone_counts_unless_another_is_named(tmp_path: Path, capsys: Capture) -> None:
    project = tmp_path / "project"
    explore(project, "sim:bill", 60)
    explore(project, "sim:bill", 40, "--profile", "tablet7")
    code, out, _ = suite(capsys, str(project), "sim:bill")
    assert code == 0
    assert "note: 1 run is on another phone left out; --profile tablet7 counts" in out
    assert {test.trace.profile for test in read_suite(project / "suite").tests} == {"tablet7"}
    other = tmp_path / "other"
    code, out, _ = suite(capsys, str(project), "sim:bill", "--profile", "default", "-o", str(other))
    assert code == 0
    assert "note: 1 run is on another phone left out; --profile default counts" in out
    assert {test.trace.profile for test in read_suite(other).tests} == {"default"}


# What replays.


def restless(package: str = "com.example.restless") -> Program:
    """An app whose first step leads elsewhere in every world."""

    def go(phone: Phone) -> None:
        phone.go(f"Room{phone.random.randrange(1000)}")

    rooms = [View(f"Room{number}", [label(f"Room {number}")]) for number in range(1000)]
    return Program(package, [View("Main", [button("Go", go)], on_open=go), *rooms])


def test_traces_that_no_world_repeats_are_told_with_step_and_worlds(
    tmp_path: Path, capsys: Capture, serve: Serve
) -> None:
    serve(restless())
    explore(tmp_path, "sim:restless", 20)
    code, _, err = suite(capsys, str(tmp_path), "sim:restless", "--cover", "screens", "--worlds", "3")
    assert code == 3 and err.count("\n") == 1
    assert re.search(r"none of \d+ traces replays; one deviates in world \d+ at step 0 \(the launch\): state ", err)
    assert "was seen" in err and "was expected; in all, worlds " in err


@pytest.mark.parametrize("order", [(), ("--as-paper",)], ids=["ours", "paper"])
def test_a_recording_of_another_behaviour_is_told_with_its_step(
    tmp_path: Path, capsys: Capture, serve: Serve, order: tuple[str, ...]
) -> None:
    def recorded_version(phone: Phone) -> None:
        phone.go("One")

    def played_version(phone: Phone) -> None:
        phone.go("Two")

    def program(go: Callable[[Phone], None]) -> Program:
        views = [View("Main", [button("Go", go)]), View("One", [label("1")]), View("Two", [label("2")])]
        return Program("com.example.changed", views)

    trace = tmp_path / "trace.jsonl"
    session = SimulatedSession(program(recorded_version), DEFAULT_SETTINGS)
    write_trace(trace, play(session, (Launch(), Tap(0, 0, Selector(text="Go")))))
    serve(program(played_version))
    options = ("--dir", str(tmp_path / "work"), "-o", str(tmp_path / "suite"), "--json", *order)
    code, out, _ = suite(capsys, str(trace), "sim:changed", *options)
    # The build says that it is the same, so that the recording counts: what it showed after the launch is missing.
    assert code == 0
    made = summary(out)
    assert made["missing"]["screens"] == 1 and [each["steps"] for each in made["tests"]] == [0]


def recorded(folder: Path, program: Program, *traces: Sequence[str]) -> list[str]:
    """Trace files of taps on these texts."""
    paths = []
    for number, texts in enumerate(traces):
        events = [Tap(0, 0, Selector(text=text)) for text in texts]
        paths.append(str(folder / f"{number}.jsonl"))
        write_trace(paths[-1], play(SimulatedSession(program, DEFAULT_SETTINGS), (Launch(), *events)))
    return paths


def test_a_test_whose_widget_another_world_lacks_is_not_in_the_suite_although_limits_ended_the_proof(
    tmp_path: Path, capsys: Capture, serve: Serve
) -> None:
    def roll(phone: Phone) -> None:
        phone.state["prize"] = phone.state["prize"] or phone.random.random() > 0.8

    def take(phone: Phone) -> None:
        phone.reach(0)

    items = [button("Roll", roll), button("Prize", take, shown=lambda state: bool(state["prize"]))]
    program = Program("com.example.dice", [View("Main", items)], state={"prize": False}, branches=1)
    serve(program)
    traces = recorded(tmp_path, program, ["Roll", "Prize"])
    # World 0 has the prize, worlds 1 and 2 have none; nothing but the recording of the test plays those.
    options = ("--dir", str(tmp_path), "--worlds", "1", "--cover", "branches", "--json")
    code, _, err = suite(capsys, *traces, "sim:dice", *options)
    assert code == 3
    assert "no test passes after it was recorded; a test in another world was left out: it was broken at step 2" in err


@pytest.mark.slow
def test_one_state_for_everything_is_noted_and_gives_a_suite(tmp_path: Path, capsys: Capture, serve: Serve) -> None:
    def more(phone: Phone) -> None:
        phone.reach(phone.state["count"])
        phone.state["count"] += 1

    program = Program("com.example.one", [View("Main", [button("More", more)])], state={"count": 0}, branches=60)
    serve(program)
    traces = recorded(tmp_path, program, ["More"] * 60)
    code, out, _ = suite(capsys, *traces, "sim:one", "--dir", str(tmp_path), "--json")
    assert code == 0
    note = "all screens are one state under --abstraction actionable; a finer one may replay more often"
    assert {"note": note} in [json.loads(each) for each in out.splitlines()]
    assert summary(out)["covered"]["branches"] == 60
    assert main(["test", str(tmp_path / "suite"), "sim:one"]) == 0


def counting() -> Program:
    """An app that shows another number after every tap: each screen is a new state where texts count."""

    def more(phone: Phone) -> None:
        phone.state["count"] += 1

    items = [button("More", more), label(lambda state: str(state["count"]), name="count")]
    return Program("com.example.counting", [View("Main", items)], state={"count": 0})


def test_a_new_state_at_each_step_is_noted_and_gives_a_suite(tmp_path: Path, capsys: Capture, serve: Serve) -> None:
    serve(counting())
    traces = recorded(tmp_path, counting(), ["More"] * 60)
    options = ("--dir", str(tmp_path), "--abstraction", "page", "--json")
    code, out, _ = suite(capsys, *traces, "sim:counting", *options)
    assert code == 0
    notes = [each["note"] for each in map(json.loads, out.splitlines()) if "note" in each]
    assert "nearly every step leads to a new state under --abstraction page; a coarser one leaves more out" in notes
    assert not any(summary(out)["missing"].values())
    assert main(["test", str(tmp_path / "suite"), "sim:counting"]) == 0


# What is measured.


def test_an_app_without_branches_is_noted_and_screens_are_kept(tmp_path: Path, capsys: Capture) -> None:
    explore(tmp_path, "sim:bill", 60)
    code, out, _ = suite(capsys, str(tmp_path), "sim:bill", "--json")
    assert code == 0
    assert {"note": "no branches are kept, because the app has none"} in [json.loads(each) for each in out.splitlines()]
    assert set(summary(out)["covered"]) == {"screens", "crashes", "lists"}


@pytest.mark.parametrize("others", ["", "screens,"])
def test_an_app_without_line_numbers_has_no_lines_to_keep(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch, others: str
) -> None:
    explore(tmp_path, "sim:bill", 60)
    real = SimulatedSession.probe_map

    def without_lines(session: SimulatedSession) -> ProbeMap:
        return ProbeMap(tuple(replace(each, lines=()) for each in real(session).classes))

    monkeypatch.setattr(SimulatedSession, "probe_map", without_lines)
    options = ("--cover", f"{others}lines", "--no-crashes", "--json")
    code, out, err = suite(capsys, str(tmp_path), "sim:bill", *options)
    if others:
        assert code == 0
        assert {"note": "no lines are kept, because the app has no line numbers"} in [
            json.loads(each) for each in out.splitlines()
        ]
        assert set(summary(out)["covered"]) == {"screens"}
    else:
        assert (code, err) == (2, "fewtaps: --cover lines: nothing can be kept, because the app has no line numbers\n")


def test_without_coverage_screens_and_crashes_are_kept(tmp_path: Path, capsys: Capture) -> None:
    explore(tmp_path, "sim:bill", 60)
    code, out, _ = suite(capsys, str(tmp_path), "sim:bill", "--coverage", "off", "--json")
    assert code == 0
    made = summary(out)
    assert set(made["covered"]) == {"screens", "crashes", "lists"} and made["covered"]["crashes"] >= 1
    capsys.readouterr()
    assert main(["test", str(tmp_path / "suite"), "sim:bill"]) == 0


def test_an_app_that_crashes_at_launch_is_a_suite_of_one_launch(tmp_path: Path, capsys: Capture, serve: Serve) -> None:
    def fail(phone: Phone) -> None:
        raise Throw("java.lang.IllegalStateException", "no")

    serve(Program("com.example.stillborn", [View("Main")], on_create=fail))
    assert main(["explore", "sim:stillborn", "-o", str(tmp_path), "--events", "10"]) == 0
    code, out, _ = suite(capsys, str(tmp_path), "sim:stillborn", "--json")
    assert code == 0
    made = summary(out)
    assert [each["steps"] for each in made["tests"]] == [0] and made["covered"]["crashes"] == 1
    capsys.readouterr()
    assert main(["test", str(tmp_path / "suite"), "sim:stillborn"]) == 0


def test_a_suite_of_another_package_is_not_added_to(tmp_path: Path, capsys: Capture) -> None:
    other = bill_suite(tmp_path / "bill")
    before = {path.name: path.read_bytes() for path in other.iterdir()}
    explore(tmp_path / "project", "sim:feed", 30)
    code, _, err = suite(capsys, str(tmp_path / "project"), "sim:feed", "--onto", str(other), "--abstraction", "page")
    assert code == 2 and err.count("\n") == 1
    assert "the suite is for com.example.bill, the app is com.example.feed" in err
    assert {path.name: path.read_bytes() for path in other.iterdir()} == before


# Devices that are lost.


def losing(monkeypatch: pytest.MonkeyPatch, after: int, times: int) -> list[int]:
    """Makes the simulated session die at every event from a number on, so many times; the list counts the losses."""
    real = SimulatedSession.perform
    events, lost = [0], [0]

    def perform(self: SimulatedSession, event: Any) -> Step:
        events[0] += 1
        if events[0] >= after and lost[0] < times:
            lost[0] += 1
            raise DeviceLost("the process ended")
        return real(self, event)

    monkeypatch.setattr(SimulatedSession, "perform", perform)
    return lost


PAIR = ("one", "other")


def _without_seconds(text: bytes) -> bytes:
    """The content of a file of a suite without the measured times of its tests, which differ under load."""
    return re.sub(rb'"seconds": [0-9.]+', b'"seconds": 0', text)


@pytest.mark.slow
def test_a_device_lost_once_changes_nothing(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    explore(tmp_path, "sim:twowrites", 100)
    assert suite(capsys, str(tmp_path), "sim:twowrites", "-o", str(tmp_path / "one"))[0] == 0
    (tmp_path / "suite-runs.jsonl").unlink()
    lost = losing(monkeypatch, after=5, times=2)
    assert suite(capsys, str(tmp_path), "sim:twowrites", "-o", str(tmp_path / "other"))[0] == 0
    assert lost == [2]
    one, other = ({name: _without_seconds(text) for name, text in _files(tmp_path / each).items()} for each in PAIR)
    assert one == other and "suite.json" in one


def test_a_device_that_is_always_lost_ends_in_one_line_and_the_journal_stays(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    explore(tmp_path, "sim:twowrites", 100)
    with monkeypatch.context() as patch:
        losing(patch, after=12, times=10_000)
        code, _, err = suite(capsys, str(tmp_path), "sim:twowrites")
    assert code == 3 and err.count("\n") == 1
    journal = (tmp_path / "suite-runs.jsonl").read_bytes()
    assert suite(capsys, str(tmp_path), "sim:twowrites")[0] == 0
    assert (tmp_path / "suite-runs.jsonl").read_bytes().startswith(journal)
    assert main(["test", str(tmp_path / "suite"), "sim:twowrites"]) == 0


def test_a_test_whose_device_is_always_lost_was_not_run(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = bill_suite(tmp_path / "suite")
    losing(monkeypatch, after=2, times=10_000)
    assert main(["test", str(folder), "sim:bill", "--json"]) == 3
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err
    counts = json.loads(captured.out.splitlines()[-1])["summary"]["counts"]
    assert counts["not run"] >= 1 and not counts["failed"] and not counts["crashed"]


# Hostile texts.


def test_hostile_texts_are_shown_as_text_in_diffs_xml_and_pages(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CI", raising=False)
    more, split = (Tap(0, 0, Selector(text=text)) for text in ("More people", "Split"))
    folder = bill_suite(tmp_path / "suite", [wrong(bill_test("sum", more, split), HOSTILE)])
    report, junit = tmp_path / "report", tmp_path / "junit.xml"
    assert main(["test", str(folder), "sim:bill", "-o", str(report), "--junit", str(junit)]) == 1
    assert main(["test", str(folder), "sim:bill", "--update", "--yes"]) == 0
    out = capsys.readouterr().out
    for dangerous in ("\x1b[31m", "\u202e", "\x00"):
        assert dangerous not in out and dangerous not in junit.read_text()
    assert "alert(1)" in out
    for page in report.rglob("*.html"):
        assert "<script>alert(1)" not in page.read_text() and "\u202e" not in page.read_text()
    assert (
        subprocess.run([sys.executable, "-c", f"import xml.dom.minidom as d; d.parse({str(junit)!r})"]).returncode == 0
    )


def test_a_hostile_label_gives_a_plain_name_and_a_test_that_passes(
    tmp_path: Path, capsys: Capture, serve: Serve
) -> None:
    hostile = HOSTILE.replace("\ud800", "")
    views = [
        View("Main", [button(hostile, lambda phone: phone.go("Two"), name="../../etc")]),
        View("Two", [label("2")]),
    ]
    serve(Program("com.example.hostile", views))
    explore(tmp_path, "sim:hostile", 30)
    assert suite(capsys, str(tmp_path), "sim:hostile")[0] == 0
    names = [path.name for path in (tmp_path / "suite").iterdir()]
    assert all(re.fullmatch(r"[a-z0-9.-]+", name) for name in names) and len(names) >= 2
    capsys.readouterr()
    assert main(["test", str(tmp_path / "suite"), "sim:hostile"]) == 0


# Folders and disks.


def command(*arguments: str, limit: int | None = None, within: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
    """Runs the command `within` another one, in a process of its own that may write files of at most `limit` bytes."""

    def prepare() -> None:
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    environment = {name: value for name, value in os.environ.items() if name != "CI"}
    # Python itself would leave half a file of compiled code beside the sources.
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    return subprocess.run(
        [*within, sys.executable, "-m", "fewtaps", *arguments],
        capture_output=True,
        text=True,
        env=environment,
        preexec_fn=prepare,
        check=False,
    )


def one_line(ran: subprocess.CompletedProcess[str], words: str) -> None:
    assert words in ran.stderr and "Traceback" not in ran.stderr, ran.stderr
    assert ran.stderr.strip().count("\n") == 0, ran.stderr


@pytest.mark.slow
def test_an_update_on_a_full_disk_leaves_every_file_whole(tmp_path: Path) -> None:
    folder = failing_suite(tmp_path / "suite")
    before = _files(folder)
    limit = min(map(len, before.values())) // 2
    ran = command("test", str(folder), "sim:bill", "--update", "--yes", limit=limit)
    assert ran.returncode in (2, 3)
    one_line(ran, "larger than this process may write")
    assert _files(folder) == before
    assert not [path for path in folder.iterdir() if path.suffix not in (".json", ".jsonl")]


@pytest.mark.slow
def test_a_suite_on_a_full_disk_is_one_line_and_nothing_is_lost(tmp_path: Path) -> None:
    traces = recorded(tmp_path, bill(), ["More people", "Split", "About"], ["About", "Close", "Split"])
    work, output = tmp_path / "work", tmp_path / "suite"
    arguments = ("suite", *traces, "sim:bill", "--dir", str(work), "-o", str(output), *COST)
    ran = command(*arguments, limit=600)
    assert ran.returncode == 3
    one_line(ran, "suite-runs.jsonl: the file would be larger than this process may write")
    assert not (output / "suite.json").exists()
    ran = command(*arguments)
    assert ran.returncode == 0 and read_suite(output).tests, ran.stderr


@pytest.mark.slow
def test_a_project_on_a_full_disk_is_one_line(tmp_path: Path) -> None:
    explore(tmp_path, "sim:twowrites", 100)
    before = (tmp_path / "fewtaps.db").read_bytes()
    ran = command("suite", str(tmp_path), "sim:twowrites", *COST, limit=2000)
    assert ran.returncode == 3
    one_line(ran, "fewtaps.db: disk I/O error")
    assert (tmp_path / "fewtaps.db").read_bytes() == before


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap for a read-only view of the disk")
def test_an_update_on_a_read_only_disk_is_refused_before_anything_is_run(tmp_path: Path) -> None:
    folder = failing_suite(tmp_path / "suite")
    before = _files(folder)
    ran = command("test", str(folder), "sim:bill", "--update", "--yes", within=("bwrap", "--ro-bind", "/", "/"))
    assert ran.returncode == 2
    one_line(ran, "cannot be written")
    assert _files(folder) == before and ran.stdout == ""


# Suites that were edited.


EDITS: Sequence[tuple[str, str, str, str]] = (
    ("suite.json", '"version": 1', '"version": 99', "suite.json, line 3: version 99 is newer than this fewtaps"),
    ("suite.json", '"tests": [', '"tests": [,', "suite.json, line "),
    ("about.jsonl", '"kind":"tap"', '"kind":"tickle"', "about.jsonl, line 3"),
    ("about.jsonl", '"expect":{', '"expect":{"mood":"good",', "about.jsonl, line 2"),
    ("about.jsonl", '"package":"com.example.bill"', '"package":"com.example.feed"', "about.jsonl, line 1"),
)


@pytest.mark.parametrize(("name", "old", "new", "words"), EDITS, ids=[words for *_, words in EDITS])
@pytest.mark.parametrize(
    "command_line",
    [("test", "{suite}", "sim:bill"), ("suite", "{suite}", "sim:bill"), ("mutate", "{suite}", "sim:bill")],
    ids=["test", "suite", "mutate"],
)
def test_a_wrong_edit_names_file_and_line_in_every_command(
    tmp_path: Path,
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
    command_line: tuple[str, ...],
    name: str,
    old: str,
    new: str,
    words: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = bill_suite(tmp_path / "edited")
    path = folder / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    assert main([each.format(suite=folder) for each in command_line]) == 2
    error = capsys.readouterr().err
    assert words in error and error.count("\n") == 1 and "Traceback" not in error


def test_a_listed_name_twice_and_an_unlisted_test_are_told(tmp_path: Path, capsys: Capture) -> None:
    folder = bill_suite(tmp_path / "suite")
    shutil.copy(folder / "about.jsonl", folder / "extra.jsonl")
    assert main(["test", str(folder), "sim:bill"]) == 0
    out = capsys.readouterr().out
    assert "does not list the test extra; it is run all the same" in out and "4 passed" in out
    index = json.loads((folder / "suite.json").read_text())
    index["tests"].append(index["tests"][0])
    (folder / "suite.json").write_text(json.dumps(index, indent=1))
    assert main(["test", str(folder), "sim:bill"]) == 2
    assert "suite.json, line " in (error := capsys.readouterr().err) and "two tests have one name" in error


def _files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}

"""`fewtaps slice`: what is printed and written, and one clear line for each kind of bad input."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from projects import make_project
from slices import bill_slice, hostile_slice, long_slice

from fewtaps.cli.main import main
from fewtaps.device.session import DEFAULT_SETTINGS
from fewtaps.device.simulated.device import SimulatedSession
from fewtaps.device.simulated.samples import bill
from fewtaps.model.event import Launch, Selector, Tap
from fewtaps.model.slice import Slice, slice_from_json
from fewtaps.pipeline.cases import read_cases
from fewtaps.replay import play
from fewtaps.store.database import open_store
from fewtaps.tracefile import write_trace

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def crash(tmp_path: Path) -> Path:
    """A trace that remembers its crash."""
    session = SimulatedSession(bill(), DEFAULT_SETTINGS)
    trace = play(session, (Launch(), Tap(0, 0, Selector(text="Split"))))
    path = tmp_path / "crash.jsonl"
    write_trace(path, trace)
    return path


def project_with(folder: Path, made: Slice) -> tuple[Path, list[str]]:
    """A project whose crashes all have this slice, and their ids."""
    make_project(folder)
    with open_store(folder, write=True) as store:
        cases = read_cases(store, store.runs.all()[-1].app)
        for case in cases:
            store.slices.save(case.trace.app, case.row.crash.signature, case.trace.events_digest, made)
    return folder, [case.row.fingerprint for case in cases]


def sliced(*arguments: object) -> int:
    return main(["slice", *map(str, arguments)])


def test_a_kept_slice_is_shown_with_steps_life_lines_omissions_and_guesses(tmp_path: Path, capsys: Capture) -> None:
    folder, names = project_with(tmp_path / "p", bill_slice())
    assert sliced(folder, names[0]) == 0
    output = capsys.readouterr().out
    for part in (
        *("Sliced from the divisor at Bill.java:19", "Steps that matter (world 7)", "   3. tap Split"),
        *("step 3 depends on step 2 by people (data)", "Where the value came from", "`people` becomes 0"),
        *(
            "people = people - 1  = 0",
            "value: writes `people` = 0, read at Bill.java:19 in step 3 [steps 1–2, 2 times]",
        ),
        *("1 line of libraries, by method:", "Button.tap: 1 line", "What did not happen", "Guessed"),
        "android.view.View.getTag",
    ):
        assert part in output, part


def test_without_a_crash_all_of_the_project_are_shown(tmp_path: Path, capsys: Capture) -> None:
    folder, names = project_with(tmp_path / "p", bill_slice())
    assert sliced(folder) == 0
    output = capsys.readouterr().out
    assert len(names) == 2 and all(name[:8] in output for name in names)


def test_thin_leaves_out_what_only_decided(tmp_path: Path, capsys: Capture) -> None:
    folder, names = project_with(tmp_path / "p", bill_slice())
    assert sliced(folder, names[0], "--thin") == 0
    output = capsys.readouterr().out
    assert "Bill.java:31" in output and "Button" not in output


def test_lines_beyond_the_limit_are_folded_by_method(tmp_path: Path, capsys: Capture) -> None:
    folder, names = project_with(tmp_path / "p", long_slice(300))
    assert sliced(folder, names[0]) == 0
    output = capsys.readouterr().out
    assert "275 lines more, by method:" in output and "Bill.method" in output
    assert len(output.splitlines()) < 120


def test_json_has_the_whole_slice(tmp_path: Path, capsys: Capture) -> None:
    folder, names = project_with(tmp_path / "p", bill_slice())
    assert sliced(folder, names[0], "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["id"] == names[0]
    assert slice_from_json(document["slice"]) == bill_slice()


@pytest.mark.parametrize("name", ["json", "sarif", "graphml", "dot"])
def test_each_format_goes_to_the_standard_output_or_to_a_file(tmp_path: Path, capsys: Capture, name: str) -> None:
    folder, names = project_with(tmp_path / "p", hostile_slice())
    assert sliced(folder, names[0], "--format", name) == 0
    printed = capsys.readouterr().out
    assert sliced(folder, names[0], "--format", name, "-o", tmp_path / "out") == 0
    assert (tmp_path / "out").read_text("utf-8") == printed
    if name == "graphml":
        ET.fromstring(printed.encode())
    elif name != "dot":
        json.loads(printed)


def test_sources_are_shown_beside_the_lines(tmp_path: Path, capsys: Capture) -> None:
    folder, names = project_with(tmp_path / "p", bill_slice())
    source = tmp_path / "src" / "com" / "example" / "Bill.java"
    source.parent.mkdir(parents=True)
    source.write_text("\n".join(f"int line{number}; " for number in range(1, 41)), "utf-8")
    assert sliced(folder, names[0], "--sources", tmp_path / "src") == 0
    output = capsys.readouterr().out
    assert "int line31;" in output and "another build" not in output


@pytest.mark.parametrize("text", ["int x;\n" * 20, "// nothing\n" * 40])
def test_sources_of_another_build_are_said(tmp_path: Path, capsys: Capture, text: str) -> None:
    folder, names = project_with(tmp_path / "p", bill_slice())
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "Bill.java").write_text(text, "utf-8")
    assert sliced(folder, names[0], "--sources", tmp_path / "src") == 0
    assert "the sources are those of another build" in capsys.readouterr().out


def test_hostile_texts_do_not_reach_the_terminal(tmp_path: Path, capsys: Capture) -> None:
    folder, names = project_with(tmp_path / "p", hostile_slice())
    assert sliced(folder, names[0]) == 0
    output = capsys.readouterr().out
    assert "\x1b" not in output and "\u202e" not in output and "\r" not in output


def one_line(capsys: Capture) -> str:
    """What was said on the error stream: one line, and no traceback."""
    error = capsys.readouterr().err
    assert error.startswith("fewtaps: ") and error.count("\n") == 1 and "Traceback" not in error
    return error


def test_a_simulated_app_cannot_be_sliced(crash: Path, capsys: Capture) -> None:
    assert sliced("sim:bill", crash) == 3
    assert "cannot record" in one_line(capsys)


@pytest.mark.slow
def test_the_crashes_of_a_simulated_app_cannot_be_sliced_either(tmp_path: Path, capsys: Capture) -> None:
    assert main(["explore", "sim:bill", "-o", str(tmp_path / "p"), "--events", "40"]) == 0
    capsys.readouterr()
    assert sliced(tmp_path / "p") == 3
    assert "cannot record" in one_line(capsys)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("Bill.java",), "not a line"),
        (("Bill.java:0",), "not a line"),
        (("Bill.java:19#0",), "not a line"),
        (("--why", "19"), "not a line"),
        (("--event", "2"), "--event is for a line"),
        (("Bill.java:3", "--event", "-1"), "--event"),
        (("--record-mb", "0"), "--record-mb"),
        (("--record-mb", "5000"), "--record-mb"),
        (("--record", "app", "--record", "com.example"), "--record"),
        (("--record", "../etc"), "--record"),
        (("--format", "pdf"), "--format"),
        (("--format", "json", "--json"), "one at a time"),
        (("-o", "x"), "--format"),
        (("--by", "magic"), "--by"),
    ],
)
def test_an_option_that_makes_no_sense_is_refused(
    crash: Path, capsys: Capture, arguments: tuple[str, ...], words: str
) -> None:
    assert sliced("sim:bill", crash, *arguments) == 2
    assert words in one_line(capsys)


def test_what_is_neither_a_project_nor_an_app_with_a_trace_is_refused(tmp_path: Path, capsys: Capture) -> None:
    assert sliced(tmp_path) == 2
    assert "no project folder" in one_line(capsys)
    assert sliced("sim:bill", tmp_path / "none.jsonl") == 2
    assert "none.jsonl" in one_line(capsys)


def test_a_line_is_not_for_a_crash_of_a_project(tmp_path: Path, capsys: Capture) -> None:
    folder, names = project_with(tmp_path / "p", bill_slice())
    assert sliced(folder, names[0], "Bill.java:19") == 2
    assert "fewtaps slice APK TRACE FILE:LINE" in one_line(capsys)


def test_an_unknown_crash_of_a_project_is_refused(tmp_path: Path, capsys: Capture) -> None:
    folder, _ = project_with(tmp_path / "p", bill_slice())
    assert sliced(folder, "ffff") == 2
    assert "ffff" in one_line(capsys)


def test_a_project_without_its_app_says_so(tmp_path: Path, capsys: Capture) -> None:
    make_project(tmp_path / "p")
    with open_store(tmp_path / "p") as store:
        name = store.runs.crashes()[0].fingerprint
    assert sliced(tmp_path / "p", name) in (2, 3)
    one_line(capsys)


def test_a_source_file_that_is_a_link_out_of_the_sources_is_not_read(tmp_path: Path, capsys: Capture) -> None:
    folder, names = project_with(tmp_path / "p", bill_slice())
    (tmp_path / "src").mkdir()
    (tmp_path / "secret").write_text("\n".join(["secret"] * 60))
    (tmp_path / "src" / "Other.java").touch()
    (tmp_path / "src" / "Bill.java").symlink_to(tmp_path / "secret")
    assert sliced(folder, names[0], "--sources", tmp_path / "src") == 0
    out = capsys.readouterr().out
    assert "secret" not in out and "not found in the sources: Bill.java" in out


@pytest.mark.parametrize("sources", ["missing", "empty"])
def test_sources_that_are_none_are_refused(tmp_path: Path, capsys: Capture, sources: str) -> None:
    folder, names = project_with(tmp_path / "p", bill_slice())
    (tmp_path / "empty").mkdir()
    assert sliced(folder, names[0], "--sources", tmp_path / sources) == 2
    assert "--sources" in one_line(capsys)


def test_a_file_that_cannot_be_written_is_said(tmp_path: Path, capsys: Capture) -> None:
    folder, names = project_with(tmp_path / "p", bill_slice())
    assert sliced(folder, names[0], "--format", "dot", "-o", tmp_path / "no" / "such" / "x.dot") != 0
    one_line(capsys)

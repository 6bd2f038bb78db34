"""The sample apps are what their notes say: complete, small, and built from the source beside them."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from samples.changes import read_changes

from fewtaps.apk.reader import read_apk
from fewtaps.tracefile import read_trace

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "samples"
NAMES = sorted(path.parent.name for path in SAMPLES.glob("*/AndroidManifest.xml"))
BUILD_NAMES = ["pieces/split", "programs/release", "programs/shrunk"]
CHANGED_NAMES = [f"changed/{change.name}" for change in read_changes()]
TRACES = sorted(SAMPLES.glob("*/*.jsonl"))

WANTED = {
    *("calc", "feed", "frames", "hostile", "lab", "labels", "luggage", "misbehave", "museum", "notes", "orders"),
    *("programs", "shop", "timer", "tipsplit", "untidy", "vault", "wizard", "zones"),
}
# All but the last have nothing to crash on; the buttons of that one have a test each.
PEACEFUL = {"frames", "hostile", "lab", "pieces", "untidy"}
SIZE_LIMIT_BYTES = 100 * 1000
EXIT_MISSING_TOOL = 3

# "- `Bill.java:19`: `long share = …;`": where a note says that the crash comes from.
PLACE = re.compile(r"^- `(\w+\.java):(\d+)`: `(.+)`$", re.MULTILINE)

# "**Budget.** 2000 events (seed 1)": within what an exploration finds the crashes of the note.
BUDGET = re.compile(r"^\*\*Budget\.\*\* (?:none|(\d+) events \(seed (\d+)\)(?:, for one of them)?)$", re.MULTILINE)


def build_samples(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "scripts/build-samples", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_all_samples_are_there() -> None:
    assert set(NAMES) >= WANTED
    assert {path.stem for path in SAMPLES.glob("*.apk")} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_an_apk_is_small_and_has_source_and_note(name: str) -> None:
    assert (SAMPLES / f"{name}.apk").stat().st_size < SIZE_LIMIT_BYTES
    assert list((SAMPLES / name / "src").rglob("*.java"))
    assert (SAMPLES / name / "NOTES.md").is_file()
    assert f"[{name}]({name}/NOTES.md)" in (SAMPLES / "README.md").read_text(encoding="utf-8")


@pytest.mark.usefixtures("decoded_here")
@pytest.mark.parametrize("name", NAMES)
def test_an_apk_is_the_app_of_its_folder(name: str) -> None:
    app = read_apk(SAMPLES / f"{name}.apk")
    assert app.package == f"dev.fewtaps.samples.{name}"
    assert app.launcher is not None
    with zipfile.ZipFile(SAMPLES / f"{name}.apk") as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


@pytest.mark.parametrize("name", sorted(set(NAMES) - PEACEFUL))
def test_a_note_quotes_the_line_that_crashes(name: str) -> None:
    places = PLACE.findall((SAMPLES / name / "NOTES.md").read_text(encoding="utf-8"))
    assert places
    for file, number, code in places:
        (source,) = (SAMPLES / name / "src").rglob(file)
        assert source.read_text(encoding="utf-8").splitlines()[int(number) - 1].strip() == code


@pytest.mark.parametrize("name", sorted(set(NAMES) - PEACEFUL))
def test_a_crash_has_its_steps(name: str) -> None:
    assert (SAMPLES / name / "crash.jsonl").is_file()
    assert "`crash.jsonl`" in (SAMPLES / name / "NOTES.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(set(NAMES) - PEACEFUL))
def test_each_crash_trace_is_in_the_note_and_each_in_the_note_is_there(name: str) -> None:
    noted = re.findall(r"\*\*Shortest steps\*\* \(`([\w-]+\.jsonl)`", (SAMPLES / name / "NOTES.md").read_text("utf-8"))
    assert len(noted) == len(set(noted))
    # The paper's longer sequence is no further crash.
    assert set(noted) == {path.name for path in (SAMPLES / name).glob("*.jsonl")} - {"crash-long.jsonl"}


@pytest.mark.parametrize("name", NAMES)
def test_a_note_names_one_budget_unless_there_is_nothing_to_find(name: str) -> None:
    budgets = BUDGET.findall((SAMPLES / name / "NOTES.md").read_text(encoding="utf-8"))
    assert len(budgets) == 1
    assert (budgets[0] == ("", "")) == (name in PEACEFUL)


@pytest.mark.parametrize("path", TRACES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_trace_can_be_read_and_aims_by_selector(path: Path) -> None:
    trace = read_trace(path)
    assert trace.app.package == f"dev.fewtaps.samples.{path.parent.name}"
    assert trace.screen == (720, 1280, 320)
    gestures = [event for event in trace.events if hasattr(event, "selector")]
    assert all(event.selector is not None and not event.selector.is_empty for event in gestures)


def test_an_unknown_sample_is_refused_by_name() -> None:
    done = build_samples("nonsense")
    assert done.returncode == 2
    assert "no such sample: nonsense" in done.stderr


@pytest.mark.jvm
@pytest.mark.timeout(600)
@pytest.mark.parametrize("names", [NAMES, BUILD_NAMES, CHANGED_NAMES], ids=["samples", "builds", "changed"])
def test_the_apks_are_built_from_these_sources(names: list[str]) -> None:
    versions = build_samples("--versions")
    if versions.returncode == EXIT_MISSING_TOOL:
        pytest.skip(versions.stderr.strip())
    if versions.stdout != (SAMPLES / "tools.txt").read_text(encoding="utf-8"):
        pytest.skip("other versions of the tools than in samples/tools.txt may give other bytes")
    done = build_samples("--check", *names)
    assert done.returncode == 0, done.stdout + done.stderr

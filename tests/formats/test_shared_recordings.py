"""Recorded runs of real phones, where they lie beside the checkout: every file of them can be imported."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fewtaps.formats.recording import Recording, recording_to_trace
from fewtaps.formats.registry import IMPORTERS, recognise
from fewtaps.model.ending import Ending
from fewtaps.model.event import Launch

RECORDINGS = Path(__file__).resolve().parents[3] / "shared" / "data" / "simplydroid"
FOLDERS = sorted(path.parent for path in RECORDINGS.glob("*/*/script.log"))
PHONES = {"Tippy": "mi5", "Dalvik": "mi1", "Chart": "mi1", "Yahtzee": "mi1"}
SIGNATURES = {
    "Tippy": {"java.lang.ArithmeticException at net.mandaria.tippytipper.activities.SplitBill.AddPerson"},
    "Yahtzee": {"java.lang.ArithmeticException at com.tum.yahtzee.GameActivity$3.onClick"},
    "Chart": {"android.content.ActivityNotFoundException at es.senselesssolutions.gpl.weightchart.PreferencesActivity"},
    "Dalvik": {
        "android.content.ActivityNotFoundException at android.app.Instrumentation.checkStartActivityResult",
        "java.util.MissingResourceException at org.jessies.dalvikexplorer.LocaleActivity.describeLocale",
        "java.lang.OutOfMemoryError at org.jessies.dalvikexplorer.TextViewActivity.onCreate",
    },
}

pytestmark = pytest.mark.skipif(not FOLDERS, reason="the recordings are not beside this checkout")


def name(folder: Path) -> str:
    return f"{folder.parent.name}/{folder.name}"


def read(path: Path) -> Recording:
    found = recognise(path)
    assert found is not None
    return IMPORTERS[found].read(path, None)


@pytest.mark.parametrize("folder", FOLDERS, ids=name)
def test_a_script_has_an_event_for_each_of_its_lines(folder: Path) -> None:
    data = (folder / "script.log").read_text().partition("start data >>")[2]
    recording = read(folder / "script.log")
    assert recognise(folder / "script.log") == "monkey"
    assert len(recording.steps) == len([line for line in data.splitlines() if line.strip()])
    assert isinstance(recording.steps[0].event, Launch)


@pytest.mark.parametrize("folder", FOLDERS, ids=name)
def test_the_two_logs_meet_event_by_event(folder: Path) -> None:
    recording = read(folder)
    assert recognise(folder) == recognise(folder / "execute.log") == "simplydroid"
    assert recording == read(folder / "execute.log")
    assert recording.losses == ()
    assert all(step.after.activity for step in recording.steps)
    lines = [line for line in (folder / "execute.log").read_text(errors="replace").splitlines() if line[:1].isdigit()]
    told = set(re.findall(r";([^;]+);[01]$", "\n".join(lines), re.MULTILINE))
    assert {step.after.activity for step in recording.steps} <= told


@pytest.mark.parametrize("folder", FOLDERS, ids=name)
def test_its_crash_and_its_phone_are_known(folder: Path) -> None:
    trace, _ = recording_to_trace(read(folder))
    assert trace.profile == PHONES[folder.parent.name]
    assert trace.ending is Ending.CRASHED
    assert trace.crash is not None
    assert any(trace.crash.signature.startswith(known) for known in SIGNATURES[folder.parent.name])
    assert sum(step.crash is not None for step in trace.steps) == 1


def test_the_papers_example_goes_through_the_papers_activities() -> None:
    trace, _ = recording_to_trace(read(RECORDINGS / "Dalvik" / "1"))
    assert len(trace.steps) == 36
    fronts = [str(step.before.activity).rpartition(".")[2] for step in trace.steps[1:]]
    assert fronts[0] == "DalvikExplorerActivity"
    assert fronts[21:23] == ["TimeZonesActivity", "TimeZoneActivity"]
    assert trace.crash is not None and trace.crash.root is not None
    assert "dat=geo:5.55,0.0?z=7" in str(trace.crash.root.message)

"""A known crash at the end of five hundred random events comes down to the steps of its note."""

from __future__ import annotations

from pathlib import Path

import pytest
from integration.conftest import SAMPLES, OpenSample
from integration.long_traces import lengthened, reduced

from fewtaps.config import DeviceSettings
from fewtaps.device.session import SessionSettings
from fewtaps.model.goal import SameCrash
from fewtaps.tracefile import read_trace

pytestmark = pytest.mark.jvm

EVENTS = 500


@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", ["calc", "tipsplit", "zones"])
def test_a_long_trace_comes_down_to_the_length_in_the_note(open_sample: OpenSample, name: str, tmp_path: Path) -> None:
    # Only with nobody to show a map does zones crash; the others do not mind.
    session = open_sample(name, SessionSettings(neighbours="absent"))
    note = read_trace(SAMPLES / f"{name}/crash.jsonl").events
    long = lengthened(session, note, 0, EVENTS)
    assert long is not None and len(long.trace.steps) > EVENTS
    assert long.trace.crash is not None
    reduction = reduced(session, SAMPLES / f"{name}.apk", long.trace, tmp_path, DeviceSettings(neighbours="absent"))
    assert reduction.size <= len(note) - 1
    assert reduction.is_minimal
    assert SameCrash(long.trace.crash.signature).met_by(reduction.trace)

"""Nothing becomes public by accident, and nothing public is slow to import."""

from __future__ import annotations

import subprocess
import sys

import pytest

import fewtaps

PUBLIC = """
App AppRef Budget Capability Coverage Covers Crash Device DeviceProfile DoubleTap Ending Event FewtapsError
Goal Key Launch LongPress PROFILES Pinch ProbeMap Reaches ReachesState RecordWish RecordedRun Reduction Reproduction
Rotate RunRecord SameCrash Screen Selector Session SessionSettings ShowsText Slice Slicer StartIntent Step Swipe
SystemEvent Tap Text Trace UsageError Verdict Wait Widget describe open_device play play_recorded read_apk read_trace
reduce reduce_trace reproduce write_trace
"""


def test_the_public_names_are_these() -> None:
    assert set(fewtaps.__all__) == set(PUBLIC.split())


@pytest.mark.parametrize("name", fewtaps.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(fewtaps, name) is not None
    assert name in dir(fewtaps)


def test_other_names_are_not() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = fewtaps.nothing


def test_importing_the_package_imports_nothing_heavy() -> None:
    program = "import sys, fewtaps; print([name for name in sys.modules if name.startswith('fewtaps.')])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

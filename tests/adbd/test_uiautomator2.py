"""An unmodified uiautomator2 drives a served app."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

import pytest
from adbd.rig import ADB, open_rig

PYTHON = os.environ.get("UIAUTOMATOR2_PYTHON") or (sys.executable if importlib.util.find_spec("uiautomator2") else None)
"""A Python that has uiautomator2: this one, or the one of an environment of its own that a variable names."""
DRIVER = Path(__file__).parent / "drive_uiautomator2.py"

pytestmark = [
    pytest.mark.skipif(ADB is None, reason="there is no adb on this machine"),
    pytest.mark.skipif(PYTHON is None, reason="uiautomator2 is neither installed nor named by UIAUTOMATOR2_PYTHON"),
    pytest.mark.slow,
]


def test_more_than_sixty_different_calls_of_uiautomator2_work(tmp_path: Path) -> None:
    with open_rig(tmp_path, "com.example.notes") as rig:
        assert PYTHON is not None
        answer = rig.run([PYTHON, str(DRIVER), rig.serial], seconds=240)
        assert answer.status == 0, (answer.err + answer.out).decode()[-3000:]
        assert int(answer.text.splitlines()[-1].split()[0]) >= 60
        assert not list(rig.phone.notes())

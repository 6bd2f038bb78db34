"""The parts of scripts/release that change texts: what they write, and what they refuse."""

from __future__ import annotations

import datetime
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).resolve().parent.parent / "scripts" / "release"
RELEASE: dict[str, Any] = runpy.run_path(str(SCRIPT))
Refusal: type[Exception] = RELEASE["Refusal"]
DAY = datetime.date(2026, 11, 18)
CHANGES = "# Changes\n\n## Unreleased\n### Added\n- A thing.\n\n## 0.1.0 (2026-01-01)\n### Added\n- All of it.\n"


def test_what_is_unreleased_comes_under_the_version_and_its_day() -> None:
    text = RELEASE["with_release"](CHANGES, "0.2.0", DAY)
    assert text.startswith("# Changes\n\n## Unreleased\n\n## 0.2.0 (2026-11-18)\n### Added\n- A thing.\n\n## 0.1.0")
    assert text.endswith("- All of it.\n")


@pytest.mark.parametrize(
    ("text", "version", "reason"),
    [
        ("# Changes\n\n## 0.1.0\n- A thing.\n", "0.2.0", "no line '## Unreleased'"),
        ("# Changes\n\n## Unreleased\n\n## 0.1.0\n- A thing.\n", "0.2.0", "nothing unreleased"),
        (CHANGES, "0.1.0", "has 0.1.0 already"),
    ],
)
def test_a_change_log_that_does_not_fit_is_refused(text: str, version: str, reason: str) -> None:
    with pytest.raises(Refusal, match=reason):
        RELEASE["with_release"](text, version, DAY)


def test_the_version_is_changed_once() -> None:
    text = '[project]\nversion = "0.9.0"\n[other]\nversion = "0.9.0"\n'
    assert RELEASE["with_version"](text, "0.9.0", "0.10.0") == text.replace("0.9.0", "0.10.0", 1)


@pytest.mark.parametrize("version", ["0.8.9", "0.0.10", "1.0", "v1.0.0", "1.0.0rc1", ""])
def test_a_version_below_the_current_one_or_of_another_form_is_refused(version: str) -> None:
    with pytest.raises(Refusal):
        RELEASE["with_version"]('version = "0.9.0"', "0.9.0", version)


def test_pages_name_the_new_wheel() -> None:
    change = RELEASE["with_wheel_name"]
    assert change("`dist/fewtaps-0.1.0-py3-none-any.whl`", "0.1.0", "0.2.0") == "`dist/fewtaps-0.2.0-py3-none-any.whl`"


def test_without_a_version_it_says_how_to_call_it() -> None:
    done = subprocess.run([sys.executable, str(SCRIPT)], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2 and "scripts/release VERSION" in done.stderr

"""A suite of a sample app on the twin: by pytest, by the command, and in pages with real pictures."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from exports.java import SAMPLES
from integration.test_exports import tipsplit_suite
from pytest_plugin.test_plugin import counts, run_pytest

from fewtaps.cli.main import main
from fewtaps.device.twin.jail import jail_problem
from fewtaps.suitefile import write_suite

pytestmark = pytest.mark.jvm

APK = str(SAMPLES / "tipsplit.apk")
JAILED = jail_problem() is None


def two_suites(folder: Path) -> Path:
    """The suite of the sample, and beside each test one that expects a wrong share."""
    right, wrong = tipsplit_suite("Each pays 47.00"), tipsplit_suite("Each pays 46.20")
    tests = (*right.tests, replace(wrong.tests[0], name="wrong"))
    write_suite(folder, replace(right, tests=tests))
    return folder


@pytest.mark.timeout(600)
def test_pytest_and_the_command_say_the_same_of_a_real_app(tmp_path: Path) -> None:
    suite = two_suites(tmp_path / "suite")
    code, output = run_pytest(tmp_path, "suite", *([] if JAILED else ["--fewtaps-no-jail"]), apk=APK)
    assert (code, counts(output)) == (1, {"failed": 1, "passed": 2}), output
    assert "expected 'Each pays 46.20', seen 'Each pays 47.00'" in output
    out = tmp_path / "out"
    assert main(["test", str(suite), APK, "--against", APK, "-o", str(out), *([] if JAILED else ["--no-jail"])]) == 0
    assert main(["test", str(suite), APK, "-o", str(out), *([] if JAILED else ["--no-jail"])]) == 1
    page = (out / "test-wrong.html").read_text("utf-8")
    assert 'class="outline"' in page and "Each pays 47.00" in page
    (failed,) = (each for each in json.loads((out / "results.json").read_text())["tests"] if each["status"] == "failed")
    assert [number for number, _ in failed["runs"][0]["pictures"]] == list(range(6))
    assert all(
        (out / "screens" / name).read_bytes().startswith(b"\x89PNG") for _, name in failed["runs"][0]["pictures"]
    )

"""A whole run over a sample app on the twin: killed in the middle, and brought to its end by the same command."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fewtaps.cli.main import main
from fewtaps.config import DeviceSettings, RunSettings, SuiteRunSettings
from fewtaps.device.twin.jail import jail_problem
from fewtaps.model.event import describe
from fewtaps.model.result import Reproduction
from fewtaps.model.suite_result import SuiteTestStatus
from fewtaps.pipeline.reporting import write_report
from fewtaps.pipeline.running import run_app
from fewtaps.pipeline.testing import run_suite
from fewtaps.store.database import open_store
from fewtaps.tracefile import read_trace

pytestmark = pytest.mark.jvm

SAMPLE = Path(__file__).resolve().parents[2] / "samples" / "calc.apk"
JAILED = jail_problem() is None
DEADLINE_SECONDS = 240


@pytest.mark.timeout(900)
def test_killed_in_the_middle_a_run_goes_on_to_the_known_steps_a_rate_and_a_report(tmp_path: Path) -> None:
    limits = ("--events", "120", "--worlds", "3")
    command = [sys.executable, "-m", "fewtaps", "run", str(SAMPLE), "-o", str(tmp_path), *limits]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    child = subprocess.Popen(
        command if JAILED else [*command, "--no-jail"],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + DEADLINE_SECONDS
        while child.poll() is None and _episodes(tmp_path) < 2 and time.monotonic() < deadline:
            time.sleep(0.02)
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()
    before = _episodes(tmp_path)
    assert before >= 2
    settings = RunSettings(tmp_path, DeviceSettings(jail=JAILED), minutes=60, events=120, worlds=3)
    ran = run_app(str(SAMPLE), settings)
    assert ran.explored.progress.episodes > before or ran.explored.progress.events == 120
    (case,) = ran.cases
    assert case.is_reduced and case.is_minimal and not case.is_suspect
    assert [describe(event) for event in case.trace.events] == ["Launch", "Tap '−'", "Tap 'Compress'"]
    assert case.reproduction == Reproduction(3, 3)
    (kept,) = tmp_path.glob("*.reduced.jsonl")
    assert read_trace(kept).events == case.trace.events
    page = write_report(tmp_path)
    assert "ArithmeticException" in page.read_text("utf-8")
    assert list((tmp_path / "pictures").glob("*.png"))
    suite = ran.suite
    assert suite is not None and suite.is_there and suite.made is not None
    assert suite.made.counts["crashes"] == 1
    assert all(f"<bdi>{test.name}</bdi>" in page.read_text("utf-8") for test in suite.made.suite.tests)
    result = run_suite(str(SAMPLE), SuiteRunSettings(tmp_path / "suite", DeviceSettings(jail=JAILED)))
    assert {each.status for each in result.results} == {SuiteTestStatus.PASSED}


def test_a_default_run_meets_servers_and_says_that_the_crash_needs_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--events", "200", "-j", "1", "--worlds", "2", "--no-suite", "--no-slice", "--no-pictures"]
    main(
        ["run", str(SAMPLE.with_name("pocket.apk")), "-o", str(tmp_path), *options, *([] if JAILED else ["--no-jail"])]
    )
    lines = capsys.readouterr().out.splitlines()
    (at,) = (number for number, line in enumerate(lines) if "LoadNews.onPostExecute" in line and "at …" in line)
    assert lines[at + 1].strip() == "only while servers answer"


def _episodes(folder: Path) -> int:
    try:
        with open_store(folder) as store:
            return store.runs.totals().episodes
    except LookupError:
        return 0

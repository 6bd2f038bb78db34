"""The pytest plugin, run as a user runs it: `pytest suite/ --fewtaps-apk …` in a process of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest
from suites import ABOUT, MORE, SPLIT, bill_suite, bill_test, failing_suite, wrong

import fewtaps
from fewtaps.cli.main import main
from fewtaps.model.suite import Quarantine
from fewtaps.suitefile import read_suite, write_suite

TIMEOUT_SECONDS = 200
ROOT = Path(__file__).resolve().parents[2]

# Writes a line for each session that is opened, in whichever process.
COUNTING = """
import os
from fewtaps.device.simulated.device import SimulatedSession

opened = SimulatedSession.__init__

def counted(self, *arguments, **named):
    with open(os.path.join(os.path.dirname(__file__), "opened.txt"), "a") as file:
        file.write(f"{os.getpid()}\\n")
    opened(self, *arguments, **named)

SimulatedSession.__init__ = counted
"""


def run_pytest(folder: Path, *arguments: str, apk: str | None = "sim:bill") -> tuple[int, str]:
    """Runs pytest in a folder, with this plugin and xdist alone."""
    given = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    source = str(Path(fewtaps.__file__).parents[1])
    given |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": source}
    named = [] if apk is None else ["--fewtaps-apk", apk]
    command = [sys.executable, "-m", "pytest", "-p", "fewtaps.pytest_plugin", "-p", "xdist.plugin", "--rootdir", "."]
    done = subprocess.run(
        [*command, "-o", "xfail_strict=true", *named, *arguments],
        cwd=folder,
        env=given,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def counts(output: str) -> dict[str, int]:
    """The numbers in the last line: "1 failed, 2 passed in 0.5s"."""
    (last,) = re.findall(r"^=* ?((?:\d+ [a-z]+(?:, )?)+) in [\d.]+s", output, re.MULTILINE)[-1:]
    return {word: int(number) for number, word in re.findall(r"(\d+) ([a-z]+)", last)}


@pytest.mark.slow
def test_a_suite_passes_on_one_device(tmp_path: Path) -> None:
    bill_suite(tmp_path / "suite")
    (tmp_path / "conftest.py").write_text(COUNTING)
    code, output = run_pytest(tmp_path, "suite/", "-v")
    assert (code, counts(output)) == (0, {"passed": 3}), output
    assert "suite/more-split.jsonl::more-split PASSED" in output
    assert len((tmp_path / "opened.txt").read_text().splitlines()) == 1


@pytest.mark.slow
def test_the_verdicts_are_those_of_the_command(tmp_path: Path) -> None:
    failing_suite(tmp_path / "suite")
    code, output = run_pytest(tmp_path, "suite", "--junitxml", "junit.xml")
    assert (code, counts(output)) == (1, {"failed": 2, "passed": 1}), output
    assert "expected '101 each', seen '100 each'" in output and "not there: 'Divide'" in output
    assert "Traceback" not in output and "single_tests.py" not in output
    assert main(["test", str(tmp_path / "suite"), "sim:bill", "--junit", str(tmp_path / "ours.xml")]) == 1

    def failed(name: str) -> set[str | None]:
        cases = ET.parse(tmp_path / name).iter("testcase")
        return {
            case.get("name") for case in cases if case.find("failure") is not None or case.find("error") is not None
        }

    assert failed("junit.xml") == failed("ours.xml") == {"wrong-share", "no-button"}
    (properties,) = (
        case.findall(".//property")
        for case in ET.parse(tmp_path / "junit.xml").iter("testcase")
        if case.get("name") == "no-button"
    )
    assert [each.attrib for each in properties] == [{"name": "fewtaps_status", "value": "broken"}]


@pytest.mark.slow
def test_tests_are_chosen_by_k_x_lf_and_by_file(tmp_path: Path) -> None:
    failing_suite(tmp_path / "suite")
    assert counts(run_pytest(tmp_path, "-k", "wrong")[1]) == {"failed": 1, "deselected": 2}
    assert counts(run_pytest(tmp_path, "-x")[1])["failed"] == 1
    assert counts(run_pytest(tmp_path)[1]) == {"failed": 2, "passed": 1}
    assert counts(run_pytest(tmp_path, "--lf")[1]) == {"failed": 2}
    assert counts(run_pytest(tmp_path, "suite/more-split.jsonl")[1]) == {"passed": 1}


@pytest.mark.slow
def test_every_worker_of_xdist_has_a_device_of_its_own(tmp_path: Path) -> None:
    bill_suite(tmp_path / "suite", [bill_test(f"t{number}", MORE, SPLIT) for number in range(6)])
    (tmp_path / "conftest.py").write_text(COUNTING)
    code, output = run_pytest(tmp_path, "suite", "-n", "2")
    assert (code, counts(output)) == (0, {"passed": 6}), output
    opened = (tmp_path / "opened.txt").read_text().splitlines()
    assert len(opened) == len(set(opened)) == 2


@pytest.mark.slow
def test_a_test_in_quarantine_does_not_fail(tmp_path: Path) -> None:
    folder = failing_suite(tmp_path / "suite")
    suite = read_suite(folder)
    names = [test.name for test in suite.tests]
    write_suite(folder, replace(suite, quarantine=tuple(Quarantine(name, 1, 2) for name in names)))
    code, output = run_pytest(tmp_path, "suite", "-rx")
    assert (code, counts(output)) == (0, {"passed": 1, "xfailed": 2}), output
    assert "quarantined: step 2" in output


@pytest.mark.slow
def test_without_an_app_the_tests_are_skipped_and_other_tests_run(tmp_path: Path) -> None:
    bill_suite(tmp_path / "suite")
    (tmp_path / "test_other.py").write_text("def test_other():\n    pass\n")
    code, output = run_pytest(tmp_path, "-rs", apk=None)
    assert (code, counts(output)) == (0, {"passed": 1, "skipped": 3}), output
    assert "name the app with --fewtaps-apk" in output
    (tmp_path / "pytest.ini").write_text("[pytest]\nfewtaps_apk = sim:bill\n")
    assert counts(run_pytest(tmp_path, apk=None)[1]) == {"passed": 4}


@pytest.mark.slow
def test_two_suites_are_run_one_after_the_other(tmp_path: Path) -> None:
    bill_suite(tmp_path / "one", [bill_test("about", ABOUT)])
    bill_suite(tmp_path / "two", [wrong(bill_test("share", MORE, SPLIT), "7"), bill_test("about", ABOUT)])
    assert counts(run_pytest(tmp_path)[1]) == {"failed": 1, "passed": 2}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("apk", "reason"),
    [("nothing.apk", "nothing.apk"), ("sim:feed", "the suite is for com.example.bill")],
)
def test_an_app_that_does_not_fit_is_one_line_per_test(apk: str, reason: str, tmp_path: Path) -> None:
    bill_suite(tmp_path / "suite")
    code, output = run_pytest(tmp_path, "suite", apk=apk)
    assert (code, counts(output)) == (1, {"failed": 3}), output
    assert len(re.findall(f"^fewtaps: {reason}", output, re.MULTILINE)) == 3 and "Traceback" not in output


@pytest.mark.slow
def test_a_suite_that_was_edited_wrongly_names_file_and_line(tmp_path: Path) -> None:
    folder = bill_suite(tmp_path / "suite")
    (folder / "about.jsonl").write_text((folder / "about.jsonl").read_text() + "{\n")
    code, output = run_pytest(tmp_path, "suite")
    assert code == 2 and "about.jsonl, line 4: not JSON" in output and "Traceback" not in output


@pytest.mark.slow
def test_files_that_are_no_suite_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "suite.json").write_text('{"tests": []}')
    (tmp_path / "data.jsonl").write_text("{}\n")
    code, output = run_pytest(tmp_path)
    assert code == 5 and "no tests ran" in output


@pytest.mark.slow
def test_a_pipe_in_the_place_of_the_index_is_no_suite(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "suite.json")
    (tmp_path / "data.jsonl").write_text("{}\n")
    code, output = run_pytest(tmp_path)
    assert code == 5 and "no tests ran" in output


@pytest.mark.slow
def test_pytest_imports_no_more_than_the_hooks_where_there_is_no_suite(tmp_path: Path) -> None:
    (tmp_path / "test_other.py").write_text(
        "import sys\n\ndef test_other():\n"
        "    ours = [name for name in sys.modules if name.startswith('fewtaps')]\n"
        "    assert ours == ['fewtaps', 'fewtaps.pytest_plugin']\n"
    )
    (tmp_path / "data.jsonl").write_text("{}\n")
    code, output = run_pytest(tmp_path, apk=None)
    assert code == 0, output


def test_the_plugin_is_installed_with_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"fewtaps": "fewtaps.pytest_plugin"}


@pytest.mark.slow
def test_a_failure_has_no_commands_for_the_ci_system(tmp_path: Path) -> None:
    about = bill_test("about", ABOUT)
    launch, tap = about.trace.steps
    crashing = replace(about, trace=replace(about.trace, steps=(launch, replace(tap, event=SPLIT))))
    bill_suite(tmp_path / "suite", [crashing])
    message = "from fewtaps.device.simulated import faults\nfaults._message = lambda error: '::error::a ##vso[b]'\n"
    (tmp_path / "conftest.py").write_text(message)
    code, output = run_pytest(tmp_path, "suite/")
    assert code == 1
    assert "# #vso[b]" in output
    assert "##" not in output

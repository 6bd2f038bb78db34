"""Files in the current folder never take the place of a module: not in the command, and in none of its children."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from apk_parts import LAUNCHER, activity, manifest, write_apk

from fewtaps.python_child import python_command, python_environment

COMMAND = Path(sysconfig.get_path("scripts")) / "fewtaps"
SECONDS = 120


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    """A folder with an app and modules that leave a file when they are run, and that end their process with 0."""
    folder = tmp_path / "folder"
    (folder / "fewtaps").mkdir(parents=True)
    write_apk(folder / "calc.apk", manifest(activity(".Main", LAUNCHER)))
    for name in ("json.py", "struct.py", "fewtaps/__init__.py", "fewtaps/__main__.py"):
        mark = tmp_path / f"ran-{name.replace('/', '-')}"
        (folder / name).write_text(f"open({str(mark)!r}, 'w').close()\nraise SystemExit(0)\n", "utf-8")
    return folder


def run(folder: Path, command: list[str], *, environment: dict[str, str] | None = None) -> tuple[int, str]:
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=SECONDS)
    assert [path.name for path in folder.parent.iterdir()] == ["folder"], "a planted module was run"
    return done.returncode, done.stdout


@pytest.mark.slow
def test_show_decodes_in_a_folder_with_planted_modules(planted: Path) -> None:
    code, out = run(planted, [str(COMMAND), "show", "calc.apk", "--json"])
    assert code == 0 and json.loads(out)["package"] == "com.example"


@pytest.mark.slow
def test_a_campaign_runs_in_a_folder_with_planted_modules(planted: Path) -> None:
    (planted / "apps.txt").write_text("sim:kiosk\n", "utf-8")
    code, _ = run(planted, [str(COMMAND), "campaign", "apps.txt", "-o", "night", "--events", "20"])
    (row,) = json.loads((planted / "night" / "campaign.json").read_text("utf-8"))["apps"]
    assert (code, row["code"]) == (0, 0) and row["events"] >= 20


@pytest.mark.slow
@pytest.mark.parametrize("module", ["fewtaps", "fewtaps.apk.decoding", "fewtaps.farm.slot_process"])
def test_no_module_that_is_run_is_taken_from_the_current_folder(planted: Path, module: str) -> None:
    run(planted, python_command(module, "--version"), environment=python_environment())


def test_the_environment_of_a_child_names_no_current_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", ["", "/a", "/b:c", "/d"])
    assert python_environment()["PYTHONPATH"] == "/a:/d"

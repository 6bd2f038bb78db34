"""The example of docs/ci.md is a workflow that a CI server could read, and the command in it is one of ours."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer

from fewtaps.cli.main import app

PAGE = Path(__file__).resolve().parent.parent / "docs" / "ci.md"
COMMANDS: dict[str, Any] = typer.main.get_command(app).commands  # type: ignore[attr-defined]


def workflow() -> dict[Any, Any]:
    yaml: Any = pytest.importorskip("yaml", reason="PyYAML comes with androguard")
    (block,) = re.findall(r"^```yaml\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    loaded: dict[Any, Any] = yaml.safe_load(block)
    return loaded


def test_every_step_of_the_workflow_uses_an_action_or_runs_something() -> None:
    document = workflow()
    # YAML 1.1 reads the key `on` as true, and so do its readers.
    assert document["name"] and (document.get("on") or document[True])
    (job,) = document["jobs"].values()
    assert job["runs-on"] == "ubuntu-latest"
    for step in job["steps"]:
        assert ("uses" in step) != ("run" in step), step
        assert "uses" not in step or re.fullmatch(r"actions/[\w-]+@v\d+", step["uses"])


def test_what_is_installed_was_checked_out_before() -> None:
    (job,) = workflow()["jobs"].values()
    folders = [step.get("with", {}).get("path") for step in job["steps"] if "checkout" in step.get("uses", "")]
    (install,) = re.findall(r"pip install (\S+)", "\n".join(step.get("run", "") for step in job["steps"]))
    assert install.removeprefix("./") in folders


def test_the_report_is_kept_even_when_the_job_fails() -> None:
    (job,) = workflow()["jobs"].values()
    (upload,) = (step for step in job["steps"] if "upload-artifact" in step.get("uses", ""))
    assert upload["if"] == "always()"
    assert upload["with"]["path"].split() == ["fewtaps-report", "crashes.xml"]


def test_the_commands_of_the_page_have_only_options_that_there_are() -> None:
    (job,) = workflow()["jobs"].values()
    lines = [step["run"] for step in job["steps"] if step.get("run", "").startswith("fewtaps ")]
    lines += re.findall(r"^    (fewtaps .+)$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert len(lines) >= 3
    for line in lines:
        _, name, *arguments = shlex.split(line.partition(">")[0])
        known = {option for parameter in COMMANDS[name].params for option in parameter.opts}
        assert {each for each in arguments if each.startswith("-")} <= known, line

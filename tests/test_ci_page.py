"""The example of docs/ci.md is a workflow that a CI server could read, and the command in it is one of ours."""

from __future__ import annotations

import re
import shlex
import tomllib
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
import typer

from fewtaps.cli.main import app, main

PAGE = Path(__file__).resolve().parent.parent / "docs" / "ci.md"
COMMANDS: dict[str, Any] = typer.main.get_command(app).commands  # type: ignore[attr-defined]


def workflow(name: str = "crashes") -> dict[Any, Any]:
    yaml: Any = pytest.importorskip("yaml", reason="PyYAML comes with androguard")
    blocks = re.findall(r"^```yaml\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    (loaded,) = (each for each in map(yaml.safe_load, blocks) if each["name"] == name)
    found: dict[Any, Any] = loaded
    return found


@pytest.mark.parametrize("name", ["crashes", "shards"])
def test_every_step_of_the_workflow_uses_an_action_or_runs_something(name: str) -> None:
    document = workflow(name)
    # YAML 1.1 reads the key `on` as true, and so do its readers.
    assert document.get("on") or document[True]
    for job in document["jobs"].values():
        assert job["runs-on"] == "ubuntu-latest"
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step), step
            assert "uses" not in step or re.fullmatch(r"actions/[\w-]+@v\d+", step["uses"])


def test_what_is_installed_is_the_wheel_that_the_page_tells_to_make() -> None:
    (job,) = workflow()["jobs"].values()
    (install,) = re.findall(r"pip install (\S+)", "\n".join(step.get("run", "") for step in job["steps"]))
    text = PAGE.read_text("utf-8")
    (wheel,) = re.findall(r"`dist/(fewtaps-\S+\.whl)`", text)
    project = tomllib.loads((PAGE.parent.parent / "pyproject.toml").read_text("utf-8"))["project"]
    assert wheel == f"{project['name']}-{project['version']}-py3-none-any.whl"
    assert fnmatch(f"tools/{wheel}", install) and "copy it to `tools/`" in " ".join(text.split())
    assert "\nwheel:" in (PAGE.parent.parent / "Makefile").read_text("utf-8")


def test_nothing_on_the_page_has_to_be_filled_in() -> None:
    assert not re.search(r"your-|<[a-z-]+>|YOUR|TODO|example\.(com|org)", PAGE.read_text("utf-8"))


def test_the_report_is_kept_even_when_the_job_fails() -> None:
    (job,) = workflow()["jobs"].values()
    (upload,) = (step for step in job["steps"] if "upload-artifact" in step.get("uses", ""))
    assert upload["if"] == "always()"
    assert upload["with"]["path"].split() == ["fewtaps-report", "crashes.xml"]


def test_the_commands_of_the_page_have_only_options_that_there_are() -> None:
    (job,) = workflow()["jobs"].values()
    steps = [*job["steps"], *(step for each in workflow("shards")["jobs"].values() for step in each["steps"])]
    lines = [line for step in steps for line in step.get("run", "").splitlines() if line.startswith("fewtaps ")]
    lines += re.findall(r"^    (fewtaps .+)$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert len(lines) >= 3
    for line in lines:
        _, name, *arguments = shlex.split(re.sub(r"\$\{\{.*?\}\}", "1", line).partition(">")[0])
        known = {option for parameter in COMMANDS[name].params for option in parameter.opts}
        assert {each for each in arguments if each.startswith("-")} <= known, line


@pytest.mark.slow
def test_the_commands_of_the_matrix_join_the_shards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    jobs = workflow("shards")["jobs"]
    (run,) = (step["run"] for step in jobs["shard"]["steps"] if "run" in step)
    # The other shards were lost: they are named and left out.
    for shard in ("1", "2"):
        arguments = run.replace("app.apk", "sim:lock").replace("${{ matrix.shard }}", shard).split()
        assert main([*arguments[1:], "--events", "60", "--no-suite"]) == 0
    (joining,) = (step["run"] for step in jobs["join"]["steps"] if "run" in step)
    for command in joining.splitlines():
        assert main(command.split()[1:]) == 0, command
    assert (tmp_path / "all" / "report").is_dir() or list((tmp_path / "all").glob("**/index.html"))

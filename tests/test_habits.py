"""The project's own tools: workflow, hooks and templates name commands that there are, and floors only rise."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
SETTINGS: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
TARGETS = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))


def read(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text("utf-8"))


WORKFLOWS = ("ci", "nightly")


def steps(name: str = "ci") -> list[dict[str, Any]]:
    jobs = read(f".github/workflows/{name}.yml")["jobs"].values()
    return [step for job in jobs for step in job["steps"]]


def test_the_workflow_runs_the_commands_that_a_developer_runs() -> None:
    lines = [line for step in steps() for line in step.get("run", "").splitlines()]
    made = [line.removeprefix("make ") for line in lines if line.startswith("make ")]
    assert {"check", "sarif-schema", "test-fast", "test", "coverage"} == set(made)
    assert set(made) <= TARGETS
    others = [line for line in lines if not line.startswith(("make ", "sudo ", "#"))]
    assert others == [], "what CI runs is a target of the Makefile"


def test_what_takes_hours_runs_every_night() -> None:
    lines = [line for step in steps("nightly") for line in step.get("run", "").splitlines()]
    assert {line.split()[1] for line in lines if line.startswith("make ")} == {"fuzz", "guided", "faults", "audit"}
    assert {"fuzz", "guided", "faults", "audit"} <= TARGETS
    assert [line for line in lines if not line.startswith(("make ", "sudo ", "#"))] == []


@pytest.mark.parametrize("name", WORKFLOWS)
def test_every_step_of_the_workflow_uses_an_action_or_runs_something(name: str) -> None:
    document = read(f".github/workflows/{name}.yml")
    # YAML 1.1 reads the key `on` as true, and so do its readers.
    assert document["name"] and (document.get("on") or document[True])
    for job in document["jobs"].values():
        assert job["runs-on"] == "ubuntu-latest" and job["timeout-minutes"] > 0
        assert set(job.get("needs", "").split()) <= set(document["jobs"])
    for step in steps(name):
        assert ("uses" in step) != ("run" in step), step
        assert "uses" not in step or re.fullmatch(r"actions/[\w-]+@v\d+", step["uses"])


def test_the_workflow_tests_the_oldest_python_that_is_promised() -> None:
    promised = re.fullmatch(
        r">=(\d+\.\d+)", tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    )
    assert promised is not None
    jobs = read(".github/workflows/ci.yml")["jobs"]
    for name in ("fast", "all"):
        assert promised[1] in jobs[name]["strategy"]["matrix"]["python"]


def test_the_ci_script_runs_all_tests() -> None:
    assert (ROOT / ".ci" / "run").read_text("utf-8").rstrip().endswith("exec make test")


def test_every_target_of_the_makefile_is_declared_and_has_a_line_of_help() -> None:
    (declared,) = re.findall(r"^\.PHONY: (.+)$", MAKEFILE, re.MULTILINE)
    assert set(declared.split()) == TARGETS
    told = set(re.findall(r'@echo "make ([a-z-]+)', MAKEFILE))
    assert told == TARGETS - {"help", "clean"}


def test_every_hook_runs_a_tool_of_ours() -> None:
    (repository,) = read(".pre-commit-config.yaml")["repos"]
    assert repository["repo"] == "local"
    tools = {
        line.split(">=")[0]
        for line in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]["dev"]
    }
    for hook in repository["hooks"]:
        program, *arguments = hook["entry"].split()
        if program == "make":
            assert arguments[0] in TARGETS
        elif program == ".venv/bin/python":
            assert (ROOT / arguments[0]).is_file()
        else:
            assert program.removeprefix(".venv/bin/") in tools


@pytest.mark.parametrize(
    "path", sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml")), ids=lambda path: path.stem
)
def test_every_issue_form_has_what_github_asks_for(path: Path) -> None:
    form = yaml.safe_load(path.read_text("utf-8"))
    if path.stem == "config":
        assert set(form) == {"blank_issues_enabled", "contact_links"}
        return
    assert form["name"] and form["description"]
    names = [field["id"] for field in form["body"]]
    assert len(set(names)) == len(names)
    assert all(field["attributes"]["label"] for field in form["body"])
    assert {field["type"] for field in form["body"]} <= {"input", "textarea", "checkboxes"}


@pytest.mark.slow
def test_every_name_that_counts_as_used_is_still_there() -> None:
    sources = [*(ROOT / "src").rglob("*.py"), *(ROOT / "benchmarks").glob("*.py")]
    sources += [path for path in (ROOT / "scripts").iterdir() if path.is_file()]
    words = set(re.findall(r"\w+", "\n".join(path.read_text("utf-8") for path in sources)))
    assert [name for name in SETTINGS["vulture"]["ignore_names"] if name not in words] == []


def test_the_floor_of_the_coverage_was_never_higher() -> None:
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("this is no clone: there is no history to compare with")
    command = [git, "log", "--format=", "--patch", "--unified=0", "-G^fail_under", "--", "pyproject.toml"]
    history = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    earlier = [float(value) for value in re.findall(r"^[-+]fail_under = ([\d.]+)", history, re.MULTILINE)]
    assert SETTINGS["coverage"]["report"]["fail_under"] >= max(earlier, default=0.0)


def test_every_package_of_the_development_environment_is_pinned_by_hashes() -> None:
    subprocess.run([sys.executable, str(ROOT / "scripts" / "lock-python"), "--check"], check=True)
    lock = (ROOT / "requirements-dev.lock").read_text("utf-8")
    entries = re.split(r"^(?=[a-z0-9])", lock, flags=re.MULTILINE)[1:]
    assert len(entries) > 50
    assert [each.split("==")[0] for each in entries if "--hash=sha256:" not in each] == []
    assert "--require-hashes -r requirements-dev.lock" in (ROOT / "scripts" / "make-venv.sh").read_text("utf-8")
    assert "://" not in lock


def test_every_child_in_python_is_started_without_the_current_folder() -> None:
    """A file in the current folder would take the place of a module; `python_child` has the only such command."""
    found = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "src").rglob("*.py")
        if re.search(
            r"""sys\.executable\s*,\s*["']-|["']-m["']\s*,\s*["']?(fewtaps|__name__)""", path.read_text("utf-8")
        )
        or re.search(r"\b(multiprocessing|ProcessPoolExecutor|Nanny|runpy)\b", path.read_text("utf-8"))
    }
    assert found == {"src/fewtaps/python_child.py"}

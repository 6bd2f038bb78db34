"""The documentation keeps up with the program."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from fewtaps.cli import main as cli
from fewtaps.cli.terminal import READER_GONE

ROOT = Path(__file__).resolve().parent.parent
GROUP: Any = typer.main.get_command(cli.app)


def test_the_generated_pages_are_up_to_date() -> None:
    done = subprocess.run([sys.executable, "scripts/docs", "--check"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", sorted(GROUP.commands))
def test_every_command_has_an_example_and_every_option_a_help(name: str) -> None:
    command = GROUP.commands[name]
    assert f"fewtaps {name}" in command.help
    assert command.short_help
    assert all(parameter.help for parameter in command.params)
    assert "as_json" in {parameter.name for parameter in command.params}


@pytest.mark.parametrize("name", sorted(GROUP.commands))
def test_the_page_of_commands_names_every_option_short_names_too(name: str) -> None:
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    (section,) = (each for each in page.split("\n## `fewtaps ") if each.startswith(f"{name} "))
    options = [each for each in GROUP.commands[name].params if each.param_type_name == "option" and each.name != "help"]
    items = [set(re.findall(r"`(-[-\w]+)", names)) for names in re.findall(r"^- (`-.*?): ", section, re.MULTILINE)]
    assert items == [set(option.opts) for option in options]


def test_every_exit_code_is_documented() -> None:
    page = (ROOT / "docs" / "exit-codes.md").read_text(encoding="utf-8")
    documented = {int(code) for code in re.findall(r"^\| (\d+) \|", page, re.MULTILINE)}
    assert documented == {cli.FINE, cli.FOUND, cli.BAD_INPUT, cli.NOT_HERE, cli.INTERRUPTED, READER_GONE}


def test_no_link_between_our_pages_leads_nowhere() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "samples").glob("**/*.md")]
    dead = [
        f"{page.relative_to(ROOT)} → {target}"
        for page in pages
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    ]
    assert dead == []

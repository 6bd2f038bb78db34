"""The documentation keeps up with the program."""

from __future__ import annotations

import ast
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


@pytest.mark.slow
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
    options = [each for each in GROUP.commands[name].params if each.param_type_name == "option" and not each.hidden]
    options = [each for each in options if each.name != "help"]
    items = [set(re.findall(r"`(-[-\w]+)", names)) for names in re.findall(r"^- (`-.*?): ", section, re.MULTILINE)]
    assert items == [set(option.opts) for option in options]


def test_options_are_hidden_only_if_they_are_those_of_every_command() -> None:
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    for command in GROUP.commands.values():
        hidden = [each.opts for each in command.params if each.param_type_name == "option" and each.hidden]
        assert hidden == [["--verbose", "-v"], ["--log-texts"]]
    assert "- `--verbose`, `-v`: " in page and "- `--log-texts`: " in page


def test_every_exit_code_is_documented() -> None:
    page = (ROOT / "docs" / "exit-codes.md").read_text(encoding="utf-8")
    documented = {int(code) for code in re.findall(r"^- \*\*(\d+)\*\*: ", page, re.MULTILINE)}
    assert documented == {cli.FINE, cli.FOUND, cli.BAD_INPUT, cli.NOT_HERE, cli.DEFECT, cli.INTERRUPTED, READER_GONE}


PAGES = sorted(
    path
    for pattern in ("*.md", ".github/*.md", "docs/*.md", "docs/decisions/*.md", "samples/**/*.md", "tests/**/*.md")
    for path in ROOT.glob(pattern)
)
MAP = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    """A section of the architecture page, down to the next one of its level."""
    (found,) = (each for each in MAP.split("\n## ") if each.startswith(f"{title}\n"))
    return found


def prose(page: Path) -> list[tuple[int, str]]:
    """The lines of a page with their numbers, without code and tables."""
    lines, in_code = [], False
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if re.match(r"\s*```", line):
            in_code = not in_code
        elif not in_code and not line.startswith(("|", "    ")):
            lines.append((number, line))
    return lines


def test_no_link_between_our_pages_leads_nowhere() -> None:
    dead = [
        f"{page.relative_to(ROOT)} → {target}"
        for page in PAGES
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    ]
    assert dead == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_no_line_of_prose_is_longer_than_120_columns(page: Path) -> None:
    long = [(number, line) for number, line in prose(page) if len(line) > 120]
    assert long == [], "scripts/docs --wrap wraps the prose of all pages"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_source_file_that_a_page_names_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:[\w.-]+/)+[\w.-]+\.(?:py|java|in|lock\.json|toml|yml))`", text))
    folders = (ROOT, ROOT / "src" / "fewtaps", ROOT / "bridge" / "src" / "main" / "java" / "dev" / "fewtaps" / "twin")
    missing = {name for name in named if "NAME" not in name and not any((each / name).exists() for each in folders)}
    assert missing == set()


@pytest.mark.slow
def test_every_class_that_the_architecture_page_names_is_there() -> None:
    sources = [*(ROOT / "src").rglob("*.py"), *(ROOT / "bridge" / "src" / "main").rglob("*.java")]
    words = set(re.findall(r"\w+", "\n".join(path.read_text(encoding="utf-8") for path in sources)))
    named = set(re.findall(r"`(_?[A-Z]\w*[a-z]\w*)", MAP))
    assert len(named) > 80
    assert named - words == set()


def test_the_architecture_page_has_every_room() -> None:
    source = ROOT / "src" / "fewtaps"
    folders = {path.parent.relative_to(source).as_posix() for path in source.rglob("*.py")} - {"."}
    modules = {path.stem for path in source.glob("*.py") if not path.stem.startswith("__")}
    java = ROOT / "bridge" / "src" / "main" / "java"
    packages = {path.parent.relative_to(java).as_posix().replace("/", ".") for path in java.rglob("*.java")}
    assert set(re.findall(r"^- `([\w./]+)`: ", section("Rooms"), re.MULTILINE)) == folders | modules | packages


def test_the_architecture_page_has_the_table_of_imports() -> None:
    from test_architecture import EVERY_ROOM_MAY, MAY_IMPORT

    text = section("Who may import whom")
    rows = re.findall(r"^- `(\w+)`: (.+?)\.$", text, re.MULTILINE | re.DOTALL)
    assert {room: tuple(re.findall(r"`([\w.]+)`", names)) for room, names in rows} == MAY_IMPORT
    assert all(f"`{room}`" in text.partition("\n- ")[0] for room in EVERY_ROOM_MAY)


def test_every_step_of_the_walk_names_the_files_it_goes_through() -> None:
    steps = re.split(r"^\d+\. ", section("The walk of one `fewtaps run`"), flags=re.MULTILINE)[1:]
    assert len(steps) >= 10
    assert all(re.search(r"\]\(\.\./(src|bridge)/", step) for step in steps)


def test_every_name_in_the_walk_is_in_the_files_that_it_leads_through() -> None:
    """A `Class.method` is a method of that class, any other name stands in a file that the walk has named by then."""
    steps = re.split(r"^\d+\. ", section("The walk of one `fewtaps run`"), flags=re.MULTILINE)[1:]
    files = [re.findall(r"\]\(\.\./((?:src|bridge)/[^)]+)\)", step) for step in steps]
    texts = {name: (ROOT / name).read_text(encoding="utf-8") for each in files for name in each}
    members = {
        f"{node.name}.{member.name}"
        for name, text in texts.items()
        if name.endswith(".py")
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ClassDef)
        for member in node.body
        if isinstance(member, ast.FunctionDef)
    }
    words, lost, checked = set[str](), set[str](), 0
    for step, named in zip(steps, files, strict=True):
        words.update(*(re.findall(r"\w+", texts[name]) for name in named))
        for name in re.findall(r"`(\w+(?:\.(?!py|java)\w+)?)(?:\(\w*\))?`", step):
            checked += 1
            if name not in (members if "." in name else words):
                lost.add(name)
    assert checked > 40
    assert lost == set()


def test_the_list_of_decisions_is_the_folder() -> None:
    folder = ROOT / "docs" / "decisions"
    files = sorted(path.name for path in folder.glob("*.md") if path.name != "README.md")
    assert [int(name[:4]) for name in files] == list(range(1, len(files) + 1))
    index = re.findall(r"^- \[(\d+)\]\(([^)]+)\) (.+)$", (folder / "README.md").read_text("utf-8"), re.MULTILINE)
    assert [name for _, name, _ in index] == files
    for number, name, title in index:
        heading, status, *_ = (line for line in (folder / name).read_text("utf-8").splitlines() if line)
        assert heading == f"# {int(number)}. {title}" and status.startswith("Status: ")
        parts = re.findall(r"^## (.+)$", (folder / name).read_text("utf-8"), re.MULTILINE)
        assert parts == ["Context", "Decision", "Given up"]


def test_nothing_cites_a_guide_that_is_not_here() -> None:
    assert [page.name for page in PAGES if re.search(r"style guide|\bthe guide\b", page.read_text("utf-8"))] == []

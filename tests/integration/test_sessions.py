"""The sessions shown in the README and the tutorial are what really happens.

A block fenced as `console` holds commands (`$ fewtaps …`), what is typed into `fewtaps tap` (`> …`) and their output. A
line `...` stands for any lines; `$ echo $?` for the exit code of the command before. The blocks of a page are played
in order, in one folder. A block fenced as `python` is run, and prints the `text` block after it.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from fewtaps.device.twin.jail import jail_problem

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("README.md", "docs/tutorial.md")
GAP = "..."
# Written every ten seconds: whether there are any depends on the machine's speed.
PROGRESS = re.compile(r"\d+:\d\d  \d+ events? \(\d+/s\), ")
TIMEOUT_SECONDS = 300


@dataclass(frozen=True)
class Command:
    """A command of a page, what is typed into it, and what it is said to print."""

    line: str
    typed: tuple[str, ...]
    output: tuple[str, ...]


def fenced(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", (ROOT / page).read_text("utf-8"), re.MULTILINE | re.DOTALL)


def commands(page: str) -> Iterator[Command]:
    for block in fenced(page, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, *rest = part.splitlines()
            typed = tuple(each.removeprefix("> ") for each in rest if each.startswith("> "))
            yield Command(line, typed, tuple(rest))


def matches(expected: tuple[str, ...], seen: list[str]) -> bool:
    pattern = "".join("(?:.*\n)*?" if line == GAP else re.escape(line.rstrip()) + "\n" for line in expected)
    return re.fullmatch(pattern, "".join(f"{line.rstrip()}\n" for line in seen)) is not None


def without_progress(lines: list[str]) -> list[str]:
    return [line for line in lines if PROGRESS.match(line) is None]


def test_lines_of_progress_are_left_out_and_no_others() -> None:
    progress = "0:10  53 events (5/s), 0 of 1 activities, 0 of 18 lines (0%), 0 states, 0 crashes"
    others = ["Explored: 200 events, 1 of 1 activities", "Time: 0:40, and 0:18 to start"]
    assert without_progress([others[0], progress, others[1]]) == others


def test_a_gap_stands_for_any_lines_and_nothing_else_does() -> None:
    assert matches(("a", GAP, "d"), ["a", "b", "c", "d"])
    assert matches(("a", GAP, "d"), ["a", "d"])
    assert not matches(("a", GAP, "d"), ["a", "b"])
    assert not matches(("a", "d"), ["a", "b", "d"])


@pytest.mark.timeout(900)
@pytest.mark.jvm
@pytest.mark.parametrize("page", PAGES)
def test_the_sessions_of_a_page_are_what_really_happens(page: str, tmp_path: Path) -> None:
    (tmp_path / "samples").symlink_to(ROOT / "samples")
    status = 0
    for command in commands(page):
        if command.line == "echo $?":
            assert command.output == (str(status),), f"{page}: the exit code is {status}"
            continue
        program, *arguments = shlex.split(command.line)
        assert program == "fewtaps", f"{page}: only fewtaps can be played here, not {command.line}"
        if arguments[0] in ("play", "tap", "replay", "explore", "reduce", "run", "test") and jail_problem() is not None:
            arguments.append("--no-jail")
        done = subprocess.run(
            [sys.executable, "-m", "fewtaps", *arguments],
            cwd=tmp_path,
            input="".join(f"{line}\n" for line in command.typed),
            capture_output=True,
            encoding="utf-8",
            timeout=TIMEOUT_SECONDS,
        )
        status = done.returncode
        seen = without_progress(done.stdout.splitlines())
        assert matches(command.output, seen), f"{page}: {command.line} gives\n{done.stdout}\n{done.stderr}"


@pytest.mark.jvm
def test_the_program_of_the_tutorial_prints_what_it_says(tmp_path: Path) -> None:
    (program,) = fenced("docs/tutorial.md", "python")
    (expected,) = fenced("docs/tutorial.md", "text")
    (tmp_path / "samples").symlink_to(ROOT / "samples")
    if jail_problem() is not None:
        program = program.replace('open_device("twin")', 'open_device("twin", jail=False)')
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, encoding="utf-8", timeout=TIMEOUT_SECONDS
    )
    assert done.stdout == expected, done.stderr

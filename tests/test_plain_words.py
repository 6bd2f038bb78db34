"""Words are plain: comments, docstrings and pages speak of things of the program, and commits of one fact each."""

from __future__ import annotations

import ast
import io
import re
import shutil
import subprocess
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PYTHON = sorted([*(ROOT / "src").rglob("*.py"), *(ROOT / "benchmarks").glob("*.py")])
JAVA = sorted((ROOT / "bridge" / "src" / "main").rglob("*.java"))
ABOUT_PEOPLE = {"SECURITY.md", "security.md", "licences.md"}
"""Pages about attackers, readers and authors, who are persons."""
PAGES = sorted(
    path
    for pattern in ("*.md", "docs/*.md", "docs/decisions/*.md")
    for path in ROOT.glob(pattern)
    if path.name not in ABOUT_PEOPLE
)
NOT_PLAIN = re.compile(
    r"\b(?:who(?:m|so)?ever|nobody|somebody|anybody|everybody|someone|anyone|everyone"
    r"|in vain|in a hurry)\b",
    re.IGNORECASE,
)
NOT_PLAIN_IN_CODE = re.compile(rf"{NOT_PLAIN.pattern}|\bwho\b", re.IGNORECASE)
"""In code "who" is a thing of the program, which has a name; a page may speak of a user who does something."""
MOST_COLUMNS = 72


def said_in_python(source: str) -> Iterator[str]:
    """Comments and docstrings."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value.value


def said_in_java(source: str) -> Iterator[str]:
    """Comments. A text with `//` in it would count as one, and does no harm."""
    yield from re.findall(r"/\*.*?\*/|//[^\n]*", source, re.DOTALL)


def said_in_page(text: str) -> Iterator[str]:
    """Prose, without code, tables and what is quoted from elsewhere."""
    plain = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)
    yield from (line for line in plain.splitlines() if not line.startswith(("|", "    ", ">")))


def test_the_words_are_found_where_they_are_said() -> None:
    code = '"""For somebody."""\nnobody = "nobody"  # Whoever asks.\n'
    assert len([each for each in said_in_python(code) if NOT_PLAIN.search(each)]) == 2
    java = '/** For whoever asks. */ String who = "nobody"; // nobody\n'
    assert len([each for each in said_in_java(java) if NOT_PLAIN_IN_CODE.search(each)]) == 2
    page = "A user who reads `nobody`.\n| nobody |\n\nSomebody else.\n"
    assert [each for each in said_in_page(page) if NOT_PLAIN.search(each)] == ["Somebody else."]


def test_code_names_the_things_that_it_speaks_of() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {text.strip()[:80]}"
        for paths, said_in in ((PYTHON, said_in_python), (JAVA, said_in_java))
        for path in paths
        # Few files have such a word at all, and only these are taken apart.
        if NOT_PLAIN_IN_CODE.search(source := path.read_text("utf-8"))
        for text in said_in(source)
        if NOT_PLAIN_IN_CODE.search(text)
    ]
    assert found == [], "the subject of a sentence is a thing in the program"


def test_pages_name_the_things_that_they_speak_of() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in PAGES
        for line in said_in_page(path.read_text("utf-8"))
        if NOT_PLAIN.search(line)
    ]
    assert found == []


def git(*arguments: str) -> str | None:
    """What git prints; None outside of a repository."""
    program = shutil.which("git")
    if program is None or not (ROOT / ".git").exists():
        return None
    done = subprocess.run([program, "-C", str(ROOT), *arguments], capture_output=True, text=True, timeout=60)
    return done.stdout.strip() if done.returncode == 0 else None


def test_the_subjects_of_commits_fit() -> None:
    """Those since the last release, or since this test is there: earlier ones are longer and stay as they are."""
    start = git("describe", "--tags", "--abbrev=0")
    if start is None:
        start = git("log", "--diff-filter=A", "--format=%H", "--", "tests/test_plain_words.py")
    subjects = git("log", "--no-merges", "--format=%s", f"{start.splitlines()[-1]}..HEAD") if start else None
    if subjects is None:
        pytest.skip("there is no history here, or no commit since then")
    assert [each for each in subjects.splitlines() if len(each) > MOST_COLUMNS] == []

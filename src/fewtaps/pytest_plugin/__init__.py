"""The pytest plugin: `pytest suite/ --fewtaps-apk app.apk` runs the tests of a suite.

pytest imports this module in every run, so it imports nothing of Fewtaps. The rest is imported for the first file that
lies beside a suite's `suite.json`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

INDEX = "suite.json"
ENDING = ".jsonl"
HEAD_BYTES = 200
"""So much of a `suite.json` is read to see whether it is one of Fewtaps."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options."""
    group = parser.getgroup("fewtaps", "tests of Fewtaps suites")
    group.addoption("--fewtaps-apk", metavar="APK", help="the app on which the tests of Fewtaps suites are run")
    group.addoption("--fewtaps-worlds", metavar="N", type=int, default=1, help="run each test in so many worlds")
    group.addoption("--fewtaps-strict", action="store_true", help="a test that has to be healed fails")
    group.addoption("--fewtaps-no-jail", action="store_true", help="run the app without the jail")
    parser.addini("fewtaps_apk", "the app on which the tests of Fewtaps suites are run; --fewtaps-apk goes before it")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collects the file of a test that lies in the folder of a suite."""
    if file_path.suffix != ENDING or file_path.name.startswith(".") or not _is_suite(file_path.parent):
        return None
    from fewtaps.pytest_plugin.items import SuiteTestFile

    return SuiteTestFile.from_parent(parent, path=file_path)


def _is_suite(folder: Path) -> bool:
    try:
        # A named pipe would let pytest wait for ever.
        if not (folder / INDEX).is_file():
            return False
        with (folder / INDEX).open("rb") as file:
            head = b"".join(file.read(HEAD_BYTES).split())
    except OSError:
        return False
    return b'"fewtaps":"suite"' in head

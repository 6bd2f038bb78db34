"""The answer of the process that puts probes into an app is not trusted."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest

from fewtaps.device.twin.instrumenting import read_instrumented
from fewtaps.errors import BridgeError

COUNTS = {"probes": 3, "methods": 2, "skipped": 1, "notes": ["one"]}


def written(folder: Path, *names: str) -> Path:
    path = folder / "answer.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, b"content of " + name.encode())
    return path


def test_code_and_table_are_read(tmp_path: Path) -> None:
    code = read_instrumented(written(tmp_path, "classes.dex", "classes2.dex", "probes.json"), COUNTS)
    assert sorted(code.files) == ["classes.dex", "classes2.dex"]
    assert (code.table, code.probes, code.methods, code.skipped) == (b"content of probes.json", 3, 2, 1)
    assert code.notes == ("one",)


@pytest.mark.parametrize("names", [("classes.dex",), ("probes.json", "../classes.dex"), ("probes.json", "a.so")])
def test_other_files_are_refused(tmp_path: Path, names: tuple[str, ...]) -> None:
    with pytest.raises(BridgeError):
        read_instrumented(written(tmp_path, *names), COUNTS)


@pytest.mark.parametrize("changed", [{"probes": "many"}, {"methods": None}, {"skipped": [1]}, {"notes": 7}])
def test_counts_that_are_none_are_refused(tmp_path: Path, changed: dict[str, Any]) -> None:
    answer = written(tmp_path, "classes.dex", "probes.json")
    with pytest.raises(BridgeError, match="malformed"):
        read_instrumented(answer, {**COUNTS, **changed})


def test_bytes_that_are_no_archive_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "answer.zip"
    path.write_bytes(b"PK nothing")
    with pytest.raises(BridgeError, match="malformed"):
        read_instrumented(path, COUNTS)

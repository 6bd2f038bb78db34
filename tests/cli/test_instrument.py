"""`fewtaps instrument` with bad input: one line each, and nothing is written."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from fewtaps.cli.main import main

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
CALC = SAMPLES / "calc.apk"


def without_code(folder: Path) -> str:
    target = folder / "nocode.apk"
    with zipfile.ZipFile(CALC) as source, zipfile.ZipFile(target, "w") as archive:
        for name in source.namelist():
            if not name.endswith(".dex"):
                archive.writestr(name, source.read(name))
    return str(target)


def cut_short(folder: Path) -> str:
    target = folder / "cut.apk"
    target.write_bytes(CALC.read_bytes()[:4000])
    return str(target)


def with_bad_table(folder: Path) -> str:
    target = folder / "table.apk"
    with zipfile.ZipFile(CALC) as source, zipfile.ZipFile(target, "w") as archive:
        for name in source.namelist():
            archive.writestr(name, source.read(name))
        archive.writestr("assets/fewtaps/probes.json", "{}")
    return str(target)


@pytest.mark.parametrize(
    ("app", "reason"),
    [
        (without_code, "it has no DEX code"),
        (cut_short, "cut.apk"),
        (with_bad_table, "it is instrumented already"),
        (lambda folder: str(SAMPLES / "pieces/split.apks"), "an app in pieces"),
        (lambda folder: str(folder / "missing.apk"), "missing.apk"),
        (lambda folder: "sim:calc", "not an APK file"),
    ],
)
@pytest.mark.usefixtures("decoded_here")
def test_what_cannot_be_instrumented_is_told_in_one_line(
    app: Callable[[Path], str], reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "out.apk"
    assert main(["instrument", app(tmp_path), "-o", str(target)]) in (2, 3)
    error = capsys.readouterr().err.strip()
    assert reason in error and len(error.splitlines()) == 1, error
    assert not target.exists()


def test_a_file_that_is_there_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "out.apk"
    target.write_text("mine")
    assert main(["instrument", str(CALC), "-o", str(target)]) == 2
    assert "exists already" in capsys.readouterr().err
    assert target.read_text() == "mine"


@pytest.mark.usefixtures("decoded_here")
def test_a_key_that_is_none_and_a_missing_folder_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key = tmp_path / "key.pem"
    key.write_text("no key")
    assert main(["instrument", str(CALC), "-o", str(tmp_path / "out.apk"), "--key", str(key)]) == 2
    assert "key.pem: not a PEM file" in capsys.readouterr().err
    assert main(["instrument", str(CALC), "-o", str(tmp_path / "none" / "out.apk")]) == 2
    assert "cannot be written" in capsys.readouterr().err


@pytest.mark.usefixtures("decoded_here")
def test_a_damaged_table_is_told_when_the_copy_is_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explore", with_bad_table(tmp_path), "--device", "adb", "-o", str(tmp_path / "p")]) == 2
    error = capsys.readouterr().err.strip()
    assert "its table of probes is damaged" in error and len(error.splitlines()) == 1

"""A shrunk build with its mapping file: crashes, coverage and what is kept have the names of the sources."""

from __future__ import annotations

from pathlib import Path

import pytest
from integration.conftest import SAMPLES

from fewtaps.cli.main import main
from fewtaps.config import DeviceSettings
from fewtaps.device.session import probe_teller
from fewtaps.model.coverage import ProbeMap
from fewtaps.pipeline.opening import open_app

pytestmark = pytest.mark.jvm

Capture = pytest.CaptureFixture[str]
PROGRAMS = SAMPLES / "programs"
STEPS = PROGRAMS / "crash.jsonl"
BUILDS = ("shrunk", "optimized")


def crash_line(capsys: Capture, apk: Path, *options: object) -> str:
    """The app's own line in the stack that a trace ends with."""
    assert main(["play", str(apk), str(STEPS), *map(str, options)]) == 0
    output = capsys.readouterr().out
    return next(
        line.strip() for line in output.splitlines() if "FieldProgram" in line and line.strip().startswith("at")
    )


def probes_of(apk: Path, mapping: Path | str = "") -> ProbeMap:
    with open_app(str(apk), DeviceSettings(mapping=str(mapping))) as opened:
        teller = probe_teller(opened.session)
        assert teller is not None
        return teller.probe_map()


@pytest.mark.parametrize("build", BUILDS)
def test_a_crash_of_a_shrunk_build_is_told_as_that_of_the_debug_build(build: str, capsys: Capture) -> None:
    debug = crash_line(capsys, SAMPLES / "programs.apk")
    mapped = crash_line(capsys, PROGRAMS / f"{build}.apk", "--mapping", PROGRAMS / f"{build}-mapping.txt")
    assert mapped == debug
    assert crash_line(capsys, PROGRAMS / f"{build}.apk") != debug


@pytest.mark.parametrize("build", BUILDS)
def test_the_code_of_the_app_is_that_of_the_sources_also_where_r8_moved_it(build: str) -> None:
    debug = {each.name for each in probes_of(SAMPLES / "programs.apk").classes}
    mapped = {each.name for each in probes_of(PROGRAMS / f"{build}.apk", PROGRAMS / f"{build}-mapping.txt").classes}
    known = {name for name in mapped if "$$" not in name and "-" not in name}
    assert known and known <= debug


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"x.Y -> q.r:\n", "a mapping of another build"),
        (b"nonsense\n", "line 1: not a line of a mapping file"),
        (b"\xff\xfe", "not UTF-8"),
        (b"", "it has no class"),
    ],
)
def test_a_bad_mapping_is_one_line(content: bytes, message: str, tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "mapping.txt"
    path.write_bytes(content)
    assert main(["play", str(SAMPLES / "calc.apk"), str(SAMPLES / "calc" / "crash.jsonl"), "--mapping", str(path)]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and message in error


def test_a_mapping_that_is_not_there_is_one_line(tmp_path: Path, capsys: Capture) -> None:
    apk, steps = SAMPLES / "calc.apk", SAMPLES / "calc" / "crash.jsonl"
    assert main(["play", str(apk), str(steps), "--mapping", str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1

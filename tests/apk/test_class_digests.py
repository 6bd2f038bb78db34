"""Which classes differ between two builds."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from fewtaps.apk.class_digests import changed_classes, changed_files, class_digests
from fewtaps.errors import ApkError

SAMPLES = Path(__file__).resolve().parents[2] / "samples"


def copy_with(source: Path, target: Path, name: str, content: bytes) -> Path:
    """A copy of an APK in which one file has other content."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for each in old.namelist():
            new.writestr(each, content if each == name else old.read(each))
    return target


@pytest.mark.slow
def test_a_build_does_not_differ_from_itself() -> None:
    for path in sorted(SAMPLES.glob("*.apk")):
        if path.name != "hostile.apk":
            assert changed_classes(path, path) == frozenset(), path


def test_changed_resources_are_told_apart_from_changed_code(tmp_path: Path) -> None:
    apk = SAMPLES / "tipsplit.apk"
    changed = copy_with(apk, tmp_path / "new.apk", "resources.arsc", b"other")
    assert changed_classes(apk, changed) == frozenset()
    assert changed_files(apk, changed) == {"resources.arsc"}
    assert changed_files(apk, apk) == frozenset()


def test_every_class_of_an_app_has_a_digest() -> None:
    names = class_digests(SAMPLES / "tipsplit.apk")
    assert "dev.fewtaps.samples.tipsplit.MainActivity" in names
    assert len(set(names.values())) == len(names)


def test_a_changed_string_changes_the_class_that_uses_it_and_no_other(tmp_path: Path) -> None:
    apk = SAMPLES / "tipsplit.apk"
    with zipfile.ZipFile(apk) as archive:
        code = archive.read("classes.dex")
    assert code.count(b"onSaveInstanceState\0") == 1
    changed = copy_with(
        apk, tmp_path / "new.apk", "classes.dex", code.replace(b"onSaveInstanceState\0", b"onSaveInstanceStata\0")
    )
    assert changed_classes(apk, changed) == {"dev.fewtaps.samples.tipsplit.MainActivity"}


def test_all_classes_of_another_app_are_new() -> None:
    found = changed_classes(SAMPLES / "calc.apk", SAMPLES / "tipsplit.apk")
    assert "dev.fewtaps.samples.tipsplit.MainActivity" in found


@pytest.mark.parametrize("cut", [2000, 4000])
def test_damaged_code_is_refused_in_one_line(tmp_path: Path, cut: int) -> None:
    apk = SAMPLES / "tipsplit.apk"
    with zipfile.ZipFile(apk) as archive:
        code = archive.read("classes.dex")
    damaged = copy_with(apk, tmp_path / "bad.apk", "classes.dex", code[: len(code) - cut])
    with pytest.raises(ApkError) as caught:
        class_digests(damaged)
    assert "\n" not in str(caught.value)

"""Apps in pieces: which pieces a phone gets, what is made of them, and what is refused."""

from __future__ import annotations

import os
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from fewtaps.apk.pieces import SPLITS, Piece, assemble, choose, comes_in_pieces
from fewtaps.apk.reader import read_apk
from fewtaps.cli.main import with_pieces
from fewtaps.errors import ApkError, UnsupportedApp
from fewtaps.model.profile import PROFILES

BUNDLE = Path(__file__).resolve().parents[2] / "samples" / "pieces" / "split.apks"
PHONE = PROFILES["default"]


def piece(split: str | None = None) -> Piece:
    return Piece("x.apk", b"", "com.example", "1", split, frozenset(), frozenset(), False)


def chosen(*splits: str, dpi: int = 320, locale: str = "en-US") -> list[str | None]:
    phone = replace(PHONE, dpi=dpi, locale=locale)
    return [each.split for each in choose(piece(), [piece(split) for split in splits], phone)]


def test_the_density_of_the_phone_is_chosen_else_the_next_higher_else_the_highest() -> None:
    assert chosen("config.mdpi", "config.xhdpi", "config.xxhdpi") == ["config.xhdpi"]
    assert chosen("config.mdpi", "config.xxhdpi", "config.xxxhdpi") == ["config.xxhdpi"]
    assert chosen("config.mdpi", "config.hdpi") == ["config.hdpi"]


def test_language_abi_and_all_features_are_chosen_for_each_module() -> None:
    names = ("config.de", "config.en", "config.armeabi_v7a", "config.arm64_v8a", "config.x86", "shop")
    assert chosen(*names, "shop.config.mdpi", "shop.config.de") == [
        "config.arm64_v8a",
        "config.en",
        "shop",
        "shop.config.mdpi",
    ]
    assert chosen("config.de", "config.en", locale="de-DE") == ["config.de"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FEWTAPS_CACHE", str(tmp_path / "cache"))
    with zipfile.ZipFile(BUNDLE) as archive:
        for name in archive.namelist():
            (tmp_path / name.rpartition("/")[2]).write_bytes(archive.read(name))
    return tmp_path


@pytest.mark.slow
def test_a_bundle_a_folder_and_the_files_give_the_same_apk(folder: Path) -> None:
    files = os.pathsep.join(str(path) for path in sorted(folder.glob("*.apk")))
    made = {assemble(name, PHONE) for name in (str(BUNDLE), str(folder), files)}
    assert len(made) == 1
    app = read_apk(made.pop())
    assert (app.package, app.launcher) == ("dev.fewtaps.samples.pieces", "dev.fewtaps.samples.pieces.MainActivity")
    with zipfile.ZipFile(app.path) as archive:
        assert len([name for name in archive.namelist() if name.startswith(SPLITS)]) == 2
    assert app.digest != read_apk(assemble(str(BUNDLE), replace(PHONE, dpi=160))).digest


@pytest.mark.slow
def test_pieces_without_their_base_or_of_two_apps_are_refused(folder: Path) -> None:
    (folder / "other.apk").write_bytes((folder / "base-master.apk").read_bytes())
    with pytest.raises(ApkError, match="2 apps or base APKs"):
        assemble(str(folder), PHONE)
    (folder / "other.apk").unlink()
    (folder / "base-master.apk").unlink()
    with pytest.raises(UnsupportedApp, match="the base APK is missing; there are 'config.de'"):
        assemble(str(folder), PHONE)


def test_files_that_follow_one_another_are_the_pieces_of_one_app() -> None:
    joined = os.pathsep.join(("base.apk", "a.apk"))
    assert with_pieces(["run", "base.apk", "a.apk", "--minutes", "2"]) == ["run", joined, "--minutes", "2"]
    assert with_pieces(["coverage", "x", "--apk", "base.apk"]) == ["coverage", "x", "--apk", "base.apk"]
    assert comes_in_pieces(joined) and not comes_in_pieces("app.apk")

"""Apps in pieces: which pieces a phone gets, what is made of them, and what is refused."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from apk_parts import LAUNCHER, activity, manifest, write_zip

from fewtaps.apk.pieces import SPLITS, Piece, assemble, choose, comes_in_pieces
from fewtaps.apk.reader import read_apk
from fewtaps.cli.main import with_pieces
from fewtaps.errors import ApkError, UnsupportedApp, UsageError
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


def base_apk(path: Path, package: str = "com.example", more: Mapping[str, bytes] | None = None) -> Path:
    about = manifest(activity("a.Main", LAUNCHER), package=package)
    return write_zip(path, {"AndroidManifest.xml": about, **(more or {})})


@pytest.mark.parametrize("package", ["../../../escaped", "/tmp/escaped", "a\0b", "..", "x" * 5000])
def test_the_package_of_a_manifest_is_no_path(package: str, folder: Path) -> None:
    place = folder / "pieces"
    place.mkdir()
    base_apk(place / "base.apk", package)
    made = assemble(str(place), PHONE)
    assert made.parent == folder / "cache" / "pieces" and made.is_file()


@pytest.mark.slow
def test_a_code_file_with_an_endless_number_is_an_ordinary_entry(folder: Path) -> None:
    place = folder / "pieces"
    place.mkdir()
    base_apk(place / "base.apk", more={f"classes{'9' * 5000}.dex": b"", "classes.dex": b"dex"})
    feature = {"AndroidManifest.xml": manifest(root={"split": "shop"}), "classes.dex": b"more"}
    write_zip(place / "shop.apk", feature)
    with zipfile.ZipFile(assemble(str(place), PHONE)) as archive:
        assert archive.read("classes2.dex") == b"more"


@pytest.mark.parametrize("target", ["/dev/zero", "/dev/random"])
def test_a_link_to_a_device_is_no_piece(target: str, folder: Path) -> None:
    place = folder / "pieces"
    place.mkdir()
    (place / "base.apk").symlink_to(target)
    with pytest.raises(UsageError, match="not an ordinary file"):
        assemble(str(place), PHONE)


@pytest.mark.slow
def test_pieces_that_unpack_to_more_than_fits_into_memory_are_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fewtaps.apk.pieces.MOST_BYTES", 1 << 20)
    inner = base_apk(folder / "inner.apk", more={"assets/a": bytes(2 << 20)}).read_bytes()
    bundle = write_zip(folder / "bomb.xapk", {"base.apk": inner})
    with pytest.raises(ApkError, match="would have more than 1 MB"):
        assemble(str(bundle), PHONE)
    many = {f"{number}.apk": base_apk(folder / "b.apk", f"a{number}").read_bytes() for number in range(3)}
    monkeypatch.setattr("fewtaps.apk.pieces.MOST_BYTES", 1000)
    with pytest.raises(ApkError, match="its pieces have more than"):
        assemble(str(write_zip(folder / "many.xapk", many)), PHONE)


@pytest.mark.slow
def test_names_that_lead_out_of_a_bundle_write_nothing_outside(folder: Path) -> None:
    inner = base_apk(folder / "inner.apk", more={"lib/../../../escaped.so": b"x", "../escaped": b"y"}).read_bytes()
    bundle = write_zip(folder / "paths.xapk", {"../../base.apk": inner})
    made = assemble(str(bundle), PHONE)
    assert not list(folder.rglob("escaped*"))
    assert read_apk(made).package == "com.example"

"""Apps that come in pieces: a base APK with its splits, as files, a folder or a bundle, become one APK.

The pieces that fit the phone are chosen as an installer does: the nearest density, the language, the best ABI, all
feature modules. The APK that is made of them has the code, libraries and manifest of all, and the splits with resources
as files of their own below `SPLITS`, which the device adds to the app's resources. It is kept in the cache, under the
digest of the pieces.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import stat
import struct
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from fewtaps.apk.archive import MEBIBYTE, Archive, open_archive, read_directory
from fewtaps.apk.xml import Element, Reference, decode_manifest
from fewtaps.cache import cache_dir
from fewtaps.errors import ApkError, UnsupportedApp, UsageError
from fewtaps.files import write_whole
from fewtaps.model.event import printable
from fewtaps.model.profile import DeviceProfile

SPLITS = "fewtaps/splits/"
BUNDLE_SUFFIXES = (".apks", ".xapk", ".apkm")
MOST_PIECES = 500
MOST_PIECE_BYTES = 1024 * MEBIBYTE
MOST_BYTES = 2048 * MEBIBYTE
"""Bytes of all pieces, and of the APK that is made of them: both are held in memory."""
# Names and dpi of the densities that splits are made for.
DENSITIES = {"ldpi": 120, "mdpi": 160, "tvdpi": 213, "hdpi": 240, "xhdpi": 320, "xxhdpi": 480, "xxxhdpi": 640}
ABIS = ("arm64_v8a", "armeabi_v7a", "armeabi", "x86", "x86_64", "mips", "mips64", "riscv64")

_MANIFEST = "AndroidManifest.xml"
_RESOURCES = "resources.arsc"
_FORMAT = "2"
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:[-_].*)?")
# As Android numbers them: no other number is loaded.
_DEX = re.compile(r"classes([2-9]|[1-9][0-9]{1,3})?\.dex")
_SIGNATURE = re.compile(r"META-INF/(?:MANIFEST\.MF|[^/]+\.(?:SF|RSA|DSA|EC))", re.IGNORECASE)
_ZIP_TIME = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Piece:
    """One APK of an app: its file name, content, and what its manifest says; `split` is None for the base.

    `types` are the kinds of pieces it stands for, `required` those that it cannot do without.
    """

    name: str
    content: bytes
    package: str
    version: str
    split: str | None
    types: frozenset[str]
    required: frozenset[str]
    needs_splits: bool

    @property
    def module(self) -> str:
        """The module that a configuration belongs to, empty for the base; for a feature module, its own name."""
        parts = (self.split or "").split(".config.")
        return "" if parts[0].startswith("config.") else parts[0]

    @property
    def configuration(self) -> str | None:
        """The density, language or ABI that it is for; None for the base and for feature modules."""
        before, found, after = (self.split or "").rpartition("config.")
        return after if found and before in ("", self.module + ".") else None


def comes_in_pieces(name: str) -> bool:
    """Whether the name is that of a folder, a bundle, or of several files with the system's separator of paths."""
    path = Path(name)
    if path.is_file():
        return name.lower().endswith(BUNDLE_SUFFIXES)
    return path.is_dir() or (os.pathsep in name and all(part.lower().endswith(".apk") for part in _parts(name)))


def assemble(name: str, profile: DeviceProfile) -> Path:
    """The APK that is made of the pieces that fit the phone.

    Raises UsageError if there is no such file, ApkError for pieces of different apps, and UnsupportedApp if a piece
    that the app requires is missing.
    """
    pieces = []
    for label, content in _contents(name):
        pieces.append(_piece(label, content))
        if sum(len(piece.content) for piece in pieces) > MOST_BYTES:
            raise ApkError(f"{name}: its pieces have more than {MOST_BYTES // MEBIBYTE} MB")
    base = _base(name, pieces)
    chosen = choose(base, [piece for piece in pieces if piece is not base], profile)
    _require_all(name, base, chosen)
    digest = hashlib.sha256(_FORMAT.encode())
    for piece in (base, *chosen):
        digest.update(hashlib.sha256(piece.content).digest())
    target = cache_dir() / "pieces" / f"{_harmless(base.package)}-{digest.hexdigest()[:20]}.apk"
    if not target.is_file():
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"{target.parent}: cannot be made ({error.strerror or error})") from error
        write_whole(target, _merged(base, chosen))
    return target


def _harmless(package: str) -> str:
    """A package as a part of a file's name. The manifest is the app's word, and may say `../../..`."""
    return re.sub(r"[^A-Za-z0-9_.]", "_", package)[:100].lstrip(".") or "app"


def choose(base: Piece, splits: Sequence[Piece], profile: DeviceProfile) -> list[Piece]:
    """The splits that an installer would take for the phone, ordered by name."""
    by_module: dict[str, list[Piece]] = {}
    for piece in splits:
        by_module.setdefault(piece.module, []).append(piece)
    chosen: list[Piece] = []
    for pieces in by_module.values():
        chosen += (piece for piece in pieces if piece.configuration is None or _is_other(piece.configuration))
        chosen += _best([piece for piece in pieces if piece.configuration in DENSITIES], profile)
        language = profile.locale.replace("_", "-").split("-")[0].lower()
        chosen += (piece for piece in pieces if _language(piece.configuration) == language)
        wanted = [abi.replace("-", "_") for abi in profile.abis]
        abis = [piece for abi in wanted for piece in pieces if piece.configuration == abi]
        chosen += abis[:1]
    return sorted(chosen, key=lambda piece: piece.split or "")


def _is_other(configuration: str) -> bool:
    """Whether a configuration is for something that every phone has, such as a texture format or a version."""
    return configuration not in DENSITIES and configuration not in ABIS and _language(configuration) is None


def _language(configuration: str | None) -> str | None:
    if configuration is None or configuration in DENSITIES or configuration in ABIS:
        return None
    found = _LANGUAGE.fullmatch(configuration.lower())
    return re.split("[-_]", found[0])[0] if found is not None else None


def _best(pieces: list[Piece], profile: DeviceProfile) -> list[Piece]:
    """The piece of the phone's density, else of the next higher one, else of the highest."""

    def rank(piece: Piece) -> tuple[bool, int]:
        dpi = DENSITIES[piece.configuration or ""]
        return dpi < profile.dpi, dpi if dpi >= profile.dpi else -dpi

    return sorted(pieces, key=rank)[:1]


def _require_all(name: str, base: Piece, chosen: Sequence[Piece]) -> None:
    given = frozenset(kind for piece in chosen for kind in piece.types)
    required = frozenset(kind for piece in (base, *chosen) for kind in piece.required)
    if missing := sorted(required - given):
        raise UnsupportedApp(f"{name}: {base.package} requires a piece that is not there: {', '.join(missing)}")
    if base.needs_splits and not chosen:
        raise UnsupportedApp(f"{name}: {base.package} requires further pieces (split APKs), and none of them is there")


def _base(name: str, pieces: Sequence[Piece]) -> Piece:
    if not pieces:
        raise ApkError(f"{name}: there is no APK in it")
    bases = [piece for piece in pieces if piece.split is None]
    if not bases:
        raise UnsupportedApp(f"{name}: the base APK is missing; there are {', '.join(_named(pieces))}")
    if len(bases) > 1:
        raise ApkError(f"{name}: {len(bases)} apps or base APKs, not one: {', '.join(_named(bases))}")
    for piece in pieces:
        if (piece.package, piece.version) != (bases[0].package, bases[0].version):
            raise ApkError(f"{name}: {piece.name} belongs to another app or version than {bases[0].name}")
    return bases[0]


def _named(pieces: Sequence[Piece]) -> list[str]:
    names = [f"'{piece.split}'" if piece.split else piece.name for piece in pieces[:5]]
    return [*names, "…"] if len(pieces) > len(names) else names


def _parts(name: str) -> list[str]:
    return [part for part in name.split(os.pathsep) if part]


def _contents(name: str) -> Iterator[tuple[str, bytes]]:
    """The file names and contents of all pieces."""
    path = Path(name)
    if path.is_file():
        with open_archive(path) as archive:
            yield from _inner(archive, path)
        return
    files = sorted(path.glob("*.apk")) if path.is_dir() else [Path(part) for part in _parts(name)]
    if len(files) > MOST_PIECES:
        raise ApkError(f"{name}: {len(files)} APK files; at most {MOST_PIECES} are read")
    for file in files:
        try:
            about = file.stat()
            if not stat.S_ISREG(about.st_mode):
                # Reading a pipe or a device may never end.
                raise UsageError(f"{file}: is not an ordinary file")
            if about.st_size > MOST_PIECE_BYTES:
                raise ApkError(f"{file}: too large for a piece of an app")
            yield file.name, file.read_bytes()
        except OSError as error:
            raise UsageError(f"{file}: {error.strerror or error}") from error


def _inner(archive: Archive, path: Path) -> Iterator[tuple[str, bytes]]:
    names = [name for name in archive.names if name.lower().endswith(".apk")]
    # bundletool puts APKs for phones without splits, and those of instant apps, beside the ones for all others.
    splits = [name for name in names if not name.startswith(("standalones/", "instant/", "asset-slices/"))]
    if len(splits) > MOST_PIECES:
        raise ApkError(f"{path}: {len(splits)} APK files; at most {MOST_PIECES} are read")
    for name in splits:
        yield name.rpartition("/")[2], archive.read(name, MOST_PIECE_BYTES)


def _piece(label: str, content: bytes) -> Piece:
    archive = read_directory(io.BytesIO(content), label)
    if _MANIFEST not in archive:
        raise ApkError(f"{label}: not an APK: no {_MANIFEST} in it")
    root = decode_manifest(archive.read(_MANIFEST, 32 * MEBIBYTE), None, f"{label}: {_MANIFEST}").root
    return Piece(
        name=label,
        content=content,
        package=_text(root, "package"),
        version=_text(root, "versionCode"),
        split=_text(root, "split") or None,
        types=_list(root, "splitTypes"),
        required=_list(root, "requiredSplitTypes"),
        needs_splits=_text(root, "isSplitRequired").lower() in ("true", "-1", "1"),
    )


def _text(root: Element, name: str) -> str:
    value = root.attributes.get(name)
    return "" if value is None or isinstance(value, Reference) else str(value).strip()


def _list(root: Element, name: str) -> frozenset[str]:
    return frozenset(part.strip() for part in _text(root, name).split(",") if part.strip())


def _merged(base: Piece, splits: Sequence[Piece]) -> bytes:
    """One APK: the base, the code and libraries of the splits, and the splits with resources as inner files."""
    made = io.BytesIO()
    archive = read_directory(io.BytesIO(base.content), base.name)
    inner = [read_directory(io.BytesIO(piece.content), piece.name) for piece in splits]
    if sum(each.size(name) for each in (archive, *inner) for name in each.names) > MOST_BYTES:
        raise ApkError(f"{base.name}: the app would have more than {MOST_BYTES // MEBIBYTE} MB")
    with zipfile.ZipFile(made, "w") as target:
        written: set[str] = set()
        for name in archive.names:
            if not _SIGNATURE.fullmatch(name) and not name.startswith(SPLITS) and name not in written:
                written.add(name)
                _write(target, name, archive.read(name, MOST_PIECE_BYTES))
        last = max((int(found[1] or 1) for name in written if (found := _DEX.fullmatch(name))), default=0)
        for each in inner:
            for name in sorted(each.names):
                if _DEX.fullmatch(name):
                    last += 1
                    _write(target, f"classes{last if last > 1 else ''}.dex", each.read(name, MOST_PIECE_BYTES))
                elif name.startswith("lib/") and name not in written:
                    written.add(name)
                    _write(target, name, each.read(name, MOST_PIECE_BYTES))
        for number, piece in enumerate(splits):
            _write(target, f"{SPLITS}{number:03}.apk", _resources_of(piece))
    return made.getvalue()


def _resources_of(piece: Piece) -> bytes:
    """The piece without its code: manifest, resources and assets."""
    made = io.BytesIO()
    archive = read_directory(io.BytesIO(piece.content), piece.name)
    wanted: Iterable[str] = dict.fromkeys(
        name for name in archive.names if name in (_MANIFEST, _RESOURCES) or name.startswith(("res/", "assets/"))
    )
    with zipfile.ZipFile(made, "w") as target:
        for name in wanted:
            _write(target, name, archive.read(name, MOST_PIECE_BYTES))
    return made.getvalue()


def _write(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    # Stored: the resource table has to be, and the file is read once.
    try:
        archive.writestr(zipfile.ZipInfo(name, _ZIP_TIME), content)
    except (ValueError, struct.error, zipfile.LargeZipFile) as error:
        raise ApkError(f"an entry of a piece cannot be kept: '{printable(name, 60)}' ({error})") from error

"""Opens an APK and returns its App."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import re
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from fewtaps.apk.archive import MEBIBYTE, Archive, open_archive, read_directory
from fewtaps.apk.code import Superclasses, read_superclasses
from fewtaps.apk.limits import AppLimits, find_limits
from fewtaps.apk.manifest import Declared, Manifest, read_manifest
from fewtaps.apk.xml import decode_manifest
from fewtaps.errors import ApkError, UnsupportedApp
from fewtaps.model.app import App, Component

MANIFEST = "AndroidManifest.xml"
RESOURCES = "resources.arsc"
MANIFEST_LIMIT = 32 * MEBIBYTE
RESOURCES_LIMIT = 256 * MEBIBYTE
DEX_LIMIT = 256 * MEBIBYTE
# The archive in which Android Studio 2 put the code of a debug build, to replace parts of it in the running app.
INSTANT_RUN = "instant-run.zip"

TABLE_TYPE = 2

DEX_NAME = re.compile(r"classes(?:[2-9]|[1-9][0-9]{1,3})?\.dex")
LIBRARY_NAME = re.compile(r"lib/([^/]+)/[^/]+\.so")
BUNDLE_BASE = re.compile(r"(?:.*/)?(?:base|base-master|universal|standalone)\.apk", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Inspection:
    """The result of reading an APK: the app, the limits of the twin for it, and figures for the summary."""

    app: App
    limits: AppLimits
    class_count: int
    file_bytes: int


def read_apk(path: Path) -> App:
    """Reads an app; `UsageError` if there is no such file, `ApkError` if it is not an app."""
    return inspect_apk(path).app


def inspect_apk(path: Path) -> Inspection:
    """Reads an app and finds its limits in the twin. Runs none of its code, unpacks only within fixed limits."""
    with open_archive(path) as archive:
        _require_manifest(archive, path)
        resources = _optional(archive, RESOURCES, RESOURCES_LIMIT)
        decoded = decode_manifest(archive.read(MANIFEST, MANIFEST_LIMIT), resources, f"{path}: {MANIFEST}")
        manifest = read_manifest(decoded.root, decoded.texts.get, f"{path}: {MANIFEST}")
        dex_files = tuple(sorted((name for name in archive.names if DEX_NAME.fullmatch(name)), key=_dex_order))
        dex_classes, dex_notes, dex_obstacles = _read_code(archive, dex_files)
        dex_classes += _instant_run_code(archive)
        names = archive.names
        damage = _damage(resources) if RESOURCES in archive else ()
    superclasses = {name: parent for classes in reversed(dex_classes) for name, parent in classes.items()}
    limits = find_limits(manifest, superclasses, names, dex_files, is_code_readable=not dex_obstacles)
    limits = AppLimits((*damage, *dex_obstacles, *limits.obstacles), (*limits.notes, *dex_notes))
    app = _app(path, manifest, names, dex_files, limits)
    return Inspection(app, limits, len(superclasses), path.stat().st_size)


def class_names(path: Path) -> tuple[str, ...]:
    """The classes in the readable DEX files of an APK. Raises ApkError for what is no archive."""
    with open_archive(path) as archive:
        dex_files = tuple(sorted((name for name in archive.names if DEX_NAME.fullmatch(name)), key=_dex_order))
        classes, _, _ = _read_code(archive, dex_files)
    return tuple(name for each in classes for name in each)


def _require_manifest(archive: Archive, path: Path) -> None:
    if MANIFEST in archive:
        return
    parts = [name for name in archive.names if name.lower().endswith(".apk")]
    base = next((name for name in parts if BUNDLE_BASE.fullmatch(name)), None) or _named_base(archive, parts)
    if parts:
        advice = "rename it to end in .apks" + (f", or unpack it and give {base} and its splits" if base else "")
        raise UnsupportedApp(f"{path}: a bundle of {len(parts)} APK files, not one APK; {advice}")
    if "base/manifest/" + MANIFEST in archive:
        raise UnsupportedApp(
            f"{path}: an App Bundle (.aab), not an APK; build an APK of it with bundletool (--mode=universal)"
        )
    if any(name.startswith(("classes.jar", "R.txt")) for name in archive.names):
        raise ApkError(f"{path}: an Android library (.aar), not an APK: no manifest of an app")
    raise ApkError(f"{path}: not an APK: no {MANIFEST} in it")


def _damage(resources: bytes | None) -> tuple[str, ...]:
    """An obstacle if the table's header has a type, a header size or a size that Android would refuse."""
    if resources is None:
        return (f"its {RESOURCES} cannot be unpacked",)
    kind, _, size = struct.unpack_from("<HHI", resources.ljust(8, b"\0"))
    if size > len(resources) or len(resources) < 12:
        return (f"its {RESOURCES} is cut short: {len(resources)} of {max(size, 12)} bytes are there",)
    return () if kind == TABLE_TYPE else (f"its {RESOURCES} is no table of resources",)


def _named_base(archive: Archive, parts: list[str]) -> str | None:
    """The base APK of an XAPK, whose file name is the package that the XAPK's description names."""
    if "manifest.json" not in archive:
        return None
    with contextlib.suppress(ApkError, ValueError, AttributeError, RecursionError):
        package = json.loads(archive.read("manifest.json", MEBIBYTE)).get("package_name")
        return f"{package}.apk" if f"{package}.apk" in parts else None
    return None


def _optional(archive: Archive, name: str, limit: int) -> bytes | None:
    if name not in archive:
        return None
    with contextlib.suppress(ApkError):
        return archive.read(name, limit)
    return None


def _read_code(archive: Archive, dex_files: Iterable[str]) -> tuple[list[Superclasses], list[str], list[str]]:
    """The readable DEX files, notes on the others, and an obstacle if the first is not readable."""
    dex_classes: list[Superclasses] = []
    notes: list[str] = []
    obstacles: list[str] = []
    for name in dex_files:
        try:
            dex_classes.append(read_superclasses(archive.read(name, DEX_LIMIT), name))
        except ApkError as error:
            if dex_classes:
                notes.append(f"{error}: its classes are missing")
            else:
                obstacles.append(f"its code cannot be read, it may be encrypted: {error}")
    return dex_classes, notes, obstacles if not dex_classes else []


def _instant_run_code(archive: Archive) -> list[Superclasses]:
    """The DEX files in the archive inside the archive, if there is one that can be read."""
    content = _optional(archive, INSTANT_RUN, DEX_LIMIT)
    if content is None:
        return []
    with contextlib.suppress(ApkError):
        inner = read_directory(io.BytesIO(content), INSTANT_RUN)
        return _read_code(inner, sorted(name for name in inner.names if name.endswith(".dex")))[0]
    return []


def _app(path: Path, manifest: Manifest, names: Iterable[str], dex_files: tuple[str, ...], limits: AppLimits) -> App:
    libraries = tuple(sorted(name for name in names if LIBRARY_NAME.fullmatch(name)))
    launcher = next(iter(manifest.launchers()), None)
    return App(
        package=manifest.package,
        path=str(path),
        version_name=manifest.version_name,
        version_code=manifest.version_code,
        digest=_digest(path),
        label=manifest.label or "",
        min_sdk=manifest.min_sdk,
        target_sdk=manifest.target_sdk,
        max_sdk=manifest.max_sdk,
        launcher=launcher.target if launcher else None,
        application=manifest.application,
        activities=_components(manifest, "activity", "activity-alias"),
        services=_components(manifest, "service"),
        receivers=_components(manifest, "receiver"),
        providers=_components(manifest, "provider"),
        permissions=manifest.permissions,
        native_abis=tuple(sorted({name.split("/")[1] for name in libraries})),
        native_libraries=libraries,
        dex_files=dex_files,
        split_name=manifest.split,
        large_heap=manifest.large_heap,
        notes=limits.notes,
    )


def _components(manifest: Manifest, *kinds: str) -> tuple[Component, ...]:
    return tuple(_component(each) for each in manifest.of_kind(*kinds) if each.enabled)


def _component(declared: Declared) -> Component:
    return Component(declared.name, declared.exported, declared.actions, declared.categories, declared.authorities)


def _dex_order(name: str) -> int:
    number = name.removeprefix("classes").removesuffix(".dex")
    return int(number) if number else 1


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()

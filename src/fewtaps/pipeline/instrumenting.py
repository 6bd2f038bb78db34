"""Writes a copy of an APK whose code counts which lines, branches and methods run, for coverage on phones."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fewtaps.apk.archive import MEBIBYTE, open_archive
from fewtaps.apk.instrumented import TABLE_NAME
from fewtaps.apk.pieces import comes_in_pieces
from fewtaps.apk.signing import ApkFile, SigningKey, own_key, read_key, signed_apk
from fewtaps.cache import cache_dir
from fewtaps.config import DeviceSettings
from fewtaps.device.registry import DEFAULT_BACKEND, owner_of
from fewtaps.device.session import app_instrumenter
from fewtaps.errors import Unsupported, UnsupportedApp, UsageError
from fewtaps.files import read_named, require_writable, write_whole
from fewtaps.model.app import App
from fewtaps.pipeline.opening import OnDownload, open_configured_device, plan_app

FILE_LIMIT = 2048 * MEBIBYTE
LARGEST_KEY = 1 << 20
OWN_KEY = "instrument-key.pem"
WARNING = (
    "signed with another key: licence checks, Google sign-in and checks of the app's own signature fail, "
    "and an installed app with the usual signature has to be removed first"
)


@dataclass(frozen=True, slots=True)
class Instrumented:
    """The copy that was written: its app, how many probes it has, in how many methods, and what was left out."""

    app: App
    path: Path
    probes: int
    methods: int
    skipped: int
    notes: tuple[str, ...]


def instrument_app(
    name: str, target: Path, coverage: str, key: Path | None, *, jail: bool, progress: OnDownload | None = None
) -> Instrumented:
    """Writes the copy, whole or not at all.

    Raises UsageError for a target that exists or cannot be written and for a key that cannot be used, UnsupportedApp
    for an app in pieces, without code of its own, or with probes already, and ApkError for a damaged one.
    """
    if owner_of(name) is not None:
        raise UsageError(f"{name}: not an APK file")
    if coverage == "off":
        raise UsageError("--coverage: app or all")
    if comes_in_pieces(name):
        raise UnsupportedApp(f"{name}: an app in pieces: all its pieces would need the new signature; use a single APK")
    if target.exists() or target.is_symlink():
        raise UsageError(f"{target}: exists already")
    require_writable(target)
    signing = _key(key)
    settings = DeviceSettings(backend=DEFAULT_BACKEND, coverage=coverage, jail=jail, anyway=True)
    plan = plan_app(name, settings)
    if plan.app.split_name is not None:
        raise UnsupportedApp(f"{name}: one piece of an app in pieces; use a single APK")
    if not plan.app.dex_files:
        raise UnsupportedApp(f"{name}: it has no DEX code")
    path = Path(name)
    with open_archive(path) as archive:
        if TABLE_NAME in archive:
            raise UnsupportedApp(f"{name}: it is instrumented already")
        with open_configured_device(plan.backend, plan.device, progress) as device:
            instrumenter = app_instrumenter(device)
            if instrumenter is None:
                raise Unsupported(f"the {device.name} device has no Java code that could be instrumented")
            code = instrumenter.instrument(plan.app, plan.session)
        fresh = {**code.files, TABLE_NAME: code.table}
        files = [
            ApkFile(each, archive.read(each, FILE_LIMIT), archive.is_stored(each))
            for each in archive.names
            if each not in fresh and not each.endswith("/")
        ]
    files += [ApkFile(each, content) for each, content in fresh.items()]
    write_whole(target, signed_apk(files, signing))
    notes = (*code.notes, WARNING)
    return Instrumented(plan.app, target, code.probes, code.methods, code.skipped, notes)


def _key(path: Path | None) -> SigningKey:
    if path is None:
        return own_key(cache_dir() / OWN_KEY)
    return read_key(read_named(path, LARGEST_KEY, "a key"), str(path))

"""Puts an app on a device, unless the very same file is there."""

from __future__ import annotations

import hashlib
import re
import shlex
from pathlib import Path

from fewtaps.device.adb.wire import AdbWire
from fewtaps.errors import ApkError, DeviceUnavailable, FewtapsError, UnsupportedApp
from fewtaps.model.app import App
from fewtaps.model.event import printable

INSTALL_SECONDS = 300.0
STAGED = "/data/local/tmp/fewtaps.apk"

_REASONS: dict[str, str] = {
    "INSTALL_FAILED_UPDATE_INCOMPATIBLE": "another signature is there; --reinstall removes that app first",
    "INSTALL_FAILED_VERSION_DOWNGRADE": "a newer one is there; --reinstall removes that one first",
    "INSTALL_FAILED_INSUFFICIENT_STORAGE": "no room on the device: delete something there",
    "INSTALL_FAILED_NO_MATCHING_ABIS": "the app's native code is for another processor than the device's",
    "INSTALL_FAILED_OLDER_SDK": "the app needs a newer Android than the device has",
    "INSTALL_FAILED_DEPRECATED_SDK_VERSION": "the app is for an Android so old that the device refuses it",
    "INSTALL_FAILED_USER_RESTRICTED": "allow 'Install via USB' in the developer options of the device",
    "INSTALL_FAILED_MISSING_SPLIT": "the app comes in pieces, which cannot be installed yet",
    "INSTALL_PARSE_FAILED_NO_CERTIFICATES": "the file is not signed, as one that was made of pieces",
    "INSTALL_FAILED_VERIFICATION_FAILURE": "the device's check of apps refuses it: turn off 'Verify apps over USB'",
    "INSTALL_FAILED_TEST_ONLY": "the app may be installed for tests only",
}
"""What to do about the failures that a user can do something about."""
_OF_THE_APP = ("NO_MATCHING_ABIS", "OLDER_SDK", "DEPRECATED_SDK", "MISSING_SPLIT", "NO_CERTIFICATES")


def ensure_installed(wire: AdbWire, app: App, *, may_remove: bool = False) -> bool:
    """Installs the app unless the same file is there; whether it did. Raises UnsupportedApp, DeviceUnavailable.

    With `may_remove` another build of the app is removed first, with its data.
    """
    if app.split_name:
        raise UnsupportedApp(f"{app.path}: one part of a split APK cannot be installed alone")
    path = installed_path(wire, app.package)
    if not app.digest or not Path(app.path).is_file():
        if path is None:
            raise DeviceUnavailable(f"{wire.serial}: {app.package} is not installed, and there is no file of it")
        return False
    if path is not None and installed_digest(wire, path) == app.digest:
        return False
    if may_remove and path is not None:
        reinstall(wire, app)
    else:
        install(wire, app)
    return True


def installed_path(wire: AdbWire, package: str) -> str | None:
    """Where the app's file is on the device; None if the app is not there."""
    answer = wire.shell(f"pm path {shlex.quote(package)}")
    found = re.search(r"^package:(\S+\.apk)\s*$", answer.text, re.MULTILINE)
    return found[1] if found else None


def installed_digest(wire: AdbWire, path: str) -> str:
    """The SHA-256 of a file on the device; empty if the device cannot tell."""
    answer = wire.shell(f"sha256sum {shlex.quote(path)}", INSTALL_SECONDS)
    found = re.match(r"\\?([0-9a-f]{64})\b", answer.text.strip())
    return found[1] if found else ""


def install(wire: AdbWire, app: App) -> None:
    """Installs the app's file, keeping its data. Raises UnsupportedApp or DeviceUnavailable with what to do."""
    try:
        content = Path(app.path).read_bytes()
    except OSError as error:
        raise ApkError(f"{app.path}: cannot be read ({error.strerror or error})") from error
    if app.digest and hashlib.sha256(content).hexdigest() != app.digest:
        raise ApkError(f"{app.path}: the file was changed since it was read")
    wire.push(content, STAGED)
    answer = wire.shell(f"pm install -r -t {STAGED}; rm -f {STAGED}", INSTALL_SECONDS)
    if not re.search(r"^Success", answer.text, re.MULTILINE):
        raise install_error(answer.text, app.package, wire.serial)


def reinstall(wire: AdbWire, app: App) -> None:
    """Removes the app with its data and installs it again."""
    wire.shell(f"pm uninstall {shlex.quote(app.package)}", INSTALL_SECONDS)
    install(wire, app)


def install_error(output: str, package: str, serial: str) -> FewtapsError:
    """What a failed installation means for the user."""
    found = re.search(r"\b(INSTALL_[A-Z_]+)(?::\s*([^\]\n]*))?", output)
    code, detail = (found[1], found[2] or "") if found else ("", output.strip())
    if "signatures do not match" in output:
        code = "INSTALL_FAILED_UPDATE_INCOMPATIBLE"
    for name, reason in _REASONS.items():
        if code.startswith(name):
            message = f"{serial}: {package} cannot be installed: {reason}"
            return UnsupportedApp(message) if any(part in name for part in _OF_THE_APP) else DeviceUnavailable(message)
    words = printable(f"{code}: {detail}" if code and detail else code or detail or "no reason given", 200)
    return DeviceUnavailable(f"{serial}: {package} cannot be installed: {words}")

"""What two machines have to have in common to give the same results, and how they differ."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from fewtaps.device.registry import parse_device


@cache
def code_digest() -> str:
    """A digest of all modules and data files of this installation of Fewtaps; of a checkout, with the bridge."""
    package = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for folder in (package, package.parent.parent / "bridge" / "src" / "main"):
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                digest.update(str(path.relative_to(folder)).encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def facts_of(device: str = "") -> dict[str, str]:
    """Versions of this machine: Fewtaps and Python and, with a device, of the parts that it runs on."""
    facts = {"fewtaps": code_digest(), "python": platform.python_version()}
    if device:
        # Where Java was found may differ between machines, its version may not.
        facts |= {name: words.split(" (")[0] for name, words in parse_device(device).backend.versions().items()}
    return facts


def difference(here: Mapping[str, str], there: Mapping[str, str]) -> str:
    """What is not the same, of the facts that both know; empty if all is."""
    names = [name for name in here if name in there and here[name] != there[name]]
    return ", ".join(f"{name} is {there[name]} and should be {here[name]}" for name in names)

"""The mapping file of a shrunk build: read, and compared with the app that it is for."""

from __future__ import annotations

from pathlib import Path

from fewtaps.apk.reader import class_names
from fewtaps.device.registry import has_apk
from fewtaps.files import read_named_text
from fewtaps.model.app import App
from fewtaps.model.mapping import ObfuscationMap, read_mapping

LARGEST_MAPPING = 512 << 20
"""Bytes of a mapping file at most."""


def mapping_of(app: App, name: str) -> ObfuscationMap | None:
    """The mapping in the file of that name, None for an empty name.

    Raises UsageError with the number of a bad line, and for the mapping of another build.
    """
    if not name:
        return None
    mapping = read_mapping(read_named_text(Path(name), LARGEST_MAPPING, "a mapping file"), name)
    if has_apk(app):
        mapping.require_names(class_names(Path(app.path)))
    return mapping

"""What an instrumented APK carries beside the app: the table of its probes."""

from __future__ import annotations

import json
from pathlib import Path

from fewtaps.apk.archive import MEBIBYTE, Archive, open_archive
from fewtaps.errors import ApkError
from fewtaps.model.probe_table import ProbeTable

TABLE_NAME = "assets/fewtaps/probes.json"
TABLE_LIMIT = 512 * MEBIBYTE


def read_probe_table(path: Path) -> ProbeTable | None:
    """The table of an instrumented APK, None for any other. Raises ApkError if it is damaged."""
    with open_archive(path) as archive:
        return table_of(archive, path)


def table_of(archive: Archive, path: Path) -> ProbeTable | None:
    """As `read_probe_table`, of an open APK."""
    if TABLE_NAME not in archive:
        return None
    try:
        return ProbeTable.from_json(json.loads(archive.read(TABLE_NAME, TABLE_LIMIT)))
    except (ValueError, RecursionError) as error:
        raise ApkError(f"{path}: its table of probes is damaged: {error}; instrument the app again") from error

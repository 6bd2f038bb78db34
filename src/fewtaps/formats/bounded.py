"""Reads JSON files that come from elsewhere: their size and depth have limits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fewtaps.errors import UsageError
from fewtaps.files import read_named

MAX_FILE_BYTES = 64 * 1024 * 1024
"""A larger file is refused. Reading one of long texts takes a few times its size in memory, one of nothing but nested
empty lists (`[[[]]],[[[]]],…`) fifty times its size."""


def read_object(path: Path, option: str) -> dict[str, Any]:
    """The object that a JSON file holds. Raises UsageError, with the option, if it is too large or holds none."""
    try:
        size = path.stat().st_size
    except OSError as error:
        raise UsageError(f"{option}: {path}: cannot be read ({error.strerror or error})") from error
    if size > MAX_FILE_BYTES:
        limit = MAX_FILE_BYTES // 2**20
        raise UsageError(f"{option}: {path}: {size / 2**20:.0f} MB are too much; at most {limit} MB are read")
    content = read_named(path, MAX_FILE_BYTES, f"the file of {option}")
    try:
        data = json.loads(content)
    except RecursionError as error:
        raise UsageError(f"{option}: {path}: nested too deeply") from error
    except ValueError as error:
        raise UsageError(f"{option}: {path}: not JSON ({error!s:.100})") from error
    if not isinstance(data, dict):
        raise UsageError(f"{option}: {path}: not a JSON object")
    return data

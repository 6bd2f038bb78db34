"""Where files are kept that can be made or fetched again."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def cache_dir() -> Path:
    """The folder of everything that can be made again: `$FEWTAPS_CACHE`, or the user's own cache folder."""
    if chosen := os.environ.get("FEWTAPS_CACHE"):
        return Path(chosen).expanduser().absolute()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "fewtaps"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "fewtaps"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fewtaps"

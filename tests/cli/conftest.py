"""What every test of the command line is spared."""

from __future__ import annotations

from pathlib import Path

import pytest

from fewtaps.cli import logs


@pytest.fixture(autouse=True)
def failure_folder(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that logs of failed commands go to instead of the user's own cache."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setattr(logs, "cache_dir", lambda: folder)
    return folder

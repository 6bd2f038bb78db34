from __future__ import annotations

from pathlib import Path

import pytest

from fewtaps.cache import cache_dir


def test_the_cache_is_where_the_user_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FEWTAPS_CACHE", str(tmp_path / "here"))
    assert cache_dir() == tmp_path / "here"
    monkeypatch.delenv("FEWTAPS_CACHE")
    assert cache_dir().name == "fewtaps"

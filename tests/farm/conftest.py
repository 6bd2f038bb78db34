"""A farm that the tests of a module share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from local_farm import LocalFarm


@pytest.fixture(scope="module")
def farm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalFarm]:
    """A farm with two simulated devices."""
    made = LocalFarm(tmp_path_factory.mktemp("farm"))
    try:
        made.add_worker(2)
        yield made
    finally:
        made.close()

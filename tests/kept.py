"""What an exploration has kept in its folder, also while another process is still at it."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

from fewtaps.model.episode import Episode
from fewtaps.store.database import open_store


def episodes_in(folder: Path) -> list[Episode]:
    """All that was kept of the last exploration."""
    with open_store(folder) as store:
        run = store.runs.latest("explore")
        assert run is not None
        return list(store.runs.iter_episodes(run.run_id))


def count_kept(folder: Path) -> int:
    """How many episodes a store holds; 0 if there is none yet."""
    if not (folder / "fewtaps.db").exists():
        return 0
    try:
        with open_store(folder) as store:
            return store.runs.totals().episodes
    except LookupError:
        return 0


def wait_for_more(folder: Path, kept: int, child: subprocess.Popen[bytes], *, seconds: float, pause: float) -> None:
    """Until the child has kept an episode of its own, looking again after each pause, for so long at most."""
    deadline = time.monotonic() + seconds
    while count_kept(folder) <= kept:
        assert child.poll() is None and time.monotonic() < deadline
        time.sleep(pause)

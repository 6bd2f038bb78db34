"""A disk that fills up under an exploration: one clear line, nothing lost that was kept, and it goes on later."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from kept import episodes_in

ON_A_SMALL_DISK = 'mount -t tmpfs -o size=500k none "$0" && "$@"; status=$?; cp -r "$0/." "$0.copy"; exit $status'
"""What was kept on the disk is copied before the disk goes away with the process."""


def explore(folder: Path, *options: str) -> list[str]:
    command = [sys.executable, "-m", "fewtaps", "explore", "sim:bill", "-o", str(folder), "--no-pictures"]
    return [*command, "--strategy", "frontier", *options]


@pytest.mark.slow
def test_a_full_disk_ends_an_exploration_in_one_line_and_it_goes_on_where_there_is_room(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    disk = tmp_path / "disk"
    disk.mkdir()
    small = ["unshare", "--mount", "--map-root-user", "sh", "-c", ON_A_SMALL_DISK, str(disk)]
    if not shutil.which("unshare") or subprocess.run([*small, "true"], capture_output=True).returncode:
        pytest.skip("no small disk can be made here: unshare or mount is not permitted")
    shutil.rmtree(f"{disk}.copy")
    full = subprocess.run(
        [*small, *explore(disk / "project", "--minutes", "60")], env=environment, capture_output=True, text=True
    )
    assert full.returncode == 3
    assert full.stderr.splitlines()[-1] == f"fewtaps: {disk / 'project' / 'fewtaps.db'}: the disk is full"
    assert "Traceback" not in full.stderr
    kept_at = Path(f"{disk}.copy") / "project"
    kept = episodes_in(kept_at)
    assert [episode.number for episode in kept] == list(range(len(kept))) and kept
    events = sum(episode.events for episode in kept) + 500
    command = explore(kept_at, "--resume", "--events", str(events))
    resumed = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert resumed.returncode == 0, resumed.stderr
    episodes = episodes_in(kept_at)
    assert episodes[: len(kept)] == kept and sum(episode.events for episode in episodes) == events

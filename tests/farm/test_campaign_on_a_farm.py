"""`campaign --farm`: the runs share the slots, and after a kill the same command goes on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from local_farm import LocalFarm, until

from fewtaps.pipeline.campaign import TABLE

pytestmark = pytest.mark.slow


def test_a_campaign_that_is_killed_goes_on(tmp_path: Path, farm: LocalFarm) -> None:
    apps, output = tmp_path / "apps.txt", tmp_path / "night"
    apps.write_text("sim:bill\nsim:feed\nsim:none\n", "utf-8")
    command = [sys.executable, "-m", "fewtaps", "campaign", str(apps), "-o", str(output), "--farm", farm.address]
    command += ["--events", "150", "--minutes", "10", "--at-once", "2", "--json"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    first = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    until(lambda: len(farm.status()["runs"]) == 2, "two runs at once")
    assert sorted(run["slots"] for run in farm.status()["runs"]) == [1, 1]
    first.kill()
    first.wait(10)
    until(lambda: not farm.status()["runs"], "the runs to end with the campaign")
    again = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=200)
    assert again.returncode == 3, "one app is none"
    rows = json.loads((output / TABLE).read_text("utf-8"))["apps"]
    assert [(row["app"], row["code"], row["events"]) for row in rows[:2]] == [
        ("sim:bill", 0, 150),
        ("sim:feed", 0, 150),
    ]
    assert rows[2]["code"] == 2 and "none" in rows[2]["message"]

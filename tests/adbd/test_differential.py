"""The same operations of adb on a served device and on Android's own adbd come to the same.

ADBD names a program that starts Debian's adbd, and ADB34 one that starts its adb, both of version 34:
`scripts/fetch-adb.sh FOLDER` writes them. The reference runs in a network of its own, because it listens on
all addresses; that needs root.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ADBD, ADB34 = os.environ.get("ADBD", ""), os.environ.get("ADB34", "")
FOLDER = "/tmp/fewtaps-operations"
PROGRAM = """
ip link set lo up
cd {folder}
ADBD_PORT=5577 {adbd} > adbd.log 2>&1 &
reference=$!
{python} -m fewtaps device serve sim:bill --port 5579 --record served > served.log 2>&1 &
ours=$!
for turn in $(seq 600); do grep -q Serving served.log && break; sleep 0.1; done
{adb} -P 5801 start-server > server.log 2>&1 || {{ {adb} -P 5801 nodaemon server > server.log 2>&1 & sleep 3; }}
for port in 5577 5579; do
  {adb} -P 5801 connect 127.0.0.1:$port
  {python} {operations} {adb} 5801 127.0.0.1:$port {there} > $port.json
done
{adb} -P 5801 kill-server
kill $reference $ours
"""
OTHER_PROGRAMS = {"errors apart", "errors joined", "errors dropped", "a missing input", "cleaned"}
"""Operations in which the status is that of GNU's `ls` or of another shell, not that of Android's."""

pytestmark = [
    pytest.mark.skipif(not ADBD or not ADB34, reason="ADBD and ADB34 name no adbd and adb of version 34"),
    pytest.mark.skipif(os.geteuid() != 0 or shutil.which("unshare") is None, reason="needs root and unshare"),
    pytest.mark.slow,
]


def test_a_hundred_and_twenty_operations_come_to_what_android_s_adbd_makes_of_them(tmp_path: Path) -> None:
    operations = Path(__file__).with_name("operations.py")
    names = {"adbd": ADBD, "adb": ADB34, "python": sys.executable, "operations": operations}
    script = PROGRAM.format(**names, folder=tmp_path, there=FOLDER)
    environment = {"HOME": str(tmp_path), "ADB_MDNS": "0", "ADB_LOCAL_TRANSPORT_MAX_PORT": "5553"}
    subprocess.run(["unshare", "-n", "sh", "-c", script], env={**os.environ, **environment}, timeout=290, check=False)
    reference, ours = (json.loads((tmp_path / f"{port}.json").read_text("utf-8")) for port in (5577, 5579))
    assert len(reference.keys() - OTHER_PROGRAMS) >= 120
    assert {
        name: (compared(reference[name]), compared(ours.get(name, {}))) for name in differing(reference, ours)
    } == {}


def differing(reference: dict[str, Any], ours: dict[str, Any]) -> list[str]:
    names = [name for name in reference if name not in OTHER_PROGRAMS]
    return [name for name in names if compared(reference[name]) != compared(ours.get(name, {}))]


def compared(outcome: dict[str, Any]) -> dict[str, Any]:
    """Status and output; the words of an error are those of another program."""
    return {**outcome, "err": bool(outcome["err"])} if "err" in outcome else outcome

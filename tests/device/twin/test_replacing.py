"""A jailed process that has come up cannot replace itself by another program, such as a second Java."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from fewtaps.device.twin.jail import JailLimits, jail_problem, jailed_command, make_place
from fewtaps.device.twin.process import BridgeDied, BridgeProcess, EndCause

SCRIPT = """
import json, os, sys
print('{"hello":{"protocol":1,"java":"17","api":28}}', flush=True)
for line in sys.stdin:
    request = json.loads(line)
    if request["do"] == "replace":
        os.execv(sys.executable, [sys.executable, "-I", "-c", "import os; os._exit(77)"])
    print('{"id":%d,"ok":{}}' % request["id"], flush=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(jail_problem() is not None, reason=str(jail_problem()))
@pytest.mark.parametrize("is_limited", [True, False])
def test_a_program_in_its_place_ends_as_it_begins(is_limited: bool) -> None:
    place, limits = make_place(jailed=True), JailLimits()
    python = Path(sys.executable).resolve()
    shown = {python, Path(sys.base_prefix)} if sys.base_prefix != "/usr" else {python, Path("/usr")}
    command = jailed_command([str(python), "-I", "-c", SCRIPT], place, limits, [(path, path) for path in shown])
    # Without limits nothing is set after the start: then the other program runs.
    process = BridgeProcess(command, place, limits=limits if is_limited else None, start_seconds=30)
    try:
        process.request("greet", {}, timeout_seconds=30, condition="an answer")
        with pytest.raises(BridgeDied) as death:
            process.request("replace", {}, timeout_seconds=30, condition="its end")
    finally:
        process.kill()
    assert (death.value.end.cause, death.value.end.status) == (
        (EndCause.FAULT, 11) if is_limited else (EndCause.EXITED, 77)
    )

"""Limits of a jailed process that has come up: no other program in its place, and few signals that wait."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from fewtaps.device.twin.jail import JailLimits, jail_problem, jailed_command, make_place
from fewtaps.device.twin.process import BridgeDied, BridgeProcess, EndCause

SCRIPT = """
import ctypes, json, os, signal, sys
def wait_for_signals():
    # How many wait for this process at most.
    signal.pthread_sigmask(signal.SIG_BLOCK, [40])
    told, count = (ctypes.c_int * 32)(), 0
    told[0], told[2] = 40, -1
    call = 129 if os.uname().machine == "x86_64" else 138
    while count < 1_000_000 and ctypes.CDLL(None).syscall(call, os.getpid(), 40, told) == 0:
        count += 1
    return count
print('{"hello":{"protocol":1,"java":"17","api":28}}', flush=True)
for line in sys.stdin:
    request = json.loads(line)
    if request["do"] == "replace":
        os.execv(sys.executable, [sys.executable, "-I", "-c", "import os; os._exit(77)"])
    count = wait_for_signals() if request["do"] == "signals" else 0
    print('{"id":%d,"ok":{"count":%d}}' % (request["id"], count), flush=True)
"""


def started(limits: JailLimits | None) -> BridgeProcess:
    """A process in the jail, which without limits gets none after its start."""
    place = make_place(jailed=True)
    python = Path(sys.executable).resolve()
    shown = {python, Path(sys.base_prefix)} if sys.base_prefix != "/usr" else {python, Path("/usr")}
    inside = [str(python), "-I", "-c", SCRIPT]
    command = jailed_command(inside, place, limits or JailLimits(), [(path, path) for path in shown])
    return BridgeProcess(command, place, limits=limits, start_seconds=30)


@pytest.mark.slow
@pytest.mark.skipif(jail_problem() is not None, reason=str(jail_problem()))
@pytest.mark.parametrize("is_limited", [True, False])
def test_a_program_in_its_place_ends_as_it_begins(is_limited: bool) -> None:
    process = started(JailLimits() if is_limited else None)
    try:
        process.request("greet", {}, timeout_seconds=30, condition="an answer")
        with pytest.raises(BridgeDied) as death:
            process.request("replace", {}, timeout_seconds=30, condition="its end")
    finally:
        process.kill()
    assert (death.value.end.cause, death.value.end.status) == (
        (EndCause.FAULT, 11) if is_limited else (EndCause.EXITED, 77)
    )


@pytest.mark.slow
@pytest.mark.skipif(jail_problem() is not None, reason=str(jail_problem()))
@pytest.mark.parametrize("most", [30, 100])
def test_few_signals_wait_because_all_programs_of_a_user_share_their_number(most: int) -> None:
    process = started(JailLimits(waiting_signals=most))
    try:
        answer = process.request("signals", {}, timeout_seconds=30, condition="an answer")
    finally:
        process.kill()
    assert answer.result is not None
    assert answer.result["count"] == most

"""What a jail uses, seen from outside."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from fewtaps.device.twin.jail import JailLimits, environment, jail_problem, jailed_command, make_place
from fewtaps.device.twin.libraries import needed_libraries
from fewtaps.device.twin.runtime import find_java
from fewtaps.device.twin.usage import excess, family

LIMITS = JailLimits(disk_mb=64, threads=50, files=2000, locks=500)
# Lower than what the process itself is told, so that it comes to exceed it.
LOOKED_AT = replace(LIMITS, heap_mb=32, outside_heap_mb=96)

USES = {
    "nothing": ("", None),
    "threads": (
        "import threading, time\n"
        "for _ in range(60): threading.Thread(target=time.sleep, args=(60,), daemon=True).start()",
        "the app started more than 50 threads",
    ),
    "memory": (
        "held = open('/tmp/x', 'w+b'); held.truncate(60 << 20)\nimport mmap; m = mmap.mmap(held.fileno(), 60 << 20)\n"
        "for at in range(0, len(m), 4096): m[at] = 1\nmore = bytearray(100 << 20)",
        "the app used more than 128 MB of memory",
    ),
    "files": (
        "for number in range(2100): open(f'/tmp/{number}', 'w').close()",
        "the app made more than 2000 files",
    ),
    # As with a bubblewrap that cannot limit the size of a disk.
    "disks": (
        "import os\nfor name in ('/twin/data/x', '/tmp/x', '/mnt/x', '/storage/x'):\n"
        "    with open(name, 'wb') as file: file.write(bytes(30 << 20))",
        "the app filled more than 100 MB of its disks",
    ),
    "locks": (
        "import fcntl\nheld = open('/tmp/x', 'wb')\n"
        "for number in range(600): fcntl.lockf(held, fcntl.LOCK_EX, 1, 2 * number)",
        "the app locked more than 500 parts of files",
    ),
    "connections": (
        "import socket\nserver = socket.create_server(('127.0.0.1', 0), backlog=99)\n"
        "held = [socket.create_connection(server.getsockname()) for _ in range(40)]",
        "the app opened more than 64 connections",
    ),
}


@contextmanager
def running(script: str, looked_at: JailLimits = LOOKED_AT) -> Iterator[str | None]:
    """What a jail is found to exceed while this Python runs in it."""
    place = make_place(jailed=True)
    python = Path(sys.executable).resolve()
    shown = {python, Path(sys.base_prefix)} if sys.base_prefix != "/usr" else {python, Path("/usr")}
    whole = f"{script}\nprint('ready', flush=True)\ninput()\n"
    command = jailed_command([str(python), "-I", "-c", whole], place, LIMITS, [(path, path) for path in shown])
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environment(place), stdin=pipe, stdout=pipe, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield excess(family(process.pid), place, looked_at)
        finally:
            process.kill()
            place.remove()


@pytest.mark.slow
@pytest.mark.skipif(jail_problem() is not None, reason=str(jail_problem()))
@pytest.mark.parametrize("use", USES)
def test_a_jail_that_uses_too_much_is_noticed_from_outside(use: str) -> None:
    script, words = USES[use]
    others = LOOKED_AT.disks_mb - LOOKED_AT.disk_mb
    with running(script, replace(LOOKED_AT, disk_mb=100 - others if use == "disks" else LOOKED_AT.disk_mb)) as found:
        assert found == words


def test_a_process_that_has_ended_exceeds_nothing() -> None:
    with subprocess.Popen(["true"]) as process:
        process.wait()
    place = make_place(jailed=False)
    try:
        assert excess([process.pid], place, JailLimits(threads=0)) is None
    finally:
        place.remove()


def test_the_libraries_of_java_are_single_files_and_no_programs() -> None:
    found = needed_libraries(find_java().home)
    assert found is not None
    assert {"libc.so.6", "libm.so.6"} <= {path.name for path in found}
    assert all(path.is_file() and ".so" in path.name for path in found)


def test_a_java_that_cannot_be_read_has_no_list_of_libraries(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    assert needed_libraries(tmp_path) is None
    (tmp_path / "bin" / "java").write_bytes(b"#!/bin/sh\n")
    assert needed_libraries(tmp_path) is None
    (tmp_path / "bin" / "java").write_bytes(b"\x7fELF\x02\x01" + b"\xff" * 200)
    assert needed_libraries(tmp_path) is None

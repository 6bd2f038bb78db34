"""What the processes of a jail use together, seen from outside, against its limits.

The kernel's limits of a process are set when it starts. They do not count the files on an in-memory disk, the locks on
files and the buffers of connections, and for root not the threads. Bubblewrap before 0.7 cannot limit the size of a
disk. Control groups would count them, but a program may make none on many machines and in most containers. So the
client looks itself, once in a while, as long as it waits for an answer.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

from fewtaps.device.twin.jail import JailLimits, Place, disks

_MEMORY = ("RssAnon", "RssShmem", "VmSwap")
_THREADS = "Threads"


def family(pid: int) -> list[int]:
    """A process and all below it."""
    found = [pid]
    for parent in found:
        try:
            text = Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="ascii")
        except OSError:
            continue
        found.extend(int(child) for child in text.split())
    return found


def excess(pids: Sequence[int], place: Place, limits: JailLimits) -> str | None:
    """Which limit these processes exceed together, as a line; None if they keep all, or if it cannot be told."""
    threads, memory_kb = 0, 0
    for status in map(_status, pids):
        threads += status.get(_THREADS, 0)
        memory_kb += sum(status.get(name, 0) for name in _MEMORY)
    if threads > limits.threads:
        return f"the app started more than {limits.threads} threads"
    if memory_kb > limits.data_kb:
        return f"the app used more than {limits.data_kb >> 10} MB of memory"
    if not pids or not place.is_jailed:
        return None
    files, megabytes = _on_disks(pids[-1], disks(place))
    if files > limits.files:
        return f"the app made more than {limits.files} files"
    # Where bubblewrap sizes the disks, no more than this goes onto them.
    if megabytes > limits.disks_mb:
        return f"the app filled more than {limits.disks_mb} MB of its disks"
    if _connections(pids[-1]) > limits.connections:
        return f"the app opened more than {limits.connections} connections"
    if _has_more_locks(pids[-1], limits.locks):
        return f"the app locked more than {limits.locks} parts of files"
    return None


def _status(pid: int) -> dict[str, int]:
    """The numbers of the kernel's page about a process; empty if the process has ended."""
    try:
        text = Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    numbers = {}
    for line in text.splitlines():
        name, _, value = line.partition(":")
        if name == _THREADS or name in _MEMORY:
            numbers[name] = int(value.split()[0])
    return numbers


def _on_disks(pid: int, folders: Iterable[Path]) -> tuple[int, int]:
    """How many files and megabytes there are on the disks that the process sees under these names."""
    files, used = 0, 0
    for folder in folders:
        try:
            disk = os.statvfs(f"/proc/{pid}/root{folder}")
        except OSError:
            continue
        files += disk.f_files - disk.f_ffree
        used += (disk.f_blocks - disk.f_bfree) * disk.f_frsize
    return files, used >> 20


def _has_more_locks(pid: int, most: int) -> bool:
    """Whether the processes that this one can see, itself included, hold more locks on files."""
    try:
        with open(f"/proc/{pid}/root/proc/locks", "rb") as lines:
            return next(islice(lines, most, None), None) is not None
    except OSError:
        return False


def _connections(pid: int) -> int:
    """How many ends of TCP connections there are in the process's own network."""
    count = 0
    for name in ("sockstat", "sockstat6"):
        try:
            text = Path(f"/proc/{pid}/net/{name}").read_text(encoding="ascii")
        except OSError:
            continue
        for line in text.splitlines():
            words = line.split()
            if words[:2] in (["TCP:", "inuse"], ["TCP6:", "inuse"]):
                count += int(words[2])
    return count

"""A control group (cgroup v2) for a bridge process: the kernel counts all its memory and tasks, and limits them.

The limits of single processes count neither files in memory nor buffers of the kernel; a control group counts both. One
can be made where the machine is ours, or where its owner handed a part of the tree over, as systemd does for the
sessions of users. Elsewhere, as in most containers, there is none, and the other limits have to do.
"""

from __future__ import annotations

import logging
import os
import re
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path

log = logging.getLogger(__name__)

CONTROLLERS = ("memory", "pids")
JOINED = "cgroup.procs"
REMOVE_SECONDS = 2.0
_NAME = re.compile(r"fewtaps-(\d+)-\d+")
_TRIAL_SECONDS = 5.0
_numbers = count(1)


@dataclass(frozen=True, slots=True)
class GroupParent:
    """A folder in which groups can be made, and what can be limited in them."""

    folder: Path
    controllers: tuple[str, ...]


def own_group(root: Path = Path("/")) -> tuple[Path, Path] | None:
    """The folder of this process's group, and the one where the tree begins; None without cgroup v2."""
    try:
        mounts = (root / "proc/self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape").splitlines()
        groups = (root / "proc/self/cgroup").read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return None
    own = next((line[3:] for line in groups if line.startswith("0::/")), None)
    for line in mounts:
        before, _, after = line.partition(" - ")
        if after.split(" ", 1)[0] == "cgroup2" and own is not None and ".." not in own:
            top = root / before.split(" ")[4].lstrip("/")
            return top / own.lstrip("/"), top
    return None


@cache
def group_parent() -> GroupParent | None:
    """The nearest folder at or above our own group in which a process can be put into a new group with limits."""
    found = own_group()
    if found is None:
        return None
    folder, top = found
    for candidate in (folder, *folder.parents):
        if (parent := _try_parent(candidate)) is not None:
            _sweep(candidate)
            return parent
        if candidate == top:
            break
    return None


def make_group(memory_bytes: int, tasks: int) -> Path | None:
    """A new group with these limits, for one process and all that it starts; None where there can be none."""
    parent = group_parent()
    if parent is None:
        return None
    wanted = {"memory": memory_bytes, "pids": tasks}
    group = parent.folder / f"fewtaps-{os.getpid()}-{next(_numbers)}"
    try:
        group.mkdir()
        for controller in parent.controllers:
            (group / f"{controller}.max").write_text(str(wanted[controller]))
        # There is no such file on a machine without swap.
        if (group / "memory.swap.max").exists():
            (group / "memory.swap.max").write_text("0")
    except OSError as error:
        log.info("no control group: %s", error)
        remove_group(group)
        return None
    return group


def remove_group(group: Path) -> None:
    """Ends what is left in the group and removes it; one that is not there any more is no error."""
    with suppress(OSError):
        (group / "cgroup.kill").write_text("1")
    deadline = time.monotonic() + REMOVE_SECONDS
    while group.is_dir():
        try:
            group.rmdir()
        except OSError as error:
            if time.monotonic() > deadline:
                log.info("a control group stays: %s", error)
                return
            time.sleep(0.02)


def _try_parent(folder: Path) -> GroupParent | None:
    """Makes a group in the folder and puts a process into it; removes both."""
    group = folder / f"fewtaps-{os.getpid()}-{next(_numbers)}"
    try:
        group.mkdir()
    except OSError:
        return None
    try:
        controllers = _limited(group)
        joining = f'echo 0 >"{group}/{JOINED}"'
        done = subprocess.run(["sh", "-c", joining], capture_output=True, timeout=_TRIAL_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    finally:
        remove_group(group)
    return GroupParent(folder, controllers) if controllers and done.returncode == 0 else None


def _limited(group: Path) -> tuple[str, ...]:
    """The controllers that limit what is in the group."""
    return tuple(name for name in CONTROLLERS if (group / f"{name}.max").exists())


def _sweep(folder: Path) -> None:
    """Removes the empty groups of processes that were killed."""
    for group in folder.glob("fewtaps-*"):
        found = _NAME.fullmatch(group.name)
        if found is None:
            continue
        try:
            os.kill(int(found[1]), 0)
        except ProcessLookupError:
            with suppress(OSError):
                group.rmdir()
        except (OSError, OverflowError):
            continue

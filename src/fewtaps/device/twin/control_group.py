"""A control group for a bridge process: the kernel counts all its memory and tasks, and limits them.

The limits of single processes count neither files in memory nor buffers of the kernel; a control group counts both. One
can be made where the machine is ours, or where its owner handed a part of the tree over. Elsewhere, as in most
containers and sessions of users, there is none, and the other limits have to do. Version 2 has one tree for all that is
limited, version 1 a tree for each controller; a machine may have both, each with a part of the controllers.
"""

from __future__ import annotations

import logging
import os
import re
import shlex
import signal
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path

log = logging.getLogger(__name__)

CONTROLLERS: tuple[str, ...] = ("memory", "pids")
REMOVE_SECONDS = 2.0
_JOINED = "cgroup.procs"
_NAME = re.compile(r"fewtaps-(\d+)-\d+")
_TRIAL_SECONDS = 5.0
# By version: the files that limit, by controller.
_LIMITS: Mapping[int, Mapping[str, str]] = {
    1: {"memory": "memory.limit_in_bytes", "pids": "pids.max"},
    2: {"memory": "memory.max", "pids": "pids.max"},
}
# Memory and swap together in version 1, swap alone in version 2. There is none on a machine without swap.
_SWAP_V1, _SWAP_V2 = "memory.memsw.limit_in_bytes", "memory.swap.max"
# They count the processes that the kernel ended for lack of memory.
_COUNTS = ("memory.events", "memory.oom_control")
_numbers = count(1)


@dataclass(frozen=True, slots=True)
class GroupTree:
    """A tree of groups: its version, the folder of this process's group in it, and the one where the tree begins."""

    version: int
    own: Path
    top: Path
    controllers: tuple[str, ...] = CONTROLLERS
    """Those that are wanted of this tree."""


@dataclass(frozen=True, slots=True)
class GroupParent:
    """A folder in which groups can be made, and what can be limited in them."""

    folder: Path
    controllers: tuple[str, ...]
    version: int = 2


@dataclass(frozen=True, slots=True)
class ControlGroup:
    """The folders of a group, one in each tree that it needs."""

    folders: tuple[Path, ...]

    def joining(self) -> str:
        """Lines of a shell that put it into the group, or end it."""
        files = (shlex.quote(str(folder / _JOINED)) for folder in self.folders)
        return "".join(f"echo 0 >{file} || exit {os.EX_OSERR}; " for file in files)

    @property
    def has_killed(self) -> bool:
        """Whether the kernel ended a process of the group because it used more memory than the limit."""
        return any(_killed(folder / name) for folder in self.folders for name in _COUNTS)

    def remove(self) -> None:
        """Ends what is left in the group and removes it; one that is not there any more is no error."""
        for folder in self.folders:
            _remove(folder)


def own_trees(root: Path = Path("/")) -> tuple[GroupTree, ...]:
    """The trees that can limit what we want, version 2 first."""
    try:
        mounts = (root / "proc/self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape").splitlines()
        groups = (root / "proc/self/cgroup").read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return ()
    owned: dict[str, str] = {}
    for line in groups:
        _, those, path = line.split(":", 2)
        owned |= dict.fromkeys(those.split(","), path)
    trees: list[GroupTree] = []
    for line in mounts:
        before, _, after = line.partition(" - ")
        kind, _, options = after.partition(" ")
        at = before.split(" ")
        if kind == "cgroup2":
            version, controllers = 2, CONTROLLERS
        elif kind == "cgroup":
            found = set(options.split(" ")[-1].split(","))
            controllers = tuple(name for name in CONTROLLERS if name in found)
            version = 1
        else:
            continue
        names = ("",) if version == 2 else controllers
        own = next((owned[name] for name in names if name in owned), None)
        if own is not None and own.startswith("/") and ".." not in own and len(at) > 4:
            # In a container the mount may begin at our own group.
            below = own.removeprefix(at[3]) if own == at[3] or own.startswith(f"{at[3].rstrip('/')}/") else own
            top = root / at[4].lstrip("/")
            trees.append(GroupTree(version, top / below.lstrip("/"), top, controllers))
    return tuple(sorted(trees, key=lambda tree: -tree.version))


@cache
def group_parents() -> tuple[GroupParent, ...]:
    """For each controller that can limit anything here, the nearest folder at or above our own group that has it."""
    parents: list[GroupParent] = []
    for tree in own_trees():
        missing = tuple(name for name in tree.controllers if not any(name in parent.controllers for parent in parents))
        if missing and (parent := _parent_in(tree, missing)) is not None:
            parents.append(parent)
    return tuple(parents)


def missing_controllers() -> tuple[str, ...]:
    """What no control group can limit on this machine."""
    found = {name for parent in group_parents() for name in parent.controllers}
    return tuple(name for name in CONTROLLERS if name not in found)


def make_group(memory_bytes: int, tasks: int) -> ControlGroup | None:
    """A new group with these limits, for one process and all that it starts; None where there can be none."""
    wanted = {"memory": memory_bytes, "pids": tasks}
    name = f"fewtaps-{os.getpid()}-{next(_numbers)}"
    made = ControlGroup(tuple(parent.folder / name for parent in group_parents()))
    try:
        for parent, folder in zip(group_parents(), made.folders, strict=True):
            folder.mkdir()
            for controller in parent.controllers:
                (folder / _LIMITS[parent.version][controller]).write_text(str(wanted[controller]))
            for swap, most in ((_SWAP_V1, memory_bytes), (_SWAP_V2, 0)):
                if (folder / swap).exists():
                    (folder / swap).write_text(str(most))
    except OSError as error:
        log.info("no control group: %s", error)
        made.remove()
        return None
    return made if made.folders else None


def _killed(file: Path) -> bool:
    try:
        lines = file.read_text(encoding="ascii").splitlines()
    except (OSError, UnicodeDecodeError):
        return False
    return any(line.startswith("oom_kill ") and line.split()[1] != "0" for line in lines)


def _remove(folder: Path) -> None:
    with suppress(OSError):
        (folder / "cgroup.kill").write_text("1")
    deadline = time.monotonic() + REMOVE_SECONDS
    while folder.is_dir():
        try:
            folder.rmdir()
        except OSError as error:
            if time.monotonic() > deadline:
                log.info("a control group stays: %s", error)
                return
            _kill_members(folder)
            time.sleep(0.02)


def _kill_members(folder: Path) -> None:
    """Version 1, and kernels before 5.14, end no group as a whole."""
    try:
        members = (folder / _JOINED).read_text(encoding="ascii").split()
    except (OSError, UnicodeDecodeError):
        return
    for member in members:
        if member.isdigit() and member not in ("0", str(os.getpid())):
            with suppress(OSError):
                os.kill(int(member), signal.SIGKILL)


def _parent_in(tree: GroupTree, wanted: tuple[str, ...]) -> GroupParent | None:
    for candidate in (tree.own, *tree.own.parents):
        if (parent := _try_parent(candidate, tree.version, wanted)) is not None:
            _sweep(candidate)
            return parent
        if candidate == tree.top:
            break
    return None


def _try_parent(folder: Path, version: int, wanted: tuple[str, ...]) -> GroupParent | None:
    """Makes a group in the folder and puts a process into it; removes both."""
    group = folder / f"fewtaps-{os.getpid()}-{next(_numbers)}"
    try:
        group.mkdir()
    except OSError:
        return None
    try:
        controllers = _limited(group, version, wanted)
        joining = ControlGroup((group,)).joining()
        done = subprocess.run(["sh", "-c", joining], capture_output=True, timeout=_TRIAL_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    finally:
        _remove(group)
    return GroupParent(folder, controllers, version) if controllers and done.returncode == 0 else None


def _limited(group: Path, version: int, wanted: tuple[str, ...]) -> tuple[str, ...]:
    """The controllers among those wanted that limit what is in the group."""
    return tuple(name for name in wanted if (group / _LIMITS[version][name]).exists())


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

"""Control groups for the processes of the twin: where they can be made, and what becomes of what is in them."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fewtaps.device.twin import control_group
from fewtaps.device.twin.control_group import GroupParent, group_parent, make_group, own_group, remove_group
from fewtaps.device.twin.jail import JailLimits, limited_command

MOUNTED = "31 23 0:27 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
OLDER = "32 23 0:28 / /sys/fs/cgroup/pids rw shared:10 - cgroup cgroup rw,pids\n"


def made_root(folder: Path, mounts: str, groups: str) -> Path:
    (folder / "proc/self").mkdir(parents=True)
    (folder / "proc/self/mountinfo").write_text(mounts)
    (folder / "proc/self/cgroup").write_text(groups)
    return folder


@pytest.fixture
def fresh_probe() -> Iterator[None]:
    group_parent.cache_clear()
    yield
    group_parent.cache_clear()


def test_our_own_group_is_found_below_where_the_tree_is_mounted(tmp_path: Path) -> None:
    root = made_root(tmp_path, OLDER + MOUNTED, "4:pids:/old\n0::/user.slice/user-1000.slice/session-2.scope\n")
    top = tmp_path / "sys/fs/cgroup"
    assert own_group(root) == (top / "user.slice/user-1000.slice/session-2.scope", top)


@pytest.mark.parametrize(
    ("mounts", "groups"),
    [(OLDER, "4:pids:/old\n"), (OLDER, "0::/here\n"), (MOUNTED, "4:pids:/old\n"), (MOUNTED, "0::/../outside\n")],
)
def test_without_a_tree_of_version_2_there_is_no_group(tmp_path: Path, mounts: str, groups: str) -> None:
    assert own_group(made_root(tmp_path, mounts, groups)) is None
    assert own_group(tmp_path / "nowhere") is None


def test_a_group_has_the_limits_of_the_controllers_there_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control_group, "group_parent", lambda: GroupParent(tmp_path, ("memory", "pids")))
    group = make_group(3 << 30, 1000)
    assert group is not None and group.parent == tmp_path
    assert {path.name: path.read_text() for path in group.iterdir()} == {"memory.max": "3221225472", "pids.max": "1000"}
    monkeypatch.setattr(control_group, "group_parent", lambda: GroupParent(tmp_path / "gone", ("memory",)))
    assert make_group(3 << 30, 1000) is None


def test_a_process_that_cannot_join_its_group_does_not_run(tmp_path: Path) -> None:
    command = limited_command(["echo", "ran"], JailLimits(), group=tmp_path / "gone")
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == os.EX_OSERR and not done.stdout


def test_what_is_in_a_group_ends_with_it(fresh_probe: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control_group, "_limited", lambda group: ("pids",))
    parent = group_parent()
    if parent is None:
        pytest.skip("no control group can be made here")
    monkeypatch.setattr(control_group, "group_parent", lambda: GroupParent(parent.folder, ()))
    group = make_group(1 << 30, 100)
    assert group is not None
    process = subprocess.Popen(limited_command(["sleep", "60"], JailLimits(), group=group))
    try:
        deadline = time.monotonic() + 10
        while not (group / "cgroup.procs").read_text() and time.monotonic() < deadline:
            time.sleep(0.01)
        assert (group / "cgroup.procs").read_text().split() == [str(process.pid)]
        remove_group(group)
        assert process.wait(10) != 0
        assert not group.exists()
    finally:
        process.kill()
        process.wait()
        remove_group(group)

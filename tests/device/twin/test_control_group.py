"""Control groups for the processes of the twin: where they can be made, and what becomes of what is in them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from fewtaps.device.twin import control_group
from fewtaps.device.twin.control_group import (
    ControlGroup,
    GroupParent,
    GroupTree,
    group_parents,
    make_group,
    missing_controllers,
    own_trees,
)
from fewtaps.device.twin.jail import JailLimits, limited_command, make_place
from fewtaps.device.twin.process import BridgeDied, BridgeProcess, EndCause

MOUNTED = "31 23 0:27 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
NAMED = "30 23 0:26 / /sys/fs/cgroup/systemd rw shared:8 - cgroup cgroup rw,name=systemd\n"
MEMORY = "33 23 0:29 /docker/a1 /sys/fs/cgroup/memory rw shared:11 - cgroup cgroup rw,memory\n"
OLDER = "32 23 0:28 / /sys/fs/cgroup/pids rw shared:10 - cgroup cgroup rw,pids\n"


def made_root(folder: Path, mounts: str, groups: str) -> Path:
    (folder / "proc/self").mkdir(parents=True)
    (folder / "proc/self/mountinfo").write_text(mounts)
    (folder / "proc/self/cgroup").write_text(groups)
    return folder


@pytest.fixture(autouse=True)
def fresh_probe() -> Iterator[None]:
    group_parents.cache_clear()
    yield
    group_parents.cache_clear()


@pytest.fixture
def group() -> Iterator[ControlGroup]:
    """A group of this machine's own that takes 64 MB and 20 tasks."""
    if missing_controllers():
        pytest.skip(f"no control group limits {', '.join(missing_controllers())} here")
    made = make_group(64 << 20, 20)
    assert made is not None
    yield made
    made.remove()
    assert not [folder for folder in made.folders if folder.exists()]


def test_our_own_group_is_found_below_where_each_tree_is_mounted(tmp_path: Path) -> None:
    groups = "9:name=systemd:/old\n4:pids:/old\n5:memory:/docker/a1/b\n0::/user.slice/session-2.scope\n"
    root = made_root(tmp_path, NAMED + OLDER + MEMORY + MOUNTED, groups)
    top = tmp_path / "sys/fs/cgroup"
    assert own_trees(root) == (
        GroupTree(2, top / "user.slice/session-2.scope", top),
        GroupTree(1, top / "pids/old", top / "pids", ("pids",)),
        GroupTree(1, top / "memory/b", top / "memory", ("memory",)),
    )


@pytest.mark.parametrize(
    ("mounts", "groups"),
    [(OLDER, "5:memory:/old\n"), (OLDER, "0::/here\n"), (MOUNTED, "4:pids:/old\n"), (MOUNTED, "0::/../outside\n")],
)
def test_without_our_group_in_it_a_tree_is_of_no_use(tmp_path: Path, mounts: str, groups: str) -> None:
    assert own_trees(made_root(tmp_path, mounts, groups)) == ()
    assert own_trees(tmp_path / "nowhere") == ()


def test_a_group_has_the_limits_of_the_controllers_there_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parents = [tmp_path / name for name in ("new", "memory", "pids")]
    for parent in parents:
        parent.mkdir()
    for given, files in (
        ((GroupParent(parents[0], ("memory", "pids")),), {"memory.max": "3221225472", "pids.max": "1000"}),
        (
            (GroupParent(parents[1], ("memory",), 1), GroupParent(parents[2], ("pids",), 1)),
            {"memory.limit_in_bytes": "3221225472", "pids.max": "1000"},
        ),
    ):
        monkeypatch.setattr(control_group, "group_parents", lambda given=given: given)
        made = make_group(3 << 30, 1000)
        assert made is not None and [folder.parent for folder in made.folders] == [each.folder for each in given]
        assert {path.name: path.read_text() for folder in made.folders for path in folder.iterdir()} == files
        assert missing_controllers() == ()
    monkeypatch.setattr(control_group, "group_parents", lambda: (GroupParent(tmp_path / "gone", ("memory",)),))
    assert make_group(3 << 30, 1000) is None
    assert missing_controllers() == ("pids",)
    monkeypatch.setattr(control_group, "group_parents", lambda: ())
    assert make_group(3 << 30, 1000) is None


def test_a_process_that_cannot_join_its_group_does_not_run(tmp_path: Path) -> None:
    command = limited_command(["echo", "ran"], JailLimits(), group=ControlGroup((tmp_path / "gone",)))
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == os.EX_OSERR and not done.stdout


def test_what_is_in_a_group_ends_with_it(group: ControlGroup) -> None:
    process = subprocess.Popen(limited_command(["sleep", "60"], JailLimits(), group=group))
    try:
        deadline = time.monotonic() + 10
        members = [folder / "cgroup.procs" for folder in group.folders]
        while not all(member.read_text() for member in members) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert [member.read_text().split() for member in members] == [[str(process.pid)]] * len(members)
        group.remove()
        assert process.wait(10) != 0
    finally:
        process.kill()
        process.wait()


@pytest.mark.slow
def test_the_kernel_limits_the_tasks_of_a_group(group: ControlGroup) -> None:
    script = "import threading, time\n"
    script += "for _ in range(60): threading.Thread(target=time.sleep, args=(9,), daemon=True).start()"
    command = limited_command([sys.executable, "-I", "-c", script], JailLimits(), group=group)
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert "can't start new thread" in done.stderr
    assert not group.has_killed


FILLING = """
import sys
print('{"hello":{"protocol":1,"java":"17","api":28}}', flush=True)
for line in sys.stdin:
    held = [bytearray(b"x") * (8 << 20) for _ in range(60)]
"""


@pytest.mark.slow
def test_more_memory_than_a_group_takes_is_a_finding(group: ControlGroup) -> None:
    place = replace(make_place(jailed=False), group=group)
    command = limited_command([sys.executable, "-I", "-c", FILLING], JailLimits(), group=group)
    process = BridgeProcess(command, place, limits=JailLimits(), start_seconds=30)
    try:
        with pytest.raises(BridgeDied) as death:
            process.request("fill", {}, timeout_seconds=60, condition="its end")
    finally:
        process.kill()
    assert death.value.end.cause is EndCause.EXCESS
    assert str(death.value.end).startswith("the app used more than ")

"""The jail: nothing gets in that is not meant to, nothing gets out."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fewtaps.device.twin.jail import JailLimits, Place, environment, jail_problem, jailed_command, make_place

needs_jail = pytest.mark.skipif(jail_problem() is not None, reason=str(jail_problem()))


@pytest.fixture
def place() -> Iterator[Place]:
    place = make_place(jailed=True)
    yield place
    place.remove()


def run_inside(place: Place, script: str, limits: JailLimits | None = None) -> Any:
    """Run Python inside the jail and return what it prints as JSON."""
    python = Path(sys.executable).resolve()
    shown = {python, Path(sys.base_prefix)} if sys.base_prefix != "/usr" else {python, Path("/usr")}
    command = jailed_command([str(python), "-I", "-c", script], place, limits or JailLimits(disk_mb=16), shown)
    done = subprocess.run(
        command,
        env=environment(place),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@needs_jail
def test_hides_home_work_and_the_rest_of_the_machine(place: Place, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("hush")
    hidden = [str(secret), str(Path.home() / ".ssh"), str(Path.cwd()), "/etc/passwd", "/etc/hostname", "/var", "/root"]
    seen = run_inside(place, f"import os, json; print(json.dumps([p for p in {hidden!r} if os.path.exists(p)]))")
    # Where Python itself lies is the test's own doing.
    assert [path for path in seen if not Path(sys.base_prefix).is_relative_to(path)] == []


@needs_jail
def test_lets_nothing_be_written_but_its_own_disks(place: Place) -> None:
    tried = ["/x", "/etc/x", "/dev/x", "/dev/shm/x", "/usr/lib/x", "/proc/x", str(place.inbox / "x")]
    allowed = [
        str(place.data / "x"),
        str(place.cache / "x"),
        str(place.temporary / "x"),
        "/sdcard/x",
        "/data/x",
        "/tmp/x",
    ]
    script = f"""
import json
def written(path):
    try:
        open(path, "w").close()
        return True
    except OSError:
        return False
print(json.dumps([p for p in {tried + allowed!r} if written(p)]))
"""
    assert run_inside(place, script) == allowed
    assert not Path("/sdcard/x").exists()


@needs_jail
def test_has_no_network(place: Place) -> None:
    script = """
import json, socket
def reaches(address):
    try:
        socket.create_connection(address, 2).close()
        return True
    except OSError:
        return False
print(json.dumps([reaches(("1.1.1.1", 53)), reaches(("127.0.0.1", 22)), [i[1] for i in socket.if_nameindex()]]))
"""
    outside, own, interfaces = run_inside(place, script)
    assert (outside, own) == (False, False)
    assert set(interfaces) <= {"lo"}


@needs_jail
def test_sees_no_other_process_and_no_variable_of_ours(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "hush")
    script = """
import json, os
print(json.dumps([len([p for p in os.listdir("/proc") if p.isdigit()]), sorted(os.environ)]))
"""
    processes, variables = run_inside(place, script)
    assert processes <= 3
    assert "SECRET_TOKEN" not in variables


@needs_jail
def test_cannot_fill_the_disk(place: Place) -> None:
    script = f"""
import json
total = 0
for folder in ({str(place.data)!r}, {str(place.report)!r}):
    try:
        with open(folder + "/big" if folder.endswith("data") else folder, "wb") as stream:
            for _ in range(64):
                stream.write(bytes(1 << 20))
                stream.flush()
                total += 1
    except OSError:
        pass
print(json.dumps(total))
"""
    assert run_inside(place, script, JailLimits(disk_mb=8)) <= 16
    assert place.host_report.stat().st_size <= 8 << 20


@needs_jail
def test_what_is_handed_in_can_be_read_and_not_changed(place: Place) -> None:
    (place.host_inbox / "a.apk").write_bytes(b"an apk")
    script = f"""
import json
try:
    open({str(place.inbox / "a.apk")!r}, "ab").close()
    changed = True
except OSError:
    changed = False
print(json.dumps([open({str(place.inbox / "a.apk")!r}).read(), changed]))
"""
    assert run_inside(place, script) == ["an apk", False]


def test_a_place_outside_the_jail_has_its_folders() -> None:
    place = make_place(jailed=False)
    assert place.data.is_dir() and place.cache.is_dir() and place.temporary.is_dir()
    assert place.inbox == place.host_inbox
    place.remove()
    assert not place.host.exists()

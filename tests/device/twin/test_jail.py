"""The jail: nothing gets in that is not meant to, nothing gets out."""

from __future__ import annotations

import errno
import json
import os
import platform
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fewtaps.device.twin import jail
from fewtaps.device.twin.control_group import missing_controllers
from fewtaps.device.twin.jail import (
    Handover,
    JailLimits,
    Place,
    environment,
    jail_problem,
    jailed_command,
    make_place,
    protections,
)
from fewtaps.device.twin.seccomp import filter_program

needs_jail = pytest.mark.skipif(jail_problem() is not None, reason=str(jail_problem()))


@pytest.fixture
def place() -> Iterator[Place]:
    place = make_place(jailed=True)
    yield place
    place.remove()


def run_inside(place: Place, script: str, limits: JailLimits | None = None) -> Any:
    """Run Python inside the jail and return what it prints as JSON."""
    done = start_inside(place, script, limits)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def start_inside(place: Place, script: str, limits: JailLimits | None = None) -> subprocess.CompletedProcess[str]:
    python = Path(sys.executable).resolve()
    shown = {python, Path(sys.base_prefix)} if sys.base_prefix != "/usr" else {python, Path("/usr")}
    pairs = [(path, path) for path in shown]
    command = jailed_command([str(python), "-I", "-c", script], place, limits or JailLimits(disk_mb=16), pairs)
    return subprocess.run(
        command,
        env=environment(place),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        stdin=subprocess.DEVNULL,
    )


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
interfaces = [line.split(":")[0].strip() for line in open("/proc/net/dev") if ":" in line]
print(json.dumps([reaches(("1.1.1.1", 53)), reaches(("127.0.0.1", 22)), interfaces]))
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
def test_cannot_fill_the_disk() -> None:
    place = make_place(jailed=True, handover=Handover.REPORT)
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
    try:
        assert run_inside(place, script, JailLimits(disk_mb=8)) <= 16
        assert 0 < place.host_report.stat().st_size <= 8 << 20
    finally:
        place.remove()


@needs_jail
@pytest.mark.parametrize("handover", Handover)
def test_one_file_of_the_machine_at_most_can_be_written(handover: Handover) -> None:
    place = make_place(jailed=True, handover=handover)
    script = f"""
import json
for path in {[str(place.report), str(place.record)]!r}:
    with open(path, "w") as stream:
        stream.write("x")
print(json.dumps(None))
"""
    try:
        run_inside(place, script)
        written = {file.name for file in (place.host_report, place.host_record) if file.stat().st_size}
        assert written == ({handover.value} - {"nothing"})
    finally:
        place.remove()


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


@needs_jail
def test_is_an_ordinary_user_without_capabilities_whoever_the_user_is(place: Place) -> None:
    script = """
import json, os
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(json.dumps([os.getuid(), os.getgid(), int(status["CapEff"], 16), int(status["CapBnd"], 16),
                  int(status["NoNewPrivs"]), int(status["Seccomp"])]))
"""
    assert run_inside(place, script) == [65534, 65534, 0, 0, 1, 2]


@needs_jail
def test_no_file_of_the_kernel_can_be_opened_for_writing(place: Place) -> None:
    script = """
import json, os
opened = []
for folder, names, files in os.walk("/proc"):
    if folder.startswith("/proc/") and folder.split("/")[2].isdigit() and "/task/" in folder:
        names.clear()
    for name in files:
        path = os.path.join(folder, name)
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
            opened.append(path)
        except OSError:
            pass
print(json.dumps([opened, os.listdir("/proc/sys")]))
"""
    opened, settings = run_inside(place, script)
    # Files of the process's own descriptors, and those that hide the kernel's.
    assert [path for path in opened if "/fd/" not in path] == []
    assert settings == []


FORBIDDEN = {
    "mount": 165, "ptrace": 101, "bpf": 321, "keyctl": 250, "kexec_load": 246, "init_module": 175, "unshare": 272,
    "perf_event_open": 298, "userfaultfd": 323, "io_uring_setup": 425, "setns": 308, "fork": 57,
}  # fmt: skip


@needs_jail
@pytest.mark.skipif(platform.machine() != "x86_64", reason="the numbers are those of x86-64")
@pytest.mark.parametrize("name", FORBIDDEN)
def test_a_forbidden_system_call_ends_the_process(place: Place, name: str) -> None:
    script = f"import ctypes; ctypes.CDLL(None).syscall({FORBIDDEN[name]}, 0, 0, 0, 0, 0); print('came back')"
    done = start_inside(place, script)
    assert done.returncode == 128 + signal.SIGSYS
    assert "came back" not in done.stdout


@needs_jail
def test_a_filtered_process_makes_threads_but_no_processes_and_no_raw_sockets(place: Place) -> None:
    script = """
import json, os, socket, threading
def refused(make):
    try:
        make()
        return None
    except OSError as error:
        return error.errno
def clone():
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(56 if os.uname().machine == "x86_64" else 220, 17, 0, 0, 0, 0) < 0:
        raise OSError(ctypes.get_errno(), "clone")
thread = threading.Thread(target=lambda: ran.append(1)); ran = []
thread.start(); thread.join()
print(json.dumps([ran, refused(clone),
    refused(lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)),
    refused(lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)),
    refused(lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM)),
    refused(lambda: socket.socketpair())]))
"""
    assert run_inside(place, script) == [[1], errno.EPERM, errno.EPERM, errno.EAFNOSUPPORT, None, None]


@needs_jail
def test_buffers_of_the_kernel_cannot_be_enlarged(place: Place) -> None:
    script = """
import json, socket
one, other = socket.socketpair()
OPTIONS = (socket.SO_SNDBUF, socket.SO_RCVBUF)
before = [one.getsockopt(socket.SOL_SOCKET, option) for option in OPTIONS]
for option in (*OPTIONS, 32, 33):
    one.setsockopt(socket.SOL_SOCKET, option, 1 << 22)
one.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
print(json.dumps([[one.getsockopt(socket.SOL_SOCKET, option) for option in OPTIONS] == before,
                  one.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)]))
"""
    assert run_inside(place, script) == [True, 1]


@needs_jail
def test_nothing_is_done_to_the_machine_by_way_of_what_can_only_be_read(place: Place) -> None:
    library = next(path for path in Path("/usr").glob("lib*/**/libc.so.6"))
    script = f"""
import fcntl, json, os
def refused(make):
    try:
        make()
        return None
    except OSError as error:
        return error.errno
library = os.open({str(library)!r}, os.O_RDONLY)
own = os.open("/tmp/own", os.O_RDWR | os.O_CREAT)
print(json.dumps([
    refused(lambda: fcntl.flock(library, fcntl.LOCK_EX | fcntl.LOCK_NB)),
    refused(lambda: fcntl.fcntl(library, fcntl.F_SETLEASE, fcntl.F_RDLCK)),
    refused(lambda: fcntl.fcntl(library, fcntl.F_NOTIFY, 1)),
    refused(lambda: fcntl.fcntl(own, fcntl.F_SETOWN, os.getpid())),
    refused(lambda: fcntl.ioctl(own, 0x40086602, bytes(8))),
    refused(lambda: fcntl.lockf(own, fcntl.LOCK_EX)),
    refused(lambda: fcntl.fcntl(own, fcntl.F_SETFL, os.O_NONBLOCK))]))
"""
    assert run_inside(place, script) == [errno.ENOSYS, errno.EPERM, errno.EPERM, errno.EPERM, errno.ENOTTY, None, None]


@needs_jail
def test_what_all_programs_of_a_user_share_is_not_used_up(place: Place) -> None:
    script = """
import array, fcntl, json, os, socket
def refused(make):
    try:
        make()
        return None
    except OSError as error:
        return error.errno
one, other = socket.socketpair()
descriptors = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0]))]
print(json.dumps([
    os.listdir("/dev/pts"),
    refused(lambda: os.open("/dev/ptmx", os.O_RDWR)),
    refused(lambda: one.sendmsg([b"x"], descriptors)),
    refused(lambda: fcntl.fcntl(os.pipe()[1], 1031, 1 << 20)),
    refused(lambda: one.sendall(b"x"))]))
"""
    assert run_inside(place, script) == [[], errno.ENOENT, errno.ENOSYS, errno.EPERM, None]


@needs_jail
def test_the_kernel_loads_no_protocol_and_no_program_for_a_socket(place: Place) -> None:
    script = """
import json, socket
def refused(make):
    try:
        make()
        return None
    except OSError as error:
        return error.errno
STREAM, DGRAM = socket.SOCK_STREAM, socket.SOCK_DGRAM
kinds = [(STREAM, 0), (STREAM, 6), (DGRAM, 17), (STREAM, 132), (STREAM, 262), (DGRAM, 136), (DGRAM, 115), (DGRAM, 1)]
tcp = socket.socket()
print(json.dumps([
    [refused(lambda: socket.socket(socket.AF_INET, *kind)) for kind in kinds],
    [refused(lambda: tcp.setsockopt(socket.SOL_SOCKET, option, bytes(16))) for option in (26, 50, 51, 52)],
    refused(lambda: tcp.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, 7)),
    refused(lambda: socket.socket(socket.AF_INET, DGRAM).setsockopt(socket.IPPROTO_IP, 33, 5))]))
"""
    protocols, programs, ttl, multicast = run_inside(place, script)
    assert protocols == [None, None, None, *[errno.EPROTONOSUPPORT] * 5]
    assert programs == [errno.EPERM] * 4
    assert (ttl, multicast) == (None, None)


@needs_jail
@pytest.mark.parametrize("mode", [0o4755, 0o2755, 0o1777])
def test_no_file_that_is_handed_over_becomes_setuid(mode: int) -> None:
    place = make_place(jailed=True, handover=Handover.RECORD)
    script = f"""
import json, os
def refused(make):
    try:
        make()
        return None
    except OSError as error:
        return error.errno
file = os.open({str(place.record)!r}, os.O_RDWR)
print(json.dumps([refused(lambda: os.chmod({str(place.record)!r}, {mode})), refused(lambda: os.fchmod(file, {mode})),
                  refused(lambda: os.fchmod(file, 0o600))]))
"""
    try:
        assert run_inside(place, script) == [errno.EPERM, errno.EPERM, None]
        assert place.host_record.stat().st_mode & 0o7777 == 0o600
    finally:
        place.remove()


@needs_jail
@pytest.mark.skipif(os.getuid() != 0, reason="only root could read them")
def test_no_file_of_the_kernel_that_only_root_may_read_is_readable(place: Place) -> None:
    script = """
import json, os
def reads(path):
    try:
        with open(path, "rb") as stream:
            return bool(stream.read(1))
    except OSError:
        return False
closed = [each.path for each in os.scandir("/proc") if each.is_file() and not each.stat().st_mode & 0o044]
print(json.dumps([path for path in closed if reads(path)]))
"""
    assert run_inside(place, script) == []


@needs_jail
def test_folders_of_the_kernel_but_those_of_processes_are_empty(place: Place) -> None:
    script = """
import json, os
folders = [each for each in os.scandir("/proc") if each.is_dir(follow_symlinks=False) and not each.name.isdigit()]
print(json.dumps([[each.name for each in folders], [each.name for each in folders if os.listdir(each)]]))
"""
    folders, filled = run_inside(place, script)
    assert "irq" in folders
    assert filled == []


@needs_jail
def test_memory_beside_the_heap_has_a_limit(place: Place) -> None:
    script = """
import json, mmap
held = []
try:
    while len(held) < 64:
        held.append(mmap.mmap(-1, 64 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))
except (OSError, MemoryError):
    pass
print(json.dumps(len(held) * 64))
"""
    assert run_inside(place, script, JailLimits(heap_mb=128, outside_heap_mb=512, disk_mb=8)) < 640


@needs_jail
@pytest.mark.skipif(platform.machine() != "x86_64", reason="the numbers are those of x86-64")
def test_no_memory_can_be_had_that_no_limit_counts(place: Place) -> None:
    script = """
import ctypes, errno, json, os
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
PRIVATE, SHARED, ANONYMOUS, GROWING, HUGE = 2, 1, 0x20, 0x100, 0x40000
def failure(flags, handle=-1):
    if libc.mmap(None, 1 << 21, 3, flags, handle, 0) != ctypes.c_void_p(-1).value:
        return None
    return errno.errorcode[ctypes.get_errno()]
def devices():
    try:
        return failure(SHARED, os.open("/dev/zero", os.O_RDWR))
    except OSError as error:
        return errno.errorcode[error.errno]
file = os.open("/tmp/mapped", os.O_RDWR | os.O_CREAT)
os.truncate("/tmp/mapped", 1 << 21)
print(json.dumps([failure(PRIVATE | ANONYMOUS), failure(SHARED, file), failure(SHARED | ANONYMOUS),
                  failure(PRIVATE | ANONYMOUS | GROWING), failure(PRIVATE | ANONYMOUS | HUGE), devices(),
                  libc.syscall(319, b"x", 0), libc.syscall(29, 0, 1 << 20, 0o1666)]))
"""
    assert run_inside(place, script) == [None, None, "ENOMEM", "ENOMEM", "ENOMEM", "EACCES", -1, -1]


@needs_jail
def test_the_command_line_of_the_jail_names_no_folder_of_the_machine(place: Place) -> None:
    script = 'import json; print(json.dumps(open("/proc/1/cmdline").read()))'
    assert str(place.host) not in run_inside(place, script)


@needs_jail
@pytest.mark.skipif(os.getuid() != 0, reason="only root could write the settings")
def test_nothing_runs_where_the_settings_of_the_kernel_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jail, "_kernel_mounts", lambda: iter(("--bind", "/proc", "/proc")))
    found = jail._probe.__wrapped__()
    assert found.problem is not None and "the settings of the kernel could be written" in found.problem


@needs_jail
def test_the_filter_is_not_among_the_files_inside(place: Place) -> None:
    script = f"import json, os; print(json.dumps(sorted(os.listdir({str(place.inside)!r}))))"
    assert run_inside(place, script) == ["cache", "data", "in", "tmp"]


def test_a_process_that_makes_reports_runs_no_app() -> None:
    here, inside = Path("/here"), Path("/inside")
    taken = {each: [other for other in Handover if Place(here, inside, each).takes(other)] for each in Handover}
    assert taken == {
        Handover.NOTHING: [Handover.NOTHING],
        Handover.REPORT: [Handover.REPORT],
        Handover.RECORD: [Handover.NOTHING, Handover.RECORD],
    }
    assert all(Place(here, here).takes(each) for each in Handover)


def test_an_unknown_machine_has_no_filter() -> None:
    assert filter_program("riscv64") is None
    assert filter_program("x86_64") != filter_program("aarch64")


def test_a_place_outside_the_jail_has_its_folders() -> None:
    place = make_place(jailed=False)
    assert place.data.is_dir() and place.cache.is_dir() and place.temporary.is_dir()
    assert place.inbox == place.host_inbox
    place.remove()
    assert not place.host.exists()


@needs_jail
def test_every_wall_of_the_jail_is_told_to_hold_here() -> None:
    walls = [wall for wall in protections() if wall.name != "a control group" or not missing_controllers()]
    assert [wall.name for wall in walls if not wall.holds] == []
    assert len(protections()) == 8


def test_a_machine_that_forbids_namespaces_is_told_how_to_allow_them(tmp_path: Path) -> None:
    assert jail._remedy(tmp_path) == ""
    setting = tmp_path / "proc/sys/user/max_user_namespaces"
    setting.parent.mkdir(parents=True)
    setting.write_text("5000\n")
    assert jail._remedy(tmp_path) == ""
    setting.write_text("0\n")
    assert jail._remedy(tmp_path) == "run sysctl user.max_user_namespaces=10000 as root, or "
    (tmp_path / ".dockerenv").touch()
    assert "start the container with --security-opt seccomp=unconfined" in jail._remedy(tmp_path)

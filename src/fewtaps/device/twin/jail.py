"""The jail: the part of the machine that a bridge process, and the app inside it, can see and use.

Inside there are the libraries that Java needs, the Java runtime and the pinned jars, all read-only and under names that
tell nothing of the user; small in-memory disks for the files of the app; and one folder through which APKs are passed
in. There is no network, no home folder, no other process, no program to start and no environment variable of the user.
`bubblewrap` builds it without privileges.

Without a jail the same process runs as an ordinary program of the user, with the same limits on memory and time.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any

from fewtaps.device.twin.control_group import ControlGroup, make_group, missing_controllers
from fewtaps.device.twin.seccomp import filter_program
from fewtaps.temporary import make_folder, remove_folder

PROBE_TIMEOUT_SECONDS = 20
ROOT_INSIDE = Path("/twin")
RUNTIME_INSIDE = Path("/opt/twin")
"""The folder of Java and the jars. Unlike `ROOT_INSIDE` it lies on a disk that cannot be written."""
# Shown where the single libraries of a Java runtime cannot be told; folders of programs are not among them.
_SYSTEM_FOLDERS = ("/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/nix/store", "/gnu/store")
_SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ssl/certs/java", "/etc/alternatives")
# Folders that apps on a phone know by these fixed paths.
_APP_DISKS = ("/data", "/mnt", "/storage", "/tmp")
_PHONE_FOLDERS = ("/twin/data/phone/data/user/0", "/twin/data/phone/storage/emulated/0")
# Links from the paths of a phone to the folders that the bridge empties before each run.
_PHONE_LINKS = (
    ("/twin/data/phone/data/user", "/data/user"),
    ("/data/user/0", "/data/data"),
    ("/twin/data/phone/data/user_de", "/data/user_de"),
    ("/twin/data/phone/storage/emulated", "/storage/emulated"),
    ("/storage/emulated/0", "/sdcard"),
    ("/storage/emulated/0", "/mnt/sdcard"),
)
SMALL_DISK_MB = 64
_LOCALES = ("/usr/lib/locale/C.utf8", "/usr/lib64/locale/C.utf8")
"""What makes the C library know C.UTF-8, without which Java opens no file whose name is not plain ASCII."""
_ENVIRONMENT = {"LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin", "TZ": "UTC"}
_GET_ONE = "install bubblewrap (Debian, Ubuntu: apt install bubblewrap), or say --no-jail for an app you trust"


@dataclass(frozen=True, slots=True)
class JailLimits:
    """The limits of a bridge process. Java itself limits the heap, the operating system the rest."""

    heap_mb: int = 512
    disk_mb: int = 512
    cpu_seconds: int = 4 * 3600
    outside_heap_mb: int = 1536
    """Memory beside the heap: compiled code, loaded classes, stacks of threads, pictures, buffers."""
    addresses_mb: int = 8192
    """All that is mapped, files included. Java alone reserves 3 GB, and a recording maps up to 2 GB."""
    open_files: int = 1024
    threads: int = 1000
    waiting_signals: int = 1000
    connections: int = 64
    """Of TCP, within the jail: the buffers of each may take some 10 MB of the kernel's memory."""
    locks: int = 10_000
    """Locked parts of files: each takes some 200 bytes of the kernel's memory."""
    files: int = 200_000
    """Files on all disks inside: each takes about 1 kB of the kernel's memory, whatever its size."""

    @property
    def data_kb(self) -> int:
        """The limit on all private memory of the process."""
        return (self.heap_mb + self.outside_heap_mb) << 10

    @property
    def group_bytes(self) -> int:
        """The limit on everything that the kernel counts for the process: the disks in memory and buffers too."""
        return (self.data_kb << 10) + (self.disks_mb << 20)

    @property
    def disks_mb(self) -> int:
        """The size of all disks in memory together."""
        return self.disk_mb + len(_APP_DISKS) * SMALL_DISK_MB

    @property
    def file_bytes(self) -> int:
        """The largest size of any file that the process writes."""
        return self.disk_mb << 20


class Handover(Enum):
    """The file of this machine that a bridge process may write; most processes get none."""

    NOTHING = "nothing"
    REPORT = "report"
    RECORD = "record"


@dataclass(frozen=True, slots=True)
class Place:
    """The folders of one bridge process: `host_…` are paths outside of the jail, the others paths inside.

    `group` is the control group that limits it, if there can be one.
    """

    host: Path
    inside: Path
    handover: Handover = Handover.NOTHING
    group: ControlGroup | None = None

    @property
    def is_jailed(self) -> bool:
        """Whether the process sees other names than this machine has."""
        return self.host != self.inside

    def takes(self, handover: Handover) -> bool:
        """Whether the process can write this file and serves for such work. One that makes reports runs no app."""
        if not self.is_jailed or handover is self.handover:
            return True
        return handover is Handover.NOTHING and self.handover is Handover.RECORD

    @property
    def host_inbox(self) -> Path:
        """The folder in which APKs are put for the process."""
        return self.host / "in"

    @property
    def inbox(self) -> Path:
        """The same folder inside of the jail."""
        return self.inside / "in"

    @property
    def host_report(self) -> Path:
        """The file outside to which the process writes coverage reports."""
        return self.host / "report"

    @property
    def report(self) -> Path:
        """The same file inside of the jail."""
        return self.inside / "report"

    @property
    def host_record(self) -> Path:
        """The file outside to which the process writes recordings."""
        return self.host / "record"

    @property
    def record(self) -> Path:
        """The same file inside of the jail."""
        return self.inside / "record"

    @property
    def host_filter(self) -> Path:
        """The file with the filter of system calls; not shown inside."""
        return self.host / "filter"

    @property
    def host_arguments(self) -> Path:
        """The file with the arguments of bubblewrap, whose command line can be seen inside."""
        return self.host / "arguments"

    @property
    def data(self) -> Path:
        """The folder for the files of apps."""
        return self.inside / "data"

    @property
    def cache(self) -> Path:
        """The folder for the bridge's converted APKs."""
        return self.inside / "cache"

    @property
    def temporary(self) -> Path:
        """The folder for temporary files of the process."""
        return self.inside / "tmp"

    def remove(self) -> None:
        """Removes all folders with their content, and the control group with what is left in it."""
        remove_folder(self.host)
        if self.group is not None:
            self.group.remove()


def make_place(*, jailed: bool, handover: Handover = Handover.NOTHING, limits: JailLimits | None = None) -> Place:
    """Makes the folders of a new bridge process, and with limits a control group."""
    host = make_folder()
    group = None if limits is None else make_group(limits.group_bytes, limits.threads)
    place = Place(host, ROOT_INSIDE if jailed else host, handover, group)
    place.host_inbox.mkdir()
    place.host_report.touch()
    place.host_record.touch()
    if not jailed:
        for folder in (place.data, place.cache, place.temporary):
            folder.mkdir()
    return place


def jail_problem() -> str | None:
    """The reason why a jail cannot be built on this machine, with the remedy, in one line; None if it can."""
    return _probe().problem


def environment(place: Place) -> dict[str, str]:
    """All environment variables of a bridge process; none of the user's is among them."""
    return _ENVIRONMENT | {"HOME": str(place.data), "TMPDIR": str(place.temporary)}


def disks(place: Place) -> tuple[Path, ...]:
    """The disks of a jailed process that can be written, as the process sees them."""
    return (ROOT_INSIDE, *map(Path, _APP_DISKS)) if place.is_jailed else ()


def jailed_command(
    command: list[str],
    place: Place,
    limits: JailLimits,
    shown: Iterable[tuple[Path, Path]],
    libraries: Sequence[Path] | None = None,
) -> list[str]:
    """The command that runs `command` in the jail.

    The process sees the first path of each pair in `shown` under the second name, read-only. It sees these `libraries`
    of the system, or, with None, the folders that hold all of them.
    """
    probe = _probe()
    arguments = [*probe.isolation, *_kernel_mounts()]
    program = filter_program()
    if program is not None:
        # Beside the folder of APKs, where the process inside cannot see it.
        place.host_filter.write_bytes(program)
        arguments += ["--seccomp", str(_FILTER_DESCRIPTOR)]
    # Before the read-only mounts, because their paths may be below one of these.
    arguments += _tmpfs(ROOT_INSIDE, limits.disk_mb, sized=probe.sized)
    for name in _APP_DISKS:
        arguments += _tmpfs(Path(name), SMALL_DISK_MB, sized=probe.sized)
    for target, link in _PHONE_LINKS:
        arguments += ["--symlink", target, link]
    for folder in (place.data, place.cache, place.temporary, *map(Path, _PHONE_FOLDERS)):
        arguments += ["--dir", str(folder)]
    arguments += _system_mounts() if libraries is None else _library_mounts(libraries)
    # A path before those below it.
    for outside, inside in sorted(set(shown), key=lambda pair: (pair[1], pair[0])):
        arguments += ["--ro-bind", str(outside), str(inside)]
    arguments += ["--ro-bind", str(place.host_inbox), str(place.inbox)]
    if place.handover is Handover.REPORT:
        arguments += ["--bind", str(place.host_report), str(place.report)]
    elif place.handover is Handover.RECORD:
        arguments += ["--bind", str(place.host_record), str(place.record)]
    arguments += ["--remount-ro", "/", "--chdir", str(place.data)]
    place.host_arguments.write_bytes(b"\0".join(map(os.fsencode, arguments)) + b"\0")
    opened = {_ARGUMENTS_DESCRIPTOR: place.host_arguments}
    if program is not None:
        opened[_FILTER_DESCRIPTOR] = place.host_filter
    jailed = [probe.bwrap, "--args", str(_ARGUMENTS_DESCRIPTOR), "--", *command]
    return limited_command(jailed, limits, opened, place.group)


def limited_command(
    command: list[str], limits: JailLimits, opened: Mapping[int, Path] | None = None, group: ControlGroup | None = None
) -> list[str]:
    """The command that runs `command` under the limits on memory, time, files and file size, without core dumps.

    The files of `opened` are open for reading in it, with these numbers below ten as their descriptors. With a control
    group it runs in that, or not at all.
    """
    shell = shutil.which("sh")
    if shell is None:
        return command
    # A shell sets the limits, because a hook between fork and exec is not thread-safe. POSIX counts file sizes in
    # blocks of 512 bytes. A hard limit that is lower than ours stays: setting more would fail.
    wanted = {"-c": 0, "-t": limits.cpu_seconds, "-f": limits.file_bytes // 512, "-d": limits.data_kb}
    wanted |= {"-n": limits.open_files, "-l": 0, "-v": limits.addresses_mb << 10}
    script = "" if group is None else group.joining()
    script += "".join(f"ulimit {option} {value} 2>/dev/null; " for option, value in wanted.items())
    files = opened or {}
    script += "".join(f'exec {number}<"$1"; shift; ' for number in files) + 'exec "$@"'
    return [shell, "-c", script, "fewtaps-bridge", *map(str, files.values()), *command]


@cache
def _hidden_in_proc() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The files and folders of the kernel that are hidden, apart from its settings.

    Files that only root can read would be readable inside if root runs the program. Folders but for those of processes
    tell of devices, interrupts and file systems.
    """
    files, folders = [], []
    with os.scandir("/proc") as entries:
        for each in sorted(entries, key=lambda entry: entry.name):
            if each.is_symlink() or each.name.isdigit() or each.name == "sys":
                continue
            if each.is_dir(follow_symlinks=False):
                folders.append(each.path)
            elif each.name in _HIDDEN_FILES or not each.stat(follow_symlinks=False).st_mode & 0o044:
                files.append(each.path)
    return tuple(files), tuple(folders)


def _kernel_mounts() -> Iterator[str]:
    """The kernel's own files, read-only: with settings of the machine hidden, and what tells of other processes."""
    yield from ("--proc", "/proc", "--tmpfs", "/proc/sys", "--remount-ro", "/proc/sys")
    files, folders = _hidden_in_proc()
    for name in files:
        yield from ("--ro-bind", "/dev/null", name)
    for name in folders:
        yield from ("--tmpfs", name, "--remount-ro", name)
    yield from ("--remount-ro", "/proc", "--dev", "/dev")
    for name in _HIDDEN_DEVICES:
        yield from ("--ro-bind", "/dev/null", name)
    for name in _HIDDEN_FOLDERS:
        yield from ("--tmpfs", name, "--remount-ro", name)
    # /dev is an in-memory disk without a size limit, so it is made read-only.
    yield from ("--remount-ro", "/dev")


@dataclass(frozen=True, slots=True)
class _Probe:
    bwrap: str = ""
    sized: bool = False
    isolation: tuple[str, ...] = ()
    problem: str | None = None


# An ordinary user inside, whatever the user is outside: root in a container could otherwise change the machine's
# settings.
_USER = "65534"
_ISOLATION = (
    *("--unshare-all", "--unshare-user", "--uid", _USER, "--gid", _USER),
    *("--die-with-parent", "--new-session", "--cap-drop", "ALL", "--hostname", "twin"),
)
# Older versions of bubblewrap lack it, and one that is installed setuid refuses it.
_NO_NAMESPACES = "--disable-userns"
_ARGUMENTS_DESCRIPTOR, _FILTER_DESCRIPTOR = 8, 9
# A shared mapping of it is memory that no limit of a process counts.
_HIDDEN_DEVICES = ("/dev/zero",)
# The machine has a number of pseudo-terminals that all jails and containers share.
_HIDDEN_FOLDERS = ("/dev/pts",)
# Files of the kernel that all users may read on some machines and tell of its addresses, keys and programs.
_HIDDEN_FILES = ("keys", "key-users", "kallsyms", "timer_list", "allocinfo", "iomem", "ioports", "latency_stats")
# Ends with status 9 if a setting of the kernel can be opened for writing. Its messages are not sent to /dev/null: where
# that cannot be opened the test would fail for another reason.
_CHECK = """
for name in kernel/hostname kernel/core_pattern vm/swappiness; do
  if ( : >> /proc/sys/$name ); then exit 9; fi
done
"""
_CHECK_FAILED = 9


@cache
def _probe() -> _Probe:
    """Tries the parts of a jail, once per process: a container or a kernel setting may forbid any of them."""
    if sys.platform != "linux":
        return _Probe(problem="there is no jail on this system: say --no-jail for an app you trust")
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        return _Probe(problem=f"no jail: {_GET_ONE}")
    heard = ""
    for extra, sized in (((_NO_NAMESPACES,), True), ((), True), ((), False)):
        tried = _Probe(bwrap, sized, (*_ISOLATION, *extra))
        try:
            done = _run_script(tried, _CHECK)
        except (OSError, subprocess.TimeoutExpired) as error:
            heard = str(error)
            continue
        if done.returncode == 0:
            return tried
        if done.returncode == _CHECK_FAILED:
            heard = "the settings of the kernel could be written in it"
            break
        heard = done.stderr.strip().splitlines()[0] if done.stderr.strip() else f"exit status {done.returncode}"
    way_out = f"{_remedy()}say --no-jail for an app you trust"
    return _Probe(problem=f"no jail: bubblewrap does not work here ({heard}); {way_out}")


def _run_script(probe: _Probe, script: str, *more: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Runs a shell in a jail in which the whole file system can be read."""
    # The file itself: a link to it may lie in a folder that the jail hides.
    shell = str(Path(shutil.which("sh") or "/bin/sh").resolve())
    command = [probe.bwrap, *probe.isolation, "--ro-bind", "/", "/", *_kernel_mounts()]
    command += [*_tmpfs(Path("/tmp"), 1, sized=probe.sized), *more, "--", shell, "-c", script]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=PROBE_TIMEOUT_SECONDS, check=False, env=_ENVIRONMENT, **options
    )


# Settings of the kernel that keep users from making namespaces, the value that does, and the one that allows it.
_SETTINGS = (
    ("user/max_user_namespaces", "0", "10000"),
    ("kernel/unprivileged_userns_clone", "0", "1"),
    ("kernel/apparmor_restrict_unprivileged_userns", "1", "0"),
)
_CONTAINER_MARKS = ("/.dockerenv", "/run/.containerenv")


def _remedy(root: Path = Path("/")) -> str:
    """What allows a jail on this machine, with "or" behind it; empty if nothing is known."""
    if any((root / mark.lstrip("/")).exists() for mark in _CONTAINER_MARKS):
        names = ("seccomp", "apparmor", "systempaths")
        options = " ".join(f"--security-opt {name}=unconfined" for name in names)
        return f"start the container with {options}, or "
    for name, closed, opened in _SETTINGS:
        try:
            value = (root / "proc/sys" / name).read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError):
            continue
        if value == closed:
            return f"run sysctl {name.replace('/', '.')}={opened} as root, or "
    return ""


@dataclass(frozen=True, slots=True)
class Protection:
    """One protection of the jail, and whether this machine provides it.

    `instead` says what there is without it; where it says nothing, the jail does not do without.
    """

    name: str
    holds: bool
    instead: str = ""


# Words of the kernel's page about a process, by their lines. Without a second process, which the filter would refuse.
_STATUS_SCRIPT = """
while read -r name value rest; do
  case $name in Uid:|CapBnd:|NoNewPrivs:|Seccomp:) echo "$name$value";; esac
done < /proc/self/status
for name in kernel/hostname kernel/core_pattern vm/swappiness; do
  if command : >> /proc/sys/$name; then echo settings:open; fi
done
"""


def protections() -> tuple[Protection, ...]:
    """The protections of the jail as the kernel tells of them inside one; empty where there can be no jail."""
    probe = _probe()
    if probe.problem is not None:
        return ()
    program = filter_program()
    told: set[str] = set()
    with tempfile.TemporaryFile() as file:
        file.write(program or b"")
        file.seek(0)
        more = ("--seccomp", str(file.fileno())) if program is not None else ()
        try:
            done = _run_script(probe, _STATUS_SCRIPT, *more, pass_fds=(file.fileno(),))
        except (OSError, subprocess.TimeoutExpired):
            return ()
        told |= set(done.stdout.split())
    return (
        Protection("another user without rights", f"Uid:{_USER}" in told),
        Protection("no capabilities", "CapBnd:" + "0" * 16 in told),
        Protection("no new privileges", "NoNewPrivs:1" in told),
        Protection(
            "a filter of system calls",
            "Seccomp:2" in told,
            "" if program is not None else "there is none for this processor",
        ),
        Protection("kernel settings closed", "Uid:" in done.stdout and "settings:open" not in told),
        Protection("no further namespaces", _NO_NAMESPACES in probe.isolation, "bubblewrap 0.8 or newer has it"),
        Protection(
            "disks of limited size",
            probe.sized,
            "bubblewrap 0.7 or newer has it; what is on them is counted from outside once a second",
        ),
        Protection(
            "a control group",
            not missing_controllers(),
            f"none that limits {' and '.join(missing_controllers())} is handed over to this user; single limits and a"
            " count from outside do its work",
        ),
    )


def _tmpfs(folder: Path, size_mb: int, *, sized: bool) -> Iterator[str]:
    if sized:
        yield from ("--size", str(size_mb << 20))
    yield from ("--tmpfs", str(folder))


def _library_mounts(libraries: Sequence[Path]) -> Iterator[str]:
    """Single libraries, each in its own folder, and the settings of Java."""
    for name in _SYSTEM_FOLDERS:
        if Path(name).is_symlink():
            yield from ("--symlink", os.readlink(name), name)
    for library in sorted({path.parent.resolve() / path.name for path in libraries}):
        yield from ("--ro-bind", str(library.resolve()), str(library))
    yield from _mounts(("/etc/ssl/certs/java", *_LOCALES, *_java_configuration()))


def _system_mounts() -> Iterator[str]:
    yield from _mounts((*_SYSTEM_FOLDERS, *_SYSTEM_FILES, *_java_configuration()))


def _mounts(names: Iterable[str]) -> Iterator[str]:
    for name in names:
        path = Path(name)
        if path.is_symlink():
            # On a merged system /lib is a link into /usr: the link is created in the jail, and its target is mounted
            # as an entry of its own.
            yield from ("--symlink", os.readlink(path), name)
        elif path.exists():
            yield from ("--ro-bind", name, name)


def _java_configuration() -> Iterator[str]:
    """The folders of settings to which a distribution's Java runtime links."""
    for pattern in ("java", "java-*", "crypto-policies", "pki/java", "pki/ca-trust/extracted/java"):
        for path in sorted(Path("/etc").glob(pattern)):
            yield str(path)

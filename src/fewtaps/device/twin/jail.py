"""The jail: the part of the machine that a bridge process, and the app inside it, can see and use.

Inside there are the system's libraries, the Java runtime and the pinned jars, all read-only; small in-memory disks for
the files of the app; and one folder through which APKs are passed in. There is no network, no home folder, no other
process, no program to start and no environment variable of the user. `bubblewrap` builds it without privileges.

Without a jail the same process runs as an ordinary program of the user, with the same limits on memory and time.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fewtaps.device.twin.leftovers import make_folder, remove_folder
from fewtaps.device.twin.seccomp import filter_program

PROBE_TIMEOUT_SECONDS = 20
ROOT_INSIDE = Path("/twin")
# The parts of the system that a Java runtime may need; folders of programs are not among them.
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
    open_files: int = 4096

    @property
    def data_kb(self) -> int:
        """The limit on all private memory of the process."""
        return (self.heap_mb + self.outside_heap_mb) << 10

    @property
    def file_bytes(self) -> int:
        """The largest size of any file that the process writes."""
        return self.disk_mb << 20


@dataclass(frozen=True, slots=True)
class Place:
    """The folders of one bridge process: `host_…` are paths outside of the jail, the others paths inside."""

    host: Path
    inside: Path

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
        """Removes all folders with their content."""
        remove_folder(self.host)


def make_place(*, jailed: bool) -> Place:
    """Makes the folders of a new bridge process."""
    host = make_folder()
    place = Place(host, ROOT_INSIDE if jailed else host)
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


def jailed_command(command: list[str], place: Place, limits: JailLimits, read_only: Iterable[Path]) -> list[str]:
    """The command that runs `command` in the jail, where it sees the paths of `read_only` under their own names."""
    probe = _probe()
    arguments = [probe.bwrap, *probe.isolation, *_kernel_mounts()]
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
    arguments += _system_mounts()
    for path in sorted(set(read_only)):
        arguments += ["--ro-bind", str(path), str(path)]
    arguments += ["--ro-bind", str(place.host_inbox), str(place.inbox)]
    for outside, inside in ((place.host_report, place.report), (place.host_record, place.record)):
        arguments += ["--bind", str(outside), str(inside)]
    arguments += ["--remount-ro", "/", "--chdir", str(place.data), "--"]
    return limited_command([*arguments, *command], limits, place.host_filter if program is not None else None)


def limited_command(command: list[str], limits: JailLimits, opened: Path | None = None) -> list[str]:
    """The command that runs `command` under the limits on memory, time, files and file size, without core dumps.

    A file `opened` is open for reading in it, as the descriptor of the filter.
    """
    shell = shutil.which("sh")
    if shell is None:
        return command
    # A shell sets the limits, because a hook between fork and exec is not thread-safe. POSIX counts file sizes in
    # blocks of 512 bytes. A hard limit that is lower than ours stays: setting more would fail.
    wanted = {"-c": 0, "-t": limits.cpu_seconds, "-f": limits.file_bytes // 512, "-d": limits.data_kb}
    wanted |= {"-n": limits.open_files, "-l": 0}
    script = "".join(f"ulimit {option} {value} 2>/dev/null; " for option, value in wanted.items())
    script += 'exec "$@"' if opened is None else f'exec "$@" {_FILTER_DESCRIPTOR}<"$0"'
    return [shell, "-c", script, str(opened or "fewtaps-bridge"), *command]


def _kernel_mounts() -> Iterator[str]:
    """The kernel's own files, read-only: with settings of the machine hidden, and what tells of other processes."""
    yield from ("--proc", "/proc", "--tmpfs", "/proc/sys", "--remount-ro", "/proc/sys")
    for name in _HIDDEN_FILES:
        if Path(name).exists():
            yield from ("--ro-bind", "/dev/null", name)
    # /dev is an in-memory disk without a size limit, so it is made read-only.
    yield from ("--remount-ro", "/proc", "--dev", "/dev", "--remount-ro", "/dev")


@dataclass(frozen=True, slots=True)
class _Probe:
    bwrap: str = ""
    sized: bool = False
    isolation: tuple[str, ...] = ()
    problem: str | None = None


# An ordinary user inside, whatever the user is outside: root in a container could otherwise change the machine's
# settings.
_ISOLATION = (
    *("--unshare-all", "--unshare-user", "--uid", "65534", "--gid", "65534"),
    *("--die-with-parent", "--new-session", "--cap-drop", "ALL", "--hostname", "twin"),
)
# Older versions of bubblewrap lack it, and one that is installed setuid refuses it.
_NO_NAMESPACES = "--disable-userns"
_FILTER_DESCRIPTOR = 9
_HIDDEN_FILES = tuple(
    f"/proc/{name}" for name in ("kcore", "keys", "key-users", "kmsg", "kallsyms", "sysrq-trigger", "timer_list")
)
# Ends with status 9 if a setting of the kernel can be opened for writing.
_CHECK = "if ( : >> /proc/sys/kernel/hostname ) 2>/dev/null; then exit 9; fi"
_CHECK_FAILED = 9


@cache
def _probe() -> _Probe:
    """Tries the parts of a jail, once per process: a container or a kernel setting may forbid any of them."""
    if sys.platform != "linux":
        return _Probe(problem="there is no jail on this system: say --no-jail for an app you trust")
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        return _Probe(problem=f"no jail: {_GET_ONE}")
    # The file itself: a link to it may lie in a folder that the jail hides.
    shell = str(Path(shutil.which("sh") or "/bin/sh").resolve())
    heard = ""
    for extra, sized in (((_NO_NAMESPACES,), True), ((), True), ((), False)):
        isolation = (*_ISOLATION, *extra)
        command = [bwrap, *isolation, "--ro-bind", "/", "/", *_kernel_mounts()]
        command += [*_tmpfs(Path("/tmp"), 1, sized=sized), "--", shell, "-c", _CHECK]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=PROBE_TIMEOUT_SECONDS, check=False, env=_ENVIRONMENT
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            heard = str(error)
            continue
        if done.returncode == 0:
            return _Probe(bwrap, sized, isolation)
        if done.returncode == _CHECK_FAILED:
            heard = "the settings of the kernel could be written in it"
            break
        heard = done.stderr.strip().splitlines()[0] if done.stderr.strip() else f"exit status {done.returncode}"
    return _Probe(problem=f"no jail: bubblewrap does not work here ({heard}); say --no-jail for an app you trust")


def _tmpfs(folder: Path, size_mb: int, *, sized: bool) -> Iterator[str]:
    if sized:
        yield from ("--size", str(size_mb << 20))
    yield from ("--tmpfs", str(folder))


def _system_mounts() -> Iterator[str]:
    for name in (*_SYSTEM_FOLDERS, *_SYSTEM_FILES, *_java_configuration()):
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

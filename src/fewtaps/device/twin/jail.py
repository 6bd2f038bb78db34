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

PROBE_TIMEOUT_SECONDS = 20
ROOT_INSIDE = Path("/twin")
# The parts of the system that a Java runtime may need; folders of programs are not among them.
_SYSTEM_FOLDERS = ("/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/nix/store", "/gnu/store")
_SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ssl/certs/java", "/etc/alternatives")
# Folders that apps on a phone know by these fixed paths.
_APP_DISKS = ("/data", "/mnt", "/sdcard", "/storage", "/tmp")
SMALL_DISK_MB = 64
_ENVIRONMENT = {"LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin", "TZ": "UTC"}
_GET_ONE = "install bubblewrap (Debian, Ubuntu: apt install bubblewrap), or say --no-jail for an app you trust"


@dataclass(frozen=True, slots=True)
class JailLimits:
    """The limits of a bridge process. Java itself limits the heap, the operating system the rest."""

    heap_mb: int = 512
    disk_mb: int = 512
    cpu_seconds: int = 4 * 3600

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
        """The one file outside that the process may write to."""
        return self.host / "report"

    @property
    def report(self) -> Path:
        """The same file inside of the jail."""
        return self.inside / "report"

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
    arguments = [probe.bwrap, *_ISOLATION, "--proc", "/proc", "--dev", "/dev"]
    # /dev is an in-memory disk without a size limit, so it is made read-only.
    arguments += ["--remount-ro", "/dev"]
    # Before the read-only mounts, because their paths may be below one of these.
    arguments += _tmpfs(ROOT_INSIDE, limits.disk_mb, sized=probe.sized)
    for name in _APP_DISKS:
        arguments += _tmpfs(Path(name), SMALL_DISK_MB, sized=probe.sized)
    for folder in (place.data, place.cache, place.temporary):
        arguments += ["--dir", str(folder)]
    arguments += _system_mounts()
    for path in sorted(set(read_only)):
        arguments += ["--ro-bind", str(path), str(path)]
    arguments += ["--ro-bind", str(place.host_inbox), str(place.inbox)]
    arguments += ["--bind", str(place.host_report), str(place.report)]
    arguments += ["--remount-ro", "/", "--chdir", str(place.data), "--"]
    return limited_command([*arguments, *command], limits)


def limited_command(command: list[str], limits: JailLimits) -> list[str]:
    """The command that runs `command` under the limits on time and file size, and without core dumps."""
    shell = shutil.which("sh")
    if shell is None:
        return command
    # A shell sets the limits, because a hook between fork and exec is not thread-safe. POSIX counts file sizes in
    # blocks of 512 bytes.
    script = f'ulimit -c 0; ulimit -t {limits.cpu_seconds}; ulimit -f {limits.file_bytes // 512}; exec "$@"'
    return [shell, "-c", script, "fewtaps-bridge", *command]


@dataclass(frozen=True, slots=True)
class _Probe:
    bwrap: str = ""
    sized: bool = False
    problem: str | None = None


_ISOLATION = ("--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--hostname", "twin")


@cache
def _probe() -> _Probe:
    """Tries the parts of a jail, once per process: a container or a kernel setting may forbid any of them."""
    if sys.platform != "linux":
        return _Probe(problem="there is no jail on this system: say --no-jail for an app you trust")
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        return _Probe(problem=f"no jail: {_GET_ONE}")
    program = shutil.which("true") or "/bin/true"
    heard = ""
    for sized in (True, False):
        command = [bwrap, *_ISOLATION, "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev"]
        command += [*_tmpfs(Path("/dev/shm"), 1, sized=sized), "--", program]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=PROBE_TIMEOUT_SECONDS, check=False, env=_ENVIRONMENT
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            heard = str(error)
            continue
        if done.returncode == 0:
            return _Probe(bwrap, sized)
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

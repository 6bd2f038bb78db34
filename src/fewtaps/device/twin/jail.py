"""The jail: what a bridge process, and the app inside it, can see and use of the machine.

Inside there are the system's libraries, the Java runtime and the pinned jars, all read-only; small disks in memory for
what the app writes; and one folder through which APKs are handed in. There is no network, no home folder, no other
process, no program to start and no environment variable of the user's. `bubblewrap` builds it, without any privilege.

Without a jail the same process runs as any other program of the user's, with the same limits on memory and time.
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
# Everything a Java runtime may need of the system; programs are not among it.
_SYSTEM_FOLDERS = ("/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/nix/store", "/gnu/store")
_SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ssl/certs/java", "/etc/alternatives")
# What an app may believe to be a phone's, by its fixed name.
_APP_DISKS = ("/data", "/mnt", "/sdcard", "/storage", "/tmp")
SMALL_DISK_MB = 64
_ENVIRONMENT = {"LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin", "TZ": "UTC"}
_GET_ONE = "install bubblewrap (Debian, Ubuntu: apt install bubblewrap), or say --no-jail for an app you trust"


@dataclass(frozen=True, slots=True)
class JailLimits:
    """What a bridge process may use up. The heap is limited by Java itself, the rest from outside."""

    heap_mb: int = 512
    disk_mb: int = 512
    cpu_seconds: int = 4 * 3600

    @property
    def file_bytes(self) -> int:
        """No file may grow past this, wherever it lies."""
        return self.disk_mb << 20


@dataclass(frozen=True, slots=True)
class Place:
    """The folders of one bridge process: `host_…` as we see them, the others as the process does."""

    host: Path
    inside: Path

    @property
    def host_inbox(self) -> Path:
        """Where we put APKs for the process to read."""
        return self.host / "in"

    @property
    def inbox(self) -> Path:
        """The same, seen from inside."""
        return self.inside / "in"

    @property
    def host_report(self) -> Path:
        """The one file outside that the process may write to."""
        return self.host / "report"

    @property
    def report(self) -> Path:
        """The same, seen from inside."""
        return self.inside / "report"

    @property
    def data(self) -> Path:
        """Where apps keep their files."""
        return self.inside / "data"

    @property
    def cache(self) -> Path:
        """Where the bridge keeps what it made of APKs."""
        return self.inside / "cache"

    @property
    def temporary(self) -> Path:
        """The process's folder for temporary files."""
        return self.inside / "tmp"

    def remove(self) -> None:
        """Forget the place and everything in it."""
        remove_folder(self.host)


def make_place(*, jailed: bool) -> Place:
    """A new place, with its folders."""
    host = make_folder()
    place = Place(host, ROOT_INSIDE if jailed else host)
    place.host_inbox.mkdir()
    place.host_report.touch()
    if not jailed:
        for folder in (place.data, place.cache, place.temporary):
            folder.mkdir()
    return place


def jail_problem() -> str | None:
    """Why there can be no jail on this machine, in one line that says what to do; None if there can."""
    return _probe().problem


def environment(place: Place) -> dict[str, str]:
    """All the environment variables a bridge process gets: none of the user's."""
    return _ENVIRONMENT | {"HOME": str(place.data), "TMPDIR": str(place.temporary)}


def jailed_command(command: list[str], place: Place, limits: JailLimits, read_only: Iterable[Path]) -> list[str]:
    """The command that runs `command` in the jail, where it sees the paths of `read_only` under their own names."""
    probe = _probe()
    arguments = [probe.bwrap, *_ISOLATION, "--proc", "/proc", "--dev", "/dev"]
    # The device folder is a disk in memory like any other: it must not become a place to fill.
    arguments += ["--remount-ro", "/dev"]
    # Before what is shown read-only, because that may lie below one of these.
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
    # In a shell because it needs no thread-unsafe hook between fork and exec. POSIX counts file sizes in 512 bytes.
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
    """Try what the jail is made of, once per process: a container or a kernel setting may forbid any part of it."""
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
            # On a merged system /lib is a link into /usr: the link is made again, its target is mounted by itself.
            yield from ("--symlink", os.readlink(path), name)
        elif path.exists():
            yield from ("--ro-bind", name, name)


def _java_configuration() -> Iterator[str]:
    """Where distributions keep the settings to which a Java runtime's own folder links."""
    for pattern in ("java", "java-*", "crypto-policies", "pki/java", "pki/ca-trust/extracted/java"):
        for path in sorted(Path("/etc").glob(pattern)):
            yield str(path)

"""The pinned Maven artifacts of the twin: which they are, where they are kept, how they get there.

`jars.lock.json` names every artifact by coordinate, size and SHA-256, and gives it a role:

- `run`: on the class path of the bridge;
- `app`: offered to apps that expect classes which newer Androids no longer carry;
- `compile`: the Java compiler, needed in a checkout only;
- `samples`: what building the sample apps needs;
- `format`: the formatter of the Java sources, needed by developers only;
- `android-<api>`: the Android framework of that API level.

A file enters the cache complete and checked, or not at all: it is downloaded into a private folder and moved by one
rename, so that several processes may fill one cache and an interrupted download leaves nothing behind but that folder.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import shutil
import ssl
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from fewtaps.cache import cache_dir
from fewtaps.device.backend import OnDownload
from fewtaps.errors import DeviceUnavailable
from fewtaps.stopping import check_stop

log = logging.getLogger(__name__)

LOCK_NAME = "jars.lock.json"
LOCK_VERSION = 1
# Searched after jgo's default repository: the androidx artifacts live only here.
SECOND_REPOSITORY = ("google", "https://maven.google.com")
DOWNLOAD_TIMEOUT_SECONDS = 60
STALE_SECONDS = 24 * 3600

Progress = OnDownload


@dataclass(frozen=True, slots=True)
class Artifact:
    """One pinned file: `coordinate` is `group:name:version`, or `group:name:packaging[:classifier]:version`."""

    coordinate: str
    role: str
    sha256: str
    size: int

    @property
    def parts(self) -> tuple[str, str, str, str, str]:
        """Group, name, packaging, classifier and version; packaging is `jar` and the classifier empty unless given."""
        pieces = self.coordinate.split(":")
        group, name, version = pieces[0], pieces[1], pieces[-1]
        packaging = pieces[2] if len(pieces) > 3 else "jar"
        classifier = pieces[3] if len(pieces) > 4 else ""
        return group, name, packaging, classifier, version

    @property
    def download_name(self) -> str:
        """The file's name in a Maven repository."""
        _, name, packaging, classifier, version = self.parts
        return f"{name}-{version}{'-' + classifier if classifier else ''}.{packaging}"

    @property
    def file_name(self) -> str:
        """The file's name in the cache: as in the repository, with the group where names are too common to stand alone.

        Android jars keep their plain name, because Robolectric looks for exactly that in its folder.
        """
        group = self.parts[0]
        return self.download_name if self.role.startswith("android-") else f"{group}.{self.download_name}"


def read_lock(text: str) -> tuple[Artifact, ...]:
    """Parse the text of a lock file."""
    document = json.loads(text)
    if document.get("version") != LOCK_VERSION:
        raise DeviceUnavailable(f"{LOCK_NAME} has version {document.get('version')}, expected {LOCK_VERSION}")
    return tuple(Artifact(a["coordinate"], a["role"], a["sha256"], a["size"]) for a in document["artifacts"])


@cache
def locked() -> tuple[Artifact, ...]:
    """All artifacts of the lock file that comes with this version."""
    return read_lock(files(__package__).joinpath(LOCK_NAME).read_text(encoding="utf-8"))


def lock_digest() -> str:
    """The SHA-256 of the lock file that comes with this version, in hexadecimal."""
    return hashlib.sha256(files(__package__).joinpath(LOCK_NAME).read_bytes()).hexdigest()


def android_apis(artifacts: Iterable[Artifact] | None = None) -> tuple[int, ...]:
    """The API levels the lock file knows, lowest first."""
    chosen = locked() if artifacts is None else artifacts
    return tuple(sorted(int(a.role.partition("-")[2]) for a in chosen if a.role.startswith("android-")))


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file's bytes, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


class JarStore:
    """The cached artifacts of one cache folder. Safe to use from several processes at once."""

    def __init__(self, folder: Path | None = None, artifacts: Iterable[Artifact] | None = None) -> None:
        self.root = folder or cache_dir()
        self.artifacts = tuple(locked() if artifacts is None else artifacts)

    @property
    def folder(self) -> Path:
        """Where the files lie, and where a user without network puts them."""
        return self.root / "jars"

    def of_role(self, *roles: str) -> tuple[Artifact, ...]:
        """The artifacts with one of these roles, in the order of the lock file."""
        return tuple(a for a in self.artifacts if a.role in roles)

    def missing(self, *roles: str) -> tuple[Artifact, ...]:
        """Those of these roles that the cache does not hold."""
        return tuple(a for a in self.of_role(*roles) if not self._is_held(a))

    def ensure(self, *roles: str, progress: Progress | None = None) -> tuple[Path, ...]:
        """Bring all artifacts of these roles into the cache and return their paths (of an AAR: its classes)."""
        chosen = self.of_role(*roles)
        absent = set(roles) - {a.role for a in chosen}
        if absent:
            raise DeviceUnavailable(f"no artifact is pinned for {', '.join(sorted(absent))}")
        try:
            for artifact in chosen:
                if not self._is_held(artifact):
                    self._fetch(artifact, progress)
            return tuple(self._usable(artifact) for artifact in chosen)
        except OSError as error:
            raise DeviceUnavailable(f"cannot keep files in the cache {self.root}: {error.strerror or error}") from error

    def _usable(self, artifact: Artifact) -> Path:
        path = self.folder / artifact.file_name
        return path if path.suffix != ".aar" else self._classes_of(path)

    def _is_held(self, artifact: Artifact) -> bool:
        """Whether the file is there and sound. A file a user put there is hashed once, then remembered by a stamp."""
        path = self.folder / artifact.file_name
        try:
            status = path.stat()
        except OSError:
            plain = self.folder / artifact.download_name
            if plain == path or not plain.is_file():
                return False
            # Put there by hand, under the name it has in the repository.
            path, status = plain, plain.stat()
        if status.st_size != artifact.size:
            return False
        stamp = self.root / "checked" / f"{artifact.file_name}.txt"
        seal = f"{artifact.sha256} {status.st_size} {status.st_mtime_ns}"
        if path.name == artifact.file_name and _read(stamp) == seal:
            return True
        if sha256_of(path) != artifact.sha256:
            return False
        if path.name != artifact.file_name:
            with self.private() as private:
                copy = Path(shutil.copy2(path, private / artifact.file_name))
                os.replace(copy, self.folder / artifact.file_name)
            status = (self.folder / artifact.file_name).stat()
            seal = f"{artifact.sha256} {status.st_size} {status.st_mtime_ns}"
        # A cache that cannot be written to still serves; it is only hashed again each time.
        with suppress(OSError):
            self._write(stamp, seal.encode())
        return True

    def _fetch(self, artifact: Artifact, progress: Progress | None) -> None:
        log.info("downloading %s (%.1f MB)", artifact.download_name, artifact.size / 1e6)
        with self.private() as private:
            try:
                path = download(artifact, private, progress)
            except DeviceUnavailable as error:
                raise DeviceUnavailable(f"{error}. Without network, put that file into {self.folder}") from error
            found = sha256_of(path)
            if found != artifact.sha256:
                raise DeviceUnavailable(
                    f"{artifact.download_name} arrived with SHA-256 {found}, the lock file says {artifact.sha256}"
                )
            self.folder.mkdir(parents=True, exist_ok=True)
            target = self.folder / artifact.file_name
            os.replace(path, target)
            status = target.stat()
        seal = f"{artifact.sha256} {status.st_size} {status.st_mtime_ns}"
        self._write(self.root / "checked" / f"{artifact.file_name}.txt", seal.encode())

    def _classes_of(self, aar: Path) -> Path:
        """The `classes.jar` inside an AAR, laid beside it."""
        target = aar.with_suffix(".classes.jar")
        if not target.exists():
            with zipfile.ZipFile(aar) as archive:
                self._write(target, archive.read("classes.jar"))
        return target

    def _write(self, target: Path, content: bytes) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        with self.private() as private:
            part = private / "part"
            part.write_bytes(content)
            os.replace(part, target)

    @contextmanager
    def private(self) -> Iterator[Path]:
        """A folder on the cache's own disk that no other process writes to, gone afterwards."""
        parent = self.root / "partial"
        parent.mkdir(parents=True, exist_ok=True)
        _sweep(parent)
        with tempfile.TemporaryDirectory(dir=parent, ignore_cleanup_errors=True) as name:
            yield Path(name)


def download(artifact: Artifact, folder: Path, progress: Progress | None = None) -> Path:
    """Download one artifact below `folder`, unchecked, and return where it lies."""
    # jgo pulls in requests: half a second that a filled cache should not cost.
    import requests
    from jgo.maven import MavenContext, PythonResolver

    context = MavenContext(
        resolver=PythonResolver(progress_callback=_for_jgo(artifact, progress)),
        repo_cache=folder,
        timeout=DOWNLOAD_TIMEOUT_SECONDS,
    )
    name, address = SECOND_REPOSITORY
    context.remote_repos[name] = address
    group, project, packaging, classifier, version = artifact.parts
    try:
        return context.project(group, project).at_version(version).artifact(classifier, packaging).resolve()
    except (requests.RequestException, RuntimeError, OSError) as error:
        if isinstance(error, OSError) and not isinstance(error, requests.RequestException):
            raise
        raise DeviceUnavailable(
            f"cannot download {artifact.download_name} ({artifact.coordinate}): {_cause(error)}"
        ) from error


def _for_jgo(artifact: Artifact, progress: Progress | None) -> Progress:
    """jgo announces small files such as POMs too; only the artifact itself is worth a line."""

    @contextmanager
    def start(name: str, size: int) -> Iterator[Callable[[int], None]]:
        is_shown = progress is not None and name == artifact.download_name
        with progress(name, size) if is_shown and progress else nullcontext(_ignore) as show:

            def received(count: int) -> None:
                check_stop()
                show(count)

            yield received

    return start


def _ignore(count: int) -> None:
    """Shows nothing."""


def _cause(error: BaseException) -> str:
    """What went wrong, in a few words: library messages carry addresses and object names."""
    inner: BaseException | None = error
    while inner is not None:
        if type(inner).__name__ in ("NameResolutionError", "gaierror"):
            return "the repository's name cannot be resolved (no network?)"
        if type(inner).__name__ in ("ConnectTimeout", "ReadTimeout", "ConnectTimeoutError", "ReadTimeoutError"):
            return "no answer from the repository"
        if isinstance(inner, ssl.SSLCertVerificationError):
            return (
                f"the repository's certificate cannot be verified ({inner.verify_message});"
                " behind a proxy that has its own, name its file in REQUESTS_CA_BUNDLE"
            )
        if isinstance(inner, ssl.SSLError):
            return f"no secure connection to the repository ({inner.reason or 'TLS failed'})"
        inner = inner.__cause__ or inner.__context__
    return "not found in any repository" if isinstance(error, RuntimeError) else "no connection to the repository"


def _sweep(parent: Path) -> None:
    """Remove private folders that a killed process left behind a day or more ago."""
    limit = time.time() - STALE_SECONDS
    for entry in parent.iterdir():
        try:
            if entry.stat().st_mtime < limit:
                shutil.rmtree(entry, ignore_errors=True)
        except FileNotFoundError:
            continue


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None

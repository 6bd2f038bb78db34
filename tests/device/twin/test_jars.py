"""The cache of pinned jars: complete and checked, or not there."""

from __future__ import annotations

import errno
import hashlib
import io
import multiprocessing
import ssl
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from fewtaps.device.twin import jars
from fewtaps.device.twin.jars import Artifact, JarStore, Progress, android_apis, locked, read_lock
from fewtaps.errors import DeviceUnavailable


def artifact(content: bytes, coordinate: str = "org.a:b:1.0", role: str = "run") -> Artifact:
    return Artifact(coordinate, role, hashlib.sha256(content).hexdigest(), len(content))


def aar(classes: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("AndroidManifest.xml", "<manifest/>")
        archive.writestr("classes.jar", classes)
    return buffer.getvalue()


class Repository:
    """Stands in for the network: serves what it holds, and counts."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **files: bytes) -> None:
        self.files = {name.replace("_", "."): content for name, content in files.items()}
        self.served: list[str] = []
        monkeypatch.setattr(jars, "download", self.download)

    def download(self, artifact: Artifact, folder: Path, progress: Progress | None = None) -> Path:
        name = artifact.download_name
        self.served.append(name)
        path = folder / name
        path.write_bytes(self.files[artifact.parts[1]])
        return path


def test_fetches_once_and_then_never_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = Repository(monkeypatch, b=b"one")
    store = JarStore(tmp_path, [artifact(b"one")])
    assert [a.coordinate for a in store.missing("run")] == ["org.a:b:1.0"]
    (path,) = store.ensure("run")
    assert path.read_bytes() == b"one"
    assert store.ensure("run") == (path,)
    assert store.missing("run") == ()
    assert repository.served == ["b-1.0.jar"]


def test_refuses_a_file_with_another_hash_and_keeps_nothing_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Repository(monkeypatch, b=b"two")
    store = JarStore(tmp_path, [artifact(b"one")])
    with pytest.raises(DeviceUnavailable, match="SHA-256"):
        store.ensure("run")
    assert not store.folder.exists() or list(store.folder.iterdir()) == []


def test_an_interrupted_download_leaves_nothing_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(artifact: Artifact, folder: Path, progress: Progress | None = None) -> Path:
        (folder / artifact.download_name).write_bytes(b"on")
        raise KeyboardInterrupt

    monkeypatch.setattr(jars, "download", interrupted)
    store = JarStore(tmp_path, [artifact(b"one")])
    with pytest.raises(KeyboardInterrupt):
        store.ensure("run")
    assert list((tmp_path / "partial").iterdir()) == []
    Repository(monkeypatch, b=b"one")
    assert store.ensure("run")[0].read_bytes() == b"one"


@pytest.mark.parametrize("name", ["org.a.b-1.0.jar", "b-1.0.jar"])
def test_takes_a_file_that_a_user_put_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    repository = Repository(monkeypatch)
    store = JarStore(tmp_path, [artifact(b"one")])
    store.folder.mkdir()
    (store.folder / name).write_bytes(b"one")
    assert store.ensure("run")[0].read_bytes() == b"one"
    assert repository.served == []


def test_a_cache_that_cannot_be_written_to_still_serves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(store: JarStore) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    store = JarStore(tmp_path, [artifact(b"one"), artifact(b"two", "org.a:c:1.0")])
    store.folder.mkdir()
    for name, content in (("org.a.b-1.0.jar", b"one"), ("org.a.c-1.0.jar", b"changed")):
        (store.folder / name).write_bytes(content)
    monkeypatch.setattr(JarStore, "private", refuse)
    assert [missing.download_name for missing in store.missing("run")] == ["c-1.0.jar"]
    with pytest.raises(DeviceUnavailable, match=r"cache .*: Read-only file system$"):
        store.ensure("run")


def test_replaces_a_file_that_was_cut_short_or_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = Repository(monkeypatch, b=b"one")
    store = JarStore(tmp_path, [artifact(b"one")])
    (path,) = store.ensure("run")
    for broken in (b"on", b"two"):
        path.write_bytes(broken)
        assert store.ensure("run")[0].read_bytes() == b"one"
    assert len(repository.served) == 3


def test_gives_the_classes_inside_an_aar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = aar(b"classes")
    Repository(monkeypatch, b=content)
    store = JarStore(tmp_path, [artifact(content, "org.a:b:aar:1.0")])
    (path,) = store.ensure("run")
    assert path.suffix == ".jar" and path.read_bytes() == b"classes"


def _fill(cache: Path, content: bytes) -> None:
    def download(artifact: Artifact, folder: Path, progress: Progress | None = None) -> Path:
        path = folder / artifact.download_name
        path.write_bytes(content)
        return path

    jars.download = download
    (path,) = JarStore(cache, [artifact(content, "org.a:b:aar:1.0")]).ensure("run")
    assert path.read_bytes() == b"classes"


@pytest.mark.slow
def test_several_processes_may_fill_one_cache(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_fill, args=(tmp_path, aar(b"classes"))) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0, 0, 0]


@pytest.mark.slow
def test_without_network_one_line_says_what_is_missing_and_where_to_put_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FEWTAPS_CACHE", str(tmp_path))
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    with pytest.raises(DeviceUnavailable) as caught:
        JarStore(artifacts=[artifact(b"one")]).ensure("run")
    message = str(caught.value)
    assert "b-1.0.jar" in message and str(tmp_path / "jars") in message and "\n" not in message


@contextmanager
def tls_server(folder: Path) -> Iterator[int]:
    """The port of a server on this machine whose certificate it has signed itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path = folder / "server.pem"
    path.write_bytes(pem + certificate.public_bytes(serialization.Encoding.PEM))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    with HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


def test_a_certificate_that_cannot_be_verified_is_called_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    with tls_server(tmp_path) as port:
        monkeypatch.setattr("jgo.maven._core.DEFAULT_REMOTE_REPOS", {"central": f"https://localhost:{port}"})
        with pytest.raises(DeviceUnavailable) as caught:
            JarStore(tmp_path / "cache", [artifact(b"one")]).ensure("run")
    message = str(caught.value)
    assert "certificate cannot be verified (self-signed certificate)" in message and "no connection" not in message
    assert str(tmp_path / "cache" / "jars") in message and "\n" not in message


def test_a_server_that_speaks_no_tls_is_not_called_no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    with HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        monkeypatch.setattr(
            "jgo.maven._core.DEFAULT_REMOTE_REPOS", {"central": f"https://127.0.0.1:{server.server_port}"}
        )
        with pytest.raises(DeviceUnavailable, match="no secure connection to the repository"):
            JarStore(tmp_path, [artifact(b"one")]).ensure("run")
        server.shutdown()
        thread.join()


def test_a_cache_that_cannot_be_written_is_unavailable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Repository(monkeypatch, b=b"one")
    (tmp_path / "cache").write_text("a file, not a folder")
    with pytest.raises(DeviceUnavailable, match="cannot keep files"):
        JarStore(tmp_path / "cache", [artifact(b"one")]).ensure("run")


def test_a_full_disk_is_unavailable_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(artifact: Artifact, folder: Path, progress: Progress | None = None) -> Path:
        (folder / "part").write_bytes(b"o")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(jars, "download", full)
    with pytest.raises(DeviceUnavailable, match="No space left"):
        JarStore(tmp_path, [artifact(b"one")]).ensure("run")
    assert list((tmp_path / "partial").iterdir()) == []


def test_a_role_that_nothing_has_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DeviceUnavailable, match="android-1"):
        JarStore(tmp_path, [artifact(b"one")]).ensure("android-1")


def test_progress_is_told_of_the_artifact_only() -> None:
    told: list[tuple[str, int]] = []

    @contextmanager
    def progress(name: str, size: int) -> Iterator[Callable[[int], None]]:
        yield lambda count: told.append((name, count))

    wrapped = jars._for_jgo(artifact(b"one"), progress)
    assert wrapped is not None
    for name in ("b-1.0.pom", "b-1.0.jar"):
        with wrapped(name, 3) as advance:
            advance(3)
    assert told == [("b-1.0.jar", 3)]


def test_the_lock_file_pins_every_artifact_once() -> None:
    artifacts = locked()
    assert len({a.coordinate for a in artifacts}) == len(artifacts) == len({a.file_name for a in artifacts})
    assert all(len(a.sha256) == 64 and a.size > 0 for a in artifacts)
    assert 28 in android_apis()


def test_a_lock_file_of_another_version_is_refused() -> None:
    with pytest.raises(DeviceUnavailable, match="version 99"):
        read_lock('{"version": 99, "artifacts": []}')

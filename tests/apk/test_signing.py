"""Signed APKs: both signatures, what is left out, keys."""

from __future__ import annotations

import base64
import io
import shutil
import stat
import subprocess
import zipfile
from pathlib import Path

import pytest

from fewtaps.apk.signing import ApkFile, SigningKey, make_key, own_key, read_key, signed_apk
from fewtaps.errors import UsageError

FILES = (
    ApkFile("AndroidManifest.xml", b"manifest" * 100),
    ApkFile("resources.arsc", b"table", is_stored=True),
    ApkFile("lib/x86/libx.so", b"\x7fELF" * 500, is_stored=True),
    ApkFile(f"assets/{'long/' * 30}name.txt", b"text"),
    ApkFile("META-INF/OTHER.SF", b"an old signature"),
    ApkFile("META-INF/services/some.Service", b"kept"),
    ApkFile("assets/large", bytes(range(256)) * 9000, is_stored=True),
)


@pytest.fixture(scope="module")
def key() -> SigningKey:
    return make_key()


@pytest.mark.slow
@pytest.mark.skipif(
    shutil.which("apksigner") is None or shutil.which("java") is None,
    reason="there is no apksigner on this machine, or no Java for it",
)
def test_androids_own_tool_accepts_both_signatures(key: SigningKey, tmp_path: Path) -> None:
    target = tmp_path / "signed.apk"
    target.write_bytes(signed_apk(FILES, key))
    command = ["apksigner", "verify", "-v", "--min-sdk-version", "21", "--max-sdk-version", "33", str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "(JAR signing): true" in done.stdout, done.stdout + done.stderr
    assert "(APK Signature Scheme v2): true" in done.stdout
    target.write_bytes(target.read_bytes().replace(b"\x7fELF", b"\x7fELG", 1))
    assert subprocess.run(command, capture_output=True, check=False).returncode != 0


def test_stored_files_are_aligned_and_old_signatures_are_left_out(key: SigningKey) -> None:
    content = signed_apk(FILES, key)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        assert "META-INF/OTHER.SF" not in archive.namelist()
        assert archive.read("META-INF/services/some.Service") == b"kept"
        for entry in archive.infolist():
            if entry.compress_type == zipfile.ZIP_STORED:
                head = content[entry.header_offset : entry.header_offset + 30]
                begin = entry.header_offset + 30 + int.from_bytes(head[26:28], "little")
                begin += int.from_bytes(head[28:30], "little")
                assert begin % (16384 if entry.filename.endswith(".so") else 4) == 0, entry.filename


def test_the_own_key_is_made_once_and_is_the_users_alone(tmp_path: Path) -> None:
    path = tmp_path / "keys" / "own.pem"
    first, second = own_key(path), own_key(path)
    assert first.certificate == second.certificate
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [each.name for each in path.parent.iterdir()] == ["own.pem"]


def test_a_key_without_its_certificate_is_refused(key: SigningKey) -> None:
    assert read_key(key.to_pem(), "key.pem").public_key == key.public_key
    with pytest.raises(UsageError, match=r"key\.pem: not a PEM file"):
        read_key(b"no key", "key.pem")
    begin = make_key().to_pem().partition(b"-----BEGIN CERTIFICATE")[0]
    certificate = key.to_pem()[key.to_pem().index(b"-----BEGIN CERTIFICATE") :]
    with pytest.raises(UsageError, match="not that of the key"):
        read_key(begin + certificate, "key.pem")


def test_a_key_of_an_unknown_algorithm_is_refused(key: SigningKey) -> None:
    pem = key.to_pem().decode()
    head, begin, rest = pem.partition("-----BEGIN PRIVATE KEY-----")
    content, end, more = rest.partition("-----END PRIVATE KEY-----")
    damaged = base64.b64decode(content).replace(bytes.fromhex("2a864886f70d0101"), bytes.fromhex("2a864886f7110101"), 1)
    changed = head + begin + "\n" + base64.encodebytes(damaged).decode() + end + more
    with pytest.raises(UsageError, match=r"key\.pem: not a PEM file"):
        read_key(changed.encode(), "key.pem")

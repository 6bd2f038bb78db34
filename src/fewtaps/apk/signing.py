"""Writes an APK with the signatures of versions 1 and 2, which all Androids accept, by a key of our own.

A signature of version 1 is a list of digests of all files in META-INF, for Android before 7. One of version 2 is a
block before the directory of the ZIP file, with digests of all that is around it.
"""

from __future__ import annotations

import base64
import datetime
import hashlib
import io
import os
import struct
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.serialization.pkcs7 import PKCS7Options, PKCS7SignatureBuilder
from cryptography.x509.oid import NameOID

from fewtaps.errors import UsageError
from fewtaps.files import refusal

KEY_BITS = 2048
YEARS = 30
ALIGNMENT = 4
LIBRARY_ALIGNMENT = 16384
"""Libraries that are not compressed are mapped into memory, in pages of up to 16 kB."""
LINE_BYTES = 70
CHUNK_BYTES = 1 << 20
RSA_SHA256 = 0x0103
BLOCK_ID = 0x7109871A
BLOCK_MAGIC = b"APK Sig Block 42"
END = struct.Struct("<4s4H2LH")
END_MARK = b"PK\x05\x06"
ZIP_TIME = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class ApkFile:
    """One entry of the archive, as it is to be written; `is_stored` leaves it uncompressed."""

    name: str
    content: bytes
    is_stored: bool = False


class SigningKey:
    """A private key of RSA with its certificate."""

    def __init__(self, key: rsa.RSAPrivateKey, certificate: x509.Certificate) -> None:
        self._key = key
        self._certificate = certificate

    @property
    def certificate(self) -> bytes:
        """The self-signed certificate in DER, which the blocks of all schemes carry."""
        return self._certificate.public_bytes(serialization.Encoding.DER)

    @property
    def public_key(self) -> bytes:
        """The key in DER with which Android verifies the signature."""
        format_ = serialization.PublicFormat.SubjectPublicKeyInfo
        return self._key.public_key().public_bytes(serialization.Encoding.DER, format_)

    def sign(self, data: bytes) -> bytes:
        """The signature of these bytes, RSA with SHA-256."""
        return self._key.sign(data, padding.PKCS1v15(), hashes.SHA256())

    def sign_detached(self, data: bytes) -> bytes:
        """A PKCS #7 file that signs these bytes without having them."""
        builder = PKCS7SignatureBuilder().set_data(data).add_signer(self._certificate, self._key, hashes.SHA256())
        options = [PKCS7Options.DetachedSignature, PKCS7Options.Binary, PKCS7Options.NoAttributes]
        return builder.sign(serialization.Encoding.DER, options)

    def to_pem(self) -> bytes:
        """Key and certificate, as `read_key` reads them."""
        private = self._key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        return private + self._certificate.public_bytes(serialization.Encoding.PEM)


def make_key() -> SigningKey:
    """A new key with a certificate that it signs itself."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=KEY_BITS)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Fewtaps, instrumented apps")])
    now = datetime.datetime.now(datetime.UTC)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    builder = builder.serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(days=1))
    builder = builder.not_valid_after(now + datetime.timedelta(days=365 * YEARS))
    return SigningKey(key, builder.sign(key, hashes.SHA256()))


def read_key(content: bytes, name: str) -> SigningKey:
    """The key of a PEM file with a private key and its certificate. Raises UsageError for anything else."""
    try:
        key = serialization.load_pem_private_key(content, password=None)
        certificate = x509.load_pem_x509_certificate(content)
        certified = certificate.public_key()
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise UsageError(
            f"{name}: not a PEM file with a private key, without a password, and its certificate"
        ) from error
    if not isinstance(key, rsa.RSAPrivateKey):
        raise UsageError(f"{name}: only keys of RSA are supported")
    if certified != key.public_key():
        raise UsageError(f"{name}: the certificate is not that of the key")
    return SigningKey(key, certificate)


def own_key(path: Path) -> SigningKey:
    """The key in a file that only the user can read; made when there is none. Raises UsageError."""
    try:
        return read_key(path.read_bytes(), str(path))
    except FileNotFoundError:
        key = make_key()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror or error})") from error
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{path.name}.{os.getpid()}")
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(handle, "wb") as stream:
            stream.write(key.to_pem())
        try:
            # Two commands may make one at the same time: the first wins.
            os.link(part, path)
        except FileExistsError:
            return read_key(path.read_bytes(), str(path))
        finally:
            part.unlink()
    except OSError as error:
        raise refusal(path, error) from error
    return key


def is_signature(name: str) -> bool:
    """Whether a file of an APK belongs to a signature of version 1."""
    folder, _, file = name.upper().rpartition("/")
    if folder != "META-INF":
        return False
    return file == "MANIFEST.MF" or file.startswith("SIG-") or file.endswith((".SF", ".RSA", ".DSA", ".EC"))


def signed_apk(files: Iterable[ApkFile], key: SigningKey) -> bytes:
    """An APK of these files, signed; signatures among them are left out."""
    kept = [file for file in files if not is_signature(file.name)]
    return _with_block(_zipped([*_first_version(kept, key), *kept]), key)


def _first_version(files: Sequence[ApkFile], key: SigningKey) -> tuple[ApkFile, ...]:
    head = b"Manifest-Version: 1.0\r\nCreated-By: fewtaps\r\n\r\n"
    sections = [_section(file.name, hashlib.sha256(file.content).digest()) for file in files]
    manifest = head + b"".join(sections)
    main = b"Signature-Version: 1.0\r\nCreated-By: fewtaps\r\nX-Android-APK-Signed: 2\r\n"
    main += b"SHA-256-Digest-Manifest: " + base64.b64encode(hashlib.sha256(manifest).digest()) + b"\r\n\r\n"
    rows = [_section(file.name, hashlib.sha256(part).digest()) for file, part in zip(files, sections, strict=True)]
    signature = main + b"".join(rows)
    return (
        ApkFile("META-INF/MANIFEST.MF", manifest),
        ApkFile("META-INF/CERT.SF", signature),
        ApkFile("META-INF/CERT.RSA", key.sign_detached(signature)),
    )


def _section(name: str, digest: bytes) -> bytes:
    line = f"Name: {name}".encode()
    parts = [line[:LINE_BYTES]]
    rest = line[LINE_BYTES:]
    while rest:
        parts.append(b" " + rest[: LINE_BYTES - 1])
        rest = rest[LINE_BYTES - 1 :]
    return b"\r\n".join(parts) + b"\r\nSHA-256-Digest: " + base64.b64encode(digest) + b"\r\n\r\n"


def _zipped(files: Iterable[ApkFile]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for file in files:
            entry = zipfile.ZipInfo(file.name, ZIP_TIME)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_STORED if file.is_stored else zipfile.ZIP_DEFLATED
            if file.is_stored:
                unit = LIBRARY_ALIGNMENT if file.name.endswith(".so") else ALIGNMENT
                begin = target.tell() + 30 + len(file.name.encode())
                entry.extra = _padding(-begin % unit, unit)
            archive.writestr(entry, file.content)
    return target.getvalue()


def _padding(size: int, unit: int) -> bytes:
    """An extra field of this size, or of the next that can be one: they have six bytes at least."""
    if size == 0:
        return b""
    while size < 6:
        size += unit
    return struct.pack("<HHH", 0xD935, size - 4, unit) + bytes(size - 6)


def _with_block(apk: bytes, key: SigningKey) -> bytes:
    end = apk.rindex(END_MARK)
    mark, *counts, directory_bytes, directory_at, comment = END.unpack(apk[end : end + END.size])
    contents, directory = apk[:directory_at], apk[directory_at : directory_at + directory_bytes]
    digest = _digest_of_chunks((contents, directory, apk[end:]))
    algorithm = struct.pack("<L", RSA_SHA256)
    signed = _sized(_sized(algorithm + _sized(digest))) + _sized(_sized(key.certificate)) + _sized(b"")
    signature = algorithm + _sized(key.sign(signed))
    signer = _sized(signed) + _sized(_sized(signature)) + _sized(key.public_key)
    value = _sized(_sized(signer))
    pair = struct.pack("<QL", len(value) + 4, BLOCK_ID) + value
    size = len(pair) + 8 + len(BLOCK_MAGIC)
    block = struct.pack("<Q", size) + pair + struct.pack("<Q", size) + BLOCK_MAGIC
    moved = END.pack(mark, *counts, directory_bytes, directory_at + len(block), comment)
    return contents + block + directory + moved + apk[end + END.size :]


def _sized(content: bytes) -> bytes:
    return struct.pack("<L", len(content)) + content


def _digest_of_chunks(sections: Iterable[bytes]) -> bytes:
    """The digest of version 2: of the digests of all pieces of a megabyte.

    The directory's place in the last section is that of the block, as long as there is none the directory's own.
    """
    digests = []
    for section in sections:
        for start in range(0, len(section), CHUNK_BYTES):
            chunk = section[start : start + CHUNK_BYTES]
            digests.append(hashlib.sha256(b"\xa5" + struct.pack("<L", len(chunk)) + chunk).digest())
    return hashlib.sha256(b"\x5a" + struct.pack("<L", len(digests)) + b"".join(digests)).digest()

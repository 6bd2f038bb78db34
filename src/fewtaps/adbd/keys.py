"""Checks the signatures of adb's RSA keys."""

from __future__ import annotations

import base64
import binascii
import hmac
import struct
from dataclasses import dataclass

from fewtaps.errors import UsageError
from fewtaps.model.event import printable

_WORDS = 64
_BYTES = 4 * _WORDS
_FORMAT = struct.Struct(f"<II{_BYTES}s{_BYTES}sI")
_SHA1_PREFIX = bytes.fromhex("3021300906052b0e03021a05000414")
TOKEN_BYTES = 20


@dataclass(frozen=True, slots=True)
class AdbKey:
    """A public RSA key of 2048 bits."""

    modulus: int
    exponent: int

    def has_signed(self, token: bytes, signature: bytes) -> bool:
        """Whether the signature is that of the token, which adb treats as a SHA-1 digest."""
        if len(signature) != _BYTES:
            return False
        padded = pow(int.from_bytes(signature, "big"), self.exponent, self.modulus).to_bytes(_BYTES, "big")
        digest = _SHA1_PREFIX + token
        return hmac.compare_digest(padded, b"\x00\x01" + b"\xff" * (_BYTES - 3 - len(digest)) + b"\x00" + digest)


def read_keys(text: str, name: str) -> tuple[AdbKey, ...]:
    """The keys of a file such as adbkey.pub, one per line. Raises UsageError, naming the file."""
    keys = tuple(_key(line.split()[0], name) for line in text.splitlines() if line.strip())
    if not keys:
        raise UsageError(f"{name}: no key in it")
    return keys


def _key(word: str, name: str) -> AdbKey:
    try:
        words, _, modulus, _, exponent = _FORMAT.unpack(base64.b64decode(word, validate=True))
    except (binascii.Error, struct.error, ValueError) as error:
        raise UsageError(f"{name}: not a public key of adb: {printable(word, 20)}") from error
    number = int.from_bytes(modulus, "little")
    if words != _WORDS or number % 2 == 0 or number.bit_length() != 8 * _BYTES or exponent not in (3, 65537):
        raise UsageError(f"{name}: not a public RSA key of 2048 bits: {printable(word, 20)}")
    return AdbKey(number, exponent)

"""Packets of adb's transport: 24 bytes of header, then the payload."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

HEADER = struct.Struct("<6I")
MAX_PAYLOAD = 1 << 20
"""Most bytes in one packet, as in adb since Android 9."""
SMALLEST_PAYLOAD = 4096
"""Most bytes in a packet of a host that is not let in yet."""
OLD_VERSION, VERSION = 0x01000000, 0x01000001
"""Only packets of the old version carry checksums."""

SYNC, CNXN, AUTH, OPEN, OKAY, CLSE, WRTE = (
    int.from_bytes(name, "little") for name in (b"SYNC", b"CNXN", b"AUTH", b"OPEN", b"OKAY", b"CLSE", b"WRTE")
)


class TransportError(ValueError):
    """The other side broke adb's protocol; the connection cannot go on."""


@dataclass(frozen=True, slots=True)
class Packet:
    """One message of the transport; the meaning of the two arguments depends on the command."""

    command: int
    arg0: int
    arg1: int
    payload: bytes = b""

    def encode(self, *, with_checksum: bool = True) -> bytes:
        """The bytes for the wire."""
        checksum = sum(self.payload) & 0xFFFFFFFF if with_checksum else 0
        magic = self.command ^ 0xFFFFFFFF
        return HEADER.pack(self.command, self.arg0, self.arg1, len(self.payload), checksum, magic) + self.payload


class PacketReader:
    """Cuts received bytes into packets. It holds one packet at most."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self.max_payload = SMALLEST_PAYLOAD

    @property
    def held(self) -> int:
        """The bytes of a packet that is not complete."""
        return len(self._buffer)

    def feed(self, data: bytes) -> Iterator[Packet]:
        """The packets that are complete with these bytes. Raises TransportError for bytes that are no packets.

        Checksums of hosts are not checked, as in Android's own adbd: some clients write wrong ones. `max_payload` may
        change between two packets.
        """
        self._buffer += data
        while len(self._buffer) >= HEADER.size:
            command, arg0, arg1, length, _, magic = HEADER.unpack_from(self._buffer)
            if magic != command ^ 0xFFFFFFFF:
                raise TransportError(f"a packet has the wrong magic number {magic:#010x}")
            if length > self.max_payload:
                raise TransportError(f"a packet says that it has {length} bytes; {self.max_payload} are allowed")
            end = HEADER.size + length
            if len(self._buffer) < end:
                return
            payload = bytes(self._buffer[HEADER.size : end])
            del self._buffer[:end]
            yield Packet(command, arg0, arg1, payload)

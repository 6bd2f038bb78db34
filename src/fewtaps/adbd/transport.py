"""The device's side of adb's transport: bytes in, bytes out, and channels for the streams between.

It does no input or output itself. `receive` takes bytes of the host and returns the streams that the host opened;
`collect` moves what the services wrote into packets; `take_output` gives the bytes for the host.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from fewtaps.adbd.channel import Channel
from fewtaps.adbd.keys import TOKEN_BYTES, AdbKey
from fewtaps.adbd.packets import (
    AUTH,
    CLSE,
    CNXN,
    MAX_PAYLOAD,
    OKAY,
    OLD_VERSION,
    OPEN,
    SMALLEST_PAYLOAD,
    SYNC,
    VERSION,
    WRTE,
    Packet,
    PacketReader,
    TransportError,
)

MAX_STREAMS = 512
"""Streams of one connection; the host's next `OPEN` is refused."""
MAX_SERVICE_NAME = 1 << 17
"""Bytes in the name of a service, which holds the whole command line of a shell."""
MAX_TRIES = 16
"""Signatures that a host may offer."""
UNSENT_BYTES = 4 << 20
"""While so many bytes wait for the host, it is not read."""
UNREAD_BYTES = 4 << 20
"""A host that writes so many bytes to a service that does not read, without waiting for an OKAY, is left."""
AHEAD_BYTES = 2 << 20
"""A host that is so far ahead of a service is not read, unless the service waits for the host itself."""

_TOKEN, _SIGNATURE, _PUBLIC_KEY = 1, 2, 3


@dataclass(slots=True)
class AdbStream:
    """One stream: the host's number for it, and which packets in either direction wait for an OKAY."""

    local: int
    remote: int
    service: str
    channel: Channel = field(default_factory=Channel)
    waits_for_okay: bool = False
    owed: int = 0
    """Packets of the host that were not answered with an OKAY yet. adb waits for it, other clients do not."""
    has_ended: bool = False
    """The service has returned; the stream is closed once all is sent."""


def _is_ahead(stream: AdbStream) -> bool:
    return len(stream.channel.incoming) > AHEAD_BYTES and not (stream.has_ended or stream.waits_for_okay)


class Transport:
    """One connection of a host. Raises TransportError from `receive` when it cannot go on."""

    def __init__(
        self,
        banner: str,
        keys: Sequence[AdbKey] = (),
        make_token: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        self._banner = banner
        self._keys = tuple(keys)
        self._make_token = make_token
        self._token = b""
        self._tries = 0
        self._reader = PacketReader()
        self._output = bytearray()
        self._next = 1
        self._version = VERSION
        self._max_payload = SMALLEST_PAYLOAD
        self.is_online = False
        self.streams: dict[int, AdbStream] = {}

    @property
    def takes_more(self) -> bool:
        """Whether the host may be read: not while it leaves our output unread, or is ahead of a service."""
        return len(self._output) < UNSENT_BYTES and not any(map(_is_ahead, self.streams.values()))

    @property
    def held(self) -> int:
        """The bytes that wait anywhere in this connection."""
        waiting = sum(stream.channel.held for stream in self.streams.values())
        return waiting + len(self._output) + self._reader.held

    def receive(self, data: bytes) -> list[AdbStream]:
        """Takes bytes of the host; returns the streams that it opened with them."""
        opened: list[AdbStream] = []
        for packet in self._reader.feed(data):
            stream = self._handle(packet)
            if stream is not None:
                opened.append(stream)
        return opened

    def collect(self) -> None:
        """Makes packets of what the services wrote, and of what they took."""
        for stream in list(self.streams.values()):
            channel = stream.channel
            if channel.takes_more or stream.has_ended:
                for _ in range(stream.owed):
                    self._send(OKAY, stream.local, stream.remote)
                stream.owed = 0
            if channel.outgoing and not stream.waits_for_okay:
                part = bytes(channel.outgoing[: self._max_payload])
                del channel.outgoing[: len(part)]
                stream.waits_for_okay = True
                self._send(WRTE, stream.local, stream.remote, part)
            elif stream.has_ended and not channel.outgoing and not stream.waits_for_okay:
                self._close(stream)

    def take_output(self) -> bytearray:
        """The bytes for the host; the caller removes what it has sent."""
        return self._output

    def _send(self, command: int, arg0: int, arg1: int, payload: bytes = b"") -> None:
        # The host's version is known only after its CNXN; the answer to that carries a checksum in any case.
        with_checksum = self._version < VERSION or command in (CNXN, AUTH)
        self._output += Packet(command, arg0, arg1, payload).encode(with_checksum=with_checksum)

    def _handle(self, packet: Packet) -> AdbStream | None:
        if packet.command == CNXN:
            self._connect(packet)
        elif packet.command == AUTH:
            self._authorize(packet)
        elif packet.command == SYNC:
            raise TransportError("the host sent a packet that is for its own use only")
        elif not self.is_online:
            raise TransportError("the host opened no connection before it used it")
        elif packet.command == OPEN:
            return self._open(packet)
        elif packet.command in (OKAY, WRTE, CLSE):
            self._on_stream(packet)
        # Packets of other kinds are ignored, as Android does.
        return None

    def _connect(self, packet: Packet) -> None:
        if packet.arg1 < 256:
            raise TransportError(f"the host takes packets of {packet.arg1} bytes only")
        for stream in list(self.streams.values()):
            self._forget(stream)
        self.is_online = False
        self._version = min(max(packet.arg0, OLD_VERSION), VERSION)
        self._max_payload = min(packet.arg1, MAX_PAYLOAD)
        if self._keys:
            self._ask()
        else:
            self._welcome()

    def _ask(self) -> None:
        self._token = self._make_token(TOKEN_BYTES)
        self._send(AUTH, _TOKEN, 0, self._token)

    def _authorize(self, packet: Packet) -> None:
        if not self._token:
            raise TransportError("the host signed what it was not asked to sign")
        if packet.arg0 == _SIGNATURE:
            if any(key.has_signed(self._token, packet.payload) for key in self._keys):
                self._token = b""
                self._welcome()
                return
            self._tries += 1
            if self._tries >= MAX_TRIES:
                raise TransportError("none of the host's keys is allowed here")
            self._ask()
        elif packet.arg0 != _PUBLIC_KEY:
            raise TransportError("the host answered with neither a signature nor a key")
        # A public key that is not known is not answered: adb shows the device as unauthorized.

    def _welcome(self) -> None:
        self.is_online = True
        self._reader.max_payload = MAX_PAYLOAD
        self._send(CNXN, self._version, MAX_PAYLOAD, self._banner.encode())

    def _open(self, packet: Packet) -> AdbStream | None:
        if packet.arg0 == 0 or len(self.streams) >= MAX_STREAMS or len(packet.payload) > MAX_SERVICE_NAME:
            self._send(CLSE, 0, packet.arg0)
            return None
        stream = AdbStream(self._next, packet.arg0, packet.payload.rstrip(b"\0").decode("utf-8", "surrogateescape"))
        self._next = self._next % 0xFFFFFFFF + 1
        while self._next in self.streams:
            self._next += 1
        self.streams[stream.local] = stream
        return stream

    def accept(self, stream: AdbStream) -> None:
        """Tells the host that its stream is open."""
        self._send(OKAY, stream.local, stream.remote)

    def refuse(self, stream: AdbStream) -> None:
        """Tells the host that there is no such service."""
        self.streams.pop(stream.local, None)
        self._send(CLSE, 0, stream.remote)

    def _on_stream(self, packet: Packet) -> None:
        stream = self.streams.get(packet.arg1)
        if stream is None or (packet.arg0 != stream.remote and packet.command != CLSE):
            if packet.command == WRTE:
                self._send(CLSE, packet.arg1, packet.arg0)
            return
        if packet.command == OKAY:
            stream.waits_for_okay = False
        elif packet.command == CLSE:
            self._forget(stream)
            self._send(CLSE, stream.local, packet.arg0)
        else:
            if not stream.has_ended:
                stream.channel.incoming += packet.payload
                if stream.owed and len(stream.channel.incoming) > UNREAD_BYTES:
                    raise TransportError("the host writes faster than it is read, and waits for no OKAY")
            stream.owed += 1

    def _forget(self, stream: AdbStream) -> None:
        self.streams.pop(stream.local, None)
        stream.channel.is_ended = stream.channel.is_gone = True
        stream.channel.outgoing.clear()

    def _close(self, stream: AdbStream) -> None:
        self._forget(stream)
        self._send(CLSE, stream.local, stream.remote)

    def end(self) -> None:
        """Tells all services that the host is gone."""
        for stream in list(self.streams.values()):
            self._forget(stream)

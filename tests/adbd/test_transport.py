"""adb's transport as a state machine: what a host sends, what comes back, and when it ends."""

from __future__ import annotations

import base64
import hashlib
import random
import struct

import pytest

from fewtaps.adbd.keys import AdbKey, read_keys
from fewtaps.adbd.packets import (
    AUTH,
    CLSE,
    CNXN,
    HEADER,
    MAX_PAYLOAD,
    OKAY,
    OLD_VERSION,
    OPEN,
    SMALLEST_PAYLOAD,
    VERSION,
    WRTE,
    Packet,
    PacketReader,
    TransportError,
)
from fewtaps.adbd.transport import MAX_STREAMS, Transport
from fewtaps.errors import UsageError

HELLO = Packet(CNXN, VERSION, MAX_PAYLOAD, b"host::features=shell_v2")


def taken(transport: Transport) -> list[Packet]:
    """What the device has sent."""
    output = transport.take_output()
    reader = PacketReader()
    reader.max_payload = MAX_PAYLOAD
    packets = list(reader.feed(bytes(output)))
    output.clear()
    return packets


def connected(version: int = VERSION) -> Transport:
    transport = Transport("device::features=shell_v2")
    assert transport.receive(Packet(CNXN, version, MAX_PAYLOAD, b"host::").encode()) == []
    assert [packet.command for packet in taken(transport)] == [CNXN]
    return transport


def opened(transport: Transport, remote: int = 7, service: bytes = b"shell:ls\0") -> int:
    (stream,) = transport.receive(Packet(OPEN, remote, 0, service).encode())
    transport.accept(stream)
    (packet,) = taken(transport)
    assert (packet.command, packet.arg1) == (OKAY, remote)
    return packet.arg0


def test_a_host_is_welcomed_with_the_device_s_banner() -> None:
    transport = Transport("device::model=x")
    transport.receive(HELLO.encode())
    (answer,) = taken(transport)
    assert answer == Packet(CNXN, VERSION, MAX_PAYLOAD, b"device::model=x")
    assert transport.is_online


def test_bytes_may_arrive_one_by_one() -> None:
    transport = Transport("device::")
    for byte in HELLO.encode():
        transport.receive(bytes([byte]))
    assert [packet.command for packet in taken(transport)] == [CNXN]


def test_an_opened_stream_carries_bytes_both_ways() -> None:
    transport = connected()
    local = opened(transport)
    channel = transport.streams[local].channel
    transport.receive(Packet(WRTE, 7, local, b"question").encode())
    transport.collect()
    assert [packet.command for packet in taken(transport)] == [OKAY]
    assert channel.take() == b"question"
    channel.write(b"answer")
    transport.collect()
    assert taken(transport) == [Packet(WRTE, local, 7, b"answer")]


def test_the_next_packet_waits_for_the_host_s_okay() -> None:
    transport = connected()
    local = opened(transport)
    channel = transport.streams[local].channel
    channel.write(b"x" * (MAX_PAYLOAD + 5))
    transport.collect()
    transport.collect()
    assert [len(packet.payload) for packet in taken(transport)] == [MAX_PAYLOAD]
    transport.receive(Packet(OKAY, 7, local).encode())
    transport.collect()
    assert [len(packet.payload) for packet in taken(transport)] == [5]


def test_a_service_that_does_not_read_holds_the_host_back() -> None:
    transport = connected()
    local = opened(transport)
    transport.receive(Packet(WRTE, 7, local, b"x" * MAX_PAYLOAD).encode())
    transport.collect()
    assert taken(transport) == []
    # Some clients do not wait; they may be ahead by a few packets.
    for _ in range(3):
        transport.receive(Packet(WRTE, 7, local, b"x" * MAX_PAYLOAD).encode())
    transport.collect()
    assert taken(transport) == []
    with pytest.raises(TransportError, match="waits for no OKAY"):
        transport.receive(Packet(WRTE, 7, local, b"more").encode())


def test_packets_that_did_not_wait_are_all_answered() -> None:
    transport = connected()
    local = opened(transport)
    for _ in range(3):
        transport.receive(Packet(WRTE, 7, local, b"x").encode())
    transport.collect()
    assert [packet.command for packet in taken(transport)] == [OKAY] * 3


def test_a_stream_is_closed_after_its_last_byte_was_taken() -> None:
    transport = connected()
    local = opened(transport)
    stream = transport.streams[local]
    stream.channel.write(b"last")
    stream.has_ended = True
    transport.collect()
    assert [packet.command for packet in taken(transport)] == [WRTE]
    transport.receive(Packet(OKAY, 7, local).encode())
    transport.collect()
    assert taken(transport) == [Packet(CLSE, local, 7)]
    assert transport.streams == {}


def test_a_host_that_closes_a_stream_ends_its_channel() -> None:
    transport = connected()
    local = opened(transport)
    channel = transport.streams[local].channel
    transport.receive(Packet(CLSE, 7, local).encode())
    assert channel.is_gone and channel.is_ended and transport.streams == {}


def test_more_streams_than_allowed_are_refused() -> None:
    transport = connected()
    for number in range(1, MAX_STREAMS + 1):
        opened(transport, number)
    assert transport.receive(Packet(OPEN, 9999, 0, b"shell:\0").encode()) == []
    assert taken(transport) == [Packet(CLSE, 0, 9999)]


def test_bytes_for_a_stream_that_is_not_there_are_answered_with_its_close() -> None:
    transport = connected()
    transport.receive(Packet(WRTE, 5, 77, b"lost").encode())
    assert taken(transport) == [Packet(CLSE, 77, 5)]


def test_an_old_host_gets_checksums_and_its_own_are_not_checked() -> None:
    transport = connected(OLD_VERSION)
    local = opened(transport)
    transport.streams[local].channel.write(b"\x01\x02")
    transport.collect()
    assert HEADER.unpack_from(transport.take_output())[4] == 3
    damaged = bytearray(Packet(WRTE, 7, local, b"abc").encode())
    damaged[-1] ^= 1
    # As Android's own adbd: some clients, Maestro's among them, write wrong sums.
    transport.receive(bytes(damaged))
    assert transport.streams[local].channel.take() == b"abb"


def test_a_new_host_sends_no_checksums() -> None:
    transport = connected()
    local = opened(transport)
    transport.receive(Packet(WRTE, 7, local, b"abc").encode(with_checksum=False))
    assert transport.streams[local].channel.take() == b"abc"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (HEADER.pack(CNXN, VERSION, 4096, 0, 0, 0), "wrong magic"),
        (HEADER.pack(CNXN, VERSION, 4096, 0xFFFFFFFF, 0, CNXN ^ 0xFFFFFFFF), "4294967295 bytes"),
        (HEADER.pack(CNXN, VERSION, 4096, SMALLEST_PAYLOAD + 1, 0, CNXN ^ 0xFFFFFFFF), "4097 bytes"),
        (Packet(OPEN, 1, 0, b"shell:\0").encode(), "no connection"),
        (Packet(CNXN, VERSION, 3, b"host::").encode(), "packets of 3 bytes"),
        (Packet(AUTH, 2, 0, b"signature").encode(), "not asked"),
    ],
)
def test_a_host_that_breaks_the_protocol_is_told_apart(data: bytes, words: str) -> None:
    with pytest.raises(TransportError, match=words):
        Transport("device::").receive(data)


@pytest.mark.slow
def test_damaged_packets_end_a_connection_and_never_crash_it() -> None:
    randoms = random.Random(19)
    good = [
        HELLO,
        Packet(OPEN, 3, 0, b"shell:ls\0"),
        Packet(WRTE, 3, 1, b"abc"),
        Packet(OKAY, 3, 1),
        Packet(CLSE, 3, 1),
    ]
    for _ in range(20_000):
        transport = Transport("device::")
        data = bytearray(b"".join(randoms.choice(good).encode() for _ in range(randoms.randrange(1, 4))))
        for _ in range(randoms.randrange(4)):
            data[randoms.randrange(len(data))] = randoms.randrange(256)
        try:
            for stream in transport.receive(bytes(data[: randoms.randrange(len(data) + 1)])):
                transport.accept(stream)
            transport.collect()
        except TransportError:
            transport.end()
        assert transport.held < 1 << 17


def key_pair() -> tuple[AdbKey, int, str]:
    """A small key maker: a key, its secret exponent, and the public key as adb writes it."""
    randoms = random.Random(7)

    def prime() -> int:
        while True:
            number = randoms.getrandbits(1024) | (3 << 1022) | 1
            if (
                number % 3
                and number % 5
                and all(pow(base, number - 1, number) == 1 for base in (2, 3, 5))
                and ((number - 1) % 65537)
            ):
                return number

    p, q = prime(), prime()
    modulus = p * q
    secret = pow(65537, -1, (p - 1) * (q - 1))
    packed = struct.pack("<II256s256sI", 64, 0, modulus.to_bytes(256, "little"), bytes(256), 65537)
    return AdbKey(modulus, 65537), secret, base64.b64encode(packed).decode()


def signed(token: bytes, key: AdbKey, secret: int) -> bytes:
    digest = bytes.fromhex("3021300906052b0e03021a05000414") + token
    padded = b"\x00\x01" + b"\xff" * (256 - 3 - len(digest)) + b"\x00" + digest
    return pow(int.from_bytes(padded, "big"), secret, key.modulus).to_bytes(256, "big")


@pytest.mark.slow
def test_only_a_host_with_a_known_key_is_let_in() -> None:
    key, secret, written = key_pair()
    assert read_keys(f"{written} me@here\n", "adbkey.pub") == (key,)
    token = hashlib.sha1(b"token").digest()
    transport = Transport("device::", [key], lambda count: token)
    transport.receive(HELLO.encode())
    assert taken(transport) == [Packet(AUTH, 1, 0, token)]
    transport.receive(Packet(AUTH, 2, 0, signed(b"x" * 20, key, secret)).encode())
    assert [packet.command for packet in taken(transport)] == [AUTH]
    assert not transport.is_online
    transport.receive(Packet(AUTH, 2, 0, signed(token, key, secret)).encode())
    assert [packet.command for packet in taken(transport)] == [CNXN]


@pytest.mark.parametrize("text", ["", "AAAA me@here", "not base64!", base64.b64encode(bytes(524)).decode()])
def test_a_file_without_keys_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="k.pub"):
        read_keys(text, "k.pub")

"""The probes of an instrumented app, as the app itself would tell them: by its local socket, and by its file."""

from __future__ import annotations

import struct

from fewtaps.adbd.channel import Channel, Service
from fewtaps.adbd.phone import ServedPhone
from fewtaps.adbd.shell import CommandCall
from fewtaps.device.session import hit_teller
from fewtaps.errors import FewtapsError
from fewtaps.model.coverage import ProbeSet

MAGIC = b"FTP1"
FILE = "code_cache/fewtaps-probes"


def local_socket(rest: str, channel: Channel, phone: ServedPhone) -> Service | None:
    """The socket of the app, if it runs and has probes."""
    hits = _hits(phone) if rest == f"fewtaps-{phone.app.package}" and phone.is_running else None
    return None if hits is None else _tell(channel, hits)


def run_as(call: CommandCall) -> int:
    """`run-as PACKAGE cat code_cache/fewtaps-probes`: a byte for each probe. Nothing else of the app can be read."""
    phone = call.phone
    hits = _hits(phone) if call.arguments == [phone.app.package, "cat", FILE] else None
    if hits is None:
        return call.fail("the app's own files cannot be reached")
    bits = _packed(hits)
    call.stdout.write(bytes(bits[place >> 3] >> (place & 7) & 1 for place in range(len(bits) * 8)))
    return 0


def _hits(phone: ServedPhone) -> ProbeSet | None:
    teller = hit_teller(phone.session)
    if teller is None:
        return None
    try:
        return teller.probe_hits()
    except FewtapsError:
        # Not instrumented, or its process is gone.
        return None


def _tell(channel: Channel, hits: ProbeSet) -> Service:
    bits = _packed(hits)
    # No process of this run came before.
    channel.write(MAGIC + struct.pack(">L", len(bits)) + bits + bytes(len(bits)))
    yield from channel.flush()


def _packed(hits: ProbeSet) -> bytes:
    return hits.bits.to_bytes((hits.bits.bit_length() + 7) // 8, "little")

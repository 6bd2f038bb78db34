"""Notes every address that this Python means to reach beyond the machine, in the file that $NETWORK_WATCH names."""

from __future__ import annotations

import ipaddress
import os
import sys

_EVENTS = {"socket.connect": 1, "socket.sendto": 1, "socket.sendmsg": 1, "socket.getaddrinfo": 0}
_EVENTS |= {"socket.gethostbyname": 0, "socket.gethostbyaddr": 0}


def _is_own(host: object) -> bool:
    """Whether it is on this machine, or no address of a network at all."""
    if not isinstance(host, str) or host in ("", "localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback or ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    if event not in _EVENTS:
        return
    address = arguments[_EVENTS[event]]
    host = address[0] if isinstance(address, tuple) and address else address
    # A path is the address of a socket in the file system.
    if isinstance(address, str | bytes) and event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        return
    if not _is_own(host):
        with open(os.environ["NETWORK_WATCH"], "a", encoding="utf-8") as file:
            file.write(f"{event} {address!r} {sys.argv!r:.300}\n")


sys.addaudithook(_watch)

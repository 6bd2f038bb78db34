"""Where the processes of a farm listen: a message of the engine is a pickle, so whoever may send one runs code."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest
from local_farm import LocalFarm, children, listening

from fewtaps.farm.address import FarmAddress

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="sockets are looked up under /proc"),
]


def test_a_farm_without_certificates_listens_on_the_loopback_address_alone(farm: LocalFarm) -> None:
    slots = farm.slot_processes()
    assert len(slots) == 2
    assert listening(farm.hub.pid) == {"127.0.0.1"}
    for pid in slots:
        assert listening(pid) == {"127.0.0.1"}, "the engine takes all addresses of the machine unless it is told one"
    for worker in farm.workers:
        assert listening(worker.pid) == set() and children(worker.pid)


def test_a_slot_of_an_encrypted_farm_listens_where_it_reaches_the_hub(tmp_path: Path) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        try:
            line.connect(("192.0.2.1", 9))
        except OSError:
            pytest.skip("this machine has the loopback address alone")
        outside = line.getsockname()[0]
    assert FarmAddress("tls", "192.0.2.1", 9, tmp_path).listening_host() == outside

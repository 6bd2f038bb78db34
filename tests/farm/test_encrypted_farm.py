"""A farm with certificates: those who have them work together, others are refused."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from local_farm import LocalFarm, listening

from fewtaps.cli.main import main

pytestmark = pytest.mark.slow


def make_certs(folder: Path) -> Path:
    """An authority and a certificate that it signed, by the commands of docs/farm.md."""
    folder.mkdir()
    for command in (
        "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=farm -keyout ca-key.pem -out ca.pem",
        "openssl req -newkey rsa:2048 -nodes -subj /CN=farm-member -keyout key.pem -out request.pem",
        "openssl x509 -req -in request.pem -CA ca.pem -CAkey ca-key.pem -CAcreateserial -days 2 -out cert.pem",
    ):
        subprocess.run(command.split(), cwd=folder, check=True, capture_output=True, timeout=60)
    return folder


@pytest.fixture
def encrypted(tmp_path: Path) -> Iterator[LocalFarm]:
    """A farm with one simulated device."""
    made = LocalFarm(tmp_path, make_certs(tmp_path / "certs"))
    try:
        made.add_worker(1)
        yield made
    finally:
        made.close()


def test_certificates_decide_who_may_use_a_farm(
    encrypted: LocalFarm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FEWTAPS_FARM_CERTS", str(encrypted.certs))
    assert [listening(pid) for pid in encrypted.slot_processes()] == [{"127.0.0.1"}], "where it reaches this hub"
    output = str(tmp_path / "out")
    explore = ["explore", "sim:feed", "--events", "60", "--json", "--farm", encrypted.address]
    assert main([*explore, "-o", output]) == 0
    assert '"events": 60' in capsys.readouterr().out
    # A slot tells the hub of its work once a second.
    told, deadline = "", time.monotonic() + 20
    while '"tasks"' not in told and time.monotonic() < deadline:
        assert main(["farm", "status", encrypted.address, "--json"]) == 0
        told = capsys.readouterr().out
    assert '"tasks"' in told
    monkeypatch.setenv("FEWTAPS_FARM_CERTS", str(make_certs(tmp_path / "others")))
    assert main([*explore, "-o", str(tmp_path / "refused")]) == 3
    assert encrypted.address in capsys.readouterr().err
    plain = encrypted.address.replace("tls", "tcp")
    assert main(["farm", "status", plain]) == 3

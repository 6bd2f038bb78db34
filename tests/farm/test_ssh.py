"""A worker that is started over ssh, as in docs/farm.md: it lends its devices, and ends with the connection."""

from __future__ import annotations

import getpass
import os
import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from local_farm import LocalFarm, is_alive, until

SSHD = shutil.which("sshd", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"]))
SEPARATION = Path("/run/sshd")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(SSHD is None or shutil.which("ssh") is None, reason="there is no sshd on this machine"),
]


@pytest.fixture
def ssh(tmp_path: Path) -> Iterator[list[str]]:
    """The beginning of a command that runs on this machine over ssh."""
    assert SSHD is not None
    for name in ("host", "user"):
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / name)]
        subprocess.run(command, check=True, timeout=30)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = {
        "ListenAddress": "127.0.0.1",
        "Port": port,
        "HostKey": tmp_path / "host",
        "AuthorizedKeysFile": tmp_path / "user.pub",
        "PidFile": "none",
        "StrictModes": "no",
        "UsePAM": "no",
    }
    words = [word for name, value in options.items() for word in ("-o", f"{name}={value}")]
    # A server that root starts wants this folder, which else only the service of the system makes.
    has_folder = os.geteuid() != 0 or SEPARATION.exists()
    if not has_folder:
        SEPARATION.mkdir(mode=0o755)
    with (tmp_path / "sshd.log").open("wb") as log:
        server = subprocess.Popen([SSHD, "-D", "-e", "-f", os.devnull, *words], stderr=log)
    try:

        def listens() -> bool:
            assert server.poll() is None, (tmp_path / "sshd.log").read_text("utf-8")
            with socket.socket() as line:
                return line.connect_ex(("127.0.0.1", port)) == 0

        until(listens, "sshd", 20)
        client = ["ssh", "-tt", "-F", os.devnull, "-i", str(tmp_path / "user"), "-p", str(port)]
        client += ["-o", "StrictHostKeyChecking=no", "-o", f"UserKnownHostsFile={os.devnull}", "-o", "BatchMode=yes"]
        yield [*client, f"{getpass.getuser()}@127.0.0.1"]
    finally:
        server.terminate()
        server.wait(20)
        if not has_folder:
            SEPARATION.rmdir()


def test_a_worker_over_ssh_lends_devices_and_ends_with_its_connection(ssh: list[str], tmp_path: Path) -> None:
    farm = LocalFarm(tmp_path)
    try:
        path = shlex.quote(os.pathsep.join(sys.path))
        worker = f"PYTHONPATH={path} exec {shlex.quote(sys.executable)} -m fewtaps farm worker {farm.address}"
        line = subprocess.Popen([*ssh, f"{worker} --device simulated --count 2"], stdin=subprocess.DEVNULL)
        until(lambda: len(farm.status()["slots"]) == 2, "the slots of the worker over ssh")
        line.terminate()
        line.wait(30)
        until(lambda: not farm.status()["slots"], "the slots to end with the connection")
        assert is_alive(farm.hub.pid)
    finally:
        farm.close()

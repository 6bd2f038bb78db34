"""The address of a farm: encrypted with certificates, or on this machine alone."""

from __future__ import annotations

import os
import re
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fewtaps.errors import DeviceUnavailable, UsageError

DEFAULT_PORT = 8786
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
CERTS_VARIABLE = "FEWTAPS_FARM_CERTS"
"""The environment variable that names the folder of certificates if no option does."""
CERT_FILES = ("ca.pem", "cert.pem", "key.pem")
_ADDRESS = re.compile(r"(?P<scheme>tcp|tls)://(?P<host>\[[0-9A-Fa-f:]+\]|[A-Za-z0-9._-]+)(?::(?P<port>\d{1,5}))?")


@dataclass(frozen=True, slots=True)
class FarmAddress:
    """Where a hub listens. `certs` is the folder with `ca.pem`, `cert.pem` and `key.pem`, None without encryption."""

    scheme: str
    host: str
    port: int
    certs: Path | None = None

    def __str__(self) -> str:
        return f"{self.scheme}://{self.host}:{self.port}"

    def listening_host(self) -> str:
        """The address on which a member of the farm on this machine listens: the one from which it reaches the hub.

        Without encryption it is the loopback address, whatever the hub's name stands for. Raises UsageError for a host
        that cannot be found.
        """
        if self.certs is None:
            return "::1" if self.host == "[::1]" else "127.0.0.1"
        try:
            family, _, _, _, place = socket.getaddrinfo(self.host.strip("[]"), self.port, type=socket.SOCK_DGRAM)[0]
            # Nothing is sent: the system only chooses the way.
            with socket.socket(family, socket.SOCK_DGRAM) as line:
                line.connect(place)
                return str(line.getsockname()[0])
        except OSError as error:
            raise UsageError(f"{self}: there is no way to this host ({error.strerror or error})") from error

    def security(self) -> Any:
        """The certificates as the engine takes them; None without encryption. Raises UsageError for damaged ones."""
        if self.certs is None:
            return None
        import ssl

        from distributed.security import Security

        ca, cert, key = (str(self.certs / name) for name in CERT_FILES)
        roles = {f"tls_{role}_{kind}": path for role in ("scheduler", "worker", "client") for kind, path in
                 (("cert", cert), ("key", key))}  # fmt: skip
        made = Security(tls_ca_file=ca, require_encryption=True, **roles)  # type: ignore[no-untyped-call]
        try:
            for role in ("scheduler", "worker", "client"):
                made.get_connection_args(role)  # type: ignore[no-untyped-call]
        except (ssl.SSLError, OSError, ValueError) as error:
            raise UsageError(f"--certs {self.certs}: these certificates cannot be used ({error})") from error
        return made


def parse_address(text: str, certs: Path | None = None) -> FarmAddress:
    """The address that a text names, as `tls://HOST:PORT` or `tcp://127.0.0.1:PORT`.

    Without `certs` the folder is the one that the environment names. Raises UsageError for an address that is none,
    for certificates that are missing, and for a plain address beyond this machine: the engine's messages are pickles,
    so a stranger with access to the port could run code.
    """
    found = _ADDRESS.fullmatch(text)
    if found is None:
        raise UsageError(f"'{text}': write the address of a farm as tls://HOST:PORT or tcp://127.0.0.1:PORT")
    scheme, host, port = found["scheme"], found["host"], int(found["port"] or DEFAULT_PORT)
    if port > 65535:
        raise UsageError(f"'{text}': a port is a number up to 65535")
    if scheme == "tcp":
        if host not in LOOPBACK:
            raise UsageError(f"'{text}': without encryption only 127.0.0.1 can be used; give tls:// and --certs DIR")
        return FarmAddress(scheme, host, port)
    folder = certs or (Path(named) if (named := os.environ.get(CERTS_VARIABLE)) else None)
    if folder is None:
        raise UsageError(f"'{text}': name the folder with {', '.join(CERT_FILES)}: --certs DIR, or {CERTS_VARIABLE}")
    for name in CERT_FILES:
        if not (folder / name).is_file():
            raise UsageError(f"--certs {folder}: there is no {name} in it")
    return FarmAddress(scheme, host, port, folder)


def require_engine() -> None:
    """Raises DeviceUnavailable if the extra is not installed."""
    from importlib.util import find_spec

    if find_spec("distributed") is None:
        raise DeviceUnavailable("a farm needs Dask: pip install 'fewtaps[farm]'")


def quiet_engine() -> None:
    """Sends the engine's log to ours instead of the error stream, and sets what all parts of a farm have in common."""
    import logging

    import dask
    import distributed  # noqa: F401 - sets up its own log, which is undone here

    for name in [name for name in logging.root.manager.loggerDict if name.partition(".")[0] == "distributed"]:
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
        logger.setLevel(logging.NOTSET)
    logging.getLogger("distributed").setLevel(logging.ERROR)
    logging.getLogger("tornado").setLevel(logging.CRITICAL)
    dask.config.set(
        {
            "distributed.scheduler.http.routes": [],
            "distributed.worker.http.routes": [],
            "distributed.scheduler.work-stealing": False,
            # The hub looks after silent slots itself.
            "distributed.scheduler.worker-ttl": None,
            "distributed.worker.profile.enabled": False,
            "distributed.worker.memory.target": False,
            "distributed.worker.memory.spill": False,
            "distributed.worker.memory.pause": False,
            "distributed.worker.memory.terminate": False,
            "distributed.comm.timeouts.connect": "10s",
            "distributed.comm.retry.count": 0,
        }
    )

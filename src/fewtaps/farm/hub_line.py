"""The line from a run to its farm: messages to the hub, tasks to slots."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any

from fewtaps.errors import DeviceUnavailable
from fewtaps.farm.address import FarmAddress, quiet_engine, require_engine
from fewtaps.farm.files import PIECE_BYTES
from fewtaps.farm.streams import keep_sending

log = logging.getLogger(__name__)

CONNECT_SECONDS = 10
CALL_SECONDS = 60
GONE_SECONDS = 5.0
"""Seconds without a line to the hub after which it counts as gone."""

OnTaskEnd = Callable[[bytes | None], None]
"""Called with the packed answer of a task, or None if the slot that had it is gone; on a thread of the engine."""


class HubLine:
    """An open line to a hub. Raises DeviceUnavailable if none answers."""

    def __init__(self, address: FarmAddress) -> None:
        require_engine()
        quiet_engine()
        from distributed import Client

        self.address = address
        security = address.security()
        try:
            self._client: Any = Client(  # type: ignore[no-untyped-call]
                str(address), security=security, timeout=CONNECT_SECONDS, set_as_default=False, heartbeat_interval="2s"
            )
        except (OSError, TimeoutError, ValueError, RuntimeError) as error:
            reason = "wrong certificate" if "SSL" in f"{error!r} {error.__cause__!r}" else "no farm answers there"
            raise DeviceUnavailable(f"{address}: {reason} ({type(error).__name__})") from error
        self._away_since: float | None = None
        self._begin_sending()

    def _begin_sending(self) -> None:
        # Ends with the engine's event loop.
        self._client.loop.add_callback(keep_sending, self._streams)

    def _streams(self) -> list[Any]:
        stream = self._client.scheduler_comm
        return [] if stream is None else [stream]

    @property
    def client_id(self) -> str:
        """The name under which the hub knows this line."""
        return str(self._client.id)

    def ask(self, name: str, **arguments: Any) -> Any:
        """The hub's answer to a message. Raises DeviceUnavailable if it does not come."""

        async def ask() -> Any:
            return await getattr(self._client.scheduler, f"fewtaps_{name}")(**arguments)

        try:
            return self._client.sync(ask, callback_timeout=CALL_SECONDS)
        except (OSError, TimeoutError) as error:
            raise DeviceUnavailable(f"{self.address}: the farm is gone ({type(error).__name__})") from error
        except AttributeError as error:
            # The engine has no connection to ask on.
            raise DeviceUnavailable(f"{self.address}: the farm is gone") from error

    def tell(self, name: str, **arguments: Any) -> None:
        """Sends a message to the hub without waiting for it to arrive."""

        async def tell() -> None:
            try:
                await getattr(self._client.scheduler, f"fewtaps_{name}")(**arguments)
            except (OSError, TimeoutError, AttributeError) as error:
                log.info("a message to the hub was lost (%s)", type(error).__name__)

        self._client.loop.add_callback(tell)

    def send(self, slot: str, key: str, packed: bytes, on_end: OnTaskEnd) -> Any:
        """Gives a task to a slot; the answer is fetched as soon as there is one. The task lives with the result."""
        from fewtaps.farm.slot import run_task

        future = self._client.submit(run_task, packed, key=key, workers=[slot], pure=False)

        async def fetch() -> None:
            try:
                on_end(await self._client.gather(future, asynchronous=True))
            except Exception as error:  # noqa: BLE001 - any failure to fetch means that the task is to be given again
                log.info("the answer of %s was lost (%s)", key, type(error).__name__)
                on_end(None)

        # Not by the future's own callbacks, which share one thread: an answer at a silent slot would hold up all.
        self._client.loop.add_callback(fetch)
        return future

    def drop(self, futures: list[Any]) -> None:
        """Takes tasks back that have not begun, and forgets the others."""
        if futures and self._client.status == "running":
            try:
                self._client.cancel(futures, force=True)
            except (OSError, TimeoutError) as error:
                log.info("tasks could not be taken back (%s)", type(error).__name__)

    def require_hub(self) -> None:
        """Raises DeviceUnavailable if there was no line to the hub for a while."""
        if self._client.status == "running":
            self._away_since = None
            return
        now = time.monotonic()
        if self._away_since is None:
            self._away_since = now
        if self._client.status == "closed" or now - self._away_since > GONE_SECONDS:
            raise DeviceUnavailable(f"{self.address}: the farm is gone; the same command goes on when it is back")

    def send_file(self, path: str, digest: str) -> None:
        """Gives the hub a copy of an APK, if it has none. Raises DeviceUnavailable if the hub cannot keep it."""
        if self.ask("has_apk", digest=digest):
            return
        try:
            with open(path, "rb") as stream:
                while True:
                    offset, piece = stream.tell(), stream.read(PIECE_BYTES)
                    if wrong := self.ask("put_apk", digest=digest, offset=offset, piece=piece):
                        raise DeviceUnavailable(f"{self.address}: {wrong}")
                    if not piece:
                        return
        except OSError as error:
            raise DeviceUnavailable(f"{path}: cannot be read ({error.strerror or error})") from error

    def close(self) -> None:
        """Ends the line; the hub ends the run."""
        self._client.close(timeout=5)

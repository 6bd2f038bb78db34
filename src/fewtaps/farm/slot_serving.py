"""Joins a farm as a slot, and works for it until it is told to end."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable
from pathlib import Path

from distributed.core import rpc
from distributed.worker import Worker

from fewtaps.device.registry import parse_device
from fewtaps.errors import DeviceUnavailable
from fewtaps.farm.address import FarmAddress, quiet_engine
from fewtaps.farm.facts import facts_of, group_of, require_machine
from fewtaps.farm.slot import THREADS, Slot
from fewtaps.farm.streams import keep_sending
from fewtaps.farm.tasks import SlotRefused


async def open_slot(address: FarmAddress, device: str, folder: Path) -> tuple[int, Worker]:
    """Joins a farm with a slot; its number and the engine's worker, which works until it is closed.

    Raises as `serve_slot`.
    """
    security, host = address.security(), address.listening_host()
    arguments = {} if security is None else {"connection_args": security.get_connection_args("worker")}
    try:
        async with rpc(str(address), **arguments) as hub:  # type: ignore[no-untyped-call]
            joined = await hub.fewtaps_join(
                facts=facts_of(device),
                device=device,
                backend=parse_device(device).backend.name,
                group=group_of(device),
                machine=socket.gethostname(),
            )
    except (OSError, TimeoutError) as error:
        raise DeviceUnavailable(f"{address}: no farm answers there ({type(error).__name__})") from error
    if "refused" in joined:
        raise SlotRefused(f"{address}: the farm refuses this machine: {joined['refused']}")
    if "taken" in joined:
        raise DeviceUnavailable(f"{address}: {joined['taken']}")
    number = joined["number"]
    worker = Worker(
        str(address),
        # The engine's messages are pickles: it would listen on all addresses of the machine.
        host=host,
        nthreads=THREADS,
        name=f"slot-{number}",
        security=security,
        plugins=(Slot(number, device),),
        local_directory=str(folder),
        memory_limit=0,
        dashboard_address="127.0.0.1:0",
        death_timeout=30,
    )
    await worker
    return number, worker


def serve_slot(address: FarmAddress, device: str, folder: Path, on_ready: Callable[[int], None]) -> None:
    """Works for a farm until SIGTERM, or until the hub is gone.

    Raises DeviceUnavailable if there is no hub or if the device is not there, SlotRefused if the hub refuses this
    machine or if this machine lacks what the device needs.
    """
    quiet_engine()
    require_machine(device)

    async def serve() -> None:
        ended = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, ended.set)
        slot, worker = await open_slot(address, device, folder)
        try:
            on_ready(slot)
            waits = [asyncio.ensure_future(ended.wait()), asyncio.ensure_future(worker.finished())]  # type: ignore[no-untyped-call]
            waits.append(asyncio.ensure_future(keep_sending(lambda: [worker.batched_stream])))
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            for each in waits:
                each.cancel()
        finally:
            await worker.close(timeout=5)

    asyncio.run(serve())

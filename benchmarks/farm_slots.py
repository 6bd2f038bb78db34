"""Joins a farm with several slots in one process, for benchmarks/farm_cluster.py: farm_slots.py ADDRESS COUNT."""

from __future__ import annotations

import asyncio
import signal
import sys
import tempfile
from pathlib import Path

from fewtaps.farm.address import parse_address, quiet_engine
from fewtaps.farm.slot_serving import open_slot


async def serve(address: str, count: int, folder: Path) -> None:
    """Works until SIGTERM."""
    ended = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    opened = []
    for number in range(count):
        local = folder / str(number)
        local.mkdir()
        opened.append(await open_slot(parse_address(address), "simulated", local))
    await ended.wait()
    await asyncio.gather(*(worker.close(timeout=5) for _, worker in opened))


if __name__ == "__main__":
    quiet_engine()
    with tempfile.TemporaryDirectory() as name:
        asyncio.run(serve(sys.argv[1], int(sys.argv[2]), Path(name)))

"""The program of a slot's process, started by `run_worker`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from fewtaps.errors import FewtapsError
from fewtaps.farm.address import parse_address
from fewtaps.farm.tasks import SlotRefused
from fewtaps.farm.worker import FAILED, REFUSED, end_with_parent


def main(arguments: list[str]) -> int:
    """Serves one slot; a file says why it could not, another which number it got."""
    address, certs, device, local, parent = arguments
    end_with_parent(int(parent))
    notes = Path(local).parent
    try:
        from fewtaps.farm.slot_serving import serve_slot

        def on_ready(number: int) -> None:
            part = notes / f".ready-{os.getpid()}"
            part.write_text(str(number), "utf-8")
            part.rename(notes / f"ready-{os.getpid()}")

        serve_slot(parse_address(address, Path(certs) if certs else None), device, Path(local), on_ready)
    except FewtapsError as error:
        (notes / f"reason-{os.getpid()}").write_text(str(error), "utf-8")
        return REFUSED if isinstance(error, SlotRefused) else FAILED
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

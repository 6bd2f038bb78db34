"""`fewtaps farm`: a hub, the devices of a machine, or what each part of a farm does."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fewtaps.cli.terminal import Terminal, counted
from fewtaps.errors import UsageError
from fewtaps.farm.address import parse_address, require_engine
from fewtaps.model.event import printable

ACTIONS = ("hub", "worker", "status")


def run_farm(
    action: str, address: str | None, listen: str, certs: Path | None, devices: Sequence[str], as_json: bool
) -> None:
    """Serves as a hub or a worker until Ctrl-C, or shows the status. Raises UsageError for an action that is none."""
    if action not in ACTIONS:
        raise UsageError(f"farm: '{printable(action)}' is no action; there are: {', '.join(ACTIONS)}")
    if action != "worker" and devices:
        raise UsageError(f"farm {action}: devices are lent by `farm worker`")
    if (action == "hub") != (address is None):
        raise UsageError(
            "farm hub: the address is given with --listen"
            if action == "hub"
            else f"farm {action}: name the hub's address, as tls://HOST:PORT"
        )
    terminal = Terminal(as_json)
    if action == "hub":
        _serve_hub(terminal, listen, certs)
    elif action == "worker":
        _work(terminal, str(address), certs, devices)
    else:
        _show_status(terminal, str(address), certs)


def _serve_hub(terminal: Terminal, listen: str, certs: Path | None) -> None:
    parsed = parse_address(listen, certs)
    require_engine()
    from fewtaps.farm.hub import serve_hub

    def ready(address: str) -> None:
        terminal.line(("Listening: ", "bold"), address)
        terminal.line((f"Lend devices with: fewtaps farm worker {address} --twins 2. Ctrl-C ends it.", "dim"))
        terminal.document({"hub": {"address": address}})

    serve_hub(parsed, ready)
    terminal.line(("Ended.", "dim"))


def _work(terminal: Terminal, address: str, certs: Path | None, devices: Sequence[str]) -> None:
    parsed = parse_address(address, certs)
    if not devices:
        raise UsageError("farm worker: say what is lent: --twins N, --adb SERIAL,SERIAL, or --device NAME --count N")
    require_engine()
    from fewtaps.farm.facts import lent_devices
    from fewtaps.farm.worker import run_worker

    lent = [each for device in devices for each in lent_devices(device)]

    def tell(words: str) -> None:
        terminal.line(printable(words, 1000))
        terminal.document({"worker": words})

    try:
        run_worker(parsed, lent, tell)
    except KeyboardInterrupt:
        terminal.line(("Ended.", "dim"))


def _show_status(terminal: Terminal, address: str, certs: Path | None) -> None:
    parsed = parse_address(address, certs)
    from fewtaps.farm.hub_line import HubLine

    connection = HubLine(parsed)
    try:
        status: dict[str, Any] = connection.ask("status")
    finally:
        connection.close()
    terminal.document({"farm": status})
    slots = status["slots"]
    speed = sum(slot.get("events_per_second", 0) for slot in slots)
    runs, lost = counted(len(status["runs"]), "run"), status["lost"]
    terminal.line(
        ("Farm: ", "bold"), f"{counted(len(slots), 'slot')}, {runs}, {speed:.0f} events per second, {lost} lost"
    )
    for run in status["runs"]:
        terminal.line(f"  {printable(run['app'], 80)}: width {run['width']}, {counted(run['slots'], 'slot')}")
    for slot in slots:
        doing = "busy" if slot.get("busy") else "idle"
        app = printable(slot.get("app", ""), 60)
        where = f"{printable(slot['machine'], 60)}  {printable(slot['device'], 60)}  {printable(slot['group'], 60)}"
        terminal.line(f"  slot {slot['number']}  {where}  {doing}  {app}  {slot.get('events_per_second', 0)} events/s")
    for words in status["losses"]:
        terminal.line((f"  {printable(words, 300)}", "warn"))

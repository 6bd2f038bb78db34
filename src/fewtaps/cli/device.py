"""`fewtaps device serve` shows an app to adb as a device until Ctrl-C; `fewtaps device list` names all devices."""

from __future__ import annotations

import shlex

from fewtaps.cli.play import crash_json
from fewtaps.cli.terminal import Terminal, counted, show_download
from fewtaps.config import ServeSettings
from fewtaps.device.registry import usable
from fewtaps.errors import UsageError
from fewtaps.model.event import printable
from fewtaps.pipeline.device_serving import RunKept, ServedDevices, open_devices


def require_app(action: str, apk: str | None) -> str:
    """The app to serve. Raises UsageError for another action, and if no app is named."""
    if action != "serve":
        raise UsageError(f"device: '{printable(action)}' is no action; there is: serve, list")
    if apk is None:
        raise UsageError("device serve: name the app: fewtaps device serve app.apk")
    return apk


def list_devices(apk: str | None, as_json: bool) -> int:
    """Prints the devices that `--device` can name, and what to do about those that cannot be used; 3 if there is none.

    Those that are made when they are needed, as the default one, are not listed.
    """
    if apk is not None:
        raise UsageError("device list: takes no app")
    terminal = Terminal(as_json)
    found = [(backend, device) for backend in usable() for device in backend.list_devices()]
    for backend, device in found:
        is_usable = not device.advice
        api = f"API {device.api}" if device.api else ""
        name = f"{backend.name}:{printable(device.name, 60)}"
        terminal.line(
            (f"{name:28} ", "bold"),
            f"{printable(device.model, 30):24} {api:8} ",
            (device.state, "good" if is_usable else "bad"),
        )
        if device.advice:
            terminal.line(" " * 4, (device.advice, "dim"))
    if not found:
        terminal.line("No device: plug in a phone with USB debugging on, or start an emulator.")
    terminal.document(
        {
            "devices": [
                {"device": f"{backend.name}:{each.name}", "model": each.model, "api": each.api}
                | {"state": each.state, "advice": each.advice}
                for backend, each in found
            ]
        }
    )
    return 0 if any(not device.advice for _, device in found) else 3


def run_device(apk: str, settings: ServeSettings, as_json: bool) -> None:
    """Serves until Ctrl-C, which is not an error here; each run that ends is one line."""
    terminal = Terminal(as_json)

    def tell(run: RunKept) -> None:
        _print_run(terminal, run)

    terminal.busy(f"opening {printable(apk, 200)}")
    with open_devices(apk, settings, tell, show_download) as devices:
        _print_devices(terminal, devices)
        try:
            devices.serve()
        except KeyboardInterrupt:
            terminal.line(("Ended.", "dim"))
        for phone in devices.phones:
            phone.stop()
        for note in devices.notes:
            terminal.line(("note: ", "warn"), note)
        terminal.document({"notes": devices.notes})


def _print_devices(terminal: Terminal, devices: ServedDevices) -> None:
    for serial, port in zip(devices.serials, devices.ports, strict=True):
        connect = f"adb connect {serial}" if serial.startswith("127.") else f"adb -s {serial} shell"
        terminal.line(("Serving: ", "bold"), f"{printable(devices.app.package)} as {serial}  ", (connect, "dim"))
        terminal.document({"serving": {"serial": serial, "port": port, "package": devices.app.package}})
    if devices.adb_server is not None:
        terminal.line(("adb server: ", "bold"), f"port {devices.adb_server}")
        terminal.document({"adb_server": devices.adb_server})
    terminal.line(("Only this machine can connect. Ctrl-C ends it.", "dim"))


def _print_run(terminal: Terminal, run: RunKept) -> None:
    path = printable(str(run.path), 500)
    if run.crash is not None:
        terminal.line(("CRASH ", "bad"), printable(run.crash.summary, 200))
        terminal.line(f"  after {counted(run.steps, 'step')}: {path}")
        terminal.line("  fewtaps reduce ", printable(shlex.join([run.apk, str(run.path)]), 600))
    else:
        terminal.line((f"run {run.number} of {run.serial}: {counted(run.steps, 'step')}: {path}", "dim"))
    document = {"serial": run.serial, "run": run.number, "steps": run.steps, "file": str(run.path)}
    terminal.document({"run": {**document, "crash": crash_json(run.crash)}})

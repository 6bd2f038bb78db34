"""The console of an emulator, on the port before adb's: `avd`, `rotate`, `geo`, `kill` and the like."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fewtaps.adbd.acting import turn
from fewtaps.adbd.channel import Pause
from fewtaps.adbd.packets import TransportError
from fewtaps.adbd.phone import ServedPhone
from fewtaps.errors import FewtapsError
from fewtaps.model.event import printable

if TYPE_CHECKING:
    from fewtaps.adbd.server import DeviceServer

LONGEST_LINE = 4096
MOST_SNAPSHOTS = 100
_HTTP = " HTTP/"
GREETING = b"Android Console: Authentication is not needed here\r\nOK\r\n"


class ConsoleConnection:
    """One client of the console."""

    is_welcome = True

    def __init__(self, phone: ServedPhone, server: DeviceServer) -> None:
        self._phone = phone
        self._server = server
        self._input = bytearray()
        self._output = bytearray(GREETING)
        self._is_over = False

    @property
    def takes_more(self) -> bool:
        return not self._is_over and len(self._output) < 1 << 16

    @property
    def held(self) -> int:
        return len(self._input) + len(self._output)

    def receive(self, data: bytes) -> None:
        if not data:
            raise TransportError("the client of the console has left")
        self._input += data
        while not self._is_over and (end := self._input.find(b"\n")) >= 0:
            line = bytes(self._input[:end]).decode("utf-8", "replace").strip()
            del self._input[: end + 1]
            if _HTTP in line:
                # A page in the user's browser can send requests to any port, with commands in their bodies.
                raise TransportError("a browser speaks to the console")
            self._output += (self._answer(line) + "\r\n").encode("utf-8", "replace") if line else b"OK\r\n"
        if len(self._input) > LONGEST_LINE:
            raise TransportError("a line of the console is too long")

    def run(self, now: float) -> Pause | None:
        return None if self._is_over else Pause()

    def output(self) -> bytearray:
        return self._output

    def close(self) -> None:
        self._is_over = True

    def _answer(self, line: str) -> str:
        try:
            return self._command(line.split())
        except FewtapsError as error:
            return f"KO: {printable(str(error), 200)}"

    def _command(self, words: list[str]) -> str:
        match words:
            case ["quit" | "exit"]:
                self._is_over = True
                return "OK"
            case ["kill"]:
                self._is_over = self._server.is_stopping = True
                return "OK: killing emulator, bye bye"
            case ["help" | "h" | "?", *_]:
                return "avd, rotate, geo, power, ping, kill, quit\r\nOK"
            case ["auth", *_] | ["ping"]:
                return "I am alive!\r\nOK" if words[0] == "ping" else "OK"
            case ["avd", "name"]:
                return f"fewtaps_{self._phone.app.package}\r\nOK"
            case ["avd", "status"]:
                return "virtual device is running\r\nOK"
            case ["avd", "snapshot", "save", name]:
                return "OK" if self._phone.save_snapshot(name, MOST_SNAPSHOTS) else "KO: the app is not running"
            case ["avd", "snapshot", "load", name]:
                return "OK" if self._phone.load_snapshot(name) else f"KO: there is no snapshot {printable(name)}"
            case ["avd", "snapshot", "list"]:
                return "\r\n".join([*map(printable, self._phone.snapshots), "OK"])
            case ["avd", "snapshot", ("delete" | "del"), name]:
                return "KO: no such snapshot" if self._phone.snapshots.pop(name, None) is None else "OK"
            case ["rotate"]:
                turn(self._phone, (self._phone.screen.rotation + 1) % 4)
                return "OK"
            case ["geo", *_]:
                return "KO: this device has no position"
            case ["power" | "network" | "sms" | "gsm" | "sensor" | "event", *_]:
                return "KO: not on this device; adb's dumpsys battery, svc and input do some of it"
        return "KO: unknown command, try 'help'"

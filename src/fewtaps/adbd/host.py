"""The protocol of an adb server, for clients on machines where no adb is installed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fewtaps.adbd.channel import Channel, Pause
from fewtaps.adbd.packets import TransportError
from fewtaps.adbd.phone import ServedPhone
from fewtaps.adbd.services import FEATURES, open_service, refusal

if TYPE_CHECKING:
    from fewtaps.adbd.server import DeviceServer, RunningService

SERVER_VERSION = 41
MOST_FORWARDS = 64


class HostConnection:
    """One client. Its requests are answered until one opens a service of a device; the rest is that stream."""

    is_welcome = True

    def __init__(self, phones: Sequence[ServedPhone], server: DeviceServer) -> None:
        self._phones = phones
        self._server = server
        self._phone: ServedPhone | None = None
        self._input = bytearray()
        self._channel = Channel()
        self._running: RunningService | None = None
        self._is_over = False

    @property
    def takes_more(self) -> bool:
        return self._channel.takes_more and not self._is_over

    @property
    def held(self) -> int:
        return len(self._input) + self._channel.held

    def receive(self, data: bytes) -> None:
        if not data:
            if self._running is None:
                raise TransportError("the client has left")
            self._channel.is_ended = True
            return
        if self._running is not None:
            self._channel.incoming += data
            return
        self._input += data
        while self._running is None and not self._is_over and len(self._input) >= 4:
            digits = bytes(self._input[:4])
            try:
                length = int(digits, 16)
            except ValueError:
                raise TransportError("a request without its length") from None
            if len(self._input) < 4 + length:
                return
            request = bytes(self._input[4 : 4 + length]).decode("utf-8", "surrogateescape")
            del self._input[: 4 + length]
            self._request(request)
        if self._running is not None:
            self._channel.incoming += self._input
            self._input.clear()

    def run(self, now: float) -> Pause | None:
        if self._running is not None:
            if self._running.resume(now):
                return self._running.pause
            self._running, self._is_over = None, True
        return None if self._is_over else Pause()

    def output(self) -> bytearray:
        return self._channel.outgoing

    def close(self) -> None:
        self._channel.is_ended = self._channel.is_gone = True
        if self._running is not None:
            self._running.service.close()
            self._running = None

    def _okay(self, text: str | None = None) -> None:
        self._channel.write(b"OKAY")
        if text is not None:
            data = text.encode()
            self._channel.write(f"{len(data):04x}".encode() + data)

    def _fail(self, reason: str) -> None:
        data = reason.encode("utf-8", "replace")[:0xFFFF]
        self._channel.write(b"FAIL" + f"{len(data):04x}".encode() + data)
        self._is_over = True

    def _request(self, request: str) -> None:
        if self._phone is not None and not request.startswith("host"):
            self._open(request, self._phone)
        elif request.startswith("host-serial:"):
            serial, _, rest = self._split_serial(request.removeprefix("host-serial:"))
            self._for_device(rest, self._find(serial))
        elif request.startswith("host-transport-id:"):
            number, _, rest = request.removeprefix("host-transport-id:").partition(":")
            self._for_device(rest, self._numbered(number))
        elif request.startswith(("host:", "host-local:", "host-usb:")):
            self._host(request.partition(":")[2])
        else:
            self._fail("device offline (no transport)")

    def _split_serial(self, text: str) -> tuple[str, str, str]:
        """The serial, which may hold a colon itself, and the request behind it."""
        for phone in self._phones:
            serial = phone.settings.serial
            if text.startswith(serial + ":"):
                return serial, ":", text[len(serial) + 1 :]
        return text.partition(":")

    def _find(self, serial: str) -> ServedPhone | None:
        return next((phone for phone in self._phones if phone.settings.serial == serial), None)

    def _numbered(self, number: str) -> ServedPhone | None:
        place = int(number) - 1 if number.isascii() and number.isdigit() and len(number) < 6 else -1
        return self._phones[place] if 0 <= place < len(self._phones) else None

    def _any(self) -> ServedPhone | None:
        """The device that the client has chosen, or the only one."""
        if self._phone is not None:
            return self._phone
        return self._phones[0] if len(self._phones) == 1 else None

    def _host(self, request: str) -> None:
        name, _, rest = request.partition(":")
        if name == "version":
            self._okay(f"{SERVER_VERSION:04x}")
            self._is_over = True
        elif name in ("devices", "devices-l"):
            self._okay(self._devices(is_long=name == "devices-l"))
            self._is_over = True
        elif name in ("track-devices", "track-devices-l"):
            self._okay(self._devices(is_long=name.endswith("-l")))
        elif name == "host-features":
            self._okay(",".join(FEATURES))
            self._is_over = True
        elif name == "kill":
            self._fail("this adb server ends with 'fewtaps device serve'")
        elif name in ("transport", "transport-any", "transport-local", "transport-usb", "transport-id"):
            self._transport(name, rest)
        elif name == "tport":
            kind, _, serial = rest.partition(":")
            phone = self._find(serial) if kind == "serial" else self._any()
            if self._check(phone):
                self._channel.write(b"OKAY" + (self._phones.index(phone) + 1).to_bytes(8, "little"))
                self._phone = phone
        elif name in ("connect", "disconnect"):
            self._okay(f"already connected to {rest}" if self._find(rest) else "there are no other devices here")
            self._is_over = True
        elif name.startswith("wait-for-"):
            self._channel.write(b"OKAYOKAY")
            self._is_over = True
        else:
            self._for_device(request, self._any())

    def _transport(self, name: str, rest: str) -> None:
        if name == "transport-id":
            phone = self._numbered(rest)
        else:
            phone = self._find(rest) if name == "transport" and rest else self._any()
        if self._check(phone):
            self._okay()
            self._phone = phone

    def _check(self, phone: ServedPhone | None) -> bool:
        if phone is None:
            self._fail("more than one device/emulator" if len(self._phones) > 1 else "device not found")
        return phone is not None

    def _devices(self, *, is_long: bool) -> str:
        lines = []
        for number, phone in enumerate(self._phones, 1):
            more = f" product:{phone.properties['ro.product.name']} model:{phone.profile.model.replace(' ', '_')}"
            more += f" device:{phone.properties['ro.product.device']} transport_id:{number}"
            lines.append(f"{phone.settings.serial:<22} device{more}" if is_long else f"{phone.settings.serial}\tdevice")
        return "".join(line + "\n" for line in lines)

    def _for_device(self, request: str, phone: ServedPhone | None) -> None:
        if phone is None:
            self._fail("device not found")
            return
        name, _, rest = request.partition(":")
        match name:
            case "get-state":
                self._okay("device")
            case "get-serialno":
                self._okay(phone.settings.serial)
            case "get-devpath":
                self._okay("unknown")
            case "features":
                self._okay(",".join(FEATURES))
            case "forward":
                self._forward(rest, phone)
                return
            case "killforward":
                self._kill_forward(rest, phone)
                return
            case "killforward-all":
                for port in list(phone.forwards):
                    self._server.unlisten(port)
                phone.forwards.clear()
                self._channel.write(b"OKAYOKAY")
            case "list-forward":
                forwards = [
                    f"{each.settings.serial} tcp:{port} {to}\n"
                    for each in self._phones
                    for port, to in each.forwards.items()
                ]
                self._okay("".join(forwards))
            case _ if name.startswith("wait-for-"):
                self._channel.write(b"OKAYOKAY")
            case _:
                self._fail(f"unknown host service '{name[:60]}'")
                return
        self._is_over = True

    def _forward(self, rest: str, phone: ServedPhone) -> None:
        local, _, remote = rest.removeprefix("norebind:").partition(";")
        kind, _, port = local.partition(":")
        if (
            kind != "tcp"
            or not port.isascii()
            or not port.isdigit()
            or int(port[:6]) > 65535
            or not remote.startswith("tcp:")
        ):
            self._fail("only tcp ports can be forwarded here")
            return
        if len(phone.forwards) >= MOST_FORWARDS:
            self._fail("too many forwards")
            return
        if int(port) in phone.forwards:
            if rest.startswith("norebind:"):
                self._fail(f"cannot rebind existing socket: tcp:{port}")
                return
            self._server.unlisten(int(port))
        try:
            actual = self._server.listen(int(port), lambda: ForwardedConnection(remote, phone), "forward")
        except ValueError as error:
            self._fail(str(error))
            return
        phone.forwards[actual] = remote
        self._channel.write(b"OKAY")
        self._okay(str(actual) if port == "0" else None)
        self._is_over = True

    def _kill_forward(self, rest: str, phone: ServedPhone) -> None:
        port = rest.removeprefix("tcp:")
        is_number = port.isascii() and port.isdigit() and len(port) < 6
        if not is_number or phone.forwards.pop(int(port), None) is None:
            self._fail(f"listener '{rest[:60]}' not found")
            return
        self._server.unlisten(int(port))
        self._channel.write(b"OKAYOKAY")
        self._is_over = True

    def _open(self, name: str, phone: ServedPhone) -> None:
        self._running = start_service(name, self._channel, phone)
        if self._running is None:
            self._fail(refusal(name))
        else:
            # The answer stands before anything that the service writes.
            self._channel.outgoing[:0] = b"OKAY"


class ForwardedConnection:
    """A connection to a forwarded port: the bytes of one service of the device."""

    is_welcome = True

    def __init__(self, remote: str, phone: ServedPhone) -> None:
        self._channel = Channel()
        self._running = start_service(remote, self._channel, phone)

    @property
    def takes_more(self) -> bool:
        return self._channel.takes_more

    @property
    def held(self) -> int:
        return self._channel.held

    def receive(self, data: bytes) -> None:
        if not data:
            self._channel.is_ended = True
        self._channel.incoming += data

    def run(self, now: float) -> Pause | None:
        if self._running is None:
            return None
        if self._running.resume(now):
            return self._running.pause
        self._running = None
        return None

    def output(self) -> bytearray:
        return self._channel.outgoing

    def close(self) -> None:
        self._channel.is_ended = self._channel.is_gone = True
        if self._running is not None:
            self._running.service.close()
            self._running = None


def start_service(name: str, channel: Channel, phone: ServedPhone) -> RunningService | None:
    """A service of the device that can be resumed; None if there is none such."""
    from fewtaps.adbd.server import RunningService

    service = open_service(name, channel, phone)
    return None if service is None else RunningService(service, channel)

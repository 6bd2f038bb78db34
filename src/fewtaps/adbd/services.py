"""The services of a served device by the names that adb opens them with."""

from __future__ import annotations

import struct
from collections.abc import Callable

from fewtaps.adbd.acting import png_of, rgba
from fewtaps.adbd.agent_commands import AGENT_COMMANDS
from fewtaps.adbd.basic_commands import BASIC_COMMANDS
from fewtaps.adbd.channel import Channel, Service
from fewtaps.adbd.file_commands import FILE_COMMANDS
from fewtaps.adbd.input_commands import INPUT_COMMANDS
from fewtaps.adbd.phone import ServedPhone
from fewtaps.adbd.probe_hits import local_socket
from fewtaps.adbd.shell import ShellCommand
from fewtaps.adbd.shell_services import shell_service
from fewtaps.adbd.syncing import sync_service
from fewtaps.adbd.system_commands import SYSTEM_COMMANDS

FEATURES = ("shell_v2", "cmd", "stat_v2", "ls_v2", "fixed_push_mkdir", "sendrecv_v2")
COMMANDS: dict[str, ShellCommand] = {
    **FILE_COMMANDS,
    **BASIC_COMMANDS,
    **INPUT_COMMANDS,
    **SYSTEM_COMMANDS,
    **AGENT_COMMANDS,
}
"""All commands of the device's shell."""

NO_DEBUGGER = "no process can be debugged: the app's code runs on a JVM without a debugger"
"""Why there is no `jdwp`."""

_FRAMEBUFFER = struct.Struct("<13I")


def banner(phone: ServedPhone) -> str:
    """What the device says of itself when a host connects."""
    names = ("ro.product.name", "ro.product.model", "ro.product.device")
    properties = "".join(f"{name}={phone.properties[name]};" for name in names)
    return f"device::{properties}features={','.join(FEATURES)}"


def open_service(name: str, channel: Channel, phone: ServedPhone) -> Service | None:
    """The service of this name, or None if the device has none such."""
    if name.startswith(("shell:", "shell,")):
        options, _, line = name.partition(":")
        words = options.split(",")[1:]
        is_v2, is_raw = "v2" in words, "raw" in words
        is_terminal = not line and not is_raw
        return shell_service(channel, phone, COMMANDS, line, is_v2=is_v2, is_terminal=is_terminal)
    kind, _, rest = name.partition(":")
    opener = _SERVICES.get(kind)
    return opener(rest, channel, phone) if opener is not None else None


def _exec(rest: str, channel: Channel, phone: ServedPhone) -> Service:
    return shell_service(channel, phone, COMMANDS, rest or ":", is_v2=False)


def _sync(rest: str, channel: Channel, phone: ServedPhone) -> Service:
    return sync_service(channel, phone.files)


def _framebuffer(rest: str, channel: Channel, phone: ServedPhone) -> Service:
    phone.look()
    width, height, pixels = rgba(png_of(phone))
    # Version 1: bits per pixel, size, width, height, then offset and length of red, blue, green and alpha.
    head = _FRAMEBUFFER.pack(1, 32, len(pixels), width, height, 0, 8, 16, 8, 8, 8, 24, 8)
    channel.write(head)
    for start in range(0, len(pixels), 1 << 16):
        channel.write(pixels[start : start + (1 << 16)])
        yield from channel.flush()


def _answer(text: str) -> Callable[[str, Channel, ServedPhone], Service]:
    def run(rest: str, channel: Channel, phone: ServedPhone) -> Service:
        channel.write(text.encode())
        yield from channel.flush()

    return run


def _reverse(rest: str, channel: Channel, phone: ServedPhone) -> Service:
    if rest.startswith("list-forward"):
        answer = "OKAY0000"
    else:
        reason = "ports of the host cannot be reached from this device: the app has no network of its own"
        answer = f"FAIL{len(reason):04x}{reason}"
    return _answer(answer)(rest, channel, phone)


def _tcp(rest: str, channel: Channel, phone: ServedPhone) -> Service | None:
    port = rest.partition(":")[0]
    agent = phone.guests.agents.get(int(port[:6])) if port.isascii() and port.isdigit() else None
    return agent.open(channel, phone) if agent is not None else None


def _jdwp(rest: str, channel: Channel, phone: ServedPhone) -> Service | None:
    # A stream to a process cannot be refused with a reason. The list of the processes is text that `adb jdwp` prints.
    if rest:
        return None
    phone.count_unknown("the service jdwp")
    return _answer(f"{NO_DEBUGGER}\n")(rest, channel, phone)


_SERVICES: dict[str, Callable[[str, Channel, ServedPhone], Service | None]] = {
    "exec": _exec,
    "sync": _sync,
    "framebuffer": _framebuffer,
    "reverse": _reverse,
    "jdwp": _jdwp,
    "tcp": _tcp,
    "localabstract": local_socket,
    "root": _answer("adbd cannot run as root in production builds\n"),
    "unroot": _answer("adbd not running as root\n"),
    "remount": _answer("remount of the / superblock failed: this device has files in memory only\n"),
    "disable-verity": _answer("verity cannot be disabled: this device has files in memory only\n"),
    "reboot": _answer("this device cannot be restarted\n"),
    "tcpip": _answer("error: this device stays on its port\n"),
    "usb": _answer("error: this device has no USB\n"),
}

REFUSED = {
    "jdwp": NO_DEBUGGER,
    "track-jdwp": NO_DEBUGGER,
    "localabstract": "no program on this device listens on a local socket",
    "localfilesystem": "no program on this device listens on a local socket",
    "abb": "this device has no binder",
    "abb_exec": "this device has no binder",
}
"""Services that are refused, with the reason. adb's transport has no place for it: its clients print "closed"."""


def refusal(name: str) -> str:
    """Why there is no service of this name."""
    return REFUSED.get(name.partition(":")[0], "closed")

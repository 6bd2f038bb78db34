"""The services `shell:`, `shell,v2:` and `exec:`."""

from __future__ import annotations

import struct
from collections.abc import Mapping

from fewtaps.adbd.channel import INCOMING_BYTES, INPUT, Channel, Pause, Service
from fewtaps.adbd.phone import ServedPhone
from fewtaps.adbd.shell import Pipe, Running, Shell, ShellCommand

_STDIN, _STDOUT, _STDERR, _EXIT, _CLOSE_STDIN = 0, 1, 2, 3, 4
_FRAME = struct.Struct("<BI")
MAX_FRAME = 1 << 20
LONGEST_LINE = 1 << 16
TURNS_ALONE = 64
"""How often a command is resumed after its client has left and all of its input was read."""
PROMPT = b"fewtaps:/ $ "


class ShellWire:
    """How the streams of a shell travel in a channel: as they are, or in packets of the shell protocol."""

    def __init__(self, channel: Channel, *, is_v2: bool, is_terminal: bool = False) -> None:
        self._channel = channel
        self._is_v2 = is_v2
        self._is_terminal = is_terminal
        self.stdin, self.stdout, self.stderr = Pipe(), Pipe(), Pipe()
        if is_terminal or not is_v2:
            self.stderr = self.stdout

    def move(self) -> bool:
        """Moves bytes from the client to the input and from the outputs to the client; False for broken packets."""
        is_fine = self._read() if self._is_v2 else self._read_raw()
        if self._channel.is_ended:
            self.stdin.is_closed = True
        if self._channel.is_gone:
            self.stdout.is_broken = self.stderr.is_broken = True
        self._write(_STDOUT, self.stdout)
        if self._is_v2:
            self._write(_STDERR, self.stderr)
        self._channel.inside = len(self.stdin.data) + len(self.stdout.data) + len(self.stderr.data)
        return is_fine

    def _read_raw(self) -> bool:
        if self.stdin.takes_more:
            self.stdin.note(self._channel.take(INCOMING_BYTES - len(self.stdin.data)))
        return True

    def _read(self) -> bool:
        incoming = self._channel.incoming
        while len(incoming) >= _FRAME.size and self.stdin.takes_more:
            kind, length = _FRAME.unpack_from(incoming)
            if length > MAX_FRAME:
                return False
            if len(incoming) < _FRAME.size + length:
                if len(incoming) >= 1 << 18 and kind == _STDIN:
                    # A packet may be larger than what a channel holds: its beginning is taken alone.
                    taken = len(incoming) - _FRAME.size
                    self.stdin.note(bytes(incoming[_FRAME.size :]))
                    incoming[:] = _FRAME.pack(kind, length - taken)
                return True
            payload = bytes(incoming[_FRAME.size : _FRAME.size + length])
            del incoming[: _FRAME.size + length]
            if kind == _STDIN:
                self.stdin.note(payload)
            elif kind == _CLOSE_STDIN:
                self.stdin.is_closed = True
        return True

    def _write(self, kind: int, pipe: Pipe) -> None:
        while pipe.data and not self._channel.is_full:
            part = pipe.take(1 << 16)
            if self._is_terminal:
                # A terminal of the host is raw meanwhile: it does not go back to the first column by itself.
                part = part.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
            self._channel.write(_FRAME.pack(kind, len(part)) + part if self._is_v2 else part)

    def end(self, status: int) -> None:
        """Tells the status, if the protocol can."""
        if self._is_v2:
            self._channel.write(_FRAME.pack(_EXIT, 1) + bytes([status & 0xFF]))

    def is_met(self, pause: Pause, now: float) -> bool:
        """Whether a command that paused can go on."""
        return (
            self.stdout.is_broken
            or (pause.input and (bool(self.stdin.data) or self.stdin.is_closed))
            or (pause.room and not self.stdout.is_full)
            or (pause.until is not None and now >= pause.until)
        )


def shell_service(
    channel: Channel,
    phone: ServedPhone,
    commands: Mapping[str, ShellCommand],
    line: str,
    *,
    is_v2: bool,
    is_terminal: bool = False,
) -> Service:
    """Runs a command line, or without one the lines that the client sends."""
    wire = ShellWire(channel, is_v2=is_v2, is_terminal=is_terminal)
    shell = Shell(phone, commands)
    if line:
        running = shell.run(line, wire.stdin, wire.stdout, wire.stderr)
    else:
        running = _lines(shell, wire, is_terminal=is_terminal)
    yield from _drive(running, wire, channel, phone)


def _drive(running: Running, wire: ShellWire, channel: Channel, phone: ServedPhone) -> Service:
    left = TURNS_ALONE
    try:
        while True:
            try:
                pause = next(running)
            except StopIteration as ended:
                status = int(ended.value)
                break
            while True:
                if not wire.move():
                    return
                if channel.is_gone:
                    # A command may still read what its client sent before it left; then it ends.
                    left -= not (wire.stdin.data or channel.incoming)
                    if left < 0 or (pause.until is not None and pause.until > phone.clock()):
                        return
                if wire.is_met(pause, phone.clock()):
                    break
                # Input is always read: a client may close its input, or write what no command reads.
                outer = Pause(input=wire.stdin.takes_more, room=channel.is_full, until=pause.until)
                if channel.is_ended:
                    outer = Pause(room=True, until=pause.until)
                elif channel.incoming:
                    # A part of a packet waits for its rest.
                    outer = Pause(room=channel.is_full, until=min(pause.until or 1e18, phone.clock() + 0.02))
                yield outer
            if pause.until is not None:
                yield pause
    finally:
        running.close()
    while wire.stdout.data or wire.stderr.data:
        wire.move()
        if channel.is_gone:
            return
        yield from channel.flush()
    wire.move()
    wire.end(status)


def _lines(shell: Shell, wire: ShellWire, *, is_terminal: bool) -> Running:
    """Runs the lines of the input one after the other; echoes them and prompts for them on a terminal."""
    buffer = bytearray()
    if is_terminal:
        wire.stdout.note(PROMPT)
    status = 0
    while True:
        end = min((place for mark in b"\r\n" if (place := buffer.find(mark)) >= 0), default=-1)
        if end < 0:
            if wire.stdin.is_closed and not wire.stdin.data:
                if not buffer:
                    return status
                end = len(buffer)
            elif len(buffer) > LONGEST_LINE:
                wire.stderr.note(b"sh: the line is too long\n")
                return 2
            else:
                yield INPUT
                data = wire.stdin.take()
                if is_terminal:
                    if b"\x04" in data and not buffer:
                        wire.stdout.note(b"\r\n")
                        return status
                    data = _typed(buffer, data, wire)
                buffer += data
                continue
        line = bytes(buffer[:end]).decode("utf-8", "surrogateescape")
        del buffer[: end + 1]
        out = wire.stdout
        if is_terminal:
            out.write(b"\r\n")
        if line.strip():
            # What was read too far belongs to the command.
            rest = bytes(buffer)
            buffer.clear()
            wire.stdin.data[:0] = rest
            status = yield from shell.run(line, wire.stdin, wire.stdout, wire.stderr)
            if shell.exit_status is not None:
                return shell.exit_status
        if is_terminal:
            out.write(PROMPT)


def _typed(buffer: bytearray, data: bytes, wire: ShellWire) -> bytes:
    """What a terminal sent, with rubbed-out letters removed; it is echoed."""
    kept = bytearray()
    for byte in data:
        if byte in (0x7F, 0x08):
            if kept:
                kept.pop()
            elif buffer:
                buffer.pop()
            wire.stdout.note(b"\b \b")
        elif byte == 0x03:
            kept.clear()
            buffer.clear()
            wire.stdout.note(b"^C\r\n" + PROMPT)
        else:
            kept.append(byte)
            if byte not in (0x0D, 0x0A):
                wire.stdout.note(bytes([byte]))
    return bytes(kept)

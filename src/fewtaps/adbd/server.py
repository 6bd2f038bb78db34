"""The server of adb connections: one thread, one loop, many connections.

A device call blocks the loop until the app is quiet, as on a device that does one thing at a time; the session's own
deadline bounds it. Between two calls every connection is read once and every service that can go on is resumed once,
so no connection waits for more than one step of each of the others.
"""

from __future__ import annotations

import contextlib
import logging
import selectors
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from fewtaps.adbd.channel import TURN, Channel, Pause, Service
from fewtaps.adbd.keys import AdbKey
from fewtaps.adbd.packets import TransportError
from fewtaps.adbd.phone import ServedPhone
from fewtaps.adbd.services import banner, open_service, refusal
from fewtaps.adbd.transport import AdbStream, Transport
from fewtaps.errors import UsageError
from fewtaps.model.event import printable

HOST = "127.0.0.1"
READ_BYTES = 1 << 16
REST_SECONDS = 1.0
"""How long clients are served before what can wait is done."""
REST_AGAIN_SECONDS = 0.1
MAX_CONNECTIONS = 256
"""Connections at a time; the next one is closed at once."""
GREETING_SECONDS = 20.0
"""A connection that has not introduced itself by then is closed."""
HELD_BYTES = 48 << 20
"""All bytes that wait in all connections; when there are more, the connection that holds the most is closed."""
BACKLOG = 128

log = logging.getLogger(__name__)


class Connection(Protocol):
    """What the server does with a socket; `receive` raises TransportError when the connection has to end."""

    @property
    def is_welcome(self) -> bool:
        """Whether the client has introduced itself."""
        ...

    @property
    def takes_more(self) -> bool:
        """Whether the client may be read."""
        ...

    @property
    def held(self) -> int:
        """The bytes that wait in this connection."""
        ...

    def receive(self, data: bytes) -> None:
        """Takes bytes of the client; no bytes are the end of them."""
        ...

    def run(self, now: float) -> Pause | None:
        """Resumes what can go on; returns what is waited for, or None if the connection is over."""
        ...

    def output(self) -> bytearray:
        """The bytes for the client; the server removes those it has sent."""
        ...

    def close(self) -> None:
        """Ends everything of the connection."""
        ...


@dataclass(slots=True, eq=False)
class RunningService:
    """A service and what it waits for."""

    service: Service
    channel: Channel
    pause: Pause = TURN

    def resume(self, now: float) -> bool:
        """Resumes it if it can go on; False after its end."""
        if not self.channel.is_met(self.pause, now):
            return True
        try:
            self.pause = next(self.service)
        except StopIteration:
            return False
        return True


class AdbConnection:
    """A host that speaks adb's transport to one device."""

    def __init__(self, phone: ServedPhone, keys: Sequence[AdbKey] = ()) -> None:
        self._phone = phone
        self._transport = Transport(banner(phone), keys)
        self._running: dict[int, tuple[AdbStream, RunningService]] = {}

    @property
    def is_welcome(self) -> bool:
        return self._transport.is_online

    @property
    def takes_more(self) -> bool:
        return self._transport.takes_more

    @property
    def held(self) -> int:
        return self._transport.held

    def receive(self, data: bytes) -> None:
        if not data:
            raise TransportError("the host has left")
        for stream in self._transport.receive(data):
            service = open_service(stream.service, stream.channel, self._phone)
            if service is None:
                kind = stream.service.partition(":")[0]
                log.info("refused %s: %s", printable(stream.service), refusal(stream.service))
                # Clients open the ports of agents to see whether these are started.
                if kind != "tcp":
                    self._phone.count_unknown(f"the service {kind[:40]}")
                self._transport.refuse(stream)
            else:
                self._transport.accept(stream)
                self._running[stream.local] = stream, RunningService(service, stream.channel)

    def run(self, now: float) -> Pause:
        self._transport.collect()
        waits = Pause()
        for local, (stream, running) in list(self._running.items()):
            if running.resume(now):
                waits |= running.pause
                if running.channel.is_met(running.pause, now):
                    waits |= TURN
            else:
                stream.has_ended = True
                del self._running[local]
        self._transport.collect()
        return waits

    def output(self) -> bytearray:
        return self._transport.take_output()

    def close(self) -> None:
        self._transport.end()
        for _, running in self._running.values():
            running.service.close()
        self._running.clear()


@dataclass(slots=True, eq=False)
class _Client:
    socket: socket.socket
    connection: Connection
    since: float
    events: int = selectors.EVENT_READ
    has_ended: bool = False


@dataclass(slots=True, eq=False)
class _Listener:
    socket: socket.socket
    make: Callable[[], Connection]


@dataclass(slots=True, eq=False)
class DeviceServer:
    """Accepts connections on any number of ports and serves them until it is told to stop."""

    clock: Callable[[], float] = time.monotonic
    is_stopping: bool = False
    _selector: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)
    _clients: list[_Client] = field(default_factory=list)
    _listeners: list[_Listener] = field(default_factory=list)
    _phones: list[ServedPhone] = field(default_factory=list)

    def listen(self, port: int, make: Callable[[], Connection], option: str = "--port") -> int:
        """Accepts connections on a port of the loopback address, 0 for any; returns the port. Raises UsageError."""
        try:
            listener = socket.create_server((HOST, port), backlog=BACKLOG)
        except (OSError, OverflowError) as error:
            raise UsageError(
                f"{option} {port}: cannot be used ({getattr(error, 'strerror', None) or error})"
            ) from error
        listener.setblocking(False)
        entry = _Listener(listener, make)
        self._listeners.append(entry)
        self._selector.register(listener, selectors.EVENT_READ, entry)
        return int(listener.getsockname()[1])

    def watch(self, phone: ServedPhone) -> None:
        """Lets happen in time what a device holds back for a moment."""
        self._phones.append(phone)

    def unlisten(self, port: int) -> None:
        """Accepts no more connections on a port."""
        for entry in [each for each in self._listeners if each.socket.getsockname()[1] == port]:
            self._selector.unregister(entry.socket)
            entry.socket.close()
            self._listeners.remove(entry)

    def serve(self, at_rest: Callable[[], bool] | None = None) -> None:
        """Serves until `is_stopping` is set; calls `at_rest` after `REST_SECONDS`, and again until it answers True."""
        timeout = 0.0
        rest = self.clock() + REST_SECONDS
        while not self.is_stopping:
            timeout = self.turn(timeout)
            if at_rest is not None:
                timeout = min(timeout, max(0.0, rest - self.clock()))
                if timeout == 0.0 and self.clock() >= rest:
                    at_rest, rest = None if at_rest() else at_rest, self.clock() + REST_AGAIN_SECONDS

    def turn(self, timeout: float | None) -> float:
        """One turn of the loop; returns how long the next one may wait for the sockets."""
        for key, mask in self._selector.select(timeout):
            if isinstance(key.data, _Listener):
                self._accept(key.data)
            else:
                self._move(key.data, mask)
        return self._run()

    def _accept(self, listener: _Listener) -> None:
        try:
            accepted, _ = listener.socket.accept()
        except OSError as error:
            log.info("a connection could not be accepted: %s", error)
            return
        if len(self._clients) >= MAX_CONNECTIONS:
            log.info("more than %d connections; the newest is closed", MAX_CONNECTIONS)
            accepted.close()
            return
        accepted.setblocking(False)
        with contextlib.suppress(OSError):
            accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client = _Client(accepted, listener.make(), self.clock())
        self._clients.append(client)
        self._selector.register(accepted, client.events, client)

    def _move(self, client: _Client, mask: int) -> None:
        try:
            if mask & selectors.EVENT_READ and client.connection.takes_more:
                data = client.socket.recv(READ_BYTES)
                client.has_ended |= not data
                client.connection.receive(data)
            if mask & selectors.EVENT_WRITE:
                self._send(client)
        except (BlockingIOError, InterruptedError):
            return
        except TransportError as error:
            log.info("a connection ends: %s", error)
            self._drop(client)
        except OSError as error:
            log.info("a connection ends: %s", error.strerror or error)
            self._drop(client)

    def _send(self, client: _Client) -> None:
        output = client.connection.output()
        if output:
            sent = client.socket.send(memoryview(output)[: 1 << 18])
            del output[:sent]

    def _run(self) -> float:
        now = self.clock()
        held_until = (each.let_go(now) for each in self._phones)
        wait = min((max(0.0, until - now) for until in held_until if until is not None), default=1.0)
        held = 0
        for client in list(self._clients):
            if client not in self._clients:
                continue
            waits = client.connection.run(now)
            try:
                self._send(client)
            except (BlockingIOError, InterruptedError):
                pass
            except OSError:
                self._drop(client)
                continue
            output = client.connection.output()
            if waits is None and not output:
                self._drop(client)
                continue
            if not client.connection.is_welcome and now - client.since > GREETING_SECONDS:
                log.info("a connection ends: it has not introduced itself")
                self._drop(client)
                continue
            if waits is not None and waits.until is not None:
                wait = min(wait, max(0.0, waits.until - now))
            self._watch(client, bool(output))
            held += client.connection.held
        if held > HELD_BYTES:
            worst = max(self._clients, key=lambda client: client.connection.held)
            log.info("a connection ends: too many of its bytes wait to be taken")
            self._drop(worst)
        return wait

    def _watch(self, client: _Client, has_output: bool) -> None:
        wants_input = client.connection.takes_more and not client.has_ended
        events = (selectors.EVENT_READ if wants_input else 0) | (selectors.EVENT_WRITE if has_output else 0)
        if events == client.events:
            return
        if not events:
            self._selector.unregister(client.socket)
        elif not client.events:
            self._selector.register(client.socket, events, client)
        else:
            self._selector.modify(client.socket, events, client)
        client.events = events

    def _drop(self, client: _Client) -> None:
        if client not in self._clients:
            return
        self._clients.remove(client)
        if client.events:
            self._selector.unregister(client.socket)
        client.connection.close()
        client.socket.close()

    def close(self) -> None:
        """Closes all connections and ports."""
        for client in list(self._clients):
            self._drop(client)
        for listener in self._listeners:
            self._selector.unregister(listener.socket)
            listener.socket.close()
        self._listeners.clear()
        self._selector.close()

"""gRPC over HTTP/2 on a channel: calls of one request and one answer."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import ConnectionTerminated, DataReceived, RequestReceived, StreamEnded, StreamReset
from h2.exceptions import ProtocolError, StreamClosedError

from fewtaps.adbd.channel import INPUT, TURN, Channel, Pause, Service

MAX_REQUEST = 4 << 20
"""Bytes of a request."""
OK, UNKNOWN, INVALID, UNIMPLEMENTED = 0, 2, 3, 12
"""Statuses of gRPC."""


class CallFailed(Exception):
    """A call that is answered with a status instead of a message."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


Answer = Callable[[str, bytes], bytes]
"""From the path of a method and its request to its answer. Raises CallFailed."""


@dataclass(slots=True, eq=False)
class _GrpcCall:
    path: str
    request: bytearray = field(default_factory=bytearray)
    pending: bytearray | None = None
    """What of the answer is not sent yet."""


def serve_grpc(channel: Channel, answer: Answer) -> Service:
    """Answers the calls of a connection until the client leaves or breaks the protocol."""
    yield from _GrpcConnection(channel, answer).run()


class _GrpcConnection:
    def __init__(self, channel: Channel, answer: Answer) -> None:
        self._channel = channel
        self._answer = answer
        self._h2: Any = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))
        self._calls: dict[int, _GrpcCall] = {}
        self._is_over = False

    def run(self) -> Service:
        self._h2.initiate_connection()
        while not self._is_over:
            self._flush()
            yield from self._channel.flush()
            if self._channel.is_ended and not self._channel.incoming:
                return
            yield INPUT
            try:
                for event in self._h2.receive_data(self._channel.take()):
                    yield from self._handle(event)
            except (ProtocolError, UnicodeDecodeError):
                # A client breaks the protocol, or has left or ended the stream behind what is answered here.
                self._is_over = True
            self._channel.inside = sum(len(call.request) + len(call.pending or b"") for call in self._calls.values())
        self._flush()

    def _handle(self, event: object) -> Generator[Pause, None, None]:
        match event:
            case RequestReceived():
                headers: dict[Any, Any] = dict(event.headers or ())
                self._calls[event.stream_id] = _GrpcCall(str(headers.get(":path", ""))[:200])
            case DataReceived():
                self._h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                call = self._calls.get(event.stream_id)
                if call is not None:
                    call.request += event.data
                    if len(call.request) > MAX_REQUEST:
                        self._reset(event.stream_id)
            case StreamEnded():
                if event.stream_id in self._calls:
                    yield from self._perform(event.stream_id, self._calls[event.stream_id])
            case StreamReset():
                self._calls.pop(event.stream_id, None)
            case ConnectionTerminated():
                self._is_over = True

    def _reset(self, stream: int) -> None:
        self._calls.pop(stream, None)
        self._h2.reset_stream(stream, ErrorCodes.REFUSED_STREAM)

    def _perform(self, stream: int, call: _GrpcCall) -> Generator[Pause, None, None]:
        head, request = call.request[:5], bytes(call.request[5:])
        try:
            if len(head) < 5 or head[0] or int.from_bytes(head[1:], "big") != len(request):
                raise CallFailed(UNIMPLEMENTED, "only calls of one plain request are answered here")
            answer = self._answer(call.path, request)
        except CallFailed as error:
            self._calls.pop(stream, None)
            self._fail(stream, error)
            return
        try:
            self._h2.send_headers(stream, [(":status", "200"), ("content-type", "application/grpc")])
        except ProtocolError:
            self._calls.pop(stream, None)
            return
        call.pending = bytearray(b"\0" + len(answer).to_bytes(4, "big") + answer)
        yield TURN

    def _fail(self, stream: int, error: CallFailed) -> None:
        headers = [(":status", "200"), ("content-type", "application/grpc"), ("grpc-status", str(error.status))]
        message = quote(str(error)[:1000], safe=" ,.:;'()[]{}=-_/")
        try:
            self._h2.send_headers(stream, [*headers, ("grpc-message", message)], end_stream=True)
        except (ProtocolError, StreamClosedError):
            return

    def _flush(self) -> None:
        """Sends of the answers what the client's windows let through."""
        for stream, call in list(self._calls.items()):
            if call.pending is None:
                continue
            try:
                self._send(stream, call.pending)
            except (ProtocolError, StreamClosedError):
                self._calls.pop(stream, None)
                continue
            if not call.pending:
                del self._calls[stream]
        self._channel.write(self._h2.data_to_send())

    def _send(self, stream: int, pending: bytearray) -> None:
        while pending:
            room = min(self._h2.local_flow_control_window(stream), self._h2.max_outbound_frame_size, len(pending))
            if room <= 0:
                return
            self._h2.send_data(stream, bytes(pending[:room]))
            del pending[:room]
        self._h2.send_headers(stream, [("grpc-status", str(OK))], end_stream=True)

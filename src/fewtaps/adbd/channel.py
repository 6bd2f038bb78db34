"""Channel: the bytes between a service and its client, with limits; Pause: what a service waits for."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import TypeAlias

INCOMING_BYTES = 1 << 18
"""A client is not read further while so many of its bytes wait for the service."""
OUTGOING_BYTES = 1 << 18
"""A service pauses while so many of its bytes wait for the client."""


@dataclass(frozen=True, slots=True)
class Pause:
    """What a service waits for; any of it lets the service go on.

    `input`: bytes of the client, or the end of them. `room`: fewer than `OUTGOING_BYTES` that the client has not taken.
    `until`: a moment of the server's monotonic clock.
    """

    input: bool = False
    room: bool = False
    until: float | None = None

    def __or__(self, other: Pause) -> Pause:
        moments = [moment for moment in (self.until, other.until) if moment is not None]
        return Pause(self.input or other.input, self.room or other.room, min(moments, default=None))


INPUT, ROOM = Pause(input=True), Pause(room=True)
TURN = Pause(until=0.0)
"""Waits for nothing: other connections are served, then the service goes on."""

Service: TypeAlias = Generator[Pause, None, None]
"""A service runs until it needs something that is not there, and yields what it waits for."""


class Channel:
    """One stream. The server fills `incoming` and empties `outgoing`; the service does the opposite.

    `is_ended` says that the client sends no more, `is_gone` that it takes no more either. `inside` is how many bytes
    the service itself holds.
    """

    def __init__(self) -> None:
        self.incoming = bytearray()
        self.outgoing = bytearray()
        self.is_ended = False
        self.is_gone = False
        self.inside = 0

    @property
    def is_full(self) -> bool:
        """Whether the service should pause before it writes more."""
        return len(self.outgoing) >= OUTGOING_BYTES

    @property
    def takes_more(self) -> bool:
        """Whether the client may be read further."""
        return len(self.incoming) < INCOMING_BYTES

    @property
    def held(self) -> int:
        """The bytes that wait in both directions."""
        return len(self.incoming) + len(self.outgoing) + self.inside

    def write(self, data: bytes) -> None:
        """Adds bytes for the client; they are dropped after it has left."""
        if not self.is_gone:
            self.outgoing += data

    def take(self, most: int | None = None) -> bytes:
        """Removes and returns what has arrived, up to `most` bytes."""
        count = len(self.incoming) if most is None else min(most, len(self.incoming))
        data = bytes(self.incoming[:count])
        del self.incoming[:count]
        return data

    def read_exactly(self, count: int) -> Generator[Pause, None, bytes | None]:
        """Waits for so many bytes; None if the client ends before."""
        parts = bytearray()
        while True:
            parts += self.take(count - len(parts))
            if len(parts) == count:
                return bytes(parts)
            if self.is_ended:
                return None
            yield INPUT

    def flush(self) -> Generator[Pause, None, None]:
        """Waits until the client has taken most of what was written."""
        while self.is_full and not self.is_gone:
            yield ROOM

    def is_met(self, pause: Pause, now: float) -> bool:
        """Whether a service of this channel that paused can go on."""
        return (
            self.is_gone
            or (pause.input and (bool(self.incoming) or self.is_ended))
            or (pause.room and not self.is_full)
            or (pause.until is not None and now >= pause.until)
        )

"""What the servers of a run answer: requests and answers that a user recorded or specified."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeGuard


@dataclass(frozen=True, slots=True)
class ServedAnswer:
    """The answer to requests of a method for addresses that match.

    `address` is a regular expression for the whole address, in the syntax that Python and Java share. `headers` are
    names and values.
    """

    method: str
    address: str
    status: int
    content_type: str
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()


def is_status(value: object) -> TypeGuard[int]:
    """Whether a value is the status of an answer: those below 100 and beyond 599 are none."""
    return type(value) is int and 100 <= value < 600


def literal(text: str) -> str:
    """A regular expression for exactly this text, the same in Python and Java."""
    return "".join(char if char.isalnum() or ord(char) > 126 else f"\\{char}" for char in text if char >= " ")


def digest_of(answers: Iterable[ServedAnswer]) -> str:
    """A digest of all that servers answer; empty if they answer nothing."""
    text = "".join(map(repr, answers))
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest() if text else ""

"""Damaged files for a reader: each ends in a value or in one of our own errors, in time."""

from __future__ import annotations

import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import FrameType

from fuzz.damage import damaged
from fuzz.subject import Subject

from fewtaps.errors import FewtapsError

SECONDS = 20
"""A reader that takes longer for one small file never ends."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A damaged file that a reader did not stand, by the reader, the seed and the number of the case."""

    subject: str
    case: str
    content: bytes
    error: str


class TooLong(BaseException):
    """The time of a case is over. Not an Exception, so that no reader catches it."""


def run_cases(subject: Subject, seed: int, count: int, first: int = 0) -> Iterator[Failure]:
    """The failures among `count` cases; seed and number decide a case."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "contents"
        folder.mkdir()
        contents = subject.contents(folder)
        for number in range(first, first + count):
            random = Random(f"{subject.name} {seed} {number}")
            content = damaged(random.choice(contents), random)
            error = failure_of(subject, content, Path(place) / "case")
            if error is not None:
                yield Failure(subject.name, f"{seed}-{number}", content, error)


def failure_of(subject: Subject, content: bytes, folder: Path) -> str | None:
    """How the reader failed on this content; None if it gave a value or one of our own errors."""
    folder.mkdir(exist_ok=True)
    try:
        with _deadline():
            subject.read(content, folder)
    except FewtapsError as error:
        return f"the error has {len(str(error))} characters" if len(str(error)) > 4000 else None
    except TooLong:
        return None if subject.limited else f"did not end within {SECONDS} s"
    except Exception as error:  # noqa: BLE001
        return f"{type(error).__name__}: {error}"[:300]
    return None


@contextmanager
def _deadline() -> Iterator[None]:
    def over(number: int, frame: FrameType | None) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)

"""Simulated devices whose events take time, for benchmarks/farm.py: slots import this module by its name."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from fewtaps.device.jobs import Job, JobContext
from fewtaps.device.session import Session
from fewtaps.device.session_view import SessionView
from fewtaps.model.event import Event
from fewtaps.model.trace import Step
from fewtaps.pipeline.plan_pools import PlanOpener


class SleepingSession(SessionView):
    """A session whose events take some time and no processor."""

    def __init__(self, session: Session, seconds: float) -> None:
        super().__init__(session)
        self._seconds = seconds

    def perform(self, event: Event) -> Step:
        """Sleeps, then performs the event."""
        time.sleep(self._seconds)
        return super().perform(event)


@dataclass(frozen=True)
class SleepingOpener:
    """Opens a simulated app whose events sleep."""

    inner: PlanOpener
    seconds: float

    @property
    def backend(self) -> str:
        """The kind of device."""
        return self.inner.backend

    @property
    def title(self) -> str:
        """The app's package."""
        return self.inner.title

    @property
    def apk(self) -> tuple[str, str]:
        """No file."""
        return "", ""

    def on_device(self, device: str) -> SleepingOpener:
        """The device of the slot is as good."""
        return self

    def __call__(self) -> AbstractContextManager[Session]:
        """The session."""
        return self._open()

    @contextmanager
    def _open(self) -> Iterator[Session]:
        with self.inner() as session:
            yield SleepingSession(session, self.seconds)


@dataclass(frozen=True)
class StampedJob(Job[int]):
    """Writes the time at which it began into a file named by its process, and takes some seconds."""

    folder: str
    seconds: float

    def run(self, session: Session, context: JobContext) -> int:
        """The process."""
        began = time.monotonic()
        part = Path(self.folder) / f".{os.getpid()}-{began}"
        part.write_text(str(began), "utf-8")
        part.rename(Path(self.folder) / f"{os.getpid()}-{began}")
        time.sleep(self.seconds)
        return os.getpid()


@dataclass(frozen=True)
class SleepJob(Job[bool]):
    """Takes some seconds and no processor."""

    seconds: float

    def run(self, session: Session, context: JobContext) -> bool:
        """True when it is over."""
        time.sleep(self.seconds)
        return True

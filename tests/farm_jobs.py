"""Jobs for tests of farms, in a module that the processes of slots can import."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from fewtaps.device.jobs import Job, JobContext
from fewtaps.device.session import Session
from fewtaps.errors import DeviceLost, DeviceUnavailable
from fewtaps.pipeline.plan_pools import PlanOpener


class Die(Job[str]):
    """Kills the process of its slot."""

    def run(self, session: Session, context: JobContext) -> str:
        os.kill(os.getpid(), signal.SIGKILL)
        return "unreachable"


class DieButAnswer(Die):
    """The same, with an answer for the case that all slots died of it."""

    def answer_if_lost(self, error: DeviceLost) -> str:
        return f"given up: {error}"


class SlowOnOneSlot(Job[int]):
    """Answers a number; in the process `slow` only after many seconds, or when the answer is not awaited any more."""

    def __init__(self, number: int, slow: int) -> None:
        self.number = number
        self.slow = slow

    def run(self, session: Session, context: JobContext) -> int:
        end = time.monotonic() + (60 if os.getpid() == self.slow else 0.02)
        while time.monotonic() < end and not context.should_stop():
            time.sleep(0.01)
        return self.number


class Say(Job[int]):
    """Answers a number."""

    def __init__(self, number: int) -> None:
        self.number = number

    def run(self, session: Session, context: JobContext) -> int:
        return self.number


@dataclass(frozen=True)
class OpenerBrokenAt:
    """Opens an app as `inner` does, but not in the processes `broken`: as on machines without a jail."""

    inner: PlanOpener
    broken: tuple[int, ...]
    title: str = "broken somewhere"
    apk: tuple[str, str] = ("", "")

    @property
    def backend(self) -> str:
        return self.inner.backend

    def on_device(self, device: str) -> OpenerBrokenAt:
        return self

    def __call__(self) -> AbstractContextManager[Session]:
        if os.getpid() in self.broken:
            raise DeviceUnavailable("there is no jail here")
        return self.inner()


@dataclass(frozen=True)
class BrokenOpener:
    """Opens nothing, as on a machine without Java."""

    backend: str
    title: str = "broken"
    apk: tuple[str, str] = ("", "")

    def on_device(self, device: str) -> BrokenOpener:
        return self

    def __call__(self) -> AbstractContextManager[Session]:
        raise DeviceUnavailable("there is no Java here")


class HangEverywhere(Job[str]):
    """Finds the app hanging on every device."""

    def run(self, session: Session, context: JobContext) -> str:
        session.launch()
        raise DeviceLost("the app hangs")

    def answer_if_lost(self, error: DeviceLost) -> str:
        return f"given up: {error}"


@dataclass(frozen=True)
class TellingOpener:
    """Opens an app as `inner` does, and leaves a file for each time that it is opened and closed."""

    inner: PlanOpener
    folder: str
    title: str = "told"
    apk: tuple[str, str] = ("", "")

    @property
    def backend(self) -> str:
        return self.inner.backend

    def on_device(self, device: str) -> TellingOpener:
        return self

    @contextmanager
    def __call__(self) -> Iterator[Session]:
        self._tell("opened")
        with self.inner() as session:
            yield session
        self._tell("closed")

    def _tell(self, what: str) -> None:
        (Path(self.folder) / f"{what}-{os.getpid()}-{time.monotonic_ns()}").touch()

"""What a run sends to a slot and gets back, and how a slot opens the app."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from fewtaps.device.jobs import Job
from fewtaps.device.session import Session
from fewtaps.errors import DeviceUnavailable, FewtapsError
from fewtaps.farm.replica import EpisodeTask


class Opener(Protocol):
    """Opens an app on a device of its own; a value that can be sent to another machine."""

    @property
    def backend(self) -> str:
        """The name of the kind of device."""
        ...

    @property
    def title(self) -> str:
        """What `farm status` calls the app."""
        ...

    @property
    def apk(self) -> tuple[str, str]:
        """Path and digest of the APK file; both empty for an app that is no file."""
        ...

    def on_device(self, device: str) -> Opener:
        """The same app on the device of a slot."""
        ...

    def __call__(self) -> AbstractContextManager[Session]:
        """The session, closed with its device at the end of the `with` block."""
        ...


@dataclass(frozen=True, slots=True)
class FarmTask:
    """What a slot is asked to do: a job, or an episode whose knowledge the slot has. `call` is that of `map`."""

    run: str
    call: int
    job: Job[Any] | EpisodeTask


@dataclass(frozen=True, slots=True)
class FarmAnswer:
    """What became of a task: the answer, or the error that the job raised.

    `is_slot_fault` says that the slot could not open the app, so that another may. `idle` is how many seconds the
    device did nothing before this task, None if it was the first; `seconds` is how long the job took.
    """

    answer: Any = None
    error: FewtapsError | None = None
    is_slot_fault: bool = False
    idle: float | None = None
    seconds: float = 0.0


class SlotRefused(DeviceUnavailable):
    """A slot cannot be of this farm as long as its machine is as it is; the message has the reason."""


class RunGone(Exception):
    """The run whose task this is does not exist any more, or the hub does not answer."""

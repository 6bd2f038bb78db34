"""Every run of every candidate in a reduction by repeated runs, and the devices that disagree with others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from fewtaps.model.trial import Trial

EXPECTED_FROM_A_DEVICE = 5.0
"""Expected successes from which on a device without any success is reported."""


class Trials(Protocol):
    """Remembers trials by the candidate's key; may outlive the process."""

    def of(self, key: str) -> Sequence[Trial]:
        """All trials of a candidate, in the order in which they were made."""
        ...

    def add(self, key: str, trial: Trial) -> None:
        """One more; it is kept at once."""
        ...

    def share(self, key: str, trials: Sequence[Trial]) -> None:
        """Adds trials of another candidate in this process only; they are stored under the other one."""
        ...


class TrialsInMemory:
    """Trials that end with the process."""

    def __init__(self) -> None:
        self._trials: dict[str, list[Trial]] = {}

    def of(self, key: str) -> Sequence[Trial]:
        """All trials of a candidate."""
        return self._trials.get(key, ())

    def add(self, key: str, trial: Trial) -> None:
        self._trials.setdefault(key, []).append(trial)

    def share(self, key: str, trials: Sequence[Trial]) -> None:
        """Several more, of another candidate."""
        self._trials.setdefault(key, []).extend(trials)

    def all(self) -> Mapping[str, Sequence[Trial]]:
        """All trials, by the key of their candidate."""
        return self._trials


@dataclass(frozen=True, slots=True)
class OddDevice:
    """A device that never meets the goal though others do, with the same candidates."""

    device: str
    runs: int
    expected: float

    def __str__(self) -> str:
        return (
            f"{self.device} never does it: 0 of its {self.runs} runs, where the others' runs of the same steps"
            f" let expect {self.expected:.0f}"
        )


def odd_devices(trials: Iterable[Sequence[Trial]]) -> tuple[OddDevice, ...]:
    """The devices that never met the goal though others did.

    A device is compared only on candidates that others have played too: it may have been given bad candidates.
    """
    runs: dict[str, int] = {}
    met: dict[str, int] = {}
    expected: dict[str, float] = {}
    for group in trials:
        for device in {trial.device for trial in group}:
            own = [trial.met for trial in group if trial.device == device]
            others = [trial.met for trial in group if trial.device != device]
            if others:
                runs[device] = runs.get(device, 0) + len(own)
                met[device] = met.get(device, 0) + sum(own)
                expected[device] = expected.get(device, 0.0) + len(own) * sum(others) / len(others)
    return tuple(
        OddDevice(device, runs[device], expected[device])
        for device in sorted(runs)
        if met[device] == 0 and expected[device] >= EXPECTED_FROM_A_DEVICE
    )

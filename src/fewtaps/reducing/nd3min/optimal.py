"""The optimal schedule: looks up the solved policy, which is shipped, kept from before, or solved now (section 4.3)."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from fewtaps.errors import UsageError
from fewtaps.reducing.nd3min.heuristic import Heuristic
from fewtaps.reducing.nd3min.parameters import Nd3minParameters
from fewtaps.reducing.nd3min.policy import SchedulePolicy, policy_from_bytes, policy_to_bytes, shipped_policy
from fewtaps.reducing.nd3min.prior import Prior
from fewtaps.reducing.nd3min.schedule import Schedule
from fewtaps.reducing.nd3min.states import States
from fewtaps.reducing.nd3min.tally import Tally

log = logging.getLogger(__name__)

MEMORY_BYTES = 8 * 2**30
"""Memory that solving may take, unless the caller allows more."""

Progress = Callable[[float], None]
"""Called with the share of the states that is solved."""


class Optimal:
    """Follows a policy, and the heuristic in states that the policy does not hold.

    The paper takes the heuristic for the whole of a call with more candidates than the policy was solved for. Here the
    policy takes over as soon as enough of them have failed.
    """

    def __init__(self, parameters: Nd3minParameters, policy: SchedulePolicy, otherwise: Schedule | None = None) -> None:
        solved = policy.parameters
        if (solved.runs, solved.needed) != (parameters.runs, parameters.needed):
            raise UsageError(
                f"the policy is for {solved.needed} of {solved.runs} runs, "
                f"not for {parameters.needed} of {parameters.runs}"
            )
        self._parameters = parameters
        self._policy = policy
        self._otherwise = otherwise or Heuristic(parameters)

    def __call__(self, tallies: Sequence[Tally], devices: int) -> tuple[int, ...]:
        """The plan of the policy, if it was solved for this number of devices and holds the state."""
        if devices == self._policy.parameters.devices:
            undecided = [at for at, tally in enumerate(tallies) if tally.is_open(self._parameters)]
            plan = self._policy.plan([tallies[at] for at in undecided])
            if plan is not None:
                counts = dict(zip(undecided, plan, strict=True))
                return tuple(counts.get(at, 0) for at in range(len(tallies)))
        return self._otherwise(tallies, devices)


def optimal_policy(
    parameters: Nd3minParameters,
    prior: Prior,
    *,
    cache: Path | None = None,
    progress: Progress | None = None,
    memory_bytes: int = MEMORY_BYTES,
) -> SchedulePolicy:
    """The policy for these parameters and this prior: the shipped one, one from the cache folder, or one solved now.

    A policy that is solved is kept in the cache folder, if that can be written.
    Raises UsageError if solving takes too much memory, or lacks Numba.
    """
    shipped = shipped_policy()
    if shipped.fits(parameters, prior):
        return shipped
    kept = None if cache is None else cache / policy_name(parameters, prior)
    if kept is not None and (policy := _read(kept)) is not None and policy.fits(parameters, prior):
        return policy
    policy = solve_policy(parameters, prior, progress=progress, memory_bytes=memory_bytes)
    if kept is not None:
        _write(kept, policy_to_bytes(policy))
    return policy


def solve_policy(
    parameters: Nd3minParameters, prior: Prior, *, progress: Progress | None = None, memory_bytes: int = MEMORY_BYTES
) -> SchedulePolicy:
    """Solves the process, after making sure that there is memory for it."""
    needed = States(parameters).memory_needed()
    if needed > memory_bytes:
        raise UsageError(
            f"the optimal schedule for {parameters.candidates} candidates of {parameters.runs} runs needs about "
            f"{_gigabytes(needed)} of memory to solve, and may have {_gigabytes(memory_bytes)}: "
            "take fewer candidates, or the heuristic"
        )
    try:
        from fewtaps.reducing.nd3min.mdp import solve
    except ImportError as error:
        raise UsageError(
            "the optimal schedule has to be solved for these settings, which needs Numba: "
            "pip install 'fewtaps[solver]', or take the heuristic"
        ) from error
    return solve(replace(parameters, precheck=0), prior, progress)


def policy_name(parameters: Nd3minParameters, prior: Prior) -> str:
    """The file name of a kept policy."""
    numbers = (parameters.runs, parameters.needed, parameters.candidates, parameters.devices)
    return f"{'-'.join(map(str, numbers))}-{prior.digest}.policy"


def _read(path: Path) -> SchedulePolicy | None:
    try:
        return policy_from_bytes(path.read_bytes())
    except (OSError, UsageError):
        # It can always be solved again.
        return None


def _write(path: Path, data: bytes) -> None:
    # Whole or not at all, also when two processes solve the same: each has a name of its own until it is done.
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(data)
        part.replace(path)
    except OSError as error:
        # It is solved all the same; only the next time it has to be solved again.
        log.warning("the solved policy cannot be kept in %s: %s", path.parent, error)
        with suppress(OSError):
            part.unlink()


def _gigabytes(count: int) -> str:
    return f"{count / 2**30:,.1f} GiB"

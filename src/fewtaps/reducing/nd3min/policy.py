"""A solved decision process: for every state the runs that end `get_passing` in the fewest steps, and its file."""

from __future__ import annotations

import json
import math
import sys
import zlib
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from fewtaps.errors import UsageError
from fewtaps.reducing.nd3min.parameters import Nd3minParameters
from fewtaps.reducing.nd3min.prior import Prior
from fewtaps.reducing.nd3min.states import States
from fewtaps.reducing.nd3min.tally import Tally

MAGIC = b"fewtaps policy 1\n"
"""How a file begins; the number is that of the format."""

ALL = 0xFFFF_FFFF
"""The plan that makes all runs that are left, where the devices are enough for them."""


@dataclass(frozen=True, slots=True)
class SchedulePolicy:
    """The best plan for every state, solved for these parameters and this prior.

    `expected` holds how many steps it takes on average to decide on 1, 2, ... fresh candidates.
    """

    parameters: Nd3minParameters
    prior: Prior
    expected: tuple[float, ...]
    plans: array[int]
    states: States

    def plan(self, tallies: Sequence[Tally]) -> tuple[int, ...] | None:
        """How often to run each candidate; None if the policy lacks the state, or all candidates have failed."""
        symbols = self.states.symbols(tallies)
        if symbols is None or all(symbol == self.states.failed for symbol in symbols):
            return None
        symbols += [self.states.failed] * (self.states.size - len(symbols))
        # The place of each sorted symbol among the tallies.
        places = sorted(range(len(symbols)), key=symbols.__getitem__)
        number = self.states.number([symbols[place] for place in places])
        if number is None:
            return None
        if self.plans[number] == ALL:
            return tuple(tally.room(self.parameters) for tally in tallies)
        counts = [0] * len(symbols)
        for place, count in zip(places, plan_counts(self.plans[number], self.parameters), strict=True):
            counts[place] = count
        return tuple(counts[: len(tallies)])

    def fits(self, parameters: Nd3minParameters, prior: Prior) -> bool:
        """Whether it was solved for these."""
        mine = self.parameters
        same = (mine.runs, mine.needed, mine.devices) == (parameters.runs, parameters.needed, parameters.devices)
        return same and mine.candidates >= parameters.candidates and self.prior.digest == prior.digest


def plan_counts(number: int, parameters: Nd3minParameters) -> tuple[int, ...]:
    """The spread with this number."""
    sums = [0] * (parameters.candidates - 1) + [parameters.devices]
    for at in range(parameters.candidates - 2, -1, -1):
        while math.comb(sums[at] + 1 + at, at + 1) <= number:
            sums[at] += 1
        number -= math.comb(sums[at] + at, at + 1)
    return tuple(after - before for before, after in zip([0, *sums], sums, strict=False))


def policy_to_bytes(policy: SchedulePolicy) -> bytes:
    """The whole policy: one line with its parameters and prior, then the packed plans."""
    parameters = policy.parameters
    head = {
        "runs": parameters.runs,
        "needed": parameters.needed,
        "candidates": parameters.candidates,
        "devices": parameters.devices,
        "prior": policy.prior.to_json(),
        "expected": list(policy.expected),
    }
    packed = array("I", policy.plans)
    if sys.byteorder == "big":
        packed.byteswap()
    return MAGIC + json.dumps(head).encode() + b"\n" + zlib.compress(packed.tobytes(), 9)


def policy_from_bytes(data: bytes) -> SchedulePolicy:
    """Reads a policy that `policy_to_bytes` wrote; raises UsageError if it is no policy, or damaged."""
    if not data.startswith(MAGIC):
        raise UsageError("not a policy, or one of another version of fewtaps")
    head, _, packed = data[len(MAGIC) :].partition(b"\n")
    try:
        described = json.loads(head)
        settings = {name: int(described[name]) for name in ("runs", "needed", "candidates", "devices")}
        prior = Prior.from_json(described["prior"])
        expected = tuple(map(float, described["expected"]))
        plans = array("I", zlib.decompress(packed))
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError, zlib.error) as error:
        raise UsageError(f"the policy is damaged: {error}") from error
    if sys.byteorder == "big":
        plans.byteswap()
    parameters = Nd3minParameters(**settings, precheck=0)
    states = States(parameters)
    if len(plans) != len(states):
        raise UsageError(f"the policy is damaged: it has {len(plans)} of {len(states)} states")
    return SchedulePolicy(parameters, prior, expected, plans, states)


def shipped_policy() -> SchedulePolicy:
    """The one for the paper's parameters and prior, which comes with the package."""
    return policy_from_bytes((files("fewtaps.reducing.nd3min") / "default.policy").read_bytes())

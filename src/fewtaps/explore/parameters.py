"""Every number of the exploration that can be set, with the paper's value and the section it comes from."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields

from fewtaps.errors import UsageError


@dataclass(frozen=True, slots=True)
class ExploreParameters:
    """The numbers of TimeMachine (letters and sections are the paper's) and those it has no need of.

    Ours are the last ones: here a return is a replay, which can fail and which costs events. Raises UsageError for a
    number that makes no sense.
    """

    queue_length: int = 10
    """l, section 5.1 and algorithm 2: so many transitions are looked at for loops."""
    max_no_progress: int = 200
    """maxNoProgress, section 5.1 and algorithm 2: more events in one state than this are a dead end."""
    frequent_share: float = 0.2
    """alpha, section 5.1 and algorithm 2: this share of all states, those visited most, counts as frequent."""
    easy_share: float = 0.8
    """beta, section 5.1 and algorithm 2: a larger share of easy states among the last transitions is a loop."""
    path_length: int = 3
    """k, section 3.3 and algorithm 3: how many transitions the neighbourhood of a state reaches."""
    reward: float = 0.1
    """r, section 3.3, equation 1: gained by each interesting state that was generated from a state."""
    penalty: float = 0.1
    """p, section 3.3, equation 1: lost by each visit of a state that generated none."""
    interesting_factor: float = 6.0
    """Section 3.3: f0 of an interesting state, in those of one that is not."""
    system_share: float = 0.02
    """The share of system events among the events of a strategy that has them. Section 4 names no number; the authors'
    program makes one in 60 to 90 seconds, about as rarely as this."""
    max_idle_returns: int = 10
    """After so many returns in a row that led to no new code a state is left for good."""
    loop_free_paths: int = 1
    """1: a way back is first tried without the events that seemed to make no difference. 0: always as it was seen."""
    max_away: int = 5
    """So many events in a row may fail to bring the app back to the front; then the episode ends."""
    max_refusals: int = 20
    """So often an event that is not allowed is drawn again; then the episode goes Back."""

    def __post_init__(self) -> None:
        for name in ("queue_length", "max_idle_returns", "max_away", "max_refusals"):
            self._require(name, 1, math.inf)
        for name in ("frequent_share", "easy_share", "system_share", "loop_free_paths"):
            self._require(name, 0, 1)
        for name in ("max_no_progress", "reward", "interesting_factor"):
            self._require(name, 0, 1_000_000)
        self._require("path_length", 0, 100)
        self._require("penalty", 0, 0.999)

    def _require(self, name: str, least: float, most: float) -> None:
        value = getattr(self, name)
        if not least <= value <= most:
            bounds = f"at least {least:g}" if most == math.inf else f"between {least:g} and {most:g}"
            raise UsageError(f"{name}: {bounds}, not {value:g}")


DEFAULT_PARAMETERS = ExploreParameters()


def read_parameters(assignments: Iterable[str]) -> ExploreParameters:
    """The parameters that NAME=VALUE texts give; the others keep their defaults. Raises UsageError for a bad one."""
    types = {field.name: type(getattr(DEFAULT_PARAMETERS, field.name)) for field in fields(ExploreParameters)}
    values: dict[str, int | float] = {}
    for assignment in assignments:
        name, _, text = assignment.partition("=")
        name = name.strip().replace("-", "_")
        if name not in types:
            raise UsageError(f"there is no parameter '{name}'; there are: {', '.join(types)}")
        try:
            values[name] = types[name](text)
        except ValueError:
            kind = "a whole number" if types[name] is int else "a number"
            raise UsageError(f"{name}: not {kind}: '{text}'") from None
    return ExploreParameters(**values)  # type: ignore[arg-type]

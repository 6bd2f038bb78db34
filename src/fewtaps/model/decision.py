"""What a world decided during a run, where the app had no say."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Decision:
    """One thing that the world decided.

    `what` names it for a person, the same in every world that comes to it: a piece of background work and where it was
    begun, a pause, a network's answer, a choice. `at_ms` is the app's time when it was decided. For what happens later
    `due_ms` is when; for a choice it is None and `value` is what came out.
    """

    what: str
    at_ms: int
    due_ms: int | None = None
    value: str = ""

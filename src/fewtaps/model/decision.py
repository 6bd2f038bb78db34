"""What a world decided during a run, where the app had no say."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Decision:
    """One thing that the world decided, and in which step of the run.

    `what` names it for a person, the same in every world that comes to it: a piece of background work and where it was
    begun, a choice, a network's answer. `at_ms` is the app's time when it was decided. For work that begins later
    `due_ms` is when; for a choice `value` is what came out.
    """

    what: str
    step: int
    at_ms: int
    due_ms: int | None = None
    value: str = ""

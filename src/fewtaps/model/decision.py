"""Decision: one choice that a world (a seeded source of timing and chance) made during a run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Decision:
    """One thing that the world decided.

    `what` is a description for people, equal in every world that makes the same decision: a piece of background work
    and where it was started, a pause, a network's answer, a choice. `at_ms` is the app's time of the decision.
    `due_ms` is the time of a delayed effect. For a choice `due_ms` is None and `value` is its result.
    """

    what: str
    at_ms: int
    due_ms: int | None = None
    value: str = ""

"""Criteria: the execution of an instruction, and its values, from which a slice starts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Criterion:
    """One execution of an instruction and what of it is in error.

    `row` is the place of its block in the recording's index and `instruction` its number in the method. `operands` are
    the numbers of the operands to follow, None for all. `conditions` says whether what decided that it ran is followed
    first. `sentence` says the criterion in words.
    """

    row: int
    instruction: int
    operands: tuple[int, ...] | None
    sentence: str
    conditions: bool = True

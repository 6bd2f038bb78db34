"""The prior of candidates' rates that is learned from the runs of a project and kept there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fewtaps.errors import UsageError
from fewtaps.reducing.nd3min.prior import Prior
from fewtaps.store.database import open_store

LEAST_CANDIDATES = 20
"""Candidates that are needed to learn from; with fewer, the shipped prior is better."""


@dataclass(frozen=True, slots=True)
class PriorSource:
    """A prior, and when and from how many candidates and runs it was learned; `learned` is None for the paper's."""

    prior: Prior
    learned: str | None = None
    candidates: int = 0
    runs: int = 0


def learn_prior(folder: Path) -> PriorSource:
    """Learns the prior from all flaky reductions of a project, and stores it there for later ones.

    Raises UsageError if there were too few runs to learn from.
    """
    with open_store(folder, write=True) as store:
        counts = store.trials.counts()
        if len(counts) < LEAST_CANDIDATES:
            raise UsageError(
                f"{folder}: {len(counts)} candidates are too few to learn from, {LEAST_CANDIDATES} are needed;"
                " every fewtaps reduce --flaky adds some"
            )
        runs = sum(met + missed for met, missed in counts)
        store.trials.save_prior(Prior.learned(counts).to_json(), len(counts), runs)
    return shown_prior(folder)


def shown_prior(folder: Path | None) -> PriorSource:
    """The prior that `--flaky` would use in a project, or without one. Raises NotFound if there is no such folder."""
    if folder is None:
        return PriorSource(Prior.paper())
    with open_store(folder) as store:
        row = store.trials.load_prior()
    if row is None:
        return PriorSource(Prior.paper())
    return PriorSource(Prior.from_json(row.content), row.learned, row.candidates, row.trials)

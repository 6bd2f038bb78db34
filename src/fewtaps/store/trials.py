"""Reads and writes trials, the runs of reductions by repeated runs, and the prior learned from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from fewtaps.model.record import as_number, as_object, as_text
from fewtaps.model.trial import Trial
from fewtaps.store.connection import Database
from fewtaps.store.content import from_column, from_json, to_column, to_json
from fewtaps.store.results import verdict_from_record, verdict_to_record


class StoredTrials:
    """The trials on one question, by candidate; each is in the store as soon as it is added."""

    def __init__(self, database: Database, question: str) -> None:
        self._database = database
        self._question = question
        self._loaded: dict[str, list[Trial]] = {}

    def of(self, key: str) -> Sequence[Trial]:
        """All trials of a candidate, in the order in which they were made."""
        found = self._loaded.get(key)
        if found is None:
            found = self._loaded[key] = self._load(key)
        return found

    def add(self, key: str, trial: Trial) -> None:
        """Writes one more trial of a candidate."""
        known = self.of(key)
        assert isinstance(known, list)
        best = None if trial.best_met is None else int(trial.best_met)
        content = to_json(verdict_to_record(trial.verdict))
        with self._database.transaction():
            self._database.run(
                "INSERT INTO trial (question, candidate, world, device, best, content) VALUES (?, ?, ?, ?, ?, ?)",
                (self._question, key, trial.world, to_column(trial.device), best, content),
            )
        known.append(trial)

    def share(self, key: str, trials: Sequence[Trial]) -> None:
        """Counts trials of another candidate for this one too, until the store is closed. Writes nothing."""
        known = self.of(key)
        assert isinstance(known, list)
        known.extend(trials)

    def all(self) -> Mapping[str, Sequence[Trial]]:
        """All trials on the question, by candidate."""
        rows = self._database.rows("SELECT DISTINCT candidate FROM trial WHERE question = ?", (self._question,))
        return {as_text("candidate", key): self.of(key) for (key,) in rows}

    def __len__(self) -> int:
        row = self._database.row("SELECT count(*) FROM trial WHERE question = ?", (self._question,))
        return int(row[0]) if row else 0

    def _load(self, key: str) -> list[Trial]:
        rows = self._database.rows(
            "SELECT world, device, best, content FROM trial WHERE question = ? AND candidate = ? ORDER BY trial_id",
            (self._question, key),
        )
        with self._database.reading(f"a trial of {key}"):
            return [
                Trial(
                    verdict_from_record(from_json(content)),
                    None if world is None else as_number("world", world),
                    from_column(device),
                    None if best is None else bool(as_number("best", best)),
                )
                for world, device, best, content in rows
            ]


@dataclass(frozen=True, slots=True)
class PriorRow:
    """A learned prior as JSON, when it was learned, and from how many candidates and runs of them."""

    content: Mapping[str, Any]
    learned: str
    candidates: int
    trials: int


class TrialsAndPrior:
    """The trials of a store on all questions, and the prior learned from them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def on(self, question: str) -> StoredTrials:
        """The trials on one question."""
        return StoredTrials(self._database, question)

    def counts(self) -> tuple[tuple[int, int], ...]:
        """By candidate, how many of its runs met the goal and how many missed it.

        Runs in worlds where the best trace of that time misses the goal itself are left out: a miss there says nothing
        about the events that the candidate lacks.
        """
        counts: dict[tuple[str, str], list[int]] = {}
        rows = self._database.rows(
            "SELECT question, candidate, content FROM trial WHERE best IS NULL OR best = 1 ORDER BY trial_id"
        )
        with self._database.reading("a trial"):
            for question, candidate, content in rows:
                missed = not verdict_from_record(from_json(content)).met
                counts.setdefault((question, candidate), [0, 0])[missed] += 1
        return tuple((met, missed) for met, missed in counts.values())

    def save_prior(self, content: Mapping[str, Any], candidates: int, trials: int) -> None:
        """Writes a prior, which `load_prior` gives from now on."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._database.transaction():
            self._database.run(
                "INSERT INTO prior (learned, candidate_count, trial_count, content) VALUES (?, ?, ?, ?)",
                (now, candidates, trials, to_json(dict(content))),
            )

    def load_prior(self) -> PriorRow | None:
        """The prior that was saved last; None if there is none."""
        row = self._database.row(
            "SELECT content, learned, candidate_count, trial_count FROM prior ORDER BY prior_id DESC LIMIT 1"
        )
        if row is None:
            return None
        content, learned, candidates, trials = row
        with self._database.reading("a prior"):
            return PriorRow(
                as_object("prior", from_json(content)),
                as_text("learned", learned),
                as_number("candidates", candidates),
                as_number("trials", trials),
            )

"""Our own flaky reduction on the pretend apps of `flaky_subjects`, for comparison with the paper's schedules."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from flaky_subjects import Subject

from fewtaps.reducing.nd3min.parameters import Nd3minParameters
from fewtaps.reducing.nd3min.prior import Prior
from fewtaps.reducing.oracle import PredicateOracle
from fewtaps.reducing.player import ObservedRun
from fewtaps.reducing.problem import Seen
from fewtaps.reducing.repeated.reduction import RepeatedReduction, reduce_repeatedly


class SubjectPlayer(PredicateOracle[int]):
    """Runs candidates of a subject, by luck: there are no worlds and no screens here, as on the paper's phones."""

    def __init__(self, subject: Subject, chance: Random) -> None:
        super().__init__(lambda items: True)
        self._subject = subject
        self._chance = chance
        self._keys: dict[tuple[int, ...], str] = {}

    def key(self, items: Sequence[int]) -> str:
        """A number for each content; nothing here outlives the process."""
        return self._keys.setdefault(tuple(items), str(len(self._keys)))

    def run(self, tasks: Sequence[tuple[tuple[int, ...], int | None]]) -> list[ObservedRun]:
        """One run each."""
        return [ObservedRun(Seen(self._subject.run(items, self._chance))) for items, _ in tasks]


def ours(
    subject: Subject, seed: str, prior: Prior, parameters: Nd3minParameters, *, jobs: int = 1
) -> RepeatedReduction[int]:
    """The subject's trace reduced our way; pre-check and final check are among the runs."""
    player = SubjectPlayer(subject, Random(seed))
    return reduce_repeatedly(subject.events, player, parameters, prior=prior, jobs=jobs)

"""Decides how many runs a candidate needs: only until the answer is clear. ND3MIN always makes up to `nr` runs.

After every run the probability that the candidate is good enough is computed from the prior and all runs; as soon as it
is high or low enough, that is the answer. Two assumptions make few runs enough:

- The prior is about the share of the best trace's rate that a candidate keeps. This share is nearly always all or
  nothing, whether the best replays in all runs or in half of them. In the paper's setting, where the best always
  replays, the share is the candidate's own rate.
- Where runs have worlds, a candidate is first played in worlds in which the best meets the goal. If the two are
  coupled, that is if leaving something out does not change the course of chance, the candidate meets the goal there
  too, and one miss is nearly a no. If they are not, their outcomes in one world are independent. Both cases are
  weighed.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from fewtaps.errors import UsageError
from fewtaps.reducing.nd3min.prior import Prior

LEAST, MOST = 0.005, 0.99
"""Bounds of the rates in likelihoods, so that no outcome makes a rate impossible."""

CERTAINTY_MARGIN = 1e-6
"""A prior by which the probability of a good candidate is this close to 0 or 1 is refused: no run could change it."""

COUPLED = 0.7
"""The probability, before any run, that a candidate is coupled with the best one."""


class Answer(Enum):
    """The answer to whether a candidate is good enough, by its runs so far."""

    YES = "yes"
    NO = "no"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Evidence:
    """Runs of a candidate: those in worlds where the best meets the goal, where it misses it, and all others."""

    met_with: int = 0
    missed_with: int = 0
    met_without: int = 0
    missed_without: int = 0
    met_alone: int = 0
    missed_alone: int = 0

    @property
    def runs(self) -> int:
        """The number of all runs, met or missed."""
        return self.met + self.missed_with + self.missed_without + self.missed_alone

    @property
    def met(self) -> int:
        """Those that met the goal."""
        return self.met_with + self.met_without + self.met_alone


@dataclass(frozen=True, slots=True)
class CandidateBelief:
    """Estimates for a candidate: the probability that it is good, its rate, the probability that it is coupled."""

    good: float
    rate: float
    coupled: float


@dataclass(frozen=True, slots=True)
class SequentialTest:
    """Decides whether a candidate meets its goal in at least the share `needed` of runs, less the margin (ε).

    The rates of `prior` are shares of the best's rate. The answer is yes once this is doubted by at most `wrong_yes`,
    no once it is believed by at most `wrong_no`; after `most` runs, the more probable one. An `optimistic` test
    answers after the first run, as long as all runs agree.
    """

    prior: Prior
    needed: float
    margin: float = 0.05
    wrong_yes: float = 0.05
    wrong_no: float = 0.08
    most: int = 20
    optimistic: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.needed <= 1:
            raise UsageError(f"the rate that is needed is above 0 and at most 1, not {self.needed:g}")
        if self.most < 1 or not 0 < self.wrong_yes < 1 or not 0 < self.wrong_no < 1:
            raise UsageError("a test needs at least one run, and errors between 0 and 1")

    @property
    def at_least(self) -> float:
        """The least rate of a good candidate: the needed one less the margin, and at least half of it."""
        return max(self.needed - self.margin, self.needed / 2)

    def require_open(self, best_rate: float) -> None:
        """Raises UsageError if by the prior no run can tell anything: all candidates are good, or none is."""
        good = self.belief(Evidence(), best_rate).good
        if not CERTAINTY_MARGIN < good < 1 - CERTAINTY_MARGIN:
            which = "no candidate does" if good <= CERTAINTY_MARGIN else "every candidate does"
            raise UsageError(
                f"this prior makes runs useless: by it {which} what is asked for in {self.at_least:.0%} of runs or"
                " more, whatever is seen"
            )

    def answer(self, evidence: Evidence, best_rate: float, *, paired: bool = False) -> Answer:
        """The answer by the evidence and the rate of the best one; always open before the first run."""
        if not evidence.runs:
            return Answer.OPEN
        if self.optimistic and evidence.met in (0, evidence.runs):
            return Answer.YES if evidence.met else Answer.NO
        good = self.belief(evidence, best_rate, paired=paired).good
        if evidence.runs >= self.most:
            return Answer.YES if good >= 0.5 else Answer.NO
        if good >= 1 - self.wrong_yes:
            return Answer.YES
        return Answer.NO if good <= self.wrong_no else Answer.OPEN

    def belief(self, evidence: Evidence, best_rate: float, *, paired: bool = False) -> CandidateBelief:
        """The belief after the evidence. `paired` says that runs have worlds."""
        rate = max(min(best_rate, 1.0), self.needed)
        return _belief(self.prior, self.at_least, evidence, round(rate, 2), COUPLED if paired else 0.0)

    def probability(self, evidence: Evidence, best_rate: float, at_least: float, *, paired: bool = False) -> float:
        """How probable it is that the candidate's rate is at least so high."""
        rate = max(min(best_rate, 1.0), self.needed)
        return _belief(self.prior, at_least, evidence, round(rate, 2), COUPLED if paired else 0.0).good


@lru_cache(maxsize=1 << 16)
def _belief(prior: Prior, at_least: float, evidence: Evidence, best_rate: float, coupled: float) -> CandidateBelief:
    total = good = rate_sum = coupled_sum = 0.0
    for share, weight in zip(prior.rates, prior.weights, strict=True):
        rate = best_rate * share
        is_good = rate >= at_least - 1e-9
        for is_coupled, part in ((True, coupled), (False, 1 - coupled)):
            if part and weight:
                likely = weight * part * _likelihood(evidence, share, rate, is_coupled)
                total += likely
                rate_sum += likely * rate
                good += likely if is_good else 0.0
                coupled_sum += likely if is_coupled else 0.0
    if total <= 0.0:
        return CandidateBelief(0.0, 0.0, 0.0)
    return CandidateBelief(good / total, rate_sum / total, coupled_sum / total)


def _likelihood(evidence: Evidence, share: float, rate: float, is_coupled: bool) -> float:
    alone = _clipped(rate)
    with_best, without = (_clipped(share), LEAST * 4) if is_coupled else (alone, alone)
    return (
        _power(with_best, evidence.met_with, evidence.missed_with)
        * _power(without, evidence.met_without, evidence.missed_without)
        * _power(alone, evidence.met_alone, evidence.missed_alone)
    )


def _power(rate: float, met: int, missed: int) -> float:
    return float(rate**met * (1 - rate) ** missed)


def _clipped(rate: float) -> float:
    return min(max(rate, LEAST), MOST)

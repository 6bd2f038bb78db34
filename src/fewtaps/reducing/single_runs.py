"""Verdicts by one run per candidate, for goals that every run of a candidate answers alike."""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from dataclasses import replace
from typing import Generic, Protocol, TypeVar

from fewtaps.budget import Budget
from fewtaps.model.result import Verdict
from fewtaps.model.trace import Trace
from fewtaps.reducing.problem import Item, ItemFacts, Judged, Proposal, Seen, keep_finding

T = TypeVar("T")


class Oracle(ItemFacts[Item], Protocol[Item]):
    """Runs candidates, or asks a predicate."""

    def judge(self, candidates: Sequence[tuple[Item, ...]]) -> Sequence[Seen]:
        """One answer per candidate, in their order; several may be run at once."""
        ...


class SingleRuns(Generic[T]):
    """Runs each candidate once, and no content twice.

    `known` holds verdicts by `Oracle.key`; it is read and written, and may outlive the process. With a `batch` above 1,
    candidates that will probably be asked about are run ahead, `batch` at once. A run counts when its candidate is
    asked about, so that results and counts are those of one run after the other.
    """

    def __init__(
        self,
        oracle: Oracle[T],
        *,
        batch: int = 1,
        budget: Budget | None = None,
        known: MutableMapping[str, Verdict] | None = None,
    ) -> None:
        self._oracle = oracle
        self.lookahead = max(1, batch)
        self.runs = self.events = 0
        self.findings: dict[str, Trace] = {}
        self._budget = budget or Budget()
        self._known = known
        self._verdicts: dict[bytes, Verdict] = {}
        self._ahead: dict[bytes, Seen] = {}

    @property
    def facts(self) -> ItemFacts[T]:
        """What is known of the items without running them."""
        return self._oracle

    def judge_original(self, original: Proposal[T]) -> Judged:
        """Runs the original, even if its verdict is known: the stored verdict may no longer hold."""
        return Judged(self.replay(original))

    def judge(self, proposal: Proposal[T], following: Sequence[Proposal[T]]) -> Judged:
        """The verdict that is known, or else that of one run."""
        verdict = self.recall(proposal)
        if verdict is not None:
            self._ahead.pop(proposal.digest, None)
            self._remember(proposal, verdict)
            return Judged(Seen(verdict), is_new=False)
        self._budget.check()
        if proposal.digest not in self._ahead:
            self._run_ahead([proposal, *following])
        seen = self._ahead.pop(proposal.digest)
        self._count(proposal, seen)
        self._remember(proposal, seen.verdict)
        return Judged(seen)

    def recall(self, proposal: Proposal[T]) -> Verdict | None:
        """The verdict of this process, or the stored one."""
        verdict = self._verdicts.get(proposal.digest)
        if verdict is None and self._known is not None:
            return self._known.get(self._oracle.key(proposal.items))
        return verdict

    def replay(self, proposal: Proposal[T]) -> Seen:
        """One run, whatever is known."""
        self._budget.check()
        seen = self._oracle.judge([proposal.items])[0]
        self._count(proposal, seen)
        self._remember(proposal, seen.verdict)
        return seen

    def accepted(self, proposal: Proposal[T]) -> None:
        """Changes nothing: verdicts do not depend on the best one."""

    def _run_ahead(self, proposals: Sequence[Proposal[T]]) -> None:
        wanted = {
            proposal.digest: proposal.items
            for proposal in proposals
            if proposal.digest not in self._ahead and self.recall(proposal) is None
        }
        seen = self._oracle.judge(list(wanted.values()))
        self._ahead.update(zip(wanted, map(_without_needless_trace, seen), strict=True))

    def _count(self, proposal: Proposal[T], seen: Seen) -> None:
        self.runs += 1
        self.events += seen.verdict.events
        self._budget.spend(runs=1, events=seen.verdict.events)
        if self._known is not None and seen.certain:
            self._known[self._oracle.key(proposal.items)] = seen.verdict
        keep_finding(self.findings, seen)

    def _remember(self, proposal: Proposal[T], verdict: Verdict) -> None:
        self._verdicts[proposal.digest] = verdict
        # Items after the end of the run were never reached: without them, the run would have been the same.
        if verdict.met and verdict.length < len(proposal.candidate):
            self._verdicts.setdefault(proposal.until(verdict.length).digest, verdict)


def _without_needless_trace(seen: Seen) -> Seen:
    """Drops a trace that would not be kept: a candidate that is run ahead may never be asked about."""
    return seen if seen.verdict.met or seen.verdict.crash is not None else replace(seen, trace=None)

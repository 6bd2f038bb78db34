"""Reduces recorded runs to a suite in the order of the paper, for comparison (DetReduce, algorithms 1 and 2).

Every recording is first replayed in all worlds, and so is every candidate. Nothing is selected exactly. Three slips of
the paper's text are corrected, because it would not do what its examples show: launch and first state are covered too,
a replay that fails at its last step is told from one that succeeds, and algorithm 2 adds to its result. Algorithm 2
takes the largest gain first, so its result can have more steps than the runs that it was given; it stays like that.
"""

from __future__ import annotations

from collections.abc import Sequence

from fewtaps.model.state import StateId
from fewtaps.suite.loops import LoopSearch
from fewtaps.suite.reduction import InputDeviation, Phase, Prover, ReducedSuite, Stopped, SuiteRules
from fewtaps.suite.runs import Deviates, PlayRuns, ReplayAnswer, Replays, SuiteRun, coverage_of, request_of
from fewtaps.suite.splicing import Splice, TransitionSystem

MOST_PAPER_CANDIDATES = 1_000
"""Members of L(τ) that are looked at for one run. The paper names no limit; L(τ) is exponential."""


class PaperReduction(Prover):
    """The order of the paper."""

    def __init__(self, recorded: Sequence[SuiteRun], play: PlayRuns, rules: SuiteRules) -> None:
        super().__init__(recorded, play, rules)
        self._runs: list[SuiteRun] = []

    def reduce_again(self) -> ReducedSuite:
        """The suite after some of its runs were refused; the paper looks for no others in their place."""
        return self.cut_again()

    def cut_again(self) -> ReducedSuite:
        """The suite after some of its runs were refused: of each the part before the refused step is left."""
        kept: list[SuiteRun] = []
        for run in self._runs:
            part = self.sure_part(run)
            if part is not None and part.steps:
                kept.append(part)
        self._runs = not_redundant(kept)
        return self.result(self._runs, None, is_whole=True)

    def reduce(self) -> ReducedSuite:
        """The suite; if it is stopped early, the runs of the last phase that was finished and what came after."""
        runs: list[SuiteRun] = []
        try:
            self._prepare(runs)
            self.end_phase(Phase.PREPARING, runs)
            runs = self._eliminate(runs)
            self.end_phase(Phase.LOOPS, runs)
            runs = self._splice(runs)
            self.end_phase(Phase.SPLICING, runs)
        except Stopped:
            self._runs = runs
            return self.result(runs, None, is_whole=False)
        self._runs = runs
        return self.result(runs, None, is_whole=True)

    def _in_all_worlds(self, run: SuiteRun) -> ReplayAnswer:
        """`Replay` of the paper: its answer is the first deviation in any world, or the run as all worlds showed it."""
        answer: ReplayAnswer | None = None
        actions, states = run.actions, run.states
        worlds = self.worlds_of(run)
        for number, world in enumerate(worlds, 1):
            self.foresee(request_of(run, each) for each in worlds[number:])
            answer = self.replay(world, actions, states)
            if isinstance(answer, Deviates):
                self.deviations_by_run[number] += 1
                return answer
        measured = self.known.replay(run.world, actions, states)
        assert measured is not None
        return measured

    def _prepare(self, prepared: list[SuiteRun]) -> None:
        """5.1.2: keeps the longest prefix of each recording that replays in all worlds."""
        for number, recording in enumerate(self.recorded):
            run: SuiteRun | None = recording
            while run is not None:
                answer = self._in_all_worlds(run)
                if isinstance(answer, Replays):
                    prepared.append(answer.run)
                    break
                if run is recording:
                    self.deviations.append(
                        InputDeviation(number, answer.run.world, answer.step, answer.expected, answer.seen, run.actions)
                    )
                run = run.prefix(answer.step - 1) if answer.step > 0 else None
            self.tell(Phase.PREPARING, prepared)

    def _eliminate(self, prepared: Sequence[SuiteRun]) -> list[SuiteRun]:
        """Algorithm 1: redundant runs, first come first served, and then the loops of each run."""
        kept = not_redundant(prepared)
        reduced: list[SuiteRun] = []
        for number, run in enumerate(kept):
            reduced.append(self._shortest(run, run.covered & ~coverage_of(reduced)))
            self.tell(Phase.LOOPS, [*reduced, *kept[number + 1 :]])
        return reduced

    def _shortest(self, run: SuiteRun, needed: int) -> SuiteRun:
        search = LoopSearch(run, needed, self.known, cuts_tail=False)
        for _ in range(MOST_PAPER_CANDIDATES):
            candidate = search.next()
            if candidate is None:
                break
            answer = self._in_all_worlds(_predicted(run, candidate.places))
            if isinstance(answer, Replays) and needed & ~answer.run.covered == 0:
                return answer.run
            search.refuse(candidate, answer.step if isinstance(answer, Deviates) else None)
        return run

    def _splice(self, runs: Sequence[SuiteRun]) -> list[SuiteRun]:
        """Algorithm 2: the splice with the largest gain, of equals the cheapest, until nothing is gained."""
        target = coverage_of(runs)
        system = TransitionSystem(runs, self.rules.fragments)
        listed = system.splices()
        own = [Splice(run, number) for number, run in enumerate(runs)]
        refused: set[tuple[tuple[int, ...], tuple[StateId, ...]]] = set()
        spliced: list[SuiteRun] = []
        covered = 0
        while target & ~covered:
            wanted = target & ~covered
            candidates = [*(listed if listed is not None else system.best(wanted)), *own]
            ranked = sorted(
                (-(each.covered & wanted).bit_count(), each.run.transitions, number)
                for number, each in enumerate(candidates)
            )
            for gain, _, number in ranked:
                run = candidates[number].run
                if not gain or (run.actions, run.states) in refused:
                    continue
                answer = self._in_all_worlds(run)
                if isinstance(answer, Replays) and answer.run.covered & wanted:
                    spliced.append(answer.run)
                    covered |= answer.run.covered
                    self.tell(Phase.SPLICING, spliced)
                    break
                refused.add((run.actions, run.states))
            else:
                break
        return spliced


def not_redundant(runs: Sequence[SuiteRun]) -> list[SuiteRun]:
    """The first part of algorithm 1: the runs that cover something that none before them covers."""
    kept: list[SuiteRun] = []
    covered = 0
    for run in runs:
        if run.covered & ~covered:
            kept.append(run)
            covered |= run.covered
    return kept


def _predicted(run: SuiteRun, places: Sequence[int]) -> SuiteRun:
    return SuiteRun(run.world, (run.steps[0], *[run.steps[place] for place in places]))

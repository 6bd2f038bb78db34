"""Reduces recorded runs to a suite, in our order: decisions in one world, then all worlds for what was chosen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum

from fewtaps.model.state import StateId
from fewtaps.model.step_state import is_end
from fewtaps.suite.known_runs import ANY_WORLD, KnownRuns, KnownStep
from fewtaps.suite.loops import JumpBlame, LoopCandidate, LoopSearch
from fewtaps.suite.runs import (
    MISSED,
    Cost,
    Deviates,
    Foresee,
    PlayRuns,
    ReplayAnswer,
    Replays,
    RunAnswer,
    RunRequest,
    ShouldStop,
    SuiteRun,
    cost_of,
    coverage_of,
    foresee_nothing,
    never_stop,
    request_of,
)
from fewtaps.suite.selection import Choice, choose_exactly
from fewtaps.suite.splicing import Splice, TransitionSystem
from fewtaps.suite.touring import TourPlanner

FEWEST_TRIES = 4
"""Candidates of the fewest steps that are played for one run, before others keep more of its steps."""

EFFORT = 3
"""How often the cost of a run may be spent on finding a shorter form of it."""

SPLICES_PER_RUN = 2
"""Splices that are played for each run of the first phase's result."""

MOST_FAILED_JOINS = 8
"""Joins of two runs that may fail in a row before joining ends."""

MOST_FAILED_SPLICES = 8
"""Splices that may be refused in a row before no more are played."""

MOST_MATERIAL = 400
"""Transitions of runs and recordings from which splices are made."""

TOUR_SHARE = 0.5
"""Share of the cost of all recordings that tours may cost, each time that something is missing."""

SEARCH_SHARE = 0.5
"""Share of the cost of all recordings that may be spent on making a suite cheaper that covers everything."""

LEAST_SEARCHED = 20
"""Restarts whose cost may be spent on that in any case."""

MOST_VAIN_TOURS = 3
"""Tours in a row that may cover nothing before touring ends: each of them widens what the next ones try."""

REACH_SHARE = 0.5
"""Share of the cost of a recording that its shortened forms may cost. After that it is played as it is."""

MOST_TOURS = 3
"""Times that a tour through everything is played anew, each with a better map. One that is no cheaper is the last."""

DENSE = 8
"""Recordings are played as they are if at least one of so many of their steps is the first to cover something."""

LEAST_LOOP = 16
"""Single loops are tried down to this fraction of a run: a shorter one is worth less than trying it costs."""

MOST_REPEATS = 8
"""Times that the whole search is repeated on its own result."""

MOST_ROUNDS = 6
"""Times that the phases are repeated on their own result. A round that gains nothing is the last."""

MOST_EARLY_WAYS_BACK = 3
"""Times that what a second world refuses is covered in another way before the search for cheaper runs begins."""

MOST_WAYS_BACK = 8
"""Times that another selection is made after some of the selected runs failed in other worlds."""


class Phase(Enum):
    """A part of the reduction."""

    PREPARING = "preparing"
    LOOPS = "loops"
    SPLICING = "splicing"
    SELECTING = "selecting"
    WORLDS = "worlds"


@dataclass(frozen=True, slots=True)
class SuiteProgress:
    """How far a reduction is: the suite so far, the elements it covers, and what was played for it."""

    phase: Phase
    runs: int
    transitions: int
    covered: int
    wanted: int
    played: int
    played_transitions: int
    refused: int


@dataclass(frozen=True, slots=True)
class PhaseResult:
    """The suite after a phase, its cost, and what was played up to its end."""

    phase: Phase
    cost: Cost
    played: Cost
    runs: tuple[SuiteRun, ...] = ()


@dataclass(frozen=True, slots=True)
class InputDeviation:
    """A recording that does not replay as it was recorded: the number of the recording, its actions, and the step.

    Without a number it is a run that was made from recordings, and deviates in another world.
    """

    recording: int | None
    world: int
    step: int
    expected: StateId | None
    seen: StateId
    actions: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ReducedRun:
    """A run of the suite and the worlds in which it was seen to replay, its own first."""

    run: SuiteRun
    worlds: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ReducedSuite:
    """The result of a reduction.

    `covered` is what the suite covers in all worlds it was played in, `flaky` what only some runs of it covered.
    `unreplayed` was covered by recordings, and by no run that replays. `gap` is the relative distance of the selection
    to the least cost over everything that was seen, None if it was chosen greedily. `is_whole` is False if the
    reduction was stopped early. `deviations_by_run` counts the deviations by the number of the run of a candidate that
    showed them.
    """

    runs: tuple[ReducedRun, ...]
    covered: int
    flaky: int
    unreplayed: int
    phases: tuple[PhaseResult, ...]
    gap: float | None
    is_whole: bool
    played: Cost
    refused: int
    deviations: tuple[InputDeviation, ...] = ()
    deviations_by_run: tuple[tuple[int, int], ...] = ()


def joined(parts: Sequence[ReducedSuite]) -> ReducedSuite:
    """Several reductions as one, each for what those before it do not cover; there has to be one."""
    covered = _union(part.covered for part in parts)
    flaky = _union(part.flaky for part in parts) & ~covered
    # A part without runs chose nothing.
    gaps = [part.gap for part in parts if part.runs]
    counts: Counter[int] = Counter()
    for part in parts:
        counts.update(dict(part.deviations_by_run))
    return ReducedSuite(
        runs=tuple(run for part in parts for run in part.runs),
        covered=covered,
        flaky=flaky,
        unreplayed=_union(part.unreplayed for part in parts) & ~covered & ~flaky,
        phases=tuple(_joined_phase(number, parts) for number in range(len(parts[0].phases))),
        gap=max((gap for gap in gaps if gap is not None), default=None) if None not in gaps else None,
        is_whole=all(part.is_whole for part in parts),
        played=_sum([part.played for part in parts]),
        refused=sum(part.refused for part in parts),
        deviations=tuple(each for part in parts for each in part.deviations),
        deviations_by_run=tuple(sorted(counts.items())),
    )


def _joined_phase(number: int, parts: Sequence[ReducedSuite]) -> PhaseResult:
    """The phase of this number in all parts. One that ended before has what its last phase left."""
    found = [part.phases[min(number, len(part.phases) - 1)] for part in parts if part.phases]
    return PhaseResult(
        parts[0].phases[number].phase,
        _sum([each.cost for each in found]),
        _sum([each.played for each in found]),
        tuple(run for each in found for run in each.runs),
    )


def _sum(costs: Sequence[Cost]) -> Cost:
    return Cost(sum(cost.transitions for cost in costs), sum(cost.restarts for cost in costs))


def _union(sets: Iterable[int]) -> int:
    bits = 0
    for each in sets:
        bits |= each
    return bits


class Stopped(Exception):
    """The reduction was asked to stop; it ends with the best so far."""


@dataclass(slots=True)
class SuiteRules:
    """How a suite is made.

    `worlds` is how many worlds a run of the suite has to replay in. `launch_cost` tells how many transitions a restart
    is worth. `should_settle` ends the search for cheaper runs, so that time is left for the other worlds;
    `should_stop` ends everything.
    """

    worlds: int = 10
    fragments: int = 3
    launch_cost: Callable[[], int] = field(default=lambda: 20)
    should_settle: ShouldStop = never_stop
    should_stop: ShouldStop = never_stop
    on_progress: Callable[[SuiteProgress], None] = field(default=lambda progress: None)
    foresee: Foresee = foresee_nothing


class Prover:
    """Plays what is not known yet and counts it; the base of both orders of a reduction."""

    def __init__(self, recorded: Sequence[SuiteRun], play: PlayRuns, rules: SuiteRules) -> None:
        self.recorded = tuple(recorded)
        self.rules = rules
        self.known = KnownRuns()
        self.base = 0
        self.target = coverage_of(self.recorded)
        self.played = Cost(0, 0)
        self.refused = 0
        self.phases: list[PhaseResult] = []
        self.deviations: list[InputDeviation] = []
        self.deviations_by_run: Counter[int] = Counter()
        self._play = play

    def observe(self, requests: Sequence[RunRequest]) -> list[SuiteRun]:
        """Plays runs whose coverage is not recorded, such as those of another tool, and adds them to the recordings.

        A run that has no step, because the app could not be launched, is not added. If the time is up, what was not
        played is left out.
        """
        with suppress(Stopped):
            self.ask(requests)
        seen: list[SuiteRun] = []
        for request in requests:
            run = self.known.longest(request.world, request.actions)
            if run.steps:
                seen.append(run)
        self.recorded = (*self.recorded, *seen)
        self.target = coverage_of(self.recorded) & ~self.base
        return seen

    def leave_out(self, covered: int) -> None:
        """Says what need not be covered, because tests that stay cover it."""
        self.base |= covered
        self.target &= ~covered

    def worlds_of(self, run: SuiteRun) -> tuple[int, ...]:
        """The worlds a run has to replay in, its own first."""
        others = (world for world in range(self.rules.worlds + 1) if world != run.world)
        return (run.world, *[world for world, _ in zip(others, range(self.rules.worlds - 1), strict=False)])

    def ask(self, requests: Sequence[RunRequest]) -> None:
        """Plays requests and learns what they show. Raises Stopped instead if the time is up."""
        if not requests:
            return
        if self.rules.should_stop():
            raise Stopped
        for request, answer in zip(requests, self._play(requests), strict=True):
            self.known.learn(request, answer)
            steps = max(0, len(answer.run.steps) - max(1, request.begun))
            self.played = Cost(self.played.transitions + steps, self.played.restarts + (not request.begun))
        if self.rules.should_stop():
            raise Stopped

    def replay(self, world: int, actions: tuple[int, ...], states: tuple[StateId, ...]) -> ReplayAnswer:
        """Whether a run replays in one world; it is played only if that is not known."""
        answer = self.known.replay(world, actions, states)
        if answer is None:
            self.ask([RunRequest(world, actions, states)])
            answer = self.known.replay(world, actions, states)
            if isinstance(answer, Deviates):
                self.refused += 1
        if answer is None:
            raise Stopped
        return answer

    def foresee(self, requests: Iterable[RunRequest]) -> None:
        """Tells what may be played after the next request, without what is known."""
        self.rules.foresee(
            each for each in requests if self.known.replay(each.world, each.actions, each.expected) is None
        )

    def refuse(self, run: SuiteRun, step: int) -> None:
        """Says that a run of the result did not pass as a test, at its step of this number; 0 is the launch."""
        self.known.refuse(run.actions[:step])
        self.refused += 1

    def end_phase(self, phase: Phase, runs: Sequence[SuiteRun]) -> None:
        """Notes the cost of the suite after a phase."""
        self.phases.append(PhaseResult(phase, cost_of(runs), self.played, tuple(runs)))
        self.tell(phase, runs)

    def tell(self, phase: Phase, runs: Sequence[SuiteRun]) -> None:
        """Tells how far the reduction is."""
        cost = cost_of(runs)
        self.rules.on_progress(
            SuiteProgress(
                phase,
                cost.restarts,
                cost.transitions,
                (coverage_of(runs) & self.target).bit_count(),
                self.target.bit_count(),
                self.played.restarts,
                self.played.transitions,
                self.refused,
            )
        )

    def result(self, runs: Sequence[SuiteRun], gap: float | None, *, is_whole: bool) -> ReducedSuite:
        """The result with these runs, with their coverage as it is known now."""
        measured = [self.measured(run) for run in runs]
        covered = coverage_of(measured)
        seen = self._seen_anywhere() & self.target
        return ReducedSuite(
            runs=tuple(ReducedRun(run, self.known.worlds_of(run, self.worlds_of(run))) for run in measured),
            covered=covered,
            flaky=seen & ~covered,
            unreplayed=self.target & ~covered & ~seen,
            phases=tuple(self.phases),
            gap=gap,
            is_whole=is_whole,
            played=self.played,
            refused=self.refused,
            deviations=tuple(self.deviations),
            deviations_by_run=tuple(sorted(self.deviations_by_run.items())),
        )

    def measured(self, run: SuiteRun) -> SuiteRun:
        """The run with the coverage that all its replays showed."""
        answer = self.known.replay(run.world, run.actions, run.states)
        return answer.run if isinstance(answer, Replays) else run

    def sure_part(self, run: SuiteRun) -> SuiteRun | None:
        """The run before the first step that is known to deviate; None if that is the launch."""
        answer = self.known.replay(run.world, run.actions, run.states)
        if not isinstance(answer, Deviates):
            return run
        return run.prefix(answer.step - 1) if answer.step > 0 else None

    def _seen_anywhere(self) -> int:
        bits = self.known.flaky
        stack = [self.known.root]
        while stack:
            node = stack.pop()
            for step in node.seen.values():
                bits |= step.covered
            stack.extend(node.children.values())
        return bits


class SuiteReduction(Prover):
    """Our order. Recordings are not replayed as a whole: their shortened forms are, and they only if those fail."""

    def __init__(self, recorded: Sequence[SuiteRun], play: PlayRuns, rules: SuiteRules) -> None:
        super().__init__(recorded, play, rules)
        self._spent: set[int] = set()
        self._blames: dict[int, JumpBlame] = {}
        self._reached: dict[int, int] = {}
        """What candidates of each recording have cost."""
        self._best: list[SuiteRun] = []
        self._gap: float | None = None
        self._failed_splices = 0
        self._is_settled = False
        self._is_inner = False
        self._limit: int | None = None
        worlds = Counter(run.world for run in self.recorded)
        self._world = min(worlds, key=lambda world: (-worlds[world], world), default=0)
        self._planner: TourPlanner | None = None

    def reduce(self) -> ReducedSuite:
        """The suite. If it is stopped early, the best so far: what is missing of the coverage is told."""
        try:
            self._search()
            self._prove_in_all_worlds()
        except Stopped:
            self._select()
            return self.result(self._best, self._gap, is_whole=False)
        return self.result(self._best, self._gap, is_whole=not self._is_settled)

    def reduce_again(self) -> ReducedSuite:
        """The suite after some of its runs were refused: others that cover the same take their place, if there are any.

        If it is stopped early, what is left of the suite.
        """
        is_whole = not self._is_settled
        try:
            self._prove_in_all_worlds()
        except Stopped:
            is_whole = False
            self._best = [run for run in self._best if self._is_sure(run)]
        return self.result(self._best, self._gap, is_whole=is_whole)

    def cut_again(self) -> ReducedSuite:
        """The suite after some of its runs were refused: of each the part before the refused step is left."""
        is_whole = not self._is_settled
        try:
            self._cut_to_what_replays()
        except Stopped:
            is_whole = False
            self._best = [run for run in self._best if self._is_sure(run)]
        return self.result(self._best, self._gap, is_whole=is_whole)

    def _search(self) -> None:
        try:
            if self._is_dense():
                self._ask_unknown(self.recorded)
            self._cover(self.target)
            self._ask_second_world()
            share = int(SEARCH_SHARE * self._weight(self.recorded))
            self._limit = self._played_weight() + max(share, LEAST_SEARCHED * self.rules.launch_cost())
            self._tour_again()
            self._shorten_each()
            self._select()
            self.end_phase(Phase.LOOPS, self._best)
            for number in range(MOST_ROUNDS):
                before = self._weight(self._best)
                if number:
                    self._shorten_each()
                self._join()
                self._splice(self._material(self._best))
                self._splice(())
                if not number:
                    self.end_phase(Phase.SPLICING, self._best)
                self._select()
                self.tell(Phase.SELECTING, self._best)
                if number and self._weight(self._best) >= before:
                    break
        except Stopped:
            if self.rules.should_stop():
                raise
            self._select()
        self._limit = None
        ended = {each.phase for each in self.phases}
        for phase in (Phase.LOOPS, Phase.SPLICING):
            if phase not in ended:
                self.end_phase(phase, self._best)
        self._compare_with_recordings()
        self._repeat()
        self.end_phase(Phase.SELECTING, self._best)

    def _is_dense(self) -> bool:
        """Whether so many steps of the recordings cover something first that they may be a reduced suite."""
        seen = first = 0
        for run in self.recorded:
            for step in run.steps[1:]:
                first += bool(step.covered & ~seen)
                seen |= step.covered
        return DENSE * first >= sum(run.transitions for run in self.recorded)

    def _ask_unknown(self, runs: Sequence[SuiteRun]) -> None:
        """Plays runs that are not known, in their own worlds."""
        self.ask([request_of(run) for run in runs if self.known.replay(run.world, run.actions, run.states) is None])

    def _compare_with_recordings(self) -> None:
        """Takes the recordings themselves if they are no dearer than what was made of them."""
        if self._weight(self.recorded) > self._weight(self._best):
            return
        self._ask_unknown(self.recorded)
        if all(map(self._is_sure, self.recorded)):
            runs = [self.measured(run) for run in self.recorded]
            if not coverage_of(self._best) & self.target & ~coverage_of(runs):
                self._best = runs

    def _repeat(self) -> None:
        """Reduces the result in the same way, until that changes nothing: what is known is not played again."""
        if self._is_inner:
            return
        for _ in range(MOST_REPEATS):
            rules = SuiteRules(
                worlds=1,
                fragments=self.rules.fragments,
                launch_cost=self.rules.launch_cost,
                should_settle=self.rules.should_settle,
                should_stop=self.rules.should_stop,
                foresee=self.rules.foresee,
            )
            inner = SuiteReduction(self._best, self._answers, rules)
            inner._is_inner = True
            runs = [each.run for each in inner.reduce().runs]
            if self._weight(runs) >= self._weight(self._best) or not all(map(self._is_sure, runs)):
                return
            if coverage_of(self._best) & self.target & ~coverage_of(runs):
                return
            self._best = runs

    def _answers(self, requests: Sequence[RunRequest]) -> list[RunAnswer]:
        """Plays what is not known, for a reduction within this one."""
        answers: list[RunAnswer] = []
        for request in requests:
            states = (*request.expected, *[None] * (len(request.actions) + 1 - len(request.expected)))
            known = self.known.replay(request.world, request.actions, states)
            if known is None:
                self.ask([request])
                known = self.known.replay(request.world, request.actions, states)
            if known is None:
                raise Stopped
            run = known.run
            if run.steps[-1].state == MISSED:
                run = SuiteRun(run.world, run.steps[:-1])
            answers.append(RunAnswer(run))
        return answers

    def _settle(self) -> None:
        if self.rules.should_settle():
            self._is_settled = True
            raise Stopped
        if self._limit is not None and self._played_weight() >= self._limit:
            raise Stopped

    def _played_weight(self) -> int:
        return self.played.weighed(self.rules.launch_cost())

    def _weight(self, runs: Sequence[SuiteRun]) -> int:
        return cost_of(runs).weighed(self.rules.launch_cost())

    # The first phase.

    def _cover(self, target: int) -> None:
        """Plays shortened recordings until all that recordings have of the target was seen, and selects from that.

        What a candidate showed before it deviated counts.
        """
        seen = 0
        for bits in self._candidates()[1]:
            seen |= bits
        ends = self._reach_ends(target & ~seen)
        # Tours look for the ends too: a tour that ends in a crash saves the restart that the crash alone costs.
        seen |= self._tour(target & ~seen) | ends
        while True:
            number = self._most_worth(target & ~seen)
            if number is None:
                break
            self._settle()
            gained = self._reach(number, target & ~seen)
            if not gained:
                self._spent.add(number)
            seen |= gained
            self._tell_seen(seen)
        self._select()

    def _reach_ends(self, missing: int) -> int:
        """Plays recordings that end in crashes, the shortest first; returns what they covered.

        They come before everything else, so that a limit of time costs no crash: each is a few steps.
        """
        covered = 0
        numbers = [number for number, run in enumerate(self.recorded) if is_end(run.steps[-1].state)]
        for number in sorted(numbers, key=lambda each: self.recorded[each].transitions):
            needed = self.recorded[number].steps[-1].covered & missing & ~covered
            if needed:
                self._settle()
                covered |= self._reach(number, needed)
                self._tell_seen(covered)
        return covered

    def _tour(self, missing: int) -> int:
        """Plays tours, each through as much of what is missing as it can reach; returns what they covered.

        Ends after `MOST_VAIN_TOURS` tours that covered nothing of it, or when tours have cost `TOUR_SHARE` of the
        recordings.
        """
        if self._planner is None:
            self._planner = TourPlanner(self.recorded, self.target)
        most = self._played_weight() + int(TOUR_SHARE * self._weight(self.recorded))
        covered = vain = 0
        while self.recorded and self._played_weight() < most and vain < MOST_VAIN_TOURS:
            start = self._tour_start(self._planner, missing & ~covered)
            if start is None:
                break
            gained = self._play_tour(self._planner, start, missing & ~covered, most)
            vain = 0 if gained else vain + 1
            covered |= gained
            if gained:
                self._planner.try_again()
        return covered

    def _tour_start(self, planner: TourPlanner, missing: int) -> SuiteRun | None:
        """A run of the suite that a tour can go on from, or only the launch, whichever has the cheaper way on."""
        known = self.known.root.in_world(self._world)
        launch = known if known is not None else self.recorded[0].steps[0]
        best: SuiteRun | None = None
        least = 0.0
        for run in (SuiteRun(self._world, (launch,)), *self._best):
            if run.world != self._world or is_end(run.steps[-1].state) or (run.transitions and not self._is_sure(run)):
                continue
            leg = planner.leg(run.steps[-1].state, missing)
            if leg is None:
                continue
            cost = leg.cost + (0 if run.transitions else self.rules.launch_cost())
            if best is None or cost < least:
                best, least = run, cost
        return best

    def _play_tour(self, planner: TourPlanner, run: SuiteRun, missing: int, most: int) -> int:
        """Plays one tour, leg by leg; returns what it covered. It ends with the app, or where a new one is cheaper."""
        launch_cost = self.rules.launch_cost()
        first = run.prefix(0)
        covered = shown = 0
        while not is_end(run.steps[-1].state) and self._played_weight() < most:
            self._settle()
            leg = planner.leg(run.steps[-1].state, missing & ~covered)
            if leg is None:
                break
            limit = leg.cost - launch_cost
            if run.transitions and planner.leg(first.steps[0].state, missing & ~covered, limit) is not None:
                break
            actions = (*run.actions, *leg.actions)
            expected = (*([None] * len(run.steps) if shown else run.states), *leg.states)
            if self.known.replay(self._world, actions, expected) is None:
                # The next leg goes on with the run of this one, which another run on its device would end.
                self.foresee(())
                self.ask([RunRequest(self._world, actions, expected, shown)])
                shown = len(self.known.longest(self._world, actions).steps)
            else:
                shown = 0
            after = self.known.longest(self._world, actions)
            if len(after.steps) < len(run.steps):
                break
            last = len(after.steps) - 1
            is_missed = last < len(actions) and (
                last < len(run.steps) or after.steps[last].state == leg.states[last - len(run.steps)]
            )
            planner.learn(run, leg, after, is_missed)
            covered |= after.covered & missing
            run = after
            self._tell_seen(self.target & ~missing | covered)
        return covered

    def _tour_again(self) -> None:
        """Plays tours through all that is covered now: the map is known better than it was at first."""
        for _ in range(MOST_TOURS):
            before = self._weight(self._best)
            if self._planner is None:
                return
            self._planner.begin_anew(self._best)
            best, self._best = self._best, []
            try:
                self._tour(coverage_of(best) & self.target)
            finally:
                self._best = best
                self._select()
            if self._weight(self._best) >= before:
                return

    def _tell_seen(self, seen: int) -> None:
        """Tells how much of the target was seen; the suite itself is selected later."""
        self.rules.on_progress(
            SuiteProgress(
                Phase.LOOPS,
                0,
                0,
                (seen & self.target).bit_count(),
                self.target.bit_count(),
                self.played.restarts,
                self.played.transitions,
                self.refused,
            )
        )

    def _reach(self, number: int, missing: int) -> int:
        """Plays candidates of a recording until one shows something that is missing; returns all that it showed.

        If none of `FEWEST_TRIES` does, the recording itself is played, up to the first step that should. If candidates
        of the recording have cost `REACH_SHARE` of it, it is played up to the last step that should: all that is
        missing of it is shown at once.
        """
        recording = self.recorded[number]
        needed = missing & recording.covered
        whole = _without_tail(recording, needed)
        most = int(REACH_SHARE * (whole.transitions + self.rules.launch_cost()))
        began = self._played_weight() - self._reached.get(number, 0)
        blame = self._blames.setdefault(number, JumpBlame())
        # Candidates that keep more steps are for the first of the missing elements alone: so they are shorter.
        first = needed & _up_to_first(recording, needed).covered
        for search, candidate in self._shortened(recording, needed, blame, first):
            self._settle()
            if self._played_weight() - began >= most:
                break
            answer = self.replay(recording.world, candidate.actions, candidate.states)
            self._reached[number] = self._played_weight() - began
            gained = self._shown(answer) & missing
            if gained:
                return gained
            search.refuse(candidate, answer.step if isinstance(answer, Deviates) else None)
        cut = whole if self._played_weight() - began >= most else _up_to_first(recording, needed)
        answer = self.replay(cut.world, cut.actions, cut.states)
        if isinstance(answer, Deviates):
            self.deviations.append(
                InputDeviation(number, cut.world, answer.step, answer.expected, answer.seen, cut.actions)
            )
        return self._shown(answer) & missing

    def _shortened(
        self, run: SuiteRun, needed: int, blame: JumpBlame, first: int
    ) -> Iterator[tuple[LoopSearch, LoopCandidate]]:
        """Shorter forms of a run: first those with the fewest steps, then with more and more steps before needed ones.

        What a state does not show depends mostly on the steps just before, so that these are left in place, twice as
        many each time; those candidates cover `first`, a part of what is needed. All candidates are shorter than the
        run without its tail.
        """
        search = LoopSearch(run, needed, self.known, blame=blame)
        most = _without_tail(run, needed).transitions
        for _ in range(FEWEST_TRIES):
            candidate = search.next()
            if candidate is None or len(candidate.actions) >= most:
                break
            yield search, candidate
        most = _without_tail(run, first).transitions
        window = 1
        while window < most:
            search = LoopSearch(run, first, self.known, window=window)
            candidate = search.next()
            if candidate is None or len(candidate.actions) >= most:
                break
            window *= 2
            self.foresee(self._in_windows(run, first, window, most))
            yield search, candidate

    def _in_windows(self, run: SuiteRun, needed: int, window: int, most: int) -> Iterator[RunRequest]:
        """The shorter forms of a run that keep so many steps before needed ones, and those that keep more."""
        while window < most:
            candidate = LoopSearch(run, needed, self.known, window=window).next()
            if candidate is None or len(candidate.actions) >= most:
                break
            yield RunRequest(run.world, candidate.actions, candidate.states)
            window *= 2

    def _shown(self, answer: ReplayAnswer) -> int:
        """What a run covered, also if it deviated; a step that could not be performed covers nothing."""
        return self.known.longest(answer.run.world, answer.run.actions).covered

    def _most_worth(self, missing: int) -> int | None:
        """The recording that covers most of what is missing for its cost without loops; of equals the first."""
        best, best_rate = None, 0.0
        if not missing:
            return None
        launch_cost = self.rules.launch_cost()
        for number, recording in enumerate(self.recorded):
            if number in self._spent:
                continue
            gained = recording.covered & missing
            if not gained or gained.bit_count() / launch_cost <= best_rate:
                continue
            rate = gained.bit_count() / (launch_cost + _steps_with(recording, gained))
            if rate > best_rate:
                best, best_rate = number, rate
        return best

    def _without_loops(self, run: SuiteRun, needed: int) -> SuiteRun | None:
        """The cheapest candidate that replays and covers what is needed; None if there is none that is shorter.

        The search ends with None too when the played candidates have cost `EFFORT` times as much as the run itself.
        """
        launch_cost = self.rules.launch_cost()
        effort = EFFORT * (run.transitions + launch_cost)
        for search, candidate in self._shortened(run, needed, JumpBlame(), needed):
            was_known = self.known.replay(run.world, candidate.actions, candidate.states) is not None
            if not was_known:
                if effort < 0:
                    return None
                effort -= len(candidate.actions) + launch_cost
                self._settle()
            match self.replay(run.world, candidate.actions, candidate.states):
                case Replays(found):
                    if needed & ~found.covered == 0:
                        return found
                    if not was_known:
                        self.refused += 1
                    search.refuse(candidate, None)
                case Deviates(step=step):
                    search.refuse(candidate, step)
        return None

    def _without_large_loops(self, run: SuiteRun, needed: int) -> SuiteRun:
        """The run without the loops that can be left out one by one, the largest first.

        A loop that mostly lies in one that was refused is tried only if it is at most half as large.
        """
        run = _without_tail(run, needed)
        places = list(range(len(run.steps)))
        refused: list[tuple[int, int]] = []
        effort = EFFORT * (run.transitions + self.rules.launch_cost())
        while effort > 0:
            loop = _largest_loop(run, places, refused, max(2, run.transitions // LEAST_LOOP))
            if loop is None:
                break
            first, last = loop
            steps = (*run.steps[: first + 1], *run.steps[last + 1 :])
            candidate = SuiteRun(run.world, steps)
            answer: ReplayAnswer | None = None
            if not needed & ~candidate.covered:
                self._settle()
                before = self._played_weight()
                answer = self.replay(run.world, candidate.actions, candidate.states)
                effort -= self._played_weight() - before
            if isinstance(answer, Replays) and not needed & ~answer.run.covered:
                places = [*places[: first + 1], *places[last + 1 :]]
                run = _without_tail(answer.run, needed)
                places = places[: len(run.steps)]
            else:
                refused.append((places[first], places[last]))
        return run

    def _shorten_each(self) -> None:
        """Looks for loops in the runs of the suite again: what one of them alone covered, others may cover now."""
        runs = sorted(self._best, key=lambda run: -run.transitions)
        for number, run in enumerate(runs):
            others = coverage_of([*runs[:number], *runs[number + 1 :]])
            needed = run.covered & self.target & ~others
            if needed:
                shorter = self._without_loops(run, needed)
                if shorter is None and run.transitions > self.rules.launch_cost():
                    shorter = self._without_large_loops(run, needed)
                if shorter is not None and shorter.transitions < run.transitions:
                    runs[number] = shorter
        self._keep_if_cheaper(self._without_redundant(runs))

    def _without_redundant(self, runs: Sequence[SuiteRun]) -> list[SuiteRun]:
        """The runs without those whose coverage others have, and without tails that add nothing."""
        kept = list(runs)
        for run in sorted(runs, key=lambda each: -each.transitions):
            index = next(place for place, each in enumerate(kept) if each is run)
            others = coverage_of([*kept[:index], *kept[index + 1 :]])
            needed = run.covered & self.target & ~others
            if needed:
                kept[index] = _without_tail(run, needed)
            else:
                del kept[index]
        return kept

    # The second phase.

    def _splice(self, material: Sequence[SuiteRun]) -> None:
        """Puts fragments of the runs together, the largest gain first, and keeps the result if it is cheaper.

        Fragments of the material may be used too.
        """
        runs = self._best
        if len(runs) < 2:
            return
        system = TransitionSystem([*runs, *material], self.rules.fragments)
        listed = system.splices()
        target = coverage_of(runs) & self.target
        spliced: list[SuiteRun] = []
        covered = 0
        tries = SPLICES_PER_RUN * len(runs)
        self._failed_splices = 0
        while target & ~covered:
            wanted = target & ~covered
            candidates = listed if listed is not None else system.best(wanted)
            own = [Splice(run, number) for number, run in enumerate(runs)]
            found: SuiteRun | None = None
            while found is None:
                found, tries = self._best_splice([*candidates, *own], wanted, tries)
                if found is None and tries <= 0 and candidates:
                    candidates = []
                elif found is None:
                    break
            if found is None:
                break
            spliced.append(found)
            covered |= found.covered
        if not target & ~covered:
            self._keep_if_cheaper(self._without_redundant(spliced))

    def _join(self) -> None:
        """Appends runs to others that end in a state which they pass too: each success saves a restart and steps.

        Ends after `MOST_FAILED_JOINS` failures in a row.
        """
        failures = 0
        while failures < MOST_FAILED_JOINS:
            joins = self._joins()
            join = next(joins, None)
            if join is None:
                return
            first, second, run = join
            self._settle()
            self.foresee(request_of(each) for _, _, each in joins)
            answer = self.replay(run.world, run.actions, run.states)
            others = [each for each in self._best if each is not first and each is not second]
            wanted = coverage_of([first, second]) & self.target & ~coverage_of(others)
            if isinstance(answer, Replays) and not wanted & ~answer.run.covered:
                self._best = self._without_redundant([*others, answer.run])
                failures = 0
            else:
                failures += 1

    def _joins(self) -> Iterator[tuple[SuiteRun, SuiteRun, SuiteRun]]:
        """Two runs of the suite and a run that may take their place; those that save most first, none that is known."""
        found: list[tuple[int, int, int, int]] = []
        runs = self._best
        for one, first in enumerate(runs):
            for two, second in enumerate(runs):
                if one == two:
                    continue
                others = coverage_of([each for number, each in enumerate(runs) if number not in (one, two)])
                needed = second.covered & self.target & ~others & ~first.covered
                place = _last_place(second, first.steps[-1].state, needed)
                if place is not None:
                    found.append((-place, one, two, place))
        for _, one, two, place in sorted(found):
            first, second = runs[one], runs[two]
            run = SuiteRun(first.world, (*first.steps, *second.steps[place + 1 :]))
            if self.known.replay(run.world, run.actions, run.states) is None:
                yield first, second, run

    def _material(self, runs: Sequence[SuiteRun]) -> list[SuiteRun]:
        """Recordings whose fragments may connect those of the runs, within `MOST_MATERIAL` transitions."""
        left = MOST_MATERIAL - sum(run.transitions for run in runs)
        found: list[SuiteRun] = []
        for recording in self.recorded:
            if recording.transitions <= left:
                found.append(recording)
                left -= recording.transitions
        return found

    def _best_splice(self, candidates: Sequence[Splice], wanted: int, tries: int) -> tuple[SuiteRun | None, int]:
        """The candidate with the largest gain that replays, and how many more may be played."""
        ranked: list[tuple[int, int, int]] = []
        for number, splice in enumerate(candidates):
            gain = (splice.covered & wanted).bit_count()
            if gain:
                ranked.append((-gain, splice.run.transitions, number))
        ranked.sort()
        best: SuiteRun | None = None
        best_rank = (0, 0)
        for place, (gain, transitions, number) in enumerate(ranked, 1):
            if best is not None and (gain, transitions) >= best_rank:
                return best, tries
            run = candidates[number].run
            answer = self.known.replay(run.world, run.actions, run.states)
            if answer is None:
                if tries <= 0:
                    continue
                self._settle()
                tries -= 1
                self.foresee(request_of(candidates[each].run) for _, _, each in ranked[place : place + tries])
                answer = self.replay(run.world, run.actions, run.states)
                self._failed_splices = 0 if isinstance(answer, Replays) else self._failed_splices + 1
                if self._failed_splices >= MOST_FAILED_SPLICES:
                    tries = 0
            if isinstance(answer, Replays):
                # The measured gain decides: it may be less than what was predicted.
                rank = (-(answer.run.covered & wanted).bit_count(), answer.run.transitions)
                if rank[0] and (best is None or rank < best_rank):
                    best, best_rank = answer.run, rank
        return best, tries

    # The selection.

    def _keep_if_cheaper(self, runs: list[SuiteRun]) -> None:
        lacks = coverage_of(self._best) & ~coverage_of(runs) & self.target
        if not lacks and self._weight(runs) < self._weight(self._best):
            self._best = runs

    def _select(self) -> None:
        """Chooses the cheapest runs from everything that was seen, and keeps them if they are cheaper."""
        nodes, covers, costs = self._candidates()
        target = self.target & coverage_of([self.measured(run) for run in self._best if self._is_sure(run)])
        for bits in covers:
            target |= bits & self.target
        choice: Choice = choose_exactly(covers, costs, target)
        chosen = [self.known.run_at(*nodes[number]) for number in choice.chosen]
        self._gap = choice.gap
        lacks = target & ~coverage_of(self._best)
        if lacks or not all(map(self._is_sure, self._best)) or self._weight(chosen) < self._weight(self._best):
            self._best = chosen

    def _is_sure(self, run: SuiteRun) -> bool:
        return isinstance(self.known.replay(run.world, run.actions, run.states), Replays)

    def _candidates(self) -> tuple[list[tuple[KnownStep, int]], list[int], list[int]]:
        """Everything that was seen and replays as far as it is known: the ends of runs, coverage and costs."""
        launch_cost = self.rules.launch_cost()
        nodes: list[tuple[KnownStep, int]] = []
        covers: list[int] = []
        costs: list[int] = []
        for world in sorted({run.world for run in self.recorded}):
            for node, transitions, covered in self.known.prefixes(world):
                if ANY_WORLD in node.seen and nodes and world != nodes[0][1]:
                    continue
                nodes.append((node, world))
                covers.append(covered)
                costs.append(transitions + launch_cost)
        return nodes, covers, costs

    # All worlds.

    def _prove_in_all_worlds(self) -> None:
        """Plays the selected runs in the other worlds; where one fails, selects again from what is left."""
        wanted = coverage_of(self._best) & self.target
        for _ in range(MOST_WAYS_BACK):
            self._play_other_worlds(self._best)
            if all(map(self._is_sure, self._best)) and not wanted & ~coverage_of(list(map(self.measured, self._best))):
                break
            self._best = [self.measured(run) for run in self._best if self._is_sure(run)]
            self._select()
            missing = wanted & ~coverage_of(self._best)
            if missing:
                self._cover(wanted)
                self._select()
        else:
            self._cut_to_what_replays()
        self.end_phase(Phase.WORLDS, self._best)

    def _ask_second_world(self) -> None:
        """Plays what covers everything in one other world, and covers anew what deviates there.

        One more world shows nearly all deviations. They are learned before the search makes runs that have them.
        """
        for _ in range(MOST_EARLY_WAYS_BACK):
            self._settle()
            self._play_other_worlds(self._best, 2)
            if all(map(self._is_sure, self._best)):
                break
            self._best = [self.measured(run) for run in self._best if self._is_sure(run)]
            self._cover(self.target)

    def _cut_to_what_replays(self) -> None:
        """Cuts each selected run before the step at which some world deviates, until all that is left replays."""
        while True:
            self._play_other_worlds(self._best)
            if all(map(self._is_sure, self._best)):
                break
            parts = map(self.sure_part, self._best)
            self._best = [part for part in parts if part is not None]
        self._best = self._without_redundant([self.measured(run) for run in self._best])

    def _play_other_worlds(self, runs: Sequence[SuiteRun], most: int | None = None) -> None:
        """Plays runs in one world after the other, each until its first deviation; with their own, in `most` worlds."""
        for number in range(1, min(self.rules.worlds, most or self.rules.worlds)):
            requests: list[RunRequest] = []
            for run in runs:
                world = self.worlds_of(run)[number]
                if self._is_sure(run) and self.known.replay(world, run.actions, run.states) is None:
                    requests.append(request_of(run, world))
            self.foresee(self._in_worlds_from(number + 1, runs))
            self.ask(requests)
            for request in requests:
                answer = self.known.replay(request.world, request.actions, request.expected)
                if isinstance(answer, Deviates):
                    self.refused += 1
                    self.deviations_by_run[number + 1] += 1
                    if self._planner is not None and answer.step:
                        before = answer.run.steps[answer.step - 1].state
                        self._planner.deviates(before, request.actions[answer.step - 1])
                    seen = self.known.seen_after(request.world, request.actions[: answer.step])
                    self.deviations.append(
                        InputDeviation(None, request.world, answer.step, answer.expected, seen, request.actions)
                    )
            self.tell(Phase.WORLDS, runs)

    def _in_worlds_from(self, number: int, runs: Sequence[SuiteRun]) -> Iterator[RunRequest]:
        """The runs in the worlds from this number on, all runs in one world before the next world."""
        for place in range(number, self.rules.worlds):
            for run in runs:
                if self._is_sure(run):
                    yield request_of(run, self.worlds_of(run)[place])


def _without_tail(run: SuiteRun, needed: int) -> SuiteRun:
    """The shortest prefix that covers what is needed."""
    rest = needed
    for number, step in enumerate(run.steps):
        rest &= ~step.covered
        if not rest:
            return run.prefix(number)
    return run


def _largest_loop(
    run: SuiteRun, places: Sequence[int], refused: Sequence[tuple[int, int]], least: int
) -> tuple[int, int] | None:
    """The positions at both ends of the largest loop that is worth trying; `places` and `refused` are of the first run.

    Of several loops from one position only the largest that is not refused counts.
    """
    at: dict[StateId, list[int]] = {}
    for position, step in enumerate(run.steps):
        at.setdefault(step.state, []).append(position)
    best: tuple[int, int] | None = None
    for positions in at.values():
        for number, first in enumerate(positions):
            for last in reversed(positions[number + 1 :]):
                size = last - first
                if size < least or (best is not None and size <= best[1] - best[0]):
                    break
                if not _is_refused(places[first], places[last], refused):
                    best = (first, last)
                    break
    return best


def _is_refused(first: int, last: int, refused: Sequence[tuple[int, int]]) -> bool:
    for begin, end in refused:
        common = min(last, end) - max(first, begin)
        if 2 * common > last - first and 2 * (last - first) > end - begin:
            return True
    return False


def _last_place(run: SuiteRun, state: StateId, needed: int) -> int | None:
    """The last position with a state after which everything that is needed is covered; None if there is none."""
    rest = needed
    for place in range(len(run.steps) - 1, -1, -1):
        if not rest and run.steps[place].state == state:
            return place
        rest &= ~run.steps[place].covered
    return None


def _up_to_first(run: SuiteRun, needed: int) -> SuiteRun:
    """The shortest prefix that covers any of what is needed."""
    for number, step in enumerate(run.steps):
        if step.covered & needed:
            return run.prefix(number)
    return run


def _steps_with(run: SuiteRun, needed: int) -> int:
    """The number of steps that cover a needed element first: no shortened form has fewer steps."""
    count = 0
    for step in run.steps[1:]:
        if step.covered & needed:
            needed &= ~step.covered
            count += 1
    return count

"""KnownRuns: everything that was played, as a tree of actions, so that nothing is played twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fewtaps.model.state import StateId
from fewtaps.suite.runs import LAUNCH, MISSED, Deviates, ReplayAnswer, Replays, RunAnswer, RunRequest, RunStep, SuiteRun

ANY_WORLD = -1
"""In place of a world: the step was the same for all worlds, because the world had not been asked."""


class KnownStep:
    """A node of the tree: what was seen after its actions from launch, by world."""

    __slots__ = ("action", "children", "parent", "seen")

    def __init__(self, parent: KnownStep | None, action: int) -> None:
        self.parent = parent
        self.action = action
        self.children: dict[int, KnownStep] = {}
        self.seen: dict[int, RunStep] = {}

    def in_world(self, world: int) -> RunStep | None:
        """What was seen here in a world, or in any world if the world had not been asked; None if nothing is known.

        Of several worlds only what all of them show is certain: where their states differ, the step counts as missed,
        and its coverage is what all runs covered.
        """
        step = self.seen.get(ANY_WORLD) or self.seen.get(world)
        if step is None or len(self.seen) == 1:
            return step
        state, covered = step.state, step.covered
        for other in self.seen.values():
            covered &= other.covered
            if other.state != state:
                state = MISSED
        return step._replace(state=state, covered=covered)


class KnownRuns:
    """What every run showed: state and coverage after each prefix, by world and actions.

    `flaky` are the elements that two runs of the same prefix in the same world did not both cover, and those of steps
    that were refused.
    """

    def __init__(self) -> None:
        self.root = KnownStep(None, LAUNCH)
        self.flaky = 0
        self.runs = 0

    def learn(self, request: RunRequest, answer: RunAnswer) -> None:
        """Adds the answer to a request."""
        self.runs += 1
        run = answer.run
        node = self.root
        for number, step in enumerate(run.steps):
            if number:
                node = _child(node, step.action)
            self._see(node, run.world, step)
        if not run.steps:
            self._see(node, run.world, RunStep(LAUNCH, MISSED, 0))
        elif len(run.steps) <= len(request.actions) and (answer.is_lost or not _ends_at_deviation(request, run)):
            # A lost run counts as one that deviates: the same run would probably lose its device again.
            self._miss(node, run, request.actions[len(run.steps) - 1])

    def _miss(self, node: KnownStep, run: SuiteRun, action: int) -> None:
        missed = RunStep(action, MISSED, 0, run.steps[-1].asked_world)
        self._see(_child(node, action), run.world, missed)

    def _see(self, node: KnownStep, world: int, step: RunStep) -> None:
        key = world if step.asked_world else ANY_WORLD
        before = node.seen.get(key)
        if before is None:
            node.seen[key] = step
        elif before.covered != step.covered or before.state != step.state:
            # Not the same in one world: only what both runs show is sure.
            self.flaky |= before.covered ^ step.covered
            state = before.state if before.state == step.state else MISSED
            node.seen[key] = RunStep(step.action, state, before.covered & step.covered, step.asked_world)

    def refuse(self, actions: Sequence[int]) -> None:
        """Says that the last of the actions must not be relied on after the others, whatever was seen of it.

        What it covered becomes flaky.
        """
        node = self.root
        for action in actions:
            node = _child(node, action)
        for key, step in node.seen.items():
            self.flaky |= step.covered
            node.seen[key] = step._replace(state=MISSED, covered=0)

    def replay(self, world: int, actions: Sequence[int], states: Sequence[StateId | None]) -> ReplayAnswer | None:
        """What is known about a run: that it replays, the first step that deviates, or None: it has to be played."""
        node: KnownStep | None = self.root
        steps: list[RunStep] = []
        for number, expected in enumerate(states):
            if number and node is not None:
                node = node.children.get(actions[number - 1])
            step = None if node is None else node.in_world(world)
            if step is None:
                return None
            steps.append(step)
            if step.state == MISSED or (expected is not None and step.state != expected):
                return Deviates(number, expected, step.state, SuiteRun(world, tuple(steps)))
        return Replays(SuiteRun(world, tuple(steps)))

    def seen_after(self, world: int, actions: Sequence[int]) -> StateId:
        """The state after the actions in this world, whatever other worlds showed; MISSED if none is known."""
        node: KnownStep | None = self.root
        for action in actions:
            node = None if node is None else node.children.get(action)
        step = None if node is None else node.seen.get(world) or node.seen.get(ANY_WORLD)
        return MISSED if step is None else step.state

    def longest(self, world: int, actions: Sequence[int]) -> SuiteRun:
        """As much of a run as is known, whatever its states; it ends before an action that could not be performed."""
        node: KnownStep | None = self.root
        steps: list[RunStep] = []
        for number in range(len(actions) + 1):
            if number and node is not None:
                node = node.children.get(actions[number - 1])
            step = None if node is None else node.in_world(world)
            if step is None or step.state == MISSED:
                break
            steps.append(step)
        return SuiteRun(world, tuple(steps))

    def worlds_of(self, run: SuiteRun, worlds: Sequence[int]) -> tuple[int, ...]:
        """The worlds in which the whole run is known."""
        node: KnownStep | None = self.root
        for action in run.actions:
            node = None if node is None else node.children.get(action)
        if node is None:
            return ()
        return tuple(world for world in worlds if ANY_WORLD in node.seen or world in node.seen)

    def prefixes(self, world: int) -> Iterator[tuple[KnownStep, int, int]]:
        """All runs known in a world: the node of the last step, the number of transitions and everything covered.

        A run whose last step covers nothing new is left out: the run without that step is cheaper.
        """
        stack: list[tuple[KnownStep, int, int]] = [(self.root, 0, 0)]
        while stack:
            node, transitions, before = stack.pop()
            step = node.in_world(world)
            if step is None or step.state == MISSED:
                continue
            covered = before | step.covered
            if covered != before or node is self.root:
                yield node, transitions, covered
            stack.extend((child, transitions + 1, covered) for child in reversed(node.children.values()))

    def run_at(self, node: KnownStep, world: int) -> SuiteRun:
        """The run that ends at a node, which is known in the world."""
        steps: list[RunStep] = []
        each: KnownStep | None = node
        while each is not None:
            step = each.in_world(world)
            assert step is not None
            steps.append(step)
            each = each.parent
        return SuiteRun(world, tuple(reversed(steps)))


def _child(node: KnownStep, action: int) -> KnownStep:
    child = node.children.get(action)
    if child is None:
        child = node.children[action] = KnownStep(node, action)
    return child


def _ends_at_deviation(request: RunRequest, run: SuiteRun) -> bool:
    last = len(run.steps) - 1
    expected = request.expected[last] if last < len(request.expected) else None
    return expected is not None and run.steps[last].state != expected

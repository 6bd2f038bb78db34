"""What an exploration knows, and how a trace adds to it, step by step.

An episode learns on its own copy while it happens, and the exploration learns the same steps from the finished episode.
Both use an `EpisodeTracker`, so that they cannot differ.
"""

from __future__ import annotations

from fewtaps.explore.frontier_parameters import GRAPH_DEFAULTS, GraphParameters
from fewtaps.explore.loop_free_path import LoopFreePath
from fewtaps.explore.strategy import Memory, NoMemory
from fewtaps.explore.timetravel import fitness
from fewtaps.model.coverage import NO_COVERAGE, Coverage
from fewtaps.model.ending import Ending
from fewtaps.model.event import Event
from fewtaps.model.graph import Fitness, StateGraph, Way
from fewtaps.model.screen import Screen
from fewtaps.model.state import StateId, page_state
from fewtaps.model.trace import Step


class Knowledge:
    """The graph of states, the code that ever ran, the activities that were shown, a strategy's memory.

    On a device that cannot measure coverage every new state counts as new code: otherwise none would be interesting.
    """

    def __init__(
        self,
        package: str,
        memory: Memory | None = None,
        *,
        has_coverage: bool = True,
        loop_free_paths: bool = True,
        fitness: Fitness = fitness,
        size: GraphParameters = GRAPH_DEFAULTS,
    ) -> None:
        self.package = package
        self.has_coverage = has_coverage
        self.loop_free_paths = loop_free_paths
        self.graph = StateGraph(
            max_states=size.max_states,
            max_transitions=size.max_transitions,
            max_interesting=size.max_interesting,
            fitness=fitness,
        )
        self.covered: Coverage = NO_COVERAGE
        self.activities: frozenset[str] = frozenset()
        self.memory: Memory = memory if memory is not None else NoMemory()

    def fork(self) -> Knowledge:
        """Knowledge that is the same now and grows on its own."""
        knowledge = Knowledge(
            self.package, self.memory.fork(), has_coverage=self.has_coverage, loop_free_paths=self.loop_free_paths
        )
        knowledge.graph = self.graph.fork()
        knowledge.covered = self.covered
        knowledge.activities = self.activities
        return knowledge

    def cover(self, covered: Coverage) -> bool:
        """Adds the code that a step ran; whether some of it had never run before in the whole exploration."""
        if not covered or covered <= self.covered:
            return False
        self.covered = self.covered | covered
        return True

    def state_of(self, step: Step) -> StateId | None:
        """The state the app is in after the step; None if it is not in front, shows no window, or has ended."""
        return page_state(step.after) if is_inside(step, self.package) else None


def is_inside(step: Step, package: str) -> bool:
    """Whether the app is in front after the step, with a window of its own to act on."""
    screen = step.after
    return step.ending is Ending.RUNNING and screen.package == package and has_window(screen)


def has_window(screen: Screen) -> bool:
    """Whether something is shown that can be acted on; during launch and between activities nothing is."""
    return bool(screen.windows)


class EpisodeTracker:
    """Follows the steps of one episode and adds what they show to the knowledge.

    The steps up to `known` replay the way back, prelude included. They add to the covered code and to nothing else:
    with snapshots they would not have happened. The last of them, or the launch if there are none, counts as a visit of
    the state where the episode begins.
    """

    def __init__(self, knowledge: Knowledge, *, number: int, world: int, known: int = 0) -> None:
        self.state: StateId | None = None
        """The state after the last step."""
        self.begin: StateId | None = None
        """The state in which the episode began; None during the way back."""
        self.new_code = False
        """Whether a new step has run new code."""
        self.is_discovery = False
        """Whether the last step reached an interesting state for the first time."""
        self._knowledge = knowledge
        self._number = number
        self._world = world
        self._known = known
        self._events: list[Event] = []
        self._path = LoopFreePath() if knowledge.loop_free_paths else None
        self._steps = 0

    def launch(self, step: Step) -> None:
        """Takes in the step of the launch."""
        self._follow(step)

    def step(self, step: Step) -> None:
        """Takes in a step after the launch."""
        self._events.append(step.event)
        self._steps += 1
        self._follow(step)

    def _follow(self, step: Step) -> None:
        knowledge = self._knowledge
        new_code = knowledge.cover(step.covered)
        if self._path is not None:
            self._path.follow(step)
        if step.after.activity is not None and step.after.package == knowledge.package:
            self._see(step.after.activity)
        self.is_discovery = False
        if self._steps > self._known:
            self._explore(step, new_code)
        elif self._steps == self._known:
            self._arrive(step)

    def _see(self, activity: str) -> None:
        if activity not in self._knowledge.activities:
            self._knowledge.activities |= {activity}

    def _arrive(self, step: Step) -> None:
        """Algorithm 1, lines 1 to 4: the state where the app is launched is interesting, whatever it covers."""
        self.state = self.begin = self._knowledge.state_of(step)
        if self.state is not None:
            self.is_discovery = self.state not in self._knowledge.graph
            self._visit(self.state, step, is_interesting=True)

    def _explore(self, step: Step, new_code: bool) -> None:
        """Algorithm 1, lines 7 to 13."""
        source, target = self.state, self._knowledge.state_of(step)
        graph = self._knowledge.graph
        if target is not None and target != source:
            is_new = target not in graph
            self.is_discovery = is_new and (new_code or not self._knowledge.has_coverage)
            self._visit(target, step, is_interesting=self.is_discovery)
            if source is not None:
                graph.move(source, target, step.event)
                if self.is_discovery:
                    graph.generate(source)
        self.new_code = self.new_code or new_code or self.is_discovery
        self._knowledge.memory.observe(source, step, target, new_code)
        self.state = target

    def _visit(self, state: StateId, step: Step, *, is_interesting: bool) -> None:
        graph = self._knowledge.graph
        graph.visit(state, step.after.activity, (self._number, self._steps), is_interesting=is_interesting)
        if graph.wants_way(state, self._steps):
            graph.add_way(state, Way(self._world, tuple(self._events)))
        path = self._path
        if path is not None and len(path) < self._steps and graph.wants_loop_free_path(state, len(path)):
            graph.add_loop_free_path(state, Way(self._world, path.events))

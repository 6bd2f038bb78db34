"""Small machines in the place of apps: what a suite reduction plays, without a device."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from fewtaps.model.state import StateId
from fewtaps.suite.runs import LAUNCH, RunAnswer, RunRequest, RunStep, SuiteRun


@dataclass
class Names:
    """Numbers for names of actions and of covered elements, in the order of their first use."""

    actions: list[str] = field(default_factory=list)
    elements: list[str] = field(default_factory=list)

    def action(self, name: str) -> int:
        if name not in self.actions:
            self.actions.append(name)
        return self.actions.index(name)

    def bits(self, names: str) -> int:
        found = 0
        for name in names.split():
            if name not in self.elements:
                self.elements.append(name)
            found |= 1 << self.elements.index(name)
        return found

    def run(self, text: str, world: int = 0) -> SuiteRun:
        """A run as the paper writes it: `s0 -Menu,Cp-> s1 -Option,Co Cx-> s2`; each state is covered too."""
        first, *rest = text.split(" -")
        steps = [RunStep(LAUNCH, StateId(first.strip()), self.bits(first))]
        for part in rest:
            label, state = part.split("-> ")
            action, _, covered = label.partition(",")
            steps.append(RunStep(self.action(action), StateId(state.strip()), self.bits(f"{covered} {state.strip()}")))
        return SuiteRun(world, tuple(steps))

    def spelled(self, run: SuiteRun) -> str:
        return " ".join(self.actions[action] for action in run.actions)


Hidden = tuple[int, ...]
Seen = tuple[Hidden, str, str, bool]
"""The hidden state, the state that is seen, the names of what was covered, and whether the world was asked."""


class Machine:
    """An app: `start` and `move` give the hidden state, the seen state and what was covered."""

    def __init__(
        self, names: Names, start: Callable[[int], Seen], move: Callable[[Hidden, str, int], Seen | None]
    ) -> None:
        self.names = names
        self._start = start
        self._move = move
        self.runs = 0
        self.asked: list[RunRequest] = []

    def play(self, requests: Sequence[RunRequest]) -> list[RunAnswer]:
        return [self._answer(request) for request in requests]

    def record(self, actions: str, world: int = 0) -> SuiteRun:
        """The run of these actions, as far as they can be performed."""
        return self._answer(RunRequest(world, tuple(map(self.names.action, actions.split())))).run

    def _answer(self, request: RunRequest) -> RunAnswer:
        self.runs += 1
        self.asked.append(request)
        hidden, state, covered, asked = self._start(request.world)
        bits = self.names.bits(f"{covered} {state}")
        steps = [RunStep(LAUNCH, StateId(state), bits, asked)]
        for number, action in enumerate(request.actions):
            expected = request.expected[number] if number < len(request.expected) else None
            if expected is not None and state != expected:
                break
            seen = self._move(hidden, self.names.actions[action], request.world)
            if seen is None:
                break
            hidden, state, covered, asked_now = seen
            asked = asked or asked_now
            steps.append(RunStep(action, StateId(state), self.names.bits(f"{covered} {state}"), asked))
        return RunAnswer(SuiteRun(request.world, tuple(steps)))


def table_machine(names: Names, table: dict[tuple[str, str], tuple[str, str]], start: str = "s0") -> Machine:
    """A machine whose hidden state is the state that is seen: `(state, action)` gives the next state and coverage."""
    numbered = sorted({start} | {state for state, _ in table} | {state for state, _ in table.values()})

    def move(hidden: Hidden, action: str, world: int) -> Seen | None:
        found = table.get((numbered[hidden[0]], action))
        if found is None:
            return None
        state, covered = found
        return (numbered.index(state),), state, covered, False

    return Machine(names, lambda world: ((numbered.index(start),), start, "", False), move)


def file_browser(names: Names, *, menu_covers: bool = False, deviating_world: int | None = None) -> Machine:
    """The app of Figure 1: directories `/`, `/foo`, `/foo/foo` look the same, `/foo/foo/foo` has pictures.

    In the deviating world the menu has no Option.
    """
    # Hidden: the depth of the directory, and 0 or 1 for the menu, 2 for the options.
    look = {0: "s0", 1: "s0", 2: "s0", 3: "s3"}

    def move(hidden: Hidden, action: str, world: int) -> Seen | None:
        depth, front = hidden
        match action, front:
            case "Menu", 0:
                return (depth, 1), "s1", "Cp" if menu_covers else "", False
            case "Menu", 1:
                return (depth, 0), look[depth], "Cc" if menu_covers else "", False
            case "Option", 1:
                if world == deviating_world:
                    return (depth, 0), look[depth], "", True
                return (depth, 2), "s2", "Co", deviating_world is not None
            case "foo", 0 if depth < 3:
                return (depth + 1, 0), look[depth + 1], "Cf2" if depth == 2 else "Cf1", False
        return None

    return Machine(names, lambda world: ((0, 0), "s0", "", False), move)

"""The state after a step as suites see it: a screen of the app, the app left, or a crash (DetReduce, section 2.1)."""

from __future__ import annotations

from fewtaps.model.ending import Ending
from fewtaps.model.state import ABSTRACTIONS, StateId
from fewtaps.model.trace import Step


def step_state(step: Step, abstraction: str) -> StateId | None:
    """The state after the step under the named abstraction; None for a step in which the device was lost.

    The screen decides while the app runs. Outside the app the state is "left" with the package that is shown. A crash,
    a hang or an exit is a state of its own, named by its signature.
    """
    match step.ending:
        case Ending.LOST:
            return None
        case Ending.RUNNING:
            return ABSTRACTIONS[abstraction](step.after)
        case Ending.LEFT:
            return StateId(f"left:{step.after.package}")
        case Ending.CRASHED | Ending.ANR | Ending.EXITED:
            signature = step.crash.signature if step.crash is not None else ""
            return StateId(f"{step.ending.value}:{signature}")


def is_end(state: StateId) -> bool:
    """Whether `step_state` gave this state for the end of the app: a crash, a hang or an exit."""
    return state.partition(":")[0] in _ENDS


_ENDS = frozenset(each.value for each in (Ending.CRASHED, Ending.ANR, Ending.EXITED))

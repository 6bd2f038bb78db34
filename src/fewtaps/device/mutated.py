"""MutatedSession: a session whose launches have one fault in the app, so that all code that plays can play a mutant."""

from __future__ import annotations

from fewtaps.device.session import Session, mutant_runner
from fewtaps.device.session_view import SessionView
from fewtaps.errors import Unsupported
from fewtaps.model.mutant import LoopTurns, Mutant
from fewtaps.model.phone import Differences
from fewtaps.model.trace import Step


class MutatedSession(SessionView):
    """A view on another session: each of its launches has the mutant and the limit on turns of loops.

    Without a mutant it only counts. Raises Unsupported for a session without `Capability.MUTATIONS`.
    """

    def __init__(self, session: Session, mutant: Mutant | None, *, turns_limit: int | None = None) -> None:
        runner = mutant_runner(session)
        if runner is None:
            raise Unsupported("this device cannot put faults into an app, or coverage is off")
        super().__init__(session)
        self._runner = runner
        self._mutant = mutant
        self._turns_limit = turns_limit

    def launch(self, world: int = 0, phone: Differences | None = None) -> Step:
        """Starts the app with the fault in it. Raises NotViable if the changed class cannot run."""
        return self._runner.launch_mutant(self._mutant, world, phone=phone, turns_limit=self._turns_limit)

    def loop_turns(self) -> LoopTurns:
        """The jumps back of the app's loops since the launch."""
        return self._runner.loop_turns()

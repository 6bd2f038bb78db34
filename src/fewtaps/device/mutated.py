"""MutatedSession: a session whose launches have one fault in the app, so that all code that plays can play a mutant."""

from __future__ import annotations

from fewtaps.device.session import Capabilities, Capability, Session, SessionSettings, mutant_runner
from fewtaps.errors import Unsupported
from fewtaps.model.app import App
from fewtaps.model.event import Event
from fewtaps.model.mutant import LoopTurns, Mutant
from fewtaps.model.trace import Step

_NOT_HERE = frozenset(
    {
        *(Capability.SCREENSHOTS, Capability.COVERAGE, Capability.JACOCO),
        *(Capability.DECISIONS, Capability.MUTATIONS, Capability.RECORDING),
    }
)


class MutatedSession:
    """A view on another session: each of its launches has the mutant and the limit on turns of loops.

    Without a mutant it only counts. Raises Unsupported for a session without `Capability.MUTATIONS`.
    """

    def __init__(self, session: Session, mutant: Mutant | None, *, turns_limit: int | None = None) -> None:
        runner = mutant_runner(session)
        if runner is None:
            raise Unsupported("this device cannot put faults into an app, or coverage is off")
        self._session = session
        self._runner = runner
        self._mutant = mutant
        self._turns_limit = turns_limit

    @property
    def app(self) -> App:
        """The app that was opened."""
        return self._session.app

    @property
    def settings(self) -> SessionSettings:
        """The settings with which the session was opened."""
        return self._session.settings

    @property
    def capabilities(self) -> Capabilities:
        """What the session can do, without what has a protocol of its own."""
        return self._session.capabilities - _NOT_HERE

    @property
    def notes(self) -> tuple[str, ...]:
        """What was found at opening that will not work as on a phone."""
        return self._session.notes

    def launch(self, world: int = 0) -> Step:
        """Starts the app with the fault in it. Raises NotViable if the changed class cannot run."""
        return self._runner.launch_mutant(self._mutant, world, turns_limit=self._turns_limit)

    def perform(self, event: Event) -> Step:
        """Makes the event happen."""
        return self._session.perform(event)

    def listening(self) -> frozenset[str]:
        """The broadcast actions for which the app has a receiver."""
        return self._session.listening()

    def loop_turns(self) -> LoopTurns:
        """The jumps back of the app's loops since the launch."""
        return self._runner.loop_turns()

"""RecordedSession: a session whose launches are recorded, so that all code that plays can play with a recording."""

from __future__ import annotations

from fewtaps.device.session import Capabilities, Capability, Session, SessionSettings, instruction_recorder
from fewtaps.errors import Unsupported
from fewtaps.model.app import App
from fewtaps.model.event import Event
from fewtaps.model.run_record import RECORD_ALL, RecordWish, RunRecord
from fewtaps.model.trace import Step

_HERE = frozenset({Capability.WORLDS, Capability.VIRTUAL_TIME, Capability.ROTATION})


class RecordedSession:
    """A view on another session: each of its launches is recorded.

    Raises Unsupported for a session without `Capability.RECORDING`.
    """

    def __init__(self, session: Session, wish: RecordWish = RECORD_ALL) -> None:
        recorder = instruction_recorder(session)
        if recorder is None:
            raise Unsupported("this device cannot record what the app's code does")
        self._session = session
        self._recorder = recorder
        self._wish = wish

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
        return self._session.capabilities & _HERE

    @property
    def notes(self) -> tuple[str, ...]:
        """What was found at opening that will not work as on a phone."""
        return self._session.notes

    def launch(self, world: int = 0) -> Step:
        """Starts the app and its recording."""
        return self._recorder.launch_recorded(world, self._wish)

    def perform(self, event: Event) -> Step:
        """Makes the event happen."""
        return self._session.perform(event)

    def listening(self) -> frozenset[str]:
        """The broadcast actions for which the app has a receiver."""
        return self._session.listening()

    def record(self) -> RunRecord:
        """What was recorded since the last launch."""
        return self._recorder.record()

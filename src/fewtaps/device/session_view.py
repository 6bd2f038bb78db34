"""SessionView: another session, of which a kind of view launches the app in its own way."""

from __future__ import annotations

from fewtaps.device.session import Capabilities, Capability, Session, SessionSettings
from fewtaps.model.app import App
from fewtaps.model.event import Event
from fewtaps.model.phone import Differences
from fewtaps.model.trace import Step

_WITHOUT_PROTOCOL = frozenset(
    {
        Capability.WORLDS,
        Capability.VIRTUAL_TIME,
        Capability.ROTATION,
        Capability.PHONES,
        Capability.PROCESS_DEATH,
    }
)


class SessionView:
    """A session that passes everything on to another one."""

    def __init__(self, session: Session) -> None:
        self._session = session

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
        return self._session.capabilities & _WITHOUT_PROTOCOL

    @property
    def notes(self) -> tuple[str, ...]:
        """What was found at opening that will not work as on a phone, one line each."""
        return self._session.notes

    def launch(self, world: int = 0, phone: Differences | None = None) -> Step:
        """Starts the app in a fresh process."""
        return self._session.launch(world, phone)

    def perform(self, event: Event) -> Step:
        """Makes the event happen."""
        return self._session.perform(event)

    def listening(self) -> frozenset[str]:
        """The broadcast actions for which running code of the app has registered a receiver."""
        return self._session.listening()

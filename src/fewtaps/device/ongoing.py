"""OngoingSession: a session that remembers the run under way, so that more events can be added to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fewtaps.device.session import Capabilities, Capability, Session
from fewtaps.device.session_view import SessionView
from fewtaps.model.event import Event
from fewtaps.model.phone import Differences
from fewtaps.model.trace import Step

MOST_KEPT = 2_000
"""Steps of a run that are remembered, with their screens. A longer run cannot go on: it begins anew."""


class OngoingSession(SessionView):
    """A session with the steps of its run under way.

    A caller that plays known events passes each step to `keep` as soon as it is there. The run can go on only if that
    was done for all its steps: what others do with the session in between makes it begin anew.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._world = 0
        self._made = 0
        self._kept: list[Step] = []

    @property
    def capabilities(self) -> Capabilities:
        """What the session can do."""
        return self._session.capabilities

    def launch(self, world: int = 0, phone: Differences | None = None) -> Step:
        """Starts the app in a fresh process; the run before is forgotten."""
        self._world = world
        self._made = 1
        self._kept = []
        return super().launch(world, phone)

    def perform(self, event: Event) -> Step:
        """Makes the event happen."""
        self._made += 1
        return super().perform(event)

    def keep(self, step: Step) -> None:
        """Remembers the step that was just made, with its event as the caller was given it."""
        if len(self._kept) < MOST_KEPT:
            self._kept.append(step)

    def begun(self, world: int) -> Sequence[Step]:
        """The steps of the run under way, if it is in this world and can go on; otherwise none.

        It can go on only where the time between two events does not count: with worlds and virtual time.
        """
        is_repeatable = {Capability.WORLDS, Capability.VIRTUAL_TIME} <= self._session.capabilities
        return self._kept if is_repeatable and world == self._world and len(self._kept) == self._made else ()

    def __getattr__(self, name: str) -> Any:
        """What only some sessions can do, such as taking pictures.

        A launch of another kind, of a mutant or of a recorded run, is none that can go on: the run before is forgotten.
        """
        if name.startswith("launch"):
            self._kept, self._made = [], 1
        return getattr(self._session, name)

"""RecordedSession: a session whose launches are recorded, so that all code that plays can play with a recording."""

from __future__ import annotations

from fewtaps.device.session import Session, instruction_recorder
from fewtaps.device.session_view import SessionView
from fewtaps.errors import Unsupported
from fewtaps.model.phone import Differences
from fewtaps.model.run_record import RECORD_ALL, RecordWish, RunRecord
from fewtaps.model.trace import Step


class RecordedSession(SessionView):
    """A view on another session: each of its launches is recorded.

    Raises Unsupported for a session without `Capability.RECORDING`.
    """

    def __init__(self, session: Session, wish: RecordWish = RECORD_ALL) -> None:
        recorder = instruction_recorder(session)
        if recorder is None:
            raise Unsupported("this device cannot record what the app's code does")
        super().__init__(session)
        self._recorder = recorder
        self._wish = wish

    def launch(self, world: int = 0, phone: Differences | None = None) -> Step:
        """Starts the app and its recording."""
        return self._recorder.launch_recorded(world, self._wish, phone=phone)

    def record(self) -> RunRecord:
        """What was recorded since the last launch."""
        return self._recorder.record()

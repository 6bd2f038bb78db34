"""Reads which probes of an instrumented app were hit: from its local socket, or from its file after a crash."""

from __future__ import annotations

import logging
import shlex
import struct
import time
from collections.abc import Iterable
from pathlib import Path

from fewtaps.apk.instrumented import read_probe_table
from fewtaps.device.adb.wire import AdbWire
from fewtaps.device.session import SessionSettings
from fewtaps.errors import DeviceLost, UsageError
from fewtaps.model.app import App
from fewtaps.model.coverage import NO_COVERAGE, Coverage, ProbeMap, ProbeSet
from fewtaps.model.probe_table import ProbeTable
from fewtaps.model.trace import Step

log = logging.getLogger(__name__)

MAGIC = b"FTP1"
FILE = "code_cache/fewtaps-probes"
UP_SECONDS = 5.0
"""How long an app that is started again may take until its socket answers."""
NOT_TOLD = "the app did not tell which code ran"
_HEAD = struct.Struct(">4sL")


class ProbeReader:
    """The probes of one app on one device, step by step."""

    def __init__(self, wire: AdbWire, package: str, table: ProbeTable, start_command: str) -> None:
        self._wire = wire
        self._package = package
        self._table = table
        self._start_command = start_command
        self._known = NO_COVERAGE

    @property
    def probe_map(self) -> ProbeMap:
        """What the numbers of coverage mean."""
        return self._table.probes

    def begin(self) -> None:
        """A run begins in which nothing is covered yet."""
        self._known = NO_COVERAGE

    def go_on(self, steps: Iterable[Step]) -> None:
        """The run is one in which these steps were taken already."""
        self._known = NO_COVERAGE
        for step in steps:
            self._known |= step.covered

    def take(self, *, is_over: bool) -> Coverage | None:
        """What was covered since the last call and never before in this run; None if the app does not tell.

        `is_over` says that the app's process has ended. Raises DeviceLost.
        """
        hits = None if is_over else self._ask()
        if hits is None:
            hits = self._read_file()
        if hits is None and is_over:
            hits = self._ask_again()
        if hits is None:
            return None
        covered = self._table.coverage(hits) - self._known
        self._known |= covered
        return covered

    def _ask(self, *, earlier: bool = False) -> ProbeSet | None:
        """The hits of the running app, or of its processes before the one that runs; None if nothing listens."""
        try:
            answer = self._wire.read_all(f"localabstract:fewtaps-{self._package}")
        except DeviceLost as error:
            # Refused, or the device is gone, which the next question to it tells.
            log.debug("no socket of %s: %s", self._package, error)
            return None
        if len(answer) < _HEAD.size or answer[:4] != MAGIC:
            return None
        _, size = _HEAD.unpack_from(answer)
        start = _HEAD.size + (size if earlier else 0)
        return ProbeSet(int.from_bytes(answer[start : start + size], "little"))

    def _read_file(self) -> ProbeSet | None:
        """The hits in the app's file, which the shell may read if the app can be debugged."""
        content = self._wire.read_all(f"exec:run-as {shlex.quote(self._package)} cat {FILE} 2>/dev/null")
        if not content or max(content) > 1:
            return None
        return ProbeSet.of(number for number, hit in enumerate(content) if hit)

    def _ask_again(self) -> ProbeSet | None:
        """Starts the app once more, only to be told what earlier processes have left in its file."""
        self._wire.shell(self._start_command, 30)
        deadline = time.monotonic() + UP_SECONDS
        hits = self._ask(earlier=True)
        while hits is None and time.monotonic() < deadline:
            time.sleep(0.2)
            hits = self._ask(earlier=True)
        self._wire.shell(f"am force-stop {shlex.quote(self._package)}")
        return hits


def probe_reader(wire: AdbWire, app: App, settings: SessionSettings, start_command: str) -> ProbeReader | None:
    """The reader of an instrumented app; None for any other, and if coverage is off.

    Raises UsageError if the app measures other classes than were asked for.
    """
    if not app.origin or settings.coverage == "off":
        return None
    table = read_probe_table(Path(app.path))
    if table is None:
        return None
    if table.scope != settings.coverage:
        raise UsageError(f"{app.path}: instrumented with --coverage {table.scope}; give that here too")
    return ProbeReader(wire, app.package, table, start_command)

"""Keeps the last run of each test that passed on this machine, with a picture after each step.

When the test fails, these pictures show what was expected. They lie in the cache folder, so that a suite stays without
pictures, and are found by the content of the test: a test that was changed begins without any.
"""

from __future__ import annotations

import hashlib
import io
import logging
import struct
import zipfile
from contextlib import suppress
from pathlib import Path

from fewtaps.cache import cache_dir
from fewtaps.errors import FewtapsError
from fewtaps.files import write_inside
from fewtaps.model.screen import UNSEEN, Screen
from fewtaps.model.suite import SuiteTest
from fewtaps.model.suite_result import SuiteTestRun, SuiteTestStatus
from fewtaps.model.trace import Step, Trace
from fewtaps.suitefile import content_of_test
from fewtaps.tracefile import trace_from_lines, trace_to_bytes

log = logging.getLogger(__name__)

MOST_STEPS = 400
"""A test with more steps is not kept: its page does not show more."""
MOST_BYTES = 32 << 20
"""A run that takes more room, unpacked, is not kept."""
MOST_BYTES_OF_ALL = 256 << 20
"""The runs that were kept longest ago are removed while all take more room."""
TRACE = "trace.jsonl"


class PassingRuns:
    """The runs in the cache folder; what cannot be kept or read is passed over, because no verdict depends on it."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or cache_dir() / "suites" / "passed"

    def has(self, test: SuiteTest) -> bool:
        """Whether there is a run of the test, or need not be one because it is too long to be shown."""
        return len(test.trace.steps) > MOST_STEPS or self._path(test).is_file()

    def keep(self, test: SuiteTest, run: SuiteTestRun) -> None:
        """Keeps a run that passed with its pictures."""
        if run.status is not SuiteTestStatus.PASSED or run.trace is None:
            return
        files = {TRACE: trace_to_bytes(run.trace), **{f"{number}.png": png for number, png in run.pictures}}
        if sum(map(len, files.values())) > MOST_BYTES:
            # An empty archive says that it need not be tried again.
            files = {}
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for name, content in files.items():
                archive.writestr(name, content)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            write_inside(self._path(test), packed.getvalue())
            self._make_room()
        except (FewtapsError, OSError) as error:
            log.info("the pictures of a test that passed cannot be kept: %s", error)

    def find(self, test: SuiteTest) -> SuiteTestRun | None:
        """The last run of the test that passed, with pictures; None if none is known."""
        try:
            with zipfile.ZipFile(self._path(test)) as archive:
                members = archive.infolist()
                if not members or sum(member.file_size for member in members) > MOST_BYTES:
                    return None
                lines = archive.read(TRACE).splitlines()
                trace = trace_from_lines(list(enumerate(lines, 1)))
                named = {member.filename.partition(".")[0]: member for member in members if member.filename != TRACE}
                pictures = tuple((int(name), archive.read(member)) for name, member in named.items())
        except (FewtapsError, OSError, ValueError, KeyError, zipfile.BadZipFile):
            return None
        return SuiteTestRun(trace.world, SuiteTestStatus.PASSED, trace, pictures=pictures)

    def _path(self, test: SuiteTest) -> Path:
        return self._folder / f"{hashlib.sha256(content_of_test(test)).hexdigest()[:24]}.zip"

    def _make_room(self) -> None:
        known = sorted((path.stat().st_mtime, path.stat().st_size, path) for path in self._folder.glob("*.zip"))
        room = sum(size for _, size, _ in known)
        for _, size, path in known:
            if room <= MOST_BYTES_OF_ALL:
                return
            # Another command may remove it at the same moment.
            with suppress(FileNotFoundError):
                path.unlink()
            room -= size


def run_of_pictures(test: SuiteTest, pictures: tuple[tuple[int, bytes], ...]) -> SuiteTestRun | None:
    """The pictures that a test itself expects, as a run whose screens have nothing but a size; None without any."""
    sizes = {number: size for number, png in pictures if (size := _png_size(png)) is not None}
    if not sizes:
        return None
    steps = (
        Step(step.event, after=Screen("", None, *sizes[number]) if number in sizes else UNSEEN)
        for number, step in enumerate(test.trace.steps)
    )
    trace = Trace(test.trace.app, tuple(steps), test.trace.world)
    return SuiteTestRun(test.trace.world, SuiteTestStatus.PASSED, trace, pictures=pictures)


def _png_size(png: bytes) -> tuple[int, int] | None:
    """Width and height as the header says; None for anything else."""
    if len(png) < 24 or not png.startswith(b"\x89PNG\r\n\x1a\n"):
        return None
    width, height = struct.unpack(">II", png[16:24])
    return (width, height) if 0 < width < 100_000 and 0 < height < 100_000 else None

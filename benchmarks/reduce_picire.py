"""picire, the outside peer of the reduction benchmark, on the same predicate: `pip install picire`."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from reduce_subjects import Subject
from reduce_table import RECHECKS_FREE, Cost

from fewtaps.model.goal import SameCrash

try:
    import picire
except ImportError:
    picire = None


class CutOff(Exception):
    """So many events were played that it is ended here."""


class PicireTest:
    """The same predicate for picire: the launch is given, and a configuration is a list of event numbers."""

    def __init__(self, subject: Subject, *, with_rechecks: bool, most_events: int | None) -> None:
        assert subject.trace.crash is not None
        self._with_rechecks = with_rechecks
        self._most_events = most_events
        self.shortest = list(range(1, len(subject.trace.steps)))
        self.player = subject.player()
        self._events = subject.trace.events
        self._goal = SameCrash(subject.trace.crash.signature)
        # Its parallel modes run tests in processes of their own and kill those they no longer need: a lock might never
        # be given back. What is appended to a file is written whole or not at all.
        self._counts = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115

    def __call__(self, config: Sequence[int], config_id: Sequence[str]) -> object:
        """Whether the configuration still crashes; picire calls that a failure."""
        if self._most_events is not None and self.counted()[1] >= self._most_events:
            raise CutOff
        trace = self.player([(self._events[0], *(self._events[number] for number in config))])[0]
        # picire asserts at the start of each round that what it has still fails; the first time that is the original.
        if self._with_rechecks or "assert" not in config_id or "r0" in config_id:
            os.write(self._counts.fileno(), b"%8d" % len(trace.steps))
        if not self._goal.met_by(trace):
            return picire.Outcome.PASS
        self.shortest = min(self.shortest, list(config), key=len)
        return picire.Outcome.FAIL

    def counted(self) -> tuple[int, int]:
        """Runs and events so far."""
        self._counts.seek(0)
        written = self._counts.read()
        played = [int(written[start : start + 8]) for start in range(0, len(written), 8)]
        return len(played), sum(played)


Make: TypeAlias = Callable[[PicireTest], Callable[[list[int]], list[int]]]


def measure_picire(
    subject: Subject,
    name: str,
    make: Make,
    most_events: int | None = None,
) -> Cost:
    """Reduces the subject's trace by picire."""
    test = PicireTest(subject, with_rechecks=name != RECHECKS_FREE, most_events=most_events)
    cut_off = False
    started, computed = time.perf_counter(), time.process_time()
    try:
        left = make(test)(list(test.shortest))
    except CutOff:
        left, cut_off = test.shortest, True
    seconds, computed = time.perf_counter() - started, time.process_time() - computed
    own = computed - test.player.cpu_seconds
    return Cost(
        *(subject.name, name, len(subject.trace.steps), len(left) + 1, *test.counted()),
        *(seconds + test.player.saved_seconds, own, not cut_off, subject.shows_all, subject.device, cut_off),
    )


def picire_modes() -> Mapping[str, Make]:
    """picire's default (it caches configurations), what of its options suits crashes best, and its parallel modes."""
    if picire is None:
        return {}
    backward = picire.config_iterators.backward
    return {
        "picire": lambda test: picire.DD(test),
        RECHECKS_FREE: lambda test: picire.DD(test),
        "picire no cache": lambda test: picire.DD(test, cache=picire.OutcomeCache()),
        "picire best": lambda test: picire.DD(
            test, subset_first=False, subset_iterator=picire.config_iterators.skip, complement_iterator=backward
        ),
        "picire -p": lambda test: picire.ParallelDD(test, proc_num=2),
        "picire -p -c": lambda test: picire.CombinedParallelDD(
            test, proc_num=2, config_iterator=picire.CombinedIterator()
        ),
    }

"""The entry to slicing: a recording and a criterion in, a `Slice` out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from fewtaps.model.crash import Crash
from fewtaps.model.run_record import RunRecord
from fewtaps.model.slice import Slice
from fewtaps.slicing.criteria import Criterion

Values = Mapping[tuple[str, str, int], Sequence[str]]
"""For an instruction (class, method name with descriptor, number) the values of its executions, in order."""


class Slicer:
    """A recording made ready to be sliced, any number of times."""

    def __init__(self, record: RunRecord, summaries: str | None = None) -> None:
        raise NotImplementedError

    def criterion_of_crash(self, crash: Crash) -> Criterion:
        """Where the crash was thrown, and the values in error. Raises NothingToSlice."""
        raise NotImplementedError

    def criterion_at(
        self, file: str, line: int, *, execution: int | None = None, of: str | None = None, event: int | None = None
    ) -> Criterion:
        """A line; its last execution unless told otherwise. Raises UsageError, naming the nearest lines that ran."""
        raise NotImplementedError

    def slice(
        self, criterion: Criterion, *, thin: bool = False, as_paper: bool = False, values: Values | None = None
    ) -> Slice:
        """What the criterion depends on, nearest first."""
        raise NotImplementedError

    def why(self, criterion: Criterion, file: str, line: int) -> tuple[str, ...]:
        """Sentences: how the line led to the criterion; or who read what it wrote; or what decided against it."""
        raise NotImplementedError

    def log_lines(self) -> Iterator[str]:
        """Every executed instruction, a line each, like the paper's Example 1."""
        raise NotImplementedError

    def instructions_to_watch(self, criterion: Criterion) -> dict[str, dict[str, list[int]]]:
        """The instructions of the full slice whose values are worth a replay: class, method with descriptor, numbers."""
        raise NotImplementedError

    def needs_earlier_events(self, criterion: Criterion) -> bool:
        """Whether the slice asks for events before `record.first_event`."""
        raise NotImplementedError


def slice_record(
    record: RunRecord,
    criterion: Criterion,
    *,
    thin: bool = False,
    as_paper: bool = False,
    summaries: str | None = None,
) -> Slice:
    """One slice of a recording; several of the same recording are faster with one `Slicer`."""
    return Slicer(record, summaries).slice(criterion, thin=thin, as_paper=as_paper)

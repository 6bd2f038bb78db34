"""The entry to slicing: a recording and a criterion in, a `Slice` out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from fewtaps.model.crash import Crash
from fewtaps.model.run_record import RunRecord, SeenValue
from fewtaps.model.slice import Slice
from fewtaps.slicing import criteria
from fewtaps.slicing.checking import SelfCheck, check_values
from fewtaps.slicing.criteria import Criterion
from fewtaps.slicing.dependences import Dependences
from fewtaps.slicing.graph import DependenceGraph, graph_of
from fewtaps.slicing.paper import log_lines, paper_slice
from fewtaps.slicing.passing import PassingRun
from fewtaps.slicing.reasons import why
from fewtaps.slicing.recompute import Recomputed, recompute
from fewtaps.slicing.recording import RunIndex
from fewtaps.slicing.summaries import standard_summaries
from fewtaps.slicing.telling import Telling

Values = Mapping[tuple[str, str, int], Sequence[str]]
"""For an instruction (class, method name with descriptor, number) the values of its executions, in order."""


class Slicer:
    """A recording made ready to be sliced, any number of times.

    `summaries` is the text of the user's table of calls, `summaries_name` its name in messages. Raises UsageError for a
    line of it that cannot be read.
    """

    def __init__(self, record: RunRecord, summaries: str | None = None, summaries_name: str = "summaries") -> None:
        table = standard_summaries()
        if summaries is not None:
            table = table.also(summaries, summaries_name)
        self.index = RunIndex(record)
        self.dependences = Dependences(self.index, table)
        self._graphs: dict[tuple[Criterion, bool], DependenceGraph] = {}

    def criterion_of_crash(self, crash: Crash) -> Criterion:
        """Where the crash was thrown, and the values in error. Raises NothingToSlice."""
        return criteria.criterion_of_crash(self.index, self.dependences, crash)

    def criterion_at(
        self, file: str, line: int, *, execution: int | None = None, of: str | None = None, event: int | None = None
    ) -> Criterion:
        """A line; its last execution unless told otherwise. Raises CriterionError, naming the nearest lines."""
        return criteria.criterion_at(self.index, file, line, execution=execution, of=of, event=event)

    def slice(
        self,
        criterion: Criterion,
        *,
        thin: bool = False,
        as_paper: bool = False,
        values: Values | None = None,
        passing: PassingRun | None = None,
    ) -> Slice:
        """What the criterion depends on, nearest first; with `passing` also what happened there and not here."""
        if as_paper:
            return paper_slice(self.index, self.dependences, criterion)
        full = self.dependence_graph(criterion, full=True)
        narrow = self.dependence_graph(criterion, full=False)
        return Telling(self.dependences, criterion, full, narrow, values).slice(thin=thin, passing=passing)

    def as_passing(self, world: int) -> PassingRun:
        """This recording as one that does not crash, for the slice of another one of the same steps."""
        return PassingRun(self.dependences, world)

    def why(self, criterion: Criterion, file: str, line: int) -> tuple[str, ...]:
        """Sentences: how the line led to the criterion; or which lines read what it wrote; or what decided against."""
        return why(self.dependences, self.dependence_graph(criterion, full=True), file, line)

    def log_lines(self) -> Iterator[str]:
        """Every executed instruction, a line each, like the paper's Example 1."""
        return log_lines(self.index)

    def instructions_to_watch(self, criterion: Criterion) -> dict[str, dict[str, list[int]]]:
        """The instructions of the full slice, for a replay with values: class, method with descriptor, numbers."""
        wanted: dict[str, dict[str, set[int]]] = {}
        for node in self.dependence_graph(criterion, full=True).visits:
            method = self.index.frame_of(node.row).method
            name = f"{method.code.name}{method.code.descriptor}"
            wanted.setdefault(method.owner.name, {}).setdefault(name, set()).add(node.instruction)
        return {
            owner: {name: sorted(numbers) for name, numbers in sorted(methods.items())}
            for owner, methods in sorted(wanted.items())
        }

    def check(self, values: Sequence[SeenValue]) -> SelfCheck:
        """Compares the values of a replay with the definitions that slices name: each read shows what was written."""
        return check_values(self.dependences, values)

    def recompute(self, criterion: Criterion, values: Sequence[SeenValue]) -> Recomputed:
        """Computes the values of the thin slice anew from its instructions, and compares them with those of a replay.

        `values` are those of `instructions_to_watch`. Results of calls without code here are taken from them.
        """
        return recompute(self.dependences, self.dependence_graph(criterion, full=False), values)

    def needs_earlier_events(self, criterion: Criterion) -> bool:
        """Whether the slice asks for events before `record.first_event`."""
        self.dependence_graph(criterion, full=True)
        return self.dependences.earlier_events_wanted

    def dependence_graph(self, criterion: Criterion, *, full: bool) -> DependenceGraph:
        """All executions that a criterion depends on: the full slice, or the thin one."""
        key = (criterion, full)
        if key not in self._graphs:
            self._graphs[key] = graph_of(self.dependences, criterion, full=full)
        return self._graphs[key]

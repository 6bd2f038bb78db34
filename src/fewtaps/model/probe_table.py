"""ProbeTable: which lines, branches and methods each probe of an instrumented app proves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from fewtaps.model.coverage import Coverage, ProbeMap, ProbeSet, runs_from_json
from fewtaps.model.record import as_list, as_object, as_text

TABLE_VERSION = 1


@dataclass(frozen=True, slots=True)
class ProbeProof:
    """What one probe proves: numbers of the app's coverage, as runs of numbers in a row.

    A set for each of many thousand probes, with a bit for each line of the app, would take gigabytes.
    """

    branches: tuple[range, ...]
    lines: tuple[range, ...]
    methods: tuple[range, ...]


@dataclass(frozen=True, slots=True)
class ProbeTable:
    """The probes of an instrumented app, in order.

    `origin` is the SHA-256 of the APK that was instrumented, `scope` says which classes are measured.
    """

    origin: str
    scope: str
    probes: ProbeMap
    proofs: tuple[ProbeProof, ...]

    def coverage(self, hits: ProbeSet) -> Coverage:
        """All that the probes which were hit prove. Probes that the app does not have are passed over."""
        found = [self.proofs[number] for number in hits if number < len(self.proofs)]
        return Coverage(
            ProbeSet.of(_numbers(run for each in found for run in each.branches)),
            ProbeSet.of(_numbers(run for each in found for run in each.lines)),
            ProbeSet.of(_numbers(run for each in found for run in each.methods)),
        )

    @classmethod
    def from_json(cls, record: object) -> ProbeTable:
        """The table that an instrumented APK carries. Raises ValueError for anything else."""
        data = as_object("probe table", record)
        if data.get("version") != TABLE_VERSION:
            raise ValueError(f"a table of version {data.get('version')!r:.20}, not {TABLE_VERSION}")
        return cls(
            origin=as_text("origin", data.get("origin")),
            scope=as_text("scope", data.get("scope")),
            probes=ProbeMap.from_json(data),
            proofs=tuple(_proof(each) for each in as_list("probes", data.get("probes"))),
        )


def _proof(record: Any) -> ProbeProof:
    branches, lines, methods = as_list("probe", record)
    return ProbeProof(runs_from_json(branches), runs_from_json(lines), runs_from_json(methods))


def _numbers(runs: Iterable[range]) -> Iterator[int]:
    """The numbers of all runs, each once."""
    end = 0
    for run in sorted(set(runs), key=lambda run: run.start):
        yield from range(max(end, run.start), run.stop)
        end = max(end, run.stop)

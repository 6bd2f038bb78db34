"""Coverage, packed sets of probe numbers, and ProbeMap, the classes, methods, lines and branches they stand for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from fewtaps.model.record import as_list, as_object

_NOT_EMPTY = re.compile(rb"[^\0]+")


@dataclass(frozen=True, slots=True)
class ProbeSet:
    """A set of small numbers, packed into the bits of one integer, so that a union is one operation."""

    bits: int = 0

    @classmethod
    def of(cls, numbers: Iterable[int]) -> ProbeSet:
        """The set of these numbers. Raises ValueError for one below zero."""
        bits = bytearray()
        for number in numbers:
            if number < 0:
                raise ValueError(f"not a probe number: {number}")
            place = number >> 3
            if place >= len(bits):
                bits.extend(bytes(place + 1 - len(bits)))
            bits[place] |= 1 << (number & 7)
        return cls(int.from_bytes(bits, "little"))

    def __or__(self, other: ProbeSet) -> ProbeSet:
        return ProbeSet(self.bits | other.bits)

    def __and__(self, other: ProbeSet) -> ProbeSet:
        return ProbeSet(self.bits & other.bits)

    def __sub__(self, other: ProbeSet) -> ProbeSet:
        return ProbeSet(self.bits & ~other.bits)

    def __le__(self, other: ProbeSet) -> bool:
        return self.bits & ~other.bits == 0

    def __len__(self) -> int:
        return self.bits.bit_count()

    def __bool__(self) -> bool:
        return self.bits != 0

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and number >= 0 and bool(self.bits >> number & 1)

    def __iter__(self) -> Iterator[int]:
        """The numbers from small to large."""
        # Byte by byte: shifting the large integer once per number would take quadratic time. A single step sets a few
        # bits among thousands, so the regular expression skips the empty bytes in between.
        for stretch in _NOT_EMPTY.finditer(self.bits.to_bytes((self.bits.bit_length() + 7) // 8, "little")):
            for place, byte in enumerate(stretch[0], stretch.start()):
                while byte:
                    lowest = byte & -byte
                    yield (place << 3) + lowest.bit_length() - 1
                    byte ^= lowest

    def __repr__(self) -> str:
        return f"ProbeSet.of({list(self)})"

    def to_json(self) -> list[int | list[int]]:
        """Numbers from small to large; three or more in a row become one pair [first, last]."""
        record: list[int | list[int]] = []
        for first, last in _runs(self):
            if last - first >= 2:
                record.append([first, last])
            else:
                record.extend(range(first, last + 1))
        return record

    @classmethod
    def from_json(cls, record: object) -> ProbeSet:
        """The set that `to_json` wrote, or that a plain list of numbers gives. Raises ValueError for anything else."""
        return cls.of(number for run in runs_from_json(record) for number in run)


def _runs(numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    first = last = -1
    for number in numbers:
        if first >= 0 and number == last + 1:
            last = number
            continue
        if first >= 0:
            yield first, last
        first = last = number
    if first >= 0:
        yield first, last


MAX_PROBE = 1 << 26
"""Probe numbers in files must be smaller, so that a damaged or hostile file cannot allocate more than 8 MB per set."""


def runs_from_json(record: object) -> tuple[range, ...]:
    """The numbers that `ProbeSet.to_json` wrote, as runs of numbers in a row. Raises ValueError for anything else."""
    return tuple(map(_run, as_list("probes", record)))


def _run(item: object) -> range:
    first, last = item if isinstance(item, list) and len(item) == 2 else (item, item)
    if type(first) is not int or type(last) is not int or not 0 <= first <= last < MAX_PROBE:
        raise ValueError(f"not a probe number, nor a pair of first and last: {item!r:.60}")
    return range(first, last + 1)


_NOTHING = ProbeSet()


@dataclass(frozen=True, slots=True)
class Coverage:
    """The branches, lines and methods that were reached, as probe numbers of a `ProbeMap`."""

    branches: ProbeSet = _NOTHING
    lines: ProbeSet = _NOTHING
    methods: ProbeSet = _NOTHING

    def __or__(self, other: Coverage) -> Coverage:
        return Coverage(self.branches | other.branches, self.lines | other.lines, self.methods | other.methods)

    def __and__(self, other: Coverage) -> Coverage:
        return Coverage(self.branches & other.branches, self.lines & other.lines, self.methods & other.methods)

    def __sub__(self, other: Coverage) -> Coverage:
        return Coverage(self.branches - other.branches, self.lines - other.lines, self.methods - other.methods)

    def __le__(self, other: Coverage) -> bool:
        return self.branches <= other.branches and self.lines <= other.lines and self.methods <= other.methods

    def __bool__(self) -> bool:
        return bool(self.branches or self.lines or self.methods)

    def to_json(self) -> dict[str, list[int | list[int]]]:
        """The coverage as JSON data; empty sets are left out."""
        parts = {"branches": self.branches, "lines": self.lines, "methods": self.methods}
        return {name: part.to_json() for name, part in parts.items() if part}

    @classmethod
    def from_json(cls, record: object) -> Coverage:
        """The coverage that `to_json` wrote. Raises ValueError, naming the bad field."""
        data = as_object("coverage", record)
        return cls(*(_probe_set(name, data.get(name)) for name in ("branches", "lines", "methods")))


def _probe_set(name: str, record: object) -> ProbeSet:
    if record is None:
        return _NOTHING
    try:
        return ProbeSet.from_json(record)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


NO_COVERAGE = Coverage()


@dataclass(frozen=True, slots=True)
class MethodProbe:
    """A method that can be reached; `line` is its first line, 0 if the app has no debug information."""

    number: int
    name: str
    descriptor: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class LineProbe:
    """A line of a source file that can be reached; classes of one source file that share a line share its number."""

    number: int
    line: int


@dataclass(frozen=True, slots=True)
class BranchProbe:
    """One branch on a line that can be reached.

    `method` is the number of the method it belongs to, None where it is not known, as in older stores.
    """

    number: int
    line: int
    method: int | None = None


@dataclass(frozen=True, slots=True)
class ClassProbes:
    """The probes of one class; `file` is the name of its source file, None if the app has no debug information."""

    name: str
    file: str | None = None
    methods: tuple[MethodProbe, ...] = ()
    lines: tuple[LineProbe, ...] = ()
    branches: tuple[BranchProbe, ...] = ()


@dataclass(frozen=True, slots=True)
class ProbeTotals:
    """The number of probes of each kind."""

    branches: int = 0
    lines: int = 0
    methods: int = 0


@dataclass(frozen=True, slots=True)
class ProbeMap:
    """The meaning of probe numbers: classes with their methods, lines and branches."""

    classes: tuple[ClassProbes, ...] = ()

    @property
    def totals(self) -> ProbeTotals:
        """The number of probes of each kind; a line that several classes share counts once."""
        return ProbeTotals(
            branches=sum(len(probes.branches) for probes in self.classes),
            lines=len({probe.number for probes in self.classes for probe in probes.lines}),
            methods=sum(len(probes.methods) for probes in self.classes),
        )

    def to_json(self) -> dict[str, Any]:
        """The map as JSON data, in the form of the bridge's `probes` reply."""
        return {
            "classes": [
                {
                    "name": probes.name,
                    **({"file": probes.file} if probes.file is not None else {}),
                    "methods": [[probe.number, probe.name, probe.descriptor, probe.line] for probe in probes.methods],
                    "lines": [[probe.number, probe.line] for probe in probes.lines],
                    "branches": [_branch_to_json(probe) for probe in probes.branches],
                }
                for probes in self.classes
            ]
        }

    @classmethod
    def from_json(cls, record: object) -> ProbeMap:
        """The map that `to_json` or the bridge wrote. Raises ValueError if the record is not a probe map."""
        data = as_object("probes", record)
        try:
            return cls(
                tuple(
                    ClassProbes(
                        name=_text(probes["name"]),
                        file=None if probes.get("file") is None else _text(probes["file"]),
                        methods=tuple(_method_from_json(*method) for method in probes.get("methods", ())),
                        lines=tuple(LineProbe(*_whole(line)) for line in probes.get("lines", ())),
                        branches=tuple(BranchProbe(*_whole(branch)) for branch in probes.get("branches", ())),
                    )
                    for probes in data["classes"]
                )
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"classes: not a probe map: {error}") from None


def _branch_to_json(probe: BranchProbe) -> list[int]:
    record = [probe.number, probe.line]
    return record if probe.method is None else [*record, probe.method]


def _method_from_json(number: object, name: object, descriptor: object, line: object = 0) -> MethodProbe:
    first, last = _whole([number, line])
    return MethodProbe(first, _text(name), _text(descriptor), last)


def _whole(record: list[Any]) -> list[int]:
    """The record, in which all are whole numbers. Raises TypeError."""
    if not all(type(number) is int for number in record):
        raise TypeError(f"not numbers: {record!r:.60}")
    return record


def _text(value: object) -> str:
    """The value, which is a text. Raises TypeError."""
    if not isinstance(value, str):
        raise TypeError(f"not a text: {value!r:.60}")
    return value

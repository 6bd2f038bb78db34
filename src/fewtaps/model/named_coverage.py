"""Coverage by names of classes, methods, lines and branches, which are comparable between builds of an app."""

from __future__ import annotations

from collections import Counter

from fewtaps.model.coverage import ClassProbes, Coverage, ProbeMap
from fewtaps.model.suite import NamedCoverage


def name_coverage(coverage: Coverage, probe_map: ProbeMap) -> NamedCoverage:
    """The covered code by names. Numbers that the map does not have are left out.

    A branch is numbered among the branches of its method, in the order of the probes. If the map does not say to which
    method a branch belongs, its method is empty, and it is numbered among all such branches of its class.
    """
    # Sets, because a look into a packed set takes time that grows with its size.
    branches, lines, methods = set(coverage.branches), set(coverage.lines), set(coverage.methods)
    return NamedCoverage(
        branches=frozenset(branch for probes in probe_map.classes for branch in _branches(probes, branches)),
        methods=frozenset(
            (probes.name, f"{method.name}{method.descriptor}")
            for probes in probe_map.classes
            for method in probes.methods
            if method.number in methods
        ),
        lines=frozenset(
            (probes.name, line.line) for probes in probe_map.classes for line in probes.lines if line.number in lines
        ),
    )


def _branches(probes: ClassProbes, covered: set[int]) -> list[tuple[str, str, int]]:
    names = {method.number: f"{method.name}{method.descriptor}" for method in probes.methods}
    counted: Counter[str] = Counter()
    found = []
    for branch in sorted(probes.branches, key=lambda each: each.number):
        method = "" if branch.method is None else names.get(branch.method, "")
        if branch.number in covered:
            found.append((probes.name, method, counted[method]))
        counted[method] += 1
    return found

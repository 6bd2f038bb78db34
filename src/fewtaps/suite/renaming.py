"""Tells whether a crash is the expected one in a build whose classes have other names, as after a shrinker."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from fewtaps.model.suite import Suite

_WHERE = " at "
_CALLS = " < "


@dataclass(frozen=True, slots=True)
class RenamedClasses:
    """Classes in which crashes are expected that the build does not have, and the build's classes that are new."""

    gone: frozenset[str] = frozenset()
    new: frozenset[str] = frozenset()


NOTHING_RENAMED = RenamedClasses()


def renamed_classes(suite: Suite, classes: Collection[str]) -> RenamedClasses:
    """What a build with these classes has renamed of those in which the suite expects crashes."""
    expected = {
        name
        for test in suite.tests
        for step in test.trace.steps
        if step.expect is not None and step.expect.crash is not None
        for name in _classes_in(step.expect.crash)
    }
    before = suite.covered.classes.union(suite.uncovered, *(test.classes for test in suite.tests))
    there = set(classes)
    # A crash may lie in a library, which is not measured: only what was measured before can be gone.
    gone = (expected & before) - there
    return RenamedClasses(frozenset(gone), frozenset(there - before) if gone else frozenset())


def is_renamed_crash(expected: str, seen: str, renamed: RenamedClasses) -> bool:
    """Whether a crash with another signature is the expected one under new names.

    A class of the expected signature is gone, the exception has the same type, and it was thrown in a new class or in
    one of the expected ones. How many frames there are says nothing: a shrinker inlines methods.
    """
    classes, seen_classes = _classes_in(expected), _classes_in(seen)
    if renamed.gone.isdisjoint(classes) or not seen_classes:
        return False
    if expected.partition(_WHERE)[0] != seen.partition(_WHERE)[0]:
        return False
    return seen_classes[0] in renamed.new or seen_classes[0] in classes


def _classes_in(signature: str) -> tuple[str, ...]:
    """The classes of the frames, innermost first."""
    frames: Iterable[str] = signature.partition(_WHERE)[2].split(_CALLS)
    return tuple(name for frame in frames if (name := frame.rpartition(".")[0]))

"""The export of whole suites: names of methods and files, the comment at the head, losses by reason and test."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from fewtaps.exports.assertions import NO_STATE
from fewtaps.formats.losses import AddLoss, Losses
from fewtaps.model.event import printable
from fewtaps.model.phone import describe_phone
from fewtaps.model.suite import Suite, SuiteTest

MOST_TESTS = 5
"""A loss names at most this many tests and counts the others."""
LONGEST_NAME = 80
EVERYWHERE = frozenset({NO_STATE})
"""Losses of nearly every step, which are told without their places."""
NO_PACKAGE = "the app is not named, so it cannot be started"


@dataclass(frozen=True, slots=True)
class SuiteToExport:
    """A suite, and the name of its folder and of the tool for the comment at the head of each file."""

    suite: Suite
    origin: str = ""
    tool: str = "fewtaps"

    @property
    def name(self) -> str:
        """A name for classes and files, from the last part of the app's package: "Tipsplit"."""
        return camel_case(self.suite.app.package.rpartition(".")[2]) or "App"

    @property
    def provenance(self) -> tuple[str, ...]:
        """App, size, origin and tool as printable lines; the caller escapes the end of its kind of comment."""
        app, tests = self.suite.app, self.suite.tests
        steps = sum(len(test.trace.steps) - 1 for test in tests)
        source = f"suite {printable(self.origin, 160)}" if self.origin else "suite"
        return (
            f"{printable(app.package, 100)} {printable(app.version, 40)}".strip(),
            f"{_counted(len(tests), 'test')} with {_counted(steps, 'step')} after the launch",
            f"Exported by {printable(self.tool, 60)}: {source}",
        )


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """One file of an exported suite: its name and its text."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class ExportedSuite:
    """The files of an exported suite, and one line for each thing that the format cannot express."""

    files: tuple[ExportedFile, ...]
    losses: tuple[str, ...] = ()


class SuiteLosses:
    """Losses of many tests: each reason once, with the tests and steps where it applies."""

    def __init__(self) -> None:
        self._tests: dict[str, Losses] = {}
        self._general: dict[str, None] = {}

    def at(self, test: SuiteTest, step: int) -> AddLoss:
        """A function that adds reasons at one step of a test."""
        return self._tests.setdefault(test.name, Losses("step")).at(step)

    def add(self, reason: str) -> None:
        """Records a loss of the whole suite; a second time it changes nothing."""
        self._general[reason] = None

    def lines(self) -> tuple[str, ...]:
        """One line per reason, those of single steps first."""
        places: dict[str, list[str]] = {}
        for name, losses in self._tests.items():
            for where, reason in losses.located():
                places.setdefault(reason, []).append(f"{name} ({where})")
        everywhere = [reason for reason in places if reason in EVERYWHERE]
        at_places = (f"{_shortened(found)}: {why}" for why, found in places.items() if why not in EVERYWHERE)
        return (*at_places, *everywhere, *self._general)


def general_losses(suite: Suite, losses: SuiteLosses) -> None:
    """Adds the losses that are the same for all tools."""
    if suite.settings:
        said = ", ".join(f"{name} {value}" for name, value in suite.settings)
        losses.add(f"the device's settings are not those of the suite: {printable(said, 160)}")
    for test in suite.tests:
        if test.trace.phone:
            words = describe_phone(test.trace.phone)
            losses.at(test, 0)(f"the test does not set the phone up: it has to be one {words}")


def camel_case(name: str) -> str:
    """The ASCII letters and digits of a name as one word: "settings-round-up" becomes "SettingsRoundUp"."""
    words = (word for word in re.split(r"[^A-Za-z0-9]+", name) if word)
    return "".join(word[:1].upper() + word[1:] for word in words)[:LONGEST_NAME]


def snake_case(name: str) -> str:
    """The name in Python's snake_case."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def method_names(tests: Iterable[SuiteTest]) -> Iterator[tuple[SuiteTest, str]]:
    """Each test with a name in CamelCase that no other test has; the caller puts `test` in front of it."""
    taken: set[str] = set()
    for test in tests:
        plain = camel_case(test.name) or "Unnamed"
        name, number = plain, 2
        # Names that differ in case only would be one name in Python's snake_case.
        while name.lower() in taken:
            name, number = f"{plain}{number}", number + 1
        taken.add(name.lower())
        yield test, name


def _shortened(places: list[str]) -> str:
    more = len(places) - MOST_TESTS
    return ", ".join(places[:MOST_TESTS]) + (f" and {more} more" if more > 0 else "")


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"

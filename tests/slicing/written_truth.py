"""The slices of the small programs as their sources say them: a comment at the end of each line that runs.

`samples/programs` has one program per file. The comments and what they stand for are explained in
`docs/slicing-truth.md`: `full thin` is in both slices, `full` in the full slice alone, `out` in none. A line above the
class says which events are played and which steps the slice has.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fewtaps.model.app import AppRef
from fewtaps.model.event import Event, Launch, Rotate, Selector, StartIntent, SystemEvent, Tap, Text, Wait
from fewtaps.model.trace import Step, Trace

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "samples" / "programs"
PACKAGE = "dev.fewtaps.samples.programs"
SOURCES = PROGRAMS / "src" / Path(*PACKAGE.split("."))
SCREEN = (720, 1280, 320)

PLAYED = re.compile(r"^// Played: ([a-z, ]+)\. In the slice: ([0-9 ]+)\.$", re.MULTILINE)
MARK = re.compile(r"// (full thin|full|out)$")
# What looks like a mark and is none would be left out without notice.
ALMOST_A_MARK = re.compile(r"//\s*(full|thin|out)\b", re.IGNORECASE)
# The middle of each button in pixels. A tap finds its button by the id.
BUTTONS = {"go": (360, 210), "more": (360, 306), "extra": (360, 402), "check": (360, 402)}
WAIT_MS = 10_000
TYPED = "0"
# Each takes seconds: a stack or a memory has to become full, a loop has to turn for a while.
SLOW = frozenset({"EndlessLoopProgram", "EndlessRecursionProgram", "FullMemoryProgram"})


@dataclass(frozen=True, slots=True)
class WrittenTruth:
    """One program: the events that crash it, and the lines and steps that its slice has.

    `full` and `thin` are line numbers of `file`; those of `out` run, and are in no slice. `steps` are the steps of the
    full slice.
    """

    name: str
    file: str
    played: tuple[str, ...]
    full: frozenset[int]
    thin: frozenset[int]
    out: frozenset[int]
    steps: tuple[int, ...]

    @property
    def trace(self) -> Trace:
        """The launch, the opening of the program, and what is tapped in it."""
        events: list[Event] = [Launch()]
        for word in self.played:
            events.append(self._event(word))
        return Trace(AppRef(PACKAGE, "1.0"), tuple(Step(event) for event in events), screen=SCREEN)

    def _event(self, word: str) -> Event:
        if word == "open":
            return StartIntent(component=f"{PACKAGE}/.{self.name}")
        if word == "wait":
            return Wait(WAIT_MS)
        if word == "rotate":
            return Rotate("landscape")
        if word == "die":
            return SystemEvent("process_death")
        if word == "type":
            return Text(TYPED, selector=Selector(resource_id=f"{PACKAGE}:id/field"))
        x, y = BUTTONS[word]
        return Tap(x, y, Selector(resource_id=f"{PACKAGE}:id/{'box' if word == 'check' else word}"))


def read_truth(source: Path) -> WrittenTruth:
    """Reads the comments of one source file; raises ValueError if one cannot be understood."""
    text = source.read_text(encoding="utf-8")
    played = PLAYED.search(text)
    if played is None:
        raise ValueError(f"{source.name}: no line says what is played")
    marked: dict[str, set[int]] = {"full thin": set(), "full": set(), "out": set()}
    for number, line in enumerate(text.splitlines(), 1):
        mark = MARK.search(line)
        if mark is not None:
            marked[mark[1]].add(number)
        elif ALMOST_A_MARK.search(line):
            raise ValueError(f"{source.name}:{number}: not a mark: {line.strip()}")
    return WrittenTruth(
        name=source.stem,
        file=source.name,
        played=tuple(played[1].split(", ")),
        full=frozenset(marked["full thin"] | marked["full"]),
        thin=frozenset(marked["full thin"]),
        out=frozenset(marked["out"]),
        steps=tuple(int(number) for number in played[2].split()),
    )


@cache
def programs() -> tuple[WrittenTruth, ...]:
    """All programs by name."""
    return tuple(read_truth(path) for path in sorted(SOURCES.glob("?*Program.java")))

"""The section "Why it happened": a slice as steps, lines and a graph, small enough for a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from fewtaps.model.slice import Life, Slice, SlicedLine, joined_steps
from fewtaps.model.words import DEPENDENCES
from fewtaps.report.views import (
    FoldedMethod,
    SliceArrow,
    SliceDrawing,
    SliceLine,
    SliceNode,
    SliceStation,
    SliceStep,
    SliceStepEdge,
    SliceView,
)

MOST_LINES = 40
"""Lines of the app that are shown with their reasons; the rest is folded by method."""
MOST_NODES = 30
"""Lines in the graph, the nearest ones."""
MOST_EDGES = 90
"""Dependences in the graph."""
MOST_METHODS = 40
"""Methods named of the lines that are folded."""
MOST_STEPS = 100
"""Steps beside the lines; of a longer trace those that matter come first."""
MOST_EDGES_OF_STEP = 6
"""Dependences of one step on others, by target and kind."""
MOST_STEP_EDGES = 60
"""Dependences between steps in all."""
MOST_NAMES = 3
"""Fields and calls named for one dependence between steps."""
MOST_SENTENCES = 12
"""Stations of the value's life, things that did not happen, guesses, and notes, of each."""
MOST_NUMBERS = 12
"""Step numbers of one line, line numbers of one folded method."""

NODE_WIDTH, NODE_HEIGHT = 210, 46
GAP_X, GAP_Y, MARGIN = 24, 54, 12
MOST_ACROSS = 6
"""Nodes beside each other; more lines of one distance take several rows."""


def slice_view(made: Slice) -> SliceView:
    """The slice as the page of a crash shows it."""
    shown = [(number, line) for number, line in enumerate(made.lines) if line.place.is_app][:MOST_LINES]
    numbers = {number for number, _ in shown}
    others = [line for number, line in enumerate(made.lines) if number not in numbers]
    return SliceView(
        criterion=made.criterion,
        world=made.world,
        steps=_steps(made),
        steps_left_out=max(0, len(made.step_texts) - MOST_STEPS),
        lines=tuple(_line(number, line) for number, line in shown),
        folded=_folded(line for line in others if line.place.is_app),
        libraries=_folded(line for line in others if not line.place.is_app),
        life=tuple(
            SliceStation(each.station, each.place.source_name, each.step, each.sentence)
            for each in _both_ends(made.life)
        ),
        omissions=tuple((each.place.source_name, each.sentence) for each in made.omissions[:MOST_SENTENCES]),
        guesses=tuple((each.call, each.lines) for each in made.guesses[:MOST_SENTENCES]),
        notes=made.notes[:MOST_SENTENCES],
        graph=slice_drawing(made),
        size=made.size,
    )


def _both_ends(life: tuple[Life, ...]) -> tuple[Life, ...]:
    """The stations of a life; of a long one the first and the last."""
    if len(life) <= MOST_SENTENCES:
        return life
    half = MOST_SENTENCES // 2
    between = replace(life[half], station="…", sentence=f"{len(life) - 2 * half} more stations")
    return (*life[:half], between, *life[-half:])


def _steps(made: Slice) -> tuple[SliceStep, ...]:
    matters = set(made.steps)
    chosen = set(sorted(range(len(made.step_texts)), key=lambda number: (number not in matters, number))[:MOST_STEPS])
    edges: dict[int, list[SliceStepEdge]] = {}
    for (source, target, kind), names in joined_steps(made).items():
        left_out = max(0, len(names) - MOST_NAMES)
        edge = SliceStepEdge(target, kind.value, tuple(names[:MOST_NAMES]), left_out, is_linked=target in chosen)
        edges.setdefault(source, []).append(edge)
    steps: list[SliceStep] = []
    room = MOST_STEP_EDGES
    for number in sorted(chosen):
        own = edges.get(number, [])
        shown = own[: min(room, MOST_EDGES_OF_STEP)]
        room -= len(shown)
        steps.append(SliceStep(number, made.step_text(number), number in matters, tuple(shown), len(own) - len(shown)))
    return tuple(steps)


def _line(number: int, line: SlicedLine) -> SliceLine:
    return SliceLine(
        number=number,
        source=line.place.source_name,
        method=line.place.method_name,
        text=line.code,
        value=line.value,
        reason=line.reason,
        kind=DEPENDENCES[line.kind],
        kind_name=line.kind.value,
        is_thin=line.thin,
        steps=line.steps[:MOST_NUMBERS],
        count=line.count,
    )


def _folded(lines: Iterable[SlicedLine]) -> tuple[FoldedMethod, ...]:
    """The lines by method, the method with most lines first; what is beyond the limit is one last entry."""
    numbers: dict[str, list[int]] = {}
    for line in lines:
        numbers.setdefault(f"{line.place.class_name}.{line.place.method}", []).append(line.place.line)
    counts = Counter({name: len(found) for name, found in numbers.items()})
    ordered = [name for name, _ in counts.most_common()]
    named = [
        FoldedMethod(name, counts[name], tuple(sorted({line for line in numbers[name] if line})[:MOST_NUMBERS]))
        for name in ordered[:MOST_METHODS]
    ]
    rest = ordered[MOST_METHODS:]
    if rest:
        named.append(FoldedMethod(f"{len(rest)} more methods", sum(counts[name] for name in rest), ()))
    return tuple(named)


def slice_drawing(made: Slice) -> SliceDrawing | None:
    """The nearest lines as boxes, row by row away from the criterion at the top; None if there is only one line."""
    chosen = sorted(range(len(made.lines)), key=lambda number: (made.lines[number].distance, number))[:MOST_NODES]
    if len(chosen) < 2:
        return None
    rows = _rows(made, chosen)
    widest = max(len(row) for row in rows)
    width = widest * (NODE_WIDTH + GAP_X) - GAP_X + 2 * MARGIN
    places: dict[int, tuple[int, int]] = {}
    for depth, row in enumerate(rows):
        start = (width - len(row) * (NODE_WIDTH + GAP_X) + GAP_X) // 2
        for at, number in enumerate(row):
            places[number] = (start + at * (NODE_WIDTH + GAP_X), MARGIN + depth * (NODE_HEIGHT + GAP_Y))
    nodes = tuple(
        SliceNode(
            number, *places[number], made.lines[number].place.source_name, made.lines[number].code,
            made.lines[number].reason, made.lines[number].kind.value, made.lines[number].thin,
            made.lines[number].steps[:MOST_NUMBERS],
        )
        for number in chosen
    )  # fmt: skip
    seen: set[tuple[int, int, str]] = set()
    arrows: list[SliceArrow] = []
    for edge in made.edges:
        key = (edge.source, edge.target, edge.kind.value)
        if edge.source in places and edge.target in places and edge.source != edge.target and key not in seen:
            seen.add(key)
            what = edge.what or DEPENDENCES[edge.kind]
            arrows.append(SliceArrow(_arrow(places[edge.source], places[edge.target]), edge.kind.value, what))
    height = len(rows) * (NODE_HEIGHT + GAP_Y) - GAP_Y + 2 * MARGIN
    return SliceDrawing(nodes, tuple(arrows[:MOST_EDGES]), width, height, len(made.lines) - len(chosen))


def _rows(made: Slice, chosen: list[int]) -> list[list[int]]:
    """The lines of one distance in one row or, if they are many, in several; each near what depends on it."""
    by_distance: dict[int, list[int]] = {}
    for number in chosen:
        by_distance.setdefault(made.lines[number].distance, []).append(number)
    sources: dict[int, list[int]] = {}
    for edge in made.edges:
        sources.setdefault(edge.target, []).append(edge.source)
    at: dict[int, float] = {}
    rows: list[list[int]] = []
    for distance in sorted(by_distance):
        row = by_distance[distance]
        known = {number: [at[each] for each in sources.get(number, ()) if each in at] for number in row}
        row.sort(key=lambda number: (sum(known[number]) / len(known[number]) if known[number] else 0.5, number))
        at.update({number: (place + 0.5) / len(row) for place, number in enumerate(row)})
        rows += [row[first : first + MOST_ACROSS] for first in range(0, len(row), MOST_ACROSS)]
    return rows


def _arrow(source: tuple[int, int], target: tuple[int, int]) -> str:
    """A curve from the box of a line to the box of one that it depends on."""
    (x1, y1), (x2, y2) = source, target
    if y2 > y1:
        start, end = (x1 + NODE_WIDTH // 2, y1 + NODE_HEIGHT), (x2 + NODE_WIDTH // 2, y2)
        bend = max(20, (end[1] - start[1]) // 2)
        return f"M{start[0]} {start[1]}C{start[0]} {start[1] + bend} {end[0]} {end[1] - bend} {end[0]} {end[1]}"
    # A line of the same row or of one nearer to the criterion: around the side.
    start, end = (x1 + NODE_WIDTH, y1 + NODE_HEIGHT // 2), (x2 + NODE_WIDTH, y2 + NODE_HEIGHT // 2)
    out = max(start[0], end[0]) + GAP_X
    return f"M{start[0]} {start[1]}C{out} {start[1]} {out} {end[1]} {end[0]} {end[1]}"

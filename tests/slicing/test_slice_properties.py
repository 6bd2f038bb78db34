"""What holds for the slices of all programs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slicing.assembler import Machine
from slicing.small_programs import lines, machine

from fewtaps.model.run_record import KIND_SHIFT, RunRecord, Word
from fewtaps.slicing.slicer import Slicer
from fewtaps.slicing.soundness import broken_flow
from fewtaps.slicing.windows import joined

VARIABLES = ("a", "b", "c")
FIELDS = ("f", "g")
LAST = 99

Statement = tuple[str, ...]
_variable = st.sampled_from(VARIABLES)
_field = st.sampled_from(FIELDS)
_statement: st.SearchStrategy[Statement] = st.one_of(
    st.tuples(st.just("const"), _variable, st.sampled_from(("0", "1", "2"))),
    st.tuples(st.just("add"), _variable, _variable, _variable),
    st.tuples(st.just("put"), _field, _variable),
    st.tuples(st.just("get"), _variable, _field),
    st.tuples(st.just("same"), _variable, _variable),
    st.tuples(st.just("skip"), _variable, st.sampled_from(("1", "2", "3"))),
)
statements_of_events = st.lists(st.lists(_statement, max_size=8), min_size=1, max_size=4)


def text_of(statements: list[Statement], first: int) -> str:
    """The statements, a line each from `first` on, as a method of the machine."""
    rows: list[str] = []
    for name in VARIABLES:
        rows += [f"{first} zero_{name} = getfield this {name}", f"{first} store {name} zero_{name}"]
    labels: dict[int, list[str]] = {}
    for at, statement in enumerate(statements):
        line = first + 1 + at
        rows += [f"{label}:" for label in labels.pop(at, ())]
        match statement:
            case ("const", x, value):
                rows += [f"{line} v{at} = const {value}", f"{line} store {x} v{at}"]
            case ("add", x, y, z):
                rows += [f"{line} l{at} = load {y}", f"{line} r{at} = load {z}"]
                rows += [f"{line} v{at} = math iadd l{at} r{at}", f"{line} store {x} v{at}"]
            case ("put", name, x):
                rows += [f"{line} v{at} = load {x}", f"{line} putfield this {name} v{at}"]
            case ("get", x, name):
                rows += [f"{line} v{at} = getfield this {name}", f"{line} store {x} v{at}"]
            case ("same", x, y):
                rows += [f"{line} v{at} = load {y}", f"{line} w{at} = call Main.same static v{at}"]
                rows += [f"{line} store {x} w{at}"]
            case ("skip", x, count):
                target = min(at + 1 + int(count), len(statements))
                label = f"after{at}"
                labels.setdefault(target, []).append(label)
                rows += [f"{line} v{at} = load {x}", f"{line} if ifeq v{at} {label}"]
    rows += [f"{label}:" for each in labels.values() for label in each]
    for name in VARIABLES:
        rows += [f"{first + 20} end_{name} = load {name}", f"{first + 20} putfield this {name} end_{name}"]
    return "\n".join([*rows, f"{first + 20} return"])


def run(program: list[list[Statement]]) -> Machine:
    """Each list of statements is one event; the last line reads the variable `a`."""
    made = machine()
    made.method("Main.same(value) static", "900 return value")
    this = made.thing("Main")
    for number, statements in enumerate(program):
        made.method(f"Main.step{number}() outside", text_of(statements, 100 * (number + 1)))
        made.event(number)
        made.call(f"Main.step{number}", this)
    made.method("Main.end() outside", f"{LAST} seen = getfield this a\n{LAST} putfield this out seen\n{LAST} return")
    made.event(len(program))
    made.call("Main.end", this)
    return made


def expected_thin(program: list[list[Statement]]) -> set[int]:
    """The lines on which the last value of `a` depends, by running the statements with their origins."""
    values = dict.fromkeys((*VARIABLES, *FIELDS), 0)
    origins: dict[str, set[int]] = {name: set() for name in (*VARIABLES, *FIELDS)}
    for number, statements in enumerate(program):
        first = 100 * (number + 1)
        for name in VARIABLES:
            origins[name] = origins[name] | {first}
        at = 0
        while at < len(statements):
            line = first + 1 + at
            match statements[at]:
                case ("const", x, value):
                    values[x], origins[x] = int(value), {line}
                case ("add", x, y, z):
                    values[x], origins[x] = values[y] + values[z], {line} | origins[y] | origins[z]
                case ("put", name, x):
                    values[name], origins[name] = values[x], {line} | origins[x]
                case ("get", x, name):
                    values[x], origins[x] = values[name], {line} | origins[name]
                case ("same", x, y):
                    values[x], origins[x] = values[y], {line, 900} | origins[y]
                case ("skip", x, count) if values[x] == 0:
                    at += int(count)
            at += 1
        for name in VARIABLES:
            origins[name] = origins[name] | {first + 20}
    return origins["a"] | {LAST}


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(statements_of_events)
def test_the_thin_slice_is_exactly_where_the_value_came_from(program: list[list[Statement]]) -> None:
    slicer = Slicer(run(program).record())
    criterion = slicer.criterion_at("Main.java", LAST)
    thin = slicer.slice(criterion, thin=True)
    assert set(lines(thin)) == expected_thin(program)


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(statements_of_events)
def test_thin_is_part_of_full_and_the_criterion_is_in_both(program: list[list[Statement]]) -> None:
    slicer = Slicer(run(program).record())
    criterion = slicer.criterion_at("Main.java", LAST)
    full, thin = slicer.slice(criterion), slicer.slice(criterion, thin=True)
    assert {line.place for line in thin.lines} <= {line.place for line in full.lines}
    assert {line.place for line in full.lines if line.thin} == {line.place for line in thin.lines}
    assert full.lines[0].place.line == thin.lines[0].place.line == LAST
    assert full.size.thin_lines == len(thin.lines)
    assert broken_flow(slicer.index) == 0


def windows_of(record: RunRecord) -> list[RunRecord]:
    """The recording cut at its events."""
    at = np.flatnonzero((record.words >> KIND_SHIFT) == Word.EVENT).tolist()
    ends = [*at[1:], len(record.words)]
    return [
        replace(record, words=record.words[start:end], first_event=number)
        for number, (start, end) in enumerate(zip(at, ends, strict=True))
    ]


@pytest.mark.slow
@settings(deadline=None, max_examples=30)
@given(statements_of_events)
def test_the_same_run_gives_the_same_slice_and_so_do_its_windows(program: list[list[Statement]]) -> None:
    record = run(program).record()
    slicer = Slicer(record)
    whole = slicer.slice(slicer.criterion_at("Main.java", LAST))
    again = Slicer(run(program).record())
    assert again.slice(again.criterion_at("Main.java", LAST)) == whole

    windows = windows_of(record)
    known = windows.pop()
    while True:
        part = Slicer(known)
        criterion = part.criterion_at("Main.java", LAST)
        found = part.slice(criterion)
        if not windows or not part.needs_earlier_events(criterion):
            break
        known = joined(windows.pop(), known)
    assert found.lines == whole.lines
    assert found.edges == whole.edges

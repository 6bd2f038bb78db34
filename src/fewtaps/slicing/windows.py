"""Joins recordings of consecutive events of one run, each made by a replay of its own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fewtaps.model.recorded_code import ClassCode, Code
from fewtaps.model.run_record import KIND_SHIFT, PAYLOAD, RunRecord, Word

_WITH_TEXT = (Word.VALUE, Word.NOTE)
"""Words whose payload is a place in the table of values."""


def joined(earlier: RunRecord, later: RunRecord) -> RunRecord:
    """One recording of both windows: `earlier` ends where `later` begins.

    Objects, blocks, tokens and threads have the same numbers in every replay. The tables of values are made anew in
    each, so the words of the later window get the numbers of the joined table.
    """
    numbers = {text: number for number, text in reversed(tuple(enumerate(earlier.values)))}
    values = list(earlier.values)
    moved = np.zeros(max(1, len(later.values)), dtype=np.uint32)
    for number, text in enumerate(later.values):
        if number == 0:
            continue
        if text not in numbers:
            numbers[text] = len(values)
            values.append(text)
        moved[number] = numbers[text]
    return replace(
        later,
        words=np.concatenate((earlier.words, _with_numbers(later.words, moved))),
        code=joined_code(earlier.code, later.code),
        values=tuple(values),
        threads=later.threads if len(later.threads) >= len(earlier.threads) else earlier.threads,
        first_event=earlier.first_event,
        complete=earlier.complete and later.complete,
        ordered=earlier.ordered and later.ordered,
    )


def _with_numbers(words: NDArray[np.uint32], moved: NDArray[np.uint32]) -> NDArray[np.uint32]:
    kinds, payloads = words >> KIND_SHIFT, words & PAYLOAD
    changed = np.isin(kinds, [int(kind) for kind in _WITH_TEXT]) & (payloads < len(moved))
    result = words.copy()
    result[changed] = (kinds[changed] << np.uint32(KIND_SHIFT)) | moved[payloads[changed]]
    return result


def joined_code(earlier: Code, later: Code) -> Code:
    """All classes and methods of both; a reply has only the methods that its window entered."""
    classes = dict(earlier.classes)
    for name, each in later.classes.items():
        classes[name] = _joined_class(classes[name], each) if name in classes else each
    return replace(later, classes=classes)


def _joined_class(earlier: ClassCode, later: ClassCode) -> ClassCode:
    methods = {(method.name, method.descriptor): method for method in (*earlier.methods, *later.methods)}
    return replace(later, methods=tuple(sorted(methods.values(), key=lambda method: method.first_block)))

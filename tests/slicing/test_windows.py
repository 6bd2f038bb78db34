"""Recordings of consecutive events, joined to one."""

from __future__ import annotations

import numpy as np

from fewtaps.model.recorded_code import ClassCode, Code, MethodCode
from fewtaps.model.run_record import KIND_SHIFT, RunRecord, Word
from fewtaps.slicing.windows import joined


def word(kind: Word, payload: int) -> int:
    return (int(kind) << KIND_SHIFT) | payload


def record(first_event: int, values: tuple[str, ...], *words: int, methods: tuple[str, ...] = ()) -> RunRecord:
    code = Code({"a.B": ClassCode("a.B", methods=tuple(MethodCode("a.B", name, "()V", ord(name)) for name in methods))})
    return RunRecord(np.array(words, dtype=np.uint32), code, values, first_event=first_event)


def test_words_of_the_later_window_point_into_the_joined_table() -> None:
    earlier = record(0, ("", '"one', "#post"), word(Word.EVENT, 0), word(Word.VALUE, 1), word(Word.NOTE, 2))
    later = record(1, ("", "#post", '"two'), word(Word.EVENT, 1), word(Word.NOTE, 1), word(Word.VALUE, 2))
    both = joined(earlier, later)
    assert both.values == ("", '"one', "#post", '"two')
    assert both.words.tolist() == [
        *(word(Word.EVENT, 0), word(Word.VALUE, 1), word(Word.NOTE, 2)),
        *(word(Word.EVENT, 1), word(Word.NOTE, 2), word(Word.VALUE, 3)),
    ]
    assert both.first_event == 0


def test_objects_numbers_and_missing_values_stay() -> None:
    later = record(1, ("", '"x'), word(Word.OBJECT, 1), word(Word.NUMBER, 1), word(Word.VALUE, 0), word(Word.BLOCK, 1))
    both = joined(record(0, ("",)), later)
    assert both.words.tolist() == later.words.tolist()


def test_the_code_has_the_methods_of_both_windows() -> None:
    both = joined(record(0, ("",), methods=("a", "c")), record(1, ("",), methods=("b", "c")))
    assert [method.name for method in both.code.classes["a.B"].methods] == ["a", "b", "c"]

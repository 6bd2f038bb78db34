#!/usr/bin/env python3
"""How long a recording of many words takes to be read and sliced, and with how much memory.

Run: python benchmarks/slice_records.py [MILLIONS] [--write]

The recording is synthetic: a method that is called again and again from events, with a loop, fields of many objects,
elements of an array, a helper and calls of a list outside. The slice follows a value through all of the last calls.
The seconds are processor time of the one thread that does it, which other work on the machine hardly changes.
`--write` writes benchmarks/results/slice_records.json.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time

import numpy as np
from results import Cell, load_average, measured, save, this_machine

from fewtaps.model.recorded_code import RETURNS, Block, Called, ClassCode, Code, FieldName, Instruction, MethodCode, Op
from fewtaps.model.run_record import KIND_SHIFT, RunRecord, Word
from fewtaps.slicing.slicer import Slicer

TOTAL = FieldName("app.Main", "total", "I")
ROUNDS = 8
"""Rounds of the loop in each call; a round is four words."""
OBJECTS = 1000
"""Objects whose field the calls write, one after the other."""
CALLS_PER_EVENT = 200


def synthetic_code() -> Code:
    """`step` adds the result of `helper` to a field in a loop and puts it into a list."""
    added = Called("virtual", "java.util.List", "add", "(Ljava/lang/Object;)Z", beyond=True)
    called = Called("static", "app.Main", "helper", "(I)I", beyond=False)
    step = MethodCode(
        "app.Main",
        "step",
        "(Ljava/util/List;)V",
        1,
        outside=True,
        instructions=(
            Instruction(Op.CONST, 10, text="0"),
            Instruction(Op.STORE, 10, ((0,),), local=2, name="round"),
            Instruction(Op.LOAD, 11, ((1, 9),), local=2, name="round"),
            Instruction(Op.BRANCH, 11, ((2,),), text="ifge"),
            Instruction(Op.GET_FIELD, 12, ((-1,),), "o", field=TOTAL),
            Instruction(Op.CALL, 12, ((4,),), called=called),
            Instruction(Op.PUT_FIELD, 12, ((-1,), (5,)), "o", field=TOTAL),
            Instruction(Op.LOAD, 13, ((1, 9),), local=2, name="round"),
            Instruction(Op.GOTO, 13),
            Instruction(Op.INC, 13, ((1, 9),), local=2, name="round", by=1),
            Instruction(Op.GOTO, 13),
            Instruction(Op.CALL, 14, ((-2,), (-1,)), "oov", "n", called=added),
            Instruction(Op.RETURN, 15),
        ),
        blocks=(
            Block(0, 1, (1,)),
            Block(2, 3, (2, 4)),
            Block(4, 5, (3,)),
            Block(6, 10, (1,)),
            Block(11, 11, (5,)),
            Block(12, 12, (RETURNS,)),
        ),
    )
    helper = MethodCode(
        "app.Main",
        "helper",
        "(I)I",
        7,
        access=8,
        instructions=(
            Instruction(Op.CONST, 20, text="1"),
            Instruction(Op.MATH, 20, ((-1,), (0,)), text="iadd"),
            Instruction(Op.RETURN, 20, ((1,),)),
        ),
        blocks=(Block(0, 2, (RETURNS,)),),
    )
    return Code({"app.Main": ClassCode("app.Main", "Main.java", methods=(step, helper))})


def synthetic_words(wanted: int) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
    """About `wanted` words: calls of `step` on one object after the other, in events of many calls."""

    def word(kind: Word, payload: int) -> int:
        return (int(kind) << KIND_SHIFT) | payload

    this = word(Word.OBJECT, 0)
    body = [word(Word.BLOCK, 2), word(Word.BLOCK, 3), this, word(Word.BLOCK, 7), word(Word.BLOCK, 4), this]
    call = [word(Word.BLOCK, 1), this, word(Word.OBJECT, 1), *body * ROUNDS, word(Word.BLOCK, 2)]
    call += [word(Word.BLOCK, 5), word(Word.OBJECT, 1), this, word(Word.VALUE, 0)]
    call += [word(Word.BLOCK, 6), word(Word.NUMBER, 1)]
    one = np.array(call, np.uint32)
    count = wanted // len(call) + 1
    words = np.tile(one, (count, 1))
    numbers = (np.arange(count, dtype=np.uint32) % OBJECTS) + 2
    words[:, one == this] += numbers[:, None]
    events = np.arange(0, count, CALLS_PER_EVENT)
    marks = np.array([word(Word.EVENT, number) for number in range(len(events))], np.uint32)
    return np.insert(words.reshape(-1), events * len(call), marks)


def peak_mib() -> int:
    """The most memory that this process has had."""
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def main() -> int:
    """Prints the figures; the memory is that of the whole process, with the recording."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("millions", nargs="?", type=float, default=10)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    load = load_average()
    record = RunRecord(synthetic_words(int(options.millions * 1e6)), synthetic_code())
    before = peak_mib()
    began = time.process_time()
    slicer = Slicer(record)
    ready = time.process_time() - began
    criterion = slicer.criterion_at("Main.java", 12, of="total")
    began = time.process_time()
    found = slicer.slice(criterion)
    first = time.process_time() - began
    began = time.process_time()
    slicer.slice(slicer.criterion_at("Main.java", 12, of="total", event=1))
    second = time.process_time() - began
    values: dict[str, Cell] = {
        "words": len(record.words),
        "seconds_until_ready": round(ready, 2),
        "seconds_of_first_slice": round(first, 2),
        "seconds_of_another_slice": round(second, 2),
        "executions_in_slice": sum(line.count for line in found.lines),
        "peak_mib": peak_mib(),
        "mib_before": before,
    }
    for name, value in values.items():
        print(name, value)
    if options.write:
        save("slice_records", measured(this_machine(load=load), {}, values))
    return 0


if __name__ == "__main__":
    sys.exit(main())

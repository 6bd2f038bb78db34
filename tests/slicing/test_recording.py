"""Frames, words and throwers of recordings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from slicing.small_programs import calc, machine

from fewtaps.model.recorded_code import RETURNS, Block, ClassCode, Code, FieldName, Instruction, MethodCode, Op
from fewtaps.model.run_record import KIND_SHIFT, RunRecord, Word
from fewtaps.slicing.checking import SelfCheck, check_values
from fewtaps.slicing.code_tables import NO_INSTRUCTION
from fewtaps.slicing.flow import deciders
from fewtaps.slicing.recording import RunIndex
from fewtaps.slicing.slicer import Slicer
from fewtaps.slicing.soundness import broken_flow


def word(kind: Word, payload: int) -> int:
    return (int(kind) << KIND_SHIFT) | payload


def test_frames_nest_and_every_word_belongs_to_an_instruction() -> None:
    made, this = calc()
    made.call("MainActivity.heightDecrementClick", this, 0)
    index = RunIndex(made.record())
    assert [index.frame(each).method.code.name for each in range(len(index.frame_starts))] == [
        "<init>",
        "heightDecrementClick",
    ]
    assert index.framed.all()
    is_block = index.row_kind == Word.BLOCK
    assert (index.tables.word_instruction[index.row_word[~is_block]] != NO_INSTRUCTION).all()


def test_recursion_gives_a_frame_for_each_call() -> None:
    made = machine()
    made.method(
        "Main.down(left) static",
        """
        2 zero = const 0
        3 if ifeq left end
        4 one = const 1
        4 less = math isub left one
        4 deeper = call Main.down static less
        5 return deeper
        end:
        6 return zero
        """,
    )
    made.call("Main.down", 40)
    index = RunIndex(made.record())
    assert sorted(index.frame_depths.tolist()) == list(range(1, 42))
    deepest = index.open_frame(0, 41, len(index.words))
    assert deepest is not None and index.caller(deepest) is not None


def test_threads_have_frames_of_their_own() -> None:
    made = machine()
    made.method("Main.run() outside", "2 one = const 1\n2 putfield this value one\n3 return")
    record = made.record()
    this = made.thing("Main")
    made.call("Main.run", this)
    single = list(made.words)
    mixed = [single[0], single[1], word(Word.TURN, 1), *single, word(Word.TURN, 0), *single[2:]]
    index = RunIndex(replace(record, words=np.array(mixed, np.uint32), threads=("main", "worker")))
    assert index.frame_threads.tolist() == [0, 1]
    assert [len(index.frame(each).block_rows) for each in (0, 1)] == [1, 1]
    assert broken_flow(index) == 0


def test_a_class_initialiser_may_run_in_the_last_block_of_a_method() -> None:
    limit = FieldName("Limits", "limit", "I")
    reads = MethodCode(
        "Main",
        "read",
        "()I",
        1,
        8,
        instructions=(Instruction(Op.GET_STATIC, 3, field=limit), Instruction(Op.RETURN, 3, ((0,),))),
        blocks=(Block(0, 1, (RETURNS,)),),
    )
    sets = MethodCode(
        "Limits",
        "<clinit>",
        "()V",
        2,
        8,
        instructions=(
            Instruction(Op.CONST, 7, text="5"),
            Instruction(Op.PUT_STATIC, 7, ((0,),), field=limit),
            Instruction(Op.RETURN, 8),
        ),
        blocks=(Block(0, 2, (RETURNS,)),),
    )
    after = MethodCode(
        "Main", "after", "()V", 3, 8, instructions=(Instruction(Op.RETURN, 9),), blocks=(Block(0, 0, (RETURNS,)),)
    )
    code = Code(
        {
            "Main": ClassCode("Main", "Main.java", methods=(reads, after)),
            "Limits": ClassCode("Limits", "Main.java", methods=(sets,)),
        }
    )
    words = np.array([word(Word.BLOCK, each) for each in (1, 2, 3, 1, 3)], np.uint32)
    slicer = Slicer(RunRecord(words, code))
    assert slicer.index.frame_depths.tolist() == [1, 1, 1, 1, 2], "the initialiser runs inside, what follows does not"
    found = slicer.slice(slicer.criterion_at("Main.java", 3, execution=1))
    assert sorted(line.place.line for line in found.lines) == [3, 7]


def test_the_instruction_that_threw_is_known_exactly() -> None:
    made = machine()
    made.method(
        "Main.run(by) outside",
        """
        2 a = getfield this first
        2 b = getfield a second
        2 c = math iadd b by
        2 d = math idiv c by
        2 return
        """,
    )
    index = _failing(made, "Main.run", {"first": None}, 1)
    assert index.thrower(index.frame(0), 0) == 1, "the second base was null"
    index = _failing(made, "Main.run", {"first": made.thing("Main")}, 0)
    frame = index.frame(0)
    assert index.thrower(frame, int(frame.block_rows[-1])) == 3
    assert index.thrower(frame, int(frame.block_rows[0])) is None


def _failing(made: object, method: str, fields: dict[str, object], by: int) -> RunIndex:
    from slicing.assembler import Machine, Thrown

    assert isinstance(made, Machine)
    made.words.clear()
    this = made.thing("Main")
    this.fields.update(fields)  # type: ignore[arg-type]
    with pytest.raises(Thrown):
        made.call(method, this, by)
    return RunIndex(made.record())


def test_an_empty_recording_has_no_frames() -> None:
    made, _ = calc()
    index = RunIndex(replace(made.record(), words=np.zeros(0, np.uint32)))
    assert len(index.frame_starts) == 0
    assert index.frame_at(0, 0) is None


def _method(*blocks: Block) -> MethodCode:
    count = max(block.last for block in blocks) + 1
    instructions = [Instruction(Op.CONST)] * count
    for block in blocks:
        if len(block.successors) > 1:
            instructions[block.last] = Instruction(Op.BRANCH)
    return MethodCode("A", "m", "()V", 1, instructions=tuple(instructions), blocks=blocks)


def test_both_arms_of_a_condition_depend_on_it_and_what_follows_does_not() -> None:
    method = _method(Block(0, 0, (1, 2)), Block(1, 1, (3,)), Block(2, 2, (3,)), Block(3, 3, (RETURNS,)))
    assert deciders(method, {}) == {1: ((0, 0),), 2: ((0, 0),)}


def test_a_loop_decides_about_its_body_and_its_own_next_round() -> None:
    method = _method(Block(0, 0, (1,)), Block(1, 1, (2, 3)), Block(2, 2, (1,)), Block(3, 3, (RETURNS,)))
    assert deciders(method, {}) == {1: ((1, 1),), 2: ((1, 1),)}


def test_an_exceptional_edge_counts_where_it_was_taken() -> None:
    method = _method(Block(0, 0, (1,), (2,)), Block(1, 1, (RETURNS,)), Block(2, 2, (RETURNS,)))
    assert deciders(method, {}) == {}
    assert deciders(method, {0: frozenset({(2, 0)})}) == {1: ((0, 0),), 2: ((0, 0),)}


def test_an_endless_loop_has_deciders_too() -> None:
    method = _method(Block(0, 0, (1,)), Block(1, 1, (2, 3)), Block(2, 2, (1,)), Block(3, 3, (1,)))
    assert deciders(method, {})[2] == ((1, 1),)


def test_the_self_check_finds_a_read_that_shows_another_value_than_was_written() -> None:
    from fewtaps.model.run_record import SeenValue

    made, this = calc()
    made.call("MainActivity.heightDecrementClick", this, 0)
    slicer = Slicer(made.record())
    click = "heightDecrementClick(I)V"
    values = [
        SeenValue("MainActivity", "<init>()V", 4, "1"),
        SeenValue("MainActivity", click, 0, "1"),
        SeenValue("MainActivity", click, 3, "0"),
        SeenValue("MainActivity", click, 7, "0"),
    ]
    good = slicer.check(values)
    assert (good.reads, good.wrong, good.broken_flow, good.mistakes) == (2, (), 0, 0)
    values[3] = SeenValue("MainActivity", click, 7, "5")
    bad = check_values(slicer.dependences, values)
    assert (bad.reads, sum(each.count for each in bad.wrong)) == (2, 1)
    (wrong,) = bad.wrong
    assert (wrong.read, wrong.written, wrong.count) == ("MainActivity.java:28", "MainActivity.java:26", 1)


def test_a_step_that_the_flow_graph_does_not_have_is_a_mistake_of_the_self_check() -> None:
    assert SelfCheck(reads=2, broken_flow=3).mistakes == 3

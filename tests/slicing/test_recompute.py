"""Values computed anew from the instructions of a slice are the recorded ones, and differ if the slice lacks one."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slicing.assembler import Machine
from slicing.small_programs import calc, crash_in, machine
from slicing.test_slice_properties import LAST, Statement, run, statements_of_events

from fewtaps.model.recorded_code import Op
from fewtaps.model.run_record import SeenValue
from fewtaps.slicing.arithmetic import NoResult, Number, calculated, compared, converted, jumps
from fewtaps.slicing.criteria import Criterion
from fewtaps.slicing.recompute import recompute
from fewtaps.slicing.recorded_values import NULL, ObjectValue, StringText, same_value, value_of
from fewtaps.slicing.slicer import Slicer


def crashed_calc() -> tuple[Machine, Slicer, Criterion]:
    made, this = calc()
    made.event(1)
    made.call("MainActivity.heightDecrementClick", this, 0)
    made.event(2)
    crash = crash_in(made, "MainActivity.compressImageClick", this, 0, line=32)
    slicer = Slicer(made.record())
    return made, slicer, slicer.criterion_of_crash(crash)


def test_the_divisor_of_the_papers_example_follows_from_its_slice() -> None:
    made, slicer, criterion = crashed_calc()
    found = slicer.recompute(criterion, made.seen)
    assert (found.wrong, found.missing, found.given) == ((), (), 0)
    assert found.criterion == 1
    # The two constants, the difference, both writes of `height` and both reads.
    assert found.values == 7


@pytest.mark.parametrize(("op", "line", "is_missing"), [(Op.PUT_FIELD, 26, False), (Op.CONST, 26, True)])
def test_a_slice_without_an_instruction_that_matters_is_found_out(op: Op, line: int, is_missing: bool) -> None:
    made, slicer, criterion = crashed_calc()
    graph = slicer.dependence_graph(criterion, full=False)
    for node in list(graph.visits):
        code = slicer.index.frame_of(node.row).method.code.instructions[node.instruction]
        if (code.op, code.line) == (op, line):
            del graph.visits[node]
    found = recompute(slicer.dependences, graph, made.seen)
    assert bool(found.missing) == is_missing
    if op is Op.PUT_FIELD:
        # Without the store the divisor is still 1, as the constructor left it.
        assert [(each.computed, each.recorded) for each in found.wrong] == [("1", "0")]


def test_a_value_that_the_replay_saw_otherwise_is_wrong() -> None:
    made, slicer, criterion = crashed_calc()
    seen = [replace(each, text="7") if each.text == "0" else each for each in made.seen]
    wrong = slicer.recompute(criterion, seen).wrong
    assert wrong and all((each.computed, each.recorded) == ("0", "7") for each in wrong)


def test_results_of_calls_without_code_are_taken_from_the_recording() -> None:
    made = machine()
    made.method(
        "Main.run(n) outside",
        """
        2 list = new java.util.ArrayList
        2 beyond java.util.ArrayList.<init>:()V list
        3 zero = const 0
        3 added = beyond java.util.List.add:(Ljava/lang/Object;)Z list zero
        4 size = beyond java.util.List.size:()I list
        4 one = const 1
        4 by = math isub size one
        5 share = math idiv one by
        6 return
        """,
    )
    crash = crash_in(made, "Main.run", made.thing("Main"), 1, line=5)
    slicer = Slicer(made.record())
    found = slicer.recompute(slicer.criterion_of_crash(crash), made.seen)
    assert (found.wrong, found.missing) == ((), ())
    assert found.given >= 1


@pytest.mark.slow
def test_a_loop_of_many_rounds_is_computed_without_deep_recursion() -> None:
    made = machine()
    made.method(
        "Main.spin(rounds) outside",
        """
        2 store left rounds
        loop:
        3 now = load left
        3 if ifeq now end
        4 inc left -1
        4 goto loop
        end:
        5 one = const 1
        5 zero = load left
        5 share = math idiv one zero
        6 return
        """,
    )
    crash = crash_in(made, "Main.spin", made.thing("Main"), 3000, line=5)
    slicer = Slicer(made.record())
    found = slicer.recompute(slicer.criterion_of_crash(crash), made.seen)
    assert (found.wrong, found.missing) == ((), ())
    assert found.values > 3000


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(statements_of_events)
def test_the_last_value_of_every_program_follows_from_its_slice(program: list[list[Statement]]) -> None:
    made = run(program)
    slicer = Slicer(made.record())
    found = slicer.recompute(slicer.criterion_at("Main.java", LAST), made.seen)
    assert (found.wrong, found.missing) == ((), ())
    assert found.values


@pytest.mark.parametrize(
    ("op", "values", "result"),
    [
        ("iadd", [2**31 - 1, 1], -(2**31)),
        ("imul", [65536, 65536], 0),
        ("ladd", [2**63 - 1, 1], -(2**63)),
        ("idiv", [-7, 2], -3),
        ("irem", [-7, 2], -1),
        ("idiv", [-(2**31), -1], -(2**31)),
        ("ishl", [1, 33], 2),
        ("ishr", [-8, 1], -4),
        ("iushr", [-1, 28], 15),
        ("lushr", [-1, 60], 15),
        ("ineg", [-(2**31)], -(2**31)),
        ("ixor", [6, 3], 5),
        ("fadd", [0.1, 0.2], 0.30000001192092896),
        ("ddiv", [1.0, 0.0], math.inf),
        ("ddiv", [-1.0, 0.0], -math.inf),
        ("drem", [5.5, 2.0], 1.5),
        ("fmul", [3e38, 10.0], math.inf),
    ],
)
def test_calculations_are_the_jvms(op: str, values: list[Number], result: Number) -> None:
    assert calculated(op, values) == result


def test_a_division_by_zero_has_no_result() -> None:
    with pytest.raises(NoResult):
        calculated("idiv", [1, 0])
    assert math.isnan(calculated("ddiv", [0.0, 0.0]))


@pytest.mark.parametrize(
    ("op", "value", "result"),
    [
        ("i2b", 200, -56),
        ("i2c", -1, 65535),
        ("i2s", 40000, -25536),
        ("l2i", 2**32 + 5, 5),
        ("d2i", 1e10, 2**31 - 1),
        ("d2i", -2.9, -2),
        ("d2l", math.nan, 0),
        ("f2l", -math.inf, -(2**63)),
        ("d2f", 0.1, 0.10000000149011612),
        ("i2d", 3, 3.0),
    ],
)
def test_conversions_are_the_jvms(op: str, value: Number, result: Number) -> None:
    assert converted(op, value) == result


def test_comparisons_are_the_jvms() -> None:
    assert [compared("lcmp", 1, 2), compared("dcmpl", 2.0, 1.0), compared("fcmpg", 1.0, 1.0)] == [-1, 1, 0]
    assert [compared("dcmpl", math.nan, 1.0), compared("dcmpg", math.nan, 1.0)] == [-1, 1]
    assert jumps("if_icmplt", 1, 2) and not jumps("ifge", -1, 0) and jumps("if_acmpne", 7, 8)


@given(st.integers(-(2**31), 2**31 - 1), st.integers(-(2**31), 2**31 - 1).filter(bool))
def test_quotient_and_remainder_make_the_number_again(left: int, right: int) -> None:
    quotient, rest = calculated("idiv", [left, right]), calculated("irem", [left, right])
    assert calculated("iadd", [calculated("imul", [quotient, right]), rest]) == left


@pytest.mark.parametrize(
    ("text", "identity", "value"),
    [
        ("true", 0, 1),
        ("'x'", 0, 120),
        ("-5", 0, -5),
        ("2.5", 0, 2.5),
        ("NaN", 0, None),
        ("null", 0, NULL),
        ('"ab"', 4, ObjectValue(4, StringText("ab"))),
        ('"ab…"', 4, ObjectValue(4, StringText("ab", is_cut=True))),
        ("?", 0, None),
        ("Bill", 9, ObjectValue(9, "Bill")),
    ],
)
def test_values_of_a_replay_are_read(text: str, identity: int, value: object) -> None:
    found = value_of(SeenValue("A", "b()V", 0, text, identity))
    if text == "NaN":
        assert isinstance(found, float) and math.isnan(found)
    else:
        assert found == value


def test_texts_are_the_same_by_their_characters_and_objects_by_their_numbers() -> None:
    assert same_value(ObjectValue(None, StringText("ab")), ObjectValue(5, StringText("ab")))
    assert not same_value(ObjectValue(None, StringText("ab")), ObjectValue(5, StringText("ac")))
    assert same_value(ObjectValue(None, StringText("abcd")), ObjectValue(5, StringText("ab", is_cut=True)))
    assert not same_value(ObjectValue(None, StringText("acd")), ObjectValue(5, StringText("ab", is_cut=True)))
    assert not same_value(ObjectValue(4), ObjectValue(5))
    assert not same_value(0, NULL)

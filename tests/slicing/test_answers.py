"""What a slice answers first: the value in error, its way, and expressions without the compiler's own names."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from slicing.assembler import Machine, Thing, Thrown, Value
from slicing.small_programs import crash_in, lines, machine

from fewtaps.model.crash import Crash, CrashKind, ExceptionInfo, Frame
from fewtaps.model.recorded_code import RETURNS, Block, Called, ClassCode, Code, FieldName, Instruction, MethodCode, Op
from fewtaps.model.run_record import KIND_SHIFT, RunRecord, Word
from fewtaps.model.seen_values import text_of_value
from fewtaps.slicing.code_tables import CodeTables
from fewtaps.slicing.expressions import expression
from fewtaps.slicing.slicer import Slicer

NULL_TEXT = "Attempt to invoke interface method 'int java.lang.CharSequence.length()' on a null object reference"


def failing(kind: str) -> object:
    """A call of the platform that throws."""

    def fail(machine: Machine, values: list[Value]) -> Value:
        raise Thrown(machine.thing(kind))

    return fail


def with_message(crash: Crash, message: str) -> Crash:
    return replace(crash, exceptions=(replace(crash.exceptions[0], message=message),))


def show(made: Machine) -> tuple[Crash, Thing]:
    """A widget is shown with a title and a text; the text was never written."""
    made.beyond |= {
        "app.Widgets.find": lambda machine, values: machine.thing("Widget"),
        "app.Titles.next": lambda machine, values: machine.thing("Title"),
        "app.Texts.latest": lambda machine, values: None,
        "org.lib.Widget.show": failing("java.lang.NullPointerException"),  # type: ignore[dict-item]
    }
    made.method(
        "Main.run() outside",
        """
        3 found = beyond app.Widgets.find:()Ljava/lang/Object;
        3 putfield this widget found
        4 title = beyond app.Titles.next:()Ljava/lang/Object;
        5 text = beyond app.Texts.latest:()Ljava/lang/Object;
        5 store words text
        6 again = getfield this widget
        6 shown = load words
        6 beyond org.lib.Widget.show:(Ljava/lang/Object;Ljava/lang/CharSequence;)V again title shown
        6 return
        """,
    )
    this = made.thing("Main")
    return crash_in(made, "Main.run", this, line=6), this


def test_the_null_of_which_the_message_tells_is_the_value_in_error() -> None:
    made = machine()
    crash, _ = show(made)
    slicer = Slicer(made.record())
    found = slicer.slice(slicer.criterion_of_crash(with_message(crash, NULL_TEXT)))
    assert found.criterion.endswith("the null that show() was given: words")
    assert lines(found) == [5, 6]
    assert found.life[0].sentence == "Texts.latest(): it returned null"


def test_a_null_of_another_class_leaves_all_operands_in_error() -> None:
    made = machine()
    crash, _ = show(made)
    slicer = Slicer(made.record())
    message = NULL_TEXT.replace("java.lang.CharSequence", "org.lib.Font")
    found = slicer.slice(slicer.criterion_of_crash(with_message(crash, message)))
    assert found.criterion.endswith("what show() was called on and with")
    assert lines(found) == [3, 4, 5, 6]


def test_a_constant_that_the_message_happens_to_have_is_not_where_the_value_came_from() -> None:
    made = machine()
    made.beyond |= {
        "app.Rows.query": lambda machine, values: machine.thing("Cursor"),
        "android.database.Cursor.isNull": failing("android.database.CursorIndexOutOfBoundsException"),  # type: ignore[dict-item]
    }
    made.method(
        "Main.run() outside",
        """
        3 found = beyond app.Rows.query:()Ljava/lang/Object;
        3 putfield this cursor found
        4 again = getfield this cursor
        4 column = const 0
        4 beyond android.database.Cursor.isNull:(I)Z again column
        4 return
        """,
    )
    crash = crash_in(made, "Main.run", made.thing("Main"), line=4)
    slicer = Slicer(made.record())
    message = "Index 0 requested, with a size of 0"
    found = slicer.slice(slicer.criterion_of_crash(with_message(crash, message)))
    assert [each.station for each in found.life] == ["made", "stored", "read", "fatal"]
    assert found.life[0].sentence == "Rows.query()"


def test_what_a_component_was_told_says_nothing_about_another_of_its_methods() -> None:
    made = machine()
    made.beyond |= {
        "android.app.Activity.setProgressBarVisibility": lambda machine, values: None,
        "android.app.Activity.getChangingConfigurations": lambda machine, values: 0,
    }
    made.method(
        "Main.run() outside",
        """
        3 four = const 4
        3 beyond android.app.Activity.setProgressBarVisibility:(I)V this four
        4 many = beyond android.app.Activity.getChangingConfigurations:()I this
        4 share = math idiv four many
        4 return
        """,
    )
    crash = crash_in(made, "Main.run", made.thing("Main"), line=4)
    slicer = Slicer(made.record())
    found = slicer.slice(slicer.criterion_of_crash(crash))
    assert lines(found) == [4] and found.guesses == ()


def test_an_entry_that_was_never_put_leads_to_the_making_of_its_container_and_no_further() -> None:
    made = machine()
    made.beyond |= {
        "android.content.Context.getSharedPreferences": lambda machine, values: machine.thing("Preferences"),
        "android.content.SharedPreferences.getInt": lambda machine, values: 0,
    }
    made.method(
        "Main.run() outside",
        """
        3 file = const settings
        3 none = const 0
        3 kept = beyond android.content.Context.getSharedPreferences:(Ljava/lang/String;I)Landroid/Prefs; this file none
        4 key = const people
        4 many = beyond android.content.SharedPreferences.getInt:(Ljava/lang/String;)I kept key
        5 share = math idiv none many
        5 return
        """,
    )
    crash = crash_in(made, "Main.run", made.thing("Main"), line=5)
    slicer = Slicer(made.record())
    found = slicer.slice(slicer.criterion_of_crash(crash))
    first = found.life[0]
    assert (first.station, first.place.line) == ("made", 3)
    assert first.sentence.endswith('getSharedPreferences("settings", 0): nothing was put under "people"')


def test_a_case_that_a_switch_did_not_choose_left_nothing_out_that_the_chosen_one_could_have_written() -> None:
    run = MethodCode(
        "app.Main",
        "run",
        "(II)V",
        1,
        outside=True,
        instructions=(
            Instruction(Op.SWITCH, 3, ((-2,),)),
            Instruction(Op.BRANCH, 4, ((-3,),), text="ifeq"),
            Instruction(Op.CONST, 5, text="7"),
            Instruction(Op.STORE, 5, ((2,),), local=5, name="order"),
            Instruction(Op.BRANCH, 6, ((-3,),), text="ifeq"),
            Instruction(Op.CONST, 7, text="8"),
            Instruction(Op.STORE, 7, ((5,),), local=5, name="order"),
            Instruction(Op.CONST, 9, text="100"),
            Instruction(Op.LOAD, 9, ((-3, 3, 6),), local=5, name="order"),
            Instruction(Op.MATH, 9, ((7,), (8,)), text="idiv"),
            Instruction(Op.RETURN, 9),
        ),
        blocks=(
            Block(0, 0, (1, 3)),
            Block(1, 1, (2, 5)),
            Block(2, 3, (5,)),
            Block(4, 4, (4, 5)),
            Block(5, 6, (5,)),
            Block(7, 10, (RETURNS,)),
        ),
    )
    words = [
        (Word.BLOCK, 1), (Word.OBJECT, 1), (Word.NUMBER, 0), (Word.NUMBER, 0),
        (Word.BLOCK, 2), (Word.BLOCK, 6), (Word.UNWOUND, 2),
    ]  # fmt: skip
    record = RunRecord(
        np.array([(int(kind) << KIND_SHIFT) | payload for kind, payload in words], np.uint32),
        Code({"app.Main": ClassCode("app.Main", "Main.java", methods=(run,))}),
    )
    frames = (Frame("app.Main", "run", "Main.java", 9),)
    crash = Crash(CrashKind.EXCEPTION, "main", (ExceptionInfo("java.lang.ArithmeticException", None, frames),))
    slicer = Slicer(record)
    found = slicer.slice(slicer.criterion_of_crash(crash))
    assert [each.place.line for each in found.omissions] == [5]


LOOP = """
    3 zero = const 0
    3 store sum zero
    3 store i zero
    top:
    4 at = load i
    4 many = const 50
    4 if ifge at many end
    5 old = load sum
    5 one = const 1
    5 none = math isub one one
    5 new = math iadd old none
    5 store sum new
    6 inc i 1
    6 goto top
    end:
    7 hundred = const 100
    7 total = load sum
    7 share = math idiv hundred total
    7 return
"""


def test_of_a_loop_with_too_many_executions_the_nearest_are_followed_and_a_note_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = machine()
    made.method("Main.run() outside", LOOP)
    crash = crash_in(made, "Main.run", made.thing("Main"), line=7)
    whole = Slicer(made.record())
    full = whole.slice(whole.criterion_of_crash(crash))
    assert lines(full) == [3, 4, 5, 6, 7] and full.notes == ()

    monkeypatch.setattr("fewtaps.slicing.graph.MOST_EXECUTIONS", 40)
    limited = Slicer(made.record())
    cut = limited.slice(limited.criterion_of_crash(crash))
    assert {4, 5, 6, 7} <= set(lines(cut))
    assert sum(line.count for line in cut.lines) < sum(line.count for line in full.lines)
    assert len(cut.notes) == 1 and "lines can be missing" in cut.notes[0]


def test_a_copy_of_this_that_branches_made_is_shown_as_this() -> None:
    instructions = (
        Instruction(Op.LOAD, 1, ((-1,),), local=0, name="this"),
        Instruction(Op.STORE, 0, ((0,),), local=3),
        Instruction(Op.LOAD, 2, ((-1,),), local=0, name="this"),
        Instruction(Op.STORE, 0, ((2,),), local=3),
        Instruction(Op.LOAD, 3, ((1, 3),), local=3),
        Instruction(Op.GET_FIELD, 3, ((4,),), "o", field=FieldName("app.Main", "title", "I")),
        Instruction(Op.RETURN, 3, ((5,),)),
    )
    method = MethodCode("app.Main", "run", "()I", 0, instructions=instructions, blocks=(Block(0, 6, (RETURNS,)),))
    table = CodeTables(Code({"app.Main": ClassCode("app.Main", "Main.java", methods=(method,))})).methods[0]
    assert expression(table, 6) == "return title"


def test_a_call_of_an_accessor_that_the_compiler_made_is_shown_as_the_access() -> None:
    title = FieldName("app.Main", "title", "I")
    accessor = MethodCode(
        "app.Main",
        "access$0",
        "(Lapp/Main;)I",
        0,
        access=8,
        instructions=(
            Instruction(Op.LOAD, 1, ((-1,),), local=0),
            Instruction(Op.GET_FIELD, 1, ((0,),), "o", field=title),
            Instruction(Op.RETURN, 1, ((1,),)),
        ),
        blocks=(Block(0, 2, (RETURNS,)),),
    )
    outer = FieldName("app.Main$1", "this$0", "Lapp/Main;")
    called = Called("static", "app.Main", "access$0", "(Lapp/Main;)I", beyond=False)
    click = MethodCode(
        "app.Main$1",
        "onClick",
        "()I",
        10,
        instructions=(
            Instruction(Op.LOAD, 7, ((-1,),), local=0, name="this"),
            Instruction(Op.GET_FIELD, 7, ((0,),), "o", field=outer),
            Instruction(Op.CALL, 7, ((1,),), called=called),
            Instruction(Op.RETURN, 7, ((2,),)),
        ),
        blocks=(Block(0, 2, (1,)), Block(3, 3, (RETURNS,))),
    )
    classes = {each.class_name: ClassCode(each.class_name, "Main.java", methods=(each,)) for each in (accessor, click)}
    table = CodeTables(Code(classes)).methods[1]
    assert expression(table, 3) == "return title"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("@java.util.ArrayList", "ArrayList"),
        ("@[Ljava.lang.String;", "String[]"),
        ("@[[I", "int[][]"),
        ("@[Lapp.Main$Row;", "Main$Row[]"),
    ],
)
def test_the_class_of_an_array_is_written_as_in_java(value: str, text: str) -> None:
    assert text_of_value(value) == text

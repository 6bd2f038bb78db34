"""Slices of small programs whose right answers are known."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from slicing.assembler import Machine, Thing, Thrown
from slicing.small_programs import calc, crash_in, lines, machine

from fewtaps.errors import CriterionError, NothingToSlice, UsageError
from fewtaps.model.crash import Crash, CrashKind
from fewtaps.model.run_record import Word
from fewtaps.model.slice import DependenceKind, EventEdge, EventEdgeKind
from fewtaps.slicing.slicer import Slicer
from fewtaps.slicing.summaries import Summaries

DIVIDE = """
    9 hundred = const 100
    9 by = getfield this value
    9 share = math idiv hundred by
    9 return
"""


def test_the_papers_example_as_the_paper_slices_it_and_as_we_do() -> None:
    made, this = calc()
    for step, name in ((1, "widthDecrementClick"), (2, "heightDecrementClick")):
        made.event(step)
        made.call(f"MainActivity.{name}", this, 0)
    made.event(3)
    crash = crash_in(made, "MainActivity.compressImageClick", this, 0, line=32)
    slicer = Slicer(made.record())
    criterion = slicer.criterion_of_crash(crash)

    as_paper = slicer.slice(criterion, as_paper=True)
    assert lines(as_paper) == [10, 11, 20, 21, 22, 26, 27, 28, 32]
    assert as_paper.steps == (0, 1, 2, 3)

    both = slicer.slice(replace(criterion, operands=(0, 1)))
    assert lines(both) == [10, 11, 20, 26, 32]
    assert {(each.source, each.target, each.what) for each in both.event_edges} == {
        (3, 1, "width"),
        (3, 2, "height"),
        (1, 0, "width"),
        (2, 0, "height"),
    }

    ours = slicer.slice(criterion)
    assert [line.place.line for line in ours.lines] == [32, 26, 11]
    assert ours.steps == (0, 2, 3)
    assert ours.lines[1].expression == "height = height - 1"
    assert ours.lines[1].reason == "writes height, read at MainActivity.java:32 in step 3"
    assert [each.station for each in ours.life] == ["made", "read", "stored", "read", "fatal"]


def test_the_papers_example_reduced() -> None:
    made, this = calc()
    made.event(1)
    made.call("MainActivity.heightDecrementClick", this, 0)
    made.event(2)
    crash = crash_in(made, "MainActivity.compressImageClick", this, 0, line=32)
    slicer = Slicer(made.record())
    criterion = slicer.criterion_of_crash(crash)
    assert lines(slicer.slice(criterion, as_paper=True)) == [10, 11, 26, 27, 28, 32]
    assert lines(slicer.slice(replace(criterion, operands=(0, 1)))) == [10, 11, 26, 32]
    assert lines(slicer.slice(criterion)) == [11, 26, 32]
    assert lines(slicer.slice(criterion, thin=True)) == [11, 26, 32]


def test_the_log_has_every_instruction_with_its_step_its_callback_and_its_line() -> None:
    made, this = calc()
    made.event(1)
    crash_in_another_step = made.call("MainActivity.heightDecrementClick", this, 0)
    assert crash_in_another_step is None
    log = list(Slicer(made.record()).log_lines())
    assert log[-1].split(" ", 1)[1] == "E1 ID2 29 MainActivity.heightDecrementClick return;"
    assert sum(" 26 " in line for line in log) == 4


def test_figure_4_one_event_reads_what_another_wrote() -> None:
    made = machine()
    made.method("Act1.onClick1() outside", "3 one = const 1\n3 putfield this o1 one\n3 return")
    made.method(
        "Act1.onClick2() outside",
        "5 read = getfield this o1\n5 two = const 2\n5 sum = math iadd read two\n5 putfield this o2 sum\n5 return",
    )
    this = made.thing("Act1")
    made.event(1)
    made.call("Act1.onClick1", this)
    made.event(2)
    made.call("Act1.onClick2", this)
    slicer = Slicer(made.record())
    found = slicer.slice(slicer.criterion_at("Main.java", 5))
    assert lines(found) == [3, 5]
    assert found.event_edges == (EventEdge(2, 1, EventEdgeKind.DATA, "o1"),)


def test_figure_5_a_condition_decides_whether_the_next_line_runs() -> None:
    made = machine()
    made.method(
        "Act.run(condition) outside",
        """
        1 if ifeq condition end
        2 what = const hello
        2 beyond android.util.Log.d:(Ljava/lang/String;)I what
        end:
        3 return
        """,
    )
    made.call("Act.run", made.thing("Act"), 1)
    slicer = Slicer(made.record())
    found = slicer.slice(slicer.criterion_at("Main.java", 2))
    assert lines(found) == [1, 2]
    assert found.lines[1].kind is DependenceKind.CONTROL


ACT = """
    10 none = const 0
    10 putfield this value none
    11 call Act8.divide this
    12 return
"""


def started_activity(*, overrides_pause: bool) -> tuple[Machine, Crash]:
    """Figure 5, lines 3 to 15: step 1 starts an activity; onCreate, in step 2, waits for the other one's onPause."""

    def start(machine: object, values: object) -> None:
        made.word(Word.HAND, 5)

    made = machine()
    made.beyond["android.app.Activity.startActivity"] = start
    made.method(
        "Act7.go() outside",
        """
        3 intent = new android.content.Intent
        4 beyond android.app.Activity.startActivity:(Landroid/content/Intent;)V this intent
        5 return
        """,
    )
    made.method("Act7.onPause() outside", "7 return")
    made.method("Act8.onCreate() outside", ACT)
    made.method("Act8.divide()", DIVIDE)
    act7, act8 = made.thing("Act7"), made.thing("Act8")
    made.event(1)
    made.call("Act7.go", act7)
    made.event(2)
    if overrides_pause:
        made.call("Act7.onPause", act7)
    made.word(Word.TASK, 5)
    return made, crash_in(made, "Act8.onCreate", act8, line=9, at="Act8.divide")


def test_figure_5_an_activity_depends_on_the_step_that_started_it() -> None:
    made, crash = started_activity(overrides_pause=False)
    slicer = Slicer(made.record())
    found = slicer.slice(slicer.criterion_of_crash(crash))
    assert lines(found) == [3, 4, 9, 10, 11]
    assert found.event_edges == (EventEdge(2, 1, EventEdgeKind.CONTROL, "startActivity()"),)


def test_figure_5_on_create_waits_for_the_other_ones_on_pause() -> None:
    made, crash = started_activity(overrides_pause=True)
    slicer = Slicer(made.record())
    found = slicer.slice(slicer.criterion_of_crash(crash))
    assert lines(found) == [3, 4, 7, 9, 10, 11]
    assert found.event_edges == (
        EventEdge(2, 2, EventEdgeKind.LIFECYCLE, "Act7.onPause before Act8.onCreate"),
        EventEdge(2, 1, EventEdgeKind.CONTROL, "startActivity()"),
    )
    (line,) = (each for each in found.lines if each.place.line == 7)
    assert line.kind is DependenceKind.LIFECYCLE


def test_figure_5_as_the_paper_slices_it_has_the_last_statements_of_what_starts_a_callback() -> None:
    made = machine()

    def start(machine: object, values: object) -> None:
        made.word(Word.HAND, 5)

    made.beyond["android.app.Activity.startActivity"] = start
    made.method(
        "Act3.onCreate() outside",
        """
        5 intent = new android.content.Intent
        6 beyond android.app.Activity.startActivity:(Landroid/content/Intent;)V this intent
        6 return
        """,
    )
    made.method("Act3.onPause() outside", "8 one = const 1\n8 putfield this paused one\n8 return")
    made.method("Act4.onCreate() outside", ACT.replace("Act8", "Act4"))
    made.method("Act4.divide()", DIVIDE)
    act3, act4 = made.thing("Act3"), made.thing("Act4")
    made.event(1)
    made.call("Act3.onCreate", act3)
    made.event(2)
    made.call("Act3.onPause", act3)
    made.word(Word.TASK, 5)
    crash = crash_in(made, "Act4.onCreate", act4, line=9, at="Act4.divide")
    slicer = Slicer(made.record())
    found = slicer.slice(slicer.criterion_of_crash(crash), as_paper=True)
    assert {6, 8, 9} <= set(lines(found))
    assert {(each.kind, each.source, each.target) for each in found.event_edges} == {(EventEdgeKind.CONTROL, 2, 1)}


def test_an_overwritten_value_is_out() -> None:
    made = machine()
    made.method(
        "Main.run() outside",
        """
        5 four = const 4
        5 putfield this value four
        6 none = const 0
        6 putfield this value none
        7 call Main.divide this
        8 return
        """,
    )
    made.method("Main.divide()", DIVIDE)
    crash = crash_in(made, "Main.run", made.thing("Main"), line=9, at="Main.divide")
    slicer = Slicer(made.record())
    criterion = slicer.criterion_of_crash(crash)
    assert lines(slicer.slice(criterion)) == [6, 7, 9]
    assert lines(slicer.slice(criterion, thin=True)) == [6, 9]


def test_the_same_field_of_another_object_is_out_and_told_as_an_omission() -> None:
    made = machine()
    made.method("Main.fill() outside", "4 four = const 4\n4 putfield this value four\n4 return")
    made.method(
        "Main.run() outside",
        """
        5 fresh = new Main
        5 store box fresh
        6 it = load box
        6 hundred = const 100
        6 by = getfield it value
        6 share = math idiv hundred by
        6 return
        """,
    )
    made.event(1)
    made.call("Main.fill", made.thing("Main"))
    made.event(2)
    crash = crash_in(made, "Main.run", made.thing("Main"), line=6)
    slicer = Slicer(made.record())
    found = slicer.slice(slicer.criterion_of_crash(crash))
    assert lines(found) == [5, 6]
    assert [(each.place.line, each.sentence.partition(",")[0]) for each in found.omissions] == [
        (4, "value was written in step 1")
    ]
    assert found.life[0].sentence.endswith("nothing was written to value since step 2")


def test_a_write_that_came_too_late_is_told() -> None:
    made = machine()
    made.method("Main.fill() outside", "4 four = const 4\n4 putfield this value four\n4 return")
    made.method("Main.read() outside", "5 seen = getfield this value\n5 putfield this copy seen\n5 return")
    this = made.thing("Main")
    made.call("Main.read", this)
    made.event(1)
    made.call("Main.fill", this)
    slicer = Slicer(made.record())
    found = slicer.slice(slicer.criterion_at("Main.java", 5))
    assert [(each.place.line, "too late" in each.sentence) for each in found.omissions] == [(4, True)]


def test_a_branch_that_was_not_taken_is_told() -> None:
    made = machine()
    made.method(
        "Main.run(ready) outside",
        """
        3 none = const 0
        3 store by none
        4 if ifeq ready go
        5 four = const 4
        5 store by four
        go:
        6 hundred = const 100
        6 it = load by
        6 share = math idiv hundred it
        6 return
        """,
    )
    crash = crash_in(made, "Main.run", made.thing("Main"), 0, line=6)
    slicer = Slicer(made.record())
    criterion = slicer.criterion_of_crash(crash)
    found = slicer.slice(criterion)
    assert lines(found) == [3, 6], "the condition did not decide about the write that counts"
    (omission,) = found.omissions
    assert omission.place.line == 5
    assert "but argument 1 == 0 held at Main.java:4 and decided against it at launch" in omission.sentence
    assert slicer.why(criterion, "Main.java", 5) == (
        "Main.java:5 did not run",
        "argument 1 == 0 held at Main.java:4 and decided against it at launch",
    )


def test_a_write_that_a_caught_exception_left_out_is_told() -> None:
    made = machine()
    made.method(
        "Main.run(parts) outside",
        """
        3 none = const 0
        3 store by none
        4 four = const 4
        begin:
        4 part = math idiv four parts
        end:
        4 store by part
        4 goto on
        caught:
        5 e = caught
        5 putfield this error e
        on:
        6 hundred = const 100
        6 it = load by
        6 share = math idiv hundred it
        6 return
        catch begin end caught
        """,
    )
    crash = crash_in(made, "Main.run", made.thing("Main"), 0, line=6)
    slicer = Slicer(made.record())
    found = slicer.slice(slicer.criterion_of_crash(crash))
    assert lines(found) == [3, 6]
    (omission,) = found.omissions
    assert omission.place.line == 4
    assert "but 4 / argument 1 failed at Main.java:4 and decided against it at launch" in omission.sentence


def test_a_name_that_several_values_of_a_line_have_is_answered_with_them() -> None:
    made = machine()
    made.method(
        "Main.run() outside",
        """
        2 first = new Main
        2 store left first
        3 second = new Main
        3 store right second
        4 a = load left
        4 one = getfield a size
        4 b = load right
        4 two = getfield b size
        4 sum = math iadd one two
        4 putfield this sum sum
        4 return
        """,
    )
    made.call("Main.run", made.thing("Main"))
    slicer = Slicer(made.record())
    with pytest.raises(
        CriterionError, match=r"^size could be left\.size or right\.size: write one of them after --of$"
    ):
        slicer.criterion_at("Main.java", 4, of="size")
    assert lines(slicer.slice(slicer.criterion_at("Main.java", 4, of="left.size"))) == [2, 4]
    assert lines(slicer.slice(slicer.criterion_at("Main.java", 4, of="right.size"))) == [3, 4]


@pytest.mark.parametrize(
    ("jump", "value", "held"),
    [
        *(("ifeq", 0, "n == 0"), ("ifeq", 1, "n != 0"), ("ifgt", 1, "n > 0"), ("ifgt", 0, "n <= 0")),
        *(("ifle", -1, "n <= 0"), ("ifle", 2, "n > 0")),
    ],
)
def test_a_condition_is_shown_as_it_held_whichever_way_it_was_compiled(jump: str, value: int, held: str) -> None:
    made = machine()
    made.method(
        "Main.run(given) outside",
        f"""
        2 store n given
        3 now = load n
        3 if {jump} now other
        4 one = const 1
        4 zero = const 0
        4 share = math idiv one zero
        4 return
        other:
        5 two = const 2
        5 nil = const 0
        5 rest = math idiv two nil
        5 return
        """,
    )
    jumps = {"ifeq": value == 0, "ifgt": value > 0, "ifle": value <= 0}[jump]
    crash = crash_in(made, "Main.run", made.thing("Main"), value, line=5 if jumps else 4)
    slicer = Slicer(made.record())
    found = slicer.slice(slicer.criterion_of_crash(crash))
    (condition,) = (line for line in found.lines if line.kind is DependenceKind.CONTROL)
    assert condition.expression == f"if ({held})"


@pytest.mark.slow
def test_a_loop_of_many_rounds_is_told_once_with_the_count() -> None:
    made = machine()
    made.method(
        "Main.run(rounds) outside",
        """
        3 store left rounds
        loop:
        4 now = load left
        4 if ifle now end
        5 inc left -1
        5 goto loop
        end:
        6 hundred = const 100
        6 by = load left
        6 share = math idiv hundred by
        6 return
        """,
    )
    crash = crash_in(made, "Main.run", made.thing("Main"), 2000, line=6)
    slicer = Slicer(made.record())
    found = slicer.slice(slicer.criterion_of_crash(crash))
    assert lines(found) == [3, 4, 5, 6]
    assert {line.place.line: line.count for line in found.lines}[5] == 2000


def test_three_calls_of_one_helper_are_kept_apart() -> None:
    made = machine()
    made.method("Main.same(value) static", "9 return value")
    made.method(
        "Main.run() outside",
        """
        3 four = const 4
        3 a = call Main.same static four
        3 store a a
        4 none = const 0
        4 b = call Main.same static none
        4 store b b
        5 five = const 5
        5 c = call Main.same static five
        6 by = load b
        6 share = math idiv four by
        6 return
        """,
    )
    crash = crash_in(made, "Main.run", made.thing("Main"), line=6)
    slicer = Slicer(made.record())
    found = slicer.slice(slicer.criterion_of_crash(crash))
    assert lines(found) == [4, 6, 9]
    assert {line.place.line: line.count for line in found.lines}[9] == 1


def test_elements_and_lengths_of_arrays() -> None:
    made = machine()
    made.method(
        "Main.run() outside",
        """
        3 two = const 2
        3 made = newarray two
        3 store array made
        4 first = const 0
        4 four = const 4
        4 a = load array
        4 arraystore a first four
        5 index = const 1
        5 five = const 5
        5 b = load array
        5 arraystore b index five
        6 c = load array
        6 x = arrayload c index
        6 putfield this seen x
        7 d = load array
        7 y = arrayload d two
        7 return
        """,
    )
    crash = crash_in(made, "Main.run", made.thing("Main"), line=7)
    slicer = Slicer(made.record())
    criterion = slicer.criterion_of_crash(crash)
    assert criterion.sentence == "ArrayIndexOutOfBoundsException at Main.java:7: the array and the index"
    assert lines(slicer.slice(criterion)) == [3, 7]
    element = slicer.criterion_at("Main.java", 6)
    assert lines(slicer.slice(element, thin=True)) == [5, 6]
    assert lines(slicer.slice(element)) == [3, 5, 6]


def test_what_an_exception_led_to_depends_on_the_instruction_that_threw() -> None:
    made = machine()
    made.method(
        "Main.run(by) outside",
        """
        2 four = const 4
        begin:
        3 share = math idiv four by
        end:
        4 return
        arrived:
        5 e = caught
        6 putfield this error e
        6 return
        catch begin end arrived
        """,
    )
    made.call("Main.run", made.thing("Main"), 0)
    slicer = Slicer(made.record())
    found = slicer.slice(slicer.criterion_at("Main.java", 6))
    assert lines(found) == [3, 6]
    made.call("Main.run", made.thing("Main"), 2)
    slicer = Slicer(made.record())
    found = slicer.slice(slicer.criterion_at("Main.java", 4))
    assert lines(found) == [4], "an instruction that could have thrown and did not decides nothing"


@pytest.mark.parametrize("index, line", [(0, 4), (1, 5)])
def test_an_element_of_a_list_comes_from_the_one_call_that_added_it(index: int, line: int) -> None:
    made = machine()
    made.method(
        "Main.run() outside",
        f"""
        3 fresh = new java.util.ArrayList
        3 beyond java.util.ArrayList.<init>:()V fresh
        3 store list fresh
        4 a = const 7
        4 list4 = load list
        4 beyond java.util.List.add:(Ljava/lang/Object;)Z list4 a
        5 b = const 7
        5 list5 = load list
        5 beyond java.util.List.add:(Ljava/lang/Object;)Z list5 b
        6 at = const {index}
        6 list6 = load list
        6 got = beyond java.util.List.get:(I)Ljava/lang/Object; list6 at
        6 putfield this seen got
        6 return
        """,
    )
    made.call("Main.run", made.thing("Main"))
    slicer = Slicer(made.record())
    criterion = slicer.criterion_at("Main.java", 6)
    assert lines(slicer.slice(criterion, thin=True)) == [line, 6]
    assert lines(slicer.slice(criterion)) == [3, line, 6]


@pytest.mark.parametrize("word", ["element", "takes", "gets", "removes"])
def test_a_summary_may_name_an_argument_that_a_call_does_not_have(word: str) -> None:
    made = machine()
    made.method(
        "Main.run() outside",
        """
        3 fresh = new java.util.ArrayList
        3 beyond java.util.ArrayList.<init>:()V fresh
        4 a = const 7
        4 beyond java.util.List.add:(Ljava/lang/Object;)Z fresh a
        5 at = const 0
        5 got = beyond java.util.List.get:(I)Ljava/lang/Object; fresh at
        6 putfield this seen got
        6 return
        """,
    )
    made.call("Main.run", made.thing("Main"))
    slicer = Slicer(made.record(), f"*.get {word} 99", "mine")
    assert lines(slicer.slice(slicer.criterion_at("Main.java", 6)))[-1] == 6


def test_an_entry_of_a_map_comes_from_the_last_put_with_an_equal_key() -> None:
    made = machine()
    made.method(
        "Main.run() outside",
        """
        3 fresh = new java.util.HashMap
        3 beyond java.util.HashMap.<init>:()V fresh
        4 a = const a
        4 one = const 1
        4 beyond java.util.Map.put:(Ljava/lang/Object;Ljava/lang/Object;)V fresh a one
        5 b = const b
        5 beyond java.util.Map.put:(Ljava/lang/Object;Ljava/lang/Object;)V fresh b one
        6 key = const a
        6 got = beyond java.util.Map.get:(Ljava/lang/Object;)Ljava/lang/Object; fresh key
        6 putfield this seen got
        7 other = const c
        7 none = beyond java.util.Map.get:(Ljava/lang/Object;)Ljava/lang/Object; fresh other
        7 putfield this seen none
        7 return
        """,
    )
    made.call("Main.run", made.thing("Main"))
    slicer = Slicer(made.record())
    assert lines(slicer.slice(slicer.criterion_at("Main.java", 6), thin=True)) == [4, 6]
    never = slicer.slice(slicer.criterion_at("Main.java", 7), thin=True)
    assert lines(never) == [3, 7]
    assert [each.sentence for each in never.omissions] == ['nothing had been put under "c"; there were "a", "b"']


def test_an_unknown_call_is_guessed_at_and_named() -> None:
    made = machine()
    made.beyond["org.lib.Tool.mix"] = lambda machine, values: 0
    made.method(
        "Main.run() outside",
        """
        3 four = const 4
        3 store x four
        4 value = load x
        4 got = beyond org.lib.Tool.mix:(I)I value
        5 share = math idiv four got
        5 return
        """,
    )
    crash = crash_in(made, "Main.run", made.thing("Main"), line=5)
    slicer = Slicer(made.record())
    criterion = slicer.criterion_of_crash(crash)
    found = slicer.slice(criterion)
    assert lines(found) == [3, 4, 5]
    assert [(each.call, each.lines) for each in found.guesses] == [("org.lib.Tool.mix", 2)]
    known = Slicer(made.record(), "org.lib.Tool.mix nothing").slice(criterion)
    assert lines(known) == [4, 5] and known.guesses == ()


def test_a_callback_depends_on_the_call_that_posted_it() -> None:
    made = machine()

    def post(machine: object, values: object) -> int:
        made.word(Word.HAND, 5)
        return 1

    made.beyond["android.os.Handler.post"] = post
    made.method(
        "Main.run() outside",
        """
        3 work = new Job
        4 none = const 0
        4 putfield this value none
        5 handler = new android.os.Handler
        6 beyond android.os.Handler.post:(Ljava/lang/Runnable;)Z handler work
        7 return
        """,
    )
    made.method("Main.divide() outside", DIVIDE)
    this = made.thing("Main")
    made.event(1)
    made.call("Main.run", this)
    made.event(2)
    made.word(Word.TASK, 5)
    crash = crash_in(made, "Main.divide", this, line=9)
    slicer = Slicer(made.record())
    found = slicer.slice(slicer.criterion_of_crash(crash))
    assert lines(found) == [3, 4, 5, 6, 9]
    kinds = {line.place.line: line.kind for line in found.lines}
    assert kinds[6] is DependenceKind.HANDED and kinds[4] is DependenceKind.DATA
    assert EventEdgeKind.CONTROL in {each.kind for each in found.event_edges}
    assert lines(slicer.slice(slicer.criterion_of_crash(crash), thin=True)) == [4, 9]


def test_a_line_can_be_chosen_by_execution_variable_and_step() -> None:
    made, this = calc()
    for step in (1, 2, 3):
        made.event(step)
        made.call("MainActivity.heightDecrementClick", this, 0)
    slicer = Slicer(made.record())
    assert slicer.slice(slicer.criterion_at("MainActivity.java", 26)).steps == (0, 1, 2, 3)
    assert slicer.slice(slicer.criterion_at("MainActivity.java", 26, execution=2)).steps == (0, 1, 2)
    assert slicer.slice(slicer.criterion_at("MainActivity.java", 26, event=1)).steps == (0, 1)
    text = slicer.criterion_at("MainActivity.java", 28, of="text")
    assert lines(slicer.slice(text, thin=True)) == [27, 28]


@pytest.mark.parametrize(
    "wish, words",
    [
        ({"line": 27, "execution": 3}, "MainActivity.java:27 ran once, so there is no execution 3"),
        ({"line": 33}, "MainActivity.java:33 did not run in this trace; the nearest lines that did are 26, 27, 28, 29"),
        ({"line": 26, "event": 7}, "MainActivity.java:26 did not run in step 7"),
        ({"line": 26, "of": "weight"}, "MainActivity.java:26 has no local, field or argument named weight"),
    ],
)
def test_a_line_that_cannot_be_sliced_from_gets_one_clear_sentence(wish: dict[str, int], words: str) -> None:
    made, this = calc()
    made.event(1)
    made.call("MainActivity.heightDecrementClick", this, 0)
    with pytest.raises(CriterionError, match=f"^{words}$"):
        Slicer(made.record()).criterion_at("MainActivity.java", **wish)  # type: ignore[arg-type]


def test_a_file_of_which_nothing_ran_is_said_so() -> None:
    made, _ = calc()
    with pytest.raises(CriterionError, match="^nothing of Other.java ran in this trace$"):
        Slicer(made.record()).criterion_at("Other.java", 3)


def test_a_crash_without_code_of_the_app_has_nothing_to_slice() -> None:
    made, _ = calc()
    with pytest.raises(NothingToSlice):
        Slicer(made.record()).criterion_of_crash(Crash(CrashKind.EXCEPTION, "main"))
    with pytest.raises(NothingToSlice, match="native"):
        Slicer(made.record()).criterion_of_crash(Crash(CrashKind.NATIVE, "main"))


@pytest.mark.parametrize(
    "text, words",
    [
        ("java.util.List.get sometimes", r"mine:1: unknown effect; one of adds, "),
        ("\njava.util.List.get gets", r"mine:2: gets takes 1 arguments, not 0"),
        ("nonsense", r"mine:1: expected class.method or class.method/arguments"),
        ("kind x", r"mine:1: expected 'kind NAME = classes'"),
        ("a.B.c gets one", r"mine:1: arguments are counted from 1, or .name"),
        ("a.B.c element .name", r"mine:1: element takes no name in the place of .name; arguments are counted from 1"),
        ("a.B.c puts 1 .name", r"mine:1: puts takes no name in the place of .name; arguments are counted from 1"),
        ("a.B.c gets 0", r"mine:1: arguments are counted from 1, or .name"),
        ("a.B.c gets ²", r"mine:1: arguments are counted from 1, or .name"),
        ("a.B.c gets " + "7" * 5_000, r"mine:1: arguments are counted from 1, or .name"),
        ("a.B.c/² reads", r"mine:1: expected class.method or class.method/arguments"),
        ("a.B.c/" + "7" * 5_000 + " reads", r"mine:1: expected class.method or class.method/arguments"),
    ],
)
def test_damaged_summaries_are_refused_with_file_and_line(text: str, words: str) -> None:
    made, _ = calc()
    with pytest.raises(UsageError, match=words):
        Slicer(made.record(), text, "mine")


@pytest.mark.parametrize(
    ("written", "fits", "does_not"),
    [
        ("a.B", ("a.B",), ("a.BB", "xa.B", "a.", "a-B")),
        ("a.*", ("a.B", "a.", "a.b.C"), ("a", "b.a.C")),
        ("*List", ("List", "a.List"), ("Lists",)),
        ("a*b*c", ("abc", "axbxc", "abcc", "abbc"), ("acb", "ab", "ac", "abcd")),
        ("a*a", ("aa", "aba"), ("a",)),
        ("ab*ba", ("abba", "ab-ba"), ("aba",)),
        ("**", ("", "x"), ()),
    ],
)
def test_a_star_in_a_summary_is_any_text(written: str, fits: tuple[str, ...], does_not: tuple[str, ...]) -> None:
    summaries = Summaries(()).also(f"kind mine = none {written}\nmine.m reads", "mine")
    assert [name for name in (*fits, *does_not) if summaries.find(name, "m", 0) is not None] == list(fits)


@pytest.mark.timeout(20)
def test_many_stars_in_a_summary_end() -> None:
    summaries = Summaries(()).also("a" + "*a" * 40 + "*b.m" + "*a" * 40 + "*b reads", "mine")
    assert summaries.find("a" * 2_000, "ma" + "a" * 2_000 + "b", 0) is None
    assert summaries.find("a" * 2_000 + "b", "ma" + "a" * 2_000 + "b", 0) is not None


def test_why_tells_the_chain_of_a_line_or_what_read_what_it_wrote() -> None:
    made, this = calc()
    for step, name in ((1, "widthDecrementClick"), (2, "heightDecrementClick")):
        made.event(step)
        made.call(f"MainActivity.{name}", this, 0)
    made.event(3)
    crash = crash_in(made, "MainActivity.compressImageClick", this, 0, line=32)
    slicer = Slicer(made.record())
    criterion = slicer.criterion_of_crash(crash)
    assert slicer.why(criterion, "MainActivity.java", 11) == (
        "MainActivity.java:11 height = 1 gives a value to MainActivity.java:26 (height), at launch",
        "MainActivity.java:26 height = height - 1 gives a value to MainActivity.java:32 (height), in step 2",
        "MainActivity.java:32 fails: width / height",
    )
    assert slicer.why(criterion, "MainActivity.java", 20) == (
        "MainActivity.java:20 ran once and is not in the slice",
        "it writes width, which is read at MainActivity.java:22, MainActivity.java:32, not on the way to the crash",
    )
    assert slicer.why(criterion, "MainActivity.java", 33) == (
        "MainActivity.java:33 did not run",
        "MainActivity.java:32 threw before it",
    )
    with pytest.raises(CriterionError):
        slicer.why(criterion, "MainActivity.java", 400)


def test_an_endless_loop_is_sliced_from_its_conditions() -> None:
    from fewtaps.model.crash import ExceptionInfo, Frame

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
        5 return
        """,
    )
    made.call("Main.spin", made.thing("Main"), 50)
    record = made.record()
    # A hang is a recording that ends inside the loop.
    hung = replace(record, words=record.words[:60])
    crash = Crash(CrashKind.ANR, "main", (ExceptionInfo("ANR", None, (Frame("Main", "spin", "Main.java", 4),)),))
    slicer = Slicer(hung)
    criterion = slicer.criterion_of_crash(crash)
    assert criterion.sentence.endswith("the conditions of the innermost loop or wait")
    assert lines(slicer.slice(criterion, thin=True)) == [2, 3, 4]


def enum_machine() -> Machine:
    """An enum of two constants with a field each; line 9 finds one by its name and divides by its field."""
    made = machine()

    def arraycopy(machine: Machine, values: list[Any]) -> None:
        values[2].elements[:] = values[0].elements

    def value_of(machine: Machine, values: list[Any]) -> Thing:
        constants: Any = machine.call("Room.values")
        if values[1] not in ("HALL", "ROME") or None in constants.elements:
            raise Thrown(machine.thing("java.lang.IllegalArgumentException"))
        return constants.elements[("HALL", "ROME").index(values[1])]  # type: ignore[no-any-return]

    made.beyond |= {"java.lang.System.arraycopy": arraycopy, "java.lang.Enum.valueOf": value_of}
    made.method("Room.<init>(size)", "5 putfield this size size\n6 return")
    made.method(
        "Room.<clinit>() static",
        """
        2 hall = new Room
        2 four = const 4
        2 call Room.<init> hall four
        2 putstatic HALL hall
        3 rome = new Room
        3 none = const 0
        3 call Room.<init> rome none
        3 putstatic ROME rome
        1 two = const 2
        1 all = newarray two
        1 zero = const 0
        1 first = getstatic HALL
        1 arraystore all zero first
        1 one = const 1
        1 second = getstatic ROME
        1 arraystore all one second
        1 putstatic VALUES all
        1 return
        """,
    )
    made.method(
        "Room.values() static",
        """
        1 all = getstatic VALUES
        1 two = length all
        1 copy = newarray two
        1 zero = const 0
        1 beyond java.lang.System.arraycopy:(Ljava/lang/Object;ILjava/lang/Object;II)V all zero copy zero two
        1 return copy
        """,
    )
    made.method(
        "Room.size(name) static",
        """
        9 kind = const Room
        9 room = beyond java.lang.Enum.valueOf:(Ljava/lang/Class;Ljava/lang/String;)Ljava/lang/Enum; kind name
        9 size = getfield room size
        9 hundred = const 100
        9 share = math idiv hundred size
        9 return share
        """,
    )
    made.call("Room.<clinit>")
    return made


def test_a_constant_found_by_its_name_leads_to_its_own_making_alone() -> None:
    made = enum_machine()
    made.method("Main.run() outside", "20 name = const ROME\n21 share = call Room.size static name\n22 return")
    crash = crash_in(made, "Main.run", made.thing("Main"), line=9, at="Room.size")
    slicer = Slicer(made.record())
    found = slicer.slice(slicer.criterion_of_crash(crash))
    assert {3, 5, 9, 20} <= set(lines(found))
    assert 2 not in lines(found), "the other constant"


def test_a_name_that_no_constant_has_leads_to_all_constants() -> None:
    made = enum_machine()
    made.method("Main.run() outside", "20 name = const OSLO\n21 share = call Room.size static name\n22 return")
    crash = crash_in(made, "Main.run", made.thing("Main"), line=9, at="Room.size")
    slicer = Slicer(made.record())
    found = slicer.slice(slicer.criterion_of_crash(crash))
    assert {1, 2, 3, 9, 20} <= set(lines(found))

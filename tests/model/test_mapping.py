"""Mapping files of ProGuard and R8: names, lines, inlined frames, and mappings that do not fit."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from fewtaps.errors import UsageError
from fewtaps.model import mapping as mapping_module
from fewtaps.model.coverage import BranchProbe, ClassProbes, LineProbe, MethodProbe, ProbeMap
from fewtaps.model.crash import Crash, CrashKind, ExceptionInfo, Frame
from fewtaps.model.mapping import MappedFrame, read_mapping
from fewtaps.model.mutant import Mutant
from fewtaps.model.recorded_code import Called, ClassCode, Code, FieldName, Instruction, MethodCode, Op

R8 = """\
# compiler: R8
# pg_map_id: 7f3a1c2
com.example.Bill -> a.b:
# {"id":"sourceFile","fileName":"Bills.kt"}
    int people -> a
    com.example.Bill next -> b
    1:1:int com.example.Maths.divide(int,int):12:12 -> a
    1:1:int split(com.example.Bill):19 -> a
    2:4:int split(com.example.Bill):21:23 -> a
    1:2:void reset():30:31 -> b
    1:1:void reset(int):40:40 -> c
    void quiet() -> d
com.example.Maths -> a.c:
com.example.Kept -> com.example.Kept:
    int[][] table -> t
"""

PROGUARD = """\
com.example.Main -> com.example.Main:
    int count -> a
    7:9:void <init>() -> <init>
    20:25:void onCreate(android.os.Bundle) -> onCreate
    30:33:java.lang.String[] names(java.util.List,long[]) -> a
    110:112:void com.example.Helper.log(java.lang.String):10:12 -> b
    110:112:void show():55 -> b
"""


def test_a_line_in_inlined_code_is_the_innermost_method_first() -> None:
    frames = read_mapping(R8, "mapping.txt").frames("a.b", "a", 1)
    assert frames == (
        MappedFrame("com.example.Maths", "divide", "Maths.java", 12),
        MappedFrame("com.example.Bill", "split", "Bills.kt", 19),
    )


@pytest.mark.parametrize(("line", "source"), [(2, 21), (3, 22), (4, 23)])
def test_lines_of_a_range_are_counted_from_its_first(line: int, source: int) -> None:
    (frame,) = read_mapping(R8, "mapping.txt").frames("a.b", "a", line)
    assert (frame.method, frame.line) == ("split", source)


def test_proguard_s_ranges_without_lines_of_the_sources_are_those_lines() -> None:
    mapping = read_mapping(PROGUARD, "mapping.txt")
    assert mapping.frames("com.example.Main", "onCreate", 23)[0].line == 23
    assert mapping.frames("com.example.Main", "a", 31) == (MappedFrame("com.example.Main", "names", "Main.java", 31),)


def test_proguard_s_inlined_frames_are_read_too() -> None:
    frames = read_mapping(PROGUARD, "mapping.txt").frames("com.example.Main", "b", 111)
    assert [(each.class_name, each.method, each.line) for each in frames] == [
        ("com.example.Helper", "log", 11),
        ("com.example.Main", "show", 55),
    ]


def test_a_method_without_lines_and_a_class_without_mapping_keep_their_lines() -> None:
    mapping = read_mapping(R8, "mapping.txt")
    assert mapping.frames("a.b", "d", 5)[0].method == "quiet"
    assert mapping.frames("x.Y", "z", 5) == (MappedFrame("x.Y", "z", None, 5),)


def test_a_line_that_no_range_holds_has_no_line_in_the_sources() -> None:
    mapping = read_mapping(R8 + "    1:1:int twice(int):0:0 -> e\n", "mapping.txt")
    assert mapping.frames("a.b", "a", 99)[0].line == 0
    assert mapping.frames("com.example.Kept", "e", 1) == (MappedFrame("com.example.Kept", "twice", "Kept.java", 0),)


def test_a_class_that_the_shrinker_made_has_no_lines() -> None:
    made = 'a.Made -> b:\n# {"id":"sourceFile","fileName":"R8$$SyntheticClass"}\n'
    mapping = read_mapping(made + "    1:1:void run():0:0 -> a\n    void go() -> c\n", "mapping.txt")
    assert [mapping.frames("b", name, 1)[0].line for name in ("a", "c")] == [0, 0]


def code() -> Code:
    """Two classes of a shrunk build; `a.b.a` divides in code that was inlined."""
    instructions = (
        Instruction(Op.GET_FIELD, 1, field=FieldName("a.b", "a", "I")),
        Instruction(Op.MATH, 1, text="idiv"),
        Instruction(Op.GET_FIELD, 3, field=FieldName("a.b", "b", "La/b;")),
        Instruction(Op.CALL, 4, called=Called("virtual", "a.b", "c", "(I)V", False)),
        Instruction(Op.NEW, 4, text="a.c"),
        Instruction(Op.CAST, 0, text="[La/b;"),
    )
    method = MethodCode("a.b", "a", "(La/b;)I", 5, parameters=("this", "La/b;"), instructions=instructions)
    return Code(
        {
            "a.b": ClassCode("a.b", "SourceFile", "a.c", (), methods=(method,)),
            "a.c": ClassCode("a.c", "SourceFile", "java.lang.Object"),
        }
    )


def test_code_gets_the_names_of_the_sources() -> None:
    renamed = read_mapping(R8, "mapping.txt").code(code())
    bill = renamed.classes["com.example.Bill"]
    (method,) = bill.methods
    assert (bill.file, bill.parent) == ("Bills.kt", "com.example.Maths")
    assert (method.name, method.descriptor, method.first_block) == ("split", "(Lcom/example/Bill;)I", 5)
    field, _, other, call, made, cast = method.instructions
    assert field.field == FieldName("com.example.Bill", "people", "I")
    assert other.field == FieldName("com.example.Bill", "next", "Lcom/example/Bill;")
    assert call.called is not None and call.called.name == "reset"
    assert made.text == "com.example.Maths"
    assert cast.text == "[Lcom/example/Bill;"


def test_an_inlined_instruction_has_the_method_and_the_line_it_came_from() -> None:
    (method,) = read_mapping(R8, "mapping.txt").code(code()).classes["com.example.Bill"].methods
    inlined = method.instructions[1].inlined
    assert inlined is not None
    assert (inlined.class_name, inlined.method, inlined.file) == ("com.example.Maths", "divide", "Maths.java")
    assert [each.line for each in method.instructions] == [12, 12, 22, 23, 23, 0]
    assert method.instructions[2].inlined is None


def test_methods_that_share_a_name_in_the_sources_are_told_apart_by_their_types() -> None:
    mapping = read_mapping(R8, "mapping.txt")
    assert mapping.frames("a.b", "c", 1, "(I)V")[0].line == 40
    assert mapping.frames("a.b", "b", 1, "()V")[0].line == 30


def test_a_crash_gets_the_frames_that_were_inlined() -> None:
    frames = (Frame("a.b", "a", "SourceFile", 1), Frame("android.view.View", "performClick", "View.java", 7))
    crash = Crash(CrashKind.EXCEPTION, "main", (ExceptionInfo("a.c", "no", frames),))
    (exception,) = read_mapping(R8, "mapping.txt").crash(crash).exceptions
    assert exception.type == "com.example.Maths"
    assert [str(frame) for frame in exception.frames] == [
        "com.example.Maths.divide(Maths.java:12)",
        "com.example.Bill.split(Bills.kt:19)",
        "android.view.View.performClick(View.java:7)",
    ]


def test_a_mapping_of_another_build_is_refused_in_one_line() -> None:
    mapping = read_mapping("x.Y -> q.r:\n", "old.txt")
    with pytest.raises(
        UsageError, match=r"^old.txt: a mapping of another build: it knows 0 of the 2 classes that ran$"
    ):
        mapping.require_fits(code())
    read_mapping(R8, "mapping.txt").require_fits(code())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no class"),
        ("# only a comment\n", "no class"),
        ("    int a -> b\n", "line 1"),
        ("a.b -> c:\n    what is this\n", "line 2"),
        ("PK\x03\x04 binary", "line 1"),
        ('{"version": 3}', "line 1"),
    ],
)
def test_what_is_no_mapping_is_refused_with_its_line(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        read_mapping(text, "mapping.txt")


@pytest.mark.timeout(20)
def test_a_type_that_does_not_end_ends_the_search() -> None:
    mapping = read_mapping(R8, "mapping.txt")
    assert mapping.descriptor("L" * 300_000 + "<La/b;L") == "L" * 300_000 + "<Lcom/example/Bill;L"
    assert mapping.descriptor("Ljava/util/List<La/b;>;") == "Ljava/util/List<Lcom/example/Bill;>;"


def crash_at(lines: int, line: int) -> Crash:
    return Crash(CrashKind.EXCEPTION, "main", (ExceptionInfo("x", None, (Frame("a.B", "a", "B.java", line),) * lines),))


@pytest.mark.timeout(20)
def test_the_chains_of_a_name_are_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    real = mapping_module._chains

    def counted(ranges: Any) -> Any:
        made.append(1)
        return real(ranges)

    monkeypatch.setattr(mapping_module, "_chains", counted)
    text = "a.B -> a.B:\n" + "".join(f"    {i}:{i}:void m{i}():{i}:{i} -> a\n" for i in range(1, 200))
    mapping = read_mapping(text, "mapping.txt")
    (exception,) = mapping.crash(crash_at(50, 7)).exceptions
    assert {frame.method for frame in exception.frames} == {"m7"}
    assert mapping.method_name("a.B", "a", "()V") == "m1"
    assert made == [1]


@pytest.mark.parametrize(("inlined", "kept", "is_told"), [(100, 100, False), (101, 100, True), (5_000, 100, True)])
def test_of_a_long_inlined_chain_the_middle_is_left_out_and_told(inlined: int, kept: int, is_told: bool) -> None:
    text = "a.B -> a.B:\n" + "".join(f"    1:1:void m{i}():{i + 1}:{i + 1} -> a\n" for i in range(inlined))
    mapping = read_mapping(text, "mapping.txt")
    assert mapping.notes == ()
    (exception,) = mapping.crash(crash_at(1, 1)).exceptions
    assert len(exception.frames) == kept
    assert (exception.frames[0].method, exception.frames[-1].method) == ("m0", f"m{inlined - 1}")
    told = "mapping.txt: more than 100 methods inlined into one line: those in the middle are left out"
    assert mapping.notes == ((told,) if is_told else ())


def test_probes_have_the_names_and_lines_of_the_sources() -> None:
    build = ClassProbes(
        name="a.b",
        file="SourceFile",
        methods=(MethodProbe(0, "a", "(La/b;)I", 1), MethodProbe(1, "d", "()V", 1)),
        lines=(LineProbe(0, 3),),
        branches=(BranchProbe(0, 2, 0), BranchProbe(1, 1, 1)),
    )
    (probes,) = read_mapping(R8, "mapping.txt").probe_map(ProbeMap((build,))).classes
    assert (probes.name, probes.file) == ("com.example.Bill", "Bills.kt")
    assert probes.methods[0] == MethodProbe(0, "split", "(Lcom/example/Bill;)I", 19)
    assert probes.methods[1].name == "quiet"
    assert probes.branches[0] == BranchProbe(0, 21, 0)


def test_a_line_that_several_methods_of_the_build_share_has_no_line_in_the_sources() -> None:
    build = ClassProbes(
        "a.b",
        methods=(MethodProbe(0, "a", "(La/b;)I", 1), MethodProbe(1, "b", "()V", 1)),
        lines=(LineProbe(0, 1),),
        branches=(BranchProbe(0, 1, 1),),
    )
    (probes,) = read_mapping(R8, "mapping.txt").probe_map(ProbeMap((build,))).classes
    assert (probes.lines[0].line, probes.branches[0].line) == (0, 30)


def test_probes_of_a_class_that_the_mapping_lacks_stay_as_they_are() -> None:
    build = ClassProbes("x.Y", methods=(MethodProbe(0, "a", "()V", 1),), lines=(LineProbe(0, 1),))
    assert read_mapping(R8, "mapping.txt").probe_map(ProbeMap((build,))).classes == (build,)


def test_a_mutant_has_the_names_and_the_line_of_the_sources() -> None:
    mutant = read_mapping(R8, "mapping.txt").mutant(Mutant("a.b", "a", "(La/b;)I", 4, "MATH", line=3))
    assert (mutant.class_name, mutant.method, mutant.file, mutant.line) == ("com.example.Bill", "split", "Bills.kt", 22)


def test_a_crash_that_has_the_names_of_the_sources_already_keeps_them() -> None:
    mapping = read_mapping(R8, "mapping.txt")
    frames = (Frame("a.b", "a", "SourceFile", 2),)
    build = Crash(CrashKind.EXCEPTION, "main", (ExceptionInfo("a.c", None, frames),))
    assert mapping.source_crash(mapping.source_crash(build)) == mapping.source_crash(build) != build


def test_a_mapping_of_another_build_is_refused_by_the_names_of_its_classes() -> None:
    mapping = read_mapping(R8, "mapping.txt")
    mapping.require_names(["a.b", "a.c", "com.example.Kept", "a.b$$ExternalSyntheticLambda0"])
    with pytest.raises(UsageError, match="knows 1 of the 3 classes of the app"):
        mapping.require_names(["a.b", "q.r", "q.s"])


def test_mappings_of_equal_files_are_equal() -> None:
    assert read_mapping(R8, "one") == read_mapping(R8, "another") != read_mapping(PROGUARD, "one")


def test_a_copy_of_settings_shares_their_mapping() -> None:
    mapping = read_mapping(R8, "mapping.txt")
    assert copy.deepcopy(mapping) is mapping
    assert pickle.loads(pickle.dumps(mapping)) == mapping

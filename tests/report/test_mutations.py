"""`mutations.xml` has the elements of PIT's."""

from __future__ import annotations

from xml.etree import ElementTree

from fewtaps.model.mutant import OPERATORS, Mutant, MutantResult, MutantStatus
from fewtaps.report.mutations import mutations_xml


def test_a_killed_mutant_is_written_as_pit_writes_it() -> None:
    mutant = Mutant("a.B$C", "sum", "(II)I", 7, "MATH", 12, "B.java", 3, 1, "replaced integer addition", "iadd")
    root = ElementTree.fromstring(
        mutations_xml([MutantResult(mutant, MutantStatus.KILLED, "test-a", 2, "text", None, 4)])
    )
    assert root.tag == "mutations"
    (mutation,) = root
    assert mutation.attrib == {"detected": "true", "status": "KILLED", "numberOfTestsRun": "4"}
    assert [each.tag for each in mutation] == [
        *("sourceFile", "mutatedClass", "mutatedMethod", "methodDescription", "lineNumber", "mutator", "indexes"),
        *("blocks", "killingTest", "description"),
    ]
    assert mutation.findtext("mutatedClass") == "a.B$C"
    assert mutation.findtext("mutator") == "org.pitest.mutationtest.engine.gregor.mutators.MathMutator"
    assert mutation.findtext("indexes/index") == "7"
    assert mutation.findtext("lineNumber") == "12"
    assert mutation.findtext("killingTest") == "test-a"


def test_every_operator_has_pits_name() -> None:
    kinds = [f"REMOVE_CONDITIONALS_{kind}" for kind in ("EQUAL_IF", "EQUAL_ELSE", "ORDER_IF", "ORDER_ELSE")]
    for operator in (*OPERATORS[:-1], *kinds):
        root = ElementTree.fromstring(
            mutations_xml([MutantResult(Mutant("a.B", "m", "()V", 0, operator), MutantStatus.SURVIVED)])
        )
        assert "Mutator" in (root.findtext("mutation/mutator") or "")
        assert root.findtext("mutation/killingTest") == ""


def test_names_of_an_obfuscated_app_do_not_break_the_file() -> None:
    mutant = Mutant("a.\x00<B>", "\ud800&m", "()V", 0, "MATH", description="]]>\x1b[31m")
    root = ElementTree.fromstring(mutations_xml([MutantResult(mutant, MutantStatus.SURVIVED)]))
    assert root.findtext("mutation/mutatedClass") == "a.\\u0000<B>"
    assert root.findtext("mutation/description") == "]]>\\u001b[31m"

"""Results of mutants as `mutations.xml`, in the format of PIT, which CI servers and code quality tools read."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable

from fewtaps.model.mutant import MutantResult
from fewtaps.report.junit import legal_xml

_PACKAGE = "org.pitest.mutationtest.engine.gregor.mutators"
_MUTATORS = {
    "CONDITIONALS_BOUNDARY": "ConditionalsBoundaryMutator",
    "NEGATE_CONDITIONALS": "NegateConditionalsMutator",
    "INCREMENTS": "IncrementsMutator",
    "INVERT_NEGS": "InvertNegsMutator",
    "MATH": "MathMutator",
    "VOID_METHOD_CALLS": "VoidMethodCallMutator",
    "TRUE_RETURNS": "returns.BooleanTrueReturnValsMutator",
    "FALSE_RETURNS": "returns.BooleanFalseReturnValsMutator",
    "NULL_RETURNS": "returns.NullReturnValsMutator",
    "EMPTY_RETURNS": "returns.EmptyObjectReturnValsMutator",
    "PRIMITIVE_RETURNS": "returns.PrimitiveReturnsMutator",
    "INLINE_CONSTS": "InlineConstantMutator",
    "REMOVE_CONDITIONALS_EQUAL_IF": "RemoveConditionalMutator_EQUAL_IF",
    "REMOVE_CONDITIONALS_EQUAL_ELSE": "RemoveConditionalMutator_EQUAL_ELSE",
    "REMOVE_CONDITIONALS_ORDER_IF": "RemoveConditionalMutator_ORDER_IF",
    "REMOVE_CONDITIONALS_ORDER_ELSE": "RemoveConditionalMutator_ORDER_ELSE",
}
"""The names under which PIT's own reports have the operators."""


def mutations_xml(results: Iterable[MutantResult]) -> bytes:
    """One `mutation` for each result, in their order. The index is the number of the instruction in the method."""
    root = ET.Element("mutations", partial="true")
    for result in results:
        mutant = result.mutant
        element = ET.SubElement(
            root,
            "mutation",
            detected="true" if result.status.is_detected else "false",
            status=result.status.value,
            numberOfTestsRun=str(result.tests_run),
        )
        for tag, text in (
            ("sourceFile", mutant.file or ""),
            ("mutatedClass", mutant.class_name),
            ("mutatedMethod", mutant.method),
            ("methodDescription", mutant.descriptor),
            ("lineNumber", str(mutant.line)),
            ("mutator", f"{_PACKAGE}.{_MUTATORS.get(mutant.operator, mutant.operator)}"),
        ):
            ET.SubElement(element, tag).text = text
        ET.SubElement(ET.SubElement(element, "indexes"), "index").text = str(mutant.index)
        ET.SubElement(ET.SubElement(element, "blocks"), "block").text = "0"
        ET.SubElement(element, "killingTest").text = result.test
        ET.SubElement(element, "description").text = mutant.description
    ET.indent(root)
    content: bytes = ET.tostring(legal_xml(root), encoding="utf-8", xml_declaration=True)
    return content + b"\n"

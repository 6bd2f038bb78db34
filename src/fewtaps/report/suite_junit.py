"""The run of a suite as JUnit XML, which CI servers display: one test case per test, with its steps.

A test that passed in some worlds only has a `flakyFailure` for each run that did not, as Surefire writes them: it does
not fail the build. Pictures are named in the output as `[[ATTACHMENT|path]]`, which CI servers show beside the case.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from itertools import groupby

from fewtaps.model.suite_result import SuiteResult, SuiteTestResult, SuiteTestRun, SuiteTestStatus
from fewtaps.report.junit import junit_bytes, steps_text
from fewtaps.report.suite_words import difference_words, healing_words, result_words, run_words, selector_words

MOST_ATTACHMENTS = 20
"""Pictures at most that one test case names."""


def suite_junit(result: SuiteResult, attachments: Mapping[str, Sequence[str]] | None = None) -> bytes:
    """The test suite; `attachments` are paths of pictures by the name of the test.

    A failed test is a failure; one that is broken or crashed is an error; one in quarantine or not run is skipped.
    """
    results = result.results
    counts = {status: len(result.with_status(status)) for status in SuiteTestStatus}
    package = result.suite.app.package
    suite = ET.Element(
        "testsuite",
        name=f"fewtaps test {package}" + (" {}/{}".format(*result.shard) if result.shard is not None else ""),
        tests=str(len(results)),
        failures=str(counts[SuiteTestStatus.FAILED]),
        errors=str(counts[SuiteTestStatus.BROKEN] + counts[SuiteTestStatus.CRASHED]),
        skipped=str(counts[SuiteTestStatus.QUARANTINED] + counts[SuiteTestStatus.NOT_RUN]),
        flakes=str(counts[SuiteTestStatus.FLAKY]),
        time=f"{result.seconds:.3f}",
    )
    attached = []
    for each in results:
        output = _add_case(suite, package, each)
        if output is not None and attachments and each.name in attachments:
            attached.append((output, attachments[each.name][:MOST_ATTACHMENTS]))
    root = ET.Element("testsuites")
    root.append(suite)
    return junit_bytes(root, attached)


def _add_case(suite: ET.Element, package: str, result: SuiteTestResult) -> ET.Element | None:
    """Adds a test, and returns the element of its output; None if it was not run."""
    case = ET.SubElement(suite, "testcase", classname=package, name=result.name, time=f"{result.seconds:.3f}")
    shown = result.shown
    match result.status:
        case SuiteTestStatus.FAILED | SuiteTestStatus.BROKEN | SuiteTestStatus.CRASHED if shown is not None:
            tag = "failure" if result.status is SuiteTestStatus.FAILED else "error"
            verdict = ET.SubElement(case, tag, type=_type(result.status, shown), message=result_words(result))
            verdict.text = result_details(result, shown)
        case SuiteTestStatus.QUARANTINED:
            ET.SubElement(case, "skipped", message=f"in quarantine: {result_words(result)}")
        case SuiteTestStatus.NOT_RUN:
            ET.SubElement(case, "skipped", message=result_words(result) or "not run")
            return None
        case SuiteTestStatus.FLAKY:
            _add_flakes(case, result)
    output = ET.SubElement(case, "system-out")
    output.text = "\n".join(_output(result))
    return output


def _add_flakes(case: ET.Element, result: SuiteTestResult) -> None:
    failed = [run for run in result.runs if not run.status.is_pass]
    # Runs in several worlds often fail alike; one element then names all their worlds.
    for (status, words), runs in groupby(failed, key=lambda run: (run.status, run_words(run, result))):
        alike = list(runs)
        worlds = ", ".join(str(run.world) for run in alike)
        where = f"world{'s' if len(alike) > 1 else ''} {worlds}"
        flake = ET.SubElement(case, "flakyFailure", type=_type(status, alike[0]), message=f"{where}: {words}")
        ET.SubElement(flake, "stackTrace").text = result_details(result, alike[0])


def _type(status: SuiteTestStatus, run: SuiteTestRun) -> str:
    crash = run.crash
    if status is SuiteTestStatus.CRASHED and crash is not None:
        return crash.root.type if crash.root is not None else crash.kind.value
    return status.value


def result_details(result: SuiteTestResult, run: SuiteTestRun) -> str:
    """The steps up to the one that differs, and all that is known of the difference."""
    events = result.test.trace.events
    played = events if run.step is None else events[: run.step + 1]
    lines = [steps_text(played), "", *map(difference_words, run.differences)]
    if run.selector is not None:
        lines.append(f"not there: {selector_words(run.selector)}")
        lines.extend(f"nearest: {selector_words(each)}" for each in run.nearest)
    if run.crash is not None:
        lines += ["", run.crash.render()]
    return "\n".join(lines)


def _output(result: SuiteTestResult) -> list[str]:
    lines = [steps_text(result.test.trace.events)]
    lines += [f"healed: {healing_words(each)}" for run in result.runs[:1] for each in run.healings]
    rate = result.reproduction
    if rate.runs > 1:
        lines.append(f"passed in {rate.met} of {rate.runs} worlds")
    return lines

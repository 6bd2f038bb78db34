"""The exports by name, with their titles, file names and functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fewtaps.exports.espresso import espresso_java, espresso_kotlin, espresso_suite_java, espresso_suite_kotlin
from fewtaps.exports.finding import Exported as Exported
from fewtaps.exports.finding import Finding as Finding
from fewtaps.exports.issue import github_issue
from fewtaps.exports.maestro import maestro_flow, maestro_suite
from fewtaps.exports.pytests import appium_pytest, appium_suite, uiautomator2_pytest, uiautomator2_suite
from fewtaps.exports.robolectric import (
    robolectric_java,
    robolectric_kotlin,
    robolectric_suite_java,
    robolectric_suite_kotlin,
)
from fewtaps.exports.roboscript import robo_script
from fewtaps.exports.scripts import adb_script, monkey_script
from fewtaps.exports.suites import ExportedSuite, SuiteToExport, snake_case


@dataclass(frozen=True, slots=True)
class Export:
    """One format for the steps of a crash.

    `name` is used on the command line, `title` in pages. `pattern` is the file's name with `{name}` or `{snake}` in
    place of the crash's. `language` is the name that highlighters and fenced code blocks use.
    """

    name: str
    title: str
    pattern: str
    language: str
    render: Callable[[Finding], Exported]

    def file_name(self, finding: Finding) -> str:
        """The name of the exported file; for Java it has to be that of the class."""
        return self.pattern.format(name=finding.name, snake=snake_case(finding.name))


_ALL = (
    Export("robolectric-java", "Robolectric test (Java)", "{name}Test.java", "java", robolectric_java),
    Export("robolectric-kotlin", "Robolectric test (Kotlin)", "{name}Test.kt", "kotlin", robolectric_kotlin),
    Export("espresso-java", "Espresso test (Java)", "{name}InstrumentedTest.java", "java", espresso_java),
    Export("espresso-kotlin", "Espresso test (Kotlin)", "{name}InstrumentedTest.kt", "kotlin", espresso_kotlin),
    Export("uiautomator2", "uiautomator2 test (pytest)", "test_{snake}.py", "python", uiautomator2_pytest),
    Export("appium", "Appium test (pytest)", "test_{snake}_appium.py", "python", appium_pytest),
    Export("maestro", "Maestro flow", "{name}.yaml", "yaml", maestro_flow),
    Export("monkey", "Monkey script", "{name}.monkey", "text", monkey_script),
    Export("adb", "adb shell script", "{name}.sh", "sh", adb_script),
    Export("robo", "Robo script (Firebase Test Lab)", "{name}.robo.json", "json", robo_script),
    Export("issue", "GitHub issue (Markdown)", "{name}.md", "markdown", github_issue),
)

EXPORTS: dict[str, Export] = {export.name: export for export in _ALL}
"""Every export, in the order in which pages and the command line show them."""

SUITE_EXPORTS: dict[str, Callable[[SuiteToExport], ExportedSuite]] = {
    "robolectric-java": robolectric_suite_java,
    "robolectric-kotlin": robolectric_suite_kotlin,
    "espresso-java": espresso_suite_java,
    "espresso-kotlin": espresso_suite_kotlin,
    "uiautomator2": uiautomator2_suite,
    "appium": appium_suite,
    "maestro": maestro_suite,
}
"""The exports that can write whole suites, by the names that they have in `EXPORTS`."""

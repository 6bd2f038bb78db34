"""The exports by name: what each is called, the file it becomes, who writes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fewtaps.exports.finding import Exported as Exported
from fewtaps.exports.finding import Finding as Finding
from fewtaps.exports.issue import github_issue
from fewtaps.exports.scripts import adb_script, monkey_script


@dataclass(frozen=True, slots=True)
class Export:
    """One way to write the steps of a crash.

    `name` is what the command line calls it, `title` what a person does, `pattern` the file's name with `{name}` for
    the crash's and `language` the name that highlighters and fenced code blocks use.
    """

    name: str
    title: str
    pattern: str
    language: str
    render: Callable[[Finding], Exported]

    def file_name(self, finding: Finding) -> str:
        """The file that this finding belongs into: Java wants it to be that of the class."""
        return self.pattern.format(name=finding.name)


_ALL = (
    Export("monkey", "Monkey script", "{name}.monkey", "text", monkey_script),
    Export("adb", "adb shell script", "{name}.sh", "sh", adb_script),
    Export("issue", "GitHub issue (Markdown)", "{name}.md", "markdown", github_issue),
)

EXPORTS: dict[str, Export] = {export.name: export for export in _ALL}
"""Every export, in the order in which they are offered."""

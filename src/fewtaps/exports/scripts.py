"""Scripts by coordinates, for Monkey and for a shell, written by the exporters that `fewtaps convert` uses."""

from __future__ import annotations

from fewtaps.exports.finding import Exported, Finding
from fewtaps.formats.adbwriter import write_adb_script
from fewtaps.formats.monkeywriter import write_monkey_script

BY_PLACE = "widgets are touched by their places, on a screen as large as the recorded one; by name is not possible here"


def monkey_script(finding: Finding) -> Exported:
    text, losses = write_monkey_script(finding.trace)
    # Before the line that starts the data Monkey ignores all lines except those of its own header.
    return Exported(_comments(finding) + text, (*losses, BY_PLACE))


def adb_script(finding: Finding) -> Exported:
    """A shell script of `adb shell input` commands."""
    text, losses = write_adb_script(finding.trace)
    shebang, _, rest = text.partition("\n")
    return Exported(f"{shebang}\n{_comments(finding)}{rest}", (*losses, BY_PLACE))


def _comments(finding: Finding) -> str:
    # A backslash at the end of a line would join the next one to the comment.
    return "".join(f"# {line.rstrip(chr(92))}\n" for line in finding.provenance)

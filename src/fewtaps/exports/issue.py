"""A GitHub issue in Markdown: the crash, the steps with pictures, the stack."""

from __future__ import annotations

import re

from fewtaps.exports.finding import Exported, Finding
from fewtaps.exports.slices import line_in_words
from fewtaps.model.event import describe, is_from_outside, printable
from fewtaps.model.slice import FIRST_LINES, first_lines

PICTURE_WIDTH = 240
LONGEST_STACK = 20_000
# Characters with a meaning in Markdown inside a line, and those with a meaning at its start.
_MARKUP = re.compile(r"[\\`*_\[\]<>#|~@&$]|:(?=\S)|(?<=www)\.", re.IGNORECASE)
_BEGINNING = re.compile(r"^(?:(\d+)([.)])|([-+=]))")
_NO_PICTURES = "pictures have to be uploaded by hand: an issue cannot read files of your disk"


def github_issue(finding: Finding) -> Exported:
    """The issue with its title as the first heading; texts of the app are escaped, the stack is a code block."""
    lines = [f"# {plain(_title(finding))}", "", "## Steps to reproduce", ""]
    lines.append(f"1. Launch the app{finding.on_phone}." + _picture(finding, 0))
    for number, event in enumerate(finding.events, 1):
        lines.append(f"{number + 1}. {plain(describe(event))}{_picture(finding, number)}")
    lines += ["", "## What happens", "", *fenced(finding.crash.render()[:LONGEST_STACK]), ""]
    lines += _why(finding)
    lines += ["## Where it was seen", "", *(f"- {plain(line)}" for line in _facts(finding))]
    return Exported("\n".join(lines) + "\n", (_NO_PICTURES,) if finding.pictures else ())


def _why(finding: Finding) -> list[str]:
    """The first lines of the slice, nearest first, and what did not happen."""
    made = finding.slice
    if made is None:
        return []
    lines = ["## Why it happens", "", f"Sliced from {plain(made.criterion)}, nearest first:", ""]
    lines += [f"1. {plain(line_in_words(line))}" for line in first_lines(made)]
    lines += ["", *(f"- Did not happen: {plain(each.sentence)}" for each in made.omissions[:FIRST_LINES])]
    return lines if lines[-1] == "" else [*lines, ""]


def plain(text: str) -> str:
    """The text on one line, escaped so that Markdown makes no markup, link, mention or HTML of it."""
    line = _MARKUP.sub(lambda match: _ENTITIES.get(match[0], "\\" + match[0]), printable(text, 400))
    return _BEGINNING.sub(lambda match: f"{match[1] or ''}\\{match[2] or match[3]}", line)


# As entities, because GitHub makes mentions and links even of characters that are escaped with a backslash.
_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;", "@": "&#64;", "#": "&#35;", ":": "&#58;", ".": "&#46;"}


def fenced(text: str) -> list[str]:
    """The text as a block of code whose fence is longer than any inside."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}text", *text.splitlines(), fence]


def _title(finding: Finding) -> str:
    top = finding.top
    where = f" in {top.class_name.rpartition('.')[2]}.{top.method}" if top is not None else ""
    return printable(f"{finding.exception}{where} after {_count(len(finding.events))}", 160)


def _count(steps: int) -> str:
    return "launch" if steps == 0 else "1 step" if steps == 1 else f"{steps} steps"


def _picture(finding: Finding, number: int) -> str:
    path = finding.pictures.get(number)
    if path is None:
        return ""
    return f'<br><img src="{_attribute(path)}" width="{PICTURE_WIDTH}" alt="Screen after step {number}">'


def _attribute(text: str) -> str:
    return "".join(char if char.isalnum() or char in "/._-" else f"&#{ord(char)};" for char in text)


def _facts(finding: Finding) -> list[str]:
    facts = list(finding.provenance[-4 if finding.need else -3 :])
    screen = finding.trace.screen
    if screen is not None:
        facts.append("Screen: {} x {} at {} dpi".format(*screen))
    if any(map(is_from_outside, finding.events)):
        facts.append("From outside: the steps need an intent or a broadcast of another app")
    if finding.crash.suspect is not None:
        facts.append(f"Suspect, the device may be at fault: {finding.crash.suspect}")
    return facts

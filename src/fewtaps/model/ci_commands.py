"""Breaks what CI systems obey when it stands in a log: commands of GitHub, Azure Pipelines and TeamCity.

GitHub obeys `::error::…` at the start of a line, after white space too, and `##[…]` anywhere; Azure Pipelines obeys
`##vso[…]` and `##[…]`, TeamCity `##teamcity[…]`. A text of an app that has one would decide what the job concludes.
"""

from __future__ import annotations

import re

_ENDS = r"\n\r\v\f\x1c-\x1e\x85\u2028\u2029"
# A line end is no part of the space before a colon: a text of line ends alone would take the square of its length.
_PLACES = re.compile(rf"#(?=#)|(?:\A|(?<=[{_ENDS}]))[^\S{_ENDS}]*:(?=:)")
"""Ends where a space has to be."""


def command_places(text: str) -> list[int]:
    """Before which characters of a text a space has to be, so that no line of it is a command."""
    return [match.end() for match in _PLACES.finditer(text)]


def without_commands(text: str) -> str:
    """The text with a space inside each `##`, and inside a `::` that begins a line."""
    return _PLACES.sub(lambda match: f"{match[0]} ", text)

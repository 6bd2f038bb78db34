"""Strings of an app's resources, used as values for text fields because the app's code may compare input with them."""

from __future__ import annotations

import re
from pathlib import Path

from fewtaps.apk.archive import MEBIBYTE, open_archive
from fewtaps.apk.xml import decode_strings
from fewtaps.errors import ApkError

RESOURCES = "resources.arsc"
RESOURCES_LIMIT = 64 * MEBIBYTE
MOST_STRINGS = 2_000
MOST_LOOKED_AT = 20_000
LONGEST = 60

# The pool of a resource table also holds the paths of files, which are useless as values of text fields.
_FILE = re.compile(r"(?:res|r|assets)/\S*|\S+\.(?:xml|png|jpg|webp|ttf|otf)")


def read_strings(path: Path) -> tuple[str, ...]:
    """Short texts from the app's resources, each once, at most `MOST_STRINGS`; none if they cannot be read.

    Runs none of the app's code and unpacks only within fixed limits. `UsageError` if there is no such file.
    """
    try:
        with open_archive(path) as archive:
            if RESOURCES not in archive:
                return ()
            content = archive.read(RESOURCES, RESOURCES_LIMIT)
        return typeable(decode_strings(content, MOST_LOOKED_AT))
    except ApkError:
        # Exploration also works without these values, so damaged resources are no error here.
        return ()


def typeable(strings: tuple[str, ...]) -> tuple[str, ...]:
    """The strings that could be typed into a field, each once; an evenly spread part if there are too many."""
    fitting = list(dict.fromkeys(text for text in map(str.strip, strings) if _is_typeable(text)))
    if len(fitting) <= MOST_STRINGS:
        return tuple(fitting)
    step = len(fitting) / MOST_STRINGS
    return tuple(fitting[int(number * step)] for number in range(MOST_STRINGS))


def _is_typeable(text: str) -> bool:
    return 0 < len(text) <= LONGEST and text.isprintable() and not _FILE.fullmatch(text)

"""A reader to be tried with damaged files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Subject:
    """A reader. `contents` makes the files to damage in a folder of its own; `read` reads a content in another folder.

    `limited` readers run in a child process with limits on time and memory: there it is no failure to need more.
    """

    name: str
    contents: Callable[[Path], list[bytes]]
    read: Callable[[bytes, Path], object]
    limited: bool = False

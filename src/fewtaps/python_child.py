"""The command and the environment of a child process that runs a module of this package.

Python puts the current folder first on the path of modules when it runs `-m`, and a file there would take the place of
a module of Python or of this package. `-P` leaves the current folder out.
"""

from __future__ import annotations

import os
import sys


def python_command(module: str, *arguments: str) -> list[str]:
    """The command that runs a module with this Python; modules in the current folder are not found."""
    return [sys.executable, "-P", "-m", module, *arguments]


def python_environment() -> dict[str, str]:
    """The environment in which a child finds the modules that this process finds."""
    # An empty entry stands for the current folder, and one with a separator in its name would become two others.
    places = [each for each in sys.path if each and os.pathsep not in each]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(places)}

"""What some backends can do and others cannot.

A module of its own, because the command line reads it at every start and needs nothing else of a session.
"""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias


class Capability(Enum):
    """What some backends can do and others cannot."""

    SCREENSHOTS = "screenshots"
    COVERAGE = "coverage"
    WORLDS = "worlds"
    """The world decides everything the app does not control: the same world and events give the same steps."""
    VIRTUAL_TIME = "virtual time"
    """Waiting costs no time, and the clock moves only in steps."""
    ROTATION = "rotation"
    JACOCO = "jacoco"
    """Tells what was executed in JaCoCo's format, and makes JaCoCo's reports of it."""
    DECISIONS = "decisions"
    """Tells what the world of a run decided."""
    PHONES = "phones"
    """Launches the app on a phone that differs from the ordinary one."""
    PROCESS_DEATH = "process death"
    """Ends the app's process in the background and comes back to it: the system event `process_death`."""
    MUTATIONS = "mutations"
    """Launches the app with one small fault in its code."""
    RECORDING = "recording"
    """Records each block of code that a run executes, with the objects it uses."""
    INSTRUMENTING = "instrumenting"
    """Puts probes into the code of an APK, and tells which probes of such an app were hit."""
    MOMENTS = "moments"
    """Keeps a moment of a run, and goes back to it without its events."""


Capabilities: TypeAlias = frozenset[Capability]

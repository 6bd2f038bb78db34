"""SuspectRule: the rules by which a crash is believed to be the device's fault."""

from __future__ import annotations

from enum import Enum


class SuspectRule(Enum):
    """Why a crash is suspect. The values are kept in stores and trace files and never change."""

    TRANSLATION = "translation"
    NATIVE_CODE = "native_code"
    MISSING_PLATFORM = "missing_platform"
    LINKAGE = "linkage"
    HOST_LIMIT = "host_limit"
    NOT_IMITATED = "not_imitated"
    MISSING_LIBRARY = "missing_library"
    PROCESS_DIED = "process_died"


RULES: dict[SuspectRule, str] = {
    SuspectRule.TRANSLATION: "code of the app could not be translated from DEX for the JVM",
    SuspectRule.NATIVE_CODE: "the app needs native code, which this device does not run",
    SuspectRule.MISSING_PLATFORM: "a class or method of the Java library is missing that phones have",
    SuspectRule.LINKAGE: (
        "the JVM refused to link, verify or load code of the app (a LinkageError); Android accepts more, so translated "
        "code is the likelier cause"
    ),
    SuspectRule.HOST_LIMIT: (
        "the machine that runs the device had no more threads, files, observers or class memory, or the memory ended "
        "while no code of the app was among the first frames"
    ),
    SuspectRule.NOT_IMITATED: (
        "the exception is of a kind that code throws by accident, and its first frame outside of the Java library is "
        "the device's own or Robolectric's"
    ),
    SuspectRule.MISSING_LIBRARY: "the manifest asks for a library that this device does not have",
    SuspectRule.PROCESS_DIED: "the process that runs the app died, and not by an exception of the app",
}
"""What each rule says, in words for people."""


def rule_from_name(name: object) -> SuspectRule | None:
    """The rule of a name in a message or a file; None for a name that this version does not know."""
    try:
        return SuspectRule(name)
    except ValueError:
        return None

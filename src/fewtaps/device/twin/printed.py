"""What a bridge process printed for people, as far as it is the Java runtime's: the app prints to the same stream."""

from __future__ import annotations

import re

MOST_LINES = 60
"""So many of the last lines are kept."""

_FRAME = re.compile(r"\s*at [\w.$/<>]+\([\w.$ :-]*\)\s*")
_CLASS = r"(?:[a-z]\w*\.)+[A-Z][\w$]*"
_EXCEPTION = re.compile(rf"(\s*(?:Caused by: |Suppressed: )?{_CLASS}(?:Exception|Error|Throwable))(:.*)?")
_THREAD = re.compile(rf'(Exception in thread )"[^"]*" ({_CLASS})(:.*)?')
_RUNTIME = re.compile(r"#.*|\[[\d.]+s\]\[(?:warning|error)\b.*|(?:Error occurred during|OpenJDK|Java HotSpot|bwrap:).*")


def runtime_lines(printed: str) -> str:
    """The last lines of the Java runtime and of stacks; messages of exceptions and all other lines are left out."""
    kept = [line for line in map(_runtime_line, printed.splitlines()) if line is not None]
    left_out = len([line for line in printed.splitlines() if line.strip()]) - len(kept)
    note = [f"({left_out} other lines are left out)"] if left_out else []
    return "\n".join([*note, *kept[-MOST_LINES:]])


def _runtime_line(line: str) -> str | None:
    if _FRAME.fullmatch(line) or _RUNTIME.fullmatch(line):
        return line
    if found := _EXCEPTION.fullmatch(line):
        return found[1] + (": …" if found[2] else "")
    if found := _THREAD.fullmatch(line):
        return f"{found[1]}… {found[2]}" + (": …" if found[3] else "")
    return None

"""The child process in which a hostile file is decoded: it has little memory and little time, and answers in JSON.

The library that decodes Android's formats trusts the sizes that a file claims: a table of twelve bytes that claims 40
MB of zeros keeps it busy for ever. So it runs in a process of its own, `decode_in_child`. Whatever it does there,
the answer is data or an `ApkError` that names the part of the file.
"""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from collections.abc import Mapping
from typing import Any, BinaryIO

from fewtaps.errors import ApkError
from fewtaps.python_child import python_command, python_environment

SECONDS = 20
"""The time that decoding may take, of the processor and on the clock. Real apps take a few seconds at most."""
GRACE_SECONDS = 40
"""More time on the clock than of the processor, for a busy machine."""
MEMORY_BYTES = 2 << 30
ANSWER_BYTES = 256 << 20
_LENGTH = struct.Struct("<Q")
_FAILED = 1
"""Python's exit code after an exception. A process that reached a limit on time ends by a signal."""


class DecodingLimit(ApkError):
    """Decoding needed more time or memory than it may use."""


def decode_in_child(task: str, parts: Mapping[str, bytes], label: str) -> Any:
    """The answer of `fewtaps.apk.xml` to a task, as JSON data; `ApkError` if the parts cannot be decoded.

    `parts` are the contents of files by their names. `label` is put in front of an error.
    """
    command = python_command(__name__, task, str(SECONDS))
    message = b"".join(
        _LENGTH.pack(len(each)) + each for name in sorted(parts) for each in (name.encode(), parts[name])
    )
    try:
        done = subprocess.run(
            command,
            input=message,
            capture_output=True,
            timeout=SECONDS + GRACE_SECONDS,
            check=False,
            env=python_environment(),
        )
    except subprocess.TimeoutExpired:
        raise DecodingLimit(f"{label} cannot be decoded: it took longer than {SECONDS} s") from None
    except OSError as error:
        raise ApkError(f"{label} cannot be decoded: no process can be started ({error.strerror or error})") from error
    if done.returncode == _FAILED and b"MemoryError" not in done.stderr:
        reason = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise ApkError(f"{label} cannot be decoded: {reason[:200]!r}")
    if done.returncode != 0 or len(done.stdout) > ANSWER_BYTES:
        # Ended by a limit; the limit on time is a signal, the one on memory an error.
        limits = f"{SECONDS} s or {MEMORY_BYTES >> 30} GB of memory"
        raise DecodingLimit(f"{label} cannot be decoded: it needs more than {limits}")
    match _answer(done.stdout):
        case {"error": str(reason)}:
            raise ApkError(f"{label} {reason}")
        case {"ok": decoded}:
            return decoded
    raise ApkError(f"{label} cannot be decoded: the process that decodes it gave no answer")


def _answer(text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _limit(seconds: int) -> None:
    try:
        import resource
    except ImportError:
        # Windows has no such limits; the deadline of the parent holds there too.
        return
    for kind, most in ((resource.RLIMIT_AS, MEMORY_BYTES), (resource.RLIMIT_CPU, seconds), (resource.RLIMIT_CORE, 0)):
        _, hard = resource.getrlimit(kind)
        resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _read_parts(stream: BinaryIO) -> dict[str, bytes]:
    texts: list[bytes] = []
    while head := stream.read(_LENGTH.size):
        (length,) = _LENGTH.unpack(head)
        texts.append(stream.read(length))
    return {name.decode(): content for name, content in zip(texts[::2], texts[1::2], strict=True)}


def main() -> int:
    """Decodes what comes on standard input and answers on standard output."""
    from fewtaps.apk.xml import TASKS

    parts = _read_parts(sys.stdin.buffer)
    _limit(int(sys.argv[2]))
    try:
        answer = {"ok": TASKS[sys.argv[1]](parts)}
    except ApkError as error:
        answer = {"error": str(error)}
    json.dump(answer, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())

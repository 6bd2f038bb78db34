"""Replies chosen by the code that they reach, by atheris: guided.py SECONDS SEED. What fails is a file of the crash."""

from __future__ import annotations

import importlib
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

NOT_HERE = 3


def main(seconds: int, seed: int) -> int:
    try:
        atheris: Any = importlib.import_module("atheris")
    except ImportError:
        sys.stderr.write("atheris is not installed: pip install atheris\n")
        return NOT_HERE
    with atheris.instrument_imports(include=["fewtaps"]):
        from fuzz.replies import GOOD, NUMBER, failure_of_reply

    kinds = sorted(GOOD)

    def read(content: bytes) -> None:
        """The first byte chooses the kind of reply."""
        kind = kinds[content[0] % len(kinds)] if content else kinds[0]
        error = failure_of_reply(kind, b'{"id":%d,"ok":' % NUMBER + content[1:] + b"}")
        if error is not None:
            raise AssertionError(f"{kind}: {error}")

    with tempfile.TemporaryDirectory() as corpus:
        for number, kind in enumerate(kinds):
            Path(corpus, kind).write_bytes(bytes([number]) + json.dumps(GOOD[kind][0]).encode())
        options = [
            f"-max_total_time={seconds}",
            f"-seed={seed % (1 << 31) or 1}",
            "-rss_limit_mb=4096",
            "-max_len=65536",
        ]
        atheris.Setup([sys.argv[0], *options, corpus], read)
        # Ends the process.
        atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))

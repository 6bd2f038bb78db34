"""A file that has no end, or links in a circle, named on the command line, are refused in one line."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from fewtaps.cli.main import main
from fewtaps.errors import UsageError
from fewtaps.files import LARGEST_INSIDE, read_inside, read_named_text

CALC = Path(__file__).resolve().parents[2] / "samples" / "calc.apk"
ENDLESS = "/dev/zero"
MOST_BYTES = 4 << 30
DEADLINE_SECONDS = 120
"""A command that reads on ends here, or at the limit on its memory."""

COMMANDS = {
    "a list of apps": ["campaign", ENDLESS, "-o", "night"],
    "a key": ["instrument", str(CALC), "-o", "out.apk", "--key", ENDLESS],
    "a file of keys": ["device", "serve", "sim:bill", "--port", "0", "--auth", ENDLESS],
    "the file of --network": ["explore", "sim:bill", "--events", "1", "--network", f"har:{ENDLESS}"],
    "the same": ["explore", "sim:bill", "--events", "1", "--network", f"openapi:{ENDLESS}"],
    "a baseline": ["run", "sim:bill", "--events", "1", "--fail-on", "new-crash", "--baseline", ENDLESS],
    "a trace": ["play", "sim:bill", ENDLESS],
    "an app": ["show", ENDLESS],
}


def limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))


@pytest.mark.slow
@pytest.mark.skipif(not Path(ENDLESS).exists(), reason=f"there is no {ENDLESS}")
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_file_without_end_is_refused(command: list[str], tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "fewtaps", *command],
        capture_output=True,
        text=True,
        timeout=DEADLINE_SECONDS,
        stdin=subprocess.DEVNULL,
        cwd=tmp_path,
        preexec_fn=limit_memory,
    )
    assert done.returncode == 2, done.stderr
    assert ENDLESS in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_file_beyond_its_limit_is_not_read(tmp_path: Path) -> None:
    large = tmp_path / "large"
    large.write_bytes(b"12345")
    assert read_named_text(large, 5, "a number") == "12345"
    with pytest.raises(UsageError, match="too large for a number"):
        read_named_text(large, 4, "a number")
    assert read_inside(large, 5) == b"12345"
    with pytest.raises(OSError, match="too large"):
        read_inside(large, 4)
    os.truncate(large, LARGEST_INSIDE + 1)
    with pytest.raises(OSError, match="too large"):
        read_inside(large)


@pytest.mark.parametrize(
    "command",
    [
        ["merge", "all", "LOOP"],
        ["report", "LOOP"],
        ["export", "all", "LOOP", "3f9a", "-o", "exports"],
        ["export", "espresso-java", "LOOP"],
        ["test", "LOOP", "sim:bill"],
        ["scrub", "LOOP", "--yes"],
        ["explore", "sim:bill", "-o", "LOOP", "--events", "1"],
        ["explore", "sim:bill", "-o", "new", "--events", "1", "--junit", "LOOP"],
        ["crashes", "sim:bill", "--dir", "LOOP"],
        ["campaign", "LOOP"],
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_links_in_a_circle_are_refused(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("loop").symlink_to("loop")
    code = main(["loop" if word == "LOOP" else word for word in command])
    errors = capsys.readouterr().err
    assert code == 2, errors
    assert len(errors.splitlines()) == 1

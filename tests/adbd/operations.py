"""More than 120 operations of adb, for a comparison of two devices; writes what each came to as JSON. A program.

Run with the program of adb, the port of its server, the serial number, and a folder of its own on the device.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

SIZES = (0, 1, 2, 511, 4096, 65535, 65536, 65537, 262_144, 1_000_000, 5_000_000, 64 << 20)
STATUSES = (0, 1, 2, 3, 7, 42, 63, 64, 100, 125, 126, 127, 128, 129, 143, 200, 254, 255)
MODES = (0o644, 0o600, 0o755, 0o444, 0o640)
STREAMS = 50

Outcome = dict[str, object]


class Adb:
    """Runs adb on one device."""

    def __init__(self, program: str, port: str, serial: str) -> None:
        self.words = [program, "-P", port, "-s", serial]

    def start(self, *words: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return subprocess.run([*self.words, *words], input=stdin, capture_output=True, timeout=240, check=False)

    def run(self, *words: str, stdin: bytes = b"") -> Outcome:
        """Status, output and errors; long ones by their digest."""
        done = self.start(*words, stdin=stdin)
        return {"status": done.returncode, "out": _shown(done.stdout), "err": _shown(done.stderr)}


def _shown(data: bytes) -> str:
    return data.decode("latin-1") if len(data) < 400 else f"{len(data)} bytes {hashlib.sha256(data).hexdigest()[:16]}"


def operations(adb: Adb, there: str, here: Path) -> Iterator[tuple[str, Outcome]]:
    """Every operation by its name, with what it came to."""
    adb.start("shell", f"rm -rf {there}; mkdir -p {there}")
    for size in SIZES:
        source, back = here / f"s{size}", here / f"b{size}"
        source.write_bytes(Random(size).randbytes(size))
        pushed = adb.start("push", str(source), f"{there}/s{size}")
        pulled = adb.start("pull", f"{there}/s{size}", str(back))
        same = back.exists() and back.read_bytes() == source.read_bytes()
        yield f"push and pull {size}", {"push": pushed.returncode, "pull": pulled.returncode, "same": same}
    yield "sizes", adb.run("shell", f"cd {there}; stat -c '%n %s' s0 s1 s65537 s{64 << 20}")
    adb.start("shell", f"rm {there}/s{64 << 20}")
    for mode in MODES:
        source = here / f"m{mode:o}"
        source.write_bytes(b"x")
        source.chmod(mode)
        adb.start("push", str(source), f"{there}/m{mode:o}")
        yield f"mode {mode:o}", adb.run("shell", f"stat -c '%a %F %s' {there}/m{mode:o}")
    for status in STATUSES:
        yield f"exit {status}", adb.run("shell", f"exit {status}")
    for name, words in _plain(there):
        yield name, adb.run(*words)
    for name, line, stdin in _with_input(there):
        yield name, adb.run("shell", line, stdin=stdin)
    yield "exec-out", adb.run("exec-out", f"cat {there}/s5000000")
    yield "exec-in", adb.run("exec-in", f"cat > {there}/in", stdin=Random(3).randbytes(100_000))
    # adb does not wait for the end of the command that it has given all input.
    for _ in range(50):
        if adb.start("shell", f"wc -c < {there}/in").stdout.strip() == b"100000":
            break
        time.sleep(0.1)
    yield "what exec-in wrote", adb.run("shell", f"wc -c < {there}/in; md5sum < {there}/in")
    yield from _folders(adb, there, here)
    lines = [[*adb.words, "shell", f"echo {number}; exit {number}"] for number in range(STREAMS)]
    running = [subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) for line in lines]
    ended = [(process.communicate(timeout=240)[0].decode(), process.returncode) for process in running]
    yield f"{STREAMS} streams", {"ended": ended}
    yield "cleaned", adb.run("shell", f"rm -rf {there}; ls {there}")


def _plain(there: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    shell = {
        "echo": "echo hello",
        "no line end": "printf abc",
        "two lines": "echo a; echo b",
        "errors apart": "echo out; ls /none-such; echo $?",
        "errors joined": "ls /none-such 2>&1",
        "errors dropped": "ls /none-such 2>/dev/null",
        "status of a pipe": "false | true",
        "status of a pipe that fails": "true | false",
        "and": "true && echo yes",
        "and not": "false && echo yes",
        "or": "false || echo no",
        "or not": "true || echo no",
        "quotes": "echo 'a  b' \"c  d\" e\\ \\ f",
        "a variable": "X='a b'; echo $X; echo \"$X\"",
        "a status": "false; echo $?; true; echo $?",
        "an unknown command": "no-such-command; echo $?",
        "an unknown command's status": "no-such-command 2>/dev/null",
        "a syntax error's status": "echo 'abc 2>/dev/null; exit",
        "write and read": f"echo one > {there}/w; echo two >> {there}/w; cat {there}/w",
        "input from a file": f"cat < {there}/w",
        "a missing input": f"cat < {there}/none 2>/dev/null; echo $?",
        "a pipe": f"cat {there}/w | tail -n 1",
        "three pipes": f"cat {there}/w {there}/w | sort | head -n 3 | wc -l",
        "grep": f"grep tw {there}/w",
        "grep finds nothing": f"grep xyz {there}/w",
        "head": f"head -n 1 {there}/w",
        "md5sum": f"md5sum {there}/s65536",
        "sha256sum": f"sha256sum {there}/s1",
        "base64": "printf hello | base64",
        "test -f": f"test -f {there}/w && echo file",
        "test -d": f"test -d {there} && echo folder",
        "test -e": f"[ -e {there}/none ] || echo none",
        "numbers": "[ 3 -gt 2 ] && echo more",
        "texts": "[ a = b ] || echo other",
        "mkdir": f"mkdir {there}/d; echo $?; mkdir {there}/d 2>/dev/null; echo $?",
        "mkdir -p": f"mkdir -p {there}/d/e/f && ls {there}/d",
        "cp": f"cp {there}/w {there}/d/c && cat {there}/d/c",
        "mv": f"mv {there}/d/c {there}/d/m && ls {there}/d",
        "rm": f"rm {there}/d/m && ls {there}/d",
        "rm of nothing": f"rm {there}/d/none 2>/dev/null; echo $?",
        "rm -f of nothing": f"rm -f {there}/d/none; echo $?",
        "rmdir": f"rmdir {there}/d/e/f && ls {there}/d/e",
        "ln": f"ln -s w {there}/l && cat {there}/l",
        "find": f"cd {there}; find d",
        "chmod": f"chmod 600 {there}/w; stat -c %a {there}/w",
        "cd": f"cd {there}/d && pwd",
        "cd to nothing": f"cd {there}/none 2>/dev/null; echo $?",
        "dd": f"dd if={there}/s4096 bs=1024 count=2 2>/dev/null | wc -c",
        "tr": "echo abc | tr a-c A-C",
        "tee": f"echo t | tee {there}/t; cat {there}/t",
        "xargs": "echo a b | xargs echo x",
        "sh -c": "sh -c 'echo in; exit 9'; echo $?",
        "exit in the middle": "echo a; exit 5; echo b",
        "true": "true",
        "a comment": "echo a # b",
        "dots": f"ls {there}/d/../d/../w",
        "umlauts": "echo äöü€𝄞",
        "printf of words": "printf '%s-%d\\n' a 7",
        "echo -n": "echo -n x; echo y",
        "sort -r": "printf 'a\\nc\\nb\\n' | sort -r",
        "sort -n": "printf '10\\n9\\n' | sort -n",
        "tail of two": f"tail -n 2 {there}/w",
        "head -c": f"head -c 3 {there}/w",
        "wc -c": f"wc -c < {there}/s65537",
        "grep -c": f"grep -c o {there}/w",
        "grep -v": f"grep -v one {there}/w",
        "grep -i": f"grep -i ONE {there}/w",
        "sha1sum": f"sha1sum {there}/s511",
        "base64 -d": "printf aGVsbG8= | base64 -d",
        "test -s": f"test -s {there}/s0 || echo empty",
        "test -z": "[ -z '' ] && [ -n x ] && echo both",
        "touch": f"touch {there}/new; stat -c %s {there}/new",
        "find -name": f"cd {there}; find . -name 's409*'",
        "cat of two": f"cat {there}/w {there}/t",
        "rm -r": f"rm -r {there}/d; test -e {there}/d; echo $?",
        "a group of commands": "false || true && echo yes; false && true || echo no",
        "an empty line": "",
    }
    for name, line in shell.items():
        yield name, ("shell", line)
    yield "shell -x", ("shell", "-x", "echo out; echo err >&2")
    yield "pull of nothing", ("pull", f"{there}/none", "/dev/null")
    yield "shell -n", ("shell", "-n", "echo x")


def _with_input(there: str) -> Iterator[tuple[str, str, bytes]]:
    yield "stdin", "cat", b"hello\nworld"
    yield "empty stdin", "cat; echo end", b""
    yield "binary stdin", "md5sum", bytes(range(256)) * 50
    yield "a megabyte", "wc -c", Random(5).randbytes(1_000_000)
    yield "stdin into a file", f"cat > {there}/i; wc -c < {there}/i", Random(6).randbytes(70_000)
    yield "stdin that is not read", "echo done", b"x" * 1000
    yield "line ends", "cat | base64", b"a\r\nb\n\r\n\x00\x04\x1a"


def _folders(adb: Adb, there: str, here: Path) -> Iterator[tuple[str, Outcome]]:
    tree = here / "tree"
    for name in ("a", "b/c", "b/d/e é", "f"):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(name)
    yield "push of a folder", {"status": adb.start("push", str(tree), f"{there}/tree").returncode}
    yield "what is in it", adb.run("shell", f"cd {there}/tree; find . -type f | sort")
    adb.start("pull", f"{there}/tree", str(here / "back"))
    found = sorted(str(path.relative_to(here / "back")) for path in (here / "back").rglob("*") if path.is_file())
    yield "pull of a folder", {"found": found}
    listed = adb.start("ls", f"{there}/tree").stdout.decode()
    yield "ls", {"names": sorted(line.split()[-1] for line in listed.splitlines() if not line.endswith((" .", " ..")))}
    (here / "x").write_text("x")
    below = adb.start("push", str(here / "x"), f"{there}/w/below")
    yield "push below a file", {"status": below.returncode, "reason": b"Not a directory" in below.stderr + below.stdout}
    dots = adb.start("push", str(here / "x"), f"{there}/../{Path(there).name}/dots")
    yield "push with dots", {"status": dots.returncode}
    yield "what came of the dots", adb.run("shell", f"cat {there}/dots")
    missing = adb.start("pull", f"{there}/missing", str(here / "y"))
    yield "pull of a missing file", {"status": missing.returncode, "made": (here / "y").exists()}


def main(program: str, port: str, serial: str, there: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        found = dict(operations(Adb(program, port, serial), there, Path(folder)))
    json.dump(found, sys.stdout, indent=1)


if __name__ == "__main__":
    main(*sys.argv[1:])

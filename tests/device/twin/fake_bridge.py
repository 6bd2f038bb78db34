"""A bridge without Java: speaks the real protocol on standard input and output, and misbehaves when told to.

The text of a `text` event names what goes wrong.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import zipfile
from typing import Any

SCREEN: dict[str, Any] = {
    "package": "com.a",
    "activity": "com.a.Main",
    "width": 720,
    "height": 1280,
    "rotation": 0,
    "keyboard": False,
    "windows": [
        {
            "title": "Main",
            "kind": "activity",
            "focused": True,
            "touchable": True,
            "root": {"class": "android.widget.FrameLayout", "bounds": [0, 0, 720, 1280], "flags": "e"},
        }
    ],
}
NO_MEMORY = "There is insufficient memory for the Java Runtime Environment to continue"
# A PNG of one pixel.
PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII="


def say(record: dict[str, Any]) -> None:
    os.write(1, json.dumps(record, separators=(",", ":")).encode() + b"\n")


def step(ending: str = "running", **more: Any) -> dict[str, Any]:
    new = {"branches": [1], "lines": [1, 2], "methods": []}
    return {"screen": SCREEN, "new": new, "log": [], "crash": None, "ending": ending, "clock_ms": 500, **more}


def misbehave(how: str, number: int) -> dict[str, Any] | None:
    """Do what the word says; returns what is to be answered, if anything."""
    if how == "segfault":
        os.kill(os.getpid(), signal.SIGSEGV)
    if how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if how == "exit":
        print("going", file=sys.stderr)
        os._exit(7)
    if how == "full":
        os._exit(5)
    if how == "no addresses":
        print(f"#\n# {NO_MEMORY}.\n# An error report file is saved as:\n", flush=True)
        os._exit(1)
    if how == "forbidden":
        os.kill(os.getpid(), signal.SIGSYS)
    if how == "newlines":
        while True:
            os.write(1, b"\n" * 65536)
    if how == "drops":
        # One line at a time, for ever, faster than the deadline but never much at once.
        while True:
            os.write(1, b"x\n")
            time.sleep(0.01)
    if how == "endless line":
        while True:
            os.write(1, b"x" * 65536)
    if how == "brackets":
        # A line of few megabytes that would take hundreds when read.
        os.write(1, b'{"id":%d,"ok":{"screen":[' % number)
        for _ in range(300):
            os.write(1, b"[]," * 10_000)
        os.write(1, b"0]}}\n")
    if how in ("numbers", "texts"):
        # So does one of numbers, or of texts.
        os.write(1, b'{"id":%d,"ok":{"log":[' % number)
        for _ in range(260):
            os.write(1, (b"300," if how == "numbers" else b'"",') * 10_000)
        os.write(1, b'""]}}\n')
    if how == "silence":
        time.sleep(3600)
    if how == "chatter":
        sys.stderr.write("x" * (1 << 20) + "\nthe end\n")
        sys.stderr.flush()
    if how == "noise":
        os.write(1, b"native code printed this\n{broken json\npartly ")
    if how == "stranger":
        say({"id": 1, "ok": {"forged": True}})
        say({"id": number - 1, "ok": {}})
    if how == "malformed":
        return {"ok": {"screen": 17}}
    if how == "hang":
        crash: dict[str, Any] = {"kind": "anr", "thread": "main", "exceptions": []}
        return {"ok": step("anr", crash=crash, fatal=True)}
    if how == "crash":
        exception = {"type": "java.lang.ArithmeticException", "message": "/ by zero", "frames": []}
        crash = {"kind": "exception", "thread": "main", "exceptions": [exception]}
        return {"ok": step("crashed", crash=crash)}
    if how == "fail":
        return {"error": {"kind": "internal", "message": "NullPointerException", "stack": "at x.y"}}
    return None


def report(request: dict[str, Any]) -> dict[str, Any]:
    """The title of a report says what is wrong with it."""
    title = request["title"]
    with open(request["executions"], "rb") as stream:
        executions = stream.read()
    if title == "not.data":
        return {"error": {"kind": "usage", "message": "not JaCoCo's execution data", "stack": ""}}
    if title == "dying":
        os.kill(os.getpid(), signal.SIGKILL)
    with zipfile.ZipFile(request["path"], "w") as archive:
        if request["xml"]:
            archive.writestr("jacoco.xml", f"<report>{executions.hex()}</report>")
        if request["html"]:
            archive.writestr("html/index.html", "the pages")
            archive.writestr("html/jacoco-resources/report.css", "")
            archive.writestr("html/a.b/C.java.html", "1" if "sources" in request else "0")
        if title == "leading.elsewhere":
            archive.writestr("html/../../stolen", "")
    if title == "broken":
        os.truncate(request["path"], 40)
    counts = {"executed": 5, "foreign": 2 if title == "other.build" else 0}
    return {"ok": counts | ({"sources_wanted": 4, "sources_found": 3} if "sources" in request else {})}


def answer(number: int, request: dict[str, Any], state: dict[str, Any]) -> dict[str, Any]:
    verb = request["do"]
    if verb == "open":
        if "unsupported" in os.environ.get("FAKE_OPEN", ""):
            return {"error": {"kind": "unsupported", "message": "only native code", "stack": ""}}
        with open(request["apk"], "rb") as stream:
            state["apk"] = stream.read()
        notes = ["a note"]
        if "translated" in request:
            with open(request["translated"], "rb") as stream:
                notes.append(f"{len(stream.read())} bytes of translated classes")
        return {"ok": {"package": "com.a", "main": "com.a.Main", "classes": 3, "notes": notes, "probes": {}}}
    if verb == "launch":
        if request["world"] == 666:
            misbehave("kill", number)
        if request.get("mutant", {}).get("index") == 13:
            return {"error": {"kind": "unviable", "message": "MATH at instruction 13 cannot run", "stack": ""}}
        # Grows by what the world says, so that a test can make it too large.
        state["ballast"] = b"x" * (request["world"] << 20)
        state["asked"] = {name: request[name] for name in ("mutant", "turns_limit") if name in request}
        return {"ok": step(log=[f"process {os.getpid()}", *([str(state["asked"])] if state["asked"] else [])])}
    if verb == "perform":
        wrong = misbehave(request["event"].get("text", ""), number)
        return wrong if wrong is not None else {"ok": step()}
    if verb == "screenshot":
        return {"ok": {"png": PICTURE}}
    if verb == "listening":
        return {"ok": {"actions": ["com.a.PING", "android.intent.action.SCREEN_OFF"]}}
    if verb == "decisions":
        return {"ok": {"decisions": [["work begun at Main.load (Main.java:7)", 3000, 3340]]}}
    if verb == "translated":
        return {"ok": {"data": "UEsF"}}
    if verb == "execution":
        return {"ok": {"data": "AcDA"}}
    if verb == "mutants":
        fields = ["m", "()I", 7, "MATH", 3, 0, None, "replaced integer addition with subtraction", "iadd"]
        mutants = [fields[:-1]] if "BROKEN" in request.get("operators", ()) else [fields]
        return {"ok": {"classes": [{"name": "a.B", "file": "B.java", "mutants": mutants}]}}
    if verb == "turns":
        return {"ok": {"turns": 12, "endless": False}}
    if verb == "probes":
        return {"ok": {"classes": [{"name": "a.B", "file": "B.java", "methods": [[0, "m", "()V", 3]]}]}}
    if verb == "report":
        return report(request)
    return {"error": {"kind": "usage", "message": f"unknown request '{verb}'", "stack": ""}}


def main() -> None:
    start = sys.argv[2] if len(sys.argv) > 2 else ""
    if start == "stillborn":
        sys.exit("Error: could not find or load main class")
    if start == "mute":
        time.sleep(3600)
    say({"hello": {"protocol": 99 if start == "newer" else 1, "java": "17", "api": int(sys.argv[1])}})
    state: dict[str, Any] = {}
    for line in sys.stdin:
        request = json.loads(line)
        number = request["id"]
        if request["do"] == "quit":
            say({"id": number, "ok": {}})
            return
        say({"id": number, **answer(number, request, state)})


if __name__ == "__main__":
    main()

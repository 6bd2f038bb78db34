"""`fewtaps mcp` on a real twin: the conversation of the tutorial, and a client that is killed.

A block of the tutorial fenced as `mcp` holds calls (`> TOOL ARGUMENTS`) and the texts of their answers. A line `...`
stands for any lines. All blocks are one conversation.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import anyio
import pytest
from agentserver.conversation import Conversation, converse
from processes import started

from fewtaps.device.twin.jail import jail_problem

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
pytestmark = pytest.mark.jvm
OPTIONS = () if jail_problem() is None else ("--no-jail",)

CLIENT = """
import sys
from pathlib import Path
from agentserver.conversation import Conversation, converse

async def said(agent):
    await agent.call("open_app", app="zones.apk")
    print("open", flush=True)
    await agent.call("run", app="zones.apk", minutes=10)

converse(said, [Path(sys.argv[1])], *sys.argv[2:])
"""


def exchanges() -> list[tuple[str, dict[str, Any], str]]:
    """The calls of the tutorial with the texts that it says they return."""
    page = (SAMPLES.parent / "docs" / "tutorial.md").read_text("utf-8")
    blocks = re.findall(r"^```mcp\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    found = []
    for part in re.split(r"^> ", "".join(blocks), flags=re.MULTILINE)[1:]:
        line, _, text = part.partition("\n")
        name, _, arguments = line.partition(" ")
        found.append((name, json.loads(arguments), text))
    return found


def pattern_of(text: str) -> str:
    return "".join("(?:.*\n)*?" if line == "..." else re.escape(line) + "\n" for line in text.splitlines())


@pytest.fixture
def allowed(tmp_path: Path) -> Path:
    """The folder of the tutorial: a build of an app with a fault and its sources, and the build with the fault mended.

    It is all that the tools may reach.
    """
    changed = SAMPLES / "changed"
    shutil.copy(changed / "new-crash.apk", tmp_path / "zones.apk")
    shutil.copytree(SAMPLES / "zones" / "src", tmp_path / "src")
    with (changed / "new-crash" / "change.patch").open("rb") as patch:
        subprocess.run(["git", "apply", "-"], stdin=patch, cwd=tmp_path, check=True)
    (tmp_path / "build").mkdir()
    shutil.copy(SAMPLES / "zones.apk", tmp_path / "build" / "zones.apk")
    return tmp_path


def test_the_conversation_of_the_tutorial_is_what_really_happens(allowed: Path) -> None:
    async def said(agent: Conversation) -> None:
        for name, arguments, text in exchanges():
            answered = await agent.call(name, **arguments)
            assert re.fullmatch(pattern_of(text), answered.text + "\n"), answered.text
        # The app of the first call is still open, and what was found can be asked for.
        assert (await agent.call("screen", picture=True)).pictures
        detail = await agent.call("crash", project="fewtaps-zones", id="80254e", pictures=True)
        assert detail.data["slice"]["lines"][0]["app_place"] == "Place.java:30" and detail.pictures
        covered = await agent.call("coverage", project="fewtaps-zones", class_name="Place")
        assert 30 not in covered.data["missed_lines"] and covered.data["missed_lines"]
        assert (allowed / "TimeZonesTest.kt").is_file()

    assert [name for name, _, _ in exchanges()] == ["open_app", "tap", "run", "explain", "write_test", "replay"]
    converse(said, [allowed], *OPTIONS)


def test_a_killed_client_leaves_no_process_of_the_twin(allowed: Path) -> None:
    with started([sys.executable, "-c", CLIENT, str(allowed), *OPTIONS], env=with_tests()) as client:
        assert client.stdout is not None and client.stdout.readline() == "open\n"
        members = descendants(client.pid)
        # The server, the jail if there is one, and Java.
        assert len(members) >= 2
        client.send_signal(signal.SIGKILL)
        client.wait()
        deadline = time.monotonic() + 30
        while (left := [pid for pid in members if is_running(pid)]) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert not left


def test_opening_an_app_is_cancelled_while_its_device_starts(allowed: Path) -> None:
    others = set(twins())

    def own_twins() -> list[int]:
        return [pid for pid in twins() if pid not in others]

    async def said(agent: Conversation) -> None:
        with anyio.move_on_after(120) as scope:
            async with anyio.create_task_group() as tasks:

                async def cancel_when_it_starts() -> None:
                    while not own_twins():
                        await anyio.sleep(0.02)
                    scope.cancel()

                tasks.start_soon(cancel_when_it_starts)
                await agent.call("open_app", app="zones.apk")
        assert scope.cancelled_caught
        # Refused by the same lane: the call before has ended, and its device with it.
        assert "no app is open" in await agent.refused("screen")
        deadline = time.monotonic() + 30
        while (left := own_twins()) and time.monotonic() < deadline:
            await anyio.sleep(0.1)
        assert not left
        assert (await agent.call("open_app", app="zones.apk")).data["ending"] == "running"

    converse(said, [allowed], *OPTIONS)


def twins() -> list[int]:
    """The processes of Java below this one."""
    return [pid for pid in descendants(os.getpid()) if b"dev.fewtaps.twin.BridgeMain" in command_line(pid)]


def command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def with_tests() -> dict[str, str]:
    """The environment in which a child finds the modules of the tests."""
    folders = (str(SAMPLES.parent / "tests"), os.environ.get("PYTHONPATH", ""))
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, folders))}


def descendants(pid: int) -> list[int]:
    """The children of a process, of any of its threads, and theirs."""
    parents = {number: fields[1] for number in all_processes() if (fields := status_fields(number))}
    found = [pid]
    for each in found:
        found += [number for number, parent in parents.items() if parent == str(each)]
    return found[1:]


def all_processes() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal()]


def status_fields(pid: int) -> list[str]:
    """The state and the parent of a process; empty if there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def is_running(pid: int) -> bool:
    """Whether there is such a process that is not just waiting to be collected by its parent."""
    return status_fields(pid)[:1] not in ([], ["Z"])

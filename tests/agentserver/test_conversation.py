"""Whole conversations with `fewtaps mcp`: the SDK's own client, a process, its pipes, the simulated device."""

from __future__ import annotations

import base64
import time
from pathlib import Path

import anyio
import pytest
from agentserver.conversation import Conversation, converse

APP = "sim:bill"
pytestmark = pytest.mark.slow


def test_forty_calls_use_an_app_find_its_crashes_and_write_tests(tmp_path: Path) -> None:
    async def said(agent: Conversation) -> None:
        names = {tool.name for tool in (await agent.client.list_tools()).tools}
        assert {"open_app", "tap", "run", "crash", "explain", "write_test", "run_suite", "coverage"} <= names

        opened = await agent.call("open_app", app=APP, picture=True)
        assert opened.data["step"] == 0 and opened.data["ending"] == "running"
        assert base64.b64decode(opened.pictures[0]).startswith(b"\x89PNG")
        for _ in range(4):
            shown = await agent.call("screen")
            assert shown.data["widgets"] == opened.data["widgets"] and not shown.pictures
        typed = await agent.call("type_text", text="12", number=opened.numbers["100"], replace=True)
        assert "12" in typed.numbers
        assert (await agent.call("type_text", text="34")).numbers.keys() & {"1234"}
        turned = await agent.call("rotate", picture=True)
        assert turned.data["step"] == 3 and turned.pictures
        assert (await agent.call("rotate", orientation="portrait")).data["step"] == 4
        assert (await agent.call("wait", milliseconds=60_000)).data["step"] == 5
        assert (await agent.call("swipe", direction="up")).data["step"] == 6
        assert (await agent.call("swipe", direction="left", number=1)).data["step"] == 7
        about = await agent.call("tap", number=turned.numbers["About"])
        back = await agent.call("press_key")
        assert back.numbers and back.numbers != about.numbers
        assert (await agent.call("undo")).numbers == about.numbers
        assert (await agent.call("press_key", key="keycode_back")).numbers == back.numbers
        for kind in ("long", "twice"):
            assert not (await agent.call("tap", number=back.numbers["More people"], kind=kind)).data["crash"]
        point = await agent.call("tap", x=5, y=5)
        assert point.data["step"] == 12
        assert "lines that the app logged" in (await agent.call("app_log", lines=5)).text
        fresh = await agent.call("restart_app")
        assert fresh.data["step"] == 0 and fresh.numbers == opened.numbers
        crashed = await agent.call("tap", number=fresh.numbers["Split"])
        assert crashed.data["ending"] == "crashed" and "ArithmeticException" in crashed.data["crash"]["app_summary"]
        assert "call restart_app" in await agent.refused("tap", number=1)
        saved = await agent.call("save_steps", path="crash.jsonl")
        assert saved.data["path"] == str(tmp_path / "crash.jsonl")
        reduced = await agent.call("reduce", app=APP, steps="crash.jsonl", project="bill")
        assert reduced.data["after"] == 1 and reduced.data["is_minimal"]

        messages: list[str] = []
        ran = await agent.call("run", messages, app=APP, project="bill", minutes=1, events=300, suite=True)
        assert messages and "events" in messages[-1]
        found = {each["crash"]["id"] for each in ran.data["crashes"]}
        assert crashed.data["crash"]["id"] in found
        listed = await agent.call("crashes", project="bill")
        assert {each["crash"]["id"] for each in listed.data["crashes"]} == found
        for name in sorted(found)[:2]:
            detail = await agent.call("crash", project="bill", id=name[:6], pictures=True)
            assert detail.data["app_steps"][0] == "Launch" and detail.data["app_stack"]
            assert len(detail.pictures) == detail.data["pictures"] > 0
            replayed = await agent.call("replay", app=APP, project="bill", steps=name, worlds=3)
            assert (replayed.data["met"], replayed.data["runs"]) == (3, 3)
            assert replayed.data["app_steps"] == detail.data["app_steps"]
            for form in ("espresso-kotlin", "maestro", "adb"):
                written = await agent.call("write_test", format=form, project="bill", steps=name)
                assert written.data["files"][0]["app_text"]
        to_file = await agent.call(
            "write_test", format="robolectric-java", project="bill", steps="crash.jsonl", output="CrashTest.java"
        )
        assert "class CrashTest" not in to_file.text and (tmp_path / "CrashTest.java").stat().st_size > 1000
        suite = await agent.call("run_suite", suite="bill/suite", app=APP)
        assert suite.data["tests"] > 0 and not suite.data["is_failure"]
        whole = await agent.call("coverage", project="bill")
        assert whole.data["lines_covered"] <= whole.data["lines_total"]
        assert (await agent.call("close_app")).data["done"] == "closed"
        assert agent.calls >= 40

    converse(said, [tmp_path])


def test_bad_input_is_refused_in_one_line_and_the_server_goes_on(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    inside = tmp_path / "inside"
    for folder in (outside, inside):
        folder.mkdir()
    (outside / "secret.apk").write_bytes(b"an apk")
    (inside / "link").symlink_to(outside)
    (inside / "none.apk").write_bytes(b"no apk")

    async def said(agent: Conversation) -> None:
        assert "open_app" in await agent.refused("screen")
        assert "no such simulated app" in await agent.refused("open_app", app="sim:nothing")
        assert "no such file" in await agent.refused("open_app", app="missing.apk")
        assert await agent.refused("open_app", app="none.apk")
        for path in (str(outside / "secret.apk"), "../outside/secret.apk", "link/secret.apk", "/etc/passwd"):
            assert "outside of the folders" in await agent.refused("open_app", app=path)
            assert "outside of the folders" in await agent.refused("replay", app=APP, steps=path)
        assert "null character" in await agent.refused("open_app", app="a\0b.apk")
        assert "at most 1000" in await agent.refused("open_app", app="x" * 1_000_000)
        assert "no argument" in await agent.refused("screen", wrong=1)
        assert "is missing" in await agent.refused("open_app")
        assert "whole number" in await agent.refused("tap", number="one")
        assert "whole number" in await agent.refused("tap", number=True)
        assert "between" in await agent.refused("wait", milliseconds=-1)
        assert "none of" in await agent.refused("swipe", direction="sideways")
        assert "is no tool" in await agent.refused("rm")
        assert "no project" in await agent.refused("crashes", project="nothing")
        assert "no project" in await agent.refused("crash", project=APP, id="0123")
        opened = await agent.call("open_app", app=APP)
        assert "no number 99" in await agent.refused("tap", number=99)
        assert "either a number" in await agent.refused("tap", number=1, x=1, y=1)
        assert "a text is needed" in await agent.refused("type_text", text="")
        assert "key" in await agent.refused("press_key", key="no key!")
        assert "ends in .jsonl" in await agent.refused("save_steps", path=".bashrc")
        assert "outside of the folders" in await agent.refused("save_steps", path="../outside/a.jsonl")
        assert "outside of the folders" in await agent.refused("save_steps", path="link/a.jsonl")
        await agent.call("save_steps", path="a.jsonl")
        assert "exists" in await agent.refused("save_steps", path="a.jsonl")
        assert (await agent.call("screen")).data["widgets"] == opened.data["widgets"]
        await agent.call("run", app=APP, minutes=0.2, events=50)
        assert "no crash" in await agent.refused("crash", project=APP, id="ffffffffffff")
        assert not list(outside.glob("*.jsonl"))

    converse(said, [inside])


def test_a_cancelled_run_ends_keeps_what_it_found_and_leaves_the_server_working(tmp_path: Path) -> None:
    async def said(agent: Conversation) -> None:
        opened = await agent.call("open_app", app=APP)
        messages: list[str] = []
        async with anyio.create_task_group() as tasks:

            async def run() -> None:
                await agent.call("run", messages, app=APP, project="bill", minutes=10)

            tasks.start_soon(run)
            while not messages:
                await anyio.sleep(0.05)
            # The app can be used while the run goes on.
            assert (await agent.call("screen")).data["widgets"] == opened.data["widgets"]
            tasks.cancel_scope.cancel()
        began = time.monotonic()
        # The lane of the run is free again when the run has ended, and its project is not locked any more.
        again = await agent.call("run", app=APP, project="bill", minutes=0.1, events=1)
        assert again.data["events"] > 1 and time.monotonic() - began < 60

    converse(said, [tmp_path])

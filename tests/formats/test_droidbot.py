"""DroidBot's output folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fewtaps.errors import UsageError
from fewtaps.formats.droidbot import read_droidbot
from fewtaps.formats.recording import Recording, recording_to_trace
from fewtaps.formats.registry import recognise
from fewtaps.model.ending import Ending
from fewtaps.model.event import Event, Key, Launch, LongPress, Selector, StartIntent, Swipe, SystemEvent, Tap, Text

START = {"event_type": "intent", "intent": "am start com.x/com.x.Main"}
ROW: dict[str, Any] = {
    "class": "android.widget.LinearLayout",
    "resource_id": None,
    "text": None,
    "content_description": None,
    "bounds": [[0, 100], [400, 200]],
    "clickable": True,
    "enabled": True,
    "children": [2],
}
FIELD = {"class": "android.widget.EditText", "resource_id": "com.x:id/name", "bounds": [[0, 0], [100, 50]]}


def state(name: str, activity: str = "com.x/.Main", views: list[Any] | None = None) -> dict[str, Any]:
    root = {"class": "android.widget.FrameLayout", "bounds": [[0, 0], [1080, 1920]], "children": [1], "enabled": True}
    label = {"class": "android.widget.TextView", "text": "Bills", "bounds": [[10, 110], [90, 190]], "children": []}
    return {
        "tag": name,
        "state_str": name,
        "foreground_activity": activity,
        "width": 1080,
        "height": 1920,
        "views": [root, ROW, label] if views is None else views,
    }


def folder(place: Path, *events: Any, states: tuple[dict[str, Any], ...] = (), utg: bool = True) -> Path:
    (place / "events").mkdir(exist_ok=True)
    (place / "states").mkdir(exist_ok=True)
    for number, event in enumerate(events):
        record = {"tag": str(number), "event": event, "start_state": "a", "stop_state": "b", "event_str": ""}
        (place / "events" / f"event_2024-01-01_{number:06}.json").write_text(json.dumps(record))
    for each in states:
        (place / "states" / f"state_{each['tag']}.json").write_text(json.dumps(each))
    if utg:
        graph = {"app_package": "com.x", "app_main_activity": "com.x.Main", "app_sha256": "ab" * 32, "nodes": []}
        (place / "utg.js").write_text("var utg = \n" + json.dumps(graph))
    return place


def one(place: Path, event: Any, **more: Any) -> tuple[Event, Recording]:
    recording = read_droidbot(folder(place, START, event, **more))
    return recording.steps[-1].event, recording


@pytest.mark.parametrize(
    ("record", "event"),
    [
        ({"event_type": "touch", "x": 12.7, "y": 30, "view": None}, Tap(12, 30)),
        (
            {"event_type": "touch", "x": None, "y": None, "view": FIELD},
            Tap(50, 25, Selector("com.x:id/name", "android.widget.EditText")),
        ),
        ({"event_type": "long_touch", "x": 12, "y": 30, "view": None, "duration": 2000}, LongPress(12, 30)),
        (
            {"event_type": "swipe", "start_x": 1, "start_y": 2, "end_x": 3, "end_y": 4, "duration": 700},
            Swipe(1, 2, 3, 4, duration_ms=700),
        ),
        (
            {
                "event_type": "scroll",
                "x": None,
                "y": None,
                "direction": "DOWN",
                "view": {"bounds": [[0, 0], [100, 500]]},
            },
            Swipe(50, 450, 50, 50, duration_ms=500),
        ),
        (
            {"event_type": "set_text", "view": FIELD, "text": "Ada", "x": None, "y": None},
            Text("Ada", replace=True, selector=Selector("com.x:id/name", "android.widget.EditText")),
        ),
        ({"event_type": "key", "name": "BACK"}, Key("BACK")),
        (START, Launch()),
        ({"event_type": "intent", "intent": "am start com.x/.Other"}, StartIntent(component="com.x/com.x.Other")),
        (
            {"event_type": "intent", "intent": "am start -a android.intent.action.VIEW -d 'geo:1,2'"},
            StartIntent("android.intent.action.VIEW", "geo:1,2"),
        ),
        (
            {"event_type": "intent", "intent": "am broadcast -a android.intent.action.BOOT_COMPLETED"},
            SystemEvent("broadcast", (("action", "android.intent.action.BOOT_COMPLETED"),)),
        ),
    ],
)
def test_an_event_file_becomes_its_event(tmp_path: Path, record: dict[str, Any], event: Event) -> None:
    assert one(tmp_path, record)[0] == event


def test_app_screen_and_states_are_kept(tmp_path: Path) -> None:
    states = (state("a"), state("b", "com.other/.Home"))
    _, recording = one(tmp_path, {"event_type": "touch", "view": ROW}, states=states)
    trace, _ = recording_to_trace(recording)
    assert recognise(tmp_path) == "droidbot"
    assert (trace.app.package, trace.app.digest) == ("com.x", "ab" * 32)
    assert (trace.profile, trace.screen) == ("mi5", (1080, 1920, 480))
    step = trace.steps[1]
    assert step.before.activity == "com.x.Main"
    assert step.before.shows("Bills")
    assert step.ending is Ending.LEFT


def test_a_row_is_named_by_the_text_inside_it(tmp_path: Path) -> None:
    event, _ = one(tmp_path, {"event_type": "touch", "view": ROW}, states=(state("a"),))
    assert event == Tap(200, 150, Selector(class_name="android.widget.LinearLayout", text="Bills"))


@pytest.mark.parametrize("kind", ["manual", "exit", "spawn", "kill_app"])
def test_what_a_trace_cannot_say_is_told(tmp_path: Path, kind: str) -> None:
    _, recording = one(tmp_path, {"event_type": kind})
    assert len(recording.steps) == 1
    assert recording.losses[0] == f"event 2: an event of kind {kind} cannot be said in a trace"


def test_without_utg_the_first_start_names_the_app(tmp_path: Path) -> None:
    assert read_droidbot(folder(tmp_path, START, utg=False)).package == "com.x"


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("{", "line 1: not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ("{}", "event: not an object"),
        ('{"event": {"event_type": "jump"}}', "not an event of DroidBot"),
        ('{"event": {"event_type": "touch"}}', "neither a view nor a point"),
        ('{"event": {"event_type": "touch", "view": {"bounds": "x"}}}', "bounds"),
        ('{"event": {"event_type": "intent", "intent": "am start \'"}}', "No closing quotation"),
    ],
)
def test_a_broken_event_file_is_named(tmp_path: Path, content: str, what: str) -> None:
    place = folder(tmp_path, START)
    (place / "events" / "event_2024-01-02_000000.json").write_text(content)
    with pytest.raises(UsageError, match=r"event_2024-01-02_000000\.json.*" + what):
        read_droidbot(place)


def test_views_that_name_each_other_in_a_circle_have_an_end(tmp_path: Path) -> None:
    ring = [{"class": "a", "bounds": [[0, 0], [1, 1]], "children": [(number + 1) % 500]} for number in range(500)]
    _, recording = one(tmp_path, {"event_type": "key", "name": "BACK"}, states=(state("a", views=ring),))
    assert 1 < sum(1 for _ in recording.steps[1].before.iter_widgets()) <= 500


def test_a_child_that_is_not_there_is_named(tmp_path: Path) -> None:
    views = [{"class": "a", "bounds": [[0, 0], [1, 1]], "children": [7]}]
    with pytest.raises(UsageError, match="there is no view 7"):
        one(tmp_path, {"event_type": "key", "name": "BACK"}, states=(state("a", views=views),))

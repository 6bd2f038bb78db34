"""The answers in the place of Appium's UiAutomator2 server, without Appium."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from adbd.rig import finish, shell, simulated_phone

from fewtaps.adbd.appium.elements import KEY
from fewtaps.adbd.appium.pointers import events_of, typed
from fewtaps.adbd.appium.server import AppiumServer
from fewtaps.adbd.appium.ui_selector import Scrolling, SelectorError, read_expressions
from fewtaps.adbd.channel import Channel
from fewtaps.adbd.guests import APPIUM, APPIUM_SETTINGS, APPIUM_TEST
from fewtaps.adbd.phone import RunEnded, ServedPhone
from fewtaps.adbd.services import open_service
from fewtaps.model.app import App
from fewtaps.model.event import DoubleTap, Event, Key, LongPress, Pinch, Swipe, Tap, Text, Wait

IDS = "com.example.bill:id/"


@dataclass(eq=False)
class Client:
    """Sends requests to a server of its own."""

    phone: ServedPhone
    runs: list[RunEnded]
    server: AppiumServer

    def ask(self, method: str, path: str, body: Any = None, raw: bytes | None = None) -> tuple[int, Any]:
        content = raw if raw is not None else b"" if body is None else json.dumps(body).encode()
        channel = Channel()
        head = f"{method} {path} HTTP/1.1\r\nContent-Length: {len(content)}\r\nConnection: close\r\n\r\n"
        channel.incoming += head.encode() + content
        answer = finish(self.server.serve(channel, self.phone), channel, self.phone)
        first, _, rest = answer.partition(b"\r\n\r\n")
        return int(first.split()[1]), json.loads(rest)["value"]

    def do(self, method: str, path: str, body: Any = None) -> Any:
        status, value = self.ask(method, f"/session/1/{path}", body)
        assert status == 200, value
        return value

    def find(self, strategy: str, text: str) -> str:
        value = self.do("POST", "element", {"strategy": strategy, "selector": text, "context": ""})
        return str(value[KEY])

    def count(self, strategy: str, text: str) -> int:
        return len(self.do("POST", "elements", {"using": strategy, "value": text}))


@pytest.fixture
def client() -> Iterator[Client]:
    with simulated_phone() as (phone, runs):
        phone.launch()
        server = AppiumServer()
        made = Client(phone, runs, server)
        assert made.ask("GET", "/status")[1]["ready"] is True
        assert made.ask("POST", "/session", {"capabilities": {"firstMatch": [{"platformName": "Android"}]}})[0] == 200
        yield made


@pytest.mark.parametrize(
    ("strategy", "text", "count"),
    [
        ("id", f"{IDS}split", 1),
        ("id", "split", 1),
        ("id", "none", 0),
        ("class name", "android.widget.Button", 3),
        ("accessibility id", "none", 0),
        ("xpath", "//*[@text='Split']", 1),
        ("xpath", "/hierarchy/android.widget.LinearLayout/android.widget.Button", 3),
        ("xpath", "(//android.widget.Button)[last()]", 1),
        ("xpath", "//android.widget.EditText/following-sibling::android.widget.Button", 3),
        ("xpath", "//none", 0),
        ("-android uiautomator", 'new UiSelector().textStartsWith("Spl")', 1),
        ("-android uiautomator", 'new UiSelector().className("android.widget.Button").instance(2)', 1),
        ("-android uiautomator", 'text("Split").clickable(true)', 1),
        ("-android uiautomator", 'new UiSelector().textMatches("[[S]plit")', 1),
        ("-android uiautomator", 'new UiSelector().text("none"); new UiSelector().text("About")', 1),
        (
            "-android uiautomator",
            'new UiSelector().className("android.widget.LinearLayout").childSelector(new UiSelector().text("About"))',
            1,
        ),
        ("-android uiautomator", 'new UiSelector().text("About").fromParent(new UiSelector().text("Split"))', 1),
    ],
)
def test_elements_are_found_by_each_strategy(client: Client, strategy: str, text: str, count: int) -> None:
    assert client.count(strategy, text) == count


@pytest.mark.parametrize(
    ("strategy", "text"),
    [
        ("xpath", "//*["),
        ("xpath", "1 + 1"),
        ("-android uiautomator", "new UiSelector().text("),
        ("-android uiautomator", 'new UiSelector().textMatches("[")'),
        ("-android uiautomator", "new UiSelector().nothing()"),
        ("-android uiautomator", "new UiSelector()" + ".childSelector(new UiSelector()" * 50),
        ("-android datamatcher", "{}"),
    ],
)
def test_a_selector_that_cannot_be_read_is_said(client: Client, strategy: str, text: str) -> None:
    status, value = client.ask("POST", "/session/1/elements", {"strategy": strategy, "selector": text})
    assert (status, value["error"]) == (400, "invalid selector"), value


@pytest.mark.parametrize(
    ("method", "path", "raw", "error"),
    [
        ("POST", "/session/1/element", b"{", "invalid argument"),
        ("POST", "/session/1/element", b"[1]", "invalid argument"),
        ("POST", "/session/1/element", b"{}", "invalid argument"),
        ("POST", "/session/1/element", b'{"strategy": "id", "selector": "none"}', "no such element"),
        ("GET", "/session/1/element/7/text", b"", "stale element reference"),
        ("POST", "/session/1/nothing", b"{}", "unknown command"),
        ("GET", "/session/1/alert/text", b"", "no such alert"),
        ("POST", "/session/1/orientation", b'{"orientation": "UP"}', "invalid argument"),
        ("POST", "/session/1/appium/device/press_keycode", b'{"keycode": 99999}', "invalid argument"),
        ("POST", "/session/1/actions", b'{"actions": 3}', "invalid argument"),
        ("POST", "/session/1/keys", b'{"value": ["%s"]}' % (b"\\n" * 6000), "invalid argument"),
        ("POST", "/session/1/appium/gestures/swipe", b'{"direction": "up"}', "invalid argument"),
        ("POST", "/session/1/appium/device/set_clipboard", b'{"content": "!"}', "unknown error"),
        ("POST", "/session/1/appium/gestures/click", b'{"offset": {"x": 1%s, "y": 1}}' % (b"0" * 400), "unknown error"),
    ],
)
def test_bad_requests_have_the_error_of_the_protocol(
    client: Client, method: str, path: str, raw: bytes, error: str
) -> None:
    status, value = client.ask(method, path, raw=raw)
    assert value["error"] == error, value
    assert status >= 400


def test_no_command_is_carried_out_without_a_session() -> None:
    with simulated_phone() as (phone, runs):
        phone.launch()
        status, value = Client(phone, runs, AppiumServer()).ask("GET", "/session/1/source")
        assert (status, value["error"]) == (404, "invalid session id")


def test_what_is_typed_clicked_and_read_is_that_of_the_app(client: Client) -> None:
    total = client.find("id", "total")
    client.do("POST", f"element/{total}/clear", {})
    client.do("POST", f"element/{total}/value", {"text": "4"})
    client.do("POST", f"element/{total}/value", {"value": ["2"]})
    assert client.do("GET", f"element/{total}/text") == "42"
    client.do("POST", f"element/{total}/value", {"text": "60", "replace": True})
    assert client.do("GET", f"element/{total}/attribute/text") == "60"
    assert client.do("GET", f"element/{total}/attribute/clickable") == "true"
    assert client.do("GET", f"element/{total}/rect") == {"x": 0, "y": 50, "width": 720, "height": 96}
    client.do("POST", f"element/{client.find('id', 'more_people')}/click", {})
    client.do("POST", f"element/{client.find('id', 'split')}/click", {})
    assert client.do("GET", f"element/{client.find('id', 'share')}/text") != ""
    assert 'text="60"' in client.do("GET", "source")


def test_the_screen_is_turned_photographed_and_measured(client: Client) -> None:
    assert client.do("GET", "orientation") == "PORTRAIT"
    assert client.do("POST", "orientation", {"orientation": "LANDSCAPE"}) == "LANDSCAPE"
    assert client.do("GET", "window/current/size") == {"width": 1280, "height": 720}
    assert client.do("POST", "rotation", {"x": 0, "y": 0, "z": 0})["z"] == 0
    element = client.find("id", "split")
    for path in ("screenshot", f"element/{element}/screenshot"):
        assert base64.b64decode(client.do("GET", path)).startswith(b"\x89PNG")
    assert client.do("GET", "appium/device/info")["apiVersion"] == "33"
    assert client.do("GET", "appium/device/system_bars")["statusBar"] == 50


def test_a_picture_that_is_no_png_is_not_opened(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """An app may have sent it. Of some formats a reader starts programs."""
    element = client.find("id", "split")
    for content in (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", b"BM" + bytes(60), b"\x89PNG\r\n\x1a\nx"):
        monkeypatch.setattr(client.phone, "screenshot", lambda content=content: content)
        status, value = client.ask("GET", f"/session/1/element/{element}/screenshot")
        assert (status, value["message"]) == (500, "the device failed: the picture of the screen cannot be read")


def test_an_element_that_left_the_screen_is_stale_and_one_that_comes_back_is_not(client: Client) -> None:
    split = client.find("id", "split")
    client.do("POST", "appium/gestures/click", {"origin": {KEY: client.find("id", "about")}})
    assert client.find("xpath", "//*[@text='Close']")
    assert client.ask("POST", "/session/1/element", {"strategy": "xpath", "selector": "//*[@text='Split']"})[0] == 404
    client.do("POST", "back", {})
    assert client.do("GET", f"element/{split}/text") == "Split"
    client.phone.stop()
    assert client.ask("GET", f"/session/1/element/{split}/text")[1]["error"] == "stale element reference"


def test_a_crash_ends_the_run_and_the_server_goes_on(client: Client) -> None:
    client.do("POST", f"element/{client.find('id', 'split')}/click", {})
    assert client.runs[-1].crash is not None
    assert client.do("GET", "source").count("com.android.launcher3") > 0


def test_the_session_ends_with_its_process(client: Client) -> None:
    assert client.ask("DELETE", "/session/1")[0] == 200
    assert client.ask("GET", "/sessions")[1] == []


def finger(*actions: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"type": "pointer", "id": "finger", "parameters": {"pointerType": "touch"}, "actions": list(actions)}]


def move(x: float, y: float, **more: Any) -> dict[str, Any]:
    return {"type": "pointerMove", "x": x, "y": y, **more}


DOWN, UP = {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}


@pytest.mark.parametrize(
    ("actions", "events"),
    [
        (finger(move(10, 20), DOWN, {"type": "pause", "duration": 100}, UP), [Tap(10, 20)]),
        (finger(move(10, 20), DOWN, {"type": "pause", "duration": 900}, UP), [LongPress(10, 20)]),
        (finger(move(10, 20), DOWN, UP, DOWN, UP), [DoubleTap(10, 20)]),
        (finger(move(5, 5, origin={KEY: "x"}), DOWN, UP), [Tap(105, 205)]),
        (
            finger(move(10, 20), DOWN, move(10, 520, duration=400), UP),
            [Swipe(10, 20, 10, 520, 400)],
        ),
        (
            finger(move(10, 20), DOWN, UP, {"type": "pause", "duration": 2000}, move(300, 20), DOWN, UP),
            [Tap(10, 20), Wait(2000), Tap(300, 20)],
        ),
        (
            finger(move(200, 300), DOWN, move(100, 300), UP) + finger(move(300, 300), DOWN, move(400, 300), UP),
            [Pinch(250, 300, 100, 300)],
        ),
        (
            [
                {
                    "type": "key",
                    "id": "k",
                    "actions": [{"type": kind, "value": c} for c in "ab" for kind in ("keyDown", "keyUp")],
                }
            ],
            [Text("ab")],
        ),
    ],
)
def test_actions_of_fingers_and_keys_are_events(actions: list[dict[str, Any]], events: list[Event]) -> None:
    assert events_of(actions, lambda name: (100, 200)) == events


def test_characters_of_keys_are_keys() -> None:
    assert typed("ab\ue007c\ue003\n") == [Text("ab"), Key("ENTER"), Text("c"), Key("DEL"), Key("ENTER")]


def test_scrolling_is_read_with_its_list_and_what_is_looked_for() -> None:
    text = 'new UiScrollable(new UiSelector().scrollable(true)).setMaxSearchSwipes(5).scrollTextIntoView("a \\"b\\"")'
    assert read_expressions(text) == [
        Scrolling({"scrollable": True}, "scrollTextIntoView", {"text": 'a "b"'}, is_vertical=True, most=5)
    ]
    with pytest.raises(SelectorError):
        read_expressions('new UiSelector().text("a") b')
    assert read_expressions(r'new UiSelector().text("\ud83d\ude00\n")') == [{"text": "\U0001f600\n"}]


def test_the_instrumentation_answers_on_its_port_until_it_is_stopped() -> None:
    with simulated_phone() as (phone, _):
        channel = Channel()
        service = open_service(
            f"shell:am instrument -w -e disableAnalytics true {APPIUM_TEST}/a.b.Runner", channel, phone
        )
        assert service is not None
        next(service)
        assert open_service("tcp:6790", Channel(), phone) is not None
        assert shell(phone, f"pgrep ^{APPIUM[-15:]}$").status == 0
        assert b"BindException" in shell(phone, f"am instrument -w {APPIUM_TEST}/a.b.Runner").err
        shell(phone, f"am force-stop {APPIUM}")
        assert b"INSTRUMENTATION_CODE: -1" in finish(service, channel, phone)
        assert open_service("tcp:6790", Channel(), phone) is None
        assert shell(phone, f"pgrep ^{APPIUM[-15:]}$").status == 1


def test_packages_of_tools_are_installed_started_and_removed() -> None:
    with simulated_phone() as (phone, _):
        phone.read_package = lambda content: App(content.decode(), version_code=3, version_name="1.2")
        for package in (APPIUM_TEST, APPIUM_SETTINGS):
            size = len(package)
            assert shell(phone, f"pm install -r -g -S {size}", package.encode()).text == "Success\n"
        assert "versionCode=3" in shell(phone, f"dumpsys package {APPIUM_SETTINGS}").text
        assert f"instrumentation:{APPIUM_TEST}/" in shell(phone, "pm list instrumentation").text
        assert f"package:{APPIUM_SETTINGS}\n" in shell(phone, "cmd package list packages").text
        assert "isForeground" not in shell(phone, f"dumpsys activity services {APPIUM_SETTINGS}").text
        shell(phone, f"am start-activity -n {APPIUM_SETTINGS}/.Settings -a android.intent.action.MAIN")
        assert "isForeground=true" in shell(phone, f"dumpsys activity services {APPIUM_SETTINGS}").text
        assert shell(phone, f"pm uninstall {APPIUM_SETTINGS}").text == "Success\n"
        assert f"package:{APPIUM_SETTINGS}\n" not in shell(phone, "pm list packages").text
        assert shell(phone, "pm install -S 5", b"a.b.c").status == 1


def test_a_package_that_is_no_apk_is_refused_in_one_line() -> None:
    with simulated_phone() as (phone, _):
        answer = shell(phone, "pm install -S 5", b"PK\3\4x")
        assert (answer.status, answer.text.count("\n")) == (1, 1)


def test_a_broadcast_to_a_tool_does_not_reach_the_app() -> None:
    with simulated_phone() as (phone, _):
        phone.guests.install(App(APPIUM_SETTINGS))
        phone.launch()
        line = f"am broadcast -a io.appium.settings.locale -n {APPIUM_SETTINGS}/.R --es lang de --es country DE"
        assert "result=-1" in shell(phone, line).text
        assert "result=0" in shell(phone, f"am broadcast -a x.y -n {APPIUM_SETTINGS}/.R").text
        assert "result=0" in shell(phone, "am broadcast -a x.y -n other.app/.R").text
        phone.stop()

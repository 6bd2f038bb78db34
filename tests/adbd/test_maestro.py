"""The answers in the place of Maestro's driver: by a gRPC client of the tests, and by Maestro's own.

MAESTRO_JARS names a folder with the jars of `dev.mobile:maestro-client` and `maestro-orchestra` and all they need.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pytest
from adbd.rig import ADB, finish, open_rig, shell, simulated_phone

from fewtaps.adbd.channel import Channel
from fewtaps.adbd.guests import MAESTRO, MAESTRO_TEST
from fewtaps.adbd.maestro.grpc import MAX_REQUEST
from fewtaps.adbd.maestro.messages import MessageError, read_message, written_bytes, written_number
from fewtaps.adbd.phone import RunEnded, ServedPhone
from fewtaps.adbd.services import open_service
from fewtaps.model.app import App
from fewtaps.model.event import Key, Tap, Text

h2 = pytest.importorskip("h2.connection", reason="h2 is not installed")

JARS = os.environ.get("MAESTRO_JARS", "")
FLOW = """appId: com.example.bill
---
- launchApp:
    clearState: true
- assertVisible: "Split"
- tapOn:
    id: "com.example.bill:id/total"
- eraseText: 10
- inputText: "60"
- hideKeyboard
- assertVisible: "60"
- tapOn: "More people"
- tapOn: "Split"
- scroll
- swipe:
    direction: UP
- tapOn: "About"
- assertVisible: "Splits bills."
- back
- assertNotVisible: "Splits bills."
- longPressOn: "About"
- takeScreenshot: {picture}
- launchApp:
    clearState: true
- tapOn: "Split"
- assertNotVisible:
    id: "com.example.bill:id/.*"
"""


@dataclass(eq=False)
class Client:
    """Calls methods one after the other, each on a connection of its own."""

    phone: ServedPhone
    runs: list[RunEnded]

    def call(self, name: str, request: bytes = b"", *, window: int | None = None) -> tuple[int, bytes]:
        """The status and the answer of a method."""
        channel = Channel()
        service = open_service("tcp:7001", channel, self.phone)
        assert service is not None
        client = h2.H2Connection()
        client.initiate_connection()
        if window is not None:
            client.update_settings({4: window})
        headers = [(":method", "POST"), (":path", f"/maestro_android.MaestroDriver/{name}"), (":scheme", "http")]
        client.send_headers(
            1, [*headers, (":authority", "x"), ("content-type", "application/grpc"), ("te", "trailers")]
        )
        client.send_data(1, b"\0" + len(request).to_bytes(4, "big") + request, end_stream=True)
        reply = _Reply()
        for _ in range(2000):
            channel.incoming += client.data_to_send()
            next(service)
            for event in client.receive_data(bytes(channel.outgoing)):
                reply.take(event, client)
            channel.outgoing.clear()
            if reply.is_whole:
                break
        channel.incoming += client.data_to_send()
        channel.is_ended = True
        finish(service, channel, self.phone)
        assert reply.is_whole
        return reply.status, bytes(reply.data[5:])

    def ask(self, name: str, request: bytes = b"", *, window: int | None = None) -> dict[int, list[int | bytes]]:
        status, answer = self.call(name, request, window=window)
        assert status == 0
        return read_message(answer)


@dataclass(eq=False)
class _Reply:
    status: int = -1
    data: bytearray = field(default_factory=bytearray)
    is_whole: bool = False

    def take(self, event: Any, client: Any) -> None:
        name = type(event).__name__
        if name == "DataReceived":
            self.data += event.data
            client.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        elif name in ("TrailersReceived", "ResponseReceived"):
            headers = dict(event.headers)
            self.status = int(headers.get(b"grpc-status", self.status))
        elif name == "StreamEnded":
            self.is_whole = True


@pytest.fixture
def client() -> Iterator[Client]:
    with simulated_phone() as (phone, runs):
        phone.launch()
        channel = Channel()
        line = f"am instrument -w -m -e debug false -e class 'x#y' -e port 7001 {MAESTRO_TEST}/a.b.Runner &\n"
        service = open_service(f"shell,v2,raw:{line}", channel, phone)
        assert service is not None
        while not channel.outgoing:
            next(service)
        assert b"INSTRUMENTATION_STATUS_CODE: 1" in channel.outgoing
        yield Client(phone, runs)
        service.close()


def test_the_screen_is_measured_read_and_photographed(client: Client) -> None:
    assert client.ask("deviceInfo") == {1: [720], 2: [1280]}
    document = client.ask("viewHierarchy")[1][0]
    assert isinstance(document, bytes) and b'hintText="Total"' in document
    # The picture is larger than the client's window: it comes in parts.
    picture = client.ask("screenshot", window=1000)[1][0]
    assert isinstance(picture, bytes) and picture.startswith(b"\x89PNG") and picture.endswith(b"IEND\xaeB`\x82")
    assert client.ask("isWindowUpdating", written_bytes(1, b"com.example.bill")) == {}


def test_taps_texts_and_rubbing_out_are_events(client: Client) -> None:
    client.ask("tap", written_number(1, 360) + written_number(2, 100))
    client.ask("eraseAllText", written_number(1, 50))
    client.ask("inputText", written_bytes(1, b"60"))
    client.ask("eraseAllText", written_number(1, 1))
    client.phone.stop()
    events = [step.event for step in client.runs[-1].trace.steps[1:]]
    assert [event for event in events if not isinstance(event, Tap)] == [
        Text("", replace=True),
        Text("60"),
        Key("DEL"),
    ]


def test_a_launch_begins_a_run_and_another_app_is_an_error(client: Client) -> None:
    client.phone.stop()
    client.ask("launchApp", written_bytes(1, b"com.example.bill"))
    assert client.phone.is_running
    argument = written_bytes(1, b"count") + written_bytes(2, b"3") + written_bytes(3, b"java.lang.Integer")
    client.ask("launchApp", written_bytes(1, b"com.example.bill") + written_bytes(2, argument))
    assert client.call("launchApp", written_bytes(1, b"org.example.none"))[0] == 2


@pytest.mark.parametrize(
    ("name", "request_", "status"),
    [
        ("setLocation", b"", 12),
        ("tap", b"\x0a\x05x", 3),
        ("tap", b"\xff" * 12, 3),
        ("tap", written_bytes(1, b"x"), 3),
        ("inputText", written_number(1, 7), 3),
    ],
)
def test_calls_that_cannot_be_answered_have_a_status(client: Client, name: str, request_: bytes, status: int) -> None:
    assert client.call(name, request_)[0] == status


def test_bytes_that_are_no_http_end_the_connection(client: Client) -> None:
    for seed in range(50):
        channel = Channel()
        service = open_service("tcp:7001", channel, client.phone)
        assert service is not None
        channel.incoming += (
            Random(seed).randbytes(200) if seed % 2 else b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(seed)
        )
        channel.is_ended = True
        finish(service, channel, client.phone)
    assert client.ask("deviceInfo")


def test_streams_that_end_before_their_answer_leave_the_device_alive(client: Client) -> None:
    def end_connection(sender: Any) -> None:
        sender.send_data(1, bytes(16000))
        sender.send_data(1, bytes(16000))
        sender.send_data(1, bytes(16000))
        sender.close_connection()

    def end_long_request(sender: Any) -> None:
        sender.send_data(1, bytes(16000))
        sender.reset_stream(1)

    for path, end in (
        (b"/x", end_connection),
        (b"/x", end_long_request),
        (b"/\xff", lambda sender: sender.end_stream(1)),
    ):
        channel = Channel()
        service = open_service("tcp:7001", channel, client.phone)
        assert service is not None
        sender = h2.H2Connection()
        sender.initiate_connection()
        sender.send_headers(1, [(b":method", b"POST"), (b":path", path), (b":scheme", b"http"), (b":authority", b"x")])
        end(sender)
        channel.incoming += sender.data_to_send()
        channel.is_ended = True
        finish(service, channel, client.phone)
    assert client.ask("deviceInfo")


def test_what_a_connection_holds_is_counted_and_has_an_end(client: Client) -> None:
    channel = Channel()
    service = open_service("tcp:7001", channel, client.phone)
    assert service is not None
    sender = h2.H2Connection()
    sender.initiate_connection()
    sender.send_headers(1, [(":method", "POST"), (":path", "/x"), (":scheme", "http"), (":authority", "x")])
    most, sent, is_reset = 0, 0, False
    while not is_reset:
        while sent < MAX_REQUEST + (1 << 16) and (room := min(sender.local_flow_control_window(1), 1 << 14)):
            sender.send_data(1, bytes(room))
            sent += room
        channel.incoming += sender.data_to_send()
        next(service)
        is_reset = any(type(event).__name__ == "StreamReset" for event in sender.receive_data(bytes(channel.outgoing)))
        channel.outgoing.clear()
        most = max(most, channel.inside)
    assert 1 << 20 < most <= MAX_REQUEST + (1 << 16)
    assert channel.inside == 0
    service.close()


@pytest.mark.parametrize("number", [0, 1, 127, 128, 300, 1 << 40])
def test_numbers_and_texts_are_read_as_written(number: int) -> None:
    assert read_message(written_number(3, number)) == ({3: [number]} if number else {})
    assert read_message(written_bytes(2, b"x" * 200))[2] == [b"x" * 200]
    with pytest.raises(MessageError):
        read_message(b"\x0a\xff\xff\xff\xff\x0f")


def test_maestro_s_keyboard_types_what_a_key_cannot() -> None:
    with simulated_phone() as (phone, runs):
        phone.guests.install(App(MAESTRO))
        phone.launch()
        shell(phone, "input tap 360 100; ime enable dev.mobile.maestro/.input.M; ime set dev.mobile.maestro/.input.M")
        assert "dev.mobile.maestro" in shell(phone, "settings get secure default_input_method").text
        line = "am broadcast -a dev.mobile.maestro.ime.commitText -n dev.mobile.maestro/.R --es textBase64 '4oKs'"
        assert "result=0" in shell(phone, line).text
        phone.stop()
        assert runs[-1].trace.steps[-1].event == Text("€")


@pytest.mark.slow
@pytest.mark.skipif(ADB is None, reason="there is no adb on this machine")
@pytest.mark.skipif(not JARS or shutil.which("java") is None, reason="MAESTRO_JARS names no Maestro, or no java")
def test_maestro_s_own_client_plays_a_flow_that_ends_with_a_crash(tmp_path: Path) -> None:
    (tmp_path / "flow.yaml").write_text(FLOW.replace("{picture}", str(tmp_path / "picture")))
    with open_rig(tmp_path, with_adb=False) as rig:
        rig.environment |= {"PATH": os.environ["PATH"]}
        script = Path(__file__).with_name("PlayFlow.java")
        words = ["java", "-cp", f"{JARS}/*", str(script), str(rig.port), str(tmp_path / "flow.yaml")]
        answer = rig.run(words, seconds=250)
        assert answer.status == 0, (answer.out[-3000:], answer.err[-3000:])
        assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")
        assert rig.runs[-1].crash is not None

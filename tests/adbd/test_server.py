"""The server with clients that break rules, stop halfway or never end; the console; the adb server's protocol."""

from __future__ import annotations

import resource
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from adbd.rig import Rig, open_rig

from fewtaps.adbd.acting import touch
from fewtaps.adbd.agent import agent_service
from fewtaps.adbd.console import ConsoleConnection
from fewtaps.adbd.files import MemoryFiles
from fewtaps.adbd.guests import RunningAgent
from fewtaps.adbd.host import HostConnection
from fewtaps.adbd.packets import CNXN, HEADER, MAX_PAYLOAD, OKAY, OPEN, VERSION, WRTE, Packet, PacketReader
from fewtaps.adbd.server import MAX_CONNECTIONS, AdbConnection, DeviceServer
from fewtaps.errors import UsageError
from fewtaps.formats.touches import DOWN, UP

HELLO = Packet(CNXN, VERSION, MAX_PAYLOAD, b"host::").encode()


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    with open_rig(tmp_path, with_adb=False) as opened:
        opened.phone.launch()
        yield opened
        while OPENED:
            OPENED.pop().close()


OPENED: list[socket.socket] = []
"""The sockets of the current test."""


class Wire:
    """A raw connection to a port of the server, which is served in between."""

    def __init__(self, rig: Rig, port: int | None = None) -> None:
        self.rig = rig
        self.socket = socket.create_connection(("127.0.0.1", rig.port if port is None else port))
        self.socket.setblocking(False)
        OPENED.append(self.socket)
        self.received = bytearray()
        self.is_closed = False

    def serve(self, turns: int = 10) -> None:
        for _ in range(turns):
            self.rig.server.turn(0)
            self.look()

    def look(self) -> None:
        """Takes what has come, without serving."""
        try:
            while data := self.socket.recv(1 << 20):
                self.received += data
            self.is_closed = True
        except BlockingIOError:
            pass
        except ConnectionError:
            self.is_closed = True

    def send(self, data: bytes) -> None:
        view = memoryview(data)
        while view and not self.is_closed:
            try:
                view = view[self.socket.send(view) :]
            except BlockingIOError:
                pass
            except ConnectionError:
                return
            self.serve(1)
        self.serve()

    def packets(self) -> list[Packet]:
        reader = PacketReader()
        reader.max_payload = MAX_PAYLOAD
        return list(reader.feed(bytes(self.received)))

    def ask(self, request: str) -> bytes:
        """Sends a request of an adb server's client and returns what came back."""
        self.received.clear()
        self.send(f"{len(request):04x}{request}".encode())
        return bytes(self.received)


@pytest.mark.parametrize(
    "data",
    [
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        HEADER.pack(CNXN, VERSION, 4096, 0xFFFFFFFF, 0, CNXN ^ 0xFFFFFFFF),
        HELLO[:-1] + HELLO,
        HELLO + b"\0" * 64,
    ],
    ids=["another protocol", "4 GB", "half a packet", "no magic"],
)
def test_a_client_that_breaks_the_protocol_is_closed_and_others_go_on(rig: Rig, data: bytes) -> None:
    bad, good = Wire(rig), Wire(rig)
    good.send(HELLO)
    bad.send(data)
    assert bad.is_closed
    good.send(Packet(OPEN, 1, 0, b"shell:echo alive\0").encode())
    assert [packet.payload for packet in good.packets() if packet.command == WRTE] == [b"alive\n"]


def test_a_connection_that_says_nothing_is_closed_in_time(rig: Rig) -> None:
    silent = Wire(rig)
    silent.serve()
    assert not silent.is_closed
    rig.server.clock = lambda clock=rig.server.clock: clock() + 60  # type: ignore[misc]
    silent.serve()
    assert silent.is_closed


@pytest.mark.slow
def test_of_a_thousand_connections_those_over_the_limit_are_closed_at_once_and_the_server_goes_on(rig: Rig) -> None:
    wires = []
    # Each has two ends in this process.
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 3000)), hard))
    for _ in range(1000):
        wires.append(Wire(rig))
        rig.server.turn(0)
    for wire in wires:
        wire.look()
    assert sum(wire.is_closed for wire in wires) == 1000 - MAX_CONNECTIONS
    open_one = next(wire for wire in wires if not wire.is_closed)
    open_one.send(HELLO)
    assert [packet.command for packet in open_one.packets()] == [CNXN]
    for wire in wires:
        wire.socket.close()
    last = Wire(rig)
    last.send(HELLO)
    assert [packet.command for packet in last.packets()] == [CNXN]


@pytest.mark.slow
def test_streams_that_nobody_closes_and_bytes_that_nobody_reads_have_a_bound(rig: Rig) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(2):
        wire = Wire(rig)
        wire.send(HELLO)
        for number in range(1, 100):
            wire.send(Packet(OPEN, number, 0, b"shell:sleep 9; logcat\0").encode())
            opened: list[Packet] = []
            while not opened and not wire.is_closed:
                wire.serve(1)
                opened = [each for each in wire.packets() if each.command == OKAY and each.arg1 == number]
            if wire.is_closed:
                break
            wire.received.clear()
            wire.send(Packet(WRTE, number, opened[0].arg0, bytes(MAX_PAYLOAD)).encode())
            wire.received.clear()
        assert wire.is_closed
    # Kilobytes.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 << 10


def test_a_client_that_dies_in_the_middle_of_a_push_leaves_no_file(rig: Rig) -> None:
    wire = Wire(rig)
    wire.send(HELLO + Packet(OPEN, 1, 0, b"sync:\0").encode())
    local = next(each.arg0 for each in wire.packets() if each.command == OKAY)
    wire.send(Packet(WRTE, 1, local, b"SEND\x0f\0\0\0/sdcard/x,33188DATA\0\0\1\0" + bytes(1000)).encode())
    wire.socket.close()
    for _ in range(5):
        rig.server.turn(0)
    assert rig.phone.files.find("/sdcard/x") is None


def test_a_file_that_is_removed_while_it_is_pushed_takes_no_more_room(rig: Rig) -> None:
    wire = Wire(rig)
    wire.send(HELLO + Packet(OPEN, 1, 0, b"sync:\0").encode())
    local = next(each.arg0 for each in wire.packets() if each.command == OKAY)
    part = b"DATA\0\0\1\0" + bytes(1 << 16)
    files = rig.phone.files
    used = files._used
    wire.send(Packet(WRTE, 1, local, b"SEND\x0f\0\0\0/sdcard/x,33188" + part).encode())
    wire.packets()
    assert files.file("/sdcard/x").size == 1 << 16
    files.remove("/sdcard/x")
    wire.send(Packet(WRTE, 1, local, part * 2).encode())
    wire.send(Packet(WRTE, 1, local, b"DONE\0\0\0\0").encode())
    assert b"FAIL\x19\0\0\0No such file or directory" in b"".join(each.payload for each in wire.packets())
    assert files.find("/sdcard/x") is None
    assert files._used == used


def test_a_file_that_is_moved_while_it_is_written_is_written_on() -> None:
    files = MemoryFiles()
    node = files.create("/sdcard/x")
    files.append(node, b"one")
    files.move("/sdcard/x", "/sdcard/y")
    files.append(node, b"two")
    assert files.read("/sdcard/y") == b"onetwo"
    files.remove("/sdcard/y")
    with pytest.raises(OSError, match="No such file or directory"):
        files.append(node, b"three")


@pytest.mark.slow
def test_damaged_sync_requests_end_their_stream_and_nothing_else(rig: Rig) -> None:
    random = Random(19)
    names = [b"STAT", b"STA2", b"LST2", b"LIST", b"LIS2", b"SEND", b"RECV", b"SND2", b"RCV2", b"DATA", b"DONE", b"QUIT"]
    wire = Wire(rig)
    wire.send(HELLO)
    for number in range(1, 200):
        wire.send(Packet(OPEN, number, 0, b"sync:\0").encode())
        opened = [each for each in wire.packets() if each.command == OKAY and each.arg1 == number]
        wire.received.clear()
        assert opened
        data = b"".join(
            random.choice(names)
            + random.choice([0, 3, 7, 1 << 16, 1 << 31]).to_bytes(4, "little")
            + random.choice([b"", b"/..", b"/sdcard", b"/a,1", random.randbytes(9)])
            for _ in range(random.randrange(1, 5))
        )
        wire.send(Packet(WRTE, number, opened[0].arg0, data).encode())
        wire.received.clear()
    assert not wire.is_closed
    assert {name for name, _ in rig.phone.files.listed("/")} >= {"sdcard", "data"}


@pytest.mark.slow
def test_ten_thousand_events_over_one_connection_leave_nothing_open(rig: Rig) -> None:
    wire = Wire(rig)
    wire.send(HELLO)
    before = len(list(Path("/proc/self/fd").iterdir()))
    for number in range(1, 101):
        line = b"shell:" + b"input tap 5 5;" * 100
        wire.send(Packet(OPEN, number, 0, line + b"\0").encode())
        while not any(each.arg1 == number and each.command not in (OKAY, WRTE) for each in wire.packets()):
            wire.serve(50)
        wire.received.clear()
    assert len(list(Path("/proc/self/fd").iterdir())) == before
    rig.phone.stop()
    assert len(rig.runs[-1].trace.steps) == 10_001


def test_a_port_that_is_taken_is_one_line(rig: Rig) -> None:
    with pytest.raises(UsageError, match=f"--port {rig.port}: cannot be used"):
        rig.server.listen(rig.port, lambda: AdbConnection(rig.phone))


def test_the_console_names_rotates_and_goes_back_to_snapshots(rig: Rig) -> None:
    port = rig.server.listen(0, lambda: ConsoleConnection(rig.phone, rig.server))
    wire = Wire(rig, port)
    rig.phone.start()
    first = rig.phone.screen.digest()
    wire.send(b"avd name\r\navd snapshot save a\r\nrotate\r\navd snapshot list\r\navd snapshot load none\r\n")
    assert rig.phone.screen.rotation == 1
    answer = wire.received.decode()
    assert (
        "fewtaps_com.example.bill\r\nOK" in answer and "a\r\nOK" in answer and "KO: there is no snapshot none" in answer
    )
    wire.send(b"avd snapshot load a\r\nnosuch\r\n")
    assert rig.phone.screen.digest() == first
    assert "KO: unknown command" in wire.received.decode()
    wire.send(b"kill\r\n")
    assert rig.server.is_stopping


def test_a_page_in_a_browser_gives_the_console_no_commands(rig: Rig) -> None:
    wire = Wire(rig, rig.server.listen(0, lambda: ConsoleConnection(rig.phone, rig.server)))
    wire.send(b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\n\r\nrotate\r\nkill\r\n")
    assert wire.is_closed
    assert rig.phone.screen.rotation == 0 and not rig.server.is_stopping


def host(rig: Rig) -> int:
    return rig.server.listen(0, lambda: HostConnection((rig.phone,), rig.server))


def test_the_adb_server_answers_what_clients_ask_first(rig: Rig) -> None:
    port = host(rig)
    assert Wire(rig, port).ask("host:version") == b"OKAY00040029"
    assert Wire(rig, port).ask("host:devices") == b"OKAY0013test-serial\tdevice\n"
    assert b"model:Fewtaps_Twin" in Wire(rig, port).ask("host:devices-l")
    assert Wire(rig, port).ask("host:track-devices") == b"OKAY0013test-serial\tdevice\n"
    assert Wire(rig, port).ask("host-serial:test-serial:get-state") == b"OKAY0006device"
    assert b"shell_v2" in Wire(rig, port).ask("host-serial:test-serial:features")
    assert Wire(rig, port).ask("host-serial:nobody:get-state").startswith(b"FAIL")
    assert Wire(rig, port).ask("host:transport:nobody") == b"FAIL0010device not found"


@pytest.mark.parametrize("request_", ["host:transport:test-serial", "host:transport-any", "host:tport:any"])
def test_the_adb_server_opens_services_of_the_device(rig: Rig, request_: str) -> None:
    wire = Wire(rig, host(rig))
    assert wire.ask(request_).startswith(b"OKAY")
    assert wire.ask("shell:echo hi") == b"OKAYhi\n"
    assert wire.is_closed


def test_the_adb_server_gives_the_reason_of_a_refusal(rig: Rig) -> None:
    wire = Wire(rig, host(rig))
    assert wire.ask("host:tport:any").startswith(b"OKAY")
    assert b"FAIL" in (answer := wire.ask("jdwp:5001")) and b"a JVM without a debugger" in answer


def test_a_forwarded_port_leads_to_the_agent(rig: Rig) -> None:
    port = host(rig)
    rig.phone.guests.agents[9008] = RunningAgent("app_process", agent_service)
    client = Wire(rig, port)
    # adb chooses the device first and asks the server then, on the same connection.
    assert client.ask("host:tport:any").startswith(b"OKAY")
    answer = client.ask("host:forward:tcp:0;tcp:9008")
    assert answer.startswith(b"OKAYOKAY")
    forwarded = int(answer[12:])
    wire = Wire(rig, forwarded)
    wire.send(b"GET /ping HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % forwarded)
    assert wire.received.endswith(b"\r\n\r\npong")
    # A page in a browser can send requests to this port too, under a name of its own or with its origin.
    for header in (b"Host: evil.example", b"Host: localhost\r\nOrigin: http://evil.example", b"Sec-Fetch-Site: none"):
        wire = Wire(rig, forwarded)
        wire.send(b"GET /ping HTTP/1.1\r\n%s\r\n\r\n" % header)
        assert wire.received.startswith(b"HTTP/1.1 403 ")
    assert Wire(rig, port).ask(f"host-serial:test-serial:killforward:tcp:{forwarded}") == b"OKAYOKAY"
    with pytest.raises(ConnectionRefusedError):
        Wire(rig, forwarded)


@pytest.mark.parametrize(
    "data",
    [
        *(b"xyz!", b"ffff", b"0000", b"0004host", b"0005host:", b"-004", b"0015host:transport-any-004-004"),
        "0017host:killforward:tcp:²".encode(),
        b"139chost:killforward:tcp:" + b"9" * 5000,
        b"001fhost:forward:tcp:99999;tcp:9008",
        b"002chost:transport-any0010local:/etc/passwd",
    ],
)
def test_requests_that_are_none_do_not_stop_the_adb_server(rig: Rig, data: bytes) -> None:
    port = host(rig)
    Wire(rig, port).send(data)
    assert Wire(rig, port).ask("host:version") == b"OKAY00040029"


def test_the_server_ends_when_it_is_told_to() -> None:
    server = DeviceServer()
    server.is_stopping = True
    server.serve()
    server.close()


def test_a_tap_that_is_held_happens_in_time_without_a_further_request(tmp_path: Path) -> None:
    with open_rig(tmp_path, with_adb=False) as rig:
        rig.phone.launch()
        touch(rig.phone, DOWN, 100, 300)
        touch(rig.phone, UP, 100, 300)
        before, deadline = rig.phone.now_ms, time.monotonic() + 30
        while rig.phone.now_ms == before and time.monotonic() < deadline:
            assert rig.server.turn(0.05) <= 1.0
        assert rig.phone.now_ms > before

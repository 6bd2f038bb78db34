"""The readers of files that somebody else may have written, each with files to begin from."""

from __future__ import annotations

import io
import json
import os
import shutil
import zipfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack, redirect_stdout
from dataclasses import replace
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from unittest.mock import patch

from adbd.rig import Clock, simulated_phone
from apk_parts import LAUNCHER, activity, manifest, write_zip
from formats import test_droidbot, test_monkeylog, test_simplydroid, test_uiautomator
from fuzz.answers import ANSWERS
from fuzz.subject import Subject
from model.test_mapping import PROGUARD, R8
from projects import make_project
from suites import bill_suite

from fewtaps.adbd.agent import agent_service
from fewtaps.adbd.appium.server import AppiumServer
from fewtaps.adbd.channel import Channel, Service
from fewtaps.adbd.console import ConsoleConnection
from fewtaps.adbd.host import HostConnection
from fewtaps.adbd.packets import CLSE, CNXN, OPEN, VERSION, WRTE, Packet, TransportError
from fewtaps.adbd.phone import ServedPhone
from fewtaps.adbd.server import AdbConnection, DeviceServer
from fewtaps.adbd.services import open_service
from fewtaps.apk.archive import open_archive
from fewtaps.apk.class_digests import class_digests
from fewtaps.apk.code import read_superclasses
from fewtaps.apk.instrumented import TABLE_NAME, read_probe_table
from fewtaps.apk.pieces import assemble
from fewtaps.apk.signing import make_key, read_key
from fewtaps.apk.xml import TASKS
from fewtaps.cli.main import main
from fewtaps.config import DeviceSettings
from fewtaps.device.adb.logcat import parse_line
from fewtaps.device.adb.stories import AppLog
from fewtaps.device.session import SessionSettings
from fewtaps.device.twin.protocol import encode_request, open_fields
from fewtaps.farm.packing import pack, unpack
from fewtaps.files import read_named_text
from fewtaps.formats.droidbot import read_droidbot
from fewtaps.formats.har import read_har
from fewtaps.formats.monkeylog import read_monkey_log
from fewtaps.formats.monkeyscript import read_monkey_script
from fewtaps.formats.openapi import read_openapi
from fewtaps.formats.recording import Recording, recording_to_trace
from fewtaps.formats.simplydroid import EXECUTED, SCRIPT, read_simplydroid
from fewtaps.formats.stacks import crash_from_stack
from fewtaps.formats.uiautomator import read_uiautomator
from fewtaps.model.coverage import ProbeSet
from fewtaps.model.event import Launch, Tap
from fewtaps.model.mapping import read_mapping
from fewtaps.model.mutant import Mutant, MutantResult, MutantStatus
from fewtaps.model.profile import PROFILES
from fewtaps.model.served import ServedAnswer, digest_of
from fewtaps.pipeline.campaign import read_apps, read_table
from fewtaps.pipeline.findings import read_baseline, read_findings
from fewtaps.pipeline.merging import merge_projects
from fewtaps.pipeline.mutant_log import MutantLog
from fewtaps.pipeline.scheduling import read_prior
from fewtaps.pipeline.suite_player import JOURNAL, SuiteJournal
from fewtaps.reducing.nd3min.prior import Prior
from fewtaps.report.suite_results import RESULTS, read_results
from fewtaps.slicing.summaries import standard_summaries
from fewtaps.store.database import FILE, open_store
from fewtaps.suitefile import read_suite
from fewtaps.tracefile import read_trace, trace_to_bytes

SAMPLES = Path(__file__).resolve().parents[2] / "samples"


def _entry(name: str) -> Callable[[Path], list[bytes]]:
    def contents(folder: Path) -> list[bytes]:
        found = []
        for apk in ("calc", "tipsplit"):
            with zipfile.ZipFile(SAMPLES / f"{apk}.apk") as archive:
                found.append(archive.read(name))
        return found

    return contents


def _small_apks(folder: Path) -> list[bytes]:
    """Archives with a stored and a packed entry, small enough that damage hits their directories."""
    with zipfile.ZipFile(SAMPLES / "calc.apk") as archive:
        dex = archive.read("classes.dex")
    path = write_zip(folder / "a.apk", {"AndroidManifest.xml": b"x" * 100, "classes.dex": dex, "res/a.png": b""})
    comment = io.BytesIO()
    with zipfile.ZipFile(comment, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("AndroidManifest.xml", b"y" * 3000)
        archive.comment = b"comment"
    return [path.read_bytes(), comment.getvalue()]


def _read_archive(content: bytes, folder: Path) -> None:
    path = folder / "a.apk"
    path.write_bytes(content)
    with open_archive(path) as archive:
        for name in archive.names:
            if name in archive:
                archive.read(name, 1 << 20)


def _read_digests(content: bytes, folder: Path) -> None:
    path = write_zip(folder / "a.apk", {"AndroidManifest.xml": b"", "classes.dex": content})
    class_digests(path)


def _texts(*texts: str) -> Callable[[Path], list[bytes]]:
    return lambda folder: [text.encode() for text in texts]


def _traces(folder: Path) -> list[bytes]:
    paths = sorted(SAMPLES.glob("*/crash*.jsonl"))[:6]
    traces = [read_trace(path) for path in paths]
    first = traces[0].steps[0]
    launch = replace(first, event=Launch(phone=(("browser", "absent"), ("permissions", "denied"))))
    traces.append(replace(traces[0], steps=(launch, *traces[0].steps[1:])))
    full = [trace_to_bytes(trace) for trace in traces]
    return full + [path.read_bytes() for path in bill_suite(folder).glob("*.jsonl")]


def _recorded(read: Callable[[Path], Recording], name: str) -> Callable[[bytes, Path], object]:
    def read_content(content: bytes, folder: Path) -> object:
        path = folder / name
        path.write_bytes(content)
        return recording_to_trace(read(path))

    return read_content


def _read_run(content: bytes, folder: Path) -> object:
    (folder / SCRIPT).write_text(test_simplydroid.SCRIPT)
    (folder / EXECUTED).write_bytes(content)
    return recording_to_trace(read_simplydroid(folder))


def _droidbot_event(folder: Path) -> list[bytes]:
    event = {"event_type": "touch", "view": {**test_droidbot.ROW, "view_str": "a"}}
    record = {"tag": "1", "event": event, "start_state": "a", "stop_state": "b", "event_str": ""}
    return [json.dumps(record).encode()]


def _read_droidbot(name: str) -> Callable[[bytes, Path], object]:
    def read(content: bytes, folder: Path) -> object:
        if not (folder / "events").exists():
            test_droidbot.folder(folder, test_droidbot.START, states=(test_droidbot.state("a"),))
        (folder / name).write_bytes(content)
        return recording_to_trace(read_droidbot(folder))

    return read


def _read_suite(content: bytes, folder: Path) -> object:
    if not (folder / "suite.json").exists():
        bill_suite(folder)
    (folder / "suite.json").write_bytes(content)
    return read_suite(folder)


def _read_stack(content: bytes, folder: Path) -> object:
    crash = crash_from_stack(content.decode(errors="replace").splitlines())
    return None if crash is None else (crash.render(), replace(crash).fingerprint)


def _stores(folder: Path) -> list[bytes]:
    return [(make_project(folder, pictures=False) / FILE).read_bytes()]


def _read_store(content: bytes, folder: Path) -> None:
    (folder / FILE).write_bytes(content)
    read_findings(folder)
    with open_store(folder) as store:
        store.runs.totals()
        for kind in ("explore", "run"):
            if (latest := store.runs.latest(kind)) is not None:
                list(store.runs.iter_episodes(latest.run_id, 0))


def _read_baseline(content: bytes, folder: Path) -> object:
    path = folder / "baseline.json"
    path.write_bytes(content)
    return read_baseline(path)


def _signing_keys(folder: Path) -> list[bytes]:
    return [make_key().to_pem()]


def _read_mapping(content: bytes, folder: Path) -> object:
    mapping = read_mapping(read_named_text(_written(folder, content), 1 << 20, "a mapping file"), "mapping.txt")
    crash = crash_from_stack(STACK.splitlines())
    assert crash is not None
    return mapping.crash(crash)


def _results(folder: Path) -> list[bytes]:
    suite = bill_suite(folder / "suite")
    with redirect_stdout(io.StringIO()):
        main(["test", str(suite), "sim:bill", "-o", str(folder / "results")])
    return [(folder / "results" / RESULTS).read_bytes()]


def _journals(folder: Path) -> list[bytes]:
    journal = SuiteJournal(folder / JOURNAL, {"app": "a"})
    for number in range(3):
        journal.put(f"key {number}", {"seconds": 0.1, "steps": [["state", {"lines": [1]}, None, False]]})
    journal.close()
    return [(folder / JOURNAL).read_bytes()]


def _read_journal(content: bytes, folder: Path) -> None:
    (folder / JOURNAL).write_bytes(content)
    journal = SuiteJournal(folder / JOURNAL, {"app": "a"})
    journal.put("another", 1)
    journal.close()


def _read_prior(content: bytes, folder: Path) -> object:
    return read_prior(_written(folder, content))


def _priors(folder: Path) -> list[bytes]:
    return [json.dumps(Prior.paper().to_json()).encode()]


def _summaries(folder: Path) -> list[bytes]:
    lines = files("fewtaps.slicing").joinpath("summaries.txt").read_bytes().splitlines(keepends=True)
    return [b"".join(lines[:80])]


def _read_summaries(content: bytes, folder: Path) -> object:
    text = read_named_text(_written(folder, content), 1 << 20, "a table of summaries")
    return standard_summaries().also(text, "summaries").find("java.util.ArrayList", "get", 1)


def _read_served(read: Callable[[Path], Sequence[ServedAnswer]]) -> Callable[[bytes, Path], object]:
    def read_content(content: bytes, folder: Path) -> object:
        answers = tuple(read(_written(folder, content)))
        assert all(100 <= answer.status < 600 for answer in answers)
        # As they are sent to the device.
        fields = open_fields(folder, folder, folder, SessionSettings(served=answers))
        return digest_of(answers), encode_request(1, "open", fields)

    return read_content


def _read_logcat(content: bytes, folder: Path) -> object:
    log = AppLog("com.example.app")
    log.begin("mark")
    for line in content.decode("utf-8", "replace").splitlines():
        if (entry := parse_line(line)) is not None:
            log.add(entry)
    return log.end, log.crash, log.take_lines(), log.last_pid


def _read_merged(content: bytes, folder: Path) -> None:
    shard, all_ = folder / "shard", folder / "all"
    shutil.rmtree(folder)
    shard.mkdir(parents=True)
    (shard / FILE).write_bytes(content)
    merge_projects(all_, [shard])


def _read_probe_table(content: bytes, folder: Path) -> object:
    path = write_zip(folder / "a.apk", {TABLE_NAME: content})
    table = read_probe_table(path)
    assert table is not None
    return table.coverage(ProbeSet(0b111)), table.probes.totals


def _farm_messages(folder: Path) -> list[bytes]:
    trace = read_trace(sorted(SAMPLES.glob("*/crash*.jsonl"))[0])
    return [pack(job, "/app.apk") for job in (Tap(1, 2), ("episode", 3, {"world": 4}), trace)]


def _read_table(content: bytes, folder: Path) -> object:
    return read_table(_written(folder, content))


def _bundles(folder: Path) -> list[bytes]:
    base = write_zip(folder / "base.apk", {"AndroidManifest.xml": manifest(activity("a.Main", LAUNCHER))})
    split = write_zip(folder / "s.apk", {"AndroidManifest.xml": manifest(root={"split": "config.de"}), "res/a": b"a"})
    with zipfile.ZipFile(folder / "stored.apks", "w") as archive:
        for path in (base, split):
            archive.write(path, path.name)
    return [(folder / "stored.apks").read_bytes()]


def _read_bundle(content: bytes, folder: Path) -> object:
    path = folder / "a.apks"
    path.write_bytes(content)
    with patch.dict(os.environ, FEWTAPS_CACHE=str(folder / "cache")):
        return assemble(str(path), PROFILES["default"])


MUTANT = Mutant("a.B", "c", "()V", 0, "MATH")


def _mutant_logs(folder: Path) -> list[bytes]:
    log = MutantLog(folder / "log.jsonl")
    log.add(MutantResult(MUTANT, MutantStatus.KILLED, "a-test", 3, "text", MutantStatus.SURVIVED, 2))
    log.add(MutantResult(MUTANT, MutantStatus.SURVIVED, None, None, "", None, 4))
    return [(folder / "log.jsonl").read_bytes()]


def _read_mutant_log(content: bytes, folder: Path) -> object:
    path = folder / "results.jsonl"
    path.write_bytes(content)
    return MutantLog(path).read([MUTANT])


class _Device:
    """A served device, which lives for many cases; a case ends with a new run."""

    def __init__(self) -> None:
        self._stack = ExitStack()

    @cached_property
    def phone(self) -> ServedPhone:
        """Of a simulated app, with a clock that is moved to what a service waits for."""
        phone, _ = self._stack.enter_context(simulated_phone(clock=Clock()))
        return phone

    def drive(self, service: Service, channel: Channel) -> None:
        """Until its end, or until it waits for a client that has left."""
        clock = self.phone.clock
        assert isinstance(clock, Clock)
        for _ in range(MOST_TURNS):
            try:
                pause = next(service)
            except StopIteration:
                break
            channel.outgoing.clear()
            if not channel.is_met(pause, clock()):
                if pause.until is None:
                    break
                clock.now = max(clock.now, pause.until)
        service.close()
        self.phone.stop()

    def hear(self, connection: AdbConnection | HostConnection | ConsoleConnection, content: bytes) -> None:
        """What a server does with the bytes of a client."""
        clock = self.phone.clock
        assert isinstance(clock, Clock)
        try:
            connection.receive(content)
            for _ in range(MOST_TURNS):
                pause = connection.run(clock())
                connection.output().clear()
                if pause is None:
                    break
                if pause.until is None:
                    break
                clock.now = max(clock.now, pause.until)
        except TransportError:
            pass
        finally:
            connection.close()
            self.phone.stop()


_DEVICE = _Device()
MOST_TURNS = 3_000


def _packets(folder: Path) -> list[bytes]:
    hello = Packet(CNXN, VERSION, 4096, b"host::features=shell_v2,cmd").encode()
    asked = b"".join(
        Packet(OPEN, number, 0, service).encode()
        for number, service in enumerate((b"shell:echo a | cat; input tap 9 9\0", b"sync:\0", b"shell,v2,raw:cat\0"), 1)
    )
    return [hello + asked + Packet(WRTE, 2, 2, b"STAT\x05\0\0\0/data").encode() + Packet(CLSE, 1, 1, b"").encode()]


def _served(name: str) -> Callable[[bytes, Path], None]:
    """Runs a service of the device; with a shell the content is the line, else what a client sends."""

    def read(content: bytes, folder: Path) -> None:
        channel = Channel()
        line = content.decode("utf-8", "replace") if name == "shell:" else ""
        if not line:
            channel.incoming += content
        channel.is_ended = True
        if (service := open_service(name + line, channel, _DEVICE.phone)) is not None:
            _DEVICE.drive(service, channel)

    return read


def _read_agent(content: bytes, folder: Path) -> None:
    channel = Channel()
    channel.incoming += content
    channel.is_ended = True
    _DEVICE.drive(agent_service(channel, _DEVICE.phone), channel)


def _read_appium(content: bytes, folder: Path) -> None:
    server = AppiumServer(is_open=True)
    channel = Channel()
    channel.incoming += content
    channel.is_ended = True
    _DEVICE.drive(server.serve(channel, _DEVICE.phone), channel)


def _appium_requests(folder: Path) -> list[bytes]:
    actions = [{"type": "pointer", "actions": [{"type": "pointerMove", "x": 1, "y": 2.5}, {"type": "pointerDown"}]}]
    bodies = {
        "session": {"capabilities": {"firstMatch": [{"appPackage": "a.b"}], "alwaysMatch": {}}},
        "session/1/elements": {"strategy": "xpath", "selector": "//*[@text='Split']"},
        "session/1/element": {"strategy": "-android uiautomator", "selector": 'new UiSelector().textMatches("S.*")'},
        "session/1/actions": {"actions": actions},
        "session/1/appium/gestures/swipe": {"area": {"left": 1, "top": 2, "width": 9, "height": 9}, "direction": "up"},
        "session/1/appium/settings": {"settings": {"enableMultiWindows": True}},
        "session/1/keys": {"value": ["a", "b"]},
    }
    found = []
    for path, body in bodies.items():
        content = json.dumps(body).encode()
        found.append(f"POST /{path} HTTP/1.1\r\nContent-Length: {len(content)}\r\n\r\n".encode() + content)
    return [*found, b"GET /session/1/source HTTP/1.1\r\n\r\nGET /session/1/screenshot HTTP/1.1\r\n\r\n"]


def _read_maestro(content: bytes, folder: Path) -> None:
    from fewtaps.adbd.maestro.server import maestro_service

    channel = Channel()
    channel.incoming += content
    channel.is_ended = True
    _DEVICE.drive(maestro_service(channel, _DEVICE.phone), channel)


def _maestro_calls(folder: Path) -> list[bytes]:
    from h2.connection import H2Connection

    found = []
    argument = b"\x0a\x05count\x12\x013\x1a\x07Integer"
    launch = b"\x0a\x10com.example.bill\x12" + bytes([len(argument)]) + argument
    for name, request in (("deviceInfo", b""), ("tap", b"\x08\x09\x10\x09"), ("launchApp", launch)):
        client = H2Connection()
        client.initiate_connection()
        path = f"/maestro_android.MaestroDriver/{name}"
        client.send_headers(1, [(":method", "POST"), (":path", path), (":scheme", "http"), (":authority", "x")])
        client.send_data(1, b"\0" + len(request).to_bytes(4, "big") + request, end_stream=True)
        client.close_connection()
        found.append(client.data_to_send())
    return found


def _sync_requests(folder: Path) -> list[bytes]:
    def request(kind: bytes, content: bytes) -> bytes:
        return kind + len(content).to_bytes(4, "little") + content

    sent = request(b"SEND", b"/data/local/tmp/a,33188") + request(b"DATA", b"abc") + b"DONE\0\0\0\0"
    return [
        sent + request(b"STAT", b"/data/local/tmp/a") + request(b"LIST", b"/") + request(b"RECV", b"/data/local/tmp/a")
    ]


def _agent_requests(folder: Path) -> list[bytes]:
    found = []
    for method, params in (
        ("dumpWindowHierarchy", [False, 50]),
        ("click", [{"mask": 1, "text": "Split", "childOrSibling": [], "childOrSiblingSelector": []}]),
        ("objInfo", [{"textMatches": "S.*", "mask": 2}]),
        ("deviceInfo", []),
    ):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        head = f"POST /jsonrpc/0 HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
        found.append(head.encode() + body)
    return found


LOGCAT = """\
01-02 03:04:05.678  4242  4242 I am_proc_start: [0,4242,10123,com.example.app,activity,{com.example.app/.Main}]
01-02 03:04:05.700  4242  4242 E AndroidRuntime: FATAL EXCEPTION: main
01-02 03:04:05.700  4242  4242 E AndroidRuntime: Process: com.example.app, PID: 4242
01-02 03:04:05.700  4242  4242 E AndroidRuntime: java.lang.ArithmeticException: divide by zero
01-02 03:04:05.700  4242  4242 E AndroidRuntime: \tat com.example.app.Main.split(Main.java:12)
01-02 03:04:05.701  1000  1000 I am_crash: [4242,0,com.example.app,7,java.lang.ArithmeticException,zero,Main.java,12]
01-02 03:04:05.702  1000  1000 I am_anr: [0,4242,com.example.app,7,Input dispatching timed out]
01-02 03:04:05.703  4242  4242 F DEBUG   : signal 11 (SIGSEGV), code 1, fault addr 0x0
01-02 03:04:05.703  4242  4242 F DEBUG   :     #00 pc 0000  /data/lib.so (crash+12)
01-02 03:04:05.704  1000  1000 I am_proc_died: [0,4242,com.example.app,0,2]
"""
HAR = json.dumps(
    {
        "log": {
            "entries": [
                {
                    "request": {"method": "GET", "url": "https://a.example/x?y=1", "headers": []},
                    "response": {
                        "status": 200,
                        "headers": [{"name": "ETag", "value": "e"}, {"name": "Set-Cookie", "value": "secret"}],
                        "content": {"mimeType": "application/json", "text": "e30=", "encoding": "base64"},
                    },
                }
            ]
        }
    }
)
OPENAPI = json.dumps(
    {
        "openapi": "3.0.0",
        "servers": [{"url": "https://a.example/{stage}/v1"}],
        "paths": {
            "/users/{id}": {
                "get": {
                    "responses": {
                        "200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/User"}}}}
                    }
                },
                "delete": {"responses": {"204": {"description": "gone"}}},
            }
        },
        "components": {
            "schemas": {
                "User": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string", "format": "email"},
                        "age": {"type": "integer", "minimum": 18},
                        "friends": {"type": "array", "items": {"$ref": "#/components/schemas/User"}},
                        "role": {"allOf": [{"enum": ["a", "b"]}, {"oneOf": [{"type": "null"}]}]},
                    },
                }
            }
        },
    }
)
SWAGGER = json.dumps(
    {
        "swagger": "2.0", "host": "a.example", "basePath": "/v2", "produces": ["application/json"],
        "paths": {"/a": {"get": {"responses": {"default": {"schema": {"type": "boolean"}, "examples": {"b": 1}}}}}},
    }
)  # fmt: skip
PROBE_TABLE = json.dumps(
    {
        "version": 1, "app": "a.b", "origin": "0" * 64, "scope": "app",
        "classes": [{"name": "a.B", "file": "B.java", "methods": [[0, "c", "()V", 3]], "lines": [[0, 3], [1, 4]]}],
        "probes": [[[], [0, 1], [0]], [[], [[0, 1]], []]],
    }
)  # fmt: skip
ROWS = [{"app": "a.apk", "folder": "night/a", "code": 0, "events": 5, "crashes": 1, "seconds": 1.5, "message": ""}]
SHELL_LINES = (
    "input tap 100 200; input text 'a b'; dumpsys window | grep -E 'mCurrent(Focus|App)' | head -n 2",
    "am start -W -n com.example.bill/.Main && pm list packages -3 || echo none > /sdcard/a; cat /sdcard/a",
    "for i in 1 2 3; do echo $i; done; settings put system a 'b'; getprop ro.build.version.sdk; ls -l /data/local/tmp",
    "echo abc | sed s/b/x/ | tr a-c A-C | wc -c; test -d /sdcard && uiautomator dump /sdcard/d.xml; logcat -d -t 5",
)

STACK = """\
java.lang.RuntimeException: Unable to start activity
\tat android.app.ActivityThread.performLaunchActivity(ActivityThread.java:2778)
Caused by: java.lang.ArithmeticException: divide by zero
\tat com.example.app.Main.split(Main.java:12)
\t... 3 more
"""
BASELINE = '[{"id": "0123456789ab", "signature": "A at b", "summary": "A: b", "steps": 3}]'

SUBJECTS = (
    Subject("archive", _small_apks, _read_archive),
    Subject(
        "manifest",
        _entry("AndroidManifest.xml"),
        lambda content, folder: TASKS["manifest"]({"manifest": content}),
        limited=True,
    ),
    Subject(
        "resources",
        _entry("resources.arsc"),
        lambda content, folder: TASKS["strings"]({"resources": content, "at_most": b"2000"}),
        limited=True,
    ),
    Subject("dex", _entry("classes.dex"), lambda content, folder: read_superclasses(content, "classes.dex")),
    Subject("class-digests", _entry("classes.dex"), _read_digests),
    Subject("trace", _traces, lambda content, folder: read_trace(_written(folder, content))),
    Subject("suite", lambda folder: [(bill_suite(folder) / "suite.json").read_bytes()], _read_suite),
    Subject("monkey-script", _texts(test_simplydroid.SCRIPT), _recorded(read_monkey_script, "a.monkey")),
    Subject("monkey-log", _texts(test_monkeylog.HEAD + test_monkeylog.CRASH), _recorded(read_monkey_log, "a.log")),
    Subject(
        "simplydroid",
        _texts(test_simplydroid.EXECUTED, test_simplydroid.EXECUTED + test_simplydroid.CRASH),
        _read_run,
    ),
    Subject("droidbot-event", _droidbot_event, _read_droidbot("events/event_2024-01-01_000001.json")),
    Subject("droidbot-state", _texts(json.dumps(test_droidbot.state("b"))), _read_droidbot("states/state_b.json")),
    Subject(
        "uiautomator", _texts(test_uiautomator.APPIUM, test_uiautomator.HEAD), _recorded(read_uiautomator, "steps.py")
    ),
    Subject("stack", _texts(STACK), _read_stack),
    Subject("baseline", _texts(BASELINE), _read_baseline),
    Subject("store", _stores, _read_store),
    Subject("mapping", _texts(R8, PROGUARD), _read_mapping),
    Subject("results", _results, lambda content, folder: read_results(_written(folder, content))),
    Subject("journal", _journals, _read_journal),
    Subject("prior", _priors, _read_prior),
    Subject("summaries", _summaries, _read_summaries),
    Subject("har", _texts(HAR), _read_served(read_har)),
    Subject("openapi", _texts(OPENAPI, SWAGGER), _read_served(read_openapi)),
    Subject("logcat", _texts(LOGCAT), _read_logcat),
    Subject("merge", _stores, _read_merged),
    Subject(
        "phone",
        _texts("browser=absent,network=faked", "permissions=asked"),
        lambda content, folder: DeviceSettings(phone=content.decode("utf-8", "replace")),
    ),
    Subject("campaign", _texts(json.dumps({"apps": ROWS})), _read_table),
    Subject(
        "app-list", _texts("app.apk\n# all\nsim:bill\n"), lambda content, folder: read_apps(_written(folder, content))
    ),
    Subject("signing-key", _signing_keys, lambda content, folder: read_key(content, "key.pem").sign_detached(b"code")),
    Subject("mutants", _mutant_logs, _read_mutant_log),
    Subject("pieces", _bundles, _read_bundle, limited=True),
    # As a line may damage it. What a peer itself writes into a message is trusted: docs/farm.md.
    Subject("farm-message", _farm_messages, lambda content, folder: unpack(content, "/own.apk", 1 << 20)),
    Subject("adb-packets", _packets, lambda content, folder: _DEVICE.hear(AdbConnection(_DEVICE.phone), content)),
    Subject("adb-shell", _texts(*SHELL_LINES), _served("shell:")),
    Subject("adb-sync", _sync_requests, _served("sync:")),
    Subject("adb-agent", _agent_requests, _read_agent),
    Subject("adb-appium", _appium_requests, _read_appium),
    Subject("adb-maestro", _maestro_calls, _read_maestro),
    Subject("probe-table", _texts(PROBE_TABLE), _read_probe_table),
    Subject(
        "adb-console",
        _texts("avd name\r\navd snapshot save a\r\nrotate\r\navd snapshot load a\r\ngeo fix 1 2\r\nhelp\r\n"),
        lambda content, folder: _DEVICE.hear(ConsoleConnection(_DEVICE.phone, DeviceServer()), content),
    ),
    Subject(
        "adb-server",
        _texts("000chost:version000chost:devices", "001bhost:transport:test-serial0008shell:ls"),
        lambda content, folder: _DEVICE.hear(HostConnection((_DEVICE.phone,), DeviceServer()), content),
    ),
    *ANSWERS,
)


def _written(folder: Path, content: bytes) -> Path:
    path = folder / "content"
    path.write_bytes(content)
    return path

"""What a farm refuses before anything runs, and that nothing of its engine is loaded without it."""

from __future__ import annotations

import hashlib
import os
import resource
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from fewtaps.cli.main import main
from fewtaps.device.adb.attached import AttachedDevice
from fewtaps.device.backend import FoundDevice, Health, HealthCheck
from fewtaps.device.registry import BACKENDS
from fewtaps.errors import DeviceLost, DeviceUnavailable, UsageError
from fewtaps.farm.address import FarmAddress, parse_address
from fewtaps.farm.facts import difference, group_of, lent_devices, require_machine
from fewtaps.farm.files import keep_file, make_room
from fewtaps.farm.packing import pack, unpack
from fewtaps.farm.pool import untried
from fewtaps.farm.sharing import share_out
from fewtaps.farm.tasks import SlotRefused


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("hub:8786", "write the address"),
        ("http://hub", "write the address"),
        ("tcp://127.0.0.1:99999", "up to 65535"),
        ("tcp://10.0.0.1:8786", "without encryption only 127.0.0.1"),
        ("tls://hub:8786", "name the folder"),
        ("tcp://127.0.0.1:8786;id", "write the address"),
    ],
)
def test_an_address_that_may_not_be_used_is_refused(
    address: str, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("FEWTAPS_FARM_CERTS", raising=False)
    with pytest.raises(UsageError, match=words):
        parse_address(address)
    assert main(["explore", "sim:bill", "--farm", address]) == 2
    assert main(["farm", "worker", address, "--twins", "1"]) == 2
    assert main(["farm", "hub", "--listen", address]) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["dance"],
        ["hub", "tcp://127.0.0.1:1"],
        ["worker"],
        ["worker", "tcp://127.0.0.1:1"],
        ["worker", "tcp://127.0.0.1:1", "--twins", "0"],
        ["worker", "tcp://127.0.0.1:1", "--twins", "5000"],
        ["worker", "tcp://127.0.0.1:1", "--device", "nothing"],
        ["status", "tcp://127.0.0.1:1", "--twins", "1"],
        ["status"],
    ],
)
def test_a_command_without_sense_ends_with_2(arguments: list[str]) -> None:
    assert main(["farm", *arguments]) == 2


def test_certificates_that_are_missing_are_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no ca\.pem"):
        parse_address("tls://hub:8786", tmp_path)
    for name in ("ca.pem", "cert.pem", "key.pem"):
        (tmp_path / name).write_text("not a certificate", "utf-8")
    with pytest.raises(UsageError, match="cannot be used"):
        parse_address("tls://hub:8786", tmp_path).security()


def test_a_message_is_not_unpacked_beyond_its_limit() -> None:
    packed = pack(b"0" * 1_000_000)
    assert len(packed) < 10_000
    with pytest.raises(DeviceLost, match="larger than"):
        unpack(packed, limit=100_000)
    with pytest.raises(DeviceLost, match="cannot be read"):
        unpack(packed[:50])


def test_the_path_of_the_app_becomes_that_of_the_copy() -> None:
    value = {"path": "/here/app.apk", "other": "/here/app.apk.txt"}
    assert unpack(pack(value, "/here/app.apk"), "/there/copy.apk") == {
        "path": "/there/copy.apk",
        "other": "/here/app.apk.txt",
    }


def test_a_file_is_fetched_once_and_only_whole(tmp_path: Path) -> None:
    content = os.urandom(1000)
    digest = hashlib.sha256(content).hexdigest()
    asked: list[int] = []

    def pieces(offset: int) -> bytes:
        asked.append(offset)
        return content[offset : offset + 400]

    path = keep_file(tmp_path, digest, pieces)
    assert path.read_bytes() == content and asked == [0, 400, 800, 1000]
    assert keep_file(tmp_path, digest, pieces) == path and len(asked) == 4
    with pytest.raises(DeviceUnavailable, match="changed while it was sent"):
        keep_file(tmp_path, "0" * 64, lambda offset: content[offset : offset + 1000])
    with pytest.raises(DeviceUnavailable, match="no digest"):
        keep_file(tmp_path, "../../etc/passwd", pieces)
    assert [each.name for each in tmp_path.glob("*.apk")] == [path.name]


def test_a_copy_that_does_not_fit_on_the_disk_leaves_nothing(tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(DeviceUnavailable, match="the APK cannot be kept"):
            keep_file(tmp_path, hashlib.sha256(bytes(5000)).hexdigest(), lambda offset: bytes(5000 - offset))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not list(tmp_path.glob("*.apk")) + list(tmp_path.glob("*.part"))


def test_any_phone_means_all_that_can_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [FoundDevice("one", "Pixel 6", 33, "device"), FoundDevice("two", "", 0, "offline", "plug it in again")]
    adb = replace(BACKENDS["adb"], list_devices=lambda: tuple(found))
    monkeypatch.setattr("fewtaps.device.registry.BACKENDS", {**BACKENDS, "adb": adb})
    assert lent_devices("adb:any") == ("adb:one",)
    assert lent_devices("adb:two") == ("adb:two",) and lent_devices("simulated") == ("simulated",)
    assert group_of("adb:one") == "Pixel 6, API level 33"
    with pytest.raises(DeviceUnavailable, match="two is offline: plug it in again"):
        group_of("adb:two")
    assert group_of("simulated") == group_of("adb:gone") == ""
    del found[0]
    with pytest.raises(DeviceUnavailable, match="no device can be used"):
        lent_devices("adb:any")


def test_a_phone_without_a_serial_is_the_one_that_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    there = [AttachedDevice("one", "device")]
    monkeypatch.setattr("fewtaps.device.adb.attached.attached_devices", lambda server: tuple(there))
    monkeypatch.delenv("ANDROID_SERIAL", raising=False)
    assert lent_devices("adb") == ("adb:one",), "two workers that name none lend the same phone, which the hub refuses"
    there.append(AttachedDevice("two", "device"))
    with pytest.raises(DeviceUnavailable, match="several devices"):
        lent_devices("adb")
    monkeypatch.setenv("ANDROID_SERIAL", "two")
    assert lent_devices("adb") == ("adb:two",)


def test_a_machine_that_lacks_what_a_device_needs_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    checks = [HealthCheck("jail", Health.BAD, "none", "install bubblewrap", "--no-jail"),
              HealthCheck("jars", Health.LATER, "none yet")]  # fmt: skip
    twin = replace(BACKENDS["twin"], check_machine=lambda: iter(checks))
    monkeypatch.setattr("fewtaps.device.registry.BACKENDS", {**BACKENDS, "twin": twin})
    require_machine("twin")
    checks.append(HealthCheck("Java", Health.BAD, "not found", "install a JDK"))
    with pytest.raises(SlotRefused, match="cannot lend twin: Java: not found; install a JDK"):
        require_machine("twin")
    require_machine("simulated")


def test_plain_messages_are_taken_on_the_loopback_address_alone(tmp_path: Path) -> None:
    assert parse_address("tcp://localhost:1").listening_host() == "127.0.0.1"
    assert parse_address("tcp://[::1]:1").listening_host() == "::1"
    assert FarmAddress("tls", "127.0.0.1", 1, tmp_path).listening_host() == "127.0.0.1"
    with pytest.raises(UsageError, match="no way to this host"):
        FarmAddress("tls", "no-such-host.invalid", 1, tmp_path).listening_host()


def test_old_copies_make_room(tmp_path: Path) -> None:
    for number in range(4):
        (tmp_path / f"{number}.apk").write_bytes(b"x" * 100)
        os.utime(tmp_path / f"{number}.apk", (number, number))
    make_room(tmp_path, tmp_path / "0.apk", limit=250)
    assert sorted(path.name for path in tmp_path.glob("*.apk")) == ["0.apk", "3.apk"]


def test_a_job_that_a_machine_could_not_do_goes_to_another_one() -> None:
    share = ["tls://a:1", "tls://a:2", "tls://b:1"]
    assert untried(share, ["tls://a:1"]) == ["tls://b:1"]
    assert untried(share[:2], ["tls://a:1"]) == ["tls://a:2"]
    assert untried(share, share) == share
    assert untried(share[:2], ["tls://b:1"]) == share[:2]


def test_slots_are_shared_by_width_and_stay_where_they_are() -> None:
    slots = [f"s{number}" for number in range(6)]
    first = share_out(slots, {"a": 8}, {})
    assert first == {"a": slots}
    owners = dict.fromkeys(slots, "a")
    both = share_out(slots, {"a": 8, "b": 4}, owners)
    assert len(both["a"]) == 4 and len(both["b"]) == 2 and not set(both["a"]) & set(both["b"])
    assert set(both["a"]) <= set(slots)
    assert share_out(slots, {"a": 2}, owners)["a"] == slots[:2], "no more than the width"
    crowded = share_out(["s0"], {"a": 8, "b": 8}, {})
    assert crowded == {"a": ["s0"], "b": ["s0"]}
    assert share_out([], {"a": 1}, {}) == {"a": []}


def test_a_difference_names_what_both_know() -> None:
    here, there = {"python": "3.11", "java": "21"}, {"python": "3.12"}
    assert difference(here, there) == "python is 3.12 and should be 3.11"
    assert difference(here, dict(here)) == ""


@pytest.mark.slow
def test_help_and_a_run_without_a_farm_import_nothing_of_the_engine(tmp_path: Path) -> None:
    program = (
        "import sys; from fewtaps.cli.main import main\n"
        "code = main(sys.argv[1:])\n"
        "loaded = [name for name in sys.modules if name.partition('.')[0] in ('distributed', 'dask', 'tornado')]\n"
        "assert not loaded, loaded\n"
        "assert code == 0\n"
    )
    explore = ["explore", "sim:feed", "--events", "20", "-o", str(tmp_path / "out"), "--json"]
    for arguments in (["--help"], ["farm", "--help"], explore):
        subprocess.run(
            [sys.executable, "-c", program, *arguments], check=True, capture_output=True, timeout=60, text=True
        )


@pytest.mark.slow
def test_an_address_without_a_farm_ends_with_3(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("distributed")
    for command in (["farm", "status", "tcp://127.0.0.1:9"], ["explore", "sim:bill", "--farm", "tcp://127.0.0.1:9"]):
        assert main([*command, *(["-o", str(tmp_path)] if command[0] == "explore" else [])]) == 3
        assert "no farm answers there" in capsys.readouterr().err

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from dataclasses import fields, replace

import pytest

from fewtaps.config import DeviceSettings, usual_jobs
from fewtaps.device import registry
from fewtaps.device.backend import Health, HealthCheck
from fewtaps.device.registry import (
    BACKENDS,
    DEFAULT_BACKEND,
    device_for,
    has_apk,
    make_device,
    open_device,
    owner_of,
    parse_device,
    short_name,
    usable,
)
from fewtaps.device.session import Capability
from fewtaps.device.simulated.device import SimulatedDevice
from fewtaps.device.simulated.samples import bill
from fewtaps.device.twin.device import TwinDevice
from fewtaps.errors import UsageError
from fewtaps.model.app import App
from fewtaps.pipeline.health import verdict
from fewtaps.pipeline.opening import describe_app, ignored_options, open_app, plan_app


def test_a_backend_is_made_by_its_name_and_with_its_options() -> None:
    with open_device("simulated", programs=[bill()]) as device:
        assert device.name == "simulated"
        with device.open(bill().app) as session:
            assert session.app.package == "com.example.bill"


def test_the_twin_is_the_default() -> None:
    assert DEFAULT_BACKEND == "twin"
    assert device_for("app.apk").backend.name == "twin"


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match="'iphone' is none of twin, simulated"):
        make_device("iphone")


def test_a_phone_is_chosen_by_its_serial_number() -> None:
    assert DeviceSettings(backend="adb:emulator-5554").backend == "adb:emulator-5554"
    choice = parse_device("adb:192.168.1.7:5555")
    assert (choice.backend.name, choice.argument) == ("adb", "192.168.1.7:5555")


def test_one_phone_runs_one_job_by_default_and_any_runs_several() -> None:
    assert usual_jobs(DeviceSettings(backend="adb")) == 1
    assert usual_jobs(DeviceSettings(backend="adb:emulator-5554")) == 1
    assert usual_jobs(DeviceSettings(backend="adb:any")) == usual_jobs() == usual_jobs(DeviceSettings())


@pytest.mark.parametrize("text", ["twin:", "twin:x", "simulated:x"])
def test_an_argument_that_a_backend_does_not_take_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="write it as"):
        parse_device(text)


def test_an_argument_belongs_to_the_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def make(argument: str) -> SimulatedDevice:
        made.append(argument)
        return SimulatedDevice()

    entry = replace(BACKENDS["adb"], make=make)
    monkeypatch.setattr(registry, "BACKENDS", {**BACKENDS, "adb": entry})
    assert parse_device("adb:emulator-5554").argument == "emulator-5554"
    make_device("adb:emulator-5554")
    assert made == ["emulator-5554"]
    assert [backend.written for backend in usable()] == ["twin", "simulated", "adb:SERIAL"]


def test_apps_of_a_backend_are_known_by_their_names() -> None:
    owner = owner_of("sim:bill")
    assert owner is not None and owner.name == "simulated"
    assert owner_of("bill.apk") is None
    assert (short_name("sim:bill"), short_name("bill.apk")) == ("bill", None)
    assert device_for("sim:bill").backend is owner
    with pytest.raises(UsageError, match="a simulated app runs on --device simulated only"):
        device_for("sim:bill", "twin")


def test_a_program_has_no_apk_file() -> None:
    assert has_apk(App("com.a", path="/tmp/a.apk"))
    assert not has_apk(bill().app)
    assert not has_apk(App("com.a"))


def test_an_app_that_is_no_apk_says_what_it_is() -> None:
    description = describe_app("sim:bill")
    assert not description.is_apk
    assert "--device simulated" in description.kind


def test_entries_say_what_their_devices_can_do() -> None:
    assert BACKENDS["twin"].capabilities == TwinDevice(start=lambda api: pytest.fail("started")).capabilities
    assert BACKENDS["simulated"].capabilities == SimulatedDevice().capabilities


def test_options_of_entries_are_settings() -> None:
    # Whose devices they are, of this machine or of a farm, is not for a backend to say.
    settings = {field.name for field in fields(DeviceSettings)} - {"backend", "farm"}
    for backend in BACKENDS.values():
        assert backend.options <= settings
    assert settings == frozenset().union(*(backend.options for backend in BACKENDS.values()))
    assert BACKENDS["twin"].options == settings - {"reinstall"}


def test_settings_that_a_backend_does_not_take_are_named() -> None:
    settings = DeviceSettings(api=30, jail=False, coverage="off", backend="simulated")
    assert ignored_options(BACKENDS["simulated"], settings) == ("api", "jail")
    assert ignored_options(BACKENDS["twin"], settings) == ()


def test_a_plan_names_its_device_and_knows_whether_it_has_worlds(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_app("sim:bill", DeviceSettings())
    assert plan.backend == "simulated"
    assert plan.has_worlds
    without = replace(BACKENDS["simulated"], capabilities=BACKENDS["simulated"].capabilities - {Capability.WORLDS})
    monkeypatch.setattr(registry, "BACKENDS", {"twin": BACKENDS["twin"], "simulated": without})
    assert not plan.has_worlds


def test_only_a_backend_that_takes_the_jail_is_told_of_it() -> None:
    with open_app("sim:bill", DeviceSettings(jail=False)) as opened:
        assert opened.device.name == "simulated"


def checks(*health: tuple[Health, str]) -> Iterable[HealthCheck]:
    return [HealthCheck(f"check {number}", each, "", way_out=out) for number, (each, out) in enumerate(health)]


def test_the_doctor_judges_the_default_backend() -> None:
    good, optional = (Health.GOOD, ""), (Health.OPTIONAL, "")
    assert verdict(list(checks(good, optional))) == "The twin can run here."
    assert (
        verdict(list(checks(good, (Health.BAD, "--so, at a price"))))
        == "The twin runs here only with --so, at a price."
    )
    assert verdict(list(checks((Health.BAD, ""), (Health.BAD, "--so")))) == "The twin cannot run here yet."


def test_the_table_imports_no_device() -> None:
    program = "import sys, fewtaps.device.registry; print('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert "fewtaps.device.twin.entry" in loaded
    for module in ("fewtaps.device.twin.device", "fewtaps.device.simulated.device", "fewtaps.apk.reader", "androguard"):
        assert module not in loaded

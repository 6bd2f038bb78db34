"""Which app a suite is run on, and with which settings: those it was made with, unless others are asked for."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from fewtaps.config import DeviceSettings
from fewtaps.errors import StoreError, UsageError
from fewtaps.files import real_path
from fewtaps.model.event import printable
from fewtaps.model.suite import Suite
from fewtaps.pipeline.opening import Plan, plan_app
from fewtaps.store.database import open_store

SUITE_SETTINGS = ("profile", "api", "permissions", "neighbours", "content", "phone", "network", "coverage")
"""The settings of a device that a suite keeps, because its tests depend on them."""


def settings_to_keep(device: DeviceSettings, profile: str) -> tuple[tuple[str, str], ...]:
    """What a suite keeps of the settings its tests were made with: all that is not the default one."""
    usual = DeviceSettings()
    chosen = {name: getattr(device, name) for name in SUITE_SETTINGS if getattr(device, name) != getattr(usual, name)}
    if profile != "default":
        chosen["profile"] = profile
    return tuple(sorted((name, str(value)) for name, value in chosen.items()))


def device_settings(suite: Suite, given: DeviceSettings, said: frozenset[str]) -> DeviceSettings:
    """The given settings, with those of the suite where none is asked for. Raises UsageError for an unknown one."""
    known = {each.name for each in fields(given)}
    kept: dict[str, Any] = {}
    for name, value in suite.settings:
        if name not in known or name not in SUITE_SETTINGS:
            raise UsageError(f"suite.json: {printable(name, 60)}: not one of the settings {', '.join(SUITE_SETTINGS)}")
        if name not in said:
            kept[name] = _number(name, value) if name == "api" else value
    return replace(given, **kept)


def plan_suite(suite: Suite, apk: str, settings: DeviceSettings) -> Plan:
    """Reads the app and decides where it will run, on the kind of phone that the tests were made on.

    Raises UsageError if the suite is for another app.
    """
    if settings.profile is None and suite.tests:
        settings = replace(settings, profile=suite.tests[0].trace.profile)
    plan = plan_app(apk, settings)
    if suite.app.package != plan.app.package:
        raise UsageError(
            f"the suite is for {printable(suite.app.package, 200)}, the app is {printable(plan.app.package, 200)}"
        )
    return plan


def app_of_project(folder: Path) -> str:
    """The app of the project that a suite lies in. Raises UsageError if there is none."""
    path = last_app(real_path(folder).parent)
    if not path:
        raise UsageError(f"{folder}: name the app too, because the suite lies in no project: fewtaps test SUITE APK")
    return path


def app_of(folder: Path) -> str:
    """The app that a project was made from. Raises UsageError if nothing was explored in it."""
    path = last_app(folder)
    if not path:
        raise UsageError(f"{folder}: the project does not say which app it is of; name the APK instead")
    return path


def last_app(project: Path) -> str:
    """The path of the app that was explored last in a project; empty if there is none."""
    try:
        with open_store(project) as store:
            runs = store.runs.all()
            return store.runs.app(runs[-1].app).path if runs else ""
    except (StoreError, UsageError):
        return ""


def _number(name: str, value: str) -> int:
    if not value.isdecimal():
        raise UsageError(f"suite.json: settings.{name}: not a number: {printable(value, 60)}")
    return int(value)

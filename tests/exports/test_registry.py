"""Every export: named, described, and able to say any finding."""

from __future__ import annotations

from dataclasses import replace

import pytest
from exports.findings import CRASH, finding

from fewtaps.config import EXPORTED
from fewtaps.exports.registry import EXPORTS, Export
from fewtaps.model.event import Key, Tap

every_export = pytest.mark.parametrize("export", EXPORTS.values(), ids=EXPORTS)


@every_export
def test_an_export_is_kept_under_its_name_and_has_a_file_for_each_finding(export: Export) -> None:
    assert EXPORTS[export.name] is export
    assert export.title and export.language
    assert "arithmeticexceptioninsplit" in export.file_name(finding()).replace("_", "").lower()


def test_the_command_line_offers_every_export() -> None:
    assert tuple(EXPORTS) == EXPORTED


def test_no_two_exports_want_the_same_file() -> None:
    assert len({export.file_name(finding()) for export in EXPORTS.values()}) == len(EXPORTS)


@every_export
def test_an_export_says_where_it_came_from(export: Export) -> None:
    text = export.render(finding(Tap(1, 2), Key("BACK"))).text
    for part in ("fewtaps 1.2", "3f9a", "19 of 20", "ArithmeticException"):
        assert part in text


@every_export
def test_an_export_says_that_the_device_may_be_at_fault(export: Export) -> None:
    text = export.render(finding(Tap(1, 2), crash=replace(CRASH, suspect="no native code here"))).text
    assert "no native code here" in text
    assert "no native code here" not in export.render(finding(Tap(1, 2))).text


@every_export
def test_an_export_of_a_crash_at_launch_has_only_that_step(export: Export) -> None:
    assert export.render(finding()).text.endswith("\n")

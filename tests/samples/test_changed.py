"""The changed builds of the samples are complete, small, newer than their bases, and different from them."""

from __future__ import annotations

import zipfile

import pytest
from samples.changes import CHANGED, SAMPLES, Change, of_kind, read_changes

from fewtaps.apk.reader import read_apk
from fewtaps.tracefile import read_trace

CHANGES = read_changes()
SIZE_LIMIT_BYTES = 100 * 1000

each_change = pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.name)


def contents(apk: str) -> dict[str, bytes]:
    with zipfile.ZipFile(SAMPLES / apk) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.startswith("META-INF/")}


def test_there_are_eight_of_each_kind_and_no_file_is_left_over() -> None:
    assert (len(of_kind("regression")), len(of_kind("harmless"))) == (8, 8)
    names = {change.name for change in CHANGES}
    assert {path.stem for path in CHANGED.glob("*.apk")} == names
    assert {path.name for path in CHANGED.iterdir() if path.is_dir()} == names


@pytest.mark.slow
@pytest.mark.usefixtures("decoded_here")
@each_change
def test_a_changed_build_is_a_newer_build_of_its_base(change: Change) -> None:
    base, newer = read_apk(SAMPLES / f"{change.base}.apk"), read_apk(change.apk)
    assert newer.package == base.package
    assert newer.launcher == base.launcher
    assert (base.version_name, newer.version_name) == ("1.0", "1.1")
    assert change.apk.stat().st_size < SIZE_LIMIT_BYTES


@each_change
def test_more_than_the_manifest_differs_from_the_base(change: Change) -> None:
    base, newer = contents(f"{change.base}.apk"), contents(f"changed/{change.name}.apk")
    different = {name for name in base.keys() | newer.keys() if base.get(name) != newer.get(name)}
    assert different - {"AndroidManifest.xml"}


@each_change
def test_a_changed_build_is_made_from_a_patch_or_from_rules(change: Change) -> None:
    made_from = {path.name for path in change.folder.iterdir()} - {"steps.jsonl"}
    assert made_from in ({"change.patch"}, {"rules.pro"})


@each_change
def test_the_page_has_the_facts_of_the_file(change: Change) -> None:
    rows = [
        row.split(" | ")
        for row in (CHANGED / "README.md").read_text(encoding="utf-8").splitlines()
        if row.startswith(f"| {change.name} | ")
    ]
    assert len(rows) == 1
    _, base, changed, number, *rest = rows[0]
    assert (base, changed) == (change.base, change.changed)
    if change.kind == "regression":
        assert int(number) == change.step
        assert change.expected is not None and change.expected in rest[0]
        seen = change.seen or (change.crash or "").rpartition(".")[2]
        assert seen and seen in rest[1]
    else:
        assert int(number) == len(read_trace(change.steps).events) - 1
        assert [int(step) for step in rest[0].rstrip(" |").rpartition("steps ")[2].split(", ") if step.isdigit()] == [
            *change.healed
        ]


@each_change
def test_the_steps_aim_at_widgets_by_all_that_is_known_of_them(change: Change) -> None:
    trace = read_trace(change.steps)
    assert trace.app.package == f"dev.fewtaps.samples.{change.base}"
    assert trace.app.version == "1.0"
    selectors = [event.selector for event in trace.events if hasattr(event, "selector")]
    assert selectors
    assert all(selector is not None and selector.class_name and selector.path for selector in selectors)


@pytest.mark.parametrize("change", of_kind("regression"), ids=lambda change: change.name)
def test_the_steps_of_a_regression_end_where_it_is_seen(change: Change) -> None:
    assert len(read_trace(change.steps).events) - 1 == change.step


def test_obfuscation_keeps_the_names_in_the_manifest_only() -> None:
    base, newer = contents("shop.apk")["classes.dex"], contents("changed/obfuscated.apk")["classes.dex"]
    kept, renamed = b"Ldev/fewtaps/samples/shop/CartActivity;", b"Ldev/fewtaps/samples/shop/Session;"
    assert kept in base and kept in newer
    assert renamed in base and renamed not in newer

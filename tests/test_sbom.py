"""What is shipped or fetched is listed with its hashes and licences, and every licence is compatible."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def script() -> ModuleType:
    loader = SourceFileLoader("sbom_script", str(ROOT / "scripts" / "sbom"))
    spec = importlib.util.spec_from_loader("sbom_script", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["sbom_script"] = module
    loader.exec_module(module)
    return module


def test_every_part_has_a_compatible_licence(script: ModuleType) -> None:
    for part in script.parts():
        for each in re.split(r" AND | OR ", part.licence):
            assert each in script.COMPATIBLE, f"{part.name}: {each}"


def test_the_jars_of_developers_have_licences_too(script: ModuleType) -> None:
    licences = json.loads((ROOT / "bridge" / "jar-licences.json").read_text())
    for artifact in json.loads(script.JAR_LOCK.read_text())["artifacts"]:
        group, name, *_ = artifact["coordinate"].split(":")
        assert licences[f"{group}:{name}"] in script.COMPATIBLE


@pytest.mark.slow
def test_the_sbom_lists_what_the_lock_files_pin(script: ModuleType) -> None:
    document = script.sbom()
    assert (document["bomFormat"], document["specVersion"]) == ("CycloneDX", "1.5")
    references = [each["bom-ref"] for each in document["components"]]
    assert len(references) == len(set(references)) > 80
    for each in document["components"]:
        hashes = [each["content"] for each in each.get("hashes", ())] + [
            each["value"] for each in each["properties"] if each["name"] == "fewtaps:sha256"
        ]
        assert hashes and all(re.fullmatch(r"[0-9a-f]{64}", found) for found in hashes)
    names = {each["name"] for each in document["components"]}
    assert {"typer", "androguard", "org.robolectric:robolectric"} <= names
    # Tools of developers are no part of what a user gets.
    assert not {"mypy", "pytest", "com.google.googlejavaformat:google-java-format"} & names
    assert document == script.sbom()


@pytest.mark.slow
def test_the_page_of_licences_is_up_to_date(script: ModuleType) -> None:
    assert (ROOT / "docs" / "licences.md").read_text() == script.page(), "run scripts/sbom --page"

"""The class that links Android's methods stands in for one of Robolectric's: it has to do all that one does."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest

from fewtaps.device.twin.jars import JarStore
from fewtaps.device.twin.runtime import prepare

pytestmark = pytest.mark.jvm

NAME = "org/robolectric/internal/bytecode/InvokeDynamicSupport.class"


def linkers(jar: Path) -> set[bytes]:
    """The methods that Android's code asks to link a call, by their names in a class file."""
    with zipfile.ZipFile(jar) as archive:
        return set(re.findall(rb"bootstrap\w*", archive.read(NAME)))


def test_it_stands_first_and_links_all_kinds_of_calls() -> None:
    runtime = prepare()
    (theirs,) = (path for path in JarStore().ensure("run") if path.name.startswith("org.robolectric.sandbox-"))
    entries = runtime.command()[runtime.command().index("-cp") + 1].split(":")
    assert entries.index(str(runtime.bridge)) < entries.index(str(theirs))
    assert len(linkers(theirs)) >= 4
    assert linkers(runtime.bridge) >= linkers(theirs)

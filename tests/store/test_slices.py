"""Slices in a store: as they were, one for each crash, trace and build, and a damaged one is said."""

from __future__ import annotations

import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

import pytest
from slices import bill_slice, hostile_slice, long_slice

from fewtaps.errors import StoreError
from fewtaps.model.app import AppRef
from fewtaps.model.slice import Slice
from fewtaps.store.database import FILE, open_store
from fewtaps.store.slices import KeptSlice

APP = AppRef("com.example", "1.0", "ab" * 32)
CRASH = "java.lang.ArithmeticException at com.example.Bill.split \ud800"


@pytest.mark.parametrize("made", [bill_slice(), hostile_slice(), long_slice(400)], ids=["bill", "hostile", "long"])
def test_a_slice_comes_back_as_it_was(tmp_path: Path, made: Slice) -> None:
    with open_store(tmp_path, create=True) as store:
        store.slices.save(APP, CRASH, "t1", made)
    with open_store(tmp_path) as store:
        assert store.slices.find(APP, CRASH, "t1") == KeptSlice(made)


def test_a_slice_belongs_to_its_build_crash_and_trace(tmp_path: Path) -> None:
    with open_store(tmp_path, create=True) as store:
        store.slices.save(APP, CRASH, "t1", bill_slice())
        assert store.slices.find(APP, CRASH, "t2") is None
        assert store.slices.find(APP, "another crash", "t1") is None
        assert store.slices.find(AppRef("com.example", "1.0", "cd" * 32), CRASH, "t1") is None


def test_a_slice_takes_the_place_of_the_reason_why_there_was_none(tmp_path: Path) -> None:
    with open_store(tmp_path, create=True) as store:
        store.slices.save_failure(APP, CRASH, "t1", "the crash did not happen \ud800")
        assert store.slices.find(APP, CRASH, "t1") == KeptSlice(failure="the crash did not happen \ud800")
        store.slices.save(APP, CRASH, "t1", bill_slice())
        assert store.slices.find(APP, CRASH, "t1") == KeptSlice(bill_slice())


@pytest.mark.parametrize("content", [b"\x00", zlib.compress(b"{"), zlib.compress(b"{}"), "[]", 7])
def test_a_damaged_slice_is_one_clear_line(tmp_path: Path, content: object) -> None:
    with open_store(tmp_path, create=True) as store:
        store.slices.save(APP, CRASH, "t1", bill_slice())
    with closing(sqlite3.connect(tmp_path / FILE)) as connection:
        connection.execute("UPDATE slice SET content = ?", (content,))
        connection.commit()
    with open_store(tmp_path) as store, pytest.raises(StoreError, match="a slice"):
        store.slices.find(APP, CRASH, "t1")

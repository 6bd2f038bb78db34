"""Swaps a folder in whole: it is built beside the one it replaces, which stays until the new one is complete."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from fewtaps.errors import UsageError
from fewtaps.files import refusal

MARK = "fewtaps-report.json"
"""The file by which a report is known; a folder without it is somebody else's, and stays."""


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """An empty folder to build in, which takes the place of `target` at the end of the block.

    If the block fails, nothing has changed. Raises UsageError if the target holds something that is no report, and for
    what the file system refuses; StoreError for a full disk, where another target is no better.
    """
    _require_replaceable(target)
    part, old = _beside(target, "part"), _beside(target, "old")
    try:
        _recover(target, part, old)
        part.mkdir(parents=True)
        yield part
        _swap(part, target, old)
    except OSError as error:
        raise refusal(target, error, "; the earlier report stays" if target.exists() else "") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _beside(target: Path, kind: str) -> Path:
    return target.with_name(f".{target.name}.{kind}")


def _require_replaceable(target: Path) -> None:
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise UsageError(f"{target}: not a folder")
    if target.is_dir() and any(target.iterdir()) and not (target / MARK).is_file():
        raise UsageError(f"{target}: holds something that is no report; choose another folder with -o")


def _recover(target: Path, part: Path, old: Path) -> None:
    """Tidies up after a writer that was killed; one killed between two renames had moved the report away."""
    shutil.rmtree(part, ignore_errors=True)
    if old.is_dir() and not target.exists():
        old.rename(target)
    shutil.rmtree(old, ignore_errors=True)


def _swap(part: Path, target: Path, old: Path) -> None:
    if target.exists():
        target.rename(old)
    try:
        part.rename(target)
    except OSError:
        with suppress(OSError):
            old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)

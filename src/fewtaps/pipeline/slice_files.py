"""Files that a slice is made or shown with: summaries, and the sources of the app."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from fewtaps.errors import UsageError
from fewtaps.files import leads_out, read_inside, read_named_text
from fewtaps.model.slice import CodePlace, Slice, SlicedLine

LARGEST_SUMMARIES = 16 << 20
LARGEST_SOURCE = 16 << 20
"""Bytes of one file at most."""

MOST_SOURCE_FILES = 200_000
"""Files that are looked at below the folders of the sources."""

SOURCES = (".java", ".kt", ".kts", ".groovy", ".scala")


def summaries_in(path: Path | None) -> str | None:
    """The text of a file with summaries, None without one."""
    return None if path is None else read_named_text(path, LARGEST_SUMMARIES, "a file of summaries")


def with_sources(made: Slice, folders: Sequence[Path]) -> Slice:
    """The slice with the text of each line that is found in the sources, and a note on what is missing.

    A file is found by the package of its class, or by its name if only one file has it. Links that lead out of the
    folders are not followed. A line beyond the end of its file, or one without code, means that the sources are those
    of another build, which is noted. Raises UsageError for a folder that is none.
    """
    if not folders:
        return made
    files = _SourceFiles(folders)
    lines: list[SlicedLine] = []
    missing: set[str] = set()
    too_short: set[str] = set()
    other_lines: set[str] = set()
    for line in made.lines:
        text = files.lines_of(line.place) if line.place.line else None
        if text is not None and line.place.line > len(text):
            too_short.add(line.place.file or "")
        elif text is not None and not _may_run(text[line.place.line - 1]):
            other_lines.add(line.place.source_name)
        elif text is not None:
            line = replace(line, source=text[line.place.line - 1].strip())
        elif line.place.is_app and line.place.file is not None:
            missing.add(line.place.file)
        lines.append(line)
    notes = list(made.notes)
    if too_short:
        notes.append(f"the sources are those of another build: {_named(too_short)} has fewer lines than the app")
    if other_lines:
        notes.append(f"the sources are those of another build: no code at {_named(other_lines)}")
    if missing:
        notes.append(f"not found in the sources: {_named(missing)}")
    return replace(made, lines=tuple(lines), notes=tuple(notes))


def _may_run(text: str) -> bool:
    """Whether a line of a source file can have code: it is neither empty nor a comment, an import or a package."""
    return not text.strip().startswith(("//", "/*", "*", "import ", "package ")) and bool(text.strip())


def _named(names: set[str]) -> str:
    shown = sorted(names)[:5]
    return ", ".join(shown) + (f" and {len(names) - len(shown)} more" if len(names) > len(shown) else "")


class _SourceFiles:
    """The source files below some folders, by their names."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._paths: dict[str, list[Path]] = {}
        self._texts: dict[Path, list[str] | None] = {}
        count = 0
        for folder in folders:
            if not folder.is_dir():
                raise UsageError(f"--sources {folder}: not a folder")
            for path in sorted(folder.rglob("*")):
                if path.suffix in SOURCES and path.is_file() and not leads_out(folder, path):
                    self._paths.setdefault(path.name, []).append(path)
                    count += 1
                if count > MOST_SOURCE_FILES:
                    raise UsageError(f"--sources {folder}: more than {MOST_SOURCE_FILES} files; name a smaller folder")
        if count == 0:
            raise UsageError(f"--sources {', '.join(map(str, folders))}: no source file in there")

    def lines_of(self, place: CodePlace) -> list[str] | None:
        """The lines of the file of a class; None if it is not found, or not the only one of its name."""
        found = self._paths.get(place.file or "", [])
        package = tuple(place.class_name.split(".")[:-1])
        fitting = [path for path in found if path.parent.parts[len(path.parent.parts) - len(package) :] == package]
        chosen = fitting[0] if fitting else found[0] if len(found) == 1 else None
        if chosen is None:
            return None
        if chosen not in self._texts:
            self._texts[chosen] = self._read(chosen)
        return self._texts[chosen]

    def _read(self, path: Path) -> list[str] | None:
        try:
            return read_inside(path, LARGEST_SOURCE).decode("utf-8", "replace").splitlines()
        except OSError:
            # One source that cannot be read is like one that is not there.
            return None

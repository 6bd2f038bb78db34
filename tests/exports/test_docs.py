"""docs/exports.md shows what the exports really write."""

from __future__ import annotations

import re
from pathlib import Path

from exports.documented import documented

from fewtaps.exports.registry import EXPORTS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "exports.md"


def shown() -> list[tuple[str, str]]:
    """The language and the content of every block but the first, which shows commands."""
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    return [(language, content) for language, content in blocks if language]


def test_every_block_of_the_page_is_real_output() -> None:
    written: dict[str, list[str]] = {}
    for export in EXPORTS.values():
        written.setdefault(export.language, []).append(export.render(documented()).text)
    blocks = shown()
    assert {language for language, _ in blocks} == set(written)
    for language, content in blocks:
        pieces = [piece.strip("\n") for piece in re.split(r"^…$", content, flags=re.MULTILINE)]
        assert any(_holds(text, pieces) for text in written[language]), content


def _holds(text: str, pieces: list[str]) -> bool:
    """Whether the pieces stand in the text, one after the other."""
    place = 0
    for piece in pieces:
        found = text.find(piece, place)
        if found < 0:
            return False
        place = found + len(piece)
    return True


def test_the_page_names_every_export() -> None:
    page = PAGE.read_text("utf-8")
    assert [name for name in EXPORTS if f"`{name}`" not in page] == []

"""Reads numbers in texts of others: ASCII digits, and not many of them."""

from __future__ import annotations


def whole_number(text: str, digits: int = 9) -> int | None:
    """The number that a text of ASCII digits tells; None for any other text, and for one of more than `digits`."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= digits else None


def signed_number(text: str) -> int | None:
    """The same with a minus in front or not, and with as many digits as a `long` of Java has."""
    number = whole_number(text.removeprefix("-"), 19)
    return number if number is None or not text.startswith("-") else -number

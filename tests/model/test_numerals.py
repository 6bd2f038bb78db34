"""Numbers in texts of others."""

from __future__ import annotations

import pytest

from fewtaps.model.numerals import signed_number, whole_number


@pytest.mark.parametrize(
    ("text", "number"),
    [("0", 0), ("007", 7), ("999999999", 999999999), ("1000000000", None), ("7" * 5_000, None)]
    + [(text, None) for text in ("", "²", "٣", "-1", "+1", " 1", "1_0", "1\n", "1.0")],
)
def test_a_whole_number_has_ascii_digits_and_few(text: str, number: int | None) -> None:
    assert whole_number(text) == number


@pytest.mark.parametrize(
    ("text", "number"),
    [("-9223372036854775808", -(2**63)), ("9223372036854775807", 2**63 - 1), ("--1", None), ("-", None), ("-²", None)],
)
def test_a_signed_number_is_as_long_as_one_of_java(text: str, number: int | None) -> None:
    assert signed_number(text) == number

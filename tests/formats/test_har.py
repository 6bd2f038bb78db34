"""HAR files become answers, without their secrets and within limits."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

import pytest

from fewtaps.errors import UsageError
from fewtaps.formats import bounded, har
from fewtaps.formats.har import read_har


def entry(url: str, text: str = "{}", **more: Any) -> dict[str, Any]:
    headers = [{"name": "Set-Cookie", "value": "sid=SECRET"}, {"name": "ETag", "value": "1"}]
    content = {"mimeType": "application/json", "text": text} | more.pop("content", {})
    return {
        "request": {"method": "GET", "url": url, "headers": [{"name": "Authorization", "value": "Bearer SECRET"}]},
        "response": {"status": 200, "headers": headers, "content": content} | more,
    }


def written(folder: Path, *entries: Any) -> Path:
    path = folder / "a.har"
    path.write_text(json.dumps({"log": {"entries": list(entries)}}), encoding="utf-8")
    return path


def test_an_answer_is_found_by_its_address_and_then_by_its_path(tmp_path: Path) -> None:
    path = written(tmp_path, entry("https://a.org/x?q=1", "one"), entry("https://a.org/x?q=2", "two"))
    answers = read_har(path)

    def body(url: str) -> bytes | None:
        return next((each.body for each in answers if re.fullmatch(each.address, url)), None)

    assert body("https://a.org/x?q=2") == b"two"
    assert body("https://a.org/x?q=3") == body("https://a.org/x") == b"one"
    assert body("https://a.org/y") is None
    assert body("https://aXorg/x") is None


def test_secrets_of_the_recording_are_not_handed_on(tmp_path: Path) -> None:
    answers = read_har(written(tmp_path, entry("https://a.org/x")))
    assert "SECRET" not in repr(answers)
    assert answers[0].headers == (("etag", "1"),)


def test_a_binary_body_is_decoded_and_a_damaged_one_is_empty(tmp_path: Path) -> None:
    good = {"encoding": "base64", "text": base64.b64encode(b"\xff\x00").decode()}
    bad = {"encoding": "base64", "text": "*"}
    path = written(tmp_path, entry("https://a.org/1", content=good), entry("https://a.org/2", content=bad))
    assert [each.body for each in read_har(path)[:2]] == [b"\xff\x00", b""]


def test_too_much_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(har, "MAX_BODY_BYTES", 4)
    monkeypatch.setattr(har, "MAX_ENTRIES", 3)
    urls = [f"https://a.org/{number}" for number in range(5)]
    path = written(tmp_path, entry(urls[0], "12345"), *(entry(url, "1234") for url in urls[1:]))
    assert len(read_har(path)) == 2 * 2


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[" * 200_000, "nested too deeply"),
        ("[]", "not a JSON object"),
        ("{", "not JSON"),
        ('{"log": {}}', "no HAR file"),
        ('{"log": {"entries": [{"request": {"url": 5}}, null, 7]}}', "no request with an answer"),
    ],
)
def test_a_file_that_cannot_be_used_is_one_line(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "bad.har"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=reason) as refused:
        read_har(path)
    assert "\n" not in str(refused.value)


def test_a_huge_file_is_refused_by_its_size_alone(tmp_path: Path) -> None:
    path = tmp_path / "huge.har"
    with path.open("wb") as file:
        file.truncate(500 * 2**20)
    with pytest.raises(UsageError, match="500 MB are too much; at most 64 MB"):
        read_har(path)
    with pytest.raises(UsageError, match="cannot be read"):
        bounded.read_object(tmp_path / "none", "--network")

"""The records that the log has of what stages tell."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path

import pytest

from fewtaps.config import RunSettings
from fewtaps.pipeline.news import CrashFound, CrashGivenUp, News, TraceNoted
from fewtaps.pipeline.news_log import log_news
from fewtaps.pipeline.running import run_app


@pytest.fixture
def told(tmp_path: Path) -> dict[str, News]:
    """News with words that come from an app, a trace or an option, by their kind."""
    found: list[CrashFound] = []

    def tell(news: News) -> None:
        if isinstance(news, CrashFound):
            found.append(news)

    (case, *_) = run_app("sim:notes", RunSettings(tmp_path, events=60, worlds=2), tell).cases
    suspect = replace(found[0].crash, suspect="my secret")
    return {
        "given up": CrashGivenUp(case, "my secret"),
        "trace": TraceNoted("my secret"),
        "suspect": replace(found[0], crash=suspect),
    }


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["given up", "trace", "suspect"])
def test_words_of_others_are_texts_of_the_record(
    kind: str, told: dict[str, News], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "fewtaps.pipeline.news_log")
    caplog.clear()
    log_news(told[kind])
    (record,) = caplog.records
    assert kind in record.getMessage()
    assert "my secret" not in record.getMessage()
    assert record.__dict__["texts"] == "my secret"


@pytest.mark.slow
def test_a_crash_that_is_not_suspect_has_no_texts(told: dict[str, News], caplog: pytest.LogCaptureFixture) -> None:
    found = told["suspect"]
    assert isinstance(found, CrashFound)
    caplog.set_level(logging.INFO, "fewtaps.pipeline.news_log")
    caplog.clear()
    log_news(replace(found, crash=replace(found.crash, suspect=None)))
    (record,) = caplog.records
    assert "suspect" not in record.getMessage()
    assert not record.__dict__["texts"]
